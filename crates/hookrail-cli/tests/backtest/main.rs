//! `hookrail backtest` on transcripts that real agents wrote, and what is in the shadow.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

mod browser;
mod report;
mod shadow;

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
            copy(&fixture, place.home.path());
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

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
