//! `core/protected-paths`: `secrets/`, every `*.key` and the agent's own settings stay as they are.

mod conditions;
mod indirect;
mod links;
mod more_spellings;
mod spellings;

use self::spellings::{CHANGES, LOOK_ALIKES};
use crate::sandbox::{Guard, Sandbox, word};
use hookrail_packs::core::ProtectedPaths;
use serde_json::{Value, json};

pub fn settings() -> Value {
    json!({ "core": { "protected": [["/secrets/", "*.key"]] } })
}

pub fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file("secrets/a.txt", "old\n")
        .file("secrets/deep/b.txt", "deep\n")
        .file("conf/prod.key", "key\n")
        .file("conf/app.ini", "old\n")
        .file(".claude/settings.json", "{}\n")
        .file("src/b.txt", "new\n")
        .file("new.txt", "new\n")
        .file("README.md", "see secrets/a.txt\nold\n")
        .file("spare/secrets/a.txt", "spare\n")
        .file("spare/deep/b.txt", "spare\n")
        .file("list.txt", "secrets/a.txt\n")
        .file("write.sh", "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho script > secrets/a.txt\n")
        .file("rm_all.py", "import os, sys\nfor name in ['secrets/a.txt']:\n    os.remove(name)\n")
        .file("tool.js", "const fs = require('fs');\nfs.writeFileSync('secrets/a.txt', 'js');\n")
        .file("fix.diff", "--- a/secrets/a.txt\n+++ b/secrets/a.txt\n@@ -1 +1 @@\n-old\n+patched\n")
        .file("Makefile", "F = secrets/a.txt\nwrite:\n\techo make > $(F)\nshow:\n\tcat $(F)\n")
        .file("package.json", "{\"scripts\": {\"wipe\": \"rm -rf secrets\", \"show\": \"cat secrets/a.txt\"}}\n")
        .file("edit.ed", "1s/old/ed/\nw\nq\n")
        .program("bin/wipe", "#!/usr/bin/env bash\nfor f in \"$@\"; do rm -f -- \"$f\"; done\n")
        .link("lnk", "secrets")
        .link("file-link", "secrets/a.txt")
        .link("src/up", "..");
    sandbox.repository("main");
    std::fs::hard_link(sandbox.project.join("secrets/a.txt"), sandbox.project.join("hard.txt")).unwrap();
    let tar = |args: &[&str]| {
        let status = std::process::Command::new("tar").args(args).current_dir(&sandbox.project).status();
        assert!(status.unwrap().success());
    };
    tar(&["cf", "spare.tar", "-C", "spare", "secrets"]);
    tar(&["czf", "deep.tgz", "-C", "spare", "deep"]);
    sandbox
}

fn watch(sandbox: &Sandbox) -> String {
    ["secrets", "conf/prod.key", ".claude/settings.json"].map(|name| sandbox.snapshot(name)).concat()
}

pub fn guard() -> Guard<'static> {
    Guard { hook: &ProtectedPaths, sandbox: sandbox(), settings: settings(), watch, verdict: word, event: "PreToolUse" }
}

#[test]
fn what_changes_a_protected_path_is_caught_and_what_only_names_it_is_not() {
    assert!(CHANGES.len() >= 150, "{}", CHANGES.len());
    guard().judge(CHANGES, LOOK_ALIKES);
}

#[test]
fn less_usual_spellings_are_caught_as_well() {
    guard().judge_mostly(more_spellings::CHANGES, more_spellings::LOOK_ALIKES);
}

#[test]
fn what_reaches_a_protected_path_by_way_of_something_else_is_caught() {
    guard().judge(indirect::CHANGES, indirect::LOOK_ALIKES);
}

#[test]
fn a_link_that_is_deleted_or_made_leaves_alone_where_it_leads() {
    guard().judge(links::CHANGES, links::LOOK_ALIKES);
}

#[test]
fn what_the_text_excludes_is_not_refused() {
    guard().judge_mostly(conditions::CHANGES, conditions::LOOK_ALIKES);
}

/// Tools other than the shell: name, input, whether it is refused.
fn tool_calls() -> Vec<(&'static str, Value, bool)> {
    let patch = "*** Begin Patch\n*** Update File: secrets/a.txt\n@@\n-old\n+new\n*** End Patch";
    let harmless = "*** Begin Patch\n*** Update File: README.md\n@@\n-see secrets/a.txt\n+see x\n*** End Patch";
    vec![
        ("Write", json!({"file_path": "secrets/a.txt", "content": "x"}), true),
        ("Write", json!({"file_path": "src/../secrets/new", "content": "x"}), true),
        ("Write", json!({"file_path": "lnk/a.txt", "content": "x"}), true),
        ("Write", json!({"file_path": "~/p/secrets/a.txt", "content": "x"}), true),
        ("Write", json!({"file_path": "src/secrets.txt", "content": "rm -rf secrets"}), false),
        ("Edit", json!({"file_path": "conf/prod.key", "old_string": "k", "new_string": "x"}), true),
        ("Edit", json!({"file_path": "README.md", "old_string": "secrets/a.txt", "new_string": "x"}), false),
        ("MultiEdit", json!({"file_path": "./secrets/a.txt", "edits": [{"old_string": "a", "new_string": "b"}]}), true),
        ("NotebookEdit", json!({"notebook_path": "secrets/n.ipynb", "new_source": "x"}), true),
        ("Read", json!({"file_path": "secrets/a.txt"}), false),
        ("Grep", json!({"pattern": "old", "path": "secrets"}), false),
        ("Glob", json!({"pattern": "secrets/**"}), false),
        ("Bash", json!({"command": format!("apply_patch <<'EOF'\n{patch}\nEOF")}), true),
        ("Bash", json!({"command": format!("apply_patch <<'EOF'\n{harmless}\nEOF")}), false),
        ("mcp__filesystem__write_file", json!({"path": "secrets/a.txt", "content": "x"}), true),
        ("mcp__filesystem__edit_file", json!({"path": "secrets/a.txt", "edits": []}), true),
        ("mcp__filesystem__move_file", json!({"source": "secrets", "destination": "gone"}), true),
        ("mcp__filesystem__move_file", json!({"source": "src/b.txt", "destination": "secrets/b.txt"}), true),
        ("mcp__filesystem__create_directory", json!({"path": "secrets/new"}), true),
        ("mcp__filesystem__read_text_file", json!({"path": "secrets/a.txt"}), false),
        ("mcp__filesystem__list_directory", json!({"path": "secrets"}), false),
        ("mcp__filesystem__directory_tree", json!({"path": "secrets"}), false),
        ("mcp__filesystem__get_file_info", json!({"path": "secrets/a.txt"}), false),
        ("mcp__filesystem__search_files", json!({"path": ".", "pattern": "secrets"}), false),
        ("mcp__tiny__touch_file", json!({"path": "secrets/new.txt"}), true),
        ("mcp__zip__extract", json!({"archive": "a.zip", "destination": "secrets"}), true),
        ("mcp__fs__delete", json!({"target": "secrets/a.txt"}), true),
        ("mcp__fs__remove_path", json!({"filePath": "secrets"}), true),
        ("mcp__fs__copy", json!({"from": "src/b.txt", "to": "secrets/b.txt"}), true),
        ("mcp__fs__copy", json!({"from": "secrets/a.txt", "to": "src/a.txt"}), false),
        ("mcp__fs__rename", json!({"oldPath": "secrets/a.txt", "newPath": "src/a.txt"}), true),
        (
            "mcp__fs__write",
            json!({"files": [{"path": "src/x", "content": ""}, {"path": "secrets/a.txt", "content": ""}]}),
            true,
        ),
        ("mcp__fs__create_file", json!({"uri": "file:///nowhere/x", "text": "secrets/a.txt"}), false),
        (
            "mcp__editor__str_replace_based_edit",
            json!({"command": "str_replace", "path": "secrets/a.txt", "old_str": "a", "new_str": "b"}),
            true,
        ),
        ("mcp__editor__str_replace_based_edit", json!({"command": "view", "path": "secrets/a.txt"}), false),
        ("mcp__shell__run", json!({"command": "rm secrets/a.txt"}), true),
        ("mcp__shell__run", json!({"command": "rm", "args": ["-rf", "secrets"]}), true),
        ("mcp__shell__run", json!({"command": "rm a.txt", "cwd": "secrets"}), true),
        ("mcp__shell__execute_command", json!({"cmd": "cat secrets/a.txt"}), false),
        ("mcp__desktop__write_file", json!({"path": "secrets/a.txt", "content": "x", "mode": "append"}), true),
        ("mcp__desktop__edit_block", json!({"file_path": "secrets/a.txt", "old_string": "a", "new_string": "b"}), true),
        (
            "mcp__serena__replace_lines",
            json!({"relative_path": "secrets/a.txt", "start_line": 1, "content": "x"}),
            true,
        ),
        ("write_stdin", json!({"session_id": 1, "chars": "rm secrets/a.txt\n"}), true),
        ("write-process", json!({"terminal_id": 1, "input_text": "rm secrets/a.txt"}), true),
        ("mcp__desktop-commander__interact_with_process", json!({"pid": 1, "input": "rm secrets/a.txt"}), true),
        ("mcp__desktop-commander__interact_with_process", json!({"pid": 1, "input": "cat secrets/a.txt"}), false),
        ("mcp__ide__executeCode", json!({"code": "open('secrets/a.txt','w')"}), true),
        ("mcp__ide__executeCode", json!({"code": "print(open('secrets/a.txt').read())"}), false),
        ("mcp__python__run_python", json!({"python_code": "import os; os.remove('secrets/a.txt')"}), true),
        ("mcp__sandbox__run", json!({"language": "javascript", "code": "require('fs').rmSync('secrets/a.txt')"}), true),
        ("mcp__snippets__save_snippet", json!({"code": "rm secrets/a.txt", "title": "x"}), false),
        ("apply_patch", json!(patch), true),
        ("apply_patch", json!(harmless), false),
        ("Bash", json!({"command": "rm a.txt", "directory": "secrets"}), true),
        ("mcp__github__create_issue", json!({"title": "secrets/a.txt", "body": "rm -rf secrets"}), false),
        ("mcp__memory__add_note", json!({"text": "never rm secrets/a.txt"}), false),
        ("mcp__docs__search", json!({"query": "secrets/a.txt"}), false),
        ("WebFetch", json!({"url": "https://example.com/secrets/a.txt", "prompt": "x"}), false),
        ("Task", json!({"description": "x", "prompt": "rm -rf secrets", "subagent_type": "x"}), false),
        ("TodoWrite", json!({"todos": [{"content": "rm secrets/a.txt", "status": "pending"}]}), false),
    ]
}

#[test]
fn other_tools_are_caught_by_what_they_are_given() {
    let sandbox = sandbox();
    let world = sandbox.world(settings());
    let wrong: Vec<String> = tool_calls()
        .into_iter()
        .filter_map(|(tool, input, caught)| {
            let verdict = word(&ProtectedPaths, &sandbox.call(tool, input.clone()), &world);
            ((verdict != "silent") != caught).then(|| format!("{verdict}: {tool} {input}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
