//! The event on stdin, and what to say if there is none.

use crate::commands::backtest::lookup;
use crate::error::CliError;
use crate::hook::read_event;
use hookrail_core::display;
use hookrail_dialects::Dialect;
use serde_json::{Map, Value};
use std::io::{self, IsTerminal, Read};

const EXAMPLE: &str = r#"  echo '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}' | hookrail explain"#;

const READS: &str = "`hookrail explain` reads what an agent sends to `hookrail hook`";

fn no_event(message: &str) -> CliError {
    CliError::input(message).hint(format!("`hookrail explain < event.json`, or\n{EXAMPLE}"))
}

/// Reads one event.
pub fn read() -> Result<Map<String, Value>, CliError> {
    if io::stdin().is_terminal() {
        return Err(no_event("an event is expected on stdin, as an agent would send it to `hookrail hook`"));
    }
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::machine(format!("cannot read stdin: {error}")))?;
    parse(&bytes)
}

/// The event at which an agent would have asked about a past call, in the form of a record.
pub fn past(call: &str) -> Result<Map<String, Value>, CliError> {
    let found = lookup::find(call)?;
    let dialect = hookrail_dialects::dialect(found.agent).ok_or_else(|| CliError::unknown("agent", found.agent, []))?;
    let input = hookrail_backtest::before_tool(dialect, &found.call).to_input();
    let record = [("agent", Value::from(found.agent)), ("outcome", Value::Null), ("input", Value::Object(input))];
    Ok(record.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The event in a record of the journal, and the agent it came from; `None` for everything else.
pub fn recorded(payload: &Map<String, Value>) -> Option<(&'static dyn Dialect, Map<String, Value>)> {
    let input = payload.get("input")?.as_object().filter(|input| input.contains_key("hook_event_name"))?;
    let agent = payload.get("agent")?.as_str().filter(|_| payload.contains_key("outcome"))?;
    Some((hookrail_dialects::dialect(agent)?, input.clone()))
}

fn parse(bytes: &[u8]) -> Result<Map<String, Value>, CliError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(no_event("there is no event on stdin"));
    }
    if let Ok(event) = read_event(bytes) {
        return Ok(event);
    }
    let text = String::from_utf8_lossy(bytes);
    match serde_json::from_str::<Value>(&text) {
        Ok(Value::Object(payload)) => Ok(payload),
        Ok(other) => {
            Err(CliError::input(format!("an event is a JSON object, but stdin is {}", display::kind_of_json(&other)))
                .hint(READS))
        }
        Err(error) => Err(CliError::not_json("stdin", &text, &error, READS)),
    }
}
