//! TOML is parsed when it changed, not at every event.

use super::files::{self, Content, LayerFiles};
use super::last_good::LastGood;
use super::settings::{LayerKind, Settings, SettingsLayer};
use crate::registry::Diagnostic;
use hookrail_core::{Origin, World};
use hookrail_rules::RuleSet;
use hookrail_store::StateRoot;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings that were parsed before, by the files they came from.
#[derive(Clone, Debug)]
pub struct ConfigCache {
    /// `None` caches nothing.
    root: Option<StateRoot>,
    writes: bool,
}

#[derive(Serialize, Deserialize)]
struct SettingsWire {
    /// Of everything that the settings depend on.
    hash: String,
    layers: Vec<SettingsLayer>,
    diagnostics: Vec<DiagnosticWire>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<DiagnosticWire>,
    /// The rules are in a file beside this one, because most events look at few of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_rules: bool,
}

#[derive(Serialize, Deserialize)]
struct DiagnosticWire {
    place: String,
    position: Option<(u32, u32)>,
    message: String,
    hint: Option<String>,
}

impl ConfigCache {
    /// Keeps parsed settings in the state directory, if that is its user's alone: whoever can write to a cache can say
    /// what the settings are.
    #[must_use]
    pub fn in_state(root: Option<StateRoot>) -> Self {
        Self { root, writes: true }
    }

    /// For commands that only look: what the state directory knows counts, and nothing is written there.
    #[must_use]
    pub fn looking(root: Option<StateRoot>) -> Self {
        Self { root, writes: false }
    }

    /// The settings of these files as they are now. Of a file that cannot be read it is the last version that could.
    #[must_use]
    pub fn load(&self, files: &LayerFiles, world: &dyn World) -> Settings {
        let contents = files.read(world);
        if contents.is_empty() {
            return Settings::default();
        }
        let state = self.state();
        // One entry for the same files: what was parsed last is also what was good last.
        let entry = state.map(|state| state.join(format!("cache/config-{}.json", hash_of_paths(&contents))));
        let hash = hash_of_contents(&contents);
        let known = entry.as_ref().and_then(|entry| cached(entry, &hash, world));
        if let Some(settings) = known {
            return settings;
        }
        let last_good = LastGood::new(state, world);
        let parsed = files::parse(&contents, &last_good);
        if let (Some(entry), true) = (entry, self.writes) {
            parsed.good.iter().for_each(|(path, text)| last_good.keep(path, text));
            let all_good = parsed.good.len() == contents.len();
            // What is in force for a file that cannot be read depends on more than the files: that is not cached. A cache
            // that cannot be written is only slower.
            if all_good {
                keep(&entry, &parsed.settings, &hash, world);
            }
        }
        Settings { new: self.writes && state.is_some(), ..parsed.settings }
    }

    /// The state directory, if it is its user's alone.
    fn state(&self) -> Option<&Path> {
        let is_safe = |root: &&StateRoot| if self.writes { root.check().is_ok() } else { root.is_ours() };
        self.root.as_ref().filter(is_safe).map(StateRoot::path)
    }
}

fn hash_of_paths(contents: &[(LayerKind, PathBuf, Content)]) -> String {
    hash(contents.iter().flat_map(|(kind, path, _)| [kind.as_str().as_bytes(), path.as_os_str().as_encoded_bytes()]))
}

/// Everything the result depends on, this version of hookrail included.
fn hash_of_contents(contents: &[(LayerKind, PathBuf, Content)]) -> String {
    let parts = contents.iter().flat_map(|(kind, path, content)| {
        let bytes = match content {
            Content::Bytes(bytes) => bytes.as_slice(),
            Content::Unreadable(why) => why.as_bytes(),
        };
        [kind.as_str().as_bytes(), path.as_os_str().as_encoded_bytes(), bytes]
    });
    hash(std::iter::once(env!("CARGO_PKG_VERSION").as_bytes()).chain(parts))
}

fn hash<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().to_hex().to_string()
}

/// Writes down what was parsed, the rules first: without them the rest does not count.
fn keep(entry: &Path, settings: &Settings, hash: &str, world: &dyn World) {
    let has_rules = has_rules(settings);
    if has_rules {
        let bytes = [hash.as_bytes(), settings.rules.as_bytes()].concat();
        if world.write(&entry.with_extension("rules"), &bytes).is_err() {
            return;
        }
    }
    let _ = encode(settings, hash, has_rules).map(|bytes| world.write(entry, &bytes));
}

fn has_rules(settings: &Settings) -> bool {
    !settings.rules.is_empty() || !settings.rules.exceptions().is_empty()
}

fn cached(entry: &Path, hash: &str, world: &dyn World) -> Option<Settings> {
    let (mut settings, has_rules) = decode(&world.read(entry).ok().flatten()?, hash)?;
    if has_rules {
        let mut bytes = world.read(&entry.with_extension("rules")).ok().flatten()?;
        let rest = bytes.split_off(hash.len().min(bytes.len()));
        let is_same = bytes == hash.as_bytes();
        settings.rules = Arc::new(RuleSet::from_bytes(rest).filter(|_| is_same)?);
    }
    Some(settings)
}

fn encode(settings: &Settings, hash: &str, has_rules: bool) -> Option<Vec<u8>> {
    let diagnostic = |diagnostic: &Diagnostic| DiagnosticWire {
        place: diagnostic.origin.place.to_string(),
        position: diagnostic.origin.position,
        message: diagnostic.message.clone(),
        hint: diagnostic.hint.clone(),
    };
    let diagnostics = settings.diagnostics.iter().map(diagnostic).collect();
    let warnings = settings.warnings.iter().map(diagnostic).collect();
    let (hash, layers) = (hash.to_owned(), settings.layers.clone());
    serde_json::to_vec(&SettingsWire { hash, layers, diagnostics, warnings, has_rules }).ok()
}

/// Anything unexpected in the cache, and what other contents gave, counts as nothing there.
fn decode(bytes: &[u8], hash: &str) -> Option<(Settings, bool)> {
    let wire: SettingsWire = serde_json::from_slice(bytes).ok().filter(|wire: &SettingsWire| wire.hash == hash)?;
    let diagnostic = |wire: DiagnosticWire| Diagnostic {
        origin: Origin::new(&wire.place, wire.position),
        message: wire.message,
        hint: wire.hint,
    };
    let diagnostics = wire.diagnostics.into_iter().map(diagnostic).collect();
    let warnings = wire.warnings.into_iter().map(diagnostic).collect();
    Some((Settings { layers: wire.layers, diagnostics, warnings, ..Settings::default() }, wire.has_rules))
}
