//! Is everything in order? One file per area; each looks at the machine and says what it found.

mod agents;
mod binary;
mod configuration;
mod entries;
mod hooks;
mod item;
mod policy;
mod repair;
mod report;
mod sessions;
mod state;
mod trust;
mod versions;

pub use configuration::misplaced_file;
pub use versions::{find_all as find_programs, version_told_by};

use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, Progress};
use item::{Area, CheckStatus};
use repair::Repair;
use std::time::Duration;

/// How often the clock looks.
const TICK: Duration = Duration::from_millis(20);

/// Look whether everything is in order: program, agents, configuration, hook entries, trust, state.
///
/// Each finding names what is wrong, why it matters and the command that fixes it. Agents are found in this shell's PATH;
/// at most their `--version` is run.
///
/// Exits with 3 if something is wrong; things to look at exit with 0, or with 1 if `--strict` is given. Only reads, unless `--fix` is given, which makes and
/// protects the state directory, removes locks without an owner and installs altered entries again.
#[derive(clap::Args)]
pub struct Doctor {
    /// Mend what can be mended without losing anything, and say what was done
    #[arg(long)]
    fix: bool,
    /// Exit with 1 if there is anything to look at, for CI
    #[arg(long)]
    strict: bool,
    /// Only what comes with the project: configuration, hook entries and hook files; for machines on which no agent runs
    #[arg(long, conflicts_with = "fix")]
    project: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub fn run(&self) -> ExitCode {
        self.examine().unwrap_or_else(screen::fail)
    }

    fn examine(&self) -> Result<ExitCode, CliError> {
        let place = CurrentProject::here()?;
        let reach = if self.project { DoctorScope::Project } else { DoctorScope::Machine };
        let mut areas = examine(&place, reach);
        let mut done = Vec::new();
        if self.fix {
            let mut tried: Vec<Repair> = Vec::new();
            // What is mended may bring to light what it hid.
            while let Some(repair) = next_repair(&areas, &tried) {
                done.push(repair.apply(&place));
                tried.push(repair);
                areas = examine(&CurrentProject::at(&place.folder), reach);
            }
        }
        if self.json {
            anstream::println!("{:#}", screen::versioned(report::json(&areas, &done)));
        } else {
            report::print(&areas, &done);
        }
        let failed = done.iter().any(Result::is_err);
        let worst = areas.iter().map(Area::worst).max().unwrap_or(CheckStatus::Fine);
        Ok(match worst {
            _ if failed => ExitCode::Failed,
            CheckStatus::Wrong => ExitCode::Failed,
            CheckStatus::Look if self.strict => ExitCode::Usage,
            CheckStatus::Look | CheckStatus::Fine => ExitCode::Success,
        })
    }
}

/// The first that was not tried yet; the state directory goes first, because the others need it.
fn next_repair(areas: &[Area], tried: &[Repair]) -> Option<Repair> {
    areas.iter().flat_map(Area::repairs).filter(|repair| !tried.contains(repair)).min().cloned()
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DoctorScope {
    /// What a checkout of the project has everywhere.
    Project,
    /// That, and what this user has on this machine.
    Machine,
}

type Examine = fn(&CurrentProject, &hooks::Survey) -> Area;

/// Everything that is looked at, in the order of the list, and where it is found.
const AREAS: [(DoctorScope, Examine); 9] = [
    (DoctorScope::Project, binary::examine),
    (DoctorScope::Machine, |place, _| agents::examine(place)),
    (DoctorScope::Project, |place, survey| configuration::examine(place, &survey.configurations)),
    (DoctorScope::Machine, |place, _| policy::examine(place)),
    (DoctorScope::Project, entries::examine),
    (DoctorScope::Machine, trust::examine),
    (DoctorScope::Project, hooks::examine),
    (DoctorScope::Machine, |place, _| state::examine(place)),
    (DoctorScope::Machine, |place, _| sessions::examine(place)),
];

/// Looks at one area after the other, beside a clock: when it takes long, the person sees how far it is.
fn examine(place: &CurrentProject, reach: DoctorScope) -> Vec<Area> {
    let areas: Vec<Examine> = AREAS
        .iter()
        .filter(|(found, _)| reach == DoctorScope::Machine || *found == reach)
        .map(|(_, examine)| *examine)
        .collect();
    let progress = Progress::new("examining", areas.len() as u64);
    let look = || -> Vec<Area> {
        let survey = hooks::Survey::of(place);
        let examine = |examine: &Examine| {
            let area = examine(place, &survey);
            progress.advance(1);
            area
        };
        areas.iter().map(examine).collect()
    };
    std::thread::scope(|scope| {
        let worker = scope.spawn(look);
        while !worker.is_finished() {
            std::thread::sleep(TICK);
            progress.advance(0);
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
