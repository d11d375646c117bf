use crate::exit_code::ExitCode;

/// Fire sample events through the engine and show what its hooks decide (reads nothing, writes nothing).
#[derive(clap::Args)]
pub struct Demo {}

impl Demo {
    pub fn run(self) -> ExitCode {
        ExitCode::Success
    }
}
