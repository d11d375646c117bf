//! What `initialize` makes of its parameters.

use super::PROTOCOL_VERSION;
use super::asking::{read_http_policy, read_prompt_endpoint};
use super::call::Call;
use super::params::{Params, ParamsError};
use super::tools::read_tools;
use hookrail_core::{ConfigSource, HookPack, NativeHook};
use hookrail_engine::registry::{HookSourceError, enabled_in, merged_hooks_config};
use hookrail_engine::{
    Config, DebugLogger, Diagnostic, Document, Extension, FolderTrust, HookFormat, HookSource, Layer, Selection,
    SettingsFile,
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
}

/// The answer to `initialize`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Greeting {
    protocol_version: u32,
    server: ServerWire,
    enabled: bool,
    total_hooks: usize,
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
        let switch = params.optional_flag("enableHooks")?;
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

        let problems: Vec<Diagnostic> = layers.iter().flat_map(|layer| layer.diagnostics.clone()).collect();
        let mut config = Config::new(id, cwd)
            .enable_hooks(switch.unwrap_or_else(|| own || is_switched_on(&layers)))
            .transcript_path(transcript_path)
            .tools(tools)
            .hookrail_toml(toml)
            .select(Selection { packs, beside_configuration: toml, ..Selection::default() })
            .trust(if trusted { FolderTrust::Trusted } else { FolderTrust::Untrusted })
            .http_policy(http_policy)
            .logger(Arc::clone(&equipment.logger));
        config = read_disabled(&layers)
            .into_iter()
            .fold(config, |config, (source, names)| config.disable_for(source, names));
        if own {
            config = config.packs(equipment.packs.iter().copied());
        }
        config = match &equipment.store {
            Some((store, folder)) if journal => config.store(Arc::clone(store), folder),
            Some((store, _)) => config.overflow(Arc::clone(store)),
            None => config,
        };
        config = prompt_endpoint.into_iter().fold(config, Config::prompt_endpoint);
        config = equipment.native_hooks.iter().fold(config, Config::native_hook);
        config = layers.into_iter().fold(config, Config::source);
        config = extensions.into_iter().fold(config, Config::extension);
        let session = Self { config };
        let greeting = session.greet(problems);
        Ok((session, greeting))
    }

    fn greet(&self, problems: Vec<Diagnostic>) -> Greeting {
        let handler = self.config.get_hook_system().and_then(|system| {
            system.initialize().ok()?;
            system.get_event_handler().ok()
        });
        let diagnostics = handler.map_or(problems, |handler| handler.engine().diagnostics());
        Greeting {
            protocol_version: PROTOCOL_VERSION,
            server: ServerWire { name: "hookrail", version: env!("CARGO_PKG_VERSION") },
            enabled: self.config.get_enable_hooks(),
            total_hooks: self.total_hooks(),
            diagnostics: diagnostics.into_iter().map(DiagnosticWire::from).collect(),
        }
    }

    pub fn total_hooks(&self) -> usize {
        self.config.get_hook_system().map_or(0, |system| system.get_status().total_hooks)
    }

    /// No hook would run: the answer is known without asking.
    pub fn has_nothing_for(&self, call: &Call) -> bool {
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

/// `settings`: one object of the project's, or a list with scopes.
fn read_settings(params: &mut Params) -> Result<Vec<Layer>, ParamsError> {
    match params.optional("settings") {
        None => Ok(Vec::new()),
        Some(settings @ Value::Object(_)) => Ok(vec![layer_of("settings", ConfigSource::Project, settings)]),
        Some(Value::Array(items)) => params.places("settings", items).into_iter().map(read_scoped).collect(),
        Some(_) => Err(params.mistyped("settings", "an object or a list")),
    }
}

fn read_scoped((place, item): (String, Value)) -> Result<Layer, ParamsError> {
    let mut params = Params::from_value(&place, item)?;
    let scope = read_scope(&mut params)?;
    let settings = Value::Object(params.object("settings")?);
    params.finish()?;
    Ok(layer_of(&place, scope, settings))
}

fn layer_of(place: &str, source: ConfigSource, settings: Value) -> Layer {
    Layer::new(source, HookFormat::Protocol, vec![Document::value(place, settings)])
}

/// `settingsFiles`: paths, or objects that say more about them.
fn read_settings_files(params: &mut Params, cwd: &Path) -> Result<Vec<Layer>, ParamsError> {
    let files = params.list("settingsFiles")?;
    files.into_iter().map(|(place, item)| read_settings_file(&place, item, cwd)).collect()
}

fn read_settings_file(place: &str, item: Value, cwd: &Path) -> Result<Layer, ParamsError> {
    let file = match item {
        Value::String(path) => {
            SettingsFile { path: cwd.join(path), source: ConfigSource::Project, format: HookFormat::Protocol }
        }
        item => {
            let expected = "a path or an object with a `path`";
            let mut params = Params::from_value(place, item)
                .map_err(|_| ParamsError::Mistyped { field: place.to_owned(), expected })?;
            let path = cwd.join(params.text("path")?);
            let (source, format) = (read_scope(&mut params)?, read_format(&mut params)?);
            params.finish()?;
            SettingsFile { path, source, format }
        }
    };
    let refuse = |HookSourceError(problem)| ParamsError::Invalid { field: place.to_owned(), problem };
    let mut layer = file.load().map_err(refuse)?;
    // Claude Code's own switch, which its users expect to work.
    if layer.format == HookFormat::Claude {
        layer.documents.retain(|document| document.root().get("disableAllHooks") != Some(&Value::Bool(true)));
    }
    Ok(layer)
}

fn read_scope(params: &mut Params) -> Result<ConfigSource, ParamsError> {
    match params.optional_text("scope")?.as_deref() {
        None | Some("project") => Ok(ConfigSource::Project),
        Some("user") => Ok(ConfigSource::User),
        Some("system") => Ok(ConfigSource::System),
        Some(other) => {
            let problem = format!("unknown scope `{other}`\nhint: use `project`, `user` or `system`");
            Err(params.invalid("scope", &problem))
        }
    }
}

fn read_format(params: &mut Params) -> Result<HookFormat, ParamsError> {
    match params.optional_text("format")?.as_deref() {
        None | Some("protocol") => Ok(HookFormat::Protocol),
        Some("claude") => Ok(HookFormat::Claude),
        Some(other) => {
            Err(params.invalid("format", &format!("unknown format `{other}`\nhint: use `protocol` or `claude`")))
        }
    }
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

/// Claude Code's files have no `enableHooks`: that one brings hooks is enough.
fn is_switched_on(layers: &[Layer]) -> bool {
    let (claude, protocol): (Vec<&Layer>, Vec<&Layer>) =
        layers.iter().partition(|layer| layer.format == HookFormat::Claude);
    enabled_in(roots(protocol)) || roots(claude).any(|root| root.get("hooks").is_some())
}

/// What each scope wants disabled. A scope's list counts for its own hooks and those of lower ones.
fn read_disabled(layers: &[Layer]) -> Vec<(ConfigSource, Vec<String>)> {
    let read = |layer: &Layer| {
        let config = merged_hooks_config(roots([layer]));
        let names = config.get("disabled").and_then(Value::as_array).into_iter().flatten();
        (layer.source, names.filter_map(|name| name.as_str().map(str::to_owned)).collect())
    };
    layers.iter().map(read).collect()
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

fn roots<'a>(layers: impl IntoIterator<Item = &'a Layer>) -> impl Iterator<Item = &'a Value> {
    layers.into_iter().flat_map(|layer| layer.documents.iter().map(Document::root))
}
