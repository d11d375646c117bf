//! Decides past events again.

use super::history::PastEvent;
use super::opinion::Opinion;
use super::recorded::Recorded;
use crate::error::CliError;
use crate::hook::args::Selection;
use crate::hook::end;
use crate::hook::rehearsal::Commands;
use crate::screen;
use hookrail_backtest::transcripts::{CallEnd, Outcome, PastCall};
use hookrail_backtest::world::{PastMoment, PastWorld, SessionWorld};
use hookrail_backtest::{BacktestReport, Collector, Judged, ProblemKind, Then};
use hookrail_core::{Event, EventName, HookRun, RunStatus, Verdict};
use hookrail_dialects::Dialect;
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind, Settings, project_root};
use hookrail_engine::{Config, Engine, External, Places, RealWorld};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The hook that makes the journal know every event.
const EVENT_LOG: &str = "core/event-log";

/// Under what events are decided again.
#[derive(Debug)]
pub struct ReplayConditions {
    /// A file in place of that of a layer.
    pub file: Option<(LayerKind, PathBuf)>,
    pub commands: Commands,
    pub state_folder: Option<PathBuf>,
    /// Counts tool calls for the report that `hookrail backtest` makes too.
    pub collector: Mutex<Collector>,
}

impl Default for ReplayConditions {
    fn default() -> Self {
        Self { file: None, commands: Commands::Leave, state_folder: None, collector: Mutex::default() }
    }
}

impl ReplayConditions {
    /// The configuration that would hold in a project.
    pub fn settings(&self, project: &Path) -> Settings {
        let world = RealWorld::default();
        let usual = LayerFiles::usual(&world, project);
        let files = match &self.file {
            Some((layer, file)) => usual.with(*layer, file.clone()),
            None => usual,
        };
        let mut settings = ConfigCache::in_state(None).load(&files, &world);
        hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
        settings
    }
}

/// An event that would be decided differently.
#[derive(Clone, Debug, Serialize)]
pub struct ChangedEvent {
    pub seq: u64,
    pub time: String,
    pub session: String,
    pub agent: String,
    pub project: String,
    pub event: String,
    pub tool: Option<String>,
    pub subject: Option<String>,
    pub before: Opinion,
    pub after: Opinion,
    /// The journal did not keep all of the event, so that hooks may have seen something else.
    pub uncertain: bool,
}

/// Why an event cannot be decided again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gap {
    /// `privacy = "minimal"`, or an older version of hookrail.
    NotKept,
    TooLarge,
    /// It was asked of an agent, a pack or a hook that this version does not know.
    Unknown,
}

/// What came of it all.
#[derive(Clone, Debug, Default)]
pub struct ReplayTally {
    pub events: u64,
    /// Of these, events that the journal knows because of the event log.
    pub logged: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
    pub projects: BTreeSet<PathBuf>,
    pub changes: Vec<ChangedEvent>,
    pub gaps: BTreeMap<Gap, u64>,
    /// Decided again from an event that was not kept whole.
    pub uncertain: u64,
    /// Command hooks that would be asked and whose answer is unknown, with the number of events.
    pub unknown_commands: BTreeMap<String, u64>,
    /// Command hooks that were to be run and are not trusted, with the number of events.
    pub untrusted_commands: BTreeMap<String, u64>,
    /// What `hookrail backtest` would report about the same calls.
    pub report: BacktestReport,
}

impl ReplayTally {
    pub fn replayed(&self) -> u64 {
        self.events - self.gaps.values().sum::<u64>()
    }

    /// Puts two halves together.
    pub fn add(mut self, other: Self) -> Self {
        self.events += other.events;
        self.logged += other.logged;
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
        self.projects.extend(other.projects);
        self.changes.extend(other.changes);
        self.uncertain += other.uncertain;
        other.gaps.into_iter().for_each(|(gap, count)| *self.gaps.entry(gap).or_default() += count);
        add_counts(&mut self.unknown_commands, other.unknown_commands);
        add_counts(&mut self.untrusted_commands, other.untrusted_commands);
        self
    }

    /// Tells what could not be decided, and what was decided on less than everything.
    pub fn tell(&self, collector: &mut Collector) {
        let gap = |gap: Gap| self.gaps.get(&gap).copied().unwrap_or_default();
        let unlisted = if self.logged < self.events { self.events } else { 0 };
        for (kind, count) in [
            (ProblemKind::NotKept, gap(Gap::NotKept)),
            (ProblemKind::TooLarge, gap(Gap::TooLarge)),
            (ProblemKind::UnknownEvent, gap(Gap::Unknown)),
            (ProblemKind::CutEvent, self.uncertain),
            (ProblemKind::UnlistedEvents, unlisted),
        ] {
            collector.add_problems(kind, count, None);
        }
        for (hook, count) in &self.untrusted_commands {
            collector.add_problems(ProblemKind::UntrustedCommand, *count, Some(format!("`{hook}`")));
        }
        for (hook, count) in &self.unknown_commands {
            collector.add_not_started(hook, *count);
        }
    }
}

/// Everything that events of one project, asked of the same packs, are decided with.
struct Production {
    world: Arc<PastWorld>,
    recorded: Arc<Recorded>,
    engine: Engine,
}

impl Production {
    fn new(trial: &ReplayConditions, project: &Path, agent: &'static str, selection: Selection) -> Result<Self, Gap> {
        let settings = trial.settings(project);
        let world = Arc::new(PastWorld::new(&settings, project.to_owned(), trial.state_folder.clone()));
        let recorded = Arc::new(Recorded::default());
        let external = match trial.commands {
            Commands::Run => External::Run,
            Commands::Leave => External::Replay(Arc::clone(&recorded) as _),
        };
        let mut config = Config::new("", project)
            .agent(agent)
            .project(project)
            .packs(hookrail_packs::packs())
            .select(selection)
            .settings(settings)
            .world(Arc::clone(&world) as _)
            .external(external)
            .network(crate::internet());
        // Whoever names a file on the command line answers for the commands in it.
        if let Some((_, file)) = &trial.file {
            config = config.vouch_for(file);
        }
        if let Some(folder) = &trial.state_folder {
            config = config.approvals_in(folder);
        }
        let engine = Engine::open(&config).map_err(|_| Gap::Unknown)?;
        Ok(Self { world, recorded, engine })
    }

    fn decide(&self, event: Event) -> Verdict {
        // A hook that does not come back cannot be ended, but the process can.
        let late =
            |_| end(screen::fail(CliError::machine("a hook does not return, so the replay cannot continue")) as u8);
        self.engine.decide_or_end(&Arc::new(event), late)
    }
}

/// Decides the events of some sessions, in their order.
pub struct Worker<'a> {
    trial: &'a ReplayConditions,
    productions: HashMap<(PathBuf, Vec<String>), Production>,
    untrusted: BTreeMap<String, u64>,
    sessions: HashMap<String, Arc<SessionWorld>>,
    places: Places,
    tally: ReplayTally,
}

impl<'a> Worker<'a> {
    pub fn new(trial: &'a ReplayConditions) -> Self {
        Self {
            trial,
            productions: HashMap::new(),
            untrusted: BTreeMap::new(),
            sessions: HashMap::new(),
            places: Places::default(),
            tally: ReplayTally::default(),
        }
    }

    pub fn take(&mut self, mut past: PastEvent) {
        self.tally.events += 1;
        self.tally.logged += u64::from(past.runs.iter().any(|run| run.hook == EVENT_LOG));
        self.tally.first = self.tally.first.into_iter().chain([past.head.ts]).min();
        self.tally.last = self.tally.last.max(Some(past.head.ts));
        match self.decide(&mut past) {
            Ok((project, after)) => self.compare(past, &project, after),
            Err(gap) => *self.tally.gaps.entry(gap).or_default() += 1,
        }
    }

    pub fn finish(mut self) -> ReplayTally {
        for production in self.productions.values() {
            add_counts(&mut self.tally.unknown_commands, production.recorded.unknown());
        }
        add_counts(&mut self.tally.untrusted_commands, self.untrusted);
        self.tally.projects = self.productions.into_keys().map(|(project, _)| project).collect();
        self.tally
    }

    fn decide(&mut self, past: &mut PastEvent) -> Result<(PathBuf, Opinion), Gap> {
        let Some(input) = past.take_input() else {
            return Err(if past.head.dropped.is_empty() { Gap::NotKept } else { Gap::TooLarge });
        };
        let dialect = hookrail_dialects::dialect(&past.head.agent).ok_or(Gap::Unknown)?;
        let selection = selected(&past.head.asked).ok_or(Gap::Unknown)?;
        let event = hookrail_dialects::restore(input, dialect);
        let project = match &past.head.project {
            Some(project) => PathBuf::from(project),
            None => project_root(&RealWorld::default(), &event.cwd),
        };
        let production = match self.productions.entry((project.clone(), past.head.asked.clone())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(Production::new(self.trial, &project, dialect.name(), selection)?),
        };
        let session = self.sessions.entry(past.head.session.clone());
        let session = session.or_insert_with(|| Arc::new(SessionWorld::new(&self.places)));
        production.world.enter(PastMoment { session: Arc::clone(session), millis: past.head.ts, branch: None });
        production.recorded.learn(past.runs.clone());
        let asked = event.clone();
        let verdict = production.decide(event);
        self.report(past, &asked, &verdict, &project, dialect);
        if self.trial.commands == Commands::Run {
            let skipped = |run: &&HookRun| run.hook.kind != "native" && matches!(run.status, RunStatus::Skipped(_));
            for run in verdict.runs().iter().filter(skipped) {
                *self.untrusted.entry(run.hook.id.to_string()).or_default() += 1;
            }
        }
        Ok((project, Opinion::decided(&verdict)))
    }

    /// Counts an event for the report.
    fn report(
        &self,
        past: &PastEvent,
        event: &Event,
        verdict: &Verdict,
        project: &Path,
        dialect: &'static dyn Dialect,
    ) {
        let Some(production) = self.productions.get(&(project.to_owned(), past.head.asked.clone())) else { return };
        let live = Opinion::live(&past.runs);
        let mut judged = Judged::of(verdict, dialect, event, &production.engine, production.world.looked_at_today());
        // They are counted for all events, calls or not.
        judged.not_started.clear();
        let (mut before, call) = (live.judged(), past_call(past, event));
        // The same decision means the same to the agent's user, whatever the agent makes of it.
        if live.answer == Opinion::decided(verdict).answer {
            before.answer = judged.answer;
        }
        let mut collector = self.trial.collector.lock().unwrap_or_else(PoisonError::into_inner);
        if event.name != EventName::BeforeTool || event.tool.is_none() {
            collector.add_event(dialect.name(), &call, project, &judged, &before);
            return;
        }
        let then = Then { end: CallEnd { outcome: Outcome::Unknown, decision: live.answer.past_decision() } };
        collector.add_call_of_session(dialect.name(), &call);
        collector.add(dialect.name(), &call, project, &judged, then, Some(&before));
    }

    fn compare(&mut self, past: PastEvent, project: &Path, after: Opinion) {
        let before = Opinion::recorded(&past.runs);
        let uncertain = past.head.redacted > 0 || past.head.cut > 0;
        self.tally.uncertain += u64::from(uncertain);
        if before.answer == after.answer {
            return;
        }
        self.tally.changes.push(ChangedEvent {
            seq: past.seq,
            time: hookrail_engine::timestamp_of(past.head.ts),
            session: past.head.session,
            agent: past.head.agent,
            project: project.display().to_string(),
            event: past.head.event,
            tool: past.head.tool,
            subject: past.head.subject,
            before,
            after,
            uncertain,
        });
    }
}

/// The call of an event, named by its record. An event that is no call goes by its own name.
pub fn past_call(past: &PastEvent, event: &Event) -> PastCall {
    let input = event.tool_input().and_then(Value::as_object).cloned();
    let about = past.head.subject.as_deref().unwrap_or_default();
    PastCall {
        session: past.head.session.clone(),
        id: past.seq.to_string(),
        tool: past.head.tool.clone().unwrap_or_else(|| past.head.event.clone()),
        input: input.unwrap_or_else(|| Map::from_iter([("description".to_owned(), Value::from(about))])),
        cwd: event.cwd.clone(),
        branch: None,
        mode: None,
        subagent: event.text("agent_id").map(|_| event.text("agent_type").unwrap_or_default().to_owned()),
        millis: past.head.ts,
    }
}

fn add_counts(sum: &mut BTreeMap<String, u64>, counts: BTreeMap<String, u64>) {
    counts.into_iter().for_each(|(hook, count)| *sum.entry(hook).or_default() += count);
}

/// What the command line named then; `None` if this version has no such thing.
fn selected(asked: &[String]) -> Option<Selection> {
    let mut selection = Selection::default();
    for name in asked {
        if name.contains('/') {
            selection.hook = Some(hookrail_packs::hook(name).map(|_| name.clone())?);
        } else {
            selection.packs.push(hookrail_packs::find(name)?.name);
        }
    }
    Some(selection)
}
