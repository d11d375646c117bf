//! Counts as calls come, in memory that does not grow with them.

use super::look::{Best, harm, review_weight};
use super::{
    AgentRow, BacktestReport, CallSource, ChangedCall, Counted, DayRow, Decisions, Diff, History, Interruptions,
    JudgedCall, Pair, Problem, ProblemKind, ProjectRow, RuleRow, Score, Selected, Shift, VERSION,
};
use crate::judge::{CallDecision, HookOpinion, Judged};
use crate::transcripts::{CallEnd, Outcome, PastCall, PastDecision, TranscriptProblem};
use hookrail_core::redaction::KnownSecrets;
use hookrail_engine::timestamp_of;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// The length of a day in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// How many of a list are reported.
const WORST: usize = 3;
const LOOK: usize = 10;
const CHANGED: usize = 200;
const SELECTED: usize = 200;
const PROJECTS: usize = 200;
/// So many places of a problem are named.
const EXAMPLES: usize = 5;
/// A call's text is not longer.
const SUBJECT: usize = 240;
/// A reason is not longer.
const REASON: usize = 600;

/// What is known of a call when it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Then {
    /// How it ended; unknown if the session ended first.
    pub end: CallEnd,
}

impl Then {
    /// A call whose end is not known.
    pub const UNKNOWN: Self = Self { end: CallEnd { outcome: Outcome::Unknown, decision: PastDecision::Unknown } };

    fn decision(self) -> PastDecision {
        self.end.decision
    }

    /// Whether a person was asked.
    fn was_asked(self) -> bool {
        matches!(self.end.decision, PastDecision::Approved | PastDecision::Refused | PastDecision::Asked)
    }
}

/// Counts for one report.
#[derive(Debug, Default)]
pub struct Collector {
    report: BacktestReport,
    rule: Option<String>,
    selected: VecDeque<JudgedCall>,
    selected_left_off: u64,
    agents: BTreeMap<&'static str, AgentRow>,
    /// Sessions that were counted, by a number of eight bytes each.
    sessions: HashSet<u64>,
    days: BTreeMap<i64, DayRow>,
    rules: HashMap<String, (RuleRow, u32)>,
    projects: HashMap<String, ProjectRow>,
    pairs: BTreeMap<(PastDecision, CallDecision), u64>,
    worst: Best,
    look: Best,
    problems: BTreeMap<(String, ProblemKind), Problem>,
    not_started: BTreeMap<String, u64>,
    other: Option<Other>,
    first: Option<i64>,
    last: Option<i64>,
}

#[derive(Debug, Default)]
struct Other {
    name: String,
    decisions: Decisions,
    asked: u64,
    shifts: BTreeMap<(CallDecision, CallDecision), u64>,
    changed: HashMap<u64, (u32, ChangedCall)>,
}

impl Collector {
    /// A report about a configuration, with the calls of one rule if one is given, compared with another configuration.
    #[must_use]
    pub fn new(configuration: &str, rule: Option<&str>, other: Option<&str>) -> Self {
        let report =
            BacktestReport { version: VERSION, configuration: configuration.to_owned(), ..BacktestReport::default() };
        Self {
            report,
            rule: rule.map(str::to_owned),
            other: other.map(|name| Other { name: name.to_owned(), ..Other::default() }),
            ..Self::default()
        }
    }

    /// A report about calls of the journal.
    #[must_use]
    pub fn of_journal(mut self) -> Self {
        self.report.source = CallSource::Journal;
        self
    }

    /// The counts so far.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.report.history
    }

    /// A file of an agent was read.
    pub fn add_file(&mut self, agent: &'static str, bytes: u64) {
        self.report.history.files += 1;
        self.report.history.bytes += bytes;
        let row = self.agent(agent);
        row.files += 1;
        row.bytes += bytes;
    }

    /// Counts the session of a call, if this is its first one.
    pub fn add_call_of_session(&mut self, agent: &'static str, call: &PastCall) {
        let mut hasher = DefaultHasher::new();
        (agent, &call.session).hash(&mut hasher);
        if self.sessions.insert(hasher.finish()) {
            self.report.history.sessions += 1;
            self.agent(agent).sessions += 1;
        }
    }

    /// A call stood in another transcript before.
    pub fn add_repeated(&mut self) {
        self.report.history.repeated += 1;
    }

    /// Something could not be read.
    pub fn add_trouble(&mut self, agent: &'static str, file: &Path, trouble: &TranscriptProblem) {
        let (kind, example) = match trouble {
            TranscriptProblem::Unreadable(why) => (ProblemKind::UnreadableFile, format!("{}: {why}", file.display())),
            TranscriptProblem::BrokenLine { line, why } => {
                (ProblemKind::BrokenLine, format!("{}:{line}: {why}", file.display()))
            }
            TranscriptProblem::UntestedVersion(version) => (ProblemKind::UntestedVersion, version.clone()),
            TranscriptProblem::UnknownForm(why) => (ProblemKind::UnknownForm, format!("{}: {why}", file.display())),
        };
        self.add_problem(agent, kind, example);
    }

    /// A problem of some kind.
    pub fn add_problem(&mut self, agent: &str, kind: ProblemKind, example: String) {
        let problem = self.problems.entry((agent.to_owned(), kind)).or_default();
        problem.count += 1;
        if problem.examples.len() < EXAMPLES && !problem.examples.contains(&example) {
            problem.examples.push(example);
        }
    }

    /// The same problem, so many times, about no one agent.
    pub fn add_problems(&mut self, kind: ProblemKind, count: u64, example: Option<String>) {
        if count > 0 {
            let problem = self.problems.entry((String::new(), kind)).or_default();
            problem.count += count;
            problem.examples.extend(example);
        }
    }

    /// A command hook would have been asked about so many calls, and was not started.
    pub fn add_not_started(&mut self, hook: &str, count: u64) {
        *self.not_started.entry(hook.to_owned()).or_default() += count;
    }

    /// Counts a call.
    pub fn add(
        &mut self,
        agent: &'static str,
        call: &PastCall,
        project: &Path,
        judged: &Judged,
        then: Then,
        other: Option<&Judged>,
    ) {
        let (answer, decision) = (judged.answer, then.decision());
        let history = &mut self.report.history;
        history.calls += 1;
        history.of_subagents += u64::from(call.subagent.is_some());
        let doubtful = judged.may_differ && answer != CallDecision::None;
        history.may_differ += u64::from(doubtful);
        self.report.decisions.add(answer);
        *self.pairs.entry((decision, answer)).or_default() += 1;
        let (asked_then, asked_now) = (then.was_asked(), is_asked(answer, then));
        self.report.interruptions.before += u64::from(asked_then);
        self.report.interruptions.after += u64::from(asked_now);
        self.agent(agent).decisions.add(answer);
        self.count_day(call.millis, answer, asked_then, asked_now);
        self.count_project(project, answer, asked_then);
        for hook in &judged.not_started {
            *self.not_started.entry(hook.clone()).or_default() += 1;
        }
        // Most calls are nothing to show; a text is made only for those that may be.
        let (weight, harm) = (review_weight(decision, answer), worst_effect(judged));
        let mut shown: Option<JudgedCall> = None;
        let mut show = || {
            shown
                .get_or_insert_with(|| JudgedCall {
                    may_differ: doubtful,
                    ..describe(agent, call, project, judged, then)
                })
                .clone()
        };
        if weight > 0 {
            self.look.offer(weight * 100 + harm, show());
        }
        if answer == CallDecision::Deny {
            self.worst.offer(harm, show());
        }
        for voice in &judged.voices {
            let picked = self.rule.as_ref() == Some(&voice.rule);
            let example = count_rule(&mut self.rules, voice, decision, weight + 1);
            if let Some(example) = example {
                *example = Some(show());
            }
            if picked {
                self.selected.push_back(show());
                if self.selected.len() > SELECTED {
                    self.selected.pop_front();
                    self.selected_left_off += 1;
                }
            }
        }
        if let (Some(other), Some(judged_otherwise)) = (&mut self.other, other) {
            other.add(answer, judged_otherwise, then, weight, &mut show);
        }
    }

    /// An event that is no call: it counts only where the two configurations differ about it.
    pub fn add_event(
        &mut self,
        agent: &'static str,
        event: &PastCall,
        project: &Path,
        judged: &Judged,
        other: &Judged,
    ) {
        self.report.history.other_events += 1;
        if let Some(comparison) = &mut self.other {
            let mut show = || describe(agent, event, project, judged, Then::UNKNOWN);
            comparison.note_change(judged.answer, other, Then::UNKNOWN, 0, &mut show);
        }
    }

    fn agent(&mut self, agent: &'static str) -> &mut AgentRow {
        self.agents.entry(agent).or_insert_with(|| AgentRow { agent: agent.to_owned(), ..AgentRow::default() })
    }

    fn count_day(&mut self, millis: i64, answer: CallDecision, asked_then: bool, asked_now: bool) {
        if millis == 0 {
            return;
        }
        self.first = Some(self.first.map_or(millis, |first| first.min(millis)));
        self.last = Some(self.last.map_or(millis, |last| last.max(millis)));
        let day = self.days.entry(millis.div_euclid(DAY)).or_default();
        day.decisions.add(answer);
        day.asked_then += u64::from(asked_then);
        day.asked_now += u64::from(asked_now);
    }

    fn count_project(&mut self, project: &Path, answer: CallDecision, asked_then: bool) {
        let name = project.to_string_lossy();
        let row = match self.projects.get_mut(&*name) {
            Some(row) => row,
            None => self.projects.entry(name.into_owned()).or_default(),
        };
        row.decisions.add(answer);
        row.asked_then += u64::from(asked_then);
    }

    /// The report. `titles` gives what people call an agent, and whether its transcripts tell of approvals.
    #[must_use]
    pub fn finish(
        mut self,
        now_millis: i64,
        complete: bool,
        titles: &dyn Fn(&str) -> (String, bool),
    ) -> BacktestReport {
        let mut report = std::mem::take(&mut self.report);
        report.made = timestamp_of(now_millis);
        report.complete = complete;
        report.history.first = self.first.map(timestamp_of);
        report.history.last = self.last.map(timestamp_of);
        report.history.days = self.days.len() as u64;
        report.history.projects = self.projects.len() as u64;
        let per_day = |count: u64| if self.days.is_empty() { 0.0 } else { count as f64 / self.days.len() as f64 };
        report.interruptions = Interruptions {
            before_per_day: per_day(report.interruptions.before),
            after_per_day: per_day(report.interruptions.after),
            ..report.interruptions
        };
        report.score = score(&self.pairs);
        report.pairs =
            self.pairs.iter().map(|((then, now), calls)| Pair { then: *then, now: *now, calls: *calls }).collect();
        report.agents = self
            .agents
            .into_values()
            .map(|row| {
                let (title, notes_approvals) = titles(&row.agent);
                AgentRow { title, notes_approvals, ..row }
            })
            .collect();
        report.days = self
            .days
            .into_iter()
            .map(|(day, row)| {
                let day = timestamp_of(day * DAY).get(..10).unwrap_or_default().to_owned();
                DayRow { day, ..row }
            })
            .collect();
        report.rules = self.rules.into_iter().map(|(rule, (row, _))| RuleRow { rule, ..row }).collect();
        report.rules.sort_by(|a, b| stops(b).cmp(&stops(a)).then(b.calls.cmp(&a.calls)).then(a.rule.cmp(&b.rule)));
        report.projects = self.projects.into_iter().map(|(project, row)| ProjectRow { project, ..row }).collect();
        report.projects.sort_by(|a, b| b.decisions.total().cmp(&a.decisions.total()).then(a.project.cmp(&b.project)));
        report.projects.truncate(PROJECTS);
        report.worst = self.worst.take(WORST, 1);
        report.worth_a_look = self.look.take(LOOK, 3);
        report.selected = self.rule.map(|rule| Selected {
            rule,
            calls: self.selected.into_iter().rev().collect(),
            left_off: self.selected_left_off,
        });
        report.diff = self.other.map(Other::finish);
        report.problems =
            self.problems.into_iter().map(|((agent, kind), problem)| Problem { agent, kind, ..problem }).collect();
        report.not_started = self.not_started.into_iter().map(|(name, count)| Counted { name, count }).collect();
        report
    }
}

fn stops(row: &RuleRow) -> u64 {
    row.said.deny + row.said.ask
}

/// Whether a person would be asked: by the configuration, or by the agent as it did then.
fn is_asked(answer: CallDecision, then: Then) -> bool {
    match answer {
        CallDecision::Ask => true,
        CallDecision::None => then.was_asked(),
        CallDecision::Allow | CallDecision::Deny => false,
    }
}

/// Counts what a rule said; gives the place of its example if this call is a better one.
fn count_rule<'a>(
    rules: &'a mut HashMap<String, (RuleRow, u32)>,
    voice: &HookOpinion,
    then: PastDecision,
    weight: u32,
) -> Option<&'a mut Option<JudgedCall>> {
    if !rules.contains_key(&voice.rule) {
        rules.insert(voice.rule.clone(), (RuleRow::default(), 0));
    }
    let (row, best) = rules.get_mut(&voice.rule)?;
    row.calls += 1;
    row.said.add(voice.answer);
    row.withheld |= voice.withheld;
    if voice.answer >= CallDecision::Ask {
        row.approved_then += u64::from(then == PastDecision::Approved);
        row.refused_then += u64::from(then == PastDecision::Refused);
    }
    let better = weight > *best;
    *best = weight.max(*best);
    better.then_some(&mut row.example)
}

fn worst_effect(judged: &Judged) -> u32 {
    let of_voice =
        |voice: &HookOpinion| voice.about.as_ref().map_or(harm("", ""), |(effect, place)| harm(effect, place));
    judged.decisive().map(of_voice).max().unwrap_or_default()
}

impl Other {
    fn add(
        &mut self,
        answer: CallDecision,
        judged: &Judged,
        then: Then,
        weight: u32,
        show: &mut dyn FnMut() -> JudgedCall,
    ) {
        self.decisions.add(judged.answer);
        self.asked += u64::from(is_asked(judged.answer, then));
        self.note_change(answer, judged, then, weight, show);
    }

    fn note_change(
        &mut self,
        answer: CallDecision,
        judged: &Judged,
        then: Then,
        weight: u32,
        show: &mut dyn FnMut() -> JudgedCall,
    ) {
        if judged.answer == answer {
            return;
        }
        *self.shifts.entry((answer, judged.answer)).or_default() += 1;
        let call = show();
        let weight = weight.max(review_weight(then.decision(), judged.answer));
        let key = {
            let mut hasher = DefaultHasher::new();
            (&call.tool, &call.subject, answer, judged.answer).hash(&mut hasher);
            hasher.finish()
        };
        if let Some((_, known)) = self.changed.get_mut(&key) {
            known.call.times += 1;
        } else if self.changed.len() < CHANGED || self.changed.values().any(|(least, _)| *least < weight) {
            if self.changed.len() >= CHANGED
                && let Some(weakest) = self.changed.iter().min_by_key(|(_, (weight, _))| *weight).map(|(key, _)| *key)
            {
                self.changed.remove(&weakest);
            }
            let other_rules = judged.decisive().map(|voice| voice.rule.clone()).collect();
            self.changed.insert(key, (weight, ChangedCall { call, other: judged.answer, other_rules }));
        }
    }

    fn finish(self) -> Diff {
        let mut shifts: Vec<Shift> =
            self.shifts.iter().map(|((from, to), calls)| Shift { from: *from, to: *to, calls: *calls }).collect();
        shifts.sort_by_key(|shift| std::cmp::Reverse(shift.calls));
        let mut calls: Vec<(u32, ChangedCall)> = self.changed.into_values().collect();
        calls
            .sort_by(|(a, x), (b, y)| b.cmp(a).then(x.call.time.cmp(&y.call.time)).then(x.call.call.cmp(&y.call.call)));
        Diff {
            other: self.name,
            decisions: self.decisions,
            asked: self.asked,
            changed: shifts.iter().map(|shift| shift.calls).sum(),
            shifts,
            calls: calls.into_iter().map(|(_, call)| call).collect(),
        }
    }
}

fn score(pairs: &BTreeMap<(PastDecision, CallDecision), u64>) -> Score {
    let of = |then: PastDecision, now: CallDecision| pairs.get(&(then, now)).copied().unwrap_or_default();
    let all = |then: PastDecision| pairs.iter().filter(|((past, _), _)| *past == then).map(|(_, calls)| calls).sum();
    use {
        CallDecision::{Allow, Ask, Deny},
        PastDecision::{Approved, AutoApproved, Refused, Unknown},
    };
    let ran: u64 = [AutoApproved, Unknown].into_iter().map(&all).sum::<u64>();
    Score {
        approved: all(Approved),
        approved_denied: of(Approved, Deny),
        approved_asked: of(Approved, Ask),
        approved_allowed: of(Approved, Allow),
        refused: all(Refused),
        refused_stopped: of(Refused, Deny) + of(Refused, Ask),
        refused_allowed: of(Refused, Allow),
        ran,
        ran_denied: of(AutoApproved, Deny) + of(Unknown, Deny),
    }
}

fn describe(agent: &'static str, call: &PastCall, project: &Path, judged: &Judged, then: Then) -> JudgedCall {
    let about = judged.decisive().find_map(|voice| voice.about.as_ref());
    let reason = judged.decisive().find_map(|voice| voice.reason.as_deref());
    // A secret that is known by the name of its field is one wherever it is quoted.
    let input = Map::from_iter([("tool_input".to_owned(), Value::Object(call.input.clone()))]);
    let secrets = KnownSecrets::of(&input);
    JudgedCall {
        call: call.id.clone(),
        agent: agent.to_owned(),
        session: call.session.clone(),
        project: project.display().to_string(),
        time: timestamp_of(call.millis),
        tool: call.tool.clone(),
        subject: shortened(&secrets.redact(&subject(call)), SUBJECT),
        now: judged.answer,
        then: then.decision(),
        rules: judged.decisive().map(|voice| voice.rule.clone()).collect(),
        reason: reason.map(|reason| shortened(&secrets.redact(reason), REASON)),
        effect: about.map(|(effect, place)| format!("{effect} {place}").trim_end().to_owned()),
        may_differ: judged.may_differ,
        cannot_ask: judged.cannot_ask,
        times: 1,
    }
}

/// What a call is about, in one line: the first of the fields that say so.
fn subject(call: &PastCall) -> String {
    const FIELDS: [&str; 11] = [
        "command",
        "file_path",
        "filePath",
        "path",
        "notebook_path",
        "url",
        "pattern",
        "prompt",
        "query",
        "description",
        "name",
    ];
    let text = FIELDS.iter().find_map(|field| call.input.get(*field).and_then(Value::as_str));
    let text = text.map_or_else(|| Value::Object(call.input.clone()).to_string(), str::to_owned);
    hookrail_core::display::one_line(&text).into_owned()
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
