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
    let cluster = Cluster::start()?;
    let disk = TempProject::new().file("keep", "");
    let output = run(&disk, "root", &["fleet", "migrate", "--database", &cluster.address("postgres")], "");
    assert!(output.status.success(), "{}", text(&output));
    let roles = "CREATE ROLE writer LOGIN IN ROLE hookrail_writer; CREATE ROLE lead LOGIN IN ROLE hookrail_reader";
    assert_eq!(cluster.sql(roles), "");
    Some(cluster)
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
    let Some(cluster) = fleet() else { return };
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
    let Some(cluster) = fleet() else { return };
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
