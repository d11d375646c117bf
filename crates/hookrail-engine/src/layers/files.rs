//! Where the layers are.

use super::commands::CommandTable;
use super::last_good::LastGood;
use super::reader::{self, ReadLayer};
use super::settings::{LayerKind, Settings, SettingsLayer};
use crate::registry::Diagnostic;
use hookrail_core::{Origin, World};
use hookrail_rules::{Fault, Severity};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of all layers, the highest authority first.
#[derive(Clone, Debug)]
pub struct LayerFiles(Vec<(LayerKind, PathBuf)>);

/// A layer's bytes, or why there are none.
pub(super) enum Content {
    Bytes(Vec<u8>),
    Unreadable(String),
}

impl LayerFiles {
    /// The usual places: `/etc/hookrail`, the user's configuration folder, `.hookrail` of the project.
    #[must_use]
    pub fn usual(world: &dyn World, project: &Path) -> Self {
        let folder = |name: &str| world.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let config = folder("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
        let config = config.or_else(|| Some(folder("HOME")?.join(".config")));
        // No variable moves this one: a project can set variables for its agent's hooks.
        let mut files = vec![(LayerKind::Managed, PathBuf::from("/etc/hookrail/hookrail.toml"))];
        files.extend(config.map(|config| (LayerKind::User, config.join("hookrail/hookrail.toml"))));
        files.push((LayerKind::Project, project.join(".hookrail/hookrail.toml")));
        files.push((LayerKind::Local, project.join(".hookrail/local.toml")));
        Self(files)
    }

    /// These files, in this order of authority.
    #[must_use]
    pub fn new(files: Vec<(LayerKind, PathBuf)>) -> Self {
        Self(files)
    }

    /// The same with another file in place of a layer's own, or beside them if the machine has no place for that layer.
    #[must_use]
    pub fn with(self, kind: LayerKind, file: PathBuf) -> Self {
        let mut files = self.0;
        files.retain(|(other, _)| *other != kind);
        files.push((kind, file));
        files.sort_by_key(|(kind, _)| *kind);
        Self(files)
    }

    /// The files, the highest authority first.
    pub fn iter(&self) -> impl Iterator<Item = (LayerKind, &Path)> {
        self.0.iter().map(|(kind, path)| (*kind, path.as_path()))
    }

    /// What is there. A file that does not exist says nothing.
    pub(super) fn read(&self, world: &dyn World) -> Vec<(LayerKind, PathBuf, Content)> {
        let read = |(kind, path): &(LayerKind, PathBuf)| match world.read(path) {
            Ok(None) => None,
            Ok(Some(bytes)) => Some((*kind, path.clone(), Content::Bytes(bytes))),
            Err(error) => Some((*kind, path.clone(), Content::Unreadable(error.to_string()))),
        };
        self.0.iter().filter_map(read).collect()
    }
}

/// Makes settings of what was read. A file that cannot be read now says what it said when it could.
pub(super) fn parse<'a>(contents: &'a [(LayerKind, PathBuf, Content)], last_good: &LastGood<'_>) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let (mut files, mut commands) = (Vec::new(), Vec::new());
    for (kind, path, content) in contents {
        let place = path.display().to_string();
        let mut reading = read_layer(*kind, &place, content);
        match content {
            Content::Bytes(bytes) if !reading.unreadable => parsed.good.push((path, String::from_utf8_lossy(bytes))),
            Content::Bytes(_) | Content::Unreadable(_) => fall_back(&mut reading, *kind, path, &place, last_good),
        }
        parsed.settings.diagnostics.extend(reading.diagnostics);
        files.push(reading.rules);
        let mut layer = SettingsLayer { kind: *kind, place, value: reading.value, unreadable: reading.unreadable };
        commands.extend(layer.take_commands());
        parsed.settings.layers.push(layer);
    }
    parsed.settings.commands = CommandTable::compile(&commands);
    let book = hookrail_rules::compile(files, &[hookrail_rules::safety::rules()]);
    parsed.settings.rules = Arc::new(book.set);
    let (errors, warnings) = book.faults.into_iter().partition(|fault: &Fault| fault.severity == Severity::Error);
    let told = |faults: Vec<Fault>| faults.into_iter().map(Diagnostic::from);
    parsed.settings.diagnostics.extend(told(errors));
    parsed.settings.warnings.extend(told(warnings));
    parsed
}

/// Settings, and the texts of the files that can be read now.
#[derive(Default)]
pub(super) struct Parsed<'a> {
    pub settings: Settings,
    pub good: Vec<(&'a Path, Cow<'a, str>)>,
}

fn read_layer(kind: LayerKind, place: &str, content: &Content) -> ReadLayer {
    match content {
        Content::Bytes(bytes) => reader::read(kind, place, &String::from_utf8_lossy(bytes)),
        Content::Unreadable(why) => ReadLayer {
            diagnostics: vec![Diagnostic::new(Origin::new(place, None), why.clone())],
            unreadable: true,
            ..ReadLayer::default()
        },
    }
}

/// Puts the last good version in force, if one is known, and says so.
fn fall_back(reading: &mut ReadLayer, kind: LayerKind, path: &Path, place: &str, last_good: &LastGood<'_>) {
    let Some(version) = last_good.find(path) else { return };
    let good = reader::read(kind, place, &version.text);
    if good.unreadable {
        return;
    }
    let told = format!("; the version {} is in force until it can be read", version.name());
    if let Some(diagnostic) = reading.diagnostics.first_mut() {
        diagnostic.message.push_str(&told);
    }
    reading.value = good.value;
    reading.rules = good.rules;
    reading.unreadable = false;
}
