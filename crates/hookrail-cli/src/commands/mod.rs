//! One module per command.

mod completions;
mod demo;
mod doctor;
mod explain;
mod fsm;
mod hook;
mod init;
pub mod install;
mod journal;
mod list;
mod log;
mod man;
mod orchestrator;
mod replay;
mod schema;
mod serve;
mod stats;
mod test;
mod trust;
mod validate;

use crate::exit_code::ExitCode;

#[derive(clap::Subcommand)]
pub enum Command {
    Hook(hook::Hook),
    Completions(completions::Completions),
    Demo(demo::Demo),
    Doctor(doctor::Doctor),
    Explain(explain::Explain),
    Fsm(fsm::Fsm),
    Init(init::Init),
    Install(install::Install),
    List(list::List),
    Log(log::Log),
    Man(man::Man),
    Orchestrator(orchestrator::Orchestrator),
    Replay(replay::Replay),
    Schema(schema::Schema),
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
            Self::Hook(_) => ExitCode::Usage,
            Self::Completions(completions) => completions.run(),
            Self::Demo(demo) => demo.run(),
            Self::Doctor(doctor) => doctor.run(),
            Self::Explain(explain) => explain.run(),
            Self::Fsm(fsm) => fsm.run(),
            Self::Init(init) => init.run(),
            Self::Install(install) => install.run(),
            Self::List(list) => list.run(),
            Self::Log(log) => log.run(),
            Self::Man(man) => man.run(),
            Self::Orchestrator(orchestrator) => orchestrator.run(),
            Self::Replay(replay) => replay.run(),
            Self::Schema(schema) => schema.run(),
            Self::Serve(serve) => serve.run(),
            Self::Stats(stats) => stats.run(),
            Self::Test(test) => test.run(),
            Self::Trust(trust) => trust.run(),
            Self::Uninstall(uninstall) => uninstall.run(),
            Self::Validate(validate) => validate.run(),
        }
    }
}
