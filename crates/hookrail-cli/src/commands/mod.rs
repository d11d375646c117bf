//! One module per command.

mod allow;
mod backtest;
mod completions;
mod demo;
mod doctor;
mod explain;
mod fleet;
mod fsm;
mod hook;
mod init;
pub mod install;
mod journal;
mod list;
mod log;
mod man;
mod orchestrator;
mod person;
mod policy;
mod replay;
mod rules;
mod schema;
pub mod self_command;
mod serve;
mod stats;
pub mod sync;
mod test;
mod trust;
mod tryout;
#[cfg(feature = "ui")]
mod ui;
mod understood;
mod validate;
mod verify;
#[cfg(feature = "ui")]
mod watch;

use crate::exit_code::ExitCode;
pub use tryout::options_first;

/// In the order in which people meet them.
#[derive(clap::Subcommand)]
pub enum Command {
    Hook(hook::Hook),
    Serve(serve::Serve),
    Demo(demo::Demo),
    Init(init::Init),
    Install(install::Install),
    Uninstall(install::Uninstall),
    Doctor(doctor::Doctor),
    Verify(verify::Verify),
    Trust(trust::Trust),
    List(list::List),
    Rules(rules::Rules),
    Policy(policy::Policy),
    Allow(allow::Allow),
    Validate(validate::Validate),
    Explain(explain::Explain),
    Try(tryout::Try),
    Backtest(backtest::Backtest),
    Test(test::Test),
    Log(log::Log),
    Stats(stats::Stats),
    #[cfg(feature = "ui")]
    Ui(ui::Ui),
    #[cfg(feature = "ui")]
    Watch(watch::Watch),
    Replay(replay::Replay),
    Sync(sync::Sync),
    Fleet(fleet::Fleet),
    Fsm(fsm::Fsm),
    Orchestrator(orchestrator::Orchestrator),
    Completions(completions::Completions),
    Man(man::Man),
    Schema(schema::Schema),
    #[command(name = "self")]
    SelfCommand(self_command::SelfCommand),
}

impl Command {
    pub fn run(self) -> ExitCode {
        match self {
            // Taken care of before this command line was read; here for the list of commands.
            Self::Hook(_) => ExitCode::Usage,
            Self::Allow(allow) => allow.run(),
            Self::Backtest(backtest) => backtest.run(),
            Self::Completions(completions) => completions.run(),
            Self::Demo(demo) => demo.run(),
            Self::Doctor(doctor) => doctor.run(),
            Self::Explain(explain) => explain.run(),
            Self::Fleet(fleet) => fleet.run(),
            Self::Fsm(fsm) => fsm.run(),
            Self::Init(init) => init.run(),
            Self::Install(install) => install.run(),
            Self::List(list) => list.run(),
            Self::Log(log) => log.run(),
            Self::Man(man) => man.run(),
            Self::Orchestrator(orchestrator) => orchestrator.run(),
            Self::Policy(policy) => policy.run(),
            Self::Replay(replay) => replay.run(),
            Self::Rules(rules) => rules.run(),
            Self::Schema(schema) => schema.run(),
            Self::SelfCommand(command) => command.run(),
            Self::Serve(serve) => serve.run(),
            Self::Stats(stats) => stats.run(),
            Self::Sync(sync) => sync.run(),
            Self::Test(test) => test.run(),
            Self::Trust(trust) => trust.run(),
            Self::Try(call) => call.run(),
            #[cfg(feature = "ui")]
            Self::Ui(ui) => ui.run(),
            Self::Uninstall(uninstall) => uninstall.run(),
            Self::Validate(validate) => validate.run(),
            Self::Verify(verify) => verify.run(),
            #[cfg(feature = "ui")]
            Self::Watch(watch) => watch.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    /// Every command and those below it, with the words it is called by.
    fn commands() -> Vec<(String, clap::Command)> {
        let mut root = crate::command().disable_help_subcommand(true);
        root.build();
        let (mut found, mut open) = (Vec::new(), vec![(String::new(), root)]);
        while let Some((words, command)) = open.pop() {
            for below in command.get_subcommands() {
                let words = format!("{words} {}", below.get_name()).trim().to_owned();
                open.push((words.clone(), below.clone()));
                found.push((words, below.clone()));
            }
        }
        found
    }

    #[test]
    fn every_command_says_whether_it_only_reads_or_what_it_changes() {
        for (words, command) in commands() {
            let about = command.get_long_about().or_else(|| command.get_about()).unwrap_or_default().to_string();
            let last = about.trim_end().rsplit_once("\n\n").map_or(about.as_str(), |(_, last)| last).to_lowercase();
            let says =
                ["only reads", "writes ", "changes ", "keeps ", "removes "].iter().any(|word| last.contains(word));
            assert!(says, "`hookrail {words}` does not: {about}");
        }
    }

    #[test]
    fn every_command_that_does_something_answers_in_json_if_asked() {
        for (words, command) in commands() {
            // The answer to an agent is in the agent's form.
            let exempt = command.has_subcommands() || words == "hook";
            let has_json = command.get_arguments().any(|argument| argument.get_long() == Some("json"));
            assert!(has_json || exempt, "`hookrail {words}` does not");
        }
    }
}
