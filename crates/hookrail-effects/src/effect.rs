//! The answer: what a call would do, and what could not be told.

use crate::act::Act;
use crate::location::Location;
use crate::object::{Object, PathObject};
use crate::proof::Proof;
use hookrail_shell::ast::Span;
use std::fmt;

/// What a call would do. Without gaps it is fully understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// In the order of the text. One thing may be there more than once.
    pub list: Vec<Effect>,
    /// The parts whose effects are unknown.
    pub gaps: Vec<Gap>,
    /// Paths that programs may write which the text does not tell: those that programs without a model are given, those of
    /// options whose names say so, and what a program is known to write by itself.
    pub given: Vec<GivenPath>,
    /// What is proven of the call: an allow rests on it.
    pub proof: Proof,
}

/// A path that a program gets, of which its model does not say what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenPath {
    /// The program.
    pub program: Box<str>,
    /// The path.
    pub path: PathObject,
    /// What for, as far as that is known.
    pub purpose: GivenFor,
}

/// What a program is given a path for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenFor {
    /// Nothing is known of the program.
    Anything,
    /// An option of this name leads to something that is read: `--env-file`.
    Reading,
    /// An option of this name leads to something that is written: `--output`.
    Writing,
    /// Nothing names it: it is what the program writes by itself, as `npm install` does with `package.json`.
    WrittenByItself,
}

/// One thing that a call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What is done.
    pub act: Act,
    /// What it is done to.
    pub on: Object,
    /// Where that is.
    pub place: Location,
    /// Whether it will happen or only may.
    pub sure: Sure,
    /// Whether it stands behind a condition that does not hold here and now, as in `[ -f no-such-file ] && rm x`.
    pub unmet: bool,
    /// The part of the command that says so.
    pub span: Span,
    /// What stands around it, outermost first: `sudo`, `bash -c`, the script that was read.
    pub via: Vec<Step>,
}

/// Whether the text settles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sure {
    /// A glob, an unset variable or a loop may name it.
    Possible,
    /// The text says so itself.
    Certain,
}

/// One layer between the call and an effect, such as `sudo` or `scripts/build.sh`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step(pub Box<str>);

/// A part of a call whose effects the text does not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// What is in the way.
    pub why: GapReason,
    /// The part of the command it is about.
    pub span: Span,
    /// The program or the tool that was not understood, if it is one.
    pub program: Box<str>,
    /// The paths that the part names, whatever is done with them.
    pub names: Vec<PathObject>,
}

/// Why effects could not be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GapReason {
    /// A script that is run but could not be read.
    UnreadScript,
    /// Text that is built at run time is run as a command.
    DynamicCode,
    /// A program without a model gets a path outside the project or a shell text.
    UnknownProgram,
    /// The input is larger, deeper or longer than what is analysed.
    OverLimit,
    /// The text is not valid in its language.
    Syntax,
    /// A tool whose arguments do not tell what it does.
    UnknownTool,
}

impl GapReason {
    /// Every reason, in the order of the book.
    pub const ALL: &[Self] = &[
        Self::UnreadScript,
        Self::DynamicCode,
        Self::UnknownProgram,
        Self::OverLimit,
        Self::Syntax,
        Self::UnknownTool,
    ];

    /// The name used in rules.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnreadScript => "unread-script",
            Self::DynamicCode => "dynamic-code",
            Self::UnknownProgram => "unknown-program",
            Self::OverLimit => "over-limit",
            Self::Syntax => "syntax",
            Self::UnknownTool => "unknown-tool",
        }
    }

    /// Why, in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::UnreadScript => "a script is run that could not be read",
            Self::DynamicCode => "what is run is only known at run time",
            Self::UnknownProgram => {
                "a program that hookrail has no model of gets a path outside the project or a shell text"
            }
            Self::OverLimit => "it is longer or deeper than what is read",
            Self::Syntax => "the text is not valid in its language",
            Self::UnknownTool => "the arguments do not say what this tool does",
        }
    }
}

impl Sure {
    /// `certain` or `possible`, as rules write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Possible => "possible",
        }
    }
}

impl Effects {
    /// Whether everything the call would do is in the list.
    #[must_use]
    pub fn understood(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Whether a limit of reading was reached, so that the call may do more than the list says.
    #[must_use]
    pub fn over_limit(&self) -> bool {
        self.gaps.iter().any(|gap| gap.why == GapReason::OverLimit)
    }

    /// Whether there is an effect of this kind, or of one that implies it.
    #[must_use]
    pub fn has(&self, act: Act) -> bool {
        self.list.iter().any(|effect| effect.is(act))
    }
}

impl Effect {
    /// Whether this is such an act, or one that implies it.
    #[must_use]
    pub fn is(&self, act: Act) -> bool {
        self.act == act || self.act.implies() == Some(act)
    }
}

/// `fs.delete@home ~/Documents` and, if it is not certain, a question mark.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.act, self.place)?;
        if let Some(subject) = self.on.subject() {
            write!(f, " {subject}")?;
        }
        if self.sure == Sure::Possible { f.write_str(" ?") } else { Ok(()) }
    }
}
