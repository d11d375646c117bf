//! A parser of shell command lines: the POSIX grammar with bash's everyday additions.
//!
//! [`parse`] reads a text into the tree of [`ast`]. It never fails, does no I/O, expands nothing and knows no program. What
//! it cannot read becomes an [`Unknown`](ast::Unknown) node with its span and a reason; what was read before and behind it
//! stays in the tree.
//!
//! ```
//! use hookrail_shell::ast::CommandKind;
//! use hookrail_shell::{Node, parse};
//!
//! let text = "cd \"$HOME\" && rm -rf 'my files' $(cat list) > /dev/null";
//! let script = parse(text);
//! assert!(script.is_fully_read());
//!
//! let mut programs = Vec::new();
//! script.for_each(|node| {
//!     if let Node::Command(command) = node
//!         && let CommandKind::Simple(simple) = &command.kind
//!     {
//!         programs.extend(simple.name());
//!     }
//! });
//! assert_eq!(programs, ["cd", "rm", "cat"]);
//!
//! let rm = &script.items[0].rest[0].1.commands[0];
//! assert_eq!(rm.redirects[0].span.of(text), "> /dev/null");
//! ```
//!
//! The text comes from a model, so it may be made to be slow or deep. The time is linear in the text, and the tree is
//! at most [`MAX_NESTING`] constructs deep, so that walking and dropping it needs little stack. Beyond that, beyond
//! [`MAX_COMMANDS`] commands and beyond [`MAX_TEXT`] bytes the rest of a text is one `Unknown`.
//!
//! What differs from bash on purpose:
//!
//! - Patterns such as `@(a|b)` are read although bash needs `shopt -s extglob` for them outside of `[[ ]]`, and so are zsh's
//!   `=(…)` and `&|`: in bash without that option they are errors, so nothing that runs is hidden by reading them.
//! - `${ …; }` is a command substitution, as in bash 5.3 and ksh.
//! - Aliases are not expanded, and neither is history.
//!
//! PowerShell and `cmd.exe` have a small reader of their own in [`windows`].
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod ast;
mod literal;
mod node;
mod parser;
pub mod windows;

pub use node::Node;

/// The number of bytes that are read of a text: twice what Linux lets a program get as one argument.
pub const MAX_TEXT: usize = 256 * 1024;

/// The number of constructs that may stand in each other.
pub const MAX_NESTING: usize = 64;

/// The number of commands that are read of a text.
pub const MAX_COMMANDS: usize = 4096;

/// Reads a script.
///
/// Never fails: what cannot be read becomes an [`Unknown`](ast::Unknown) node.
#[must_use]
pub fn parse(text: &str) -> ast::Script<'_> {
    parser::parse_counted(text).0
}

/// Reads a script, and says how many bytes and tokens were looked at. For tests of linearity.
#[doc(hidden)]
#[must_use]
pub fn parse_counted(text: &str) -> (ast::Script<'_>, u64) {
    parser::parse_counted(text)
}

/// Reads any bytes with every reader of this crate, for fuzzing: it must return, whatever they are.
#[doc(hidden)]
pub fn fuzz(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (script, steps) = parse_counted(&text);
    debug_assert!(steps < 64 * (MAX_TEXT as u64 + text.len() as u64), "{steps} steps");
    _ = (windows::read_power_shell(&text), windows::read_cmd(&text));
    script.for_each(|node| {
        let span = node.span();
        debug_assert!(span.start <= span.end && text.get(span.start..span.end).is_some(), "{span:?}");
    });
}
