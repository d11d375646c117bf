//! Texts on their way through a command line: arguments, and what programs print.

use hookrail_shell::ast::Span;
use std::path::Path;
use std::rc::Rc;

/// Where a text comes from, as far as that matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taint {
    /// The content of a secret file or a secret variable; the variable's name if it is one.
    pub secret: Option<Box<str>>,
    pub remote: bool,
    pub decoded: bool,
    /// The content of files of this machine, or what a program says about it.
    pub local: bool,
    /// A folder with everything in it, which may hold secrets: that is looked up where it matters.
    pub folder: Option<Rc<Path>>,
}

impl Taint {
    pub(crate) const NONE: Self = Self { secret: None, remote: false, decoded: false, local: false, folder: None };

    pub(crate) fn add(&mut self, other: &Self) {
        if self.secret.is_none() {
            self.secret.clone_from(&other.secret);
        }
        if self.folder.is_none() {
            self.folder.clone_from(&other.folder);
        }
        self.remote |= other.remote;
        self.decoded |= other.decoded;
        self.local |= other.local;
    }

    /// Content of this machine's files, or of what programs say about it.
    pub(crate) const LOCAL: Self = Self { local: true, ..Self::NONE };

    pub(crate) fn secret(name: &str) -> Self {
        Self { secret: Some(name.into()), ..Self::NONE }
    }
}

/// An argument after expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arg {
    /// What is known of it. A part that is only known at run time stands as `$NAME`.
    pub text: String,
    /// Where the first part that is only known at run time begins.
    pub hole: Option<usize>,
    /// Where the first unquoted pattern character stands.
    pub glob: Option<usize>,
    pub span: Span,
    pub taint: Taint,
    /// What a process substitution would give to its reader.
    pub feed: Option<Box<Flow>>,
    /// Whether the text is exactly this and nothing else: it is written out, or was looked up.
    pub firm: bool,
}

impl Arg {
    pub(crate) fn new(text: impl Into<String>, span: Span) -> Self {
        Self { text: text.into(), span, ..Self::default() }
    }

    /// Something that is only known at run time.
    pub(crate) fn unknown(text: impl Into<String>, span: Span) -> Self {
        Self { text: text.into(), hole: Some(0), span, ..Self::default() }
    }

    pub(crate) fn known(&self) -> bool {
        self.hole.is_none()
    }

    /// The same argument from a byte on, as for the value of `--option=value`.
    pub(crate) fn after(&self, at: usize) -> Self {
        let shift = |position: Option<usize>| position.map(|position| position.saturating_sub(at));
        Self {
            text: self.text.get(at..).unwrap_or_default().to_owned(),
            hole: shift(self.hole),
            glob: self.glob.filter(|glob| *glob >= at).map(|glob| glob - at),
            span: self.span,
            taint: self.taint.clone(),
            feed: self.feed.clone(),
            firm: self.firm,
        }
    }

    /// The same argument with another text.
    pub(crate) fn with_text(&self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self.clone() }
    }
}

/// What a program prints, or what another reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// The text, if it is known.
    pub text: Option<String>,
    /// The names in it, if it is a list of names.
    pub names: Vec<Arg>,
    pub taint: Taint,
    /// Whether there is anything at all.
    pub some: bool,
    /// The file whose content it is, for whoever runs it or takes names from it.
    pub file: Option<Box<Path>>,
    /// The program of the system that it is a copy of, or a link to.
    pub program: Option<Box<str>>,
    /// Whether the text is exactly what is printed.
    pub firm: bool,
    /// A text with a known shape, in which `$__` stands for what is only known at run time.
    pub template: Option<Box<str>>,
    /// A known text that a filter made something else of.
    pub origin: Option<Box<str>>,
    /// The same for a file that nobody has read yet.
    pub made_of: Option<Box<Path>>,
}

impl Flow {
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), some: true, ..Self::default() }
    }

    pub(crate) fn unknown(taint: Taint) -> Self {
        Self { taint, some: true, ..Self::default() }
    }

    pub(crate) fn names(names: Vec<Arg>) -> Self {
        Self { names, some: true, ..Self::default() }
    }

    /// Either of two outputs: a text only if both are the same, else every name that one of them may be.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let mut taint = self.taint.clone();
        taint.add(&other.taint);
        let single = |flow: &Self| {
            let text =
                flow.text.as_deref().map(str::trim_end).filter(|text| !text.is_empty() && !text.contains('\n'))?;
            Some(Arg { taint: flow.taint.clone(), ..Arg::new(text, Span::default()) })
        };
        let mut names = Vec::new();
        for flow in [&self, &other] {
            names.extend(if flow.names.is_empty() { single(flow).into_iter().collect() } else { flow.names.clone() });
        }
        Self { names, some: self.some || other.some, origin: self.origin.or(other.origin), ..Self::unknown(taint) }
    }

    /// The output of two commands, one after the other.
    pub(crate) fn append(&mut self, other: Self) {
        if !other.some {
            return;
        }
        if !self.some {
            *self = other;
            return;
        }
        self.taint.add(&other.taint);
        self.file = None;
        self.program = None;
        self.template = None;
        self.origin = self.origin.take().or(other.origin);
        self.made_of = self.made_of.take().or(other.made_of);
        self.firm &= other.firm;
        self.names.extend(other.names);
        self.text = match (self.text.take(), other.text) {
            (Some(mut first), Some(second)) if first.len() + second.len() <= crate::machine::MAX_SCRIPT => {
                first.push_str(&second);
                Some(first)
            }
            _ => None,
        };
    }
}
