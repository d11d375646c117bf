//! One module per command.

mod demo;
mod explain;
mod fsm;
mod init;
pub mod install;
mod journal;
mod list;
mod log;
mod orchestrator;
mod replay;
mod serve;
mod stats;
mod test;
mod trust;
mod validate;

use crate::exit_code::ExitCode;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Answer one event of an agent: reads it on stdin, runs the hooks that apply
    ///
    /// See `hookrail hook --help`. Keeps a journal and session state.
    Hook,
    Demo(demo::Demo),
    Explain(explain::Explain),
    Fsm(fsm::Fsm),
    Init(init::Init),
    Install(install::Install),
    List(list::List),
    Log(log::Log),
    Orchestrator(orchestrator::Orchestrator),
    Replay(replay::Replay),
    Serve(serve::Serve),
    Stats(stats::Stats),
    Test(test::Test),
    Trust(trust::Trust),
    Uninstall(install::Uninstall),
    Validate(validate::Validate),
}

impl Command {
    pub fn run(self) -> ExitCode {
        match self {
            // Taken care of before this command line was read; here for the list of commands.
            Self::Hook => ExitCode::Usage,
            Self::Demo(demo) => demo.run(),
            Self::Explain(explain) => explain.run(),
            Self::Fsm(fsm) => fsm.run(),
            Self::Init(init) => init.run(),
            Self::Install(install) => install.run(),
            Self::List(list) => list.run(),
            Self::Log(log) => log.run(),
            Self::Orchestrator(orchestrator) => orchestrator.run(),
            Self::Replay(replay) => replay.run(),
            Self::Serve(serve) => serve.run(),
            Self::Stats(stats) => stats.run(),
            Self::Test(test) => test.run(),
            Self::Trust(trust) => trust.run(),
            Self::Uninstall(uninstall) => uninstall.run(),
            Self::Validate(validate) => validate.run(),
        }
    }
}
