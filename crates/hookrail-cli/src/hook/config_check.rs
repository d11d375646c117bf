//! A broken configuration, as a hook that fails.

use super::selection::FIRM;
use hookrail_core::{
    ConfigSource, Event, EventName, HookAction, HookEntry, HookError, NativeHook, OnError, Origin, Outcome, World,
};
use hookrail_engine::layers::Settings;
use std::sync::Arc;

/// The id under which broken configuration is reported.
pub const ID: &str = "hookrail/config";

/// Fails on every event, because some configuration could not be read, and lets `[config] on_error` decide what that
/// means. What could be read is in force all the same.
#[derive(Debug)]
struct BrokenConfig {
    events: [EventName; 1],
    what: String,
}

impl NativeHook for BrokenConfig {
    fn id(&self) -> &'static str {
        ID
    }

    fn events(&self) -> &[EventName] {
        &self.events
    }

    fn check(&self, _: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        Err(HookError(self.what.clone()))
    }
}

/// The hook that stands for files nobody can read; `None` if all can be read.
pub fn entry(settings: &Settings, event: &EventName) -> Option<HookEntry> {
    let files: Vec<&str> = settings.unreadable().collect();
    if files.is_empty() {
        return None;
    }
    let what = format!("`{}` cannot be read, so what it configures is not in force", files.join("`, `"));
    let hook = Arc::new(BrokenConfig { events: [event.clone()], what });
    let mut entry = HookEntry::new(event.clone(), HookAction::Native(hook), ConfigSource::Runtime);
    entry.on_error = settings.config_on_error();
    entry.origin = Origin::new("hookrail", None);
    Some(entry)
}

/// What the user is told once a session about the state of the configuration.
pub fn complaint(settings: &Settings) -> Option<String> {
    let Some(first) = settings.diagnostics().first() else { return without_effect(settings) };
    let more = match settings.diagnostics().len() - 1 {
        0 => String::new(),
        more => format!("\n(and {more} more)"),
    };
    let defaults =
        if settings.config_on_error() == OnError::Allow { "" } else { "\nuntil then `[config] on_error` decides" };
    Some(format!("hookrail's configuration has a mistake: {first}{more}{defaults}"))
}

/// A setting that somebody wrote for nothing is no mistake that anything depends on, but a surprise to whoever wrote it.
fn without_effect(settings: &Settings) -> Option<String> {
    let found = settings.without_effect(FIRM);
    let more = match found.len() {
        0 | 1 => String::new(),
        count => format!("\n(and {} more; see `hookrail list`)", count - 1),
    };
    found.first().map(|first| format!("hookrail's configuration: {first}{more}"))
}
