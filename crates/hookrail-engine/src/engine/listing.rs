//! Every hook of an engine, as a person who looks after them wants to see it.

use super::hooks::{HookSet, command};
use hookrail_core::{EventName, HookEntry, Mode};
use serde::Serialize;
use std::collections::BTreeSet;

/// One hook at one event.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredHook {
    /// What it is called; the name by which it is enabled and disabled.
    pub hook: String,
    /// `command`, `native`, `prompt`, `http` or `plugin`.
    pub kind: &'static str,
    /// The event that it listens to.
    pub event: String,
    /// What its matcher says; absent if it takes everything.
    pub matcher: Option<String>,
    /// What it runs, asks or posts to; the id of a native hook.
    pub action: String,
    /// Whose configuration it is from: `project`, `user`, `system`, `extensions` or `runtime`.
    pub source: &'static str,
    /// Where it is configured: `file:line:column`, an extension, or a layer of `hookrail.toml`.
    pub origin: String,
    /// Whether it runs at all.
    pub enabled: bool,
    /// Whether it makes its event run hooks one after the other.
    pub sequential: bool,
    /// How long it may take, in milliseconds.
    pub timeout: u64,
    /// What its failure decides: `allow`, `ask` or `deny`.
    pub on_error: String,
    /// How seriously it is taken: `enforce`, `warn` or `off`.
    pub mode: Mode,
    /// What an agent shows while it runs.
    pub status_message: Option<String>,
    /// Whether `enabled` can be changed while the session runs. Packs and `hookrail.toml` are changed in their files.
    pub switchable: bool,
}

impl RegisteredHook {
    fn new(entry: &HookEntry, switchable: bool) -> Self {
        Self {
            hook: entry.id().to_owned(),
            kind: entry.action.kind(),
            event: entry.event.as_str().to_owned(),
            matcher: entry.matcher.text().map(str::to_owned),
            action: entry.action.subject().to_owned(),
            source: entry.source.as_str(),
            origin: entry.origin.to_string(),
            enabled: entry.enabled && entry.mode != Mode::Off,
            sequential: entry.sequential,
            timeout: u64::try_from(entry.timeout.as_millis()).unwrap_or(u64::MAX),
            on_error: entry.on_error.to_string(),
            mode: entry.mode,
            status_message: entry.status_message.clone(),
            switchable,
        }
    }
}

impl HookSet {
    /// Every hook, those that do not run included: of settings and program, then of packs, then of `hookrail.toml`.
    #[must_use]
    pub fn listing(&self) -> Vec<RegisteredHook> {
        let registered = self.registry().entries();
        let mut found: Vec<RegisteredHook> = registered.iter().map(|entry| RegisteredHook::new(entry, true)).collect();
        for pack in self.packs() {
            for hook in pack.hooks().iter().filter(|hook| self.selection().includes(*pack, hook.id())) {
                let entries = hook.events().iter().map(|event| self.native_entry(*pack, *hook, event.clone()));
                found.extend(entries.map(|entry| RegisteredHook::new(&entry, false)));
            }
        }
        if !self.selection().is_exclusive() {
            let commands = self.commands().iter();
            let entries = commands.filter_map(|hook| command(hook, &event_of(&hook.event)));
            found.extend(entries.map(|entry| RegisteredHook::new(&entry, false)));
        }
        found
    }

    /// The events that have a hook which may run, whatever its matcher says, in the order of their names. `None`: every event
    /// has, because a configuration file cannot be read and that must be reported.
    #[must_use]
    pub fn events(&self) -> Option<BTreeSet<String>> {
        if self.has_unreadable() {
            return None;
        }
        let registered = self.registry().entries();
        // Events that only one agent has are known by the hooks that name them.
        let commands: Vec<EventName> = self.commands().iter().map(|hook| event_of(&hook.event)).collect();
        let of_packs = self.packs().iter().flat_map(|pack| pack.hooks()).flat_map(|hook| hook.events());
        let named = registered.iter().map(|entry| &entry.event).chain(&commands).chain(of_packs);
        Some(
            EventName::KNOWN
                .iter()
                .chain(named)
                .filter(|event| self.has_hooks_for(event))
                .map(|event| event.as_str().to_owned())
                .collect(),
        )
    }

    /// Whether an event has a hook which may run, whatever its matcher says.
    #[must_use]
    pub fn has_hooks_for(&self, event: &EventName) -> bool {
        self.may_concern(event, None)
    }
}

fn event_of(name: &str) -> EventName {
    EventName::known(name).unwrap_or_else(|| EventName::Other(name.into()))
}
