//! What `--json` prints: objects with the version of their format, and keys in one style.

use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// Command lines with `--json`, in an order in which each finds what it needs.
const COMMANDS: &[&str] = &[
    "init --yes",
    "install claude --scope project --dry-run",
    "install claude --scope project",
    "hook --agent claude",
    "list --all",
    "rules",
    "rules show safety/force-push",
    "rules check",
    "rules import",
    "validate .claude/settings.json",
    "validate --explain jsonc",
    "doctor",
    "explain",
    "try --json ls",
    "try --tool Write --input {\"file_path\":\".claude/settings.json\",\"content\":\"\"}",
    "log",
    "log --anchor",
    "log --verify",
    "stats",
    "stats --shadow",
    "replay",
    "backtest",
    "test --init",
    "test",
    "trust --list",
    "trust --yes",
    "fsm check",
    "fsm graph fsm.json",
    "orchestrator begin --plan plan.md --team red",
    "orchestrator status",
    "orchestrator end",
    "completions bash",
    "man",
    "man --out pages",
    "policy keygen policy.key --no-password",
    "policy pack policy --key policy.key -o bundle.json",
    "policy pull bundle.json --key policy.key.pub --root machine",
    "policy status --root machine",
    "self version",
    "uninstall claude --scope project",
    "demo --fast",
];

/// Commands that are not run here, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("allow", "is for a person at a terminal"),
    ("fleet migrate", "needs a database; tests/fleet.rs"),
    ("fleet retain", "needs a database; tests/fleet.rs"),
    ("fleet status", "needs a database; tests/fleet.rs"),
    ("policy rollback", "needs two policies; policy.rs"),
    ("schema", "prints a JSON Schema, whose keys are its own"),
    ("serve", "speaks JSON-RPC"),
    ("sync", "needs a database; tests/fleet.rs"),
    ("ui", "serves until it is ended; tests of hookrail-ui"),
    ("verify", "needs an agent; verify.rs"),
    ("watch", "prints until it is ended; watch/"),
];

const EVENT: &str = r#"{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash",
    "tool_input": {"command": "git push --force"}}"#;

/// What agents, programs and files name themselves is not in our style.
const FOREIGN: &[&str] = &["input", "payload", "rewrite", "group", "state", "tool_input", "withheld", "hooks"];

/// Runs a command with `--json`; what follows the command of `try` belongs to that command.
#[expect(clippy::disallowed_methods, reason = "the commands of a test run on this machine")]
fn run(folder: &TempProject, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookrail"));
    command.args(line.split(' ')).current_dir(folder.path()).env_clear();
    if !line.starts_with("hook ") && !line.contains("--json") {
        command.arg("--json");
    }
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", folder.at("home"));
    command.env("HOOKRAIL_STATE_DIR", folder.at("state")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // A command that does not read its input may have ended.
    let _ = child.stdin.take().unwrap().write_all(EVENT.as_bytes());
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(!stdout.trim().is_empty(), "`{line}` prints nothing: {}", String::from_utf8_lossy(&output.stderr));
    stdout
}

/// Keys that are not in snake case, each with the keys above it.
fn odd_keys(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let path = format!("{path}.{key}");
                if key.chars().any(char::is_uppercase) {
                    found.push(path.clone());
                }
                if !FOREIGN.contains(&key.as_str()) {
                    odd_keys(value, &path, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| odd_keys(item, path, found)),
        _ => {}
    }
}

fn project() -> TempProject {
    let task = r#"[{"id": 1, "subject": "a", "description": "b", "activeForm": "c"}]"#;
    TempProject::new()
        .file("fsm.json", task)
        .file("plan.md", "# Plan\n\n## Tasks\n\n- [ ] Task 1: do it\n")
        .file("policy/policy.toml", "name = \"team\"\nserial = 1\n")
        .file("policy/hookrail.toml", "[packs.core]\nenabled = true\n")
        .file("home/.keep", "")
}

#[test]
fn every_answer_in_json_has_a_format_and_keys_in_snake_case() {
    let folder = project();
    for line in COMMANDS {
        let stdout = run(&folder, line);
        if line.starts_with("hook ") {
            continue;
        }
        let documents = serde_json::Deserializer::from_str(&stdout).into_iter::<Value>();
        let documents: Vec<Value> =
            documents.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("`{line}`: {error}\n{stdout}"));
        assert!(!documents.is_empty(), "`{line}`");
        for document in documents {
            assert_eq!(document.get("format"), Some(&Value::from(1)), "`hookrail {line} --json`: {document}");
            let mut odd = Vec::new();
            odd_keys(&document, "", &mut odd);
            assert_eq!(odd, [] as [String; 0], "`hookrail {line} --json`");
        }
    }
}

#[test]
fn every_command_with_json_is_tried_or_tested_elsewhere() {
    let mut open = vec![String::new()];
    while let Some(words) = open.pop() {
        let help =
            Command::new(env!("CARGO_BIN_EXE_hookrail")).args(words.split_whitespace()).arg("--help").output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        let below = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
        open.extend(below.map(|name| format!("{words} {name}").trim().to_owned()));
        let is_tried = COMMANDS.iter().any(|line| *line == words || line.starts_with(&format!("{words} ")));
        let is_elsewhere = ELSEWHERE.iter().any(|(command, _)| *command == words);
        assert!(!help.contains("--json") || is_tried || is_elsewhere, "`hookrail {words} --json` is not tried");
    }
}
