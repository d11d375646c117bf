//! What came of an event.

use super::sandbox::Sandbox;
use serde_json::Value;

/// One step of a scenario, after it happened. Paths of the sandbox read as the scenario wrote them.
#[derive(Debug)]
pub struct PlayedStep<'a> {
    explanation: Value,
    sandbox: &'a Sandbox,
    session: String,
}

impl<'a> PlayedStep<'a> {
    pub fn new(explanation: Value, sandbox: &'a Sandbox, session: String) -> Self {
        Self { explanation, sandbox, session }
    }

    fn text(&self, path: &str) -> String {
        let text = self.explanation.pointer(path).and_then(Value::as_str).unwrap_or_default();
        self.sandbox.neutral(text)
    }

    /// A part of the verdict; empty if there is none.
    pub fn verdict(&self, part: &str) -> String {
        self.text(&format!("/verdict/{part}"))
    }

    pub fn answer(&self, part: &str) -> String {
        self.text(&format!("/answer/{part}"))
    }

    pub fn exit_code(&self) -> Value {
        self.explanation.pointer("/answer/exit_code").cloned().unwrap_or_default()
    }

    /// The tool's new arguments.
    pub fn rewrite(&self) -> Value {
        let rewrite = self.explanation.pointer("/verdict/rewrite/tool_input").cloned().unwrap_or_default();
        self.sandbox.neutral_value(rewrite)
    }

    /// The hooks that ran, in plan order.
    pub fn ran(&self) -> Vec<String> {
        let hooks = self.explanation.pointer("/hooks").and_then(Value::as_array).into_iter().flatten();
        let ran = hooks.filter(|hook| hook.get("fate").and_then(Value::as_str) == Some("ran"));
        ran.filter_map(|hook| Some(hook.get("hook")?.as_str()?.to_owned())).collect()
    }

    /// The content of a file; `None` if there is none.
    pub fn file(&self, path: &str) -> Option<String> {
        let bytes = std::fs::read(self.sandbox.at(path)).ok()?;
        Some(self.sandbox.neutral(&String::from_utf8_lossy(&bytes)))
    }

    /// Everything that was recorded so far, as text.
    pub fn journal(&self) -> String {
        self.sandbox.neutral(&self.sandbox.journal())
    }

    /// The session's state.
    pub fn session(&self) -> Value {
        self.sandbox.neutral_value(self.sandbox.session(&self.session))
    }
}
