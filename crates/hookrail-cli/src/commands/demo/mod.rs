//! A session of a real agent, under every pack, with nothing to set up.
//!
//! ```text
//! story ─→ scripted model ←HTTP→ mini-agent (a process) ─→ `hookrail hook` (a process per event) ─→ journal
//!               └──────────────── script ←──────────────────────────────────────────────────────────┘
//!                                    └─ DemoStep → view (a person) or lines (a program), pace
//! ```

mod agent;
mod demo_project;
mod journal_feed;
mod lines;
mod pace;
mod project;
mod script;
mod step;
mod stopwatch;
mod story;
mod summary;
mod view;
mod wording;

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::interrupt::Interrupt;
use crate::screen;
use demo_project::DemoProject;
use lines::Lines;
use pace::Pace;
use script::{Break, DemoOutput};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use summary::{Counted, Summary};
use view::View;

/// Watch hooks at work: a scripted session of a real agent.
///
/// Makes a temporary project with every pack switched on and lets a small agent work in it, with a model that follows a
/// script: each event, the hooks that looked at it, their verdict and its time. Needs no agent, no key and no network.
/// Changes nothing outside the temporary project, which is gone afterwards.
#[derive(clap::Args)]
pub struct Demo {
    /// Do not pause for reading; so it is anyway where output is not a terminal
    #[arg(long)]
    fast: bool,
    /// Leave the project and its journal where they are, and say where
    #[arg(long)]
    keep: bool,
    /// Print one JSON object per line instead
    #[arg(long)]
    json: bool,
    /// The demo's agent, for the demo itself
    #[arg(last = true, hide = true)]
    agent: Vec<OsString>,
}

impl Demo {
    pub fn run(&self) -> ExitCode {
        if !self.agent.is_empty() {
            return agent::be_agent(&self.agent);
        }
        let interrupt = Interrupt::listen();
        let played = DemoProject::build().map_err(Break::Trouble).and_then(|demo| self.play(demo, &interrupt));
        match played {
            Ok(()) | Err(Break::Unseen) => ExitCode::Success,
            Err(Break::Interrupted) => screen::fail(CliError::usage("interrupted; the temporary project was removed")),
            Err(Break::Trouble(why)) => screen::fail(why.while_doing("the demo failed")),
        }
    }

    fn play(&self, demo: DemoProject, interrupt: &Interrupt) -> Result<(), Break> {
        let mut summary = Summary::default();
        if self.json {
            let mut lines = Lines { out: io::stdout().lock() };
            play(&demo, &mut lines, &mut summary, interrupt)?;
            lines.conclude(&summary, &demo, self.keep)?;
        } else {
            let mut view = View::new(&demo, self.pace(), interrupt);
            view.introduce(&demo)?;
            play(&demo, &mut view, &mut summary, interrupt)?;
            view.conclude(&summary, &demo, self.keep)?;
        }
        if self.keep {
            demo.keep();
        }
        Ok(())
    }

    fn pace(&self) -> Pace {
        if self.fast || !io::stdout().is_terminal() { Pace::Fast } else { Pace::Readable }
    }
}

fn play<A: DemoOutput>(
    demo: &DemoProject,
    output: &mut A,
    summary: &mut Summary,
    interrupt: &Interrupt,
) -> Result<(), Break> {
    script::play(demo, &mut Counted { output, summary }, interrupt)?;
    summary.process_time = stopwatch::process_time(demo);
    Ok(())
}
