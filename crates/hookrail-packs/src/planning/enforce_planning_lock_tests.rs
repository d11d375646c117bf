//! Who may write into a feature's folder, and by which spellings.

use super::super::test_events::{call, reason, shell, word};
use super::*;
use hookrail_testkit::world::FakeWorld;

const LOCK: &str = "/p/specs/x/.planning.lock";
const STATE: &str = "/p/specs/x/.planning-state.local.md";
const MINUTE: i64 = 60_000;

fn world() -> FakeWorld {
    FakeWorld::new().file("/p/.git/HEAD", "ref: refs/heads/feature/x")
}

fn planning() -> FakeWorld {
    world().file(STATE, "---\nphase: RESEARCH\n---\n")
}

fn write(path: &str) -> Event {
    call("/p", "Write", json!({"file_path": path, "content": "x"}))
}

fn check(world: &FakeWorld, event: &Event) -> &'static str {
    word(&EnforcePlanningLock, event, world)
}

#[test]
fn the_lock_decides_who_may_write() {
    // covers: H02
    for (lock, expected) in [
        (Some(r#"{"session_id": "abc"}"#), "silent"),
        (Some(r#"{"session_id": "other"}"#), "deny"),
        (Some(r#"{"pid": 3, "user": "me"}"#), "silent"),
        (Some("pid: 3\n"), "silent"),
        (Some("{\"session_id\""), "deny"),
        (Some(""), "deny"),
        (None, "deny"),
    ] {
        let world = match lock {
            Some(lock) => planning().file(LOCK, lock),
            None => planning(),
        };
        assert_eq!(check(&world, &write("/p/specs/x/design.md")), expected, "{lock:?}");
    }
}

#[test]
fn only_what_lies_in_the_workspace_needs_the_lock() {
    // covers: H02
    let world = planning().link("/p/alias", "specs/x").link("/p/specs/x/out", "/tmp/out");
    for (path, expected) in [
        ("/p/specs/x/design.md", "deny"),
        ("specs/x/design.md", "deny"),
        ("specs/x/deep/er/new.md", "deny"),
        ("src/../specs/x/design.md", "deny"),
        ("alias/design.md", "deny"),
        ("/p/specs/x-v2/design.md", "silent"),
        ("/p/specs/design.md", "silent"),
        ("/tmp/test.md", "silent"),
        ("specs/x/../y/design.md", "silent"),
        ("specs/x/out/file", "silent"),
        ("specs/x/.planning.lock", "silent"),
        ("specs/x/deep/.planning.lock", "deny"),
    ] {
        assert_eq!(check(&world, &write(path)), expected, "{path}");
    }
    let edit = call("/p", "Edit", json!({"file_path": "specs/x/design.md", "old_string": "a", "new_string": "b"}));
    assert_eq!(check(&world, &edit), "deny");
    assert_eq!(check(&FakeWorld::new(), &write("specs/x/design.md")), "silent", "no feature");
}

#[test]
fn before_planning_has_begun_only_a_foreign_lock_is_in_the_way() {
    // covers: H02
    let other = r#"{"session_id": "other"}"#;
    assert_eq!(check(&world(), &write("specs/x/spec.md")), "silent");
    assert_eq!(check(&world().file(LOCK, other), &write("specs/x/spec.md")), "deny");
    assert_eq!(check(&world().file(LOCK, other), &write("specs/x/.planning.lock")), "deny");
}

#[test]
fn an_old_lock_of_another_session_is_pointed_out_and_not_enforced() {
    // covers: H02
    let lock = r#"{"session_id": "other", "user": "Ann", "timestamp": "1970-01-01T00:00:00Z"}"#;
    for (minutes, timeout, expected) in [
        (59, "", "deny"),
        (60, "", "warn"),
        (10, "10", "warn"),
        (10, "11", "deny"),
        (61, "0", "warn"),
        (59, "x", "deny"),
    ] {
        let config = format!("state: {{lock: {{timeout_minutes: {timeout}}}}}");
        let world =
            planning().at_millis(minutes * MINUTE).file(LOCK, lock).file("/p/config/planning-config.yaml", &config);
        let event = write("specs/x/design.md");
        assert_eq!(check(&world, &event), expected, "{minutes} {timeout}");
        let said = reason(&EnforcePlanningLock, &event, &world);
        assert!(said.contains("other of Ann") && said.contains(&format!("{minutes} minutes")), "{said}");
    }
}

#[test]
fn the_last_save_of_the_state_needs_no_lock() {
    // covers: H02
    let save = |phase: &str| {
        call("/p", "Write", json!({"file_path": STATE, "content": format!("---\nphase: {phase}\n---\n")}))
    };
    let edit =
        |old: &str, new: &str| call("/p", "Edit", json!({"file_path": STATE, "old_string": old, "new_string": new}));
    for (event, expected) in [
        (save("COMPLETION"), "silent"),
        (save("VALIDATION"), "deny"),
        (edit("phase: RESEARCH", "phase: COMPLETION"), "silent"),
        (edit("phase: NOWHERE", "phase: COMPLETION"), "deny"),
        (edit("RESEARCH", "VALIDATION"), "deny"),
    ] {
        assert_eq!(check(&planning(), &event), expected, "{:?}", event.payload);
    }
    let over = world().file(STATE, "---\nphase: COMPLETION\n---\n");
    assert_eq!(check(&over, &save("COMPLETION")), "silent");
    assert_eq!(check(&over, &write("specs/x/design.md")), "deny");
}

fn lock_with(content: &str) -> Event {
    call("/p", "Write", json!({"file_path": LOCK, "content": content}))
}

#[test]
fn a_tool_writes_the_lock_only_if_it_is_missing_stale_or_its_own_sessions() {
    // covers: H02
    let own = r#"{"session_id": "abc"}"#;
    let of = |session: &str, time: &str| format!(r#"{{"session_id": "{session}", "timestamp": "{time}"}}"#);
    let (old, fresh, future) = ("1970-01-01T00:00:00Z", "1970-01-01T01:59:00Z", "1970-01-02T00:00:00Z");
    for (before, after, expected) in [
        (None, own.to_owned(), "silent"),
        (None, "pid: 7\n".to_owned(), "silent"),
        (None, of("other", fresh), "deny"),
        (Some(of("abc", fresh)), own.to_owned(), "silent"),
        (Some(of("abc", fresh)), of("other", fresh), "deny"),
        (Some(of("other", fresh)), own.to_owned(), "deny"),
        (Some(of("other", old)), own.to_owned(), "silent"),
        (Some(of("other", future)), own.to_owned(), "deny"),
        (Some("garbage".to_owned()), own.to_owned(), "deny"),
    ] {
        let world = planning().at_millis(120 * MINUTE);
        let world = match &before {
            Some(before) => world.file(LOCK, before),
            None => world,
        };
        assert_eq!(check(&world, &lock_with(&after)), expected, "{before:?} {after}");
    }
    let told = reason(&EnforcePlanningLock, &lock_with(&of("other", fresh)), &planning());
    assert!(told.contains("this session is `abc`") && told.contains(r#"Write `{"session_id":"abc""#), "{told}");
}

#[test]
fn a_lock_without_a_session_is_the_first_writers_until_it_is_written_anew() {
    // covers: H02
    let event_of = |session: &str| Event { session_id: session.to_owned(), ..write("specs/x/design.md") };
    let world = planning().file(LOCK, "pid: 7\nuser: Ann\n");
    assert_eq!(check(&world, &event_of("one")), "silent");
    assert_eq!(check(&world, &event_of("two")), "deny");
    assert_eq!(check(&world, &event_of("one")), "silent");
    assert!(reason(&EnforcePlanningLock, &event_of("two"), &world).contains("one of Ann"));
    let world = world.at_millis(59 * MINUTE);
    assert_eq!(check(&world, &event_of("two")), "deny", "the age is the lock's own");
    let world = world.at_millis(60 * MINUTE);
    assert_eq!(check(&world, &event_of("two")), "silent", "a stale lock does not count");
    let world = world.file(LOCK, "pid: 8\nuser: Ann\n");
    assert_eq!(check(&world, &event_of("two")), "silent", "a new lock is unclaimed");
    assert_eq!(check(&world, &event_of("one")), "deny");
}

#[test]
fn a_session_may_correct_a_lock_that_it_wrote_wrongly_and_no_other() {
    // covers: H02
    let world = planning();
    assert_eq!(check(&world, &lock_with("mine!")), "silent");
    world.write(Path::new(LOCK), b"mine!").unwrap();
    assert_eq!(check(&world, &write("specs/x/design.md")), "deny");
    assert_eq!(check(&world, &lock_with(r#"{"session_id": "abc"}"#)), "silent");
    world.write(Path::new(LOCK), b"somebody else's!").unwrap();
    assert_eq!(check(&world, &lock_with(r#"{"session_id": "abc"}"#)), "deny");
}

#[test]
fn a_refusal_says_what_this_session_has_to_write_and_why_a_lock_cannot_be_read() {
    // covers: H02
    let told = reason(&EnforcePlanningLock, &write("specs/x/design.md"), &planning());
    assert!(told.contains(r#"{"session_id":"abc","timestamp":"#) && told.contains(LOCK), "{told}");
    let told = reason(&EnforcePlanningLock, &write("specs/x/design.md"), &planning().file(LOCK, "?"));
    assert!(told.contains("`session_id`") && told.contains("ask the user"), "{told}");
    let hostile = "{\"session_id\": \"a`\\u001b[2J\\nobey\"}";
    let told = reason(&EnforcePlanningLock, &write("specs/x/design.md"), &planning().file(LOCK, hostile));
    assert!(!told.contains('\u{1b}') && !told.contains('\n') && !told.contains("a`"), "{told}");
}

/// Commands that change the state or take it away with its folder, which no shell command may.
const TAKES_THE_STATE: [&str; 6] = [
    "sed -i s/RESEARCH/COMPLETION/ specs/x/.planning-state.local.md",
    "mv specs/x specs/y",
    "mv specs old",
    "rm -rf specs/x",
    "rm -rf specs",
    "find specs/x -name '*.md' -delete",
];

#[test]
fn a_shell_command_needs_the_lock_for_whatever_it_changes_in_the_workspace() {
    // covers: H02
    let world = || {
        let files = ["design.md", "tasks.md", "spec.md", "parts/a.md"].map(|name| format!("/p/specs/x/{name}"));
        let world = files.iter().fold(planning(), |world, file| world.file(file, "x"));
        world.file("/p/sync.sh", "mv draft.md specs/x/design.md\n").link("/p/alias", "specs/x")
    };
    for command in [
        "echo x > specs/x/design.md",
        "echo x >> specs/x/new.md",
        "printf x | tee specs/x/design.md",
        "printf x | tee -a alias/design.md",
        "cat > specs/x/design.md <<END\n# Design\nEND",
        "cd specs/x && echo x > design.md",
        "cd specs/x; sed -i s/a/b/ design.md",
        "(cd alias && rm tasks.md)",
        "pushd specs/x/parts; touch b.md",
        "sed -i s/RESEARCH/COMPLETION/ specs/x/.planning-state.local.md",
        "perl -i -pe s/a/b/ specs/x/tasks.md",
        "cp draft.md specs/x/design.md",
        "cp draft.md specs/x",
        "cp -r drafts/. specs/x/",
        "mv draft.md specs/x/",
        "mv specs/x/design.md /tmp",
        "mv specs/x specs/y",
        "mv specs old",
        "rm specs/x/design.md",
        "rm -f specs/x/*.md",
        "rm specs/*/*",
        "rm -rf specs/x",
        "rm -rf specs",
        "rm -rf /p/specs/x/parts",
        "rmdir specs/x/parts",
        "find specs/x -name '*.md' -delete",
        "git rm specs/x/design.md",
        "git mv specs/x/design.md specs/x/plan.md",
        "git checkout main -- specs/x/design.md",
        "git restore specs/x",
        "ln -s /tmp/x specs/x/link.md",
        "chmod -R 777 specs",
        "chmod 600 specs/x/design.md",
        "truncate -s 0 specs/x/tasks.md",
        "dd if=/dev/zero of=specs/x/tasks.md count=1",
        "mkdir specs/x/new",
        "unzip plan.zip -d specs/x",
        "tar -xf plan.tar -C specs/x",
        "rsync -a drafts/ specs/x/",
        "bash -c 'rm specs/x/design.md'",
        "sudo rm specs/x/design.md",
        "D=specs/x; rm \"$D/design.md\"",
        "for f in design tasks; do rm specs/x/$f.md; done",
        "python3 -c \"open('specs/x/design.md', 'w')\"",
        "bash sync.sh",
        "curl -o specs/x/design.md https://example.com/design.md",
        "ls specs/x/*.md | xargs rm",
    ] {
        assert_eq!(check(&world(), &shell("/p", command)), "deny", "no lock: {command}");
        let own = world().file(LOCK, r#"{"session_id": "abc"}"#);
        let expected = if TAKES_THE_STATE.contains(&command) { "deny" } else { "silent" };
        assert_eq!(check(&own, &shell("/p", command)), expected, "own lock: {command}");
        let foreign = world().file(LOCK, r#"{"session_id": "other"}"#);
        assert_eq!(check(&foreign, &shell("/p", command)), "deny", "foreign lock: {command}");
    }
}

#[test]
fn a_shell_command_that_changes_nothing_there_needs_no_lock() {
    // covers: H02
    let world = planning()
        .file(LOCK, r#"{"session_id": "other"}"#)
        .file("/p/specs/x/design.md", "x")
        .file("/p/specs/y/design.md", "x")
        .file("/p/src/main.rs", "x");
    for command in [
        "",
        "ls -la specs/x",
        "cat specs/x/design.md specs/x/.planning.lock",
        "cat specs/x/design.md > /tmp/copy.md",
        "grep -rn TODO specs/x | head",
        "sed -n 1,20p specs/x/design.md",
        "cp specs/x/design.md docs/design.md",
        "cp -r specs/x /tmp/backup",
        "tar -czf /tmp/plan.tgz specs/x",
        "test -f specs/x/.planning.lock",
        "git diff specs/x",
        "git add specs/x/design.md",
        "git status && git log -- specs/x",
        "git commit -m 'rm -rf specs/x'",
        "git checkout -b feature/specs/x",
        "echo 'rm specs/x/design.md'",
        "echo specs/x/design.md > notes.txt",
        "mkdir -p specs/x",
        "mkdir -p specs/x/",
        "rm specs/y/design.md",
        "rm -rf specs/x-v2",
        "rm -rf src",
        "echo x > design.md",
        "echo x > \"$OUT\"",
        "cargo test design",
        "# rm -rf specs/x",
    ] {
        assert_eq!(check(&world, &shell("/p", command)), "silent", "{command}");
    }
}

#[test]
fn lock_and_state_are_written_by_editing_tools_alone_and_the_lock_is_given_back_by_deleting_it() {
    // covers: H02
    let (own, other) = (r#"{"session_id": "abc"}"#, r#"{"session_id": "other"}"#);
    let take = "echo '{\"session_id\": \"abc\"}' > specs/x/.planning.lock";
    for (lock, command, expected) in [
        (None, take, "deny"),
        (None, "echo abc > specs/x/.planning.lock && echo x > specs/x/design.md", "deny"),
        (None, "cp /tmp/lock specs/x/.planning.lock", "deny"),
        (Some(own), "rm specs/x/.planning.lock", "silent"),
        (Some(own), "cd specs/x && rm -f .planning.lock", "silent"),
        (Some(own), "rm specs/x/.planning*", "deny"),
        (Some(own), "rm specs/x/.planning.lock specs/x/.planning-state.local.md", "deny"),
        (Some(own), "mv specs/x/.planning.lock /tmp", "deny"),
        (Some(own), take, "deny"),
        (Some(own), "touch specs/x/.planning.lock", "deny"),
        (Some(own), "chmod 000 specs/x/.planning-state.local.md", "deny"),
        (Some(own), "printf 'phase: COMPLETION' | tee specs/x/.planning-state.local.md", "deny"),
        (Some(own), "yq -i '.phase = \"COMPLETION\"' specs/x/.planning-state.local.md", "deny"),
        (Some(own), "python3 -c \"open('specs/x/.planning-state.local.md', 'w')\"", "deny"),
        (Some(own), "rm -rf specs/*", "deny"),
        (Some(own), "rm specs/x/*", "silent"),
        (Some(own), "cp -r drafts/. specs/x/", "silent"),
        (Some(own), "cat specs/x/.planning-state.local.md", "silent"),
        (Some(other), "rm -f specs/x/.planning.lock", "deny"),
        (Some(other), "rm -f specs/x/.planning*", "deny"),
        (Some(other), "mv specs/x/.planning.lock /tmp", "deny"),
        (Some(other), take, "deny"),
        (Some("garbage"), take, "deny"),
        (Some(other), "cat specs/x/.planning.lock", "silent"),
    ] {
        let world = match lock {
            Some(lock) => planning().file(LOCK, lock),
            None => planning(),
        };
        assert_eq!(check(&world, &shell("/p", command)), expected, "{lock:?} {command}");
    }
    let told = reason(&EnforcePlanningLock, &shell("/p", take), &planning());
    assert!(told.contains("editing tool") && told.contains(".planning.lock"), "{told}");
    assert_eq!(check(&world(), &shell("/p", "cat > specs/x/.planning-state.local.md <<E\nphase: SETUP\nE")), "deny");
    assert_eq!(check(&world(), &shell("/p", "mkdir -p specs/x && cp spec.md specs/x/")), "silent");
}

#[test]
fn no_tool_of_an_mcp_server_changes_lock_or_state() {
    // covers: H02
    let world = planning().file(LOCK, r#"{"session_id": "abc"}"#);
    for (tool, input, expected) in [
        ("write_file", json!({"path": LOCK, "content": "{}"}), "deny"),
        ("write_file", json!({"path": STATE, "content": "phase: COMPLETION"}), "deny"),
        ("edit_file", json!({"path": "specs/x/.planning-state.local.md", "edits": []}), "deny"),
        ("move_file", json!({"source": STATE, "destination": "/p/old"}), "deny"),
        ("delete_file", json!({"path": LOCK}), "silent"),
        ("write_file", json!({"path": "/p/specs/x/design.md", "content": "x"}), "silent"),
    ] {
        let event = call("/p", &format!("mcp__filesystem__{tool}"), input.clone());
        assert_eq!(check(&world, &event), expected, "{tool} {input}");
    }
}

#[test]
fn tools_of_mcp_servers_need_the_lock_as_well() {
    // covers: H02
    for (tool, input, expected) in [
        ("write_file", json!({"path": "/p/specs/x/design.md", "content": "x"}), "deny"),
        ("move_file", json!({"source": "/p/specs", "destination": "/p/old"}), "deny"),
        ("delete_file", json!({"path": "specs/x/design.md"}), "deny"),
        ("run", json!({"command": "rm -rf specs/x"}), "deny"),
        ("read_file", json!({"path": "/p/specs/x/design.md"}), "silent"),
        ("write_file", json!({"path": "/p/src/main.rs", "content": "specs/x/design.md"}), "silent"),
    ] {
        let event = call("/p", &format!("mcp__filesystem__{tool}"), input.clone());
        assert_eq!(check(&planning(), &event), expected, "{tool} {input}");
    }
}
