//! The hooks that are known, where they came from, and what was wrong with the rest.

mod diagnostic;
mod document;
mod format;
mod hook_keys;
pub mod positions;
mod reader;
mod settings;

pub use diagnostic::Diagnostic;
pub use document::{Document, SyntaxError};
pub use format::HookFormat;
pub use hookrail_core::spelling::closest;
pub use positions::PathStep;
pub use settings::{HookSource, HookSourceError, Layer, SettingsFile, enabled_in, merged_hooks_config};

use hookrail_core::{ConfigSource, EventName, HookEntry};
use reader::HookReader;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Whether hooks that a project brings along may run at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FolderTrust {
    /// They may.
    #[default]
    Trusted,
    /// They are not even loaded.
    Untrusted,
}

/// Every registered hook, indexed by event and ordered by source. Matchers are compiled, units resolved: an entry in
/// here is ready to be planned.
#[derive(Debug, Default)]
pub struct HookRegistry {
    table: RwLock<Table>,
}

#[derive(Debug, Default)]
struct Table {
    entries: Vec<Arc<HookEntry>>,
    by_event: HashMap<EventName, Vec<Arc<HookEntry>>>,
    diagnostics: Vec<Diagnostic>,
}

impl HookRegistry {
    /// Registers the hooks of all layers; nothing in one layer replaces anything in another. Hooks whose identity is in
    /// `disabled` are registered but do not run, unless a higher authority configured them than wants them disabled.
    #[must_use]
    pub fn build(
        layers: &[Layer],
        native: Vec<HookEntry>,
        disabled: &[(ConfigSource, String)],
        trust: FolderTrust,
    ) -> Self {
        let mut entries = native;
        let mut diagnostics = Vec::new();
        for layer in layers {
            diagnostics.extend(layer.diagnostics.iter().cloned());
            if layer.source == ConfigSource::Project && trust == FolderTrust::Untrusted {
                diagnostics.extend(untrusted(layer));
                continue;
            }
            for document in &layer.documents {
                let mut reader = HookReader::new(document, layer.format, layer.source);
                settings::read_hooks(&mut reader);
                entries.append(&mut reader.entries);
                diagnostics.append(&mut reader.diagnostics);
            }
        }
        let mut strongest: HashMap<&str, u8> = HashMap::new();
        for (source, identity) in disabled {
            let known = strongest.entry(identity).or_default();
            *known = source.authority().max(*known);
        }
        for entry in &mut entries {
            let word = strongest.get(entry.id());
            entry.enabled &= word.is_none_or(|authority| *authority < entry.source.authority());
        }
        let mut table =
            Table { entries: entries.into_iter().map(Arc::new).collect(), by_event: HashMap::new(), diagnostics };
        table.index();
        Self { table: RwLock::new(table) }
    }

    /// Every hook, disabled ones included, as registered.
    #[must_use]
    pub fn entries(&self) -> Vec<Arc<HookEntry>> {
        self.read().entries.clone()
    }

    /// The hooks of one event in the order of their sources (HOOK-187).
    #[must_use]
    pub fn hooks_for_event(&self, event: &EventName) -> Vec<Arc<HookEntry>> {
        self.read().by_event.get(event).cloned().unwrap_or_default()
    }

    /// Gives `look` the hooks of one event without copying; the fast way for the fast path.
    pub fn with_hooks<T>(&self, event: &EventName, look: impl FnOnce(&[Arc<HookEntry>]) -> T) -> T {
        look(self.read().by_event.get(event).map_or(&[], Vec::as_slice))
    }

    /// How many hooks are registered, disabled ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.read().entries.len()
    }

    /// Whether no hook is registered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is wrong with the configuration that the hooks were read from.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.read().diagnostics.clone()
    }

    /// Switches every hook with this identity (its name, or its command if it has none) and says how many that were.
    pub fn set_enabled(&self, identity: &str, enabled: bool) -> usize {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let mut switched = 0;
        for entry in table.entries.iter_mut().filter(|entry| entry.id() == identity) {
            Arc::make_mut(entry).enabled = enabled;
            switched += 1;
        }
        table.index();
        switched
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn index(&mut self) {
        self.by_event.clear();
        for entry in &self.entries {
            self.by_event.entry(entry.event.clone()).or_default().push(Arc::clone(entry));
        }
        for entries in self.by_event.values_mut() {
            entries.sort_by_key(|entry| entry.source);
        }
    }
}

/// A project's hooks are never dropped without a word.
fn untrusted(layer: &Layer) -> impl Iterator<Item = Diagnostic> + '_ {
    layer.documents.iter().filter(|document| settings::hooks_of(document).is_some()).map(|document| {
        Diagnostic::new(
            reader::root_origin(document),
            "the hooks of this project are not loaded: its folder is not trusted",
        )
        .hint("trust the folder in your agent if you know what its hooks do")
    })
}
