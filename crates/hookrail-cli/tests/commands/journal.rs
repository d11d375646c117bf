//! `hookrail log` and `hookrail stats`: what hooks did, for the person who runs them.

use hookrail_store::{FileStore, JournalRecord, StateRoot, Store};
use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::time::{Duration, SystemTime};

struct JournalProject {
    project: TempProject,
    home: TempProject,
}

impl JournalProject {
    /// A place in which something happened: a block, a warning, a fail-open, a run without an opinion.
    fn with_history() -> Self {
        let place = Self { project: TempProject::new(), home: TempProject::new() };
        let config = "[core]\nprotected = [\"secret\"]\n\
                      [[command]]\nname = \"broken\"\nevent = \"BeforeTool\"\ncommand = \"exit 1\"\n\
                      [[command]]\nname = \"dry\"\nevent = \"BeforeTool\"\nmode = \"warn\"\ncommand = \"echo no >&2; exit 2\"\n";
        place.home.write(".config/hookrail/hookrail.toml", config);
        for (session, path) in [("one", "secret"), ("one", "fine"), ("two", "fine")] {
            place.fire(session, path);
        }
        place
    }

    fn fire(&self, session: &str, path: &str) {
        let event = json!({
            "session_id": session, "transcript_path": "/t", "cwd": self.project.path(), "hook_event_name": "PreToolUse",
            "tool_name": "Write", "tool_input": { "file_path": path, "content": "" },
        });
        self.hookrail(&["hook", "--agent", "claude"], &event.to_string());
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        command.args(args);
        command
    }

    fn hookrail(&self, args: &[&str], stdin: &str) -> (Option<i32>, String, String) {
        talk(&mut self.command(args), stdin)
    }

    fn records(&self, args: &[&str]) -> Vec<Value> {
        let (code, out, err) = self.hookrail(&[&["log", "--json"], args].concat(), "");
        assert_eq!((code, err.as_str()), (Some(0), ""));
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn the_log_shows_the_newest_records_that_are_asked_for() {
    let place = JournalProject::with_history();
    let cases: [(&[&str], usize); 10] = [
        (&[], 9),
        (&["--limit", "2"], 2),
        (&["--session", "two"], 3),
        (&["--hook", "core/protected-paths"], 3),
        (&["--hook", "core/"], 3),
        (&["--decision", "block"], 4),
        (&["--outcome", "blocked"], 1),
        (&["--outcome", "warned"], 3),
        (&["--outcome", "failed", "--session", "one"], 2),
        (&["--since", "1h"], 9),
    ];
    for (args, expected) in cases {
        assert_eq!(place.records(args).len(), expected, "{args:?}");
    }
    let (_, out, _) = place.hookrail(&["log", "--outcome", "blocked"], "");
    for part in ["blocked", "core/protected-paths", "BeforeTool", "Write secret", "is protected"] {
        assert!(out.contains(part), "{part} is missing in {out}");
    }
}

#[test]
fn a_followed_log_shows_what_is_written_from_now_on() {
    let place = JournalProject::with_history();
    let mut child = place.command(&["log", "--follow", "--json", "--limit", "1", "--hook", "core/"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["session"], "two", "the newest record that is there");
    place.fire("three", "secret");
    let record = next();
    assert_eq!((&record["session"], &record["outcome"]), (&json!("three"), &json!("blocked")));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_changed_journal_is_found_and_its_line_named() {
    let place = JournalProject::with_history();
    let (code, out, _) = place.hookrail(&["log", "--verify"], "");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("as it was written: 9 of 9 records"), "{out}");
    let file = place.home.at("state/journal/000000000001.jsonl");
    let text = fs::read_to_string(&file).unwrap().replacen("\"blocked\"", "\"allowed\"", 1);
    fs::write(&file, text).unwrap();
    let (code, out, _) = place.hookrail(&["log", "--verify"], "");
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("000000000001.jsonl:1") && out.contains("the journal was changed"), "{out}");
}

#[test]
fn a_tail_that_is_cut_together_with_the_head_is_found() {
    let place = JournalProject::with_history();
    let journal = place.home.at("state/journal");
    fs::remove_file(journal.join("head")).unwrap();
    let file = journal.join("000000000001.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let kept: String = text.lines().take(7).map(|line| format!("{line}\n")).collect();
    fs::write(&file, kept).unwrap();
    for round in ["at once", "after the next event"] {
        let (code, out, _) = place.hookrail(&["log", "--verify"], "");
        assert_eq!(code, Some(3), "{round}: {out}");
        assert!(out.contains("records 8 to 9 are missing"), "{round}: {out}");
        place.fire("three", "fine");
    }
}

#[test]
fn an_anchor_kept_elsewhere_finds_a_journal_that_was_put_back_as_a_whole() {
    let place = JournalProject::with_history();
    let state = place.home.at("state");
    let (code, out, _) = place.hookrail(&["log", "--anchor"], "");
    let early = out.trim().to_owned();
    assert_eq!((code, early.split_once(':').unwrap().0), (Some(0), "9"));
    let backup = place.home.at("backup");
    assert!(Command::new("cp").arg("-a").args([&state, &backup]).status().unwrap().success());

    place.fire("three", "fine");
    let (_, out, _) = place.hookrail(&["log", "--anchor", "--json"], "");
    let late: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(late["seq"], 12);
    let late = late["anchor"].as_str().unwrap();
    let file = place.home.at("anchors");
    fs::write(&file, format!("# kept elsewhere\n{early}\n\n{out}")).unwrap();
    let file = file.to_str().unwrap();
    let hash = late.split_once(':').unwrap().1;
    let comparisons: [&[&str]; 5] = [
        &["log", "--anchor", late],
        &["log", "--anchor", &early, late],
        &["log", "--verify", "--anchor", file],
        &["log", "--anchor", hash],
        &["log", "--verify", "--json", "--anchor", late],
    ];
    for args in comparisons {
        let (code, out, err) = place.hookrail(args, "");
        assert_eq!((code, err.as_str()), (Some(0), ""), "{args:?}: {out}");
    }

    fs::remove_dir_all(&state).unwrap();
    fs::rename(&backup, &state).unwrap();
    let (code, out, _) = place.hookrail(&["log", "--verify"], "");
    assert_eq!(code, Some(0), "nothing on the disk tells: {out}");
    for args in comparisons {
        let (code, out, _) = place.hookrail(args, "");
        assert_eq!(code, Some(3), "{args:?}: {out}");
        assert!(out.contains("is missing: the journal is older, or another one"), "{args:?}: {out}");
    }
    let (code, out, _) = place.hookrail(&["log", "--anchor", &early], "");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("compared with 1 anchor"), "{out}");
}

#[test]
fn what_is_no_anchor_is_answered_in_words() {
    let place = JournalProject { project: TempProject::new(), home: TempProject::new() };
    place.home.write("empty", "\n# nothing\n");
    place.home.write("wrong", "12:abc\n");
    let [empty, wrong] = ["empty", "wrong"].map(|name| place.home.at(name).to_str().unwrap().to_owned());
    let cases: [(&[&str], &str); 6] = [
        (&["--anchor"], "no records yet"),
        (&["--verify", "--anchor"], "needs the anchor"),
        (&["--anchor", "12"], "neither an anchor nor a file"),
        (&["--anchor", "/dev/zero"], "is a device"),
        (&["--anchor", &empty], "has no anchor in it"),
        (&["--anchor", &wrong], "line 1"),
    ];
    for (args, part) in cases {
        let args = [&["log"], args].concat();
        let (code, out, err) = place.hookrail(&args, "");
        assert_eq!((code, out.as_str()), (Some(1), ""), "{args:?}: {err}");
        assert!(err.contains(part), "{args:?}: {err}");
    }
}

#[test]
fn stats_count_blocks_warnings_and_fail_opens_of_each_hook() {
    let place = JournalProject::with_history();
    let (code, out, _) = place.hookrail(&["stats", "--json"], "");
    assert_eq!(code, Some(0));
    let stats: Value = serde_json::from_str(&out).unwrap();
    let count = |hook: &str, what: &str| stats["hooks"][hook][what].as_u64().unwrap();
    assert_eq!((count("core/protected-paths", "runs"), count("core/protected-paths", "blocks")), (3, 1));
    assert_eq!((count("dry", "warnings"), count("dry", "blocks")), (3, 0));
    assert_eq!((count("broken", "fail_opens"), count("broken", "warnings")), (3, 0));
    let (_, out, _) = place.hookrail(&["stats", "--hook", "core/"], "");
    assert!(out.contains("core/protected-paths") && out.contains('█') && !out.contains("broken"), "{out}");
}

#[test]
fn an_empty_journal_and_a_slip_are_answered_in_words() {
    let place = JournalProject { project: TempProject::new(), home: TempProject::new() };
    assert_eq!(place.records(&[]).len(), 0);
    assert!(place.hookrail(&["stats"], "").1.contains("no such records"));
    for (args, part) in [
        (&["log", "--since", "soon"][..], "30m, 12h or 7d"),
        (&["log", "--since", "5"][..], "needs a unit"),
        (&["stats", "--sinc", "1h"][..], "--since"),
    ] {
        let (code, out, err) = place.hookrail(args, "");
        assert_eq!((code, out.as_str()), (Some(1), ""), "{args:?}");
        assert!(err.contains(part), "{args:?}: {err}");
    }
}

const HOUR: i64 = 60 * 60 * 1000;

/// Ten files with a record each, one an hour, the newest at this time.
fn hourly(newest: i64) -> JournalProject {
    let place = JournalProject { project: TempProject::new(), home: TempProject::new() };
    let store = FileStore::new(StateRoot::at(place.home.at("state")), move || newest).with_segment_bytes(1);
    for age in (0..10).rev() {
        let (ts, hook) = (newest - age * HOUR, format!("hook/{age}"));
        store.append(&JournalRecord { ts, hook, ..JournalRecord::default() }).unwrap();
    }
    place
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_millis()).unwrap()
}

#[test]
fn files_outside_of_the_period_are_not_read() {
    let place = hourly(now());
    // Whoever reads the oldest file complains about it.
    fs::write(place.home.at("state/journal/000000000001.jsonl"), "garbage\n").unwrap();
    for (args, expected) in [
        (&["log", "--json", "--since", "90m"][..], 2),
        (&["log", "--json", "--since", "90m", "--limit", "0"], 2),
        (&["log", "--json", "--since", "5h", "--until", "4h", "--limit", "0"], 1),
    ] {
        let (code, out, err) = place.hookrail(args, "");
        assert_eq!((code, out.lines().count(), err.as_str()), (Some(0), expected, ""), "{args:?} {out}");
    }
    let (_, out, err) = place.hookrail(&["stats", "--json", "--since", "90m"], "");
    let stats: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((stats["hooks"].as_object().unwrap().len(), err.as_str()), (2, ""));
    let (_, _, err) = place.hookrail(&["stats"], "");
    assert!(err.contains("000000000001.jsonl:1"), "{err}");
}

#[test]
#[cfg(target_os = "linux")]
fn all_records_are_written_while_they_are_read() {
    const RECORDS: usize = 12_000;
    let place = JournalProject { project: TempProject::new(), home: TempProject::new() };
    let store = FileStore::new(StateRoot::at(place.home.at("state")), || 0);
    let record = JournalRecord { reason: Some("x".repeat(4000)), ..JournalRecord::default() };
    store.append_all(&vec![record; RECORDS]).unwrap();
    let mut child = place.command(&["log", "--json", "--limit", "0"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    // It waits for its reader, and holds no more than a few records of 48 MB.
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let held = status.lines().find_map(|line| line.strip_prefix("VmData:")?.trim().strip_suffix(" kB")?.parse().ok());
    assert!(held.is_some_and(|kibibytes: u64| kibibytes < 16 << 10), "{held:?}");
    assert_eq!(lines.lines().count() + 1, RECORDS);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_session_that_starts_removes_what_is_older_than_its_user_wants() {
    const DAY: u64 = 24 * 60 * 60;
    // What is configured, and how many of ten files are left that are one to ten days old, with a record each.
    for (config, left) in [
        ("", 10),
        ("[retention]\njournal_days = 5\n", 4),
        ("[retention]\njournal_days = 1\n", 1),
        ("[retention]\njournal_megabytes = 1\n", 10),
    ] {
        let place = hourly(now());
        place.home.write(".config/hookrail/hookrail.toml", config);
        place.project.write(".hookrail/hookrail.toml", "[retention]\njournal_days = 1\n");
        for age in 0..10 {
            let file = File::open(place.home.at(format!("state/journal/{:012}.jsonl", 10 - age))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs((age + 1) * DAY)).unwrap();
        }
        let cached = place.home.at("state/cache/config-old.json");
        fs::create_dir_all(cached.parent().unwrap()).unwrap();
        File::create(&cached).unwrap().set_modified(SystemTime::now() - Duration::from_secs(31 * DAY)).unwrap();
        let start = json!({
            "session_id": "s", "transcript_path": "/t", "cwd": place.project.path(), "hook_event_name": "SessionStart",
            "source": "startup",
        });
        place.hookrail(&["hook", "--agent", "claude"], &start.to_string());
        let files = fs::read_dir(place.home.at("state/journal")).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|name| name.ends_with(".jsonl")).count(), left, "{config}");
        assert!(!cached.exists());
        let (code, out, _) = place.hookrail(&["log", "--verify"], "");
        assert_eq!(code, Some(0), "{out}");
    }
}
