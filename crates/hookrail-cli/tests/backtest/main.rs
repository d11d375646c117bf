//! `hookrail backtest` on transcripts that real agents wrote, and what is in the shadow.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

mod browser;
mod report;
mod shadow;

use hookrail_testkit::folders;
use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use std::path::Path;
use std::process::Command;

/// A home with transcripts, and a folder to be in.
struct TranscriptFixture {
    project: TempProject,
    home: TempProject,
}

impl TranscriptFixture {
    fn empty() -> Self {
        Self { project: TempProject::new(), home: TempProject::new() }
    }

    /// With the transcripts of these agents.
    fn with(agents: &[&str]) -> Self {
        let place = Self::empty();
        for agent in agents {
            let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hookrail-backtest/tests/fixtures").join(agent);
            folders::copy(&fixture, place.home.path()).unwrap();
        }
        place
    }

    fn all() -> Self {
        Self::with(&["claude", "codex", "gemini", "opencode"])
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        command.args(args);
        command
    }

    fn hookrail(&self, args: &[&str]) -> (Option<i32>, String, String) {
        talk(&mut self.command(args), "")
    }
}
