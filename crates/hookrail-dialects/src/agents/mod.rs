//! One file per agent. A new one is a file here and a line in [`ALL`].

mod claude;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod llxprt;
mod qwen;
mod vscode;

use crate::Dialect;
use hookrail_core::EventName;

static ALL: &[&dyn Dialect] = &[
    &claude::CLAUDE,
    &gemini::GEMINI,
    &llxprt::LLXPRT,
    &codex::CODEX,
    &qwen::QWEN,
    &copilot::Copilot,
    &vscode::VSCODE,
    &cursor::Cursor,
    &droid::DROID,
];

/// How a payload is read that no agent is known to write.
pub(crate) static FALLBACK: &dyn Dialect = &claude::CLAUDE;

/// Every dialect. Where two recognise a payload equally well, the earlier one gets it.
#[must_use]
pub fn all() -> &'static [&'static dyn Dialect] {
    ALL
}

/// The dialect of this name.
#[must_use]
pub fn dialect(name: &str) -> Option<&'static dyn Dialect> {
    ALL.iter().copied().find(|dialect| dialect.name() == name)
}

/// The event that somebody means by a name: hookrail's own, or any agent's.
#[must_use]
pub fn find_event(name: &str) -> Option<EventName> {
    EventName::known(name).or_else(|| ALL.iter().find_map(|dialect| dialect.event(name)))
}

/// The names that agents have for events.
pub fn event_names() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|dialect| dialect.native_events())
}
