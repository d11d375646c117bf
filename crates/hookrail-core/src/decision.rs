use serde::{Deserialize, Serialize};
use std::fmt;

/// What hooks decided about an operation. The order of the variants *is* the lattice: merging two decisions takes the
/// greater one, on every event, so a later allow never erases an earlier block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// No opinion.
    #[default]
    None,
    /// The operation may happen, as far as this hook is concerned. Another hook's deny still prevails.
    Allow,
    /// A person should confirm. Does not block.
    Ask,
    /// This operation must not happen.
    Block,
    /// The agent must not go on at all.
    Stop,
}

impl Decision {
    /// Reads a hook's `decision`, `permissionDecision` or `behavior`; `None` for a word that is none.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "block" | "deny" => Some(Self::Block),
            "ask" => Some(Self::Ask),
            "allow" | "approve" => Some(Self::Allow),
            _ => None,
        }
    }

    /// The word for a hook output's `decision` field; a stop is not a decision there but `continue: false`.
    #[must_use]
    pub fn to_wire(self) -> Option<&'static str> {
        match self {
            Self::None | Self::Stop => None,
            Self::Allow => Some("allow"),
            Self::Ask => Some("ask"),
            Self::Block => Some("block"),
        }
    }

    /// The word for people, logs and the journal. Unlike [`Decision::to_wire`] it names every decision.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Block => "block",
            Self::Stop => "stop",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
