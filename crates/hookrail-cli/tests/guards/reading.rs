//! Events in JSON that agents send and strict parsers reject: they are judged like any other.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;

/// An event that writes `PATH`, with one oddity; `%` in a text stands for a byte that is not UTF-8.
const ODD_EVENTS: &[(&str, &str)] = &[
    (
        "a lone high surrogate",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Write","tool_input":{"content":"\ud800","file_path":"PATH"}}"#,
    ),
    (
        "a lone low surrogate in a key",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","\udc00":1,"tool_name":"Write","tool_input":{"content":"","file_path":"PATH"}}"#,
    ),
    (
        "nesting of thousands",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","x":NEST,"tool_name":"Write","tool_input":{"content":"","file_path":"PATH"}}"#,
    ),
    (
        "nesting beside the path",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Write","tool_input":{"x":NEST,"content":"","file_path":"PATH"}}"#,
    ),
    (
        "a number out of range",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","x":1e400,"tool_name":"Write","tool_input":{"content":"","file_path":"PATH","mode":-1e400}}"#,
    ),
    (
        "numbers of Python",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","x":[NaN,Infinity,-Infinity],"tool_name":"Write","tool_input":{"content":"","file_path":"PATH"}}"#,
    ),
    (
        "bytes that are not UTF-8",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Write","tool_input":{"content":"%","file_path":"PATH"}}"#,
    ),
    (
        "a key twice",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Write","tool_input":{"content":"","file_path":"src/other","file_path":"PATH"}}"#,
    ),
    (
        "an object twice",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Write","tool_input":{},"tool_input":{"content":"","file_path":"PATH"}}"#,
    ),
    (
        "a raw control character",
        "{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"cwd\":\"CWD\",\"tool_name\":\"Write\",\"tool_input\":{\"content\":\"a\n\tb\",\"file_path\":\"PATH\"}}",
    ),
    (
        "an escape that does not exist",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Write","tool_input":{"content":"\x41","file_path":"PATH"}}"#,
    ),
    (
        "a byte order mark",
        "\u{feff}{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"cwd\":\"CWD\",\"tool_name\":\"Write\",\"tool_input\":{\"content\":\"\",\"file_path\":\"PATH\"}}",
    ),
    (
        "bytes behind the event",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Write","tool_input":{"content":"","file_path":"PATH"}} trailing"#,
    ),
    (
        "a private key of the parser",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","tool_name":"Write","tool_input":{"$serde_json::private::RawValue":"{}","content":"","file_path":"PATH"}}"#,
    ),
    (
        "a private key alone in its object",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","x":{"$serde_json::private::RawValue":"not JSON"},"tool_name":"Write","tool_input":{"content":"","file_path":"PATH"}}"#,
    ),
    (
        "a private key for numbers",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD","x":{"$serde_json::private::Number":"zero"},"tool_name":"Write","tool_input":{"content":"","file_path":"PATH"}}"#,
    ),
];

/// Calls that a strict reader would not see: refused where they change what is protected, silent where they do not.
const ODD_CALLS: &[(&str, &str)] = &[
    ("input as a text of JSON", r#""tool_name":"Bash","tool_input":"{\"command\": \"rm PATH\"}""#),
    ("input as a list", r#""tool_name":"Bash","tool_input":[{"command":"rm PATH"}]"#),
    ("input as a text", r#""tool_name":"Bash","tool_input":"rm PATH""#),
    ("a command in a command", r#""tool_name":"Bash","tool_input":{"command":{"command":"rm PATH"}}"#),
    ("a command as words", r#""tool_name":"Bash","tool_input":{"command":["rm","PATH"]}"#),
    ("a tool without a name", r#""tool_name":null,"tool_input":{"command":"rm PATH"}"#),
    ("a number as a tool", r#""tool_name":7,"tool_input":{"command":"rm PATH"}"#),
    ("no tool at all", r#""tool_input":{"command":"rm PATH"}"#),
    ("a byte that shells pass over", r#""tool_name":"Bash","tool_input":{"command":"r\u0000m \u0000PATH"}"#),
    ("a file as a text of JSON", r#""tool_name":"Write","tool_input":"{\"file_path\": \"PATH\", \"content\": \"\"}""#),
    ("files as a list", r#""tool_name":"Write","tool_input":[{"file_path":"PATH","content":""}]"#),
];

#[test]
fn a_call_in_an_unusual_form_is_judged_like_any_other() {
    let (project, home) = (TempProject::new(), TempProject::new());
    for (what, fields) in ODD_CALLS {
        for (path, refused) in [(".claude/settings.json", true), ("src/main.rs", false)] {
            let event = format!(r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"CWD",{fields}}}"#);
            let mut hook = program(env!("CARGO_BIN_EXE_hookrail"), &project, &home);
            let (code, out, err) = talk(hook.arg("hook"), bytes_of(&event, &project, path));
            assert_eq!(code, Some(0), "{what}: {err}");
            let answer: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
            let decision = &answer["hookSpecificOutput"]["permissionDecision"];
            assert_eq!(decision == "deny" || decision == "ask", refused, "{what}, {path}: {out}");
        }
    }
}

#[test]
fn a_tool_call_that_does_not_tell_its_event_is_refused() {
    let (project, home) = (TempProject::new(), TempProject::new());
    for event in [
        r#"{"session_id":"s","cwd":"CWD","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        r#"{"hook_event_name":3,"session_id":"s","cwd":"CWD","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        r#"{"hook_event_name":null,"session_id":"s","cwd":"CWD","toolName":"Bash"}"#,
    ] {
        let mut hook = program(env!("CARGO_BIN_EXE_hookrail"), &project, &home);
        let (code, out, err) = talk(hook.arg("hook"), bytes_of(event, &project, ""));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{event}: {err}");
        assert!(err.contains("has no name"), "{event}: {err}");
    }
}

fn bytes_of(event: &str, project: &TempProject, path: &str) -> Vec<u8> {
    let nest = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let text = event.replace("CWD", &project.path().display().to_string()).replace("NEST", &nest).replace("PATH", path);
    text.bytes().map(|byte| if byte == b'%' { 0xff } else { byte }).collect()
}

#[test]
fn an_odd_event_that_writes_a_protected_path_is_refused() {
    let (project, home) = (TempProject::new(), TempProject::new());
    for (what, event) in ODD_EVENTS {
        let input = bytes_of(event, &project, ".claude/settings.json");
        let mut hook = program(env!("CARGO_BIN_EXE_hookrail"), &project, &home);
        let (code, out, err) = talk(hook.arg("hook"), &input);
        assert_eq!(code, Some(0), "{what}: {err}");
        let answer: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{what}: {out}");
    }
}

#[test]
fn an_odd_event_that_harms_nothing_passes_in_silence() {
    let (project, home) = (TempProject::new(), TempProject::new());
    for (what, event) in ODD_EVENTS {
        let input = bytes_of(event, &project, "src/main.rs");
        let mut hook = program(env!("CARGO_BIN_EXE_hookrail"), &project, &home);
        assert_eq!(talk(hook.arg("hook"), &input), (Some(0), String::new(), String::new()), "{what}");
    }
}

#[test]
fn explain_reads_what_the_hook_reads() {
    let (project, home) = (TempProject::new(), TempProject::new());
    for (what, event) in ODD_EVENTS {
        let input = bytes_of(event, &project, ".claude/settings.json");
        let mut explain = program(env!("CARGO_BIN_EXE_hookrail"), &project, &home);
        let (_, out, err) = talk(explain.arg("explain"), &input);
        assert!(out.contains("core/protected-paths") && out.contains("is protected"), "{what}: {out}{err}");
    }
}
