//! A parser of shell command lines: the POSIX grammar with bash's everyday additions.
//!
//! [`parse`] never fails, does no I/O and takes time linear in the text. What it cannot read becomes an
//! [`Unknown`](ast::Unknown) node with its span and a reason; what was read before and behind it stays in the tree.

pub mod ast;
mod literal;
mod node;
mod parser;

pub use node::Node;

/// The number of bytes that are read of a text.
pub const MAX_TEXT: usize = 64 * 1024;

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
    script.for_each(|node| {
        let span = node.span();
        debug_assert!(span.start <= span.end && text.get(span.start..span.end).is_some(), "{span:?}");
    });
}
