//! Lists, and-or lists and pipelines.

use super::{Parser, push};
use crate::ast::{Command, CommandKind, Connector, Item, Pipe, Pipeline, Script, Span, Unknown, UnknownReason};

/// The tokens that may end a list, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Enders(u16);

impl Enders {
    pub(super) const NONE: Self = Self(0);
    pub(super) const PARENTHESIS: Self = Self(1);
    pub(super) const BRACE: Self = Self(1 << 1);
    pub(super) const THEN: Self = Self(1 << 2);
    /// `elif`, `else` and `fi`.
    pub(super) const BRANCH: Self = Self(1 << 3);
    pub(super) const DO: Self = Self(1 << 4);
    pub(super) const DONE: Self = Self(1 << 5);
    /// `esac` and what ends an arm.
    pub(super) const ARM: Self = Self(1 << 6);
    /// `}` whatever is behind it, as in `"${ pwd; }"`.
    pub(super) const FUNCTION_SUBSTITUTION: Self = Self(1 << 7);

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The set a reserved word belongs to, if it ends lists.
    pub(super) fn of_word(word: &str) -> Self {
        match word {
            "}" => Self::BRACE,
            "then" => Self::THEN,
            "elif" | "else" | "fi" => Self::BRANCH,
            "do" => Self::DO,
            "done" => Self::DONE,
            "esac" => Self::ARM,
            _ => Self::NONE,
        }
    }
}

/// What a list looks at before every command.
enum Next {
    End,
    Stray(usize),
    Command,
}

impl<'a> Parser<'_, 'a> {
    /// Reads commands up to a token of `enders` or of a list around this one, or to the end.
    pub(super) fn list(&mut self, enders: Enders) -> Script<'a> {
        let outer = self.enders;
        self.enders = outer.and(enders);
        let script = self.items();
        self.enders = outer;
        script
    }

    /// Reads commands up to a token of `enders`, whatever is around this list.
    pub(super) fn isolated_list(&mut self, enders: Enders) -> Script<'a> {
        let outer = self.enders;
        self.enders = enders;
        let script = self.items();
        self.enders = outer;
        script
    }

    fn items(&mut self) -> Script<'a> {
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            self.step(1);
            match self.next_in_list() {
                Next::End => break,
                Next::Stray(end) => push(&mut items, self.stray(end)),
                Next::Command => {
                    let (item, ended) = self.item();
                    push(&mut items, item);
                    if !ended && self.lacks_separator() {
                        items.push(unknown_item(UnknownReason::Missing(";"), self.here()));
                    }
                }
            }
        }
        let here = self.here();
        let start = items.first().map_or(here.start, |item: &Item<'_>| item.span.start);
        let end = items.last().map_or(here.start, |item| item.span.end);
        Script { items, span: Span { start, end } }
    }

    /// Whether a command is followed by another one on the same line with nothing between them, as in `(a) b`.
    fn lacks_separator(&self) -> bool {
        !matches!(self.peek(), None | Some(b'\n' | b'#'))
            && self.limits.stopped.is_none()
            && matches!(self.next_in_list(), Next::Command)
    }

    fn next_in_list(&self) -> Next {
        let Some(byte) = self.peek() else { return Next::End };
        if self.limits.stopped.is_some() {
            return Next::Stray(self.end());
        }
        match byte {
            b')' if self.enders.has(Enders::PARENTHESIS) => Next::End,
            b')' => Next::Stray(self.pos + 1),
            b'}' if self.enders.has(Enders::FUNCTION_SUBSTITUTION) => Next::End,
            b';' if self.arm_end().is_some() && self.enders.has(Enders::ARM) => Next::End,
            b';' | b'|' => Next::Stray(self.pos + 1),
            b'&' if self.redirect_operator(self.pos).is_none() => Next::Stray(self.pos + 1),
            _ => match self.peek_word() {
                Some((word, end)) => match Enders::of_word(&word) {
                    Enders::NONE => Next::Command,
                    found if self.enders.has(found) => Next::End,
                    _ => Next::Stray(end),
                },
                None => Next::Command,
            },
        }
    }

    /// A token that has no meaning here, or everything that a limit forbids to read.
    fn stray(&mut self, end: usize) -> Item<'a> {
        let start = self.pos;
        self.pos = end;
        self.count_command();
        unknown_item(self.unknown(UnknownReason::Unexpected).reason, self.span(start))
    }

    /// Reads an item, and says whether an operator ended it.
    fn item(&mut self) -> (Item<'a>, bool) {
        let first = self.pipeline();
        let start = first.span.start;
        let mut rest = Vec::new();
        let mut end = first.span.end;
        loop {
            self.skip_blanks();
            let Some((connector, after)) = self.connector() else { break };
            self.pos = after;
            self.skip_lines();
            let pipeline = self.pipeline();
            end = pipeline.span.end;
            rest.push((connector, pipeline));
        }
        let background = self.item_end();
        let item = Item { first, rest, background: background == Some(true), span: Span { start, end } };
        (item, background.is_some())
    }

    fn connector(&self) -> Option<(Connector, usize)> {
        let second = self.past_continuations(self.pos + 1);
        match (self.peek(), self.at(second)) {
            (Some(b'&'), Some(b'&')) => Some((Connector::And, second + 1)),
            (Some(b'|'), Some(b'|')) => Some((Connector::Or, second + 1)),
            _ => None,
        }
    }

    /// Goes past what ends an item; newlines, comments and the ends of lists stay. `Some(true)` if it runs in the
    /// background.
    fn item_end(&mut self) -> Option<bool> {
        self.skip_blanks();
        match self.peek()? {
            b';' if self.arm_end().is_none() => {
                self.pos += 1;
                Some(false)
            }
            b'&' => {
                self.pos += 1;
                // zsh's `&|` is the background too; in bash it is an error.
                if self.peek() == Some(b'|') && self.at(self.pos + 1) != Some(b'|') {
                    self.pos += 1;
                }
                Some(true)
            }
            _ => None,
        }
    }

    fn pipeline(&mut self) -> Pipeline<'a> {
        let start = self.pos;
        let (negated, timed) = self.pipeline_prefix();
        let bare = (negated || timed || self.pos > start) && self.nothing_follows();
        let mut commands = Vec::new();
        let mut pipes = Vec::new();
        if !bare {
            push(&mut commands, self.command());
            while let Some((pipe, after)) = self.pipe() {
                self.pos = after;
                self.skip_lines();
                pipes.push(pipe);
                self.skip_inner_negation();
                commands.push(self.command());
                if self.limits.stopped.is_some() {
                    break;
                }
            }
        }
        let end = commands.last().map_or(self.span(start).end, |command: &Command<'_>| command.span.end);
        Pipeline { negated, timed, commands, pipes, span: Span { start: self.span(start).start, end } }
    }

    /// Reads `!` and `time [-p] [--]`, in any order and number.
    fn pipeline_prefix(&mut self) -> (bool, bool) {
        let (mut negated, mut timed) = (false, false);
        loop {
            let Some((word, end)) = self.peek_word() else { return (negated, timed) };
            match &*word {
                "!" => negated = !negated,
                "time" => timed = true,
                "-p" | "--" if timed => {}
                _ => return (negated, timed),
            }
            self.step(1);
            self.pos = end;
            self.skip_blanks();
        }
    }

    /// Goes past `!` behind a pipe. bash refuses it; a shell that takes it runs what is behind it.
    fn skip_inner_negation(&mut self) {
        while self.eat_word("!") {
            self.skip_blanks();
        }
    }

    /// Whether a pipeline ends here, behind a bare `!` or `time`.
    fn nothing_follows(&self) -> bool {
        match self.peek() {
            None | Some(b'\n' | b';' | b')' | b'#') => true,
            Some(b'&') => self.redirect_operator(self.pos).is_none(),
            _ => false,
        }
    }

    fn pipe(&mut self) -> Option<(Pipe, usize)> {
        self.skip_blanks();
        if self.peek() != Some(b'|') {
            return None;
        }
        let second = self.past_continuations(self.pos + 1);
        match self.at(second) {
            Some(b'|') => None,
            Some(b'&') => Some((Pipe::OutputAndErrors, second + 1)),
            _ => Some((Pipe::Output, self.pos + 1)),
        }
    }

    /// Puts an `Unknown` behind the commands of a list.
    pub(super) fn push_unknown(&self, script: &mut Script<'a>, reason: UnknownReason) {
        let here = self.here();
        if script.items.is_empty() {
            script.span = here;
        }
        script.span.end = here.end;
        script.items.push(unknown_item(self.unknown(reason).reason, here));
    }
}

/// A list item that is nothing but an `Unknown`.
pub(super) fn unknown_item<'a>(reason: UnknownReason, span: Span) -> Item<'a> {
    let first = Pipeline {
        negated: false,
        timed: false,
        commands: vec![unknown_command(reason, span)],
        pipes: Vec::new(),
        span,
    };
    Item { first, rest: Vec::new(), background: false, span }
}

/// A command that is nothing but an `Unknown`.
pub(super) fn unknown_command<'a>(reason: UnknownReason, span: Span) -> Command<'a> {
    Command { kind: CommandKind::Unknown(Unknown { reason }), redirects: Vec::new(), span }
}
