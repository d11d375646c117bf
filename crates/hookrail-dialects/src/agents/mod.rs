//! One file per agent. A new one is a file here and a line in [`ALL`].

mod auggie;
mod claude;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod droid;
mod gemini;
mod goose;
mod kilo;
mod kimi;
mod llxprt;
mod opencode;
mod openhands;
mod qwen;
mod vibe;
mod vscode;

use crate::{Agent, Dialect};
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
    &kimi::KIMI,
    &auggie::AUGGIE,
    &cline::CLINE,
    &vibe::VIBE,
    &openhands::OPENHANDS,
    &crush::CRUSH,
    &goose::GOOSE,
    &opencode::OPENCODE,
    &kilo::KILO,
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

/// The event of a name: hookrail's own, or any agent's.
#[must_use]
pub fn find_event(name: &str) -> Option<EventName> {
    EventName::known(name).or_else(|| ALL.iter().find_map(|dialect| dialect.event(name)))
}

/// The names that agents have for events.
pub fn event_names() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|dialect| dialect.native_events())
}

/// Every agent, in the order of [`all`].
pub fn agents() -> impl Iterator<Item = &'static Agent> {
    ALL.iter().map(|dialect| dialect.agent())
}

/// The agent a person means by this name.
#[must_use]
pub fn agent(name: &str) -> Option<&'static Agent> {
    agents().find(|agent| agent.is_called(name))
}
