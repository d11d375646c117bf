//! The journal: what is taken away from it is found, and what its records have of secrets is their names.

use hookrail_testkit::folders::files_below;
use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

struct JournalFixture {
    project: TempProject,
    home: TempProject,
}

impl JournalFixture {
    fn new() -> Self {
        let machine = Self { project: TempProject::new(), home: TempProject::new() };
        machine.home.write(".config/hookrail/hookrail.toml", "[core]\nprotected = [\"kept\"]\n");
        machine
    }

    fn hookrail(&self, args: &[&str], stdin: &str) -> (Option<i32>, String) {
        let (code, out, err) =
            talk(program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home).args(args), stdin);
        (code, out + &err)
    }

    fn fire(&self, event: &str, tool: &str, input: &Value, more: &Value) {
        let mut payload = json!({
            "session_id": "s", "transcript_path": "/t", "cwd": self.project.path(), "hook_event_name": event,
            "tool_name": tool, "tool_input": input,
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.hookrail(&["hook"], &payload.to_string());
    }

    fn write_kept(&self) {
        self.fire("PreToolUse", "Write", &json!({ "file_path": "kept", "content": "" }), &json!({}));
    }

    fn journal(&self) -> PathBuf {
        self.home.at("state/journal")
    }

    /// The files with records, the oldest first.
    fn segments(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.journal()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
        files.sort();
        files
    }
}

fn change_lines(machine: &JournalFixture, change: fn(&mut Vec<String>)) {
    let file = machine.segments().pop().unwrap();
    let mut lines: Vec<String> = fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

fn forget_head(machine: &JournalFixture) {
    fs::remove_file(machine.journal().join("head")).unwrap();
}

/// Manipulations of a journal of several records.
type Attack = (&'static str, fn(&JournalFixture));

const ATTACKS: &[Attack] = &[
    ("a record says something else", |machine| {
        change_lines(machine, |lines| lines[1] = lines[1].replacen("blocked", "allowed", 1));
    }),
    ("a record is gone", |machine| change_lines(machine, |lines| drop(lines.remove(1)))),
    ("two records are exchanged", |machine| change_lines(machine, |lines| lines.swap(0, 1))),
    ("a record is there twice", |machine| change_lines(machine, |lines| lines.insert(1, lines[1].clone()))),
    ("the first record is gone", |machine| change_lines(machine, |lines| drop(lines.remove(0)))),
    ("the last record is gone", |machine| change_lines(machine, |lines| drop(lines.pop()))),
    ("the last record is gone, and the head", |machine| {
        change_lines(machine, |lines| drop(lines.pop()));
        forget_head(machine);
    }),
    ("all but the first are gone, and the head", |machine| {
        change_lines(machine, |lines| lines.truncate(1));
        forget_head(machine);
    }),
    ("every record is gone, and the head", |machine| {
        change_lines(machine, Vec::clear);
        forget_head(machine);
    }),
    ("the files are gone, and the head", |machine| {
        machine.segments().iter().for_each(|file| fs::remove_file(file).unwrap());
        forget_head(machine);
    }),
    ("the folder is gone", |machine| fs::remove_dir_all(machine.journal()).unwrap()),
];

#[test]
fn whatever_is_taken_from_the_journal_is_found_at_once_and_after_the_next_record() {
    for (what, attack) in ATTACKS {
        let machine = JournalFixture::new();
        (0..4).for_each(|_| machine.write_kept());
        let (code, said) = machine.hookrail(&["log", "--verify"], "");
        assert_eq!(code, Some(0), "{what}: {said}");
        attack(&machine);
        for round in ["at once", "after the next record"] {
            let (code, said) = machine.hookrail(&["log", "--verify"], "");
            assert_eq!(code, Some(3), "{what}, {round}: {said}");
            machine.write_kept();
        }
    }
}

#[test]
fn an_anchor_that_is_kept_elsewhere_finds_what_was_rolled_back_as_a_whole() {
    let machine = JournalFixture::new();
    machine.write_kept();
    let backup = machine.home.at("backup");
    let copy = |from: &Path, to: &Path| {
        let status = std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap();
        assert!(status.success());
    };
    copy(&machine.home.at("state"), &backup);
    machine.write_kept();
    let anchor = machine.hookrail(&["log", "--anchor"], "").1.trim().to_owned();
    assert_eq!(machine.hookrail(&["log", "--verify", "--anchor", &anchor], "").0, Some(0));
    fs::remove_dir_all(machine.home.at("state")).unwrap();
    copy(&backup, &machine.home.at("state"));
    assert_eq!(machine.hookrail(&["log", "--verify"], "").0, Some(0), "by itself it cannot be found");
    let (code, said) = machine.hookrail(&["log", "--verify", "--anchor", &anchor], "");
    assert!(code == Some(3) && said.contains("is missing"), "{said}");
}

/// Texts with something secret in them, which stands as `@@`.
const TEXTS: &[&str] = &[
    "PGPASSWORD=@@ psql -h db",
    "Server=db;Uid=me;Pwd=@@;Database=x",
    "'password' => '@@',",
    "let api_key: &str = \"@@\";",
    "token := \"@@\"",
    "password: |\n  @@\nother: 1",
    "<password>@@</password>",
    "{\"credentials\": {\"user\": \"u\", \"password\": \"@@\"}}",
    "mysql -u root -p@@ db",
    "docker login -u me -p @@ registry.example",
    "redis-cli -h x -a @@ ping",
    "machine api.example.com login me password @@",
    "https://me:@@@host.example/a",
    "curl https://host.example/?access_token=@@",
    "Authorization: Bearer @@",
    "export STRIPE_SECRET_KEY=@@",
];

/// Everything below a folder, as text.
fn everything(folder: &Path) -> String {
    let read = |path: PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    files_below(folder).unwrap().into_iter().map(read).collect()
}

#[test]
fn nothing_secret_that_a_call_names_as_such_is_in_anything_that_is_kept() {
    const SECRET: &str = "hunter2Xq9Lm4Zt7";
    for template in TEXTS {
        let machine = JournalFixture::new();
        machine.home.write(
            ".config/hookrail/hookrail.toml",
            "[[command]]\nname = \"echo\"\nevent = \"AfterTool\"\ncommand = \"cat >&2; exit 2\"\n",
        );
        let text = template.replace("@@", SECRET);
        let nested = json!({ "servers": [{ "config": text }] });
        machine.fire("PreToolUse", "Bash", &json!({ "command": format!("{text}; rm -rf .hookrail") }), &json!({}));
        machine.fire("PreToolUse", "Write", &json!({ "file_path": ".hookrail/x", "content": text }), &json!({}));
        machine.fire("PreToolUse", "mcp__x__write_file", &nested, &json!({}));
        machine.fire(
            "PostToolUse",
            "Bash",
            &json!({ "command": "ls" }),
            &json!({ "tool_response": { "stdout": text } }),
        );
        let kept = everything(&machine.home.at("state"));
        assert!(kept.contains("core/protected-paths"), "{template}: something is recorded");
        assert!(!kept.contains(SECRET), "{template}: {kept}");
        assert!(kept.contains("[redacted]"), "{template}: {kept}");
    }
}
