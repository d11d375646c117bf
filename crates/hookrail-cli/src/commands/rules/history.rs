//! What rules did, as the journal has it.

use crate::commands::journal::{self, ReadProgress};
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_rules::{Layer, Rule};
use hookrail_store::{Cursor, JournalRecord, Outcome, Store};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// So many of the newest calls are kept for each rule.
const KEPT: usize = 5;
/// From so many approvals on a question is worth an exception.
const APPROVALS: u64 = 3;

/// How often a rule held.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    pub count: u64,
    /// Milliseconds since 1970.
    pub last: Option<i64>,
    /// The newest, oldest first.
    pub newest: Vec<PastHit>,
}

/// One call that a rule held for.
#[derive(Clone, Debug)]
pub struct PastHit {
    pub seq: u64,
    pub millis: i64,
    pub decision: String,
    pub subject: String,
}

/// Something that a person approved again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleProposal {
    pub rule: String,
    pub count: u64,
    /// What the question was about: the part of the call that the rule named.
    pub about: String,
    /// The newest record, which `hookrail allow` takes.
    pub seq: u64,
}

/// A question that may have been approved.
struct PendingApproval {
    key: (String, String),
    session: String,
    call: String,
    seq: u64,
}

/// What the journal says about rules.
#[derive(Debug, Default)]
pub struct History {
    /// By hook id and layer.
    hits: HashMap<(String, String), Hits>,
    pub proposals: Vec<RuleProposal>,
}

impl History {
    /// Reads the whole journal. Rules that come with the project are only counted in it.
    pub fn read(place: &CurrentProject) -> Result<Self, CliError> {
        let store = place.store()?;
        let mut history = Self::default();
        let mut reading = JournalPass { project: place.project.display().to_string(), ..JournalPass::default() };
        let mut progress = ReadProgress::new("reading the journal", &store);
        for item in store.records(Cursor::default()).map_err(CliError::machine)? {
            match item {
                Ok(entry) => {
                    progress.reached(entry.seq);
                    reading.take(entry.seq, &entry.record, &mut history);
                }
                Err(error) => journal::complain(&error),
            }
        }
        history.proposals = reading.proposals();
        Ok(history)
    }

    pub fn of(&self, rule: &Rule) -> Hits {
        self.hits.get(&(rule.hook_id(), rule.layer.name().to_owned())).cloned().unwrap_or_default()
    }
}

/// What is known on the way through the journal.
#[derive(Default)]
struct JournalPass {
    project: String,
    /// Whether the event that is being read happened in the project.
    here: bool,
    call: String,
    questions: Vec<PendingApproval>,
    approved: BTreeMap<(String, String), (u64, u64)>,
}

impl JournalPass {
    fn take(&mut self, seq: u64, record: &JournalRecord, history: &mut History) {
        if record.part == 0 {
            self.here = record.project.as_deref() == Some(self.project.as_str());
            self.call = call_of(record);
        }
        if matches!(record.event.as_str(), "AfterTool" | "ToolFailed") && record.part == 0 {
            self.settle(record);
        }
        let Some(rule) = record.extra.get("rule").and_then(Value::as_str) else { return };
        let layer = record.extra.get("layer").and_then(Value::as_str).unwrap_or_default();
        let of_project = [Layer::Project, Layer::Local].iter().any(|kind| kind.name() == layer);
        if record.outcome == Outcome::Skipped || of_project && !self.here {
            return;
        }
        let hits = history.hits.entry((record.hook.clone(), layer.to_owned())).or_default();
        hits.count += 1;
        hits.last = hits.last.max(Some(record.ts));
        if hits.newest.len() == KEPT {
            hits.newest.remove(0);
        }
        let decision = record.decision.clone().unwrap_or_else(|| journal::outcome_word(record.outcome).to_owned());
        let subject = record.subject.clone().unwrap_or_default();
        hits.newest.push(PastHit { seq, millis: record.ts, decision, subject });
        if record.decision.as_deref() == Some("ask") && record.event == "BeforeTool" {
            let key = (rule.to_owned(), about(record));
            let (session, call) = (record.session.clone(), self.call.clone());
            self.questions.push(PendingApproval { key, session, call, seq });
        }
    }

    /// A call that ended was approved, if there was a question about it.
    fn settle(&mut self, record: &JournalRecord) {
        let call = &self.call;
        let is_it = |question: &PendingApproval| question.session == record.session && question.call == *call;
        let (asked, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.questions).into_iter().partition(is_it);
        self.questions = left;
        for question in asked {
            let (count, newest) = self.approved.entry(question.key).or_default();
            *count += 1;
            *newest = question.seq;
        }
    }

    fn proposals(self) -> Vec<RuleProposal> {
        let often = self.approved.into_iter().filter(|(_, (count, _))| *count >= APPROVALS);
        often.map(|((rule, about), (count, seq))| RuleProposal { rule, count, about, seq }).collect()
    }
}

/// What makes a call the same before and after it: its id, or its tool and input.
fn call_of(record: &JournalRecord) -> String {
    let field = |name: &str| record.input.as_ref()?.get(name)?.as_str().map(str::to_owned);
    let id = field("tool_use_id").or_else(|| field("tool_call_id")).filter(|id| !id.is_empty());
    id.unwrap_or_else(|| {
        let tool = record.tool.as_deref().unwrap_or_default();
        format!("{tool} {}", record.subject.as_deref().unwrap_or_default())
    })
}

/// The part of the call that the rule named first.
fn about(record: &JournalRecord) -> String {
    let subject = record.subject.as_deref().unwrap_or_default();
    let span = record.extra.get("hits").and_then(|hits| hits.pointer("/0/span"));
    let bound = |index: usize| usize::try_from(span?.get(index)?.as_u64()?).ok();
    let part = bound(0).zip(bound(1)).and_then(|(start, end)| subject.get(start..end));
    part.unwrap_or(subject).to_owned()
}
