//! What speaks for a completed task and what against it: its report, the plan, the repository and the transcript.

use super::active::ActivePlan;
use super::changes::{Changes, FileState};
use super::named_files::named_files;
use super::task_file::{Metadata, Report};
use super::test_runs::last_test_run;
use hookrail_core::display::{one_line, quoted};
use hookrail_core::{Event, World};

/// In sentences without a full stop. What cannot be checked (no repository, no git) is in none of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    pub found: Vec<String>,
    /// What one would expect and is not there. It may be elsewhere.
    pub missing: Vec<String>,
    /// What cannot be if the task is complete.
    pub contradictions: Vec<String>,
}

impl Evidence {
    pub fn gather(report: &Report, event: &Event, active: &ActivePlan, world: &dyn World) -> Self {
        let mut evidence = Self::default();
        let mut changes = Changes::since_start(event, active, world);
        let metadata = match report {
            Report::Made(metadata) => metadata.clone(),
            Report::None | Report::Malformed => Metadata::default(),
        };
        evidence.look_at_commit(&metadata, &mut changes, &active.state.started);
        if metadata.files_changed.is_empty() {
            evidence.look_at_named_files(&files_of_task(event, active), &changes);
        } else {
            evidence.look_at_reported_files(&metadata, &changes);
        }
        evidence.look_at_tests(&metadata, event, active, world);
        evidence
    }

    fn look_at_commit(&mut self, metadata: &Metadata, changes: &mut Changes<'_>, started: &str) {
        let Some(id) = &metadata.commit else {
            match (changes.has_repository(), changes.has_commit()) {
                (true, true) => self.found.push("there is a commit since the start".to_owned()),
                (true, false) => self.missing.push("a commit since the start".to_owned()),
                (false, _) => {}
            }
            return;
        };
        match changes.commit(id) {
            Ok(Some(commit)) if commit.is_older_than(started) => self.contradictions.push(format!(
                "commit {} is older than the start of the implementation ({})",
                quoted(&commit.id),
                one_line(started)
            )),
            Ok(Some(commit)) => {
                changes.include(&commit);
                self.found.push(format!("commit {} exists", quoted(id)));
            }
            Ok(None) => self.contradictions.push(format!("commit {} does not exist", quoted(id))),
            Err(_) => {}
        }
    }

    /// Each file of a report must have changed: the report names each.
    fn look_at_reported_files(&mut self, metadata: &Metadata, changes: &Changes<'_>) {
        for file in &metadata.files_changed {
            let name = quoted(file);
            match (changes.state_of(file), &metadata.commit) {
                (FileState::Changed, _) => self.found.push(format!("file {name} has changed")),
                (FileState::Exists, _) => {}
                (FileState::Missing, _) => self.contradictions.push(format!("file {name} does not exist")),
                (FileState::Unchanged, Some(_)) => self
                    .contradictions
                    .push(format!("file {name} is not in the commit and has not changed since the start")),
                (FileState::Unchanged, None) => self
                    .contradictions
                    .push(format!("file {name} has not changed since the start and is in no commit since then")),
            }
        }
    }

    /// A text may name files for comparison as well; one that has changed shows that the others need not.
    fn look_at_named_files(&mut self, files: &[String], changes: &Changes<'_>) {
        let states: Vec<(&String, FileState)> = files.iter().map(|file| (file, changes.state_of(file))).collect();
        let any_changed = states.iter().any(|(_, state)| *state == FileState::Changed);
        for (file, state) in states {
            let name = quoted(file);
            match state {
                FileState::Changed => self.found.push(format!("file {name} has changed")),
                FileState::Exists => {}
                FileState::Missing => {
                    self.contradictions.push(format!("file {name}, which the task names, does not exist"));
                }
                FileState::Unchanged if any_changed => {}
                FileState::Unchanged => self.contradictions.push(format!(
                    "file {name}, which the task names, has not changed since the start and is in no commit since then"
                )),
            }
        }
    }

    fn look_at_tests(&mut self, metadata: &Metadata, event: &Event, active: &ActivePlan, world: &dyn World) {
        let run = last_test_run(event, active.state.started.parse().ok(), world);
        match (metadata.tests_passed, run) {
            (Some(false), _) => self.contradictions.push("`tests_passed` is false".to_owned()),
            (_, Some(run)) if !run.passed => {
                self.contradictions.push(format!("the last run of tests failed ({})", quoted(&run.command)));
            }
            (_, Some(run)) => self.found.push(format!("the last run of tests passed ({})", quoted(&run.command))),
            (Some(true), None) => self.found.push("`tests_passed` is true".to_owned()),
            (None, None) => self.missing.push("a run of tests".to_owned()),
        }
    }
}

/// The files that the task names: in the plan, and in what the event says of it.
fn files_of_task(event: &Event, active: &ActivePlan) -> Vec<String> {
    let subject = event.text("task_subject").unwrap_or_default();
    let description = event.text("task_description").unwrap_or_default();
    let planned = active.plan.as_ref().and_then(|plan| plan.task_called(subject));
    let planned = planned.map(|task| task.text.as_str()).unwrap_or_default();
    named_files(&[planned, subject, description].join("\n"))
}
