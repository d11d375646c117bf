//! Settings of several scopes and agents, and whether they run hooks together.

use super::params::{Params, ParamsError};
use hookrail_core::ConfigSource;
use hookrail_engine::registry::{HookSourceError, enabled_in, merged_hooks_config};
use hookrail_engine::{Diagnostic, Document, FolderTrust, HookFormat, HookSource, Layer, SettingsFile};
use serde_json::Value;
use std::path::Path;

/// What a session's settings come to.
#[derive(Debug)]
pub(super) struct SessionSettings {
    /// Whether any agent's settings run hooks.
    pub enabled: bool,
    /// The settings; those of agents that run no hooks are empty.
    pub layers: Vec<Layer>,
    /// What each scope wants disabled. A scope's list counts for its own hooks and those of lower ones.
    pub disabled: Vec<(ConfigSource, Vec<String>)>,
}

/// The agents whose settings are switched together. Hooks of one do not run because another's are enabled.
const FAMILIES: [&[HookFormat]; 3] =
    [&[HookFormat::Protocol, HookFormat::Hookrail], &[HookFormat::Gemini], &[HookFormat::Claude]];

impl SessionSettings {
    /// `switch` is what the agent itself says; it stands above all settings but those with which Claude Code's users
    /// disable every hook.
    pub fn resolve(layers: Vec<Layer>, trust: FolderTrust, switch: Option<bool>) -> Self {
        let disabled = layers.iter().map(read_disabled).collect();
        let layers = without_disabled_documents(layers, trust);
        let on = |layer: &Layer| {
            let family = FAMILIES.iter().find(|family| family.contains(&layer.format)).copied().unwrap_or_default();
            is_on(layers.iter().filter(|layer| family.contains(&layer.format)), trust)
        };
        let states: Vec<bool> = layers.iter().map(on).collect();
        let enabled = states.contains(&true);
        let mut layers = layers;
        // What is wrong with a file is told also where its hooks do not run.
        for (layer, _) in layers.iter_mut().zip(states).filter(|(_, on)| !switch.unwrap_or(*on)) {
            layer.documents.clear();
        }
        Self { enabled, layers, disabled }
    }

    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.layers.iter().flat_map(|layer| layer.diagnostics.clone()).collect()
    }
}

/// Whether the settings of one family run hooks. An agent that runs them by default does if it is configured at all.
fn is_on<'a>(family: impl Iterator<Item = &'a Layer>, trust: FolderTrust) -> bool {
    let layers: Vec<&Layer> = family.collect();
    let heard = |layer: &&&Layer| layer.source != ConfigSource::Project || trust == FolderTrust::Trusted;
    let documents = layers.iter().filter(heard).flat_map(|layer| &layer.documents);
    let configured = documents.into_iter().any(|document| document.root().get("hooks").is_some());
    let by_default = configured && layers.iter().any(|layer| layer.format.enabled_by_default());
    enabled_in(layers.iter().flat_map(|layer| roots(layer).map(|root| (layer.source, root))), trust, by_default)
}

/// Claude Code's own switch, which its users expect to work: it takes away the hooks of its scope and of lower ones.
fn without_disabled_documents(mut layers: Vec<Layer>, trust: FolderTrust) -> Vec<Layer> {
    let switches = layers.iter().filter(|layer| {
        layer.format == HookFormat::Claude
            && (layer.source != ConfigSource::Project || trust == FolderTrust::Trusted)
            && roots(layer).any(|root| root.get("disableAllHooks") == Some(&Value::Bool(true)))
    });
    let Some(authority) = switches.map(|layer| layer.source.authority()).max() else { return layers };
    for layer in layers.iter_mut().filter(|layer| layer.format == HookFormat::Claude) {
        if layer.source.authority() <= authority {
            layer.documents.clear();
        }
    }
    layers
}

fn read_disabled(layer: &Layer) -> (ConfigSource, Vec<String>) {
    let config = merged_hooks_config(roots(layer));
    let names = config.get("disabled").and_then(Value::as_array).into_iter().flatten();
    (layer.source, names.filter_map(|name| name.as_str().map(str::to_owned)).collect())
}

fn roots(layer: &Layer) -> impl Iterator<Item = &Value> {
    layer.documents.iter().map(Document::root)
}

/// `settings`: one object of the project's, or a list with scopes.
pub(super) fn read_settings(params: &mut Params) -> Result<Vec<Layer>, ParamsError> {
    match params.optional("settings") {
        None => Ok(Vec::new()),
        Some(settings @ Value::Object(_)) => {
            Ok(vec![layer_of("settings", ConfigSource::Project, HookFormat::Protocol, settings)])
        }
        Some(Value::Array(items)) => params.places("settings", items).into_iter().map(read_scoped).collect(),
        Some(_) => Err(params.mistyped("settings", "an object or a list")),
    }
}

fn read_scoped((place, item): (String, Value)) -> Result<Layer, ParamsError> {
    let mut params = Params::from_value(&place, item)?;
    let (scope, format) = (read_scope(&mut params)?, read_format(&mut params)?);
    let settings = Value::Object(params.object("settings")?);
    params.finish()?;
    Ok(layer_of(&place, scope, format, settings))
}

fn layer_of(place: &str, source: ConfigSource, format: HookFormat, settings: Value) -> Layer {
    Layer::new(source, format, vec![Document::value(place, settings)])
}

/// `settingsFiles`: paths, or objects that say more about them.
pub(super) fn read_settings_files(params: &mut Params, cwd: &Path) -> Result<Vec<Layer>, ParamsError> {
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
    file.load().map_err(refuse)
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
        None | Some("protocol" | "llxprt") => Ok(HookFormat::Protocol),
        Some("gemini") => Ok(HookFormat::Gemini),
        Some("claude") => Ok(HookFormat::Claude),
        Some("hookrail") => Ok(HookFormat::Hookrail),
        Some(other) => {
            let hint = "use `llxprt` (or `protocol`), `gemini`, `claude` or `hookrail`";
            Err(params.invalid("format", &format!("unknown format `{other}`\nhint: {hint}")))
        }
    }
}
