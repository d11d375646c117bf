//! Redirections.

use super::Parser;
use super::mode::{Mode, begins_redirect, is_metacharacter, is_name_byte, is_name_start};
use crate::ast::{
    HereDocument, PartKind, Redirect, RedirectFd, RedirectOperator, RedirectTarget, UnknownReason, Word, WordPart,
};

/// The operators, longest first.
const OPERATORS: [(&[u8], RedirectOperator); 12] = [
    (b"<<<", RedirectOperator::HereString),
    (b"<<-", RedirectOperator::HereDocument),
    (b"&>>", RedirectOperator::AppendAll),
    (b"<<", RedirectOperator::HereDocument),
    (b"<>", RedirectOperator::ReadWrite),
    (b"<&", RedirectOperator::DuplicateInput),
    (b">>", RedirectOperator::Append),
    (b">|", RedirectOperator::Clobber),
    (b">&", RedirectOperator::DuplicateOutput),
    (b"&>", RedirectOperator::WriteAll),
    (b"<", RedirectOperator::Read),
    (b">", RedirectOperator::Write),
];

/// An operator as it was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundOperator {
    operator: RedirectOperator,
    strip_tabs: bool,
    end: usize,
}

impl<'a> Parser<'_, 'a> {
    /// The redirection that begins here, if one does.
    pub(super) fn redirect(&mut self) -> Option<Redirect<'a>> {
        let start = self.pos;
        if !self.peek().is_some_and(begins_redirect) {
            return None;
        }
        let (fd, operator_at) = self.redirect_fd();
        let found = self.redirect_operator(operator_at)?;
        // `<(…)` and `>(…)` are words, and so is `1<(…)`.
        let single = matches!(found.operator, RedirectOperator::Read | RedirectOperator::Write);
        if single && self.at(self.past_continuations(found.end)) == Some(b'(') {
            return None;
        }
        self.pos = found.end;
        self.skip_blanks();
        let target = match found.operator {
            RedirectOperator::HereDocument => self.here_document(found.strip_tabs),
            _ => RedirectTarget::Word(self.redirect_word()),
        };
        Some(Redirect { fd, operator: found.operator, target, span: self.span(start) })
    }

    /// The operator at a position, if there is one.
    pub(super) fn redirect_operator(&self, pos: usize) -> Option<FoundOperator> {
        if !matches!(self.at(pos), Some(b'<' | b'>' | b'&')) {
            return None;
        }
        let second = self.past_continuations(pos + 1);
        let third = self.past_continuations(second + 1);
        let found = [self.at(pos), self.at(second), self.at(third)];
        let &(text, operator) =
            OPERATORS.iter().find(|(text, _)| text.iter().zip(found).all(|(byte, found)| found == Some(*byte)))?;
        let end = match text.len() {
            1 => pos + 1,
            2 => second + 1,
            _ => third + 1,
        };
        Some(FoundOperator { operator, strip_tabs: text == b"<<-", end })
    }

    /// A number or `{name}` directly before an operator, and where the operator is.
    fn redirect_fd(&mut self) -> (Option<RedirectFd<'a>>, usize) {
        let start = self.pos;
        let mut at = start;
        match self.peek() {
            Some(byte) if byte.is_ascii_digit() => {
                while self.at(at).is_some_and(|byte| byte.is_ascii_digit()) {
                    at += 1;
                }
                self.step(at - start);
                if !self.is_arrow(at) {
                    return (None, start);
                }
                // A number that is too large is no descriptor: bash takes it for an argument, and so does the caller.
                let Ok(number) = self.source.slice(start, at).parse() else { return (None, start) };
                (Some(RedirectFd::Number(number)), at)
            }
            Some(b'{') if self.at(at + 1).is_some_and(is_name_start) => {
                at += 1;
                while self.at(at).is_some_and(is_name_byte) {
                    at += 1;
                }
                self.step(at - start);
                if self.at(at) != Some(b'}') || !self.is_arrow(at + 1) {
                    return (None, start);
                }
                (Some(RedirectFd::Variable(self.source.cow(start + 1, at))), at + 1)
            }
            _ => (None, start),
        }
    }

    fn is_arrow(&self, at: usize) -> bool {
        matches!(self.at(at), Some(b'<' | b'>'))
    }

    fn redirect_word(&mut self) -> Word<'a> {
        let mut word = self.word(Mode::UNBRACED);
        if word.parts.is_empty() && word.span.start == word.span.end {
            let kind = PartKind::Unknown(self.unknown(UnknownReason::Missing("file name")));
            word.parts.push(WordPart { kind, span: self.here() });
        }
        word
    }

    fn here_document(&mut self, strip_tabs: bool) -> RedirectTarget<'a> {
        let start = self.pos;
        let (delimiter, quoted) = self.delimiter();
        let mut body = Word::default();
        if self.pos == start {
            let kind = PartKind::Unknown(self.unknown(UnknownReason::Missing("delimiter")));
            body.parts.push(WordPart { kind, span: self.here() });
            body.span = self.here();
        } else {
            body.span = self.expect_body(delimiter.clone(), quoted, strip_tabs);
        }
        let document = HereDocument { delimiter: delimiter.into(), quoted, strip_tabs, body };
        RedirectTarget::HereDocument(Box::new(document))
    }

    /// Reads a delimiter, with quotes removed and nothing expanded; and whether there were quotes.
    fn delimiter(&mut self) -> (String, bool) {
        let mut text = String::new();
        let mut quoted = false;
        let mut quote = None;
        while let Some(byte) = self.peek() {
            if quote.is_none() && is_metacharacter(byte) {
                break;
            }
            let start = self.pos;
            self.pos = self.after_char(start);
            self.step(1);
            match (byte, quote) {
                (b'\\', None) if self.peek() == Some(b'\n') => self.pos += 1,
                (b'\\', None | Some(b'"')) if self.pos < self.end() => {
                    quoted = true;
                    let from = self.pos;
                    self.pos = self.after_char(from);
                    text.push_str(self.source.slice(from, self.pos));
                }
                (b'$', None) if matches!(self.peek(), Some(b'\'' | b'"')) => {}
                (b'\'' | b'"', None) => {
                    quoted = true;
                    quote = Some(byte);
                }
                _ if quote == Some(byte) => quote = None,
                _ => text.push_str(self.source.slice(start, self.pos)),
            }
        }
        (text, quoted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_redirection_begins_as_one() {
        let before = [b'{', b'0', b'9'];
        for first in OPERATORS.iter().filter_map(|(text, _)| text.first()).chain(&before) {
            assert!(begins_redirect(*first), "{}", char::from(*first));
        }
    }
}
