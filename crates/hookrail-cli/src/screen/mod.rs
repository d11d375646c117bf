//! What commands put before a person: lines, tables, source snippets, effects of calls, progress.
//!
//! stdout is data, stderr is talk. Colours end where the terminal or `NO_COLOR` says so (`anstream`).

mod effects;
mod json;
mod progress;
mod snippet;
mod table;
mod talk;
mod text;

pub use effects::{write_effects, write_proof, write_wrapped};
pub use json::versioned;
pub use progress::Progress;
pub use snippet::{Level, Snippet};
pub use table::{Align, Table};
pub use talk::{fail, note, warn};
pub use text::{bar, columns, duration, harmless, one_line, plural, shorten, visible_width, wrap, wrap_around_layout};
