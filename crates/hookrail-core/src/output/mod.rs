//! What a hook said, as types.
//!
//! JSON is read once, where it comes in ([`HookOutput::parse`]), and written once, where it goes out
//! ([`HookOutput::to_json`]). In between no code looks for fields by name.

mod json;
mod policy;
mod reading;
mod rewrite;

pub use policy::{create_hook_output, create_specific_hook_output};
pub use reading::{Misread, Reading};
pub use rewrite::{ElicitationAction, InputRewrite, Requests, Rewrite};

use crate::Decision;
use serde_json::{Map, Value};

/// What the model is told when a hook blocks without saying why.
pub const NO_REASON: &str = "No reason provided";

/// The document's name for an output with the meaning that its event gives it, which every [`HookOutput`] has.
pub type DefaultHookOutput = HookOutput;

/// What one hook said, or all hooks of an event together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookOutput {
    /// The strongest of all the ways in which the output decided. A hook can refuse an operation and stop the agent with
    /// different reasons, so a stop that was read is told apart, in `stop`; [`HookOutput::verdict`] is both together.
    pub decision: Decision,
    /// Why it decided as it did; for the model if it denies.
    pub reason: Option<String>,
    /// The agent must not go on at all (`continue: false`).
    pub stop: bool,
    /// Some hooks give one without stopping; it is a reason like any other then.
    pub stop_reason: Option<String>,
    /// Text for the user.
    pub message: Option<String>,
    /// Text for the model.
    pub context: Option<String>,
    /// Whether the agent should keep the hook's or the tool's output from its transcript (`suppressOutput`).
    pub suppress: Option<bool>,
    /// What it changes of the operation.
    pub rewrite: Rewrite,
    /// What hookrail has no name for, kept for those who do.
    pub extra: Extra,
}

/// Fields without a meaning of their own, where they stood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extra {
    /// Beside `decision`, `reason` and the other common fields.
    pub top: Map<String, Value>,
    /// Inside `hookSpecificOutput`.
    pub specific: Map<String, Value>,
}

impl HookOutput {
    /// A decision and, if the text is not empty, its reason.
    #[must_use]
    pub fn decide(decision: Decision, reason: &str) -> Self {
        let reason = text(reason);
        if decision == Decision::Stop {
            return Self { stop: true, stop_reason: reason, ..Self::default() };
        }
        Self { decision, reason, ..Self::default() }
    }

    /// Plain text of a hook that succeeded: no objection, and something to say (HOOK-064).
    #[must_use]
    pub fn remark(text: &str) -> Self {
        Self { decision: Decision::Allow, ..Self::message(text) }
    }

    /// Text for the user and nothing else.
    #[must_use]
    pub fn message(message: &str) -> Self {
        Self { message: text(message), ..Self::default() }
    }

    /// What this output asks for, the stop included: its place in the lattice.
    #[must_use]
    pub fn verdict(&self) -> Decision {
        if self.should_stop_execution() { Decision::Stop } else { self.decision }
    }

    /// The reason it gave for its decision; see [`HookOutput::get_effective_reason`] for one that is never empty.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Why it decided as it did: a stop's own reason before any other.
    #[must_use]
    pub fn spoken_reason(&self) -> Option<&str> {
        let stop_reason = self.stop_reason.as_deref().filter(|_| self.should_stop_execution());
        stop_reason.or(self.reason.as_deref())
    }

    /// The reason it gave for a stop, also if it did not ask for one.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        self.stop_reason.as_deref()
    }

    /// Text for the user (`systemMessage`).
    #[must_use]
    pub fn system_message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Text for the model (`additionalContext`).
    #[must_use]
    pub fn additional_context(&self) -> Option<&str> {
        self.context.as_deref()
    }

    /// Adds text for the user on a line of its own.
    pub fn add_message(&mut self, more: &str) {
        self.message = match self.message.take() {
            Some(said) => Some(format!("{said}\n{more}")),
            None => text(more),
        };
    }
}

/// A text that says something.
fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
