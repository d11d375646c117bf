use hookrail_host::TurnEnd;

/// How the program ended, as its exit code tells it. The README has the same table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentExit {
    /// The model is done.
    Completed = 0,
    /// Something went wrong.
    Failed = 1,
    /// The command line cannot be understood.
    Usage = 2,
    /// A hook did not let the model be asked.
    Blocked = 3,
    /// A hook stopped the agent.
    Stopped = 4,
    /// The model did not come to an end.
    TurnLimit = 5,
    /// Interrupted from the keyboard.
    Interrupted = 130,
}

impl AgentExit {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<TurnEnd> for AgentExit {
    fn from(end: TurnEnd) -> Self {
        match end {
            TurnEnd::Completed => Self::Completed,
            TurnEnd::Blocked { .. } => Self::Blocked,
            TurnEnd::Stopped { .. } => Self::Stopped,
            TurnEnd::TurnLimit => Self::TurnLimit,
        }
    }
}
