//! Is everything in order? One file per area; each looks at the machine and says what it found.

mod agents;
mod binary;
mod configuration;
mod entries;
mod hooks;
mod item;
mod repair;
mod report;
mod sessions;
mod state;
mod trust;
mod versions;

use crate::exit_code::ExitCode;
use crate::place::Place;
use crate::screen::{self, Progress};
use item::{Area, Mark};
use repair::Repair;
use std::time::Duration;

/// Look whether everything is in order: program, agents, configuration, hook entries, trust, state.
///
/// Each finding says what is wrong, why it matters and the command that mends it. Agents are found in this shell's PATH;
/// at most their `--version` is run.
///
/// Exits with 3 if something is wrong; things to look at exit with 0. Only reads, unless `--fix` is given, which makes and
/// protects the state directory, removes locks without an owner and installs altered entries again.
#[derive(clap::Args)]
pub struct Doctor {
    /// Mend what can be mended without losing anything, and say what was done
    #[arg(long)]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub fn run(&self) -> ExitCode {
        self.examine().unwrap_or_else(screen::fail)
    }

    fn examine(&self) -> Result<ExitCode, String> {
        let place = Place::here()?;
        let mut areas = watched(|| examine(&place));
        let mut done = Vec::new();
        if self.fix {
            let mut tried: Vec<Repair> = Vec::new();
            // What is mended may bring to light what it hid.
            while let Some(repair) = next_repair(&areas, &tried) {
                done.push(repair.apply(&place));
                tried.push(repair);
                areas = watched(|| examine(&Place::at(&place.folder)));
            }
        }
        if self.json {
            anstream::println!("{:#}", report::json(&areas, &done));
        } else {
            report::print(&areas, &done);
        }
        let failed = done.iter().any(Result::is_err);
        let wrong = areas.iter().any(|area| area.worst() == Mark::Wrong);
        Ok(if wrong || failed { ExitCode::Failed } else { ExitCode::Success })
    }
}

/// The first that was not tried yet; the state directory goes first, because the others need it.
fn next_repair(areas: &[Area], tried: &[Repair]) -> Option<Repair> {
    areas.iter().flat_map(Area::repairs).filter(|repair| !tried.contains(repair)).min().cloned()
}

fn examine(place: &Place) -> Vec<Area> {
    let survey = hooks::Survey::of(place);
    vec![
        binary::examine(place, &survey),
        agents::examine(place),
        configuration::examine(place, &survey.configurations),
        entries::examine(place, &survey),
        trust::examine(place, &survey),
        hooks::examine(place, &survey),
        state::examine(place),
        sessions::examine(place),
    ]
}

/// Does the work beside a clock, which lets the person see that something happens when it takes long.
fn watched<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let worker = scope.spawn(work);
        let progress = Progress::new("examining", 0);
        while !worker.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
            progress.advance(0);
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
