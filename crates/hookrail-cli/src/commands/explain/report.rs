//! Everything there is to say about one event.

use super::considered::{self, Considered, HookDisposition, micros};
use super::merging::{self, MergeStep, Merged};
use crate::commands::understood::UnderstoodCall;
use crate::hook::args::Contract;
use crate::hook::rehearsal::{Changes, NOT_STARTED, OverlayEntry};
use crate::hook::{Decided, PreparedEvent};
use hookrail_core::{EventName, Order};
use hookrail_engine::registry::closest;
use serde::Serialize;
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    pub agent: &'static str,
    pub event: Subject,
    /// What the tool call would do; absent for an event without one.
    #[serde(flatten)]
    pub call: Option<UnderstoodCall>,
    pub contract: &'static str,
    /// What is wrong with the configuration.
    pub complaints: Vec<String>,
    pub hooks: Vec<Considered>,
    /// How the planned hooks run; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<&'static str>,
    pub merge: Vec<MergeStep>,
    pub verdict: Merged,
    pub answer: Bytes,
    /// What `hookrail hook` would change outside of its own state.
    pub would_change: Vec<WouldChange>,
    /// Hooks that were left out of all this, because they are commands.
    pub not_started: Vec<String>,
    /// How often a hook would have asked a model.
    pub model_questions: usize,
    pub times: Times,
}

/// What happened in the agent.
#[derive(Clone, Debug, Serialize)]
pub struct Subject {
    pub name: String,
    /// The agent's own word for it.
    pub native: String,
    /// hookrail has a word for it, so its hooks may listen to it.
    pub known: bool,
    /// What was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    pub session: String,
    pub cwd: PathBuf,
    pub project: PathBuf,
}

/// What the agent gets.
#[derive(Clone, Debug, Serialize)]
pub struct Bytes {
    pub stdout: String,
    pub stderr: String,
    pub exit_code: i32,
}

#[derive(Clone, Debug, Serialize)]
pub struct WouldChange {
    pub path: PathBuf,
    /// `write`, `make` or `remove`.
    pub what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
}

/// In microseconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Times {
    /// Reading, configuration, planning.
    pub plan: u64,
    pub hooks: u64,
    pub total: u64,
}

impl Explanation {
    pub fn new(prepared: &PreparedEvent, contract: Contract, decided: &Decided) -> Self {
        let hooks = considered::all(prepared, &decided.verdict);
        let left_out = hooks.iter().filter(|hook| hook.fate == HookDisposition::Skipped && hook.why == NOT_STARTED);
        let not_started = left_out.map(|hook| hook.hook.clone()).collect();
        let answer = &decided.answer;
        Self {
            agent: prepared.dialect.name(),
            event: Subject::of(prepared),
            call: UnderstoodCall::of(prepared, &decided.verdict),
            contract: match contract {
                Contract::Agent => "agent",
                Contract::Spec => "spec",
            },
            complaints: prepared.engine.diagnostics().iter().map(ToString::to_string).collect(),
            hooks,
            order: (!decided.verdict.runs().is_empty()).then_some(match decided.verdict.order() {
                Order::Parallel => "parallel",
                Order::Sequential => "sequential",
            }),
            merge: merging::steps(&decided.verdict),
            verdict: merging::result(&decided.verdict),
            answer: Bytes { stdout: answer.stdout.clone(), stderr: answer.stderr.clone(), exit_code: answer.exit_code },
            would_change: Vec::new(),
            not_started,
            model_questions: 0,
            times: Times { hooks: micros(decided.verdict.total_duration()), ..Times::default() },
        }
    }

    pub fn time(&mut self, plan: Duration, total: Duration) {
        (self.times.plan, self.times.total) = (micros(plan), micros(total));
    }

    /// What the rehearsal kept in memory.
    pub fn add_changes(&mut self, changes: &Changes) {
        self.model_questions = changes.questions();
        self.would_change = changes.paths().into_iter().map(|(path, change)| WouldChange::of(path, &change)).collect();
    }
}

impl WouldChange {
    fn of(path: PathBuf, change: &OverlayEntry) -> Self {
        let (what, bytes) = match change {
            OverlayEntry::File { content, .. } => ("write", Some(content.len())),
            OverlayEntry::Folder => ("make", None),
            OverlayEntry::Gone => ("remove", None),
        };
        Self { path, what, bytes }
    }
}

impl Subject {
    fn of(prepared: &PreparedEvent) -> Self {
        let event = &prepared.event;
        let native = event.native_name.as_str();
        let known = !matches!(event.name, EventName::Other(_));
        Self {
            name: event.name.to_string(),
            native: native.to_owned(),
            known,
            guess: if known {
                None
            } else {
                closest(native, prepared.dialect.native_events()).filter(|guess| *guess != native)
            },
            tool: event.tool.as_ref().map(|tool| tool.name.clone()),
            about: hookrail_engine::subject(event).map(Cow::into_owned),
            session: event.session_id.clone(),
            cwd: event.cwd.clone(),
            project: prepared.project.clone(),
        }
    }
}
