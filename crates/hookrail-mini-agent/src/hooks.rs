//! The user's hooks, from a settings file in the form of LLxprt Code or of Claude Code.

use crate::turn_hooks;
use hookrail_core::{ConfigSource, HookEntry};
use hookrail_engine::registry::{SyntaxError, enabled_in, merged_hooks_config};
use hookrail_engine::{Config, Document, FolderTrust, HookFormat, HookRegistry, Layer, SettingsFile};
use serde_json::Value;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const DEFAULT: &str = ".llxprt/settings.json";
/// Settings in a folder of this name are Claude Code's.
const CLAUDE: &str = ".claude";

/// A settings file that could be read.
#[derive(Debug)]
pub struct HookSettings {
    path: PathBuf,
    format: HookFormat,
    document: Document,
    enabled: bool,
    disabled: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum HookSettingsError {
    #[error("the settings `{path}` cannot be read: {cause}")]
    Unreadable { path: String, cause: std::io::Error },
    #[error("the settings are not JSON: {0}")]
    Syntax(#[from] SyntaxError),
}

impl HookSettings {
    /// The file the user named, or the one of the project if it has one. A file that exists and cannot be read is an
    /// error: an agent must not go to work without its hooks only because of a typo.
    pub fn find(named: Option<&Path>, root: &Path) -> Result<Option<Self>, HookSettingsError> {
        let path = named.map_or_else(|| root.join(DEFAULT), Path::to_owned);
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(cause) if cause.kind() == ErrorKind::NotFound && named.is_none() => return Ok(None),
            Err(cause) => return Err(HookSettingsError::Unreadable { path: path.display().to_string(), cause }),
        };
        let document = Document::parse(&path.display().to_string(), &text)?;
        let format = format_of(&path);
        let enabled = match format {
            HookFormat::Protocol | HookFormat::Gemini | HookFormat::Hookrail => {
                let settings = [(ConfigSource::Project, document.root())];
                enabled_in(settings, FolderTrust::Trusted, format.enabled_by_default())
            }
            HookFormat::Claude => document.root().get("disableAllHooks") != Some(&Value::Bool(true)),
        };
        let hooks_config = merged_hooks_config([document.root()]);
        let disabled = hooks_config.get("disabled").and_then(Value::as_array).into_iter().flatten();
        let disabled = disabled.filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(Some(Self { path, format, document, enabled, disabled }))
    }

    /// All hooks for the session.
    pub fn apply(self, config: Config) -> Config {
        let file = SettingsFile { path: self.path, source: ConfigSource::Project, format: self.format };
        config.enable_hooks(self.enabled).source(file).disable(self.disabled)
    }

    /// The hooks around a prompt for the second, all others for the first.
    pub fn share_out(self, session: Config, turn: Config) -> (Config, Config) {
        let layer = Layer::new(ConfigSource::Project, self.format, vec![self.document]);
        let disabled: Vec<_> = self.disabled.into_iter().map(|name| (ConfigSource::Project, name)).collect();
        let registry = HookRegistry::build(&[layer], Vec::new(), &disabled, FolderTrust::Trusted);
        for diagnostic in registry.diagnostics() {
            session.warn(|| diagnostic.one_line());
        }
        let entries = registry.entries().into_iter().map(|entry| HookEntry::clone(&entry));
        let (around, within): (Vec<_>, Vec<_>) = entries.partition(|entry| turn_hooks::EVENTS.contains(&entry.event));
        let fill = |config: Config, entries: Vec<HookEntry>| {
            entries.into_iter().fold(config.enable_hooks(self.enabled), Config::entry)
        };
        (fill(session, within), fill(turn, around))
    }
}

fn format_of(path: &Path) -> HookFormat {
    let folder = path.parent().and_then(Path::file_name);
    if folder.is_some_and(|folder| folder == CLAUDE) { HookFormat::Claude } else { HookFormat::Protocol }
}
