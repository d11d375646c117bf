use hookrail_host::TurnEnd;
use std::process::ExitCode;

/// How the program ended, as its exit code tells it. The README has the same table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// 0: the model is done.
    Completed,
    /// 1: something went wrong.
    Failed,
    /// 2: the command line cannot be understood.
    Usage,
    /// 3: a hook did not let the model be asked.
    Blocked,
    /// 4: a hook stopped the agent.
    Stopped,
    /// 5: the model did not come to an end.
    TurnLimit,
    /// 130: interrupted from the keyboard.
    Interrupted,
}

impl From<TurnEnd> for Ending {
    fn from(end: TurnEnd) -> Self {
        match end {
            TurnEnd::Completed => Self::Completed,
            TurnEnd::Blocked { .. } => Self::Blocked,
            TurnEnd::Stopped { .. } => Self::Stopped,
            TurnEnd::TurnLimit => Self::TurnLimit,
        }
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(match ending {
            Ending::Completed => 0,
            Ending::Failed => 1,
            Ending::Usage => 2,
            Ending::Blocked => 3,
            Ending::Stopped => 4,
            Ending::TurnLimit => 5,
            Ending::Interrupted => 130,
        })
    }
}
