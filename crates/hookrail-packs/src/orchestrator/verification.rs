//! What is said about a completed task, in the document's words first.

use super::config::Verification;
use super::evidence::Evidence;
use super::task_file::Report;
use hookrail_core::Event;
use hookrail_core::display::{one_line, quoted};

/// A task that was completed, as it is called in sentences.
#[derive(Clone, Debug)]
pub(super) struct CompletedTask {
    id: Option<String>,
    subject: Option<String>,
}

impl CompletedTask {
    pub fn of(event: &Event) -> Self {
        let text = |key: &str| {
            let text = event.text(key).map(str::trim).filter(|text| !text.is_empty());
            text.map(|text| one_line(text).into_owned())
        };
        Self { id: text("task_id"), subject: text("task_subject") }
    }

    /// What to call it (errata D9).
    pub fn label(&self) -> String {
        match (&self.id, &self.subject) {
            (Some(id), Some(subject)) => format!("Task #{id}: {subject}"),
            (Some(id), None) => format!("Task #{id}"),
            (None, Some(subject)) => subject.clone(),
            (None, None) => "the completed task".to_owned(),
        }
    }

    fn subject(&self) -> String {
        self.subject.clone().unwrap_or_else(|| self.label())
    }
}

/// What to verify. The first sentences are the document's, word for word; what follows is added.
pub(super) fn request(mode: Verification, report: &Report, task: &CompletedTask, plan: &str) -> String {
    let (subject, plan) = (task.subject(), one_line(plan));
    let mut text = match (mode, report) {
        (Verification::Prompt, _) | (_, Report::Malformed) => format!(
            "Lightweight verification: check that the task completion for '{subject}' includes a commit SHA, list of files \
             changed, and test results. Design doc: {plan}."
        ),
        (Verification::Agent, Report::None | Report::Made(_)) => format!(
            "Verify this task completion against the design doc at {plan}. Task: {subject}. Check: 1) Files mentioned exist \
             and contain expected changes. 2) A commit was created. 3) Task spec requirements from the design doc are met."
        ),
    };
    if task.id.is_some() && task.subject.is_some() {
        text.push_str(&format!(" This is {}.", task.label()));
    }
    match report {
        Report::None => text.push_str(" It has no metadata: verify task completion by its commit and its files."),
        Report::Malformed => text.push_str(" Its metadata is malformed."),
        Report::Made(_) => {}
    }
    text
}

/// Why a completion is refused that nothing contradicts: it is not verified yet.
pub(super) fn first_refusal(task: &CompletedTask, evidence: &Evidence) -> String {
    let mut text = format!(
        "{} is not verified yet. Its completion is refused this once: go through the check list, put right what is missing, \
         and mark the task as completed again.",
        task.label()
    );
    for (label, list) in [("Found so far", &evidence.found), ("Not found", &evidence.missing)] {
        if !list.is_empty() {
            text.push_str(&format!("\n{label}: {}.", list.join("; ")));
        }
    }
    text
}

/// Why a completion is refused that cannot be one.
pub(super) fn contradiction(task: &CompletedTask, evidence: &Evidence, request: &str) -> String {
    let list: String = evidence.contradictions.iter().map(|what| format!("\n- {what}")).collect();
    format!(
        "{} is not complete yet:{list}\nPut this right, or correct the task's metadata if the report is wrong, and then \
         complete the task. Do not repeat the same update unchanged.\n{request}",
        task.label()
    )
}

/// What the user should know of a completion that passes.
pub(super) fn remark(task: &CompletedTask, evidence: &Evidence) -> Option<String> {
    if !evidence.contradictions.is_empty() {
        return Some(format!("{} was completed although {}.", task.label(), evidence.contradictions.join(", ")));
    }
    let nothing = evidence.found.is_empty() && !evidence.missing.is_empty();
    nothing.then(|| {
        format!("{} was completed without evidence: not found were {}.", task.label(), evidence.missing.join(" and "))
    })
}

/// A design document that a report names and that is gone.
pub(super) fn missing_document(document: &str) -> String {
    format!("The design document {} that the task names does not exist.", quoted(document))
}
