//! The proof that an allow rests on: every word of a call is claimed by what read it.
//!
//! Understanding is not proof. A reader that follows what it knows and passes over the rest finds no gap in
//! `less +'!rm -rf ~' README.md`. So a call starts unproven, each command must be claimed word by word, and every word that
//! nothing claims is a [`Doubt`]. Doubts never deny or ask; they only keep an allow back.

use crate::act::Act;
use crate::effect::{Effect, Effects, Sure};
use crate::location::Location;
use hookrail_shell::ast::Span;

/// Maximum number of doubts and of claims that are kept: one doubt is enough to keep an allow back.
const MAX_KEPT: usize = 16;

/// What is proven of a call, and what is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Set by the reader of a tool that claims the call as a whole; its parts may still be in doubt.
    begun: bool,
    /// The commands that are claimed, each with its subcommand.
    pub claims: Vec<Claim>,
    /// The words that nothing claims.
    pub doubts: Vec<Doubt>,
}

/// A command all of whose words are claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The program with its subcommand, as in `git status`.
    pub command: Box<str>,
    /// The part of the call that runs it.
    pub span: Span,
}

/// A word that keeps a call from being proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Why it is not proven.
    pub why: DoubtReason,
    /// The word, or the name of the program.
    pub word: Box<str>,
    /// Where it is.
    pub span: Span,
}

/// Why a word is not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DoubtReason {
    /// No reader claims the program.
    Program,
    /// No reader claims the subcommand.
    Subcommand,
    /// No reader claims the option; abbreviated ones are never claimed.
    Option,
    /// An operand that the program might take for something else.
    Operand,
    /// A variable that may change what a program does.
    Assignment,
    /// A value that is not exactly one certain text.
    Value,
    /// A part of the shell's language that no reader claims.
    Syntax,
    /// A script or a task whose text was not read to its end.
    Script,
    /// Settings of a repository or a build tool that may run something.
    Settings,
    /// A tool without a contract.
    Tool,
}

impl DoubtReason {
    /// The name used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Subcommand => "subcommand",
            Self::Option => "option",
            Self::Operand => "operand",
            Self::Assignment => "assignment",
            Self::Value => "value",
            Self::Syntax => "syntax",
            Self::Script => "script",
            Self::Settings => "settings",
            Self::Tool => "tool",
        }
    }

    /// The reason in a few words, to follow the word it is about.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Program => "a program that is not claimed",
            Self::Subcommand => "a subcommand that is not claimed",
            Self::Option => "an option that is not claimed",
            Self::Operand => "an operand that is not claimed",
            Self::Assignment => "a variable that may change what runs",
            Self::Value => "not exactly one certain value",
            Self::Syntax => "a construct of the shell that is not claimed",
            Self::Script => "a script that is not read to its end",
            Self::Settings => "settings that may run something",
            Self::Tool => "a tool without a contract",
        }
    }
}

impl Proof {
    /// Claims the call as a whole.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
    }

    /// Keeps the call from being proven.
    pub(crate) fn doubt(&mut self, why: DoubtReason, word: &str, span: Span) {
        if self.doubts.len() < MAX_KEPT {
            let shown = word.get(..64).unwrap_or(word);
            self.doubts.push(Doubt { why, word: shown.into(), span });
        }
    }

    /// Notes a command all of whose words are claimed.
    pub(crate) fn claim(&mut self, command: String, span: Span) {
        if self.claims.len() < MAX_KEPT && !self.claims.iter().any(|known| *known.command == *command) {
            self.claims.push(Claim { command: command.into(), span });
        }
    }
}

/// Reports whether it is certain what is done. What a search in the project finds need not be certain to be read.
fn is_settled(effect: &Effect) -> bool {
    let searches = || {
        let path = effect.on.path.as_deref();
        effect.act == Act::FsRead && effect.place == Location::Project && path.is_some_and(|path| path.pattern)
    };
    effect.sure == Sure::Certain || searches()
}

impl Effects {
    /// Reports whether every word of the call is claimed, every effect certain, and nothing left open. Only such a call may be
    /// allowed.
    #[must_use]
    pub fn proven(&self) -> bool {
        self.proof.begun
            && self.proof.doubts.is_empty()
            && self.gaps.is_empty()
            && self.list.iter().all(|effect| is_settled(effect) && !effect.unmet)
    }
}
