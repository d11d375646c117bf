//! A breaker saves the time of a hook that keeps failing; it never takes away what a guard that fails closed decides.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};

const EVENTS: usize = 6;

/// What an agent is told about each of several calls, and how often the hook was started for them.
fn fire(keys: &str, command: &str) -> (Vec<Option<String>>, usize) {
    let (project, home) = (TempProject::new(), TempProject::new());
    let config = format!(
        "[[command]]\nname = \"guard\"\nevent = \"BeforeTool\"\ncommand = \"echo x >> started; {command}\"\n{keys}\n\
         [breaker]\nthreshold = 2\n"
    );
    home.write(".config/hookrail/hookrail.toml", &config);
    let event = json!({
        "session_id": "s", "transcript_path": "", "cwd": project.path(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": "ls" },
    });
    let decisions = (0..EVENTS).map(|_| {
        let mut hook = program(env!("CARGO_BIN_EXE_hookrail"), &project, &home);
        let (_, out, _) = talk(hook.arg("hook"), event.to_string());
        let answer: Value = serde_json::from_str(&out).unwrap_or_default();
        answer.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str).map(str::to_owned)
    });
    let decisions = decisions.collect();
    (decisions, project.read("started").lines().count())
}

#[test]
fn a_guard_that_fails_closed_keeps_refusing_and_only_saves_its_time() {
    // (keys, what the hook does, what every call is told, how often it is started)
    let cases = [
        ("on_error = \"deny\"", "exit 1", Some("deny"), 2),
        ("on_error = \"ask\"", "exit 1", Some("ask"), 2),
        ("on_error = \"allow\"", "exit 1", None, 2),
        ("", "exit 1", None, 2),
        ("on_error = \"deny\"\ntimeout = \"100ms\"", "sleep 60", Some("deny"), 2),
        ("on_error = \"deny\"", "echo no >&2; exit 2", Some("deny"), EVENTS),
        ("on_error = \"deny\"", "true", None, EVENTS),
    ];
    for (keys, command, told, starts) in cases {
        let (decisions, started) = fire(keys, command);
        let expected = vec![told.map(str::to_owned); EVENTS];
        assert_eq!((decisions, started), (expected, starts), "{keys} {command}");
    }
}
