//! Putting hookrail into agents, and taking it out again.
//!
//! ```text
//! agents, packs ─registration→ events, tools, timeouts ─merge→ changed text ─change→ file, backup, record
//! ```
//!
//! What was installed where is remembered in the state directory. Whoever wants to know: [`InstallRecord::all`] lists the
//! installations of this machine, [`InstallRecord::entry_state`] says whether one is as it was written.

mod change;
mod command_line;
mod content;
pub mod coverage;
mod json_entries;
mod merge;
mod needs;
mod plugin_module;
mod record;
mod registration;
mod report;
mod settings_file;
mod switch;
mod table_entries;
mod target;
mod warnings;
mod whole_file;

pub use change::settings_for;
pub use command_line::HookCommand;
pub use record::{EntryState, InstallRecord, scope_word};
pub use registration::Verifier;
pub use target::{ScopeArg, find_packs};

use crate::current_project::CurrentProject;
use crate::exit_code::ExitCode;
use crate::hook::args::Selection;
use crate::screen;
use change::{ChangeError, FileChange};
use hookrail_dialects::Scope;
use record::{Intent, Ledger};
use report::ReportedChange;
use serde_json::{Value, json};
use std::io;
use std::path::PathBuf;
use target::{Target, find_agents};

/// Put hookrail into an agent's own configuration.
///
/// Adds `hookrail hook` to the agent's hooks, for the events and tools that the enabled packs need. What stands in the file
/// already, comments and order included, stays as it is. Run it again after enabling another pack.
///
/// Changes the agent's configuration file, of which it keeps a backup in the state directory; `--dry-run` only reads.
#[derive(clap::Args)]
pub struct Install {
    /// The agent, such as claude, gemini or codex; `hookrail install x` lists them all
    #[arg(required = true, value_name = "AGENT")]
    agents: Vec<String>,
    /// Only the hooks of this pack (repeats); otherwise what `hookrail.toml` enables
    #[arg(long = "pack", value_name = "PACK")]
    packs: Vec<String>,
    /// Which of the agent's files
    #[arg(long, value_enum, default_value = "project")]
    scope: ScopeArg,
    /// Have a model of the agent itself verify completed tasks, in place of hookrail (pack orchestrator)
    #[arg(long, value_enum, value_name = "TYPE")]
    verifier: Option<Verifier>,
    #[command(flatten)]
    manner: OutputOptions,
}

/// Take hookrail out of an agent's configuration.
///
/// The file is then as it was before `install`; other changes since then are kept.
///
/// Changes the agent's configuration file, of which it keeps a backup in the state directory; `--dry-run` only reads.
#[derive(clap::Args)]
pub struct Uninstall {
    /// The agent, such as claude, gemini or codex; `hookrail install x` lists them all
    #[arg(required = true, value_name = "AGENT")]
    agents: Vec<String>,
    /// Which of the agent's files; otherwise all that apply here
    #[arg(long, value_enum)]
    scope: Option<ScopeArg>,
    #[command(flatten)]
    manner: OutputOptions,
}

#[derive(clap::Args)]
struct OutputOptions {
    /// Show what would change, as a diff, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Install {
    pub fn run(&self) -> ExitCode {
        let plan = |place: &CurrentProject, ledger: &Ledger<'_>| {
            let selection = Selection { packs: find_packs(&self.packs)?, ..Selection::default() };
            let targets = targets(&self.agents, Some(self.scope), place)?;
            let changes =
                targets.into_iter().map(|target| FileChange::install(target, &selection, self.verifier, place, ledger));
            Ok(changes.filter_map(Result::transpose).collect())
        };
        self.manner.carry_out(plan)
    }
}

impl Uninstall {
    pub fn run(&self) -> ExitCode {
        let plan = |place: &CurrentProject, ledger: &Ledger<'_>| {
            let targets = targets(&self.agents, self.scope, place)?;
            let elsewhere = ledger.elsewhere(&targets);
            let changes = targets.into_iter().filter_map(|target| FileChange::uninstall(target, ledger).transpose());
            let changes: Vec<_> = changes.collect();
            if changes.is_empty() && !self.manner.json {
                screen::note(format!("nothing to do: hookrail is not installed in {} here", self.agents.join(", ")));
            }
            if !self.manner.json {
                let still =
                    |file: &PathBuf| format!("hookrail stays in `{}`", screen::one_line(&file.display().to_string()));
                elsewhere.iter().map(still).for_each(screen::note);
            }
            Ok(changes)
        };
        self.manner.carry_out(plan)
    }
}

fn targets(agents: &[String], scope: Option<ScopeArg>, place: &CurrentProject) -> Result<Vec<Target>, ChangeError> {
    let agents = find_agents(agents)?;
    let mut targets = Vec::new();
    for agent in agents {
        match scope {
            Some(scope) => targets.extend(Target::find(agent, Scope::from(scope), place)?),
            None => targets.extend(Target::all(agent, place)?),
        }
    }
    Ok(targets)
}

/// What holds for several agents is said once.
fn warn_once(changes: &[FileChange]) {
    let mut said: Vec<&String> = Vec::new();
    for warning in changes.iter().flat_map(|change| &change.warnings) {
        if !said.contains(&warning) {
            screen::warn(warning);
            said.push(warning);
        }
    }
}

type Planned = Vec<Result<FileChange, ChangeError>>;

impl OutputOptions {
    /// Plans every change before the first is made: if one is impossible, none is made.
    fn carry_out(&self, plan: impl FnOnce(&CurrentProject, &Ledger<'_>) -> Result<Planned, ChangeError>) -> ExitCode {
        let work = || -> Result<ExitCode, ChangeError> {
            let place = CurrentProject::here()?;
            let intent = if self.dry_run { Intent::Look } else { Intent::Change };
            let mut ledger = Ledger::open(&place, intent)?;
            let planned = plan(&place, &ledger)?;
            let (planned, errors): (Vec<_>, Vec<_>) = planned.into_iter().partition(Result::is_ok);
            if !errors.is_empty() {
                errors.into_iter().filter_map(Result::err).for_each(|error| {
                    screen::fail(error.into());
                });
                return Ok(ExitCode::Usage);
            }
            let mut changes: Vec<FileChange> = planned.into_iter().flatten().collect();
            let mut told: Vec<Value> = Vec::new();
            for change in &mut changes {
                let backup = if self.dry_run { None } else { change.make(&mut ledger)? };
                let report = ReportedChange { change, backup };
                told.push(report.json(self.dry_run));
                self.tell(&report, &place);
            }
            if self.json {
                anstream::println!("{:#}", screen::versioned(json!({ "dry_run": self.dry_run, "changes": told })));
            } else {
                warn_once(&changes);
            }
            Ok(ExitCode::Success)
        };
        work().unwrap_or_else(|error| screen::fail(error.into()))
    }

    fn tell(&self, report: &ReportedChange<'_>, place: &CurrentProject) {
        if self.json {
            return;
        }
        let mut out = anstream::stdout();
        let written = if self.dry_run && report.change.changes_anything() {
            report.write_diff(&mut out)
        } else {
            report.write(place, &mut out)
        };
        // A closed stdout does not undo the work.
        written.and_then(|()| io::Write::flush(&mut out)).unwrap_or_default();
    }
}
