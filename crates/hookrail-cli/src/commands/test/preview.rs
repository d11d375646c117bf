//! What a configuration says about a few commands, found out by asking.

use super::binary;
use super::sandbox::{Means, Sandbox};
use super::scenario::{Given, Scenario};
use super::source::{Piece, Source};
use crate::error::CliError;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Files of the project in which the commands would run.
const FILES: &[&str] = &["src/app.ts", "data/orders.csv", "secrets/token", ".env", "README.md"];

/// A small project under a configuration, in which commands can be judged. None of them runs.
#[derive(Debug)]
pub struct Preview {
    sandbox: Sandbox,
}

impl Preview {
    /// The configuration counts as the user's own.
    pub fn new(configuration: &str) -> Result<Self, CliError> {
        let source = Arc::new(Source { path: "preview".into(), text: String::new() });
        let mut given = Given::default();
        given.add_file("~/.config/hookrail/hookrail.toml", configuration);
        given.add_file("package.json", r#"{"scripts": {"test": "vitest"}}"#);
        FILES.iter().for_each(|path| given.add_file(path, "a\n"));
        let scenario = Scenario::new("preview", &Piece { source, range: 0..0 }, given);
        let sandbox = Sandbox::build(&scenario, &Means { binary: binary()?, run_commands: false })?;
        Ok(Self { sandbox })
    }

    /// `deny`, `ask` or `allow`; nothing if there is no opinion.
    pub fn verdict(&self, command: &str) -> Result<&'static str, CliError> {
        let event = json!({
            "hook_event_name": "PreToolUse", "session_id": "preview", "cwd": "{{project}}",
            "tool_name": "Bash", "tool_input": {"command": command},
        });
        let payload: Map<String, Value> = match self.sandbox.fill_value(event) {
            Value::Object(payload) => payload,
            _ => Map::new(),
        };
        let answer = self.sandbox.answer(&["--agent".to_owned(), "claude".to_owned()], &payload)?;
        Ok(match answer.pointer("/verdict/decision").and_then(Value::as_str) {
            Some("stop" | "block") => "deny",
            Some("ask") => "ask",
            Some("allow") => "allow",
            _ => "",
        })
    }
}
