//! The user's hooks, from a settings file in the form of LLxprt Code.

use hookrail_core::ConfigSource;
use hookrail_engine::registry::{SyntaxError, enabled_in, merged_hooks_config};
use hookrail_engine::{Config, Document, HookFormat, SettingsFile};
use serde_json::Value;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const DEFAULT: &str = ".llxprt/settings.json";

/// A settings file that could be read.
#[derive(Debug)]
pub struct HookSettings {
    path: PathBuf,
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
        let hooks_config = merged_hooks_config([document.root()]);
        let disabled = hooks_config.get("disabled").and_then(Value::as_array).into_iter().flatten();
        let disabled = disabled.filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(Some(Self { path, enabled: enabled_in([document.root()]), disabled }))
    }

    pub fn apply(self, config: Config) -> Config {
        let file = SettingsFile { path: self.path, source: ConfigSource::Project, format: HookFormat::Protocol };
        config.enable_hooks(self.enabled).source(file).disable(self.disabled)
    }
}
