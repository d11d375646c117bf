//! Tools of several agents and of MCP servers, each as its agent spells it.

use crate::sandbox::word;
use crate::secrets;
use hookrail_core::Event;
use hookrail_packs::core::ProtectedPaths;
use serde_json::{Value, json};
use std::path::Path;

/// The agent, its tool, the input, and whether a person or the guard stops it.
fn calls() -> Vec<(&'static str, &'static str, Value, bool)> {
    vec![
        ("claude", "Write", json!({"file_path": "secrets/a.txt", "content": "x"}), true),
        ("gemini", "write_file", json!({"file_path": "secrets/a.txt", "content": "x"}), true),
        ("gemini", "replace", json!({"file_path": "secrets/a.txt", "old_string": "a", "new_string": "b"}), true),
        ("gemini", "run_shell_command", json!({"command": "rm secrets/a.txt"}), true),
        ("gemini", "run_shell_command", json!({"command": "rm a.txt", "directory": "secrets"}), true),
        ("gemini", "run_shell_command", json!({"command": "rm a.txt", "dir_path": "secrets"}), true),
        (
            "codex",
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Delete File: secrets/a.txt\n*** End Patch"}),
            true,
        ),
        ("codex", "Bash", json!({"command": "rm secrets/a.txt"}), true),
        ("codex", "shell", json!({"command": ["bash", "-lc", "rm secrets/a.txt"]}), true),
        ("codex", "exec_command", json!({"cmd": "rm a.txt", "workdir": "secrets"}), true),
        ("claude", "mcp__fs__append_file", json!({"path": "secrets/a.txt", "content": "x"}), true),
        ("claude", "mcp__fs__create_or_update_file", json!({"path": "secrets/a.txt", "content": "x"}), true),
        ("claude", "mcp__fs__batch_edit", json!({"operations": [{"type": "write", "path": "secrets/a.txt"}]}), true),
        ("claude", "mcp__fs__trash", json!({"paths": ["src/b.txt", "secrets/a.txt"]}), true),
        (
            "claude",
            "mcp__jetbrains__replace_text_in_file",
            json!({"pathInProject": "secrets/a.txt", "oldText": "a", "newText": "b"}),
            true,
        ),
        (
            "claude",
            "mcp__jetbrains__create_new_file_with_text",
            json!({"pathInProject": "secrets/n.txt", "text": "b"}),
            true,
        ),
        ("claude", "mcp__serena__create_text_file", json!({"relative_path": "secrets/a.txt", "content": "x"}), true),
        (
            "claude",
            "mcp__serena__replace_symbol_body",
            json!({"relative_path": "secrets/a.txt", "body": "x", "name_path": "f"}),
            true,
        ),
        ("claude", "mcp__serena__execute_shell_command", json!({"command": "rm secrets/a.txt"}), true),
        ("claude", "mcp__git__git_checkout", json!({"repo_path": ".", "files": ["secrets/a.txt"]}), true),
        ("claude", "mcp__term__run_in_terminal", json!({"command": "rm secrets/a.txt"}), true),
        ("claude", "mcp__sql__export", json!({"query": "select 1", "outputPath": "secrets/a.txt"}), true),
        ("claude", "mcp__playwright__browser_take_screenshot", json!({"filename": "secrets/a.png"}), true),
        ("claude", "mcp__fs__download", json!({"url": "https://example.com", "destination": "secrets/a.txt"}), true),
        (
            "claude",
            "NotebookEdit",
            json!({"notebook_path": "secrets/x.ipynb", "new_source": "x", "edit_mode": "insert"}),
            true,
        ),
        ("claude", "MultiEdit", json!({"file_path": "secrets/a.txt", "edits": []}), true),
        ("gemini", "read_file", json!({"absolute_path": ".env"}), true),
        ("gemini", "read_many_files", json!({"paths": ["src/**", ".env"]}), true),
        ("gemini", "search_file_content", json!({"pattern": "x", "path": ".env"}), true),
        ("claude", "mcp__fs__read_file", json!({"path": "./.env"}), true),
        ("claude", "mcp__jetbrains__get_file_text_by_path", json!({"pathInProject": ".env"}), true),
        ("claude", "mcp__serena__read_file", json!({"relative_path": ".env"}), true),
        ("claude", "mcp__slack__upload", json!({"file": ".env"}), true),
        ("claude", "mcp__x__send_email", json!({"attachments": ["vault/deep/pin"], "to": "a@b.c"}), true),
        ("codex", "Bash", json!({"command": "cat .env"}), true),
        ("claude", "Bash", json!({"command": "cat vault/deep/../deep/pin"}), true),
        ("claude", "mcp__fs__read_media_file", json!({"path": "secrets/a.txt"}), false),
        ("claude", "mcp__fs__list_directory_with_sizes", json!({"path": "secrets"}), false),
        ("claude", "mcp__serena__find_symbol", json!({"relative_path": "secrets/a.txt", "name_path": "f"}), false),
        ("claude", "mcp__serena__get_symbols_overview", json!({"relative_path": "secrets/a.txt"}), false),
        ("claude", "mcp__jetbrains__get_file_text_by_path", json!({"pathInProject": "secrets/a.txt"}), false),
        ("claude", "mcp__git__git_diff", json!({"repo_path": ".", "target": "secrets/a.txt"}), false),
        ("claude", "mcp__git__git_add", json!({"repo_path": ".", "files": ["secrets/a.txt"]}), false),
        ("claude", "mcp__git__git_log", json!({"repo_path": ".", "path": "secrets"}), false),
        ("claude", "mcp__github__create_pull_request", json!({"title": "x", "body": "changes secrets/a.txt"}), false),
        ("claude", "mcp__fs__stat", json!({"path": "secrets/a.txt"}), false),
        ("gemini", "read_file", json!({"absolute_path": "secrets/a.txt"}), false),
        ("gemini", "glob", json!({"pattern": "secrets/**"}), false),
        ("gemini", "search_file_content", json!({"pattern": "x", "path": "secrets"}), false),
        ("gemini", "list_directory", json!({"path": "secrets"}), false),
        ("gemini", "run_shell_command", json!({"command": "cat secrets/a.txt"}), false),
        ("codex", "Bash", json!({"command": "cat secrets/a.txt"}), false),
        ("claude", "Grep", json!({"pattern": "rm", "path": "secrets", "output_mode": "content"}), false),
        ("claude", "mcp__linear__create_comment", json!({"body": "delete secrets/a.txt please"}), false),
        ("claude", "mcp__fs__get_file_info", json!({"path": ".env"}), false),
        ("claude", "mcp__fs__list_directory", json!({"path": "."}), false),
        ("gemini", "list_directory", json!({"path": "vault"}), false),
        ("gemini", "write_file", json!({"file_path": ".env", "content": "A=1"}), false),
        ("claude", "mcp__github__create_issue", json!({"title": ".env is missing", "body": "add .env"}), false),
    ]
}

fn event(agent: &str, tool: &str, input: &Value, cwd: &Path) -> Event {
    let name = if agent == "gemini" { "BeforeTool" } else { "PreToolUse" };
    let payload =
        json!({"hook_event_name": name, "session_id": "s1", "cwd": cwd, "tool_name": tool, "tool_input": input});
    hookrail_dialects::dialect(agent).unwrap().decode(payload.as_object().unwrap().clone())
}

#[test]
fn tools_of_every_agent_are_caught_by_what_they_are_given() {
    let sandbox = secrets::sandbox();
    let world =
        sandbox.world(json!({"core": {"protected": [["/secrets/", "*.key"]], "secret": [[".env", "/vault/"]]}}));
    let wrong: Vec<String> = calls()
        .into_iter()
        .filter_map(|(agent, tool, input, caught)| {
            let verdict = word(&ProtectedPaths, &event(agent, tool, &input, &sandbox.project), &world);
            ((verdict != "silent") != caught).then(|| format!("{verdict}: {agent} {tool} {input}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
