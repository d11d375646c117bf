//! The tree of a shell script.
//!
//! A [`Script`] is a list of [`Item`]s; an item is an and-or list of [`Pipeline`]s; a pipeline is one or more
//! [`Command`]s. A command is a [`SimpleCommand`] or a compound one, with its [`Redirect`]s. A [`Word`] is a list of
//! [`WordPart`]s in the order of the text (`ast/word.rs`).
//!
//! Every node has the [`Span`] it was read from, in bytes of the text that was given to [`parse`](crate::parse). That
//! holds inside of backticks too, although the shell removes one layer of backslashes there before it reads them.
//!
//! What could not be read is an [`Unknown`], as a command, as a part of a word or as a condition of `[[ ]]`.
//! [`Script::for_each`] finds them.

mod word;

use std::borrow::Cow;
use std::fmt;

pub use word::*;

/// A range of bytes in the parsed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A list of commands: a whole text, the body of a compound command, or the inside of a substitution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script<'a> {
    /// The commands, in order.
    pub items: Vec<Item<'a>>,
    /// From the first to the last item; empty if there is none.
    pub span: Span,
}

/// An and-or list and what ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'a> {
    /// The first pipeline, which always runs.
    pub first: Pipeline<'a>,
    /// The pipelines behind it, each with the operator before it.
    pub rest: Vec<(Connector, Pipeline<'a>)>,
    /// Whether it runs in the background: `&`, or zsh's `&|`.
    pub background: bool,
    /// From the first to the last pipeline, without what ends it.
    pub span: Span,
}

/// What stands between two pipelines of an [`Item`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    /// `&&`: runs if what is before it succeeded.
    And,
    /// `||`: runs if what is before it failed.
    Or,
}

/// Commands connected by pipes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline<'a> {
    /// Whether its status is inverted by `!`. Two `!` cancel each other.
    pub negated: bool,
    /// Whether it is timed by the reserved word `time`.
    pub timed: bool,
    /// The commands. There is none only in a bare `time` or `!`.
    pub commands: Vec<Command<'a>>,
    /// What stands between the commands: one fewer than there are commands.
    pub pipes: Vec<Pipe>,
    /// Everything, with `!` and `time`.
    pub span: Span,
}

/// What goes through a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pipe {
    /// `|`: standard output.
    Output,
    /// `|&`: standard output and standard error.
    OutputAndErrors,
}

/// A command with its redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command<'a> {
    /// What it is.
    pub kind: CommandKind<'a>,
    /// Its redirections, in the order in which the shell performs them.
    pub redirects: Vec<Redirect<'a>>,
    /// Everything, with redirections.
    pub span: Span,
}

/// The kinds of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandKind<'a> {
    /// Assignments, a program and its arguments.
    Simple(SimpleCommand<'a>),
    /// `{ …; }`.
    Group(Script<'a>),
    /// `( … )`.
    Subshell(Script<'a>),
    /// `if …; then …; elif …; then …; else …; fi`.
    If(Box<If<'a>>),
    /// `while …; do …; done` or `until …; do …; done`.
    Loop(Box<Loop<'a>>),
    /// `for NAME in …; do …; done` or `select NAME in …; do …; done`.
    For(Box<For<'a>>),
    /// `for ((…; …; …)); do …; done`.
    ArithmeticFor(Box<ArithmeticFor<'a>>),
    /// `case … in … esac`.
    Case(Box<Case<'a>>),
    /// `(( … ))`. The content is expanded as in double quotes.
    Arithmetic(Word<'a>),
    /// `[[ … ]]`.
    Test(Box<Test<'a>>),
    /// `NAME() …` or `function NAME …`. The body runs when the function is called.
    Function(Box<Function<'a>>),
    /// `coproc [NAME] …`.
    Coproc(Box<Coproc<'a>>),
    /// What could not be read as a command.
    Unknown(Unknown),
}

/// Assignments, then words. The first word is the program, if there is one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommand<'a> {
    /// The assignments before the first word.
    pub assignments: Vec<Assignment<'a>>,
    /// The program and its arguments.
    pub words: Vec<Word<'a>>,
}

/// `NAME=value`, `NAME+=value`, `NAME[subscript]=value` or `NAME=(…)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment<'a> {
    /// The name of the variable.
    pub name: Cow<'a, str>,
    /// What is between `[` and `]`.
    pub subscript: Option<Word<'a>>,
    /// Whether the operator is `+=`.
    pub append: bool,
    /// The value; an array is a word with the one part [`PartKind::Array`].
    pub value: Word<'a>,
    /// Everything.
    pub span: Span,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect<'a> {
    /// What stands before the operator, if anything does.
    pub fd: Option<RedirectFd<'a>>,
    /// The operator.
    pub operator: RedirectOperator,
    /// What it leads to or from.
    pub target: RedirectTarget<'a>,
    /// Everything, without the body of a here-document.
    pub span: Span,
}

/// The file descriptor before a redirection's operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectFd<'a> {
    /// `2>`.
    Number(u32),
    /// `{name}>`: the shell picks a number and assigns it to the variable.
    Variable(Cow<'a, str>),
}

/// The operators of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`. With a word that is no number and no `-`, and without a descriptor, it means `&>`.
    DuplicateOutput,
    /// `&>`
    WriteAll,
    /// `&>>`
    AppendAll,
    /// `<<` or `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// What a redirection leads to or from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectTarget<'a> {
    /// A file, a descriptor, or the text of a here-string.
    Word(Word<'a>),
    /// The here-document of [`RedirectOperator::HereDocument`].
    HereDocument(Box<HereDocument<'a>>),
}

/// A here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HereDocument<'a> {
    /// The delimiter with its quotes removed.
    pub delimiter: Cow<'a, str>,
    /// Whether any of the delimiter was quoted: then nothing in the body is expanded.
    pub quoted: bool,
    /// Whether the operator was `<<-`: then tabs at the start of every line are removed.
    pub strip_tabs: bool,
    /// The body as the command gets it, without the line of the delimiter. The span is where it stands in the text.
    pub body: Word<'a>,
}

/// `if` with its branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct If<'a> {
    /// `if` and every `elif`.
    pub branches: Vec<Branch<'a>>,
    /// `else`.
    pub otherwise: Option<Script<'a>>,
}

/// A condition and what runs if it succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch<'a> {
    /// Between `if` or `elif` and `then`.
    pub condition: Script<'a>,
    /// Behind `then`.
    pub body: Script<'a>,
}

/// `while` or `until`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop<'a> {
    /// Whether it is `until`.
    pub until: bool,
    /// Between `while` and `do`.
    pub condition: Script<'a>,
    /// Between `do` and `done`.
    pub body: Script<'a>,
}

/// `for` or `select` over words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct For<'a> {
    /// Whether it is `select`.
    pub select: bool,
    /// The variable.
    pub name: Cow<'a, str>,
    /// The words behind `in`; `None` stands for `"$@"`.
    pub words: Option<Vec<Word<'a>>>,
    /// Between `do` and `done`, or between braces.
    pub body: Script<'a>,
}

/// `for ((initial; condition; step))`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArithmeticFor<'a> {
    /// Evaluated once.
    pub initial: Word<'a>,
    /// Evaluated before every round.
    pub condition: Word<'a>,
    /// Evaluated after every round.
    pub step: Word<'a>,
    /// Between `do` and `done`, or between braces.
    pub body: Script<'a>,
}

/// `case`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case<'a> {
    /// What is compared.
    pub word: Word<'a>,
    /// What it is compared with.
    pub arms: Vec<CaseArm<'a>>,
}

/// `pattern | pattern) …;;`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseArm<'a> {
    /// The patterns.
    pub patterns: Vec<Word<'a>>,
    /// What runs if one matches.
    pub body: Script<'a>,
    /// What happens behind the body.
    pub end: CaseEnd,
    /// From the first pattern, or the parenthesis before it, to the end of the body.
    pub span: Span,
}

/// What ends an arm of a `case`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`, or nothing before `esac`: the case ends.
    Break,
    /// `;&`: the next body runs too.
    FallThrough,
    /// `;;&`: the next patterns are compared. zsh writes `;|`.
    Continue,
}

/// A function definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function<'a> {
    /// The name.
    pub name: Word<'a>,
    /// A compound command with the redirections that apply to every call.
    pub body: Command<'a>,
}

/// A coprocess.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coproc<'a> {
    /// The name of the array of descriptors, if one is given.
    pub name: Option<Cow<'a, str>>,
    /// What runs.
    pub command: Command<'a>,
}

/// A condition of `[[ ]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test<'a> {
    /// What it is.
    pub kind: TestKind<'a>,
    /// Everything.
    pub span: Span,
}

/// The kinds of conditions of `[[ ]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestKind<'a> {
    /// A word alone: true if it is not empty.
    Word(Word<'a>),
    /// `-f FILE` and the like.
    Unary {
        /// With its dash.
        operator: Cow<'a, str>,
        /// What it is about.
        operand: Word<'a>,
    },
    /// `A == B`, `A -nt B`, `A =~ B` and the like.
    Binary {
        /// Before the operator.
        left: Word<'a>,
        /// As written.
        operator: Cow<'a, str>,
        /// Behind the operator: a pattern for `==`, `=`, `!=`, a regular expression for `=~`.
        right: Word<'a>,
    },
    /// `! …`. Two `!` cancel each other.
    Not(Box<Test<'a>>),
    /// `… && …`.
    And(Vec<Test<'a>>),
    /// `… || …`.
    Or(Vec<Test<'a>>),
    /// What could not be read as a condition.
    Unknown(Unknown),
}

/// Something that could not be read, and why. Its span is that of the node it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unknown {
    /// Why.
    pub reason: UnknownReason,
}

/// Why something could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownReason {
    /// The text is longer than [`MAX_TEXT`](crate::MAX_TEXT); the span is what is beyond.
    TextTooLong,
    /// Constructs are nested deeper than [`MAX_NESTING`](crate::MAX_NESTING); the span is the rest of the text.
    NestedTooDeep,
    /// There are more commands than [`MAX_COMMANDS`](crate::MAX_COMMANDS); the span is the rest of the text.
    TooManyCommands,
    /// The text ended before the construct that is named.
    Unclosed(&'static str),
    /// A token stands where it has no meaning.
    Unexpected,
    /// What is named is missing.
    Missing(&'static str),
    /// The content of `${…}` has no meaning.
    BadSubstitution,
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TextTooLong => write!(f, "the text is too long"),
            Self::NestedTooDeep => write!(f, "nested too deep"),
            Self::TooManyCommands => write!(f, "too many commands"),
            Self::Unclosed(what) => write!(f, "`{what}` is not closed"),
            Self::Unexpected => write!(f, "unexpected token"),
            Self::Missing(what) => write!(f, "`{what}` is missing"),
            Self::BadSubstitution => write!(f, "bad substitution"),
        }
    }
}
