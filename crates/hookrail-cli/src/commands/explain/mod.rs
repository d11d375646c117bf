//! `hookrail explain`: what `hookrail hook` would do with an event, and why.

pub mod considered;
mod input;
mod ladder;
mod merging;
mod others;
pub mod page;
pub mod report;

use crate::current_project::working_folder;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::hook::args::{self, Args, Contract, Selection};
use crate::hook::rehearsal::{Commands, Rehearsal};
use crate::hook::{self, Machine, PreparedEvent, RealMachine};
use crate::screen;
use clap::ValueEnum;
use hookrail_dialects::restore;
use hookrail_engine::layers::LayerKind;
use report::Explanation;
use serde_json::{Map, Value};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Show what hookrail would do with an event, and why.
///
/// Reads one event of an agent as JSON on stdin, as `hookrail hook` does, or a record of `hookrail log --json`, and shows what
/// the tool call would do, every hook that was considered, why it ran or did not, how their opinions were merged, and the bytes
/// the agent would get. Hooks run in a rehearsal: files they
/// write exist in memory only, the session is a copy, nothing is recorded, and neither commands nor models are asked. Only
/// reads, unless `--run-commands` starts command hooks, which do what they do.
#[derive(clap::Args)]
pub struct Explain {
    /// Whose event it is: claude, gemini, llxprt, codex, qwen, copilot, vscode, cursor or droid; recognised if not given
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only the hooks of this pack (repeats)
    #[arg(long = "pack", value_name = "NAME")]
    packs: Vec<String>,
    /// Only this hook
    #[arg(value_name = "PACK/HOOK")]
    hook: Option<String>,
    /// The form of the answer: what the agent honours, or what the pack's own document prescribes
    #[arg(long, value_enum, default_value_t = Form::Agent)]
    contract: Form,
    /// Decide as if this were the project's hookrail.toml; the other layers stay
    #[arg(long, value_name = "FILE", conflicts_with = "in_earnest")]
    config: Option<PathBuf>,
    /// The layer whose file FILE takes the place of
    #[arg(long, value_name = "NAME", requires = "config", default_value = "project", value_parser = ["user", "project", "local"])]
    layer: String,
    /// Start command hooks too; what they change stays changed
    #[arg(long)]
    run_commands: bool,
    /// A call of a past session, by the name that `hookrail backtest` has for it, in place of an event on stdin
    #[arg(long, value_name = "CALL", conflicts_with = "agent")]
    call: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Answer the event in earnest, state and journal included; how `hookrail test` plays its scenarios
    #[arg(long, hide = true)]
    in_earnest: bool,
}

/// A scenario comes with a repository, like the commands in it.
const NOT_ASKED_FOR: &str = "scenarios start commands only with `hookrail test --run-commands`";

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    Agent,
    Spec,
}

impl Explain {
    pub fn run(&self) -> ExitCode {
        match self.explain() {
            Ok(()) => ExitCode::Success,
            Err(error) => screen::fail(error),
        }
    }

    fn explain(&self) -> Result<(), CliError> {
        let args = self.args()?;
        let payload = self.call.as_deref().map_or_else(input::read, input::past)?;
        let begun = Instant::now();
        if self.in_earnest {
            let machine = RealMachine::new(crate::internet());
            let machine = if self.run_commands { machine } else { machine.without_commands(NOT_ASKED_FOR) };
            return self.show(&args, &machine, payload, begun, &|_| {});
        }
        let commands = if self.run_commands { Commands::Run } else { Commands::Leave };
        let rehearsal = Rehearsal::new(commands)
            .map_err(|error| CliError::machine(format!("cannot make a temporary folder: {error}")))?;
        let rehearsal = match &self.config {
            Some(file) => rehearsal.with_file(layer(&self.layer), readable(file)?),
            None => rehearsal,
        };
        let changes = rehearsal.changes().clone();
        self.show(&args, &rehearsal, payload, begun, &move |explanation| explanation.add_changes(&changes))
    }

    fn show(
        &self,
        args: &Args,
        machine: &impl Machine,
        payload: Map<String, Value>,
        begun: Instant,
        complete: &(impl Fn(&mut Explanation) + Clone + Send + 'static),
    ) -> Result<(), CliError> {
        let prepared = match input::recorded(&payload) {
            Some((agent, event)) => PreparedEvent::open(args, machine, agent, restore(event, agent))?,
            None => PreparedEvent::receive(args, machine, payload)?,
        };
        let planned = begun.elapsed();
        let (contract, json) = (args.contract, self.json);
        let tell = {
            let (prepared, complete) = (Arc::clone(&prepared), complete.clone());
            move |decided: &hook::Decided| {
                let mut explanation = Explanation::new(&prepared, contract, decided);
                explanation.time(planned, begun.elapsed());
                complete(&mut explanation);
                print(&explanation, json);
            }
        };
        let late = {
            let tell = tell.clone();
            move |decided: hook::Decided| {
                tell(&decided);
                hook::end(ExitCode::Success as u8);
            }
        };
        tell(&prepared.decide(late));
        Ok(())
    }

    fn args(&self) -> Result<Args, CliError> {
        let agent = self.agent.as_deref().map(args::find_agent).transpose()?;
        let packs = self.packs.iter().map(|pack| args::find_pack(pack)).collect::<Result<_, _>>()?;
        let hook = self.hook.as_deref().map(args::find_hook).transpose()?;
        let contract = match self.contract {
            Form::Agent => Contract::Agent,
            Form::Spec => Contract::Spec,
        };
        Ok(Args { agent, selection: Selection { packs, hook, ..Selection::default() }, contract })
    }
}

fn layer(name: &str) -> LayerKind {
    match name {
        "user" => LayerKind::User,
        "local" => LayerKind::Local,
        _ => LayerKind::Project,
    }
}

/// A file that cannot be read would be tried in vain.
fn readable(file: &Path) -> Result<PathBuf, CliError> {
    let file = working_folder()?.join(file);
    std::fs::read(&file).map_err(|error| CliError::unreadable(&file, error))?;
    Ok(file)
}

/// A closed stdout is not an error.
fn print(explanation: &Explanation, json: bool) {
    let mut out = anstream::stdout();
    let _ = if json {
        serde_json::to_writer(&mut out, &screen::versioned(explanation))
            .map_err(Into::into)
            .and_then(|()| writeln!(out))
    } else {
        page::write(explanation, &mut out)
    };
    let _ = out.flush();
}
