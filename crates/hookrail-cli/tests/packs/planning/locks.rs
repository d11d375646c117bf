//! H02: whose turn it is to write.

use crate::planning::project::{BOTH, Contract, FEATURE, LOCK, PlanningProject, STATE};
use serde_json::{Value, json};

const RESEARCH: &str = "phase: RESEARCH";
const LOCK_PATH: &str = "specs/042-notify/.planning.lock";
const FOREIGN: &str = r#"{"session_id": "other"}"#;

#[test]
fn the_lock_decides_who_may_write_into_the_workspace() {
    // covers: H02
    let own = json!({"session_id": "abc123"}).to_string();
    for (case, lock, path, expected) in [
        ("File outside FEATURE_DIR", None, "/tmp/test.md", "silent"),
        ("Lock exists, same session", Some(own.as_str()), "specs/042-notify/design.md", "silent"),
        ("Lock exists, different session", Some(FOREIGN), "specs/042-notify/design.md", "refused"),
        ("No lock file", None, "specs/042-notify/design.md", "refused"),
        ("Corrupted lock", Some("{\"session_id\": "), "specs/042-notify/design.md", "refused"),
        ("Empty lock", Some(""), "specs/042-notify/design.md", "refused"),
        ("Lock without a session", Some("pid: 7\nuser: me\n"), "specs/042-notify/design.md", "silent"),
        ("The lock itself", None, "specs/042-notify/.planning.lock", "silent"),
        ("A feature with a similar name", None, "specs/042-notify-v2/design.md", "silent"),
        ("Below the workspace", None, "specs/042-notify/test-cases/uat/a.md", "refused"),
        ("With detours", None, "src/../specs/./042-notify/design.md", "refused"),
    ] {
        for contract in BOTH {
            let place = PlanningProject::new().state(RESEARCH);
            let place = match lock {
                Some(lock) => place.file(LOCK, lock),
                None => place,
            };
            for event in [place.write(path), place.edit(path)] {
                let ruling = place.ruling(contract, &event);
                assert_eq!(ruling.word(), expected, "{case}, {contract:?}: {ruling:?}");
            }
        }
    }
}

#[test]
fn without_a_feature_every_write_is_fine() {
    // covers: H02
    for (case, place) in [
        ("No git branch info", PlanningProject::bare()),
        ("Another kind of branch", PlanningProject::bare().branch("main")),
        ("A branch that leads elsewhere", PlanningProject::bare().branch("feature/../../etc")),
    ] {
        let place = place.state(RESEARCH).file(LOCK, FOREIGN);
        for contract in BOTH {
            for path in ["specs/042-notify/design.md", "anything.md", "/etc/hosts"] {
                assert_eq!(place.ruling(contract, &place.write(path)).word(), "silent", "{case}: {path}");
            }
        }
    }
    let detached = PlanningProject::new().state(RESEARCH);
    detached.project.write(".git/HEAD", "0123456789012345678901234567890123456789\n");
    assert_eq!(detached.ruling(Contract::Spec, &detached.write("specs/042-notify/a.md")).word(), "silent");
}

#[test]
fn the_feature_is_found_from_anywhere_in_a_real_repository_and_by_a_variable() {
    // covers: H02
    let place = PlanningProject::bare().state(RESEARCH).file("src/a.md", "x");
    let place = PlanningProject { project: place.project.git_init("feature/042-notify"), ..place };
    let folder = place.project.at("specs/042-notify/src");
    let mut event = place.call("Write", &json!({"file_path": "../design.md", "content": "x"}));
    event["cwd"] = json!(folder);
    assert_eq!(place.ruling(Contract::Spec, &event).word(), "refused", "a relative path from a folder below");

    let worktree = place.home.at("tree");
    let args = ["worktree", "add", "--quiet", "-b", "feature/other", worktree.to_str().unwrap()];
    place.project.git(&args);
    std::fs::create_dir_all(worktree.join("specs/other")).unwrap();
    std::fs::write(worktree.join("specs/other").join(STATE), "---\nphase: RESEARCH\n---\n").unwrap();
    let mut event = place.write(worktree.join("specs/other/design.md"));
    event["cwd"] = json!(worktree);
    assert_eq!(place.ruling(Contract::Spec, &event).word(), "refused", "a worktree has a branch of its own");

    for absolute in [true, false] {
        let place = PlanningProject::bare().branch("main").state(RESEARCH);
        let folder = if absolute { place.project.at(FEATURE) } else { FEATURE.into() };
        let place = place.env("PLANNING_FEATURE_DIR", folder);
        assert_eq!(place.ruling(Contract::Spec, &place.write("specs/042-notify/a.md")).word(), "refused");
    }
}

#[test]
fn before_planning_only_a_foreign_lock_is_in_the_way() {
    // covers: H02
    for contract in BOTH {
        let place = PlanningProject::new();
        assert_eq!(place.ruling(contract, &place.write("specs/042-notify/spec.md")).word(), "silent");
        let place = PlanningProject::new().file(LOCK, FOREIGN);
        assert_eq!(place.ruling(contract, &place.write("specs/042-notify/spec.md")).word(), "refused");
        assert_eq!(place.ruling(contract, &place.write("specs/042-notify/.planning.lock")).word(), "refused");
    }
}

#[test]
fn an_old_foreign_lock_is_pointed_out_with_owner_and_age() {
    // covers: H02
    let lock = |minutes: i64| {
        let taken = jiff::Timestamp::now() - jiff::SignedDuration::from_mins(minutes);
        json!({"session_id": "other", "user": "Ann", "timestamp": taken.to_string()}).to_string()
    };
    for (minutes, config, expected) in [
        (59, "", "refused"),
        (61, "", "told"),
        (61, "state: {lock: {timeout_minutes: 120}}", "refused"),
        (6, "state: {lock: {timeout_minutes: 5}}", "told"),
    ] {
        for contract in BOTH {
            let place = PlanningProject::new().state(RESEARCH).file(LOCK, &lock(minutes)).config(config);
            let ruling = place.ruling(contract, &place.write("specs/042-notify/design.md"));
            assert_eq!(ruling.word(), expected, "{minutes} {config} {contract:?}: {ruling:?}");
            assert!(ruling.text().contains("other of Ann"), "{ruling:?}");
            assert!(ruling.text().contains(&format!("{minutes} minutes")), "{ruling:?}");
        }
    }
}

#[test]
fn a_workflow_that_gave_its_lock_back_may_save_its_last_state() {
    // covers: H02
    for contract in BOTH {
        let place = PlanningProject::new().state(RESEARCH);
        let save = |phase: &str| {
            let content = format!("---\nphase: {phase}\n---\n");
            place.call("Write", &json!({"file_path": place.project.at(place.feature_path(STATE)), "content": content}))
        };
        assert_eq!(place.ruling(contract, &save("COMPLETION")).word(), "silent");
        assert_eq!(place.ruling(contract, &save("VALIDATION")).word(), "refused");
    }
}

#[test]
fn a_lock_without_a_session_opens_the_folder_to_who_wrote_it_from_the_next_call_on() {
    // covers: H02
    for contract in BOTH {
        let place = PlanningProject::new().state(RESEARCH);
        let of = |session: &str, mut event: Value| {
            event["session_id"] = json!(session);
            event
        };
        let design = || place.write("specs/042-notify/design.md");
        let lock = place.call("Write", &json!({"file_path": place.project.at(LOCK_PATH), "content": "pid: 1\n"}));
        let shell = |command: &str| place.call("Bash", &json!({"command": command}));
        assert_eq!(place.ruling(contract, &of("one", design())).word(), "refused");
        assert_eq!(
            place.ruling(contract, &of("one", shell("echo 'pid: 1' > specs/042-notify/.planning.lock"))).word(),
            "refused"
        );
        assert_eq!(place.ruling(contract, &of("one", lock.clone())).word(), "silent");
        // What the agent does with a call that nothing refuses.
        place.project.write(LOCK_PATH, "pid: 1\n");
        assert_eq!(place.ruling(contract, &of("one", design())).word(), "silent");
        assert_eq!(place.ruling(contract, &of("two", design())).word(), "refused");
        assert_eq!(place.ruling(contract, &of("two", lock.clone())).word(), "refused");
        assert_eq!(place.ruling(contract, &of("two", shell("rm specs/042-notify/.planning.lock"))).word(), "refused");
        assert_eq!(place.ruling(contract, &of("one", shell("rm specs/042-notify/.planning.lock"))).word(), "silent");
        assert_eq!(place.ruling(contract, &of("one", shell("rm -rf specs/042-notify"))).word(), "refused");
    }
}

/// Every tool with which an agent writes, edits or patches, aimed at this file.
fn writing_calls(path: &str) -> Vec<(&'static str, &'static str, Value)> {
    let patch =
        format!("*** Begin Patch\n*** Add File: other.md\n+x\n*** Update File: {path}\n@@\n-x\n+y\n*** End Patch\n");
    let deletion = format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n");
    let at = |field: &str| json!({field: path, "content": "x", "old_string": "a", "new_string": "b"});
    vec![
        ("claude", "Write", at("file_path")),
        ("claude", "Edit", at("file_path")),
        ("claude", "MultiEdit", json!({"file_path": path, "edits": [{"old_string": "a", "new_string": "b"}]})),
        ("claude", "NotebookEdit", at("notebook_path")),
        ("gemini", "write_file", at("file_path")),
        ("gemini", "replace", at("file_path")),
        ("llxprt", "write_file", at("absolute_path")),
        ("llxprt", "insert_at_line", at("file_path")),
        ("llxprt", "apply_patch", json!({"patch_content": patch})),
        ("codex", "apply_patch", json!({"command": patch})),
        ("codex", "apply_patch", json!({"command": deletion})),
        ("qwen", "write_file", at("file_path")),
        ("qwen", "edit", at("file_path")),
        ("vscode", "create_file", at("filePath")),
        ("vscode", "multi_replace_string_in_file", json!({"replacements": [{"filePath": "a"}, {"filePath": path}]})),
        ("droid", "Create", at("file_path")),
        ("droid", "ApplyPatch", json!({"patch": patch})),
    ]
}

#[test]
fn every_tool_that_writes_needs_the_lock_in_every_agent() {
    // covers: H02 H04
    let place = PlanningProject::new().state(RESEARCH).file(LOCK, FOREIGN);
    let fire = |agent: &str, tool: &str, input: &Value| {
        let name = if matches!(agent, "gemini" | "llxprt") { "BeforeTool" } else { "PreToolUse" };
        let event = place.event(name, &json!({"tool_name": tool, "tool_input": input}));
        let said = place.hookrail(&["hook", "--agent", agent, "--pack=planning"], &event.to_string());
        said.out + &said.err
    };
    for path in ["specs/042-notify/spec.md", &place.project.at("specs/042-notify/spec.md").display().to_string()] {
        for (agent, tool, input) in writing_calls(path) {
            let said = fire(agent, tool, &input);
            assert!(said.contains("owned by another session"), "{agent} {tool}: {said}");
            assert!(said.contains("spec.md is immutable"), "{agent} {tool}: {said}");
        }
    }
    for (agent, tool, input) in writing_calls("src/main.rs") {
        assert_eq!(fire(agent, tool, &input), "", "{agent} {tool}");
    }
    let created = json!({
        "sessionId": "s1", "timestamp": 1, "cwd": place.project.path(), "toolName": "create",
        "toolArgs": {"path": place.project.at("specs/042-notify/design.md"), "file_text": "x"},
    });
    let said = place.hookrail(&["hook", "--agent=copilot", "--pack=planning"], &created.to_string());
    assert!(said.out.contains("owned by another session"), "{said:?}");
}

#[test]
fn reading_is_not_this_packs_business() {
    // covers: H02
    let place = PlanningProject::new().state(RESEARCH).file(LOCK, FOREIGN);
    for (tool, input) in [
        ("Read", json!({"file_path": place.project.at("specs/042-notify/design.md")})),
        ("Bash", json!({"command": "cat specs/042-notify/design.md"})),
        ("Bash", json!({"command": "git add specs/042-notify/design.md"})),
        ("TodoWrite", json!({"todos": []})),
    ] {
        for contract in BOTH {
            assert_eq!(place.ruling(contract, &place.call(tool, &input)).word(), "silent", "{tool}");
        }
    }
}

#[test]
fn a_shell_command_needs_the_lock_as_a_write_does() {
    // covers: H02
    let place = PlanningProject::new().state(RESEARCH).file(LOCK, FOREIGN);
    for command in ["echo x > specs/042-notify/design.md", "cd specs && rm -rf 042-notify"] {
        for contract in BOTH {
            let ruling = place.ruling(contract, &place.call("Bash", &json!({ "command": command })));
            assert_eq!(ruling.word(), "refused", "{command}");
            assert!(ruling.text().contains("owned by another session"), "{ruling:?}");
        }
    }
}
