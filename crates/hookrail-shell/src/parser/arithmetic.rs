//! Telling `((` from `( (`, and reading arithmetic.
//!
//! `((` begins an arithmetic expression if the partner of its second parenthesis is followed by the partner of its first.
//! Looking for a partner from each of many `((` would take quadratic time; so one look notes all pairs it passes.

use super::Parser;
use super::mode::Mode;
use crate::ast::Word;

/// Pairs of parentheses that were found already.
#[derive(Debug, Default)]
pub(super) struct Parentheses {
    /// One look within another happens only between quotes, which the outer one skipped.
    looks: Vec<PairScan>,
    /// From where on no partner can be found, because a look from there came to the end.
    unclosed_from: Option<usize>,
}

/// The pairs one look found, by the first of each, and where it ended.
#[derive(Debug)]
struct PairScan {
    pairs: Vec<(usize, usize)>,
    end: usize,
}

/// Whether a backslash hides a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Apply,
    None,
}

impl<'a> Parser<'_, 'a> {
    /// Where the arithmetic expression ends whose second parenthesis is at `open`: the position of its `))`.
    pub(super) fn arithmetic_end(&mut self, open: usize) -> Option<usize> {
        let close = self.partner(open)?;
        (self.at(close) == Some(b')') && self.at(close + 1) == Some(b')')).then_some(close)
    }

    fn partner(&mut self, open: usize) -> Option<usize> {
        let looks = &mut self.parentheses.looks;
        while looks.last().is_some_and(|look| look.end <= open) {
            looks.pop();
        }
        let known = looks.iter().rev().find_map(|look| look.partner(open));
        if known.is_some() || self.parentheses.unclosed_from.is_some_and(|from| from <= open) {
            return known;
        }
        let look = self.match_parentheses(open);
        let close = look.partner(open);
        if close.is_none() {
            self.parentheses.unclosed_from = Some(open);
        }
        self.parentheses.looks.push(look);
        close
    }

    /// Finds the pairs from `open` to its partner, or to the end.
    fn match_parentheses(&mut self, open: usize) -> PairScan {
        let mut stack = Vec::new();
        let mut pairs = Vec::new();
        let mut at = open;
        while let Some(byte) = self.at(at) {
            match byte {
                b'\\' => at += 1,
                b'$' if self.at(at + 1) == Some(b'\'') => at = self.skip_to(at + 2, b'\'', Escapes::Apply),
                b'\'' => at = self.skip_to(at + 1, byte, Escapes::None),
                b'`' | b'"' => at = self.skip_to(at + 1, byte, Escapes::Apply),
                b'(' => stack.push(at),
                b')' => pairs.extend(stack.pop().map(|start| (start, at))),
                _ => {}
            }
            at += 1;
            if stack.is_empty() {
                break;
            }
        }
        self.step(at.saturating_sub(open));
        pairs.sort_unstable();
        PairScan { pairs, end: at }
    }

    /// The position of the next `quote`.
    fn skip_to(&self, from: usize, quote: u8, escapes: Escapes) -> usize {
        let mut at = from;
        while let Some(byte) = self.at(at).filter(|byte| *byte != quote) {
            at += if byte == b'\\' && escapes == Escapes::Apply { 2 } else { 1 };
        }
        at
    }

    /// Reads arithmetic from here to `close`, and goes past the two parentheses there.
    pub(super) fn arithmetic_to(&mut self, close: usize) -> Word<'a> {
        let word = self.within(close, |parser| parser.word(Mode::ARITHMETIC));
        self.pos = (close + 2).min(self.end());
        word
    }

    /// Reads as if the text ended at `end`.
    pub(super) fn within<T>(&mut self, end: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.bytes;
        let unclosed_from = self.parentheses.unclosed_from;
        self.bytes = outer.get(..end).unwrap_or(outer);
        let result = read(self);
        self.bytes = outer;
        // What has no partner within may have one behind it.
        self.parentheses.unclosed_from = unclosed_from;
        result
    }
}

impl PairScan {
    fn partner(&self, open: usize) -> Option<usize> {
        let index = self.pairs.binary_search_by_key(&open, |pair| pair.0).ok()?;
        self.pairs.get(index).map(|pair| pair.1)
    }
}
