//! A past call as a scenario, so that what a configuration does about it stays tested.

use crate::commands::rules::toml_text::quoted;
use crate::commands::test::to_toml;
use crate::error::CliError;
use crate::hook::end;
use crate::screen;
use hookrail_backtest::{CallDecision, Candidate, FoundCall, Judge};
use hookrail_core::redaction::redact_text;
use hookrail_core::{ToolKind, World};
use hookrail_engine::RealWorld;
use serde_json::{Map, Value};
use std::path::Path;

/// The text of a scenario file. What is expected is what the configuration decides now.
pub fn of(found: &FoundCall, candidate: Candidate) -> Result<String, CliError> {
    let dialect = hookrail_dialects::dialect(found.agent).ok_or(CliError::unknown("agent", found.agent, []))?;
    let mut judge = Judge::new(candidate, || end(screen::fail(CliError::machine("a hook does not return")) as u8));
    let judged = judge.judge(dialect, &found.call).map_err(CliError::machine)?;
    let project = judge.project_of(&found.call.cwd);
    let event = hookrail_backtest::before_tool(dialect, &found.call);
    let kind = event.tool.as_ref().map(|tool| &tool.kind);
    let rules: Vec<&str> = judged.decisive().map(|voice| voice.rule.as_str()).collect();
    let because = if rules.is_empty() { String::new() } else { format!(" ({})", rules.join(", ")) };
    let decision = if judged.cannot_ask { CallDecision::Ask } else { judged.answer };
    let name = format!("{} of call {}{because}", decision.as_str(), found.call.id);
    let mut step = Map::new();
    let mut set = |key: &str, text: &str| step.insert(key.to_owned(), Value::from(neutral(text, &project)));
    match kind {
        Some(ToolKind::Shell { command, .. }) => drop(set("shell", command)),
        Some(ToolKind::Read { path }) => drop(set("read", path)),
        Some(ToolKind::WebFetch { url }) => drop(set("fetch", url)),
        Some(ToolKind::Write { path, content }) => {
            set("write", path);
            set("content", content);
        }
        _ => {
            let native = dialect.native_event(&event.name).unwrap_or("BeforeTool");
            step.insert("hook_event_name".to_owned(), Value::from(native));
            step.insert("tool_name".to_owned(), Value::from(found.call.tool.as_str()));
            step.insert("tool_input".to_owned(), neutral_value(Value::Object(found.call.input.clone()), &project));
        }
    }
    Ok(format!(
        "# A call of {} from {}, written by `hookrail backtest --scenario {}`.\n\
         [[scenario]]\nname = {}\n\n[scenario.given]\nagent = {}\nuser = true\n\n\
         [[scenario.step]]\nevent = {}\nexpect = {{ decision = {} }}\n",
        dialect.agent().title,
        hookrail_engine::timestamp_of(found.call.millis),
        found.call.id,
        quoted(&name),
        quoted(found.agent),
        to_toml(&Value::Object(step)),
        quoted(word(decision))
    ))
}

/// A decision in the words of scenarios.
fn word(answer: CallDecision) -> &'static str {
    match answer {
        CallDecision::Deny => "block",
        CallDecision::None | CallDecision::Allow | CallDecision::Ask => answer.as_str(),
    }
}

/// A text without secrets, which names the folders of a scenario instead of those of this machine.
fn neutral(text: &str, project: &Path) -> String {
    let text = redact_text(text).replace(&project.display().to_string(), "{{project}}");
    match RealWorld::default().env("HOME").filter(|home| home.len() > 1) {
        Some(home) => text.replace(&home, "{{home}}"),
        None => text,
    }
}

fn neutral_value(value: Value, project: &Path) -> Value {
    match value {
        Value::String(text) => Value::String(neutral(&text, project)),
        Value::Array(items) => items.into_iter().map(|item| neutral_value(item, project)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, neutral_value(value, project))).collect(),
        other => other,
    }
}
