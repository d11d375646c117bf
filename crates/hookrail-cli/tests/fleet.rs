//! Machines of a fleet with the real binary and a real PostgreSQL: hooks write, `sync` ships, `--fleet` shows.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

use hookrail_testkit::postgres::Cluster;
use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn fleet() -> Option<Cluster> {
    Cluster::start().map(with_schema)
}

/// The same in a server that the test may end.
fn own_fleet() -> Option<Cluster> {
    Cluster::start_own().map(with_schema)
}

fn with_schema(cluster: Cluster) -> Cluster {
    let disk = TempProject::new().file("keep", "");
    let output = run(&disk, "root", &["fleet", "migrate", "--database", &cluster.address("postgres")], "");
    assert!(output.status.success(), "{}", text(&output));
    let roles = "CREATE ROLE writer LOGIN IN ROLE hookrail_writer; CREATE ROLE lead LOGIN IN ROLE hookrail_reader";
    assert_eq!(cluster.sql(roles), "");
    cluster
}

/// A machine whose user's configuration has these lines.
fn machine(lines: &str) -> TempProject {
    TempProject::new().file("home/.config/hookrail/hookrail.toml", lines)
}

fn in_fleet(cluster: &Cluster, more: &str) -> TempProject {
    machine(&format!("{more}\n[fleet]\ndatabase = \"{}\"\n", cluster.address("writer")))
}

fn run(disk: &TempProject, person: &str, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hookrail"))
        .args(args)
        .current_dir(disk.path())
        .env_clear()
        .env("HOME", disk.at("home"))
        .env("USER", person)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}

fn done(disk: &TempProject, person: &str, args: &[&str]) -> String {
    let output = run(disk, person, args, "");
    assert!(output.status.success(), "{args:?}: {}", text(&output));
    text(&output)
}

fn call(disk: &TempProject, person: &str, command: &str) {
    let event = serde_json::json!({
        "hook_event_name": "PreToolUse", "session_id": format!("session-{person}"), "cwd": disk.path(),
        "tool_name": "Bash", "tool_input": {"command": command},
    });
    run(disk, person, &["hook", "--agent", "claude"], &event.to_string());
}

fn event(disk: &TempProject, person: &str, name: &str) {
    let event =
        serde_json::json!({"hook_event_name": name, "session_id": "s", "cwd": disk.path(), "source": "startup"});
    run(disk, person, &["hook", "--agent", "claude"], &event.to_string());
}

#[test]
fn one_place_shows_what_hooks_did_on_all_machines() {
    let Some(cluster) = fleet() else { return };
    let (anns, bobs) = (in_fleet(&cluster, ""), in_fleet(&cluster, ""));
    for command in ["rm -rf ~", "ls", "cat notes.txt"] {
        call(&anns, "ann", command);
    }
    call(&bobs, "bob", "rm -rf /");
    assert!(done(&anns, "ann", &["sync"]).contains("records shipped"));
    let shipped: Value = serde_json::from_str(&done(&bobs, "bob", &["sync", "--json"])).unwrap();
    let records = shipped["database"]["records"].as_u64().unwrap();
    assert!(records > 0);
    let again: Value = serde_json::from_str(&done(&bobs, "bob", &["sync", "--json"])).unwrap();
    assert_eq!(again["database"]["records"], 0);

    let (lead, url) = (machine(""), cluster.address("lead"));
    let log = done(&lead, "lead", &["log", "--fleet", "--database", &url, "--decision", "block"]);
    assert!(
        log.contains("session session-ann (claude) on ") && log.contains(", ann") && log.contains("session-bob"),
        "{log}"
    );
    let lines = done(&lead, "lead", &["log", "--fleet", "--database", &url, "--json", "--person", "bob"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len() as u64, records);
    assert!(lines.iter().all(|line| line["person"] == "bob" && line["session"] == "session-bob"));
    let own = done(&bobs, "bob", &["log", "--json"]);
    for (fleet, own) in lines.iter().zip(own.lines()) {
        let mut fleet = fleet.clone();
        ["machine", "person"].iter().for_each(|key| drop(fleet.as_object_mut().unwrap().remove(*key)));
        assert_eq!(fleet, serde_json::from_str::<Value>(own).unwrap(), "a record comes back as it was written");
    }

    let counted = |args: &[&str]| -> Value {
        let args = [&["stats", "--fleet", "--database", &url, "--json"], args].concat();
        serde_json::from_str(&done(&lead, "lead", &args)).unwrap()
    };
    let people = counted(&["--by", "person"]);
    assert!(
        people["hooks"]["ann"]["blocks"].as_u64() >= Some(1) && people["hooks"]["bob"]["blocks"].as_u64() >= Some(1)
    );
    let all = counted(&[]);
    let own: Value = serde_json::from_str(&done(&bobs, "bob", &["stats", "--json"])).unwrap();
    let mine = counted(&["--person", "bob"]);
    for (hook, tally) in own["hooks"].as_object().unwrap() {
        for field in ["runs", "blocks", "asks", "warnings", "fail_opens", "skipped"] {
            assert_eq!(mine["hooks"][hook][field], tally[field], "{hook} {field}");
            assert!(all["hooks"][hook][field].as_u64() >= tally[field].as_u64());
        }
        let (exact, bound) = (tally["p95_us"].as_u64().unwrap(), mine["hooks"][hook]["p95_us"].as_u64().unwrap());
        assert!(exact <= bound && bound <= exact * 3 / 2 + 2, "{hook}: {exact} {bound}");
    }
    assert_eq!(mine["days"], own["days"]);
    // A session is counted from the records, everything else from the counts by day; both agree.
    assert_eq!(counted(&["--session", "session-bob"])["hooks"], mine["hooks"]);

    std::fs::write(lead.at("strict.toml"), "[core]\nsecret = [\"notes.txt\"]\n").unwrap();
    let replay = ["replay", "--fleet", "--database", &url, "--config", "strict.toml", "--layer", "user", "--json"];
    let replayed: Value = serde_json::from_str(&done(&lead, "lead", &replay)).unwrap();
    assert_eq!(replayed["events"], 4, "{replayed}");
    assert_eq!(replayed["changes"].as_array().map(Vec::len), Some(1), "{replayed}");
}

#[test]
fn status_tells_which_machine_runs_what_and_whose_entries_are_altered() {
    let Some(cluster) = fleet() else { return };
    let disk = in_fleet(&cluster, "");
    done(&disk, "ann", &["install", "claude", "--scope", "project"]);
    done(&disk, "ann", &["sync"]);
    let url = cluster.address("lead");
    let status = done(&disk, "lead", &["fleet", "status", "--database", &url]);
    assert!(status.contains("✓") && status.contains("ann") && status.contains("1 machine"), "{status}");
    std::fs::write(disk.at(".claude/settings.json"), "{}").unwrap();
    done(&disk, "ann", &["sync"]);
    let output = run(&disk, "lead", &["fleet", "status", "--database", &url], "");
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output).contains("claude entries altered"), "{}", text(&output));
    assert_eq!(cluster.sql("SELECT intact FROM hookrail.states ORDER BY since"), "t\nf", "drift is a record");
    assert!(
        done(&disk, "root", &["fleet", "retain", "30", "--database", &cluster.address("postgres")]).contains("30 days")
    );
    let denied = run(&disk, "lead", &["fleet", "retain", "1", "--database", &url], "");
    assert!(text(&denied).contains("42501"), "{}", text(&denied));
}

#[test]
fn a_session_that_ends_ships_by_itself_and_the_hook_does_not_wait() {
    let Some(cluster) = own_fleet() else { return };
    let disk = in_fleet(&cluster, "");
    call(&disk, "ann", "rm -rf ~");
    assert_eq!(cluster.sql("SELECT count(*) FROM hookrail.machines"), "0", "a tool call ships nothing");
    // A lock on the table keeps the sync waiting; the hook must not notice.
    let mut blocker = Command::new("psql")
        .args(["-X", "-q", "-h", cluster.socket().to_str().unwrap(), "-U", "postgres", "-c"])
        .arg("BEGIN; LOCK TABLE hookrail.machines; SELECT pg_sleep(3); COMMIT")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    event(&disk, "ann", "SessionEnd");
    assert!(begun.elapsed() < Duration::from_millis(2000), "{:?}", begun.elapsed());
    // Meanwhile a second one finds the first at work.
    let second = run(&disk, "ann", &["sync"], "");
    assert!(second.status.success());
    blocker.wait().unwrap();
    let begun = Instant::now();
    while cluster.sql("SELECT count(*) FROM hookrail.records") == "0" {
        assert!(begun.elapsed() < Duration::from_secs(30), "nothing was shipped");
        std::thread::sleep(Duration::from_millis(50));
    }
    let records = cluster.sql("SELECT count(*), count(DISTINCT hash) FROM hookrail.records");
    let (all, different) = records.split_once('|').unwrap();
    assert_eq!(all, different);
}

#[test]
fn a_server_that_is_gone_is_told_by_doctor_and_caught_up_with_later() {
    let Some(cluster) = own_fleet() else { return };
    let disk = in_fleet(&cluster, "");
    call(&disk, "ann", "ls");
    cluster.crash();
    let output = run(&disk, "ann", &["sync"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("cannot reach the database"), "{}", text(&output));
    assert!(text(&run(&disk, "ann", &["doctor"], "")).contains("the journal could not be shipped"));
    cluster.resume();
    done(&disk, "ann", &["sync"]);
    assert!(text(&run(&disk, "ann", &["doctor"], "")).contains("the journal was shipped at"));
    assert_ne!(cluster.sql("SELECT count(*) FROM hookrail.records"), "0");
}

#[test]
fn what_leaves_follows_privacy_and_a_project_cannot_name_a_fleet() {
    let Some(cluster) = fleet() else { return };
    let disk = in_fleet(&cluster, "");
    call(&disk, "ann", "cat notes-of-ann.txt");
    let config = disk.at("home/.config/hookrail/hookrail.toml");
    let text_before = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("privacy = \"minimal\"\n{text_before}")).unwrap();
    done(&disk, "ann", &["sync"]);
    let dump = cluster.sql("SELECT r::text FROM hookrail.records r");
    assert!(!dump.is_empty() && !dump.contains("notes-of-ann"), "{dump}");

    let stranger = machine("")
        .file(".hookrail/hookrail.toml", &format!("[fleet]\ndatabase = \"{}\"\n", cluster.address("writer")));
    let output = run(&stranger, "eve", &["sync"], "");
    assert!(text(&output).contains("belongs to no fleet"), "{}", text(&output));
    event(&stranger, "eve", "SessionEnd");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(cluster.sql("SELECT count(*) FROM hookrail.machines WHERE person = 'eve'"), "0");
    let secret = machine("[fleet]\ndatabase = \"postgres://writer:secret@db.example.com/fleet\"\n");
    let output = text(&run(&secret, "ann", &["sync"], ""));
    assert!(output.contains("has a password in it") && !output.contains("secret"), "{output}");
}

/// The page of `hookrail ui --fleet`, asked as a browser asks it.
struct Page {
    server: std::process::Child,
    host: String,
    cookie: String,
}

impl Page {
    fn open(disk: &TempProject, url: &str, more: &[&str]) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_hookrail"))
            .args(["ui", "--fleet", "--database", url, "--no-open", "--json"])
            .args(more)
            .current_dir(disk.path())
            .env_clear()
            .env("HOME", disk.at("home"))
            .env("USER", "lead")
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.take().unwrap()), &mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(told["read_only"], true);
        let address = told["address"].as_str().unwrap().trim_start_matches("http://").to_owned();
        let (host, path) = address.split_once('/').unwrap();
        let mut page = Self { server, host: host.to_owned(), cookie: String::new() };
        let welcome = page.send(&format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        let cookie = welcome.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).unwrap();
        page.cookie = cookie.split(';').next().unwrap().to_owned();
        page
    }

    fn send(&self, request: &str) -> String {
        let mut stream = std::net::TcpStream::connect(&self.host).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        std::io::Read::read_to_end(&mut stream, &mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> Value {
        let (host, cookie) = (&self.host, &self.cookie);
        let answer = self.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"));
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    fn subjects(&self, path: &str) -> Vec<String> {
        let rows = self.get(path)["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["subject"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn the_page_shows_events_sessions_and_counts_of_all_machines() {
    let Some(cluster) = fleet() else { return };
    let (anns, bobs, lead) = (in_fleet(&cluster, ""), in_fleet(&cluster, ""), machine(""));
    for command in ["rm -rf ~", "ls", "cat notes.txt"] {
        call(&anns, "ann", command);
    }
    call(&bobs, "bob", "rm -rf /");
    done(&anns, "ann", &["sync"]);
    done(&bobs, "bob", &["sync"]);
    let url = cluster.address("lead");
    let page = Page::open(&lead, &url, &[]);
    let mut all = page.subjects("/api/events");
    all.sort();
    assert_eq!(all, ["cat notes.txt", "ls", "rm -rf /", "rm -rf ~"]);
    assert_eq!(page.subjects("/api/events?decision=deny").len(), 2);
    assert_eq!(page.subjects("/api/events?person=bob"), ["rm -rf /"]);
    assert_eq!(page.subjects("/api/events?q=NOTES"), ["cat notes.txt"]);
    assert_eq!(page.subjects("/api/events?session=session-bob"), ["rm -rf /"]);
    let row = page.get("/api/events?person=bob")["rows"][0].clone();
    assert_eq!((&row["person"], &row["verdict"]), (&Value::from("bob"), &Value::from("deny")));
    let record = row["decisive"].as_str().unwrap();
    let event = page.get(&format!("/api/event?record={}", row["seq"].as_str().unwrap()));
    assert!(event["records"].as_array().unwrap().iter().any(|run| run["seq"] == record), "{event}");
    let explained = page.get(&format!("/api/explain?record={}", row["seq"].as_str().unwrap()));
    assert_eq!(explained["verdict"]["decision"], "block", "{explained}");
    let people: Vec<Value> = page.get("/api/sessions")["sessions"].as_array().unwrap().clone();
    let mut people: Vec<&str> = people.iter().map(|session| session["person"].as_str().unwrap()).collect();
    people.sort_unstable();
    assert_eq!(people, ["ann", "bob"]);
    let overview = page.get("/api/overview?days=7");
    assert_eq!(
        (&overview["events"], &overview["counts"]["deny"], &overview["sessions"]),
        (&4.into(), &2.into(), &2.into())
    );
    assert_eq!(overview["people"][0]["name"], "ann");
    assert_eq!(page.get("/api/overview?days=7&person=bob")["events"], 1);
    let machines = page.get("/api/doctor")["areas"][0]["checks"].as_array().unwrap().clone();
    assert!(machines.len() == 2 && machines[0]["what"].as_str().unwrap().contains("no policy"), "{machines:?}");
    assert!(page.get("/api/state")["facets"]["people"]["ann"].as_u64() >= Some(3));
    // What happens now appears without a new page.
    call(&bobs, "bob", "rm -rf /etc");
    done(&bobs, "bob", &["sync"]);
    let begun = Instant::now();
    while page.subjects("/api/events?person=bob").len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the new event does not appear");
        std::thread::sleep(Duration::from_millis(200));
    }
    drop(page);
    let page = Page::open(&lead, &url, &["--person", "ann"]);
    assert_eq!(page.subjects("/api/events").len(), 3, "one person only, whatever the page asks for");
}

#[test]
fn a_backtest_judges_the_calls_of_all_machines() {
    let Some(cluster) = fleet() else { return };
    let (anns, bobs, lead) = (in_fleet(&cluster, ""), in_fleet(&cluster, ""), machine(""));
    for command in ["cat notes.txt", "ls", "cat notes.txt README"] {
        call(&anns, "ann", command);
    }
    call(&bobs, "bob", "cat notes.txt");
    done(&anns, "ann", &["sync"]);
    done(&bobs, "bob", &["sync"]);
    std::fs::write(lead.at("strict.toml"), "[core]\nsecret = [\"notes.txt\"]\n").unwrap();
    std::fs::write(lead.at("empty.toml"), "").unwrap();
    let url = cluster.address("lead");
    let report = |more: &[&str]| -> Value {
        let args = [&["backtest", "--fleet", "--database", &url, "--json"], more].concat();
        serde_json::from_str(&done(&lead, "lead", &args)).unwrap()
    };
    let strict = report(&["--config", "strict.toml"]);
    assert_eq!((&strict["history"]["calls"], &strict["history"]["sessions"]), (&4.into(), &2.into()), "{strict}");
    assert_eq!(strict["decisions"]["deny"], 3, "{}", strict["decisions"]);
    assert_eq!(report(&["--config", "strict.toml", "--person", "bob"])["history"]["calls"], 1);
    let diff = report(&["--config", "strict.toml", "--diff", "empty.toml"]);
    assert!(!diff["diff"].is_null(), "{diff}");
    let limit = ["backtest", "--fleet", "--database", &url, "--config", "strict.toml", "--fail-on", "deny>10%"];
    assert_eq!(run(&lead, "lead", &limit, "").status.code(), Some(3));
    let none = done(&lead, "lead", &["backtest", "--fleet", "--database", &url, "--person", "eve"]);
    assert!(none.contains("no call of the database"), "{none}");
}

#[test]
fn a_state_folder_on_a_full_disk_ships_what_it_has_and_nothing_twice() {
    let Some(cluster) = fleet() else { return };
    let disk = in_fleet(&cluster, "");
    let state = disk.at("home/.local/state/hookrail");
    let Some(small) = hookrail_testkit::small_disk::SmallDisk::mount(&state, 2048) else { return };
    let lines = || {
        let journal = Command::new("find").arg(&state).args(["-name", "0*.jsonl"]).output().unwrap();
        let files = String::from_utf8(journal.stdout).unwrap();
        files.lines().map(|file| std::fs::read_to_string(file).unwrap().lines().count()).sum::<usize>()
    };
    for number in 0..5 {
        call(&disk, "ann", &format!("echo {number}"));
    }
    assert!(lines() >= 5, "the journal is on the small disk");
    done(&disk, "ann", &["sync"]);
    small.fill(0);
    for number in 0..5 {
        call(&disk, "ann", &format!("echo full {number}"));
    }
    // Where records are is known by the server, so that nothing has to be written for a sync.
    let output = run(&disk, "ann", &["sync"], "");
    assert!(output.status.success(), "{}", text(&output));
    small.free();
    for number in 0..5 {
        call(&disk, "ann", &format!("echo free {number}"));
    }
    done(&disk, "ann", &["sync"]);
    let counted = cluster.sql("SELECT count(*), count(DISTINCT hash) FROM hookrail.records");
    assert_eq!(counted, format!("{0}|{0}", lines()), "every line of the journal, once");
    assert_ne!(cluster.sql("SELECT count(*) FROM hookrail.records WHERE subject LIKE 'echo free%'"), "0");
}

#[test]
fn two_syncs_at_once_ship_every_record_once() {
    let Some(cluster) = fleet() else { return };
    let disk = in_fleet(&cluster, "");
    for number in 0..6 {
        call(&disk, "ann", &format!("echo {number}"));
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| done(&disk, "ann", &["sync"]));
        }
    });
    done(&disk, "ann", &["sync"]);
    let counted = cluster.sql("SELECT count(*), count(DISTINCT hash), count(DISTINCT machine) FROM hookrail.records");
    let (all, rest) = counted.split_once('|').unwrap();
    assert_eq!(rest, format!("{all}|1"));
}

#[test]
fn what_is_wrong_is_told_with_what_to_do_and_no_password_is_shown() {
    let Some(cluster) = own_fleet() else { return };
    assert_eq!(cluster.sql("ALTER ROLE writer PASSWORD 'hunter2-right'"), "");
    let (port, _) = cluster.resume_on_network(true);
    let conf = cluster.socket().join("data/pg_hba.conf");
    std::fs::write(&conf, "local all postgres trust\nhost all all 127.0.0.1/32 scram-sha-256\n").unwrap();
    let reload = |cluster: &Cluster| {
        let out = Command::new("psql")
            .args(["-X", "-q", "-h", cluster.socket().to_str().unwrap(), "-p", &port.to_string(), "-U", "postgres"])
            .args(["-c", "SELECT pg_reload_conf()"])
            .output()
            .unwrap();
        assert!(out.status.success(), "{}", text(&out));
    };
    reload(&cluster);
    std::thread::sleep(Duration::from_millis(300));
    let here = format!("postgres://writer@localhost:{port}/postgres?sslmode=disable");
    let tls = format!("postgres://writer@localhost:{port}/postgres");
    let cases: [(&str, String, &[&str]); 13] = [
        ("no fleet", String::new(), &["belongs to no fleet", "hint: write `[fleet]`"]),
        ("a typo in a key", "[fleet]\ndatabse = \"x\"\n".to_owned(), &["databse", "did you mean `database`"]),
        ("no database", "[fleet]\ndatabase = \"db.example.com\"\n".to_owned(), &["postgres://user@host/database"]),
        (
            "a password in the address",
            "[fleet]\ndatabase = \"postgres://w:hunter2@db/f\"\n".to_owned(),
            &["has a password in it", "hint: set PGPASSWORD"],
        ),
        (
            "an unknown host",
            "[fleet]\ndatabase = \"postgres://w@nowhere.invalid/f\"\n".to_owned(),
            &["cannot reach the database at nowhere.invalid:5432", "hint:"],
        ),
        (
            "no server listens",
            "[fleet]\ndatabase = \"postgres://w@127.0.0.1:1/f?sslmode=disable\"\n".to_owned(),
            &["cannot reach the database at 127.0.0.1:1", "hint:"],
        ),
        (
            "no socket",
            "[fleet]\ndatabase = \"postgres://w@/f?host=/nonexistent\"\n".to_owned(),
            &["/nonexistent", "hint:"],
        ),
        ("no password", format!("[fleet]\ndatabase = \"{here}\"\n"), &["wants a password", "hint: set PGPASSWORD"]),
        (
            "an unknown certificate",
            format!("[fleet]\ndatabase = \"{tls}\"\n"),
            &["TLS with localhost failed", "hint:", "sslrootcert"],
        ),
        (
            "TLS that is none",
            "[fleet]\ndatabase = \"postgres://w@db/f?sslmode=require\"\n".to_owned(),
            &["would let others read along"],
        ),
        (
            "a plain network",
            "[fleet]\ndatabase = \"postgres://w@db/f?sslmode=disable\"\n".to_owned(),
            &["this machine only"],
        ),
        (
            "a password file for all",
            format!("[fleet]\ndatabase = \"{here}\"\npassword_file = \"PLACE/exposed\"\n"),
            &["may be read by others", "chmod 600"],
        ),
        (
            "a wrong password",
            format!("[fleet]\ndatabase = \"{here}\"\npassword_file = \"PLACE/wrong\"\n"),
            &["password authentication failed", "hint:"],
        ),
    ];
    for (name, config, expected) in &cases {
        let disk = machine("").file("exposed", "hunter2\n").file("wrong", "hunter2\n");
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(disk.at("wrong"), std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::set_permissions(disk.at("exposed"), std::fs::Permissions::from_mode(0o644)).unwrap();
        let config = config.replace("PLACE", &disk.path().display().to_string());
        std::fs::write(disk.at("home/.config/hookrail/hookrail.toml"), config).unwrap();
        let commands: [&[&str]; 3] = [&["sync"], &["validate"], &["doctor"]];
        let all: String = commands.iter().map(|args| text(&run(&disk, "ann", args, ""))).collect();
        let sync = text(&run(&disk, "ann", &["sync"], ""));
        let told = if *name == "a typo in a key" { &all } else { &sync };
        for part in *expected {
            assert!(told.contains(part), "{name}: `{part}` in {told}");
        }
        assert!(!all.contains("hunter2"), "{name}: a password is shown: {all}");
    }
    // The right one, from each place that may have it.
    let right = |disk: &TempProject| done(disk, "ann", &["sync"]);
    let pgpass = machine(&format!("[fleet]\ndatabase = \"{here}\"\n"))
        .file("home/.pgpass", "localhost:*:*:writer:hunter2-right\n");
    let file = machine("").file("right", "hunter2-right\n");
    let named = format!("[fleet]\ndatabase = \"{here}\"\npassword_file = \"{}\"\n", file.at("right").display());
    std::fs::write(file.at("home/.config/hookrail/hookrail.toml"), named).unwrap();
    for path in [pgpass.at("home/.pgpass"), file.at("right")] {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
    for disk in [&pgpass, &file] {
        assert!(right(disk).contains("records shipped"));
    }
}
