//! Command and process substitutions.

use super::list::Enders;
use super::mode::{Mode, Quoting};
use super::parts::Parts;
use super::source::Source;
use super::{Parser, UnknownReason};
use crate::ast::{
    CommandSubstitution, PartKind, ProcessDirection, ProcessSubstitution, Script, SubstitutionStyle, WordPart,
};

impl<'a> Parser<'_, 'a> {
    /// Reads the script of `$(` or `${ ` from here to what closes it.
    pub(super) fn command_substitution(&mut self, parts: &mut Parts<'a>, start: usize, style: SubstitutionStyle) {
        let (enders, what, close) = match style {
            SubstitutionStyle::Braces => (Enders::FUNCTION_SUBSTITUTION, "${", b'}'),
            SubstitutionStyle::Dollar | SubstitutionStyle::Backtick => (Enders::PARENTHESIS, "$(", b')'),
        };
        let Some(script) = self.enclosed(enders, what, close) else { return self.rest_unknown(parts, start) };
        let substitution = CommandSubstitution { style, script };
        parts.push(PartKind::Command(Box::new(substitution)), self.span(start));
    }

    /// Reads a script up to `close`, as a shell of its own. Here-documents of the line around it are not read within;
    /// those within whose line does not end there are read behind the line around it.
    fn enclosed(&mut self, enders: Enders, what: &'static str, close: u8) -> Option<Script<'a>> {
        let outer = std::mem::replace(&mut self.in_substitution, true);
        let outer_pending = std::mem::take(&mut self.pending);
        let script = self.nested(|parser| {
            let mut script = parser.isolated_list(enders);
            if !parser.eat(close) {
                parser.push_unknown(&mut script, UnknownReason::Unclosed(what));
            }
            script
        });
        self.in_substitution = outer;
        let inner_pending = std::mem::replace(&mut self.pending, outer_pending);
        self.pending.extend(inner_pending);
        script
    }

    /// Whether `<(` or `>(` begins here.
    pub(super) fn begins_process(&self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>')) && self.at(self.past_continuations(self.pos + 1)) == Some(b'(')
    }

    pub(super) fn process_substitution(&mut self, parts: &mut Parts<'a>) {
        let start = self.pos;
        let (direction, what) = match self.peek() {
            Some(b'<') => (ProcessDirection::Read, "<("),
            Some(b'>') => (ProcessDirection::Write, ">("),
            _ => (ProcessDirection::ReadFile, "=("),
        };
        self.pos = self.past_continuations(self.pos + 1) + 1;
        let Some(script) = self.enclosed(Enders::PARENTHESIS, what, b')') else {
            return self.rest_unknown(parts, start);
        };
        let substitution = ProcessSubstitution { direction, script };
        parts.push(PartKind::Process(Box::new(substitution)), self.span(start));
    }

    /// Reads `=(` in an argument: zsh's process substitution at its start, an array behind a name.
    pub(super) fn equals_parenthesis(&mut self, parts: &mut Parts<'a>) {
        if parts.list.is_empty() {
            return self.process_substitution(parts);
        }
        let start = self.pos;
        self.pos += 1;
        self.push_literal(parts, start);
        self.array(parts);
    }

    /// Reads `` `…` ``. Its end is the next backtick that has no backslash before it, whatever is between.
    pub(super) fn backtick(&mut self, parts: &mut Parts<'a>, mode: Mode) {
        let start = self.pos;
        let mut escaped = false;
        let mut at = start + 1;
        while let Some(byte) = self.at(at).filter(|byte| *byte != b'`') {
            let escape = byte == b'\\' && self.at(at + 1).is_some();
            escaped |= escape && self.at(at + 1).is_some_and(|next| is_unescaped(next, mode));
            at += 1 + usize::from(escape);
        }
        self.step(at - start);
        let close = at.min(self.end());
        self.pos = start + 1;
        let script =
            self.nested(|parser| if escaped { parser.unescaped(close, mode) } else { parser.backtick_script(close) });
        let Some(script) = script else { return self.rest_unknown(parts, start) };
        self.pos = close;
        let closed = self.eat(b'`');
        let substitution = CommandSubstitution { style: SubstitutionStyle::Backtick, script };
        parts.push(PartKind::Command(Box::new(substitution)), self.span(start));
        if !closed {
            parts.list.push(self.unclosed_backtick());
        }
    }

    fn unclosed_backtick(&self) -> WordPart<'a> {
        WordPart { kind: PartKind::Unknown(self.unknown(UnknownReason::Unclosed("`"))), span: self.here() }
    }

    fn backtick_script(&mut self, close: usize) -> Script<'a> {
        let outer_pending = std::mem::take(&mut self.pending);
        let outer = std::mem::replace(&mut self.in_substitution, false);
        let parentheses = std::mem::take(&mut self.parentheses);
        let script = self.within(close, |parser| {
            let script = parser.isolated_list(Enders::NONE);
            parser.drop_pending();
            script
        });
        self.parentheses = parentheses;
        self.in_substitution = outer;
        self.pending = outer_pending;
        script
    }

    /// Reads a script without one layer of its backslashes.
    fn unescaped(&mut self, close: usize, mode: Mode) -> Script<'a> {
        let (text, origins) = self.remove_backslashes(close, mode);
        let limits = std::mem::take(&mut self.limits);
        let source = Source::Unescaped { text: &text, origins: &origins };
        let mut inner = Parser::new(source, text.len(), limits);
        let script = inner.list(Enders::NONE);
        inner.drop_pending();
        self.limits = std::mem::take(&mut inner.limits);
        script
    }

    fn remove_backslashes(&mut self, close: usize, mode: Mode) -> (String, Vec<usize>) {
        let mut text = String::with_capacity(close - self.pos);
        let mut origins = Vec::with_capacity(close - self.pos + 1);
        let mut at = self.pos;
        while at < close {
            let escape = self.at(at) == Some(b'\\') && self.at(at + 1).is_some_and(|next| is_unescaped(next, mode));
            let from = if escape { at + 1 } else { at };
            let next = self.after_char(from).min(close);
            text.push_str(self.source.slice(from, next));
            let origin = self.source.origin(at);
            origins.push(origin);
            origins.extend((1..next - from).map(|offset| self.source.origin(from + offset)));
            at = next;
        }
        origins.push(self.source.origin(close));
        self.step(text.len());
        (text, origins)
    }
}

/// Whether a backslash before this byte is removed between backticks.
fn is_unescaped(byte: u8, mode: Mode) -> bool {
    match byte {
        b'$' | b'`' | b'\\' => true,
        b'"' => mode.quoting == Quoting::Double,
        _ => false,
    }
}
