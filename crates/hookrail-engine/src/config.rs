use crate::hook_system::HookSystem;
use crate::logger::{DebugLogger, Level, SilentLogger, log};
use crate::overflow::Overflow;
use crate::registry::{Document, FolderTrust, HookFormat, HookSource, HookSourceError, Layer};
use crate::runner::RunnerSettings;
use crate::runner::asking::{AskingSettings, HttpPolicy, PromptEndpoint};
use crate::runner::process::{CancelToken, Limits};
use crate::world::RealWorld;
use hookrail_core::{ConfigSource, HookEntry, NativeHook, World};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// An extension that may bring hooks of its own.
#[derive(Clone, Debug)]
pub struct Extension {
    pub name: String,
    pub active: bool,
    /// Its `hooks` value: event names to groups.
    pub hooks: Value,
}

/// What a host tells the engine about itself and its session. Building one is free of side effects: nothing is read,
/// nothing started, and no hook system exists before [`Config::get_hook_system`] is asked for it.
pub struct Config {
    session_id: String,
    working_dir: PathBuf,
    enable_hooks: bool,
    pub(crate) sources: Vec<Arc<dyn HookSource>>,
    pub(crate) native: Vec<HookEntry>,
    pub(crate) disabled: Vec<String>,
    pub(crate) trust: FolderTrust,
    pub(crate) limits: Limits,
    asking: AskingSettings,
    pub(crate) world: Arc<dyn World>,
    pub(crate) logger: Arc<dyn DebugLogger>,
    pub(crate) cancel: CancelToken,
    pub(crate) overflow: Option<Arc<dyn Overflow>>,
    system: OnceLock<HookSystem>,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("session_id", &self.session_id)
            .field("working_dir", &self.working_dir)
            .field("enable_hooks", &self.enable_hooks)
            .finish_non_exhaustive()
    }
}

impl Config {
    /// A session with hooks switched off.
    #[must_use]
    pub fn new(session_id: impl Into<String>, working_dir: impl Into<PathBuf>) -> Self {
        Self {
            session_id: session_id.into(),
            working_dir: working_dir.into(),
            enable_hooks: false,
            sources: Vec::new(),
            native: Vec::new(),
            disabled: Vec::new(),
            trust: FolderTrust::Trusted,
            limits: Limits::default(),
            asking: AskingSettings::default(),
            world: Arc::new(RealWorld::default()),
            logger: Arc::new(SilentLogger),
            cancel: CancelToken::new(),
            overflow: None,
            system: OnceLock::new(),
        }
    }

    #[must_use]
    pub fn enable_hooks(mut self, enable: bool) -> Self {
        self.enable_hooks = enable;
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
        self.sources.push(Arc::new(source));
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
                entry.on_error = hook.on_error();
                entry.timeout = hook.timeout().unwrap_or(entry.timeout);
                entry
            })
            .collect();
        entries.into_iter().fold(self, Self::entry)
    }

    /// A ready-made entry, for a program that wants a matcher, a timeout or a name of its own.
    #[must_use]
    pub fn entry(mut self, entry: HookEntry) -> Self {
        self.native.push(entry);
        self
    }

    /// Hooks to register but not run, by name or command.
    #[must_use]
    pub fn disable(mut self, identities: impl IntoIterator<Item = String>) -> Self {
        self.disabled.extend(identities);
        self
    }

    #[must_use]
    pub fn trust(mut self, trust: FolderTrust) -> Self {
        self.trust = trust;
        self
    }

    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The model that prompt hooks ask; without one they abstain.
    #[must_use]
    pub fn prompt_endpoint(mut self, endpoint: PromptEndpoint) -> Self {
        self.asking.prompt_endpoint = Some(endpoint);
        self
    }

    /// What HTTP hooks may reach beyond the public internet.
    #[must_use]
    pub fn http_policy(mut self, policy: HttpPolicy) -> Self {
        self.asking.http = policy;
        self
    }

    #[must_use]
    pub fn world(mut self, world: Arc<dyn World>) -> Self {
        self.world = world;
        self
    }

    #[must_use]
    pub fn logger(mut self, logger: Arc<dyn DebugLogger>) -> Self {
        self.logger = logger;
        self
    }

    /// A token with which the host ends every running hook of this session at once.
    #[must_use]
    pub fn cancel_token(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Where texts go that are too long for a model; without one they are only cut.
    #[must_use]
    pub fn overflow(mut self, overflow: Arc<dyn Overflow>) -> Self {
        self.overflow = Some(overflow);
        self
    }

    #[must_use]
    pub fn get_session_id(&self) -> &str {
        &self.session_id
    }

    #[must_use]
    pub fn get_working_dir(&self) -> &std::path::Path {
        &self.working_dir
    }

    #[must_use]
    pub fn get_enable_hooks(&self) -> bool {
        self.enable_hooks
    }

    /// The session's hook system; `None`, at the cost of one comparison, while hooks are switched off.
    #[must_use]
    pub fn get_hook_system(&self) -> Option<&HookSystem> {
        if !self.enable_hooks {
            return None;
        }
        Some(self.system.get_or_init(|| HookSystem::new(self)))
    }

    /// Tells the session's log about something a layer above the engine noticed.
    pub fn warn(&self, line: impl FnOnce() -> String) {
        log(&*self.logger, Level::Warn, line);
    }

    pub(crate) fn runner_settings(&self) -> RunnerSettings {
        RunnerSettings { limits: self.limits.clone(), trust: self.trust, asking: self.asking.clone() }
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
