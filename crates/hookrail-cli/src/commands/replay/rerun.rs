//! Decides past events again.

use super::history::PastEvent;
use super::opinion::{Answer, Opinion};
use super::stage::{Scene, SessionStage, Stage};
use super::understudy::Understudy;
use crate::hook::args::Selection;
use crate::hook::rehearsal::Commands;
use crate::hook::{end, selection};
use crate::screen;
use hookrail_core::planner::create_execution_plan;
use hookrail_core::{Event, Verdict, World, aggregator};
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind, Settings, project_root};
use hookrail_engine::runner::HookRunner;
use hookrail_engine::{CancelToken, Middleware, Places, RealWorld, RunnerSettings, SilentLogger};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The hook that makes the journal know every event.
const EVENT_LOG: &str = "core/event-log";

/// Under what events are decided again.
#[derive(Clone, Debug)]
pub struct Trial {
    /// A file in place of that of a layer.
    pub file: Option<(LayerKind, PathBuf)>,
    pub commands: Commands,
    pub state_folder: Option<PathBuf>,
}

impl Trial {
    /// The configuration that would hold in a project.
    pub fn settings(&self, project: &Path) -> Settings {
        let world = RealWorld::default();
        let usual = LayerFiles::usual(&world, project);
        let mut files: Vec<(LayerKind, PathBuf)> = usual.iter().map(|(kind, path)| (kind, path.to_owned())).collect();
        if let Some((layer, file)) = &self.file {
            // A machine may have no place for a layer; what is tried counts all the same.
            files.retain(|(kind, _)| kind != layer);
            files.push((*layer, file.clone()));
            files.sort_by_key(|(kind, _)| *kind);
        }
        let mut settings = ConfigCache::in_state(None).load(&LayerFiles::new(files), &world);
        hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
        settings
    }

    /// Command hooks that nobody said yes to. Whoever names a file on the command line has.
    fn barred(&self, settings: &Settings, project: &Path) -> HashMap<String, String> {
        let Some(folder) = &self.state_folder else { return HashMap::new() };
        let mut barred = selection::untrusted(settings, project, folder, &RealWorld::default());
        if let Some((_, file)) = &self.file {
            let place = file.display().to_string();
            settings.commands().iter().filter(|hook| *hook.origin.place == *place).for_each(|hook| {
                barred.remove(&hook.name);
            });
        }
        barred
    }
}

/// An event that would be decided differently.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
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
pub struct Tally {
    pub events: u64,
    /// Of these, events that the journal knows because of the event log.
    pub logged: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
    pub projects: BTreeSet<PathBuf>,
    pub changes: Vec<Change>,
    pub gaps: BTreeMap<Gap, u64>,
    /// Decided again from an event that was not kept whole.
    pub uncertain: u64,
    /// Command hooks that would be asked and whose answer nobody knows, with the number of events.
    pub unknown_commands: BTreeMap<String, u64>,
    /// Command hooks that were to be run and are not trusted, with the number of events.
    pub untrusted_commands: BTreeMap<String, u64>,
}

impl Tally {
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

    /// How often one answer would become another.
    pub fn shifts(&self) -> BTreeMap<(Answer, Answer), u64> {
        let mut shifts = BTreeMap::new();
        for change in &self.changes {
            *shifts.entry((change.before.answer, change.after.answer)).or_default() += 1;
        }
        shifts
    }
}

/// Everything a project's events are decided with.
struct Production {
    settings: Settings,
    stage: Arc<Stage>,
    understudy: Arc<Understudy>,
    runner: Arc<HookRunner>,
}

impl Production {
    fn new(trial: &Trial, project: &Path) -> Self {
        let settings = trial.settings(project);
        let barred = match trial.commands {
            Commands::Run => trial.barred(&settings, project),
            Commands::Leave => HashMap::new(),
        };
        let stage = Arc::new(Stage::new(settings.sections(), project.to_owned(), trial.state_folder.clone()));
        let understudy = Arc::new(Understudy::new(trial.commands, barred));
        let world = Arc::clone(&stage) as Arc<dyn World>;
        let runner = HookRunner::new(RunnerSettings::default(), world, Arc::new(SilentLogger))
            .with_middleware(Arc::clone(&understudy) as Arc<dyn Middleware>);
        Self { settings, stage, understudy, runner: Arc::new(runner) }
    }

    fn decide(&self, event: Event, selection: &Selection) -> Verdict {
        let hooks = selection::choose(selection, &self.settings, &event);
        let Some(plan) = create_execution_plan(&hooks, &event.name, event.match_subject()) else {
            return Verdict::empty(event.name);
        };
        // A hook that does not come back cannot be ended, but the process can.
        let last_resort = |_| end(screen::fail("a hook does not come back, so the replay cannot go on") as u8);
        let event = Arc::new(event);
        let runs = self.runner.execute_here(&plan, &event, &CancelToken::new(), last_resort);
        aggregator::aggregate_results(&event.name, runs, plan.order)
    }
}

/// Decides the events of some sessions, in their order.
pub struct Worker<'a> {
    trial: &'a Trial,
    projects: HashMap<PathBuf, Production>,
    sessions: HashMap<String, Arc<SessionStage>>,
    places: Places,
    tally: Tally,
}

impl<'a> Worker<'a> {
    pub fn new(trial: &'a Trial) -> Self {
        let (projects, sessions) = (HashMap::new(), HashMap::new());
        Self { trial, projects, sessions, places: Places::default(), tally: Tally::default() }
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

    pub fn finish(mut self) -> Tally {
        for production in self.projects.values() {
            add_counts(&mut self.tally.unknown_commands, production.understudy.unknown());
            add_counts(&mut self.tally.untrusted_commands, production.understudy.untrusted());
        }
        self.tally.projects = self.projects.into_keys().collect();
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
        if !self.projects.contains_key(&project) {
            self.projects.insert(project.clone(), Production::new(self.trial, &project));
        }
        let production = self.projects.get(&project).ok_or(Gap::Unknown)?;
        let session = self.sessions.entry(past.head.session.clone());
        let session = session.or_insert_with(|| Arc::new(SessionStage::new(&self.places)));
        production.stage.set(Scene { session: Arc::clone(session), millis: past.head.ts });
        production.understudy.learn(past.runs.clone());
        let verdict = production.decide(event, &selection);
        Ok((project, Opinion::decided(&verdict)))
    }

    fn compare(&mut self, past: PastEvent, project: &Path, after: Opinion) {
        let before = Opinion::recorded(&past.runs);
        let uncertain = past.head.redacted > 0 || past.head.cut > 0;
        self.tally.uncertain += u64::from(uncertain);
        if before.answer == after.answer {
            return;
        }
        self.tally.changes.push(Change {
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
