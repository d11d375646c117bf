//! A small reader for command lines of PowerShell and of `cmd.exe`.
//!
//! It knows words, quoting, pipes, separators and redirections, and nothing of either language beyond that: a word that
//! would be expanded is marked as such, and blocks, variables and subexpressions are left as text.

mod cmd;
mod cursor;
mod power_shell;

use crate::ast::Span;
use std::borrow::Cow;

pub use cmd::read_cmd;
pub use power_shell::read_power_shell;

/// A command line: commands with what stands between them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandLine<'a> {
    /// The commands, in order.
    pub commands: Vec<WindowsCommand<'a>>,
    /// Whether all of it was read: no quote is open, and the text is not too long.
    pub complete: bool,
}

/// A command of a [`CommandLine`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowsCommand<'a> {
    /// The program and its arguments.
    pub words: Vec<WindowsWord<'a>>,
    /// Its redirections.
    pub redirects: Vec<WindowsRedirect<'a>>,
    /// What stands before it.
    pub before: Separator,
    /// From the first to the last word or redirection.
    pub span: Span,
}

/// What stands before a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// Nothing: it is the first one.
    Start,
    /// `|`: it reads what the command before it writes.
    Pipe,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;` or a new line in PowerShell; `&` or a new line in `cmd.exe`.
    Then,
    /// `&` in PowerShell: the command before it runs in the background.
    Background,
    /// An opening or closing parenthesis, brace, or `$(`: the command stands in a block of its own.
    Block,
}

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowsWord<'a> {
    /// The word with quotes and escapes removed. What would be expanded is left as it is written.
    pub text: Cow<'a, str>,
    /// Whether the shell would put something in: `$name`, `$(…)` or `%NAME%`.
    pub expands: bool,
    /// Everything, with quotes.
    pub span: Span,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowsRedirect<'a> {
    /// The stream before the operator: a digit, or `*` for all in PowerShell.
    pub stream: Option<char>,
    /// Which way.
    pub operator: WindowsOperator,
    /// The file or stream. `None` if it is missing.
    pub target: Option<WindowsWord<'a>>,
}

/// Operators of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowsOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>&`: the target is another stream.
    Duplicate,
}
