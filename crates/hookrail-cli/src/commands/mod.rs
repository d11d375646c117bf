//! One module per command.

mod demo;
mod fsm;
mod serve;
mod trust;

use crate::exit_code::ExitCode;

#[derive(clap::Subcommand)]
pub enum Command {
    Demo(demo::Demo),
    Fsm(fsm::Fsm),
    Serve(serve::Serve),
    Trust(trust::Trust),
}

impl Command {
    pub fn run(self) -> ExitCode {
        match self {
            Self::Demo(demo) => demo.run(),
            Self::Fsm(fsm) => fsm.run(),
            Self::Serve(serve) => serve.run(),
            Self::Trust(trust) => trust.run(),
        }
    }
}
