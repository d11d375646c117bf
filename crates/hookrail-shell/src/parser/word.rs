//! Words: literals, quotes, escapes and tildes.

use super::mode::{
    Ends, Mode, Quoting, Tildes, begins_reserved, is_inert, is_metacharacter, is_name_byte, is_name_start,
    is_reservable,
};
use super::parts::Parts;
use super::{Parser, brace, glob};
use crate::ast::{PartKind, UnknownReason, Word, WordPart};
use std::borrow::Cow;

/// What is known in the middle of a word.
#[derive(Debug)]
struct Progress {
    /// Where a tilde would be expanded.
    tilde_at: Option<usize>,
    /// Whether that is so behind every colon.
    after_colons: bool,
    /// Whether the word begins with an open brace, and so may each of the words in it.
    brace_first: bool,
    /// How many parentheses of a regular expression are open.
    parentheses: usize,
    /// Whether a line begins here.
    line_start: bool,
}

impl<'a> Parser<'_, 'a> {
    pub(super) fn word(&mut self, mode: Mode) -> Word<'a> {
        let start = self.pos;
        match self.plain_word(mode) {
            Some(word) => word,
            None => self.word_from(start, Parts::default(), mode),
        }
    }

    /// Reads a word of a command that is nothing but bytes without a meaning, as most are; otherwise goes nowhere.
    fn plain_word(&mut self, mode: Mode) -> Option<Word<'a>> {
        if mode.ends != Ends::Metacharacter || self.limits.stopped.is_some() {
            return None;
        }
        let start = self.pos;
        let rest = self.bytes.get(start..)?;
        let length = rest.iter().position(|byte| !is_inert(*byte) && *byte != b'/').unwrap_or(rest.len());
        let ends = match rest.get(length) {
            // What begins with an arrow may be a process substitution, which a word goes on with.
            Some(b'<' | b'>') => false,
            Some(byte) => is_metacharacter(*byte),
            None => true,
        };
        if length == 0 || !ends {
            return None;
        }
        self.step(length + 1);
        self.pos += length;
        let span = self.span(start);
        Some(Word { parts: vec![WordPart { kind: PartKind::Literal(self.source.cow(start, self.pos)), span }], span })
    }

    /// Reads on in a word of which some parts are there already.
    pub(super) fn word_from(&mut self, start: usize, mut parts: Parts<'a>, mode: Mode) -> Word<'a> {
        self.read_parts(&mut parts, mode);
        let mut list = parts.list;
        if parts.open_brace {
            list = brace::resolve(self, list);
        }
        if parts.open_bracket {
            list = glob::resolve_classes(&self.source, list);
        }
        Word { parts: list, span: self.span(start) }
    }

    fn read_parts(&mut self, parts: &mut Parts<'a>, mode: Mode) {
        let fresh = parts.list.is_empty();
        let mut progress = Progress {
            tilde_at: (fresh && mode.tildes != Tildes::Nowhere).then_some(self.pos),
            after_colons: mode.tildes == Tildes::Assignment,
            brace_first: false,
            parentheses: 0,
            line_start: true,
        };
        while let Some(byte) = self.peek() {
            self.step(1);
            if self.limits.stopped.is_some() {
                let reason = self.unknown(UnknownReason::Unexpected).reason;
                let span = self.skip_rest();
                parts.unknown(reason, span);
                return;
            }
            if self.strips_tab(mode, byte, &progress) {
                self.pos += 1;
                continue;
            }
            if self.ends_word(mode, byte, &mut progress) {
                return;
            }
            progress.line_start = byte == b'\n';
            self.part(parts, mode, byte, &mut progress);
        }
    }

    /// Whether this is a tab that `<<-` removes.
    fn strips_tab(&self, mode: Mode, byte: u8, progress: &Progress) -> bool {
        progress.line_start && byte == b'\t' && mode.quoting == Quoting::HereDocument { strip_tabs: true }
    }

    fn ends_word(&self, mode: Mode, byte: u8, progress: &mut Progress) -> bool {
        if mode.ends == Ends::Regex {
            match byte {
                b'(' => progress.parentheses += 1,
                b')' if progress.parentheses > 0 => {
                    progress.parentheses -= 1;
                    return false;
                }
                _ => {}
            }
            if progress.parentheses > 0 {
                return false;
            }
        }
        mode.ends.at(byte) && !(mode.ends == Ends::Metacharacter && self.begins_process())
    }

    fn part(&mut self, parts: &mut Parts<'a>, mode: Mode, byte: u8, progress: &mut Progress) {
        let plain = mode.quoting == Quoting::Plain;
        match byte {
            b'\\' => self.escape(parts, mode),
            b'\'' if plain => self.single_quoted(parts),
            // bash does not expand these, but it looks for the end of arithmetic behind them.
            b'\'' if mode.quoting == Quoting::Arithmetic && self.find_quote(self.pos + 1).is_some() => {
                self.single_quoted(parts);
            }
            b'"' if !matches!(mode.quoting, Quoting::Double | Quoting::HereDocument { .. }) => {
                self.double_quoted(parts);
            }
            b'$' => self.dollar(parts, mode),
            b'`' => self.backtick(parts, mode),
            b'<' | b'>' if plain && self.begins_process() => self.process_substitution(parts),
            b'=' if mode == Mode::ARGUMENT && self.at(self.pos + 1) == Some(b'(') => {
                self.equals_parenthesis(parts);
            }
            b'~' if progress.tilde_at == Some(self.pos) => self.tilde(parts, mode, progress.after_colons),
            b'?' | b'*' | b'+' | b'@' | b'!' if mode.patterns && self.begins_group() => self.glob_group(parts, byte),
            b'*' | b'?' if mode.patterns => self.glob_character(parts, byte),
            b'{' | b',' | b'}' if mode.braces => self.brace_mark(parts, byte, progress),
            b'[' | b']' if mode.patterns => self.bracket_mark(parts, byte),
            _ => self.literal_run(parts, mode, progress),
        }
    }

    /// Adds the longest text whose bytes mean nothing in any mode, or else one character.
    fn literal_run(&mut self, parts: &mut Parts<'a>, mode: Mode, progress: &mut Progress) {
        let start = self.pos;
        let first = self.peek();
        let ends_at_slash = mode.ends == Ends::BraceOrSlash;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let run = rest.iter().position(|byte| !(is_inert(*byte) || *byte == b'/' && !ends_at_slash));
        self.pos += run.unwrap_or(rest.len());
        self.step(self.pos - start);
        if self.pos == start {
            self.pos = self.after_char(start);
            if first == Some(b'=') && mode.tildes == Tildes::Start && is_assignment_target(&parts.list) {
                progress.after_colons = true;
                progress.tilde_at = Some(self.pos);
            }
            if first == Some(b':') && progress.after_colons {
                progress.tilde_at = Some(self.pos);
            }
        }
        self.push_literal(parts, start);
    }

    /// Adds the text from `start` to here.
    pub(super) fn push_literal(&self, parts: &mut Parts<'a>, start: usize) {
        parts.literal(&self.source, self.source.cow(start, self.pos), self.span(start));
    }

    fn escape(&mut self, parts: &mut Parts<'a>, mode: Mode) {
        let start = self.pos;
        let Some(next) = self.at(start + 1) else {
            self.pos += 1;
            return self.push_literal(parts, start);
        };
        if next == b'\n' {
            self.pos += 2;
            return;
        }
        let removes = match mode.quoting {
            Quoting::Plain => true,
            Quoting::Double | Quoting::Arithmetic => matches!(next, b'$' | b'`' | b'"' | b'\\'),
            Quoting::DoubleParameter => matches!(next, b'$' | b'`' | b'"' | b'\\' | b'}'),
            Quoting::HereDocument { .. } => matches!(next, b'$' | b'`' | b'\\'),
        };
        if !removes {
            self.pos += 1;
            return self.push_literal(parts, start);
        }
        self.pos = self.after_char(start + 1);
        parts.literal(&self.source, self.source.cow(start + 1, self.pos), self.span(start));
    }

    fn single_quoted(&mut self, parts: &mut Parts<'a>) {
        let start = self.pos;
        match self.find_quote(start + 1) {
            Some(close) => {
                self.pos = close + 1;
                parts.push(PartKind::SingleQuoted(self.source.cow(start + 1, close)), self.span(start));
            }
            None => {
                let span = self.skip_rest();
                parts.unknown(UnknownReason::Unclosed("'"), span);
            }
        }
    }

    fn find_quote(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(byte) = self.at(at) {
            if byte == b'\'' {
                break;
            }
            at += 1;
        }
        self.step(at - from);
        (at < self.end()).then_some(at)
    }

    /// Reads `"…"`. A `$` before it was read already if the part begins there.
    pub(super) fn double_quoted_from(&mut self, parts: &mut Parts<'a>, start: usize) {
        self.pos += 1;
        let inner = self.nested(|parser| {
            let mut inner = Parts::default();
            parser.read_parts(&mut inner, Mode::DOUBLE_QUOTED);
            inner
        });
        let Some(mut inner) = inner else { return self.rest_unknown(parts, start) };
        if !self.eat(b'"') {
            inner.unknown(self.unknown(UnknownReason::Unclosed("\"")).reason, self.here());
        }
        parts.push(PartKind::DoubleQuoted(inner.list), self.span(start));
    }

    fn double_quoted(&mut self, parts: &mut Parts<'a>) {
        self.double_quoted_from(parts, self.pos);
    }

    /// Makes everything from `start` on one `Unknown`, because a limit was reached.
    pub(super) fn rest_unknown(&mut self, parts: &mut Parts<'a>, start: usize) {
        self.pos = start;
        let reason = self.unknown(UnknownReason::NestedTooDeep).reason;
        let span = self.skip_rest();
        parts.unknown(reason, span);
    }

    fn tilde(&mut self, parts: &mut Parts<'a>, mode: Mode, after_colons: bool) {
        let start = self.pos;
        let mut at = start + 1;
        while self.at(at).is_some_and(|byte| is_name_byte(byte) || matches!(byte, b'.' | b'-' | b'+')) {
            at += 1;
        }
        self.step(at - start);
        let whole = match self.at(self.past_continuations(at)) {
            None | Some(b'/') => true,
            Some(b':') => after_colons || mode.ends.at(b':'),
            Some(b',' | b'}') => mode.braces || mode.ends.at(b'}'),
            Some(byte) => mode.ends.at(byte),
        };
        self.pos = if whole { at } else { start + 1 };
        if whole {
            parts.push(PartKind::Tilde(self.source.cow(start + 1, at)), self.span(start));
        } else {
            self.push_literal(parts, start);
        }
    }

    fn brace_mark(&mut self, parts: &mut Parts<'a>, byte: u8, progress: &mut Progress) {
        let start = self.pos;
        self.pos += 1;
        if byte == b'{' {
            parts.open_brace = true;
            progress.brace_first |= progress.tilde_at == Some(start);
        }
        if byte != b'}' && progress.brace_first {
            progress.tilde_at = Some(self.pos);
        }
        self.mark_or_literal(parts, start, parts.open_brace);
    }

    fn bracket_mark(&mut self, parts: &mut Parts<'a>, byte: u8) {
        let start = self.pos;
        self.pos += 1;
        parts.open_bracket |= byte == b'[';
        self.mark_or_literal(parts, start, parts.open_bracket);
    }

    fn mark_or_literal(&self, parts: &mut Parts<'a>, start: usize, mark: bool) {
        if mark {
            parts.mark(self.source.cow(start, self.pos), self.span(start));
        } else {
            self.push_literal(parts, start);
        }
    }

    /// The word that begins here, if it may be a reserved one: short, and without anything quoted or expanded.
    pub(super) fn peek_word(&self) -> Option<(Cow<'_, str>, usize)> {
        let start = self.past_continuations(self.pos);
        // Most words begin like none of them.
        if !self.at(start).is_some_and(|first| begins_reserved(first, self.at(start + 1))) {
            return None;
        }
        let mut at = start + 1;
        while self.at(at).is_some_and(is_reservable) {
            if at - start >= LONGEST_RESERVED {
                return None;
            }
            at += 1;
        }
        match self.at(at) {
            Some(b'\\') => self.peek_word_in_pieces(),
            Some(byte) if !is_metacharacter(byte) => None,
            _ => Some((Cow::Borrowed(self.source.slice(start, at)), at)),
        }
    }

    /// The same for a word that a line may end in the middle of.
    fn peek_word_in_pieces(&self) -> Option<(Cow<'_, str>, usize)> {
        let mut at = self.past_continuations(self.pos);
        let start = at;
        let mut text = Cow::Borrowed("");
        while let Some(byte) = self.at(at).filter(|byte| !is_metacharacter(*byte)) {
            if !is_reservable(byte) || at - start > 2 * LONGEST_RESERVED {
                return None;
            }
            let next = self.past_continuations(at + 1);
            match &mut text {
                // While there is no continuation the word is a slice.
                Cow::Borrowed(text) if next == at + 1 => *text = self.source.slice(start, next),
                _ => text.to_mut().push(char::from(byte)),
            }
            at = next;
        }
        (!text.is_empty() && text.len() <= LONGEST_RESERVED).then_some((text, at))
    }
}

/// No reserved word is longer.
const LONGEST_RESERVED: usize = 8;

/// Whether what is before a `=` is a variable's name.
fn is_assignment_target(list: &[WordPart<'_>]) -> bool {
    let [part] = list else { return false };
    let PartKind::Literal(name) = &part.kind else { return false };
    name.len() == part.span.end - part.span.start
        && name.bytes().next().is_some_and(is_name_start)
        && name.bytes().all(is_name_byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::{Limits, Source};

    #[test]
    fn a_plain_word_is_read_as_any_other() {
        let pieces = [
            "", "a", "/", "log.txt", "-f", "ä", " ", ";", "\n", ")", "<", ">(", "<(x)", "=", "~", "*", "'q'", "\\",
            "{a,b}",
        ];
        let modes = [Mode::ARGUMENT, Mode::UNBRACED, Mode::ASSIGNED, Mode::REGEX, Mode::DOUBLE_QUOTED, Mode::SUBSCRIPT];
        for (one, other) in pieces.iter().flat_map(|one| pieces.map(|other| (one, other))) {
            let text = format!("{one}{other}{one}");
            for mode in modes {
                let new = || Parser::new(Source::borrowed(&text), text.len(), Limits::default());
                let (mut short, mut long) = (new(), new());
                assert_eq!(short.word(mode), long.word_from(0, Parts::default(), mode), "{text:?} {mode:?}");
                assert_eq!(short.pos, long.pos, "{text:?} {mode:?}");
            }
        }
    }
}
