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
