//! TOML is parsed when it changed, not at every event.

use super::commands::{CommandTable, LAYERS};
use super::files::{self, Content, LayerFiles};
use super::last_good::LastGood;
use super::packed::{NONE, Unread, count, put_long, put_number, put_piece, put_text};
use super::settings::{LayerKind, Settings, SettingsLayer};
use crate::registry::Diagnostic;
use hookrail_core::{FileStamp, Origin, SharedBytes, World};
use hookrail_rules::RuleSet;
use hookrail_store::StateRoot;
use serde_json::Map;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Of hookrail, and of the form in which settings are kept: what another version kept is read anew.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/4");

/// Settings that were parsed before, by the files they came from.
#[derive(Clone, Debug)]
pub struct ConfigCache {
    /// `None` caches nothing.
    root: Option<StateRoot>,
    writes: bool,
}

/// A file that changed so shortly before it was read may have changed again without looking any different. File systems
/// with coarse clocks count in steps of two seconds.
const SETTLED_MILLIS: i64 = 2500;

/// What all files look like from outside, at one moment.
#[derive(Default)]
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

    /// Whether the files are as they were at an earlier look.
    fn is_same(&self, earlier: &Self) -> bool {
        earlier.is_settled() && self.stamps == earlier.stamps
    }

    /// The files that are there.
    fn present<'f>(&self, files: &'f LayerFiles) -> Vec<(LayerKind, &'f Path)> {
        let there = files.iter().zip(&self.stamps).filter(|(_, stamp)| **stamp != FileStamp::Absent);
        there.map(|(file, _)| file).collect()
    }
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
        self.load_anew(files, look, state, world)
    }

    /// The settings of files that were changed, or that nothing is known of.
    fn load_anew(
        &self,
        files: &LayerFiles,
        look: Option<FileStamps>,
        state: Option<&Path>,
        world: &dyn World,
    ) -> Settings {
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
    state.join(["cache/config-", &hash(parts), ".bin"].concat())
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
    let _ = encode(settings, hash, &look.unwrap_or_default()).map(|bytes| world.write(entry, &bytes));
}

fn rules_of(settings: &Settings) -> &[u8] {
    if settings.rules.is_blank() { &[] } else { settings.rules.as_bytes() }
}

fn commands_of(settings: &Settings) -> &[u8] {
    if settings.commands.is_empty() { &[] } else { settings.commands.as_bytes() }
}

/// The settings that these very contents gave.
fn cached(entry: &Path, hash: &str, world: &dyn World) -> Option<Settings> {
    kept(entry, world, |source| source.hash == hash)
}

/// The settings of files that look as they did when they were read.
fn unchanged(entry: &Path, look: &FileStamps, world: &dyn World) -> Option<Settings> {
    kept(entry, world, |source| look.is_same(&source.look))
}

/// The settings of an entry, if they are of what is wanted. Anything unexpected in the cache counts as nothing there.
fn kept(entry: &Path, world: &dyn World, is_wanted: impl FnOnce(&Source<'_>) -> bool) -> Option<Settings> {
    let bytes = SharedBytes::new(world.read(entry).ok().flatten()?);
    let mut unread = Unread(&bytes);
    if !is_wanted(&Source::read(&mut unread)?) {
        return None;
    }
    let mut settings = read_settings(&mut unread)?;
    // Hundreds of rules and thousands of commands are not copied.
    let rules = unread.piece()?.len();
    if rules > 0 {
        let end = bytes.len() - unread.0.len();
        settings.rules = Arc::new(RuleSet::from_part(bytes.clone(), end - rules..end)?);
    }
    let commands = unread.number()?;
    if count(unread.0.len()) != commands {
        return None;
    }
    if commands > 0 {
        let start = bytes.len() - unread.0.len();
        settings.commands = CommandTable::from_part(bytes, start)?;
    }
    Some(settings)
}

/// What an entry was made of.
struct Source<'a> {
    /// Of everything that the settings depend on.
    hash: &'a str,
    look: FileStamps,
}

impl<'a> Source<'a> {
    /// `None` for that of another version as well.
    fn read(unread: &mut Unread<'a>) -> Option<Self> {
        if unread.text()?? != VERSION {
            return None;
        }
        let hash = unread.text()??;
        let at = unread.long()?.cast_signed();
        let stamps = (0..unread.number()?).map(|_| read_stamp(unread)).collect::<Option<_>>()?;
        Some(Self { hash, look: FileStamps { stamps, at } })
    }
}

fn put_stamp(bytes: &mut Vec<u8>, stamp: &FileStamp) {
    match stamp {
        FileStamp::Absent => bytes.push(0),
        FileStamp::Present { identity, size, modified, changed } => {
            bytes.push(1);
            let numbers = [identity.0, identity.1, *size, modified.cast_unsigned(), changed.cast_unsigned()];
            numbers.into_iter().for_each(|number| put_long(bytes, number));
        }
    }
}

fn read_stamp(unread: &mut Unread<'_>) -> Option<FileStamp> {
    match unread.bytes()? {
        [0] => Some(FileStamp::Absent),
        [1] => Some(FileStamp::Present {
            identity: (unread.long()?, unread.long()?),
            size: unread.long()?,
            modified: unread.long()?.cast_signed(),
            changed: unread.long()?.cast_signed(),
        }),
        _ => None,
    }
}

fn encode(settings: &Settings, hash: &str, look: &FileStamps) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    put_text(&mut bytes, Some(VERSION));
    put_text(&mut bytes, Some(hash));
    put_long(&mut bytes, look.at.cast_unsigned());
    put_number(&mut bytes, count(look.stamps.len()));
    look.stamps.iter().for_each(|stamp| put_stamp(&mut bytes, stamp));
    put_number(&mut bytes, count(settings.layers.len()));
    for layer in &settings.layers {
        bytes.extend([layer.kind as u8, u8::from(layer.unreadable)]);
        put_text(&mut bytes, Some(&layer.place));
        // Most files have hooks and rules only, which are kept elsewhere.
        let value = (!layer.value.is_empty()).then(|| serde_json::to_string(&layer.value)).transpose().ok()?;
        put_text(&mut bytes, value.as_deref());
    }
    for diagnostics in [&settings.diagnostics, &settings.warnings] {
        put_number(&mut bytes, count(diagnostics.len()));
        diagnostics.iter().for_each(|diagnostic| put_diagnostic(&mut bytes, diagnostic));
    }
    put_piece(&mut bytes, rules_of(settings));
    put_piece(&mut bytes, commands_of(settings));
    Some(bytes)
}

/// All but the rules and the command hooks, which are read where they lie.
fn read_settings(unread: &mut Unread<'_>) -> Option<Settings> {
    let layers = (0..unread.number()?).map(|_| read_layer(unread)).collect::<Option<_>>()?;
    let mut diagnostics = || (0..unread.number()?).map(|_| read_diagnostic(unread)).collect::<Option<_>>();
    let (diagnostics, warnings) = (diagnostics()?, diagnostics()?);
    Some(Settings { layers, diagnostics, warnings, ..Settings::default() })
}

fn read_layer(unread: &mut Unread<'_>) -> Option<SettingsLayer> {
    let [kind, unreadable] = unread.bytes()?;
    Some(SettingsLayer {
        kind: LAYERS.into_iter().find(|layer| *layer as u8 == kind)?,
        place: unread.text()??.to_owned(),
        value: unread.text()?.map_or(Some(Map::new()), |value| serde_json::from_str(value).ok())?,
        unreadable: unreadable != 0,
    })
}

fn put_diagnostic(bytes: &mut Vec<u8>, diagnostic: &Diagnostic) {
    let (line, column) = diagnostic.origin.position.unwrap_or((NONE, NONE));
    put_text(bytes, Some(&diagnostic.origin.place));
    put_number(bytes, line);
    put_number(bytes, column);
    put_text(bytes, Some(&diagnostic.message));
    put_text(bytes, diagnostic.hint.as_deref());
}

fn read_diagnostic(unread: &mut Unread<'_>) -> Option<Diagnostic> {
    let place = unread.text()??;
    let (line, column) = (unread.number()?, unread.number()?);
    Some(Diagnostic {
        origin: Origin::new(place, (line != NONE).then_some((line, column))),
        message: unread.text()??.to_owned(),
        hint: unread.text()?.map(str::to_owned),
    })
}
