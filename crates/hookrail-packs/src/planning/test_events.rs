//! What tests of this pack begin with.

use hookrail_core::{Decision, Event, EventName, NativeHook, Outcome, ToolCall, ToolKind};
use hookrail_testkit::world::FakeWorld;
use serde_json::{Map, Value, json};

/// An event of session `abc` in a folder, before a tool that does nothing.
pub(super) fn event(cwd: &str) -> Event {
    call(cwd, "Glob", json!({}))
}

/// A tool call of session `abc` in a folder, spelled as Claude Code does.
pub(super) fn call(cwd: &str, tool: &str, input: Value) -> Event {
    let read = ToolCall::new(tool, &input, classify);
    let payload = Map::from_iter([("tool_name".to_owned(), json!(tool)), ("tool_input".to_owned(), input)]);
    Event {
        name: EventName::BeforeTool,
        native_name: String::new(),
        session_id: "abc".to_owned(),
        cwd: cwd.into(),
        timestamp: String::new(),
        transcript_path: String::new(),
        tool: Some(read),
        payload,
    }
}

/// A shell command of session `abc` in a folder.
pub(super) fn shell(cwd: &str, command: &str) -> Event {
    call(cwd, "Bash", json!({ "command": command }))
}

/// What a hook makes of an event, in a word: `deny`, `warn`, `silent` or `error`.
pub(super) fn word(hook: &dyn NativeHook, event: &Event, world: &FakeWorld) -> &'static str {
    if !hook.concerns(event) {
        return "silent";
    }
    match hook.check(event, world).map(Outcome::into_output) {
        Err(_) => "error",
        Ok(None) => "silent",
        Ok(Some(output)) if output.decision == Decision::Block => "deny",
        Ok(Some(_)) => "warn",
    }
}

/// What a hook says to the model, or why it failed.
pub(super) fn reason(hook: &dyn NativeHook, event: &Event, world: &FakeWorld) -> String {
    match hook.check(event, world).map(|outcome| outcome.into_output().unwrap_or_default()) {
        Ok(output) => output.reason().or(output.system_message()).unwrap_or_default().to_owned(),
        Err(error) => error.to_string(),
    }
}

fn classify(name: &str, input: &Value) -> ToolKind {
    let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    match name {
        "Write" => ToolKind::Write { path: text("file_path"), content: text("content") },
        "Bash" => ToolKind::Shell { command: text("command"), cwd: None },
        "Read" => ToolKind::Read { path: text("file_path") },
        "Edit" | "MultiEdit" => ToolKind::Edit { paths: vec![text("file_path")] },
        "AskUserQuestion" => {
            let questions = input.get("questions").and_then(Value::as_array).cloned().unwrap_or_default();
            let question = |question: &Value| question.get("question").and_then(Value::as_str).map(str::to_owned);
            ToolKind::AskUser { questions: questions.iter().filter_map(question).collect() }
        }
        name => match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, tool)) => ToolKind::Mcp { server: server.to_owned(), tool: tool.to_owned() },
            None => ToolKind::Other,
        },
    }
}
