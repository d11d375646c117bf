use crate::engine::{HookSet, Parts, Progress, RefusedStops, Selection};
use crate::hook_system::HookSystem;
use crate::layers::{ConfigCache, LayerFiles, Settings, project_root};
use crate::logger::{DebugLogger, Level, SilentLogger, StatusDisplay, log};
use crate::registry::{Document, FolderTrust, HookFormat, HookRegistry, HookSource, HookSourceError, Layer};
use crate::runner::asking::{AskingSettings, HttpPolicy, Network, PromptEndpoint};
use crate::runner::process::{CancelToken, Limits};
use crate::runner::{External, HookRunner, RunnerSettings};
use crate::trust::{TrustGate, name_scripts};
use crate::world::{Memory, RealWorld};
use hookrail_core::{ConfigSource, HookEntry, HookPack, NativeHook, ToolClassifier, World};
use hookrail_store::{SessionId, StateRoot, Store};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// An extension that may bring hooks of its own.
#[derive(Clone, Debug)]
pub struct Extension {
    /// What people call it; part of the place of its hooks in diagnostics.
    pub name: String,
    /// Hooks of an extension that is switched off do not exist.
    pub active: bool,
    /// Its `hooks` value: event names to groups.
    pub hooks: Value,
}

/// What an engine is opened from: the session, where its hooks come from, and what they stand on. Building one is free of side
/// effects: nothing is read, nothing started, and no hook system exists before [`Config::get_hook_system`] is asked for it.
pub struct Config {
    /// Built step by step, so that each step moves a pointer.
    pub(crate) setup: Box<Setup>,
    system: OnceLock<HookSystem>,
}

/// What a [`Config`] says.
#[derive(Clone)]
pub(crate) struct Setup {
    session_id: String,
    working_dir: PathBuf,
    transcript_path: String,
    project: Option<PathBuf>,
    agent: &'static str,
    enable_hooks: bool,
    sources: Vec<Arc<dyn HookSource>>,
    native: Vec<HookEntry>,
    disabled: Vec<(ConfigSource, String)>,
    trust: FolderTrust,
    packs: Vec<&'static dyn HookPack>,
    selection: Selection,
    settings: SettingsOrigin,
    vouched: Vec<String>,
    approvals: Option<PathBuf>,
    tools: ToolClassifier,
    limits: Limits,
    asking: AskingSettings,
    external: External,
    world: Option<Arc<dyn World>>,
    store: Option<(Arc<dyn Store>, PathBuf)>,
    overflow: Option<Arc<dyn Store>>,
    pub(crate) logger: Arc<dyn DebugLogger>,
    status: Option<Arc<dyn StatusDisplay>>,
    pub(crate) cancel: CancelToken,
    progress: Option<fn(Progress)>,
}

/// Where `hookrail.toml` comes from.
#[derive(Clone)]
enum SettingsOrigin {
    /// It does not count.
    None,
    /// The files of the project, read when the engine is opened.
    Files,
    /// Read already.
    Given(Settings),
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("session_id", &self.setup.session_id)
            .field("working_dir", &self.setup.working_dir)
            .field("enable_hooks", &self.setup.enable_hooks)
            .finish_non_exhaustive()
    }
}

impl Config {
    /// A session with hooks switched off.
    #[must_use]
    pub fn new(session_id: impl Into<String>, working_dir: impl Into<PathBuf>) -> Self {
        let setup = Box::new(Setup {
            session_id: session_id.into(),
            working_dir: working_dir.into(),
            transcript_path: String::new(),
            project: None,
            agent: "host",
            enable_hooks: false,
            sources: Vec::new(),
            native: Vec::new(),
            disabled: Vec::new(),
            trust: FolderTrust::Trusted,
            packs: Vec::new(),
            selection: Selection::default(),
            settings: SettingsOrigin::None,
            vouched: Vec::new(),
            approvals: None,
            tools: ToolClassifier::OPAQUE,
            limits: Limits::default(),
            asking: AskingSettings::default(),
            external: External::default(),
            world: None,
            store: None,
            overflow: None,
            logger: Arc::new(SilentLogger),
            status: None,
            cancel: CancelToken::new(),
            progress: None,
        });
        Self { setup, system: OnceLock::new() }
    }

    /// Whose session it is, for the journal: the name of an agent, or `host`.
    #[must_use]
    pub fn agent(mut self, name: &'static str) -> Self {
        self.setup.agent = name;
        self
    }

    /// The file in which the agent writes down its conversation.
    #[must_use]
    pub fn transcript_path(mut self, path: impl Into<String>) -> Self {
        self.setup.transcript_path = path.into();
        self
    }

    /// The folder of the project; found from the working directory if not given.
    #[must_use]
    pub fn project(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setup.project = Some(folder.into());
        self
    }

    /// Who is told how far an event has come: for a process that must answer even if it dies on the way.
    #[must_use]
    pub fn on_progress(mut self, follow: fn(Progress)) -> Self {
        self.setup.progress = Some(follow);
        self
    }

    /// Whether there is a hook system at all. [`Engine::open`](crate::Engine::open) does not ask: whoever opens an
    /// engine wants hooks.
    #[must_use]
    pub fn enable_hooks(mut self, enable: bool) -> Self {
        self.setup.enable_hooks = enable;
        self
    }

    /// The `hooks` value of already merged settings, LLxprt style; tagged as the project's (HOOK-085).
    #[must_use]
    pub fn hooks(self, hooks: &Value) -> Self {
        let document = Document::value("settings", json!({ "hooks": hooks }));
        self.source(Layer::new(ConfigSource::Project, HookFormat::Protocol, vec![document]))
    }

    /// Another place to read hooks from when the first event happens.
    #[must_use]
    pub fn source(mut self, source: impl HookSource + 'static) -> Self {
        self.setup.sources.push(Arc::new(source));
        self
    }

    /// Hooks of an extension; an inactive one contributes nothing.
    #[must_use]
    pub fn extension(self, extension: Extension) -> Self {
        self.source(extension)
    }

    /// A hook that is code of this program, for every event it wants.
    #[must_use]
    pub fn native_hook(self, hook: &Arc<dyn NativeHook>) -> Self {
        let entries: Vec<HookEntry> = hook
            .events()
            .iter()
            .map(|event| {
                let action = hookrail_core::HookAction::Native(Arc::clone(hook));
                let mut entry = HookEntry::new(event.clone(), action, ConfigSource::Runtime);
                let profile = hook.profile();
                entry.on_error = profile.on_error;
                entry.timeout = profile.timeout.unwrap_or(entry.timeout);
                entry.breaker = profile.has_breaker;
                entry.mode = profile.default_mode.unwrap_or_default();
                entry
            })
            .collect();
        entries.into_iter().fold(self, Self::entry)
    }

    /// A ready-made entry, for a program that wants a matcher, a timeout or a name of its own.
    #[must_use]
    pub fn entry(mut self, entry: HookEntry) -> Self {
        self.setup.native.push(entry);
        self
    }

    /// Hooks to register but not run, by name or command, whoever configured them.
    #[must_use]
    pub fn disable(self, identities: impl IntoIterator<Item = String>) -> Self {
        self.disable_for(ConfigSource::Runtime, identities)
    }

    /// The same, on the word of one source: hooks of a higher authority stay enabled.
    #[must_use]
    pub fn disable_for(mut self, source: ConfigSource, identities: impl IntoIterator<Item = String>) -> Self {
        self.setup.disabled.extend(identities.into_iter().map(|identity| (source, identity)));
        self
    }

    /// Packs of native hooks. Which of them run, the selection and `hookrail.toml` say.
    #[must_use]
    pub fn packs(mut self, packs: impl IntoIterator<Item = &'static dyn HookPack>) -> Self {
        self.setup.packs.extend(packs);
        self
    }

    /// The packs or the hook to ask.
    #[must_use]
    pub fn select(mut self, selection: Selection) -> Self {
        self.setup.selection = selection;
        self
    }

    /// Reads the `hookrail.toml` files of machine, user and project when the engine is opened.
    #[must_use]
    pub fn hookrail_toml(mut self, read: bool) -> Self {
        self.setup.settings = if read { SettingsOrigin::Files } else { SettingsOrigin::None };
        self
    }

    /// What `hookrail.toml` says, read by the caller.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.setup.settings = SettingsOrigin::Given(settings);
        self
    }

    /// A `hookrail.toml` whose commands need no approval, because the caller answers for them.
    #[must_use]
    pub fn vouch_for(mut self, file: &Path) -> Self {
        self.setup.vouched.push(file.display().to_string());
        self
    }

    /// The state folder in which approvals of a project's commands are looked up, if that is not the store's.
    #[must_use]
    pub fn approvals_in(mut self, folder: &Path) -> Self {
        self.setup.approvals = Some(folder.to_owned());
        self
    }

    /// How the agent's tools are read, so that native hooks see paths and commands.
    #[must_use]
    pub fn tools(mut self, tools: impl Into<ToolClassifier>) -> Self {
        self.setup.tools = tools.into();
        self
    }

    /// Whether hooks that the project's own settings bring along may run.
    #[must_use]
    pub fn trust(mut self, trust: FolderTrust) -> Self {
        self.setup.trust = trust;
        self
    }

    /// How much output of commands is kept, and how they are ended.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.setup.limits = limits;
        self
    }

    /// The model that prompt hooks ask; without one they abstain.
    #[must_use]
    pub fn prompt_endpoint(mut self, endpoint: PromptEndpoint) -> Self {
        self.setup.asking.prompt_endpoint = Some(endpoint);
        self
    }

    /// What HTTP hooks may reach beyond the public internet.
    #[must_use]
    pub fn http_policy(mut self, policy: HttpPolicy) -> Self {
        self.setup.asking.http = policy;
        self
    }

    /// The way to models and web services; without one, prompt and HTTP hooks fail.
    #[must_use]
    pub fn network(mut self, network: Arc<dyn Network>) -> Self {
        self.setup.asking.network = Some(network);
        self
    }

    /// The machine that native hooks see; the real one if not given.
    #[must_use]
    pub fn world(mut self, world: Arc<dyn World>) -> Self {
        self.setup.world = Some(world);
        self
    }

    /// What becomes of hooks that are not code of this process.
    #[must_use]
    pub fn external(mut self, external: External) -> Self {
        self.setup.external = external;
        self
    }

    /// Where sessions and the journal are kept, and the folder behind it. Without one nothing is recorded, and hooks remember
    /// nothing.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>, folder: impl Into<PathBuf>) -> Self {
        self.setup.store = Some((store, folder.into()));
        self
    }

    /// Where texts go that are too long for a model, if not to the store; without either they are only cut.
    #[must_use]
    pub fn overflow(mut self, store: Arc<dyn Store>) -> Self {
        self.setup.overflow = Some(store);
        self
    }

    /// Where the engine tells of its own work; nowhere if not given.
    #[must_use]
    pub fn logger(mut self, logger: Arc<dyn DebugLogger>) -> Self {
        self.setup.logger = logger;
        self
    }

    /// Where hooks' status messages are shown; nowhere if not given.
    #[must_use]
    pub fn status_display(mut self, display: Arc<dyn StatusDisplay>) -> Self {
        self.setup.status = Some(display);
        self
    }

    /// A token with which the host ends every running hook of this session at once.
    #[must_use]
    pub fn cancel_token(mut self, cancel: CancelToken) -> Self {
        self.setup.cancel = cancel;
        self
    }

    /// The agent's name for this session.
    #[must_use]
    pub fn get_session_id(&self) -> &str {
        &self.setup.session_id
    }

    /// The directory in which the agent works.
    #[must_use]
    pub fn get_working_dir(&self) -> &Path {
        &self.setup.working_dir
    }

    /// Whether hooks are enabled.
    #[must_use]
    pub fn get_enable_hooks(&self) -> bool {
        self.setup.enable_hooks
    }

    /// The session's hook system; `None`, at the cost of one comparison, while hooks are switched off.
    #[must_use]
    pub fn get_hook_system(&self) -> Option<&HookSystem> {
        if !self.setup.enable_hooks {
            return None;
        }
        Some(self.system.get_or_init(|| HookSystem::new(self.setup.clone())))
    }

    /// Tells the session's log about something a layer above the engine noticed.
    pub fn warn(&self, line: impl FnOnce() -> String) {
        log(&*self.setup.logger, Level::Warn, line);
    }
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("session_id", &self.session_id).finish_non_exhaustive()
    }
}

impl Setup {
    /// Everything an engine stands on. Reads configuration; an error leaves nothing behind.
    pub(crate) fn build(self) -> Result<Parts, HookSourceError> {
        let layers = self.sources.iter().map(|source| source.load()).collect::<Result<Vec<_>, _>>()?;
        let registry = HookRegistry::build(&layers, self.native, &self.disabled, self.trust);
        let machine = RealWorld::default();
        let seen: &dyn World = self.world.as_deref().unwrap_or(&machine);
        let project = self.project.unwrap_or_else(|| project_root(seen, &self.working_dir));
        let (store, state_folder) = self.store.unzip();
        let mut settings = match self.settings {
            SettingsOrigin::None => Settings::default(),
            SettingsOrigin::Given(settings) => settings,
            SettingsOrigin::Files => {
                let cache = ConfigCache::in_state(state_folder.as_ref().map(StateRoot::at));
                cache.load(&LayerFiles::usual(seen, &project), seen)
            }
        };
        let approvals = self.approvals.or_else(|| state_folder.clone());
        if self.world.is_none() {
            name_scripts(&mut settings, &project, approvals.as_deref(), seen);
        }
        let network = self.asking.network.clone();
        let real_world = || {
            let memory = store.as_ref().zip(state_folder.as_ref()).map(|(store, folder)| Memory {
                store: Arc::clone(store),
                session: SessionId::new(&self.session_id, &project),
                folder: folder.clone(),
            });
            Arc::new(
                RealWorld::of_session(Arc::new(settings.sections()), memory)
                    .with_model(settings.model(), network.clone()),
            )
        };
        let world = self.world.unwrap_or_else(|| real_world());
        let answer_bytes = settings.answer_limit().unwrap_or(self.limits.answer_bytes);
        let gate = TrustGate::new(approvals, self.vouched, !self.external.needs_trust());
        let runner = RunnerSettings {
            limits: Limits { answer_bytes, ..self.limits },
            trust: self.trust,
            asking: self.asking,
            external: self.external,
        };
        Ok(Parts {
            hooks: HookSet::new(registry, self.packs, self.selection, settings, gate, (Arc::clone(&world), self.agent)),
            runner: Arc::new(HookRunner::new(runner, Arc::clone(&world), Arc::clone(&self.logger))),
            world,
            overflow: self.overflow.or_else(|| store.clone()),
            store,
            tools: self.tools,
            agent: self.agent,
            session_id: self.session_id,
            cwd: self.working_dir,
            transcript_path: self.transcript_path,
            project,
            logger: self.logger,
            status: self.status,
            once: Mutex::default(),
            refused_stops: RefusedStops::default(),
            progress: self.progress,
        })
    }
}

impl HookSource for Extension {
    fn load(&self) -> Result<Layer, HookSourceError> {
        let documents = if self.active {
            vec![Document::value(&format!("extension {}", self.name), json!({ "hooks": self.hooks }))]
        } else {
            Vec::new()
        };
        Ok(Layer::new(ConfigSource::Extensions, HookFormat::Protocol, documents))
    }
}
