use crate::{Decision, HookOutput, HookRun, RunStatus, display};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a hook that could not do its work decides. Most hooks are helpers and let the agent go on; a guard that must
/// never be bypassed says `deny`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// The operation goes on as if the hook did not exist.
    #[default]
    Allow,
    /// A person has to confirm the operation.
    Ask,
    /// The operation does not happen.
    Deny,
}

impl OnError {
    /// Reads the word of a configuration file; `None` for any other word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "allow" => Some(Self::Allow),
            "ask" => Some(Self::Ask),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }

    /// The word for it in configuration files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The one of two that lets less pass.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        self.max(other)
    }

    /// Turns a failed run into this policy's decision. A hook that blocked on purpose did not fail.
    pub fn apply(self, run: &mut HookRun) {
        let RunStatus::Failed(failure) = &run.status else { return };
        let decision = match self {
            Self::Allow => return,
            Self::Ask => Decision::Ask,
            Self::Deny => Decision::Block,
        };
        let detail = run.stderr.trim();
        let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        let hook = display::quoted(&run.hook.id);
        let reason = format!("hook {hook} failed ({failure}){detail}; its on_error is `{self}`");
        run.output = Some(HookOutput::decide(decision, &reason));
    }
}

impl fmt::Display for OnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
