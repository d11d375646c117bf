//! A command that may run, as it was checked.

#[cfg(target_os = "linux")]
use super::handing::hand_over;
use super::identity::Script;
use super::scripts::FoundScripts;
use super::watch::Watch;
use hookrail_core::OnError;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// A command of a project that was approved, with what was checked of it.
#[derive(Debug)]
pub(crate) struct Cleared {
    /// What the shell is given.
    pub command: String,
    /// What the command refers to by number; open for as long as this is.
    pub inherited: Vec<Arc<File>>,
    /// What was approved wanted this in case of failure.
    pub on_error: OnError,
    watch: Option<Watch>,
}

impl Cleared {
    /// Gets a command ready to run. An error says which of its files is no longer what was checked.
    pub(super) fn new(found: &FoundScripts, project: &Path, on_error: OnError) -> Result<Self, String> {
        let handed = hand_over(found);
        let is_open = |script: &&Script| !handed.settled.contains(&script.path);
        let open: Vec<&Script> = found.files.iter().filter(is_open).collect();
        let watch = if open.is_empty() { None } else { Some(Watch::start(&open, project)?) };
        Ok(Self { command: handed.command, inherited: handed.inherited, on_error, watch })
    }

    /// A file that the command may have opened and that was another one for a while.
    pub fn changed(&self) -> Option<&Path> {
        self.watch.as_ref().and_then(Watch::changed)
    }
}

/// Where there are no sealed files in memory every file is watched.
#[cfg(not(target_os = "linux"))]
struct CheckedCommand {
    command: String,
    inherited: Vec<Arc<File>>,
    settled: std::collections::BTreeSet<std::path::PathBuf>,
}

#[cfg(not(target_os = "linux"))]
fn hand_over(found: &FoundScripts) -> CheckedCommand {
    CheckedCommand { command: found.command.clone(), inherited: Vec::new(), settled: std::collections::BTreeSet::new() }
}
