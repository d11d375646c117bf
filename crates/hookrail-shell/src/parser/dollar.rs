//! What begins with a dollar.

use super::Parser;
use super::mode::{Mode, Quoting, is_name_start};
use super::parts::Parts;
use crate::ast::{Parameter, ParameterOperator, PartKind, SubstitutionStyle, UnknownReason};

impl<'a> Parser<'_, 'a> {
    pub(super) fn dollar(&mut self, parts: &mut Parts<'a>, mode: Mode) {
        let start = self.pos;
        let next = self.past_continuations(start + 1);
        let plain = mode.quoting == Quoting::Plain;
        match self.at(next) {
            Some(b'(') => self.dollar_parenthesis(parts, start, next),
            Some(b'{') => self.dollar_brace(parts, mode, start, next),
            Some(b'[') => self.dollar_bracket(parts, start, next),
            Some(b'\'') if plain => self.ansi_quoted(parts, start, next),
            Some(b'"') if plain => {
                self.pos = next;
                self.double_quoted_from(parts, start);
            }
            Some(byte) if is_name_start(byte) => self.named_parameter(parts, start, next),
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.pos = next + 1;
                self.push_parameter(parts, start, next);
            }
            _ => {
                self.pos += 1;
                self.push_literal(parts, start);
            }
        }
    }

    fn named_parameter(&mut self, parts: &mut Parts<'a>, start: usize, name: usize) {
        self.pos = self.name_end(name);
        self.step(self.pos - name);
        self.push_parameter(parts, start, name);
    }

    fn push_parameter(&self, parts: &mut Parts<'a>, start: usize, name: usize) {
        let parameter = Parameter {
            name: self.joined(name, self.pos),
            subscript: None,
            indirect: false,
            operator: ParameterOperator::None,
        };
        parts.push(PartKind::Parameter(Box::new(parameter)), self.span(start));
    }

    fn dollar_parenthesis(&mut self, parts: &mut Parts<'a>, start: usize, open: usize) {
        let second = self.past_continuations(open + 1);
        let end = if self.at(second) == Some(b'(') { self.arithmetic_end(second) } else { None };
        let Some(close) = end else {
            self.pos = open + 1;
            return self.command_substitution(parts, start, SubstitutionStyle::Dollar);
        };
        self.pos = second + 1;
        match self.nested(|parser| parser.arithmetic_to(close)) {
            Some(word) => parts.push(PartKind::Arithmetic(Box::new(word)), self.span(start)),
            None => self.rest_unknown(parts, start),
        }
    }

    /// Reads `$[…]`, the old way to write `$((…))`.
    fn dollar_bracket(&mut self, parts: &mut Parts<'a>, start: usize, open: usize) {
        self.pos = open + 1;
        let Some(word) = self.nested(|parser| parser.word(Mode::SUBSCRIPT)) else {
            return self.rest_unknown(parts, start);
        };
        let closed = self.eat(b']');
        parts.push(PartKind::Arithmetic(Box::new(word)), self.span(start));
        if !closed {
            parts.unknown(self.unknown(UnknownReason::Unclosed("$[")).reason, self.here());
        }
    }
}
