use super::*;
use std::io::Write;
use std::process::{Child, Command, Stdio};

/// SQLite itself, which writes and stays open so that its log is not moved into the file. `None` where it is not installed.
fn sqlite(path: &Path, script: &str) -> Option<Child> {
    let spawned = Command::new("sqlite3").arg(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else {
        #[expect(clippy::disallowed_methods, reason = "who runs the tests says which tools there must be")]
        let required = std::env::var_os("HOOKRAIL_TEST_TOOLS").is_some_and(|value| value == "required");
        assert!(!required, "sqlite3 is not installed");
        eprintln!("SKIPPED: sqlite3 is not installed");
        return None;
    };
    child.stdin.as_mut().unwrap().write_all(format!("{script}\n.print ready\n").as_bytes()).unwrap();
    let mut told = [0_u8; 1];
    let mut all = Vec::new();
    while !all.ends_with(b"ready\n") {
        io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut told).unwrap();
        all.push(told[0]);
    }
    Some(child)
}

/// The rows of table `t`, as text.
fn rows(path: &Path) -> Vec<String> {
    let mut database = Database::open(path).unwrap();
    let table = database.table("t").unwrap().unwrap();
    let (id, text) = (table.column("id").unwrap(), table.column("odd name").unwrap());
    let mut rows = Vec::new();
    database
        .rows(&table, &mut |fields| {
            let text = fields[text].text().map_or_else(|| format!("{:?}", fields[text]), str::to_owned);
            rows.push(format!("{:?} {} {}", fields[id], text.len(), text.get(..20).unwrap_or(&text)));
            ControlFlow::Continue(())
        })
        .unwrap();
    rows
}

const SCHEMA: &str =
    "CREATE TABLE t (`id` text, n INTEGER DEFAULT (1 + 2), \"odd name\" text, CONSTRAINT k PRIMARY KEY(`id`, n));";

#[test]
fn rows_of_every_size_come_in_order_from_the_file_and_from_its_log() {
    for journal in ["DELETE", "WAL"] {
        for page_size in [512, 4096, 65536] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.db");
            let script = format!(
                "PRAGMA page_size={page_size};PRAGMA journal_mode={journal};{SCHEMA}\
                 WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<2000)\
                 INSERT INTO t SELECT 'i'||x, x, CASE WHEN x%7=0 THEN NULL ELSE printf('%0*d', (x*x)%9000, x) END FROM c;\
                 UPDATE t SET \"odd name\"='changed' WHERE n=3; DELETE FROM t WHERE n=5;"
            );
            let Some(mut child) = sqlite(&path, &script) else { return };
            let expected: Vec<String> = (1_u64..=2000)
                .filter(|x| *x != 5)
                .map(|x| {
                    let text = match x {
                        3 => "changed".to_owned(),
                        x if x % 7 == 0 => "Null".to_owned(),
                        x => format!("{x:0width$}", width = usize::try_from((x * x) % 9000).unwrap()),
                    };
                    format!("{:?} {} {}", Field::Text(&format!("i{x}")), text.len(), text.get(..20).unwrap_or(&text))
                })
                .collect();
            let found = rows(&path);
            assert_eq!(found.len(), expected.len(), "{journal} {page_size}");
            assert_eq!(found, expected, "{journal} {page_size}");
            drop(child.stdin.take());
            child.wait().unwrap();
            assert_eq!(rows(&path), expected, "{journal} {page_size}, moved into the file");
        }
    }
}

#[test]
fn what_is_not_committed_and_what_is_left_over_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let script = format!(
        "PRAGMA journal_mode=WAL;PRAGMA cache_size=1;{SCHEMA}INSERT INTO t VALUES('a',1,'kept');BEGIN;\
         WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<500) INSERT INTO t SELECT 'b'||x,x,printf('%0*d',900,x) FROM c;"
    );
    let Some(mut child) = sqlite(&path, &script) else { return };
    assert_eq!(rows(&path), [format!("{:?} 4 kept", Field::Text("a"))]);
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn files_that_are_no_database_are_errors_and_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let script = format!("{SCHEMA}INSERT INTO t VALUES('a',1,'kept');");
    let Some(mut child) = sqlite(&path, &script) else { return };
    drop(child.stdin.take());
    child.wait().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut tried = 0;
    for (at, value) in (0..whole.len()).step_by(13).flat_map(|at| [(at, 0_u8), (at, 0xff)]) {
        let mut bytes = whole.clone();
        bytes[at] = value;
        std::fs::write(&path, &bytes).unwrap();
        tried += 1;
        let read = || -> io::Result<()> {
            let mut database = Database::open(&path)?;
            let Some(table) = database.table("t")? else { return Ok(()) };
            let mut left = 300;
            database.rows(&table, &mut |_| {
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        };
        let _ = read();
    }
    assert!(tried > 500);
    for content in [&b""[..], b"SQLite format 3\0", &[7; 4096]] {
        std::fs::write(&path, content).unwrap();
        assert!(Database::open(&path).is_err());
    }
}

#[test]
fn columns_are_found_in_every_spelling() {
    let cases = [
        ("CREATE TABLE t(a, b)", vec!["a", "b"]),
        ("CREATE TABLE `t` (`a` text DEFAULT 'x,(y' NOT NULL, [b c] int, \"d\" num(1,2))", vec!["a", "b c", "d"]),
        ("CREATE TABLE t(a int PRIMARY KEY, CONSTRAINT x UNIQUE(a), FOREIGN KEY (a) REFERENCES u(b))", vec!["a"]),
        ("CREATE TABLE t", vec![]),
    ];
    for (statement, expected) in cases {
        assert_eq!(columns_of(statement), expected, "{statement}");
    }
}
