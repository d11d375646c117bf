//! A look at the engine at work: real hooks, real events, no agent, nothing to set up.

mod scene;
mod stage;

use crate::exit_code::ExitCode;
use anstream::eprintln;
use scene::SCENES;
use stage::Stage;
use std::io::Write;

/// Show the engine at work on sample events.
///
/// Makes a temporary project with a few real hooks (shell scripts and native ones), fires sample events at them and shows
/// plan, runs and verdict of each. Only reads, except for the temporary project, which is gone afterwards.
#[derive(clap::Args)]
pub struct Demo {
    /// Print one JSON object per event instead
    #[arg(long)]
    json: bool,
}

impl Demo {
    pub fn run(&self) -> ExitCode {
        match self.play(&mut anstream::stdout()) {
            Ok(()) => ExitCode::Success,
            // The reader has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::Success,
            Err(error) => {
                eprintln!("error: the demo could not be played: {error}");
                ExitCode::Usage
            }
        }
    }

    fn play(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let stage = Stage::build()?;
        if !self.json {
            stage.introduce(out)?;
        }
        let mut blocked = 0;
        for scene in SCENES {
            let verdict = stage.fire(scene);
            blocked += usize::from(verdict.decision >= hookrail_core::Decision::Block);
            if self.json { stage.write_json(scene, &verdict, out)? } else { stage.show(scene, &verdict, out)? }
        }
        if !self.json {
            stage.conclude(SCENES.len(), blocked, out)?;
        }
        Ok(())
    }
}
