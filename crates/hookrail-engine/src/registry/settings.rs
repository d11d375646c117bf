//! Where hook configuration comes from: files and values, in layers.

use super::FolderTrust;
use super::diagnostic::Diagnostic;
use super::document::Document;
use super::format::HookFormat;
use super::positions::PathStep;
use super::reader::HookReader;
use hookrail_core::{ConfigSource, Origin};
use hookrail_dialects::Switches;
use hookrail_store::{FileError, Links, careful_read};
use serde_json::{Map, Value, json};
use std::fmt::Debug;
use std::path::PathBuf;

/// More than any settings file has.
const MAX_BYTES: u64 = 16 << 20;

/// All configuration of one origin: settings of a scope, or an extension.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Whose configuration it is.
    pub source: ConfigSource,
    /// Which agent's habits it follows.
    pub format: HookFormat,
    /// What was found, in the order in which it is read.
    pub documents: Vec<Document>,
    /// What went wrong before there was a document.
    pub diagnostics: Vec<Diagnostic>,
}

impl Layer {
    /// Configuration that was found, with nothing to complain about so far.
    #[must_use]
    pub fn new(source: ConfigSource, format: HookFormat, documents: Vec<Document>) -> Self {
        Self { source, format, documents, diagnostics: Vec::new() }
    }
}

/// Something that can be asked for hook configuration when the first event happens, not before (HOOK-206).
pub trait HookSource: Debug + Send + Sync {
    /// The configuration as it is now. An error means "cannot tell": the whole system stays uninitialised and asks again
    /// on the next event (errata B18). Configuration that was found but is broken is no error but a diagnostic.
    fn load(&self) -> Result<Layer, HookSourceError>;
}

/// Hook configuration could not be obtained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookSourceError(pub String);

impl HookSource for Layer {
    fn load(&self) -> Result<Layer, HookSourceError> {
        Ok(self.clone())
    }
}

/// A settings file, or a plugin's `hooks.json`. A file that does not exist configures nothing.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    /// Where it is, or would be.
    pub path: PathBuf,
    /// Whose file it is.
    pub source: ConfigSource,
    /// Which agent's habits it follows.
    pub format: HookFormat,
}

impl HookSource for SettingsFile {
    fn load(&self) -> Result<Layer, HookSourceError> {
        let mut layer = Layer::new(self.source, self.format, Vec::new());
        let place = self.path.display().to_string();
        match careful_read(&self.path, Links::Follow, MAX_BYTES) {
            Ok(bytes) => match Document::parse(&place, &String::from_utf8_lossy(&bytes)) {
                Ok(document) => layer.documents.push(document),
                Err(error) => layer.diagnostics.push(
                    Diagnostic::new(error.origin, format!("this file is not JSON: {}", error.message))
                        .hint("none of its hooks are active until it can be read"),
                ),
            },
            Err(FileError::NotFound(_)) => {}
            Err(error) => {
                layer.diagnostics.push(Diagnostic::new(Origin::new(&place, None), format!("cannot be read: {error}")));
            }
        }
        Ok(layer)
    }
}

/// A document's hooks: under the key `hooks` of a settings file.
pub(super) fn hooks_of(document: &Document) -> Option<&Value> {
    document.root().get("hooks").filter(|hooks| !hooks.is_null())
}

pub(super) fn read_hooks(reader: &mut HookReader<'_>) {
    let document = reader.document;
    match (document.root(), hooks_of(document)) {
        (_, Some(hooks)) => reader.read(hooks, &[PathStep::Key("hooks")]),
        (Value::Object(_) | Value::Null, None) => {}
        (_, None) => {
            let origin = document.locate(&[]);
            reader.diagnostics.push(Diagnostic::new(origin, "hook configuration must be a JSON object"));
        }
    }
}

/// Whether settings of these scopes run hooks together, as an agent's own configuration layer merges them: for each key the
/// scope with the most authority counts, system over user over project. A project that is not trusted says nothing.
#[must_use]
pub fn enabled_in<'a>(
    settings: impl IntoIterator<Item = (ConfigSource, &'a Value)>,
    trust: FolderTrust,
    by_default: bool,
) -> bool {
    let heard = |source: &ConfigSource| *source != ConfigSource::Project || trust == FolderTrust::Trusted;
    let mut scopes: Vec<(ConfigSource, &Value)> = settings.into_iter().filter(|(source, _)| heard(source)).collect();
    scopes.sort_by_key(|(source, _)| source.authority());
    let switches =
        scopes.into_iter().fold(Switches::default(), |lower, (_, settings)| Switches::read(settings).over(lower));
    switches.enable(by_default)
}

/// The `hooksConfig` of all settings, merged key by key; the lists of disabled hooks are united, so that no scope can
/// switch on again what another switched off.
#[must_use]
pub fn merged_hooks_config<'a>(settings: impl IntoIterator<Item = &'a Value>) -> Map<String, Value> {
    let mut merged = Map::new();
    let mut disabled: Vec<Value> = Vec::new();
    for config in settings.into_iter().filter_map(|settings| settings.get("hooksConfig")?.as_object()) {
        for name in config.get("disabled").and_then(Value::as_array).into_iter().flatten() {
            if !disabled.contains(name) {
                disabled.push(name.clone());
            }
        }
        merged.extend(config.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    if !disabled.is_empty() {
        merged.insert("disabled".to_owned(), json!(disabled));
    }
    merged
}
