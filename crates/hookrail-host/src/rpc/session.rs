//! What `initialize` makes of its parameters.

use super::PROTOCOL_VERSION;
use super::administration::{Statistics, Switched};
use super::asking::{read_http_policy, read_prompt_endpoint};
use super::call::RpcCall;
use super::notification::NotificationOptions;
use super::params::{Params, ParamsError};
use super::settings::{SessionSettings, read_settings, read_settings_files};
use super::tools::read_tools;
use hookrail_core::{EventName, HookPack, NativeHook, Verdict};
use hookrail_engine::runner::process::Limits;
use hookrail_engine::{
    Config, DebugLogger, Diagnostic, Engine, Extension, FolderTrust, HookEventHandler, Network, RegisteredHook,
    Selection,
};
use hookrail_store::Store;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One agent session and its hooks.
#[derive(Debug)]
pub(super) struct Session {
    pub config: Config,
    pub wishes: NotificationOptions,
    statistics: Statistics,
    /// The events whose hooks wait for nothing.
    prompt_events: Vec<EventName>,
}

/// The answer to `initialize`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Greeting {
    protocol_version: u32,
    server: ServerWire,
    enabled: bool,
    total_hooks: usize,
    /// The events that have hooks, whatever their matchers say; others need not be sent. Null: every event has.
    pub events: Option<Vec<String>>,
    diagnostics: Vec<DiagnosticWire>,
}

#[derive(Debug, Serialize)]
struct ServerWire {
    name: &'static str,
    version: &'static str,
}

#[derive(Debug, Serialize)]
struct DiagnosticWire {
    origin: String,
    message: String,
    hint: Option<String>,
}

/// What a session has beside its parameters.
#[derive(Debug)]
pub(super) struct Equipment {
    pub native_hooks: Vec<Arc<dyn NativeHook>>,
    pub packs: Vec<&'static dyn HookPack>,
    pub logger: Arc<dyn DebugLogger>,
    pub store: Option<(Arc<dyn Store>, PathBuf)>,
    pub network: Option<Arc<dyn Network>>,
}

impl Session {
    /// Reads the settings and loads their hooks. Configuration that is broken is reported, not refused.
    pub fn open(mut params: Params, equipment: &Equipment) -> Result<(Self, Greeting), ParamsError> {
        let id = params.text("sessionId")?;
        let cwd = params.text("cwd")?;
        if !Path::new(&cwd).is_absolute() {
            return Err(params.invalid("cwd", &format!("`{cwd}` is not an absolute path")));
        }
        let mut layers = read_settings(&mut params)?;
        layers.extend(read_settings_files(&mut params, Path::new(&cwd))?);
        let extensions = read_extensions(&mut params)?;
        let trusted = params.optional_flag("trustedFolder")?.unwrap_or(true);
        let trust = if trusted { FolderTrust::Trusted } else { FolderTrust::Untrusted };
        let switch = params.optional_flag("enableHooks")?;
        let limits = read_limits(&mut params)?;
        let wishes = NotificationOptions {
            hooks: params.optional_flag("notifications")?.unwrap_or(false),
            telemetry: params.optional_flag("telemetry")?.unwrap_or(false),
        };
        let prompt_endpoint = read_prompt_endpoint(&mut params)?;
        let http_policy = read_http_policy(&mut params)?;
        let transcript_path = params.optional_text("transcriptPath")?.unwrap_or_default();
        let tools = read_tools(&mut params)?;
        let toml = params.optional_flag("hookrailToml")?.unwrap_or(false);
        let packs = read_packs(&mut params, &equipment.packs)?;
        // Whoever uses hookrail's own configuration has its journal; other hosts say so.
        let journal = params.optional_flag("journal")?.unwrap_or(toml || !packs.is_empty());
        params.finish()?;
        let own = toml || !packs.is_empty();

        let settings = SessionSettings::resolve(layers, trust, switch);
        let problems = settings.diagnostics();
        let mut config = Config::new(id, cwd)
            .enable_hooks(switch.unwrap_or(own || settings.enabled))
            .limits(limits)
            .transcript_path(transcript_path)
            .tools(tools)
            .hookrail_toml(toml)
            .select(Selection { packs, beside_configuration: toml, ..Selection::default() })
            .trust(trust)
            .http_policy(http_policy)
            .logger(Arc::clone(&equipment.logger));
        config =
            settings.disabled.into_iter().fold(config, |config, (source, names)| config.disable_for(source, names));
        if own {
            config = config.packs(equipment.packs.iter().copied());
        }
        config = match &equipment.store {
            Some((store, folder)) if journal => config.store(Arc::clone(store), folder),
            Some((store, _)) => config.overflow(Arc::clone(store)),
            None => config,
        };
        config = equipment.network.iter().cloned().fold(config, Config::network);
        config = prompt_endpoint.into_iter().fold(config, Config::prompt_endpoint);
        config = equipment.native_hooks.iter().fold(config, Config::native_hook);
        config = settings.layers.into_iter().fold(config, Config::source);
        config = extensions.into_iter().fold(config, Config::extension);
        let mut session = Self { config, wishes, statistics: Statistics::default(), prompt_events: Vec::new() };
        session.prompt_events = session.find_prompt_events();
        let greeting = session.greet(problems);
        Ok((session, greeting))
    }

    fn greet(&self, problems: Vec<Diagnostic>) -> Greeting {
        let diagnostics = self.open_engine().map_or(problems, Engine::diagnostics);
        Greeting {
            protocol_version: PROTOCOL_VERSION,
            server: ServerWire { name: "hookrail", version: env!("CARGO_PKG_VERSION") },
            enabled: self.config.get_enable_hooks(),
            total_hooks: self.total_hooks(),
            events: self.events(),
            diagnostics: diagnostics.into_iter().map(DiagnosticWire::from).collect(),
        }
    }

    /// The engine, read from the configuration if that has not happened yet; `None` while hooks are disabled or the
    /// configuration cannot be obtained.
    fn open_engine(&self) -> Option<&Engine> {
        let system = self.config.get_hook_system()?;
        system.initialize().ok()?;
        system.get_event_handler().ok().map(HookEventHandler::engine)
    }

    /// The events that have hooks; `None` if every event may have.
    pub fn events(&self) -> Option<Vec<String>> {
        match (self.config.get_enable_hooks(), self.open_engine()) {
            (false, _) => Some(Vec::new()),
            (true, None) => None,
            (true, Some(engine)) => Some(engine.hooks().events()?.into_iter().collect()),
        }
    }

    fn find_prompt_events(&self) -> Vec<EventName> {
        let Some(engine) = self.open_engine() else { return Vec::new() };
        EventName::KNOWN.iter().filter(|event| engine.never_waits(event)).cloned().collect()
    }

    /// Whether a call is answered without waiting for anything, so that the thread that reads requests can do it.
    pub fn answers_at_once(&self, call: &RpcCall) -> bool {
        self.prompt_events.contains(&call.event())
    }

    /// Every hook of the session.
    pub fn hooks(&self) -> Vec<RegisteredHook> {
        self.open_engine().map(|engine| engine.hooks().listing()).unwrap_or_default()
    }

    /// Switches every hook of this name, and says how many that were.
    pub fn set_enabled(&self, hook: &str, enabled: bool) -> Switched {
        let switched = self.open_engine().map_or(0, |engine| engine.registry().set_enabled(hook, enabled));
        Switched { switched, events: self.events() }
    }

    /// What became of the hooks of this session so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    pub fn count(&self, verdict: Option<&Verdict>) {
        verdict.into_iter().flat_map(Verdict::runs).for_each(|run| self.statistics.count(run));
    }

    pub fn total_hooks(&self) -> usize {
        self.config.get_hook_system().map_or(0, |system| system.get_status().total_hooks)
    }

    /// No hook would run: the answer is known without asking.
    pub fn has_nothing_for(&self, call: &RpcCall) -> bool {
        let Some(system) = self.config.get_hook_system() else { return true };
        let Ok(handler) = system.get_event_handler() else { return false };
        !handler.engine().wants(&call.event(), call.subject())
    }
}

impl From<Diagnostic> for DiagnosticWire {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { origin: diagnostic.origin.to_string(), message: diagnostic.message, hint: diagnostic.hint }
    }
}

/// `answerLimitBytes`: how much longer than what a hook is sent its answer may be.
fn read_limits(params: &mut Params) -> Result<Limits, ParamsError> {
    let usual = Limits::default();
    let answer_bytes = params.optional_count("answerLimitBytes")?.unwrap_or(usual.answer_bytes);
    Ok(Limits { answer_bytes, ..usual })
}

fn read_extensions(params: &mut Params) -> Result<Vec<Extension>, ParamsError> {
    let read = |(place, item): (String, Value)| {
        let mut params = Params::from_value(&place, item)?;
        let extension = Extension {
            name: params.text("name")?,
            active: params.optional_flag("active")?.unwrap_or(true),
            hooks: Value::Object(params.optional_object("hooks")?.unwrap_or_default()),
        };
        params.finish().map(|()| extension)
    };
    params.list("extensions")?.into_iter().map(read).collect()
}

/// `packs`: the names of packs that run whatever `hookrail.toml` says about them.
fn read_packs(params: &mut Params, known: &[&'static dyn HookPack]) -> Result<Vec<&'static str>, ParamsError> {
    let names = params.list("packs")?;
    let find = |(place, item): (String, Value)| {
        let name = item.as_str().ok_or_else(|| ParamsError::Mistyped { field: place.clone(), expected: "text" })?;
        let pack = known.iter().find(|pack| pack.name() == name).map(|pack| pack.name());
        pack.ok_or_else(|| {
            let packs: Vec<&str> = known.iter().map(|pack| pack.name()).collect();
            let hint = if packs.is_empty() {
                "this server has no packs".to_owned()
            } else {
                format!("the packs are {}", packs.join(", "))
            };
            ParamsError::Invalid { field: place, problem: format!("unknown pack `{name}`\nhint: {hint}") }
        })
    };
    names.into_iter().map(find).collect()
}
