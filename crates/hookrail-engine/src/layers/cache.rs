//! TOML is parsed when it changed, not at every event.

use super::files::{self, Content, LayerFiles};
use super::settings::{LayerKind, Settings, SettingsLayer};
use crate::registry::Diagnostic;
use hookrail_core::{Origin, World};
use hookrail_store::StateRoot;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Settings that were parsed before, by the content of their files.
#[derive(Clone, Debug)]
pub struct ConfigCache {
    /// `None` caches nothing.
    root: Option<StateRoot>,
}

#[derive(Serialize, Deserialize)]
struct SettingsWire {
    layers: Vec<SettingsLayer>,
    diagnostics: Vec<DiagnosticWire>,
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
        Self { root }
    }

    /// The settings of these files as they are now.
    #[must_use]
    pub fn load(&self, files: &LayerFiles, world: &dyn World) -> Settings {
        let contents = files.read(world);
        if contents.is_empty() {
            return Settings::default();
        }
        let root = self.root.as_ref().filter(|root| root.check().is_ok());
        let entry = root.map(|root| root.path().join(format!("cache/config-{}.json", key(&contents))));
        let known = entry.as_ref().and_then(|entry| world.read(entry).ok().flatten());
        if let Some(settings) = known.and_then(|bytes| decode(&bytes)) {
            return settings;
        }
        let settings = files::parse(&contents);
        if let (Some(entry), Some(bytes)) = (entry, encode(&settings)) {
            // A cache that cannot be written is only slower.
            let _ = world.write(&entry, &bytes);
        }
        settings
    }
}

/// Everything the result depends on, this version of hookrail included.
fn key(contents: &[(LayerKind, PathBuf, Content)]) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    for (kind, path, content) in contents {
        let bytes = match content {
            Content::Bytes(bytes) => bytes.as_slice(),
            Content::Unreadable(why) => why.as_bytes(),
        };
        for part in [kind.as_str().as_bytes(), path.as_os_str().as_encoded_bytes(), bytes] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize().to_hex().to_string()
}

fn encode(settings: &Settings) -> Option<Vec<u8>> {
    let diagnostic = |diagnostic: &Diagnostic| DiagnosticWire {
        place: diagnostic.origin.place.to_string(),
        position: diagnostic.origin.position,
        message: diagnostic.message.clone(),
        hint: diagnostic.hint.clone(),
    };
    let diagnostics = settings.diagnostics.iter().map(diagnostic).collect();
    serde_json::to_vec(&SettingsWire { layers: settings.layers.clone(), diagnostics }).ok()
}

/// Anything unexpected in the cache counts as nothing there.
fn decode(bytes: &[u8]) -> Option<Settings> {
    let wire: SettingsWire = serde_json::from_slice(bytes).ok()?;
    let diagnostic = |wire: DiagnosticWire| Diagnostic {
        origin: Origin::new(&wire.place, wire.position),
        message: wire.message,
        hint: wire.hint,
    };
    Some(Settings {
        layers: wire.layers,
        diagnostics: wire.diagnostics.into_iter().map(diagnostic).collect(),
        trusted_scripts: Vec::new(),
    })
}
