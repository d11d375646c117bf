//! Words and their parts.

use super::{Script, Span, Unknown};
use std::borrow::Cow;

/// A word: what becomes one argument, or several, or none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word<'a> {
    /// The parts in the order of the text. A word with no part is empty.
    pub parts: Vec<WordPart<'a>>,
    /// Everything.
    pub span: Span,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPart<'a> {
    /// What it is.
    pub kind: PartKind<'a>,
    /// Everything, with quotes.
    pub span: Span,
}

/// The kinds of parts of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind<'a> {
    /// Text that stands for itself, with backslashes resolved.
    Literal(Cow<'a, str>),
    /// `'…'`.
    SingleQuoted(Cow<'a, str>),
    /// `$'…'`, with its escapes resolved. Bytes that are no UTF-8 become U+FFFD.
    AnsiQuoted(Cow<'a, str>),
    /// `"…"` and `$"…"`. The parts are literals and `$` and backtick expansions.
    DoubleQuoted(Vec<WordPart<'a>>),
    /// `$name` and `${…}`.
    Parameter(Box<Parameter<'a>>),
    /// `$(…)`, `` `…` `` and `${ …; }`.
    Command(Box<CommandSubstitution<'a>>),
    /// `<(…)`, `>(…)` and zsh's `=(…)`.
    Process(Box<ProcessSubstitution<'a>>),
    /// `$((…))` and `$[…]`. The content is expanded as in double quotes.
    Arithmetic(Box<Word<'a>>),
    /// `~` at a place where it is expanded, with what is between it and the next slash: a user's name, `+`, `-` or
    /// nothing.
    Tilde(Cow<'a, str>),
    /// `{a,b}` and `{1..9}` at a place where they are expanded.
    Brace(Box<Brace<'a>>),
    /// `*`, `?`, `[…]` or `@(…)`, unquoted. Whether it is matched against files depends on where the word stands.
    Glob(Glob<'a>),
    /// `(…)` behind `NAME=`.
    Array(Vec<ArrayElement<'a>>),
    /// What could not be read.
    Unknown(Unknown),
}

/// A parameter expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// A variable's name, a digit, or one of `@ * # ? - $ ! 0`.
    pub name: Cow<'a, str>,
    /// What is between `[` and `]`.
    pub subscript: Option<Word<'a>>,
    /// `${!name}`: the value is the name of the parameter that is meant.
    pub indirect: bool,
    /// What is done with the value.
    pub operator: ParameterOperator<'a>,
}

/// What a parameter expansion does with the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterOperator<'a> {
    /// Nothing.
    None,
    /// `${#name}`.
    Length,
    /// `${name-word}` and its relatives.
    Default {
        /// Which of them.
        action: DefaultAction,
        /// Whether there is a colon: then an empty value counts as unset.
        or_empty: bool,
        /// The word.
        word: Word<'a>,
    },
    /// `${name:offset:length}`.
    Substring {
        /// An arithmetic expression.
        offset: Word<'a>,
        /// An arithmetic expression.
        length: Option<Word<'a>>,
    },
    /// `${name#pattern}`, `${name##pattern}`.
    RemovePrefix {
        /// Whether the longest match is removed.
        longest: bool,
        /// What is removed.
        pattern: Word<'a>,
    },
    /// `${name%pattern}`, `${name%%pattern}`.
    RemoveSuffix {
        /// Whether the longest match is removed.
        longest: bool,
        /// What is removed.
        pattern: Word<'a>,
    },
    /// `${name/pattern/replacement}`.
    Replace {
        /// Which matches are replaced.
        matches: ReplaceMatches,
        /// What is replaced.
        pattern: Word<'a>,
        /// By what; without it, matches are deleted.
        replacement: Option<Word<'a>>,
    },
    /// `${name^pattern}` and its relatives.
    ChangeCase {
        /// Which case letters get.
        case: LetterCase,
        /// Whether every letter changes (`^^`, `,,`, `~~`) or the first one only.
        all: bool,
        /// Which letters change; all if empty.
        pattern: Word<'a>,
    },
    /// `${name@Q}`: the letter.
    Transform(char),
    /// `${!prefix*}` and `${!prefix@}`: names of variables that begin with the name.
    Names,
    /// `${!name[@]}` and `${!name[*]}`: subscripts of an array.
    Keys,
}

/// What `${name-word}` and its relatives do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultAction {
    /// `-`: use the word if the parameter is unset.
    Use,
    /// `=`: assign the word if the parameter is unset.
    Assign,
    /// `?`: stop with the word as message if the parameter is unset.
    Fail,
    /// `+`: use the word if the parameter is set.
    Alternative,
}

/// Which matches `${name/pattern/replacement}` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceMatches {
    /// `/`: the first.
    First,
    /// `//`: all.
    All,
    /// `/#`: one at the start.
    Prefix,
    /// `/%`: one at the end.
    Suffix,
}

/// Which case `${name^}` and its relatives give to letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetterCase {
    /// `^`
    Upper,
    /// `,`
    Lower,
    /// `~`
    Toggled,
}

/// A command substitution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSubstitution<'a> {
    /// How it is written.
    pub style: SubstitutionStyle,
    /// What runs.
    pub script: Script<'a>,
}

/// How a command substitution is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubstitutionStyle {
    /// `$(…)`
    Dollar,
    /// `` `…` ``
    Backtick,
    /// `${ …; }` and `${| …; }`: runs in the current shell.
    Braces,
}

/// A process substitution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessSubstitution<'a> {
    /// Which way data goes.
    pub direction: ProcessDirection,
    /// What runs.
    pub script: Script<'a>,
}

/// Which way data goes in a process substitution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessDirection {
    /// `<(…)`: the command reads what the script writes.
    Read,
    /// `>(…)`: the script reads what the command writes.
    Write,
    /// zsh's `=(…)`: as `<(…)`, through a temporary file.
    ReadFile,
}

/// A brace expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Brace<'a> {
    /// `{a,b,c}`: at least two words.
    List(Vec<Word<'a>>),
    /// `{1..9}`, `{a..z..2}`.
    Range {
        /// A number or a letter.
        from: Cow<'a, str>,
        /// A number or a letter.
        to: Cow<'a, str>,
        /// A number.
        step: Option<Cow<'a, str>>,
    },
}

/// An unquoted pattern character or group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Glob<'a> {
    /// `*`
    Any,
    /// `?`
    One,
    /// `[…]`: the parts between the brackets, with `!` or `^`.
    Class(Vec<WordPart<'a>>),
    /// `?(…)`, `*(…)`, `+(…)`, `@(…)`, `!(…)`.
    Group {
        /// The character before the parenthesis.
        operator: char,
        /// What is between `|`.
        alternatives: Vec<Word<'a>>,
    },
}

/// An element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayElement<'a> {
    /// What is between `[` and `]` in `[subscript]=value`.
    pub subscript: Option<Word<'a>>,
    /// Whether it is `[subscript]+=value`.
    pub append: bool,
    /// The value.
    pub value: Word<'a>,
}
