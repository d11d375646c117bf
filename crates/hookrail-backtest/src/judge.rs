//! One configuration, asked about past calls. Only [`Engine`] decides; commands are not started.

use crate::transcripts::{Outcome, PastCall};
use crate::world::{Overlay, PastMoment, PastWorld, SessionWorld};
use hookrail_core::{Decision, Event, EventName, HookOutput, HookRun, RunStatus, Verdict, World};
use hookrail_dialects::{Dialect, project_root, restore};
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind, Settings};
use hookrail_engine::{Config, Engine, External, OpenError, Places, RealWorld, RunAccount};
use serde_json::{Map, Value, json};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many sessions are remembered at once: a sub-agent's calls stand in a file behind that of the session that started it.
const SESSIONS: usize = 64;
/// How many projects have an engine at once.
const ENGINES: usize = 32;
/// How many different calls of a project are remembered with what was decided about them.
const DECIDED: usize = 512;
/// After so many sessions, what is known of links is forgotten, so that memory stays flat.
const FORGET_AFTER: u32 = 256;
/// Where hooks believe to keep what they remember. It is kept in memory; nothing of it is on the disk.
const STATE: &str = "/nonexistent/hookrail-backtest";
/// Why a command hook did not run.
pub const NOT_STARTED: &str = "commands are not started in a backtest";

/// A configuration that is tried.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What people call it.
    pub name: String,
    settings: Settings,
}

/// Why a configuration cannot be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl Candidate {
    /// A configuration in place of the user's own. What the administrator of the machine says counts too; what projects bring
    /// does not, because it is about one configuration for all of them.
    pub fn read(name: &str, place: &Path, text: &str) -> Result<Self, Unreadable> {
        let world = Overlay::new(RealWorld::default(), crate::world::Changes::default());
        world.write(place, text.as_bytes()).map_err(|error| Unreadable(error.to_string()))?;
        let managed = LayerFiles::usual(&world, Path::new("/nonexistent"));
        let managed = managed.iter().filter(|(kind, _)| *kind == LayerKind::Managed);
        let mut files: Vec<(LayerKind, PathBuf)> = managed.map(|(kind, path)| (kind, path.to_owned())).collect();
        files.push((LayerKind::User, place.to_owned()));
        let mut settings = ConfigCache::in_state(None).load(&LayerFiles::new(files), &world);
        hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
        let own = place.display().to_string();
        if settings.unreadable().any(|file| file == own) {
            let told = settings.diagnostics().iter().filter(|diagnostic| *diagnostic.origin.place == *own);
            return Err(Unreadable(told.map(ToString::to_string).collect::<Vec<_>>().join("\n")));
        }
        Ok(Self { name: name.to_owned(), settings })
    }

    /// What is wrong with it.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.settings.diagnostics().iter().chain(self.settings.warnings()).map(ToString::to_string)
    }

    /// The rules in it, by the names under which they are reported, those of pack `safety` included.
    #[must_use]
    pub fn rule_names(&self) -> Vec<String> {
        let packs = hookrail_rules::safety::rules();
        let rules = packs.rules().chain(self.settings.rules().rules());
        rules.map(|rule| rule.hook_id()).collect()
    }
}

/// What a configuration would do about a call: what the agent's user would see of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallDecision {
    /// No opinion: the agent does what it would do without hookrail.
    #[default]
    None,
    /// Approved without a question.
    Allow,
    /// A person is asked.
    Ask,
    /// Refused.
    Deny,
}

impl CallDecision {
    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A hook or rule that had an opinion.
#[derive(Clone, Debug, PartialEq)]
pub struct HookOpinion {
    /// Its name.
    pub rule: String,
    /// What it said.
    pub answer: CallDecision,
    /// It is in mode `shadow` or `warn`: what it said counts for nothing.
    pub withheld: bool,
    /// Why.
    pub reason: Option<String>,
    /// What it was about: effect and place, where it is a rule.
    pub about: Option<(String, String)>,
}

/// What was decided about a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// The decision.
    pub answer: CallDecision,
    /// Those that had an opinion.
    pub voices: Vec<HookOpinion>,
    /// Files or the repository of today were looked at, which may have been others then.
    pub may_differ: bool,
    /// The agent cannot ask a person, so that what would be asked is refused.
    pub cannot_ask: bool,
    /// Command hooks that would have been asked, and were not started.
    pub not_started: Vec<String>,
}

impl Judged {
    /// What a verdict means for the user of an agent.
    #[must_use]
    pub fn of(verdict: &Verdict, dialect: &dyn Dialect, event: &Event, engine: &Engine, may_differ: bool) -> Self {
        let approves = || {
            let at_request = Event { name: EventName::PermissionRequest, ..event.clone() };
            dialect.can_allow(event) || dialect.can_allow(&at_request)
        };
        let (answer, cannot_ask) = match verdict.decision() {
            Decision::Stop | Decision::Block => (CallDecision::Deny, false),
            Decision::Ask if dialect.can_ask(event) => (CallDecision::Ask, false),
            Decision::Ask if engine.hooks().settings().refuses_unanswered() => (CallDecision::Deny, true),
            Decision::Ask | Decision::None => (CallDecision::None, false),
            Decision::Allow if verdict.is_approved() && approves() => (CallDecision::Allow, false),
            Decision::Allow => (CallDecision::None, false),
        };
        let skipped = |run: &&HookRun| run.hook.kind != "native" && matches!(run.status, RunStatus::Skipped(_));
        Self {
            answer,
            cannot_ask,
            voices: verdict.runs().iter().filter_map(voice).collect(),
            may_differ,
            not_started: verdict.runs().iter().filter(skipped).map(|run| run.hook.id.to_string()).collect(),
        }
    }

    /// Those that made the decision what it is.
    pub fn decisive(&self) -> impl Iterator<Item = &HookOpinion> {
        let wanted = if self.cannot_ask { CallDecision::Ask } else { self.answer };
        self.voices.iter().filter(move |voice| voice.answer == wanted && !voice.withheld)
    }
}

struct Project {
    world: Arc<PastWorld>,
    engine: Engine,
    /// Whether rules learn from calls that ended, and from prompts.
    learns: bool,
    /// What was decided about calls, by their hashes. People's agents make the same calls again and again.
    decided: HashMap<u64, Arc<Judged>>,
}

/// Asks one configuration.
pub struct Judge {
    candidate: Candidate,
    stuck: fn(),
    projects: HashMap<(PathBuf, &'static str), Project>,
    /// The oldest first.
    project_order: VecDeque<(PathBuf, &'static str)>,
    sessions: HashMap<(&'static str, String), Arc<SessionWorld>>,
    session_order: VecDeque<(&'static str, String)>,
    places: Places,
    begun: u32,
    /// The project around each folder, for the folders of the sessions that are remembered.
    roots: BTreeMap<PathBuf, PathBuf>,
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge").field("candidate", &self.candidate.name).finish_non_exhaustive()
    }
}

impl Judge {
    /// A judge that has seen nothing yet. `stuck` is called if a hook does not come back, and must end the process: a hook cannot
    /// be ended.
    #[must_use]
    pub fn new(candidate: Candidate, stuck: fn()) -> Self {
        Self {
            candidate,
            stuck,
            projects: HashMap::new(),
            project_order: VecDeque::new(),
            sessions: HashMap::new(),
            session_order: VecDeque::new(),
            places: Places::default(),
            begun: 0,
            roots: BTreeMap::new(),
        }
    }

    /// The configuration.
    #[must_use]
    pub fn candidate(&self) -> &Candidate {
        &self.candidate
    }

    /// The project around a folder, as far as it is still there.
    pub fn project_of(&mut self, cwd: &Path) -> PathBuf {
        if let Some(known) = self.roots.get(cwd) {
            return known.clone();
        }
        if self.roots.len() > 4096 {
            self.roots.clear();
        }
        // Without a project of its own it does not know what this process inherited about one.
        let world = PastWorld::new(&Settings::default(), PathBuf::new(), None);
        let root = project_root(&world, cwd);
        self.roots.insert(cwd.to_owned(), root.clone());
        root
    }

    /// What would have been decided about a call before it was made.
    pub fn judge(&mut self, dialect: &'static dyn Dialect, call: &PastCall) -> Result<Arc<Judged>, OpenError> {
        let stuck = self.stuck;
        let project = self.enter(dialect, call)?;
        let key = likeness(call);
        let was_timeless = project.world.is_timeless();
        if let Some(known) = project.decided.get(&key).filter(|_| was_timeless) {
            return Ok(Arc::clone(known));
        }
        let event = Arc::new(event(dialect, call, &EventName::BeforeTool, Map::new()));
        let verdict = project.engine.decide_or_end(&event, move |_| stuck());
        let judged = Judged::of(&verdict, dialect, &event, &project.engine, project.world.looked_at_today());
        let judged = Arc::new(judged);
        if was_timeless && project.world.is_timeless() {
            if project.decided.len() >= DECIDED {
                project.decided.clear();
            }
            project.decided.insert(key, Arc::clone(&judged));
        }
        Ok(judged)
    }

    /// Whether rules learn from how calls end.
    pub fn learns(&mut self, dialect: &'static dyn Dialect, call: &PastCall) -> bool {
        self.enter(dialect, call).is_ok_and(|project| project.learns)
    }

    /// Lets rules with a memory learn how a call ended.
    pub fn learn(&mut self, dialect: &'static dyn Dialect, call: &PastCall, outcome: Outcome) {
        let (name, told) = match outcome {
            Outcome::NotRun => return,
            Outcome::Ok => (EventName::AfterTool, ("tool_status", json!("success"))),
            Outcome::Failed => (EventName::ToolFailed, ("tool_status", json!("error"))),
            Outcome::Unknown => (EventName::AfterTool, ("tool_response", json!({ "interrupted": true }))),
        };
        let event = event(dialect, call, &name, Map::from_iter([(told.0.to_owned(), told.1)]));
        let stuck = self.stuck;
        if let Ok(project) = self.enter(dialect, call)
            && project.learns
        {
            drop(project.engine.decide_or_end(&Arc::new(event), move |_| stuck()));
        }
    }

    /// Begins a new turn of a session.
    pub fn prompt(&mut self, dialect: &'static dyn Dialect, call: &PastCall) {
        let event = event(dialect, call, &EventName::BeforeAgent, Map::new());
        let stuck = self.stuck;
        if let Ok(project) = self.enter(dialect, call)
            && project.learns
        {
            drop(project.engine.decide_or_end(&Arc::new(Event { tool: None, ..event }), move |_| stuck()));
        }
    }

    /// The engine of a call's project, at the moment of the call.
    fn enter(&mut self, dialect: &'static dyn Dialect, call: &PastCall) -> Result<&mut Project, OpenError> {
        let root = self.project_of(&call.cwd);
        let session = self.session(dialect.name(), &call.session);
        let key = (root, dialect.name());
        if self.project_order.len() >= ENGINES
            && !self.projects.contains_key(&key)
            && let Some(oldest) = self.project_order.pop_front()
        {
            self.projects.remove(&oldest);
        }
        let moment = PastMoment { session, millis: call.millis, branch: call.branch.as_deref().map(Arc::from) };
        let project = self.projects.entry(key);
        let project = match project {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let opened = open(&self.candidate.settings, &free.key().0, dialect)?;
                self.project_order.push_back(free.key().clone());
                free.insert(opened)
            }
        };
        project.world.enter(moment);
        Ok(project)
    }

    fn session(&mut self, agent: &'static str, session: &str) -> Arc<SessionWorld> {
        let key = (agent, session.to_owned());
        if let Some(known) = self.sessions.get(&key) {
            return Arc::clone(known);
        }
        if self.session_order.len() >= SESSIONS
            && let Some(oldest) = self.session_order.pop_front()
        {
            self.sessions.remove(&oldest);
        }
        self.begun += 1;
        if self.begun.is_multiple_of(FORGET_AFTER) {
            self.places = Places::default();
        }
        let world = Arc::new(SessionWorld::new(&self.places));
        self.sessions.insert(key.clone(), Arc::clone(&world));
        self.session_order.push_back(key);
        world
    }
}

fn open(settings: &Settings, root: &Path, dialect: &'static dyn Dialect) -> Result<Project, OpenError> {
    let state = PathBuf::from(STATE);
    let world = Arc::new(PastWorld::new(settings, root.to_owned(), Some(state)));
    let config = Config::new("", root)
        .agent(dialect.name())
        .project(root)
        .packs(hookrail_packs::packs())
        .settings(settings.clone())
        .world(Arc::clone(&world) as Arc<dyn World>)
        .external(External::Leave(NOT_STARTED));
    let engine = Engine::open(&config)?;
    let learns = engine.wants(&EventName::AfterTool, None) || engine.wants(&EventName::BeforeAgent, None);
    Ok(Project { world, engine, learns, decided: HashMap::new() })
}

/// Calls with the same number are decided the same, unless a hook remembers something or asks for the time: everything that an
/// event has but its session, its id and its time.
fn likeness(call: &PastCall) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&call.cwd, &call.branch, &call.mode, &call.subagent).hash(&mut hasher);
    call.hash_request(&mut hasher);
    hasher.finish()
}

/// The event at which the agent would have asked about a call, or told of it.
fn event(dialect: &'static dyn Dialect, call: &PastCall, name: &EventName, more: Map<String, Value>) -> Event {
    let mut payload = Map::new();
    let mut set = |key: &str, value: Value| payload.insert(key.to_owned(), value);
    set("hook_event_name", json!(name.as_str()));
    set(hookrail_core::NATIVE_NAME_FIELD, json!(dialect.native_event(name).unwrap_or_default()));
    set("session_id", json!(call.session));
    set("cwd", json!(call.cwd.to_string_lossy()));
    set("timestamp", json!(call.millis));
    set("tool_name", json!(call.tool));
    set("tool_input", Value::Object(call.input.clone()));
    set("tool_use_id", json!(call.id));
    if let Some(mode) = &call.mode {
        set("permission_mode", json!(mode));
    }
    if let Some(name) = &call.subagent {
        set("agent_id", json!("subagent"));
        if !name.is_empty() {
            set("agent_type", json!(name));
        }
    }
    payload.extend(more);
    restore(payload, dialect)
}

/// The payload of the event at which the agent would have asked about a call, in the words of hookrail.
#[must_use]
pub fn before_tool(dialect: &'static dyn Dialect, call: &PastCall) -> Event {
    event(dialect, call, &EventName::BeforeTool, Map::new())
}

fn voice(run: &HookRun) -> Option<HookOpinion> {
    let account = RunAccount::of(run);
    let answer = match account.decision {
        Decision::None => return None,
        Decision::Allow => CallDecision::Allow,
        Decision::Ask => CallDecision::Ask,
        Decision::Block | Decision::Stop => CallDecision::Deny,
    };
    let reason = run.withheld.as_deref().or(run.output.as_ref()).and_then(HookOutput::spoken_reason);
    Some(HookOpinion {
        rule: run.hook.id.to_string(),
        answer,
        withheld: run.withheld.is_some(),
        reason: reason.map(str::to_owned),
        about: about(&run.record),
    })
}

/// The first effect that a rule's record speaks of.
fn about(record: &Map<String, Value>) -> Option<(String, String)> {
    let hit = record.get("hits")?.as_array()?.first()?;
    let text = |key: &str| hit.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some((text("effect"), text("place"))).filter(|(effect, _)| !effect.is_empty())
}
