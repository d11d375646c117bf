//! One module per command.

mod demo;

use crate::exit_code::ExitCode;

#[derive(clap::Subcommand)]
pub enum Command {
    Demo(demo::Demo),
}

impl Command {
    pub fn run(self) -> ExitCode {
        match self {
            Self::Demo(demo) => demo.run(),
        }
    }
}
