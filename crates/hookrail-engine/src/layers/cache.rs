//! TOML is parsed when it changed, not at every event.

use super::commands::CommandTable;
use super::files::{self, Content, LayerFiles};
use super::last_good::LastGood;
use super::settings::{LayerKind, Settings, SettingsLayer};
use crate::registry::Diagnostic;
use hookrail_core::{FileStamp, Origin, World};
use hookrail_rules::RuleSet;
use hookrail_store::StateRoot;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Of hookrail, and of the form in which settings are kept: what another version kept is read anew.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/3");

/// Settings that were parsed before, by the files they came from.
#[derive(Clone, Debug)]
pub struct ConfigCache {
    /// `None` caches nothing.
    root: Option<StateRoot>,
    writes: bool,
}

#[derive(Serialize, Deserialize)]
struct SettingsWire {
    /// Of hookrail.
    version: String,
    /// Of everything that the settings depend on.
    hash: String,
    layers: Vec<SettingsLayer>,
    diagnostics: Vec<DiagnosticWire>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<DiagnosticWire>,
    /// How many bytes the rules have, which follow in the same file, because they are read by index.
    #[serde(default, skip_serializing_if = "is_zero")]
    rules_length: usize,
    /// The same for the command hooks, behind the rules.
    #[serde(default, skip_serializing_if = "is_zero")]
    commands_length: usize,
    /// What the files looked like from outside when they were read, and when that was.
    #[serde(default)]
    stamps: Vec<FileStamp>,
    #[serde(default)]
    read_at: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A file that changed so shortly before it was read may have changed again without looking any different. File systems
/// with coarse clocks count in steps of two seconds.
const SETTLED_MILLIS: i64 = 2500;

/// What all files look like from outside, at one moment.
struct FileStamps {
    stamps: Vec<FileStamp>,
    at: i64,
}

impl FileStamps {
    /// `None` if that is unknown without reading.
    fn at(files: &LayerFiles, world: &dyn World) -> Option<Self> {
        let at = world.now_millis();
        let stamps = files.iter().map(|(_, path)| world.stamp(path)).collect::<Option<Vec<_>>>()?;
        Some(Self { stamps, at })
    }

    /// Whether a later look that is the same means that the files are.
    fn is_settled(&self) -> bool {
        self.stamps.iter().all(|stamp| match stamp {
            FileStamp::Absent => true,
            FileStamp::Present { changed, .. } => changed / 1_000_000 + SETTLED_MILLIS <= self.at,
        })
    }

    fn is_same(&self, wire: &SettingsWire) -> bool {
        Self { stamps: wire.stamps.clone(), at: wire.read_at }.is_settled() && self.stamps == wire.stamps
    }

    /// The files that are there.
    fn present<'f>(&self, files: &'f LayerFiles) -> Vec<(LayerKind, &'f Path)> {
        let there = files.iter().zip(&self.stamps).filter(|(_, stamp)| **stamp != FileStamp::Absent);
        there.map(|(file, _)| file).collect()
    }
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
        let look = FileStamps::at(files, world);
        if look.as_ref().is_some_and(|look| look.present(files).is_empty()) {
            return Settings::default();
        }
        let state = self.state();
        if let (Some(look), Some(state)) = (&look, state)
            && let Some(settings) = unchanged(&entry_of(state, &look.present(files)), look, world)
        {
            return settings;
        }
        let contents = files.read(world);
        if contents.is_empty() {
            return Settings::default();
        }
        // One entry for the same files: what was parsed last is also what was good last.
        let paths: Vec<(LayerKind, &Path)> = contents.iter().map(|(kind, path, _)| (*kind, path.as_path())).collect();
        let entry = state.map(|state| entry_of(state, &paths));
        let hash = hash_of_contents(&contents);
        let known = entry.as_ref().and_then(|entry| cached(entry, &hash, world));
        if let Some(settings) = known {
            // From the next time on a look from outside is enough.
            if let (Some(look), Some(entry), true) = (look.filter(FileStamps::is_settled), &entry, self.writes) {
                keep(entry, &settings, &hash, Some(look), world);
            }
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
                keep(&entry, &parsed.settings, &hash, look, world);
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

/// Where the settings of these files are kept.
fn entry_of(state: &Path, files: &[(LayerKind, &Path)]) -> PathBuf {
    let parts = files.iter().flat_map(|(kind, path)| [kind.as_str().as_bytes(), path.as_os_str().as_encoded_bytes()]);
    state.join(["cache/config-", &hash(parts), ".json"].concat())
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
    hash(std::iter::once(VERSION.as_bytes()).chain(parts))
}

fn hash<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().to_hex().to_string()
}

/// Writes down what was parsed.
fn keep(entry: &Path, settings: &Settings, hash: &str, look: Option<FileStamps>, world: &dyn World) {
    let _ = encode(settings, hash, look).map(|bytes| world.write(entry, &bytes));
}

fn rules_of(settings: &Settings) -> &[u8] {
    if settings.rules.is_blank() { &[] } else { settings.rules.as_bytes() }
}

fn commands_of(settings: &Settings) -> &[u8] {
    if settings.commands.is_empty() { &[] } else { settings.commands.as_bytes() }
}

/// The settings that these very contents gave.
fn cached(entry: &Path, hash: &str, world: &dyn World) -> Option<Settings> {
    CachedFile::read(entry, world).filter(|kept| kept.wire.hash == hash)?.complete()
}

/// The settings of files that look as they did when they were read.
fn unchanged(entry: &Path, look: &FileStamps, world: &dyn World) -> Option<Settings> {
    CachedFile::read(entry, world).filter(|kept| kept.wire.version == VERSION && look.is_same(&kept.wire))?.complete()
}

/// A file of the cache, of which rules and command hooks are not read yet.
struct CachedFile {
    wire: SettingsWire,
    bytes: Vec<u8>,
    /// Where the rules begin.
    rules: usize,
}

impl CachedFile {
    fn read(entry: &Path, world: &dyn World) -> Option<Self> {
        let bytes = world.read(entry).ok().flatten()?;
        let mut values = serde_json::Deserializer::from_slice(&bytes).into_iter();
        let wire: SettingsWire = values.next()?.ok()?;
        let rules = values.byte_offset();
        Some(Self { wire, bytes, rules })
    }

    /// Anything unexpected in the cache counts as nothing there.
    fn complete(self) -> Option<Settings> {
        let Self { wire, mut bytes, rules } = self;
        let (rules_length, commands_length) = (wire.rules_length, wire.commands_length);
        let commands = rules.checked_add(rules_length)?;
        if commands.checked_add(commands_length)? != bytes.len() {
            return None;
        }
        let mut settings = decode(wire);
        if commands_length > 0 {
            // Thousands of them are not copied, unless there are rules as well.
            let (bytes, start) =
                if rules_length == 0 { (std::mem::take(&mut bytes), commands) } else { (bytes.split_off(commands), 0) };
            settings.commands = CommandTable::from_bytes(bytes, start)?;
        }
        if rules_length > 0 {
            bytes.drain(..rules);
            settings.rules = Arc::new(RuleSet::from_bytes(bytes)?);
        }
        Some(settings)
    }
}

fn encode(settings: &Settings, hash: &str, look: Option<FileStamps>) -> Option<Vec<u8>> {
    let diagnostic = |diagnostic: &Diagnostic| DiagnosticWire {
        place: diagnostic.origin.place.to_string(),
        position: diagnostic.origin.position,
        message: diagnostic.message.clone(),
        hint: diagnostic.hint.clone(),
    };
    let diagnostics = settings.diagnostics.iter().map(diagnostic).collect();
    let warnings = settings.warnings.iter().map(diagnostic).collect();
    let (hash, layers) = (hash.to_owned(), settings.layers.clone());
    let (stamps, read_at) = look.map(|look| (look.stamps, look.at)).unwrap_or_default();
    let wire = SettingsWire {
        version: VERSION.to_owned(),
        hash,
        layers,
        diagnostics,
        warnings,
        rules_length: rules_of(settings).len(),
        commands_length: commands_of(settings).len(),
        stamps,
        read_at,
    };
    let mut bytes = serde_json::to_vec(&wire).ok()?;
    bytes.extend_from_slice(rules_of(settings));
    bytes.extend_from_slice(commands_of(settings));
    Some(bytes)
}

fn decode(wire: SettingsWire) -> Settings {
    let diagnostic = |wire: DiagnosticWire| Diagnostic {
        origin: Origin::new(&wire.place, wire.position),
        message: wire.message,
        hint: wire.hint,
    };
    let diagnostics = wire.diagnostics.into_iter().map(diagnostic).collect();
    let warnings = wire.warnings.into_iter().map(diagnostic).collect();
    Settings { layers: wire.layers, diagnostics, warnings, ..Settings::default() }
}
