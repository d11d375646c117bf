//! The plugin for agents that load JavaScript: a module that hands each event to `hookrail hook` and does what it says.

use super::registration::Registration;
use hookrail_dialects::Dialect;
use serde_json::{Map, Value, json};

/// The line that holds the command, before and after it.
const COMMAND: (&str, &str) = ("const COMMAND = ", ";");
/// The line that holds the events and their time limits.
const EVENTS: (&str, &str) = ("const EVENTS = ", ";");

const TEMPLATE: &str = include_str!("plugin.js");

/// The text of the module.
pub fn write(agent: &dyn Dialect, wanted: &[Registration], command: &str, mark: &str) -> String {
    let events: Map<String, Value> = wanted.iter().map(|it| (it.event.to_owned(), json!(it.timeout))).collect();
    TEMPLATE
        .replace("{mark}", &format!("{mark}; `hookrail uninstall {}` removes it.", agent.name()))
        .replace("{command}", &Value::from(command).to_string())
        .replace("{events}", &Value::Object(events).to_string())
}

/// The events a module asks hookrail about, each with what an entry says in files of other forms.
pub fn entries(text: &str) -> Vec<(String, Value)> {
    let line = |(before, after): (&str, &str)| {
        let line = text.lines().find_map(|line| line.strip_prefix(before))?;
        serde_json::from_str::<Value>(line.strip_suffix(after)?).ok()
    };
    let (Some(command), Some(Value::Object(events))) = (line(COMMAND), line(EVENTS)) else { return Vec::new() };
    let entry = |timeout: Value| json!({ "command": command, "timeout": timeout });
    events.into_iter().map(|(event, timeout)| (event, entry(timeout))).collect()
}
