//! `${…}`.

use super::Parser;
use super::mode::{Ends, Mode, is_name_byte, is_name_start};
use super::parts::Parts;
use crate::ast::{
    DefaultAction, LetterCase, Parameter, ParameterOperator, PartKind, ReplaceMatches, SubstitutionStyle,
    UnknownReason, Word,
};
use std::borrow::Cow;

impl<'a> Parser<'_, 'a> {
    pub(super) fn dollar_brace(&mut self, parts: &mut Parts<'a>, mode: Mode, start: usize, open: usize) {
        self.pos = open + 1;
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            self.eat(b'|');
            return self.command_substitution(parts, start, SubstitutionStyle::Braces);
        }
        let parameter = self.nested(|parser| {
            let mut parameter = parser.parameter(mode);
            if parameter.name.is_empty() || !parser.eat(b'}') {
                parser.rest_of_parameter(&mut parameter, mode);
            }
            parameter
        });
        let Some(parameter) = parameter else { return self.rest_unknown(parts, start) };
        parts.push(PartKind::Parameter(Box::new(parameter)), self.span(start));
    }

    fn parameter(&mut self, mode: Mode) -> Parameter<'a> {
        self.skip_continuations();
        let length = self.begins_length();
        let indirect = !length && self.begins_indirect();
        self.pos += usize::from(length || indirect);
        self.skip_continuations();
        let name = self.parameter_name();
        if name.is_empty() {
            return Parameter { name, subscript: None, indirect, operator: ParameterOperator::None };
        }
        self.skip_continuations();
        let subscript = self.parameter_subscript();
        self.skip_continuations();
        let operator =
            if length { ParameterOperator::Length } else { self.operator(mode, indirect, subscript.as_ref()) };
        let indirect = indirect && !matches!(operator, ParameterOperator::Names | ParameterOperator::Keys);
        Parameter { name, subscript, indirect, operator }
    }

    /// Whether `#` means the length here, and not the number of arguments.
    fn begins_length(&self) -> bool {
        self.peek() == Some(b'#') && self.prefixes_parameter()
    }

    /// Whether `!` means an indirection here, and not the last process in the background.
    fn begins_indirect(&self) -> bool {
        self.peek() == Some(b'!') && self.prefixes_parameter()
    }

    fn prefixes_parameter(&self) -> bool {
        match self.at(self.past_continuations(self.pos + 1)) {
            Some(byte) if is_name_byte(byte) => true,
            Some(byte) if is_special(byte) => self.at(self.pos + 2) == Some(b'}'),
            _ => false,
        }
    }

    fn parameter_name(&mut self) -> Cow<'a, str> {
        let start = self.pos;
        match self.peek() {
            Some(byte) if is_name_start(byte) => {
                self.pos = self.name_end(start);
            }
            Some(byte) if byte.is_ascii_digit() => {
                while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    self.pos += 1;
                }
            }
            // zsh expands the result of an expansion: `${${x}}`, `${$(a)}`.
            Some(b'$') if matches!(self.at(start + 1), Some(b'{' | b'(')) => {}
            Some(byte) if is_special(byte) => self.pos += 1,
            _ => {}
        }
        self.step(self.pos - start);
        self.joined(start, self.pos)
    }

    fn skip_continuations(&mut self) {
        self.pos = self.past_continuations(self.pos);
    }

    fn parameter_subscript(&mut self) -> Option<Word<'a>> {
        if !self.eat(b'[') {
            return None;
        }
        let mut word = self.word(Mode::SUBSCRIPT);
        if !self.eat(b']') {
            let kind = PartKind::Unknown(self.unknown(UnknownReason::Unclosed("[")));
            word.parts.push(crate::ast::WordPart { kind, span: self.here() });
        }
        Some(word)
    }

    fn operator(&mut self, mode: Mode, indirect: bool, subscript: Option<&Word<'a>>) -> ParameterOperator<'a> {
        let Some(byte) = self.peek() else { return ParameterOperator::None };
        match byte {
            b'}' if indirect && subscript.is_some_and(is_all) => ParameterOperator::Keys,
            b'*' | b'@' if indirect && self.at(self.pos + 1) == Some(b'}') => {
                self.pos += 1;
                ParameterOperator::Names
            }
            b':' => self.colon(mode),
            b'-' | b'=' | b'?' | b'+' => self.default(mode, false),
            b'#' | b'%' => self.removal(byte),
            b'/' => self.replacement(mode),
            b'^' | b',' | b'~' => self.change_case(byte),
            b'@' => self.transform(),
            _ => ParameterOperator::None,
        }
    }

    fn colon(&mut self, mode: Mode) -> ParameterOperator<'a> {
        self.pos += 1;
        self.skip_continuations();
        if matches!(self.peek(), Some(b'-' | b'=' | b'?' | b'+')) {
            return self.default(mode, true);
        }
        let arithmetic = |ends| Mode { ends, ..Mode::ARITHMETIC };
        let offset = self.word(arithmetic(Ends::BraceOrColon));
        let length = self.eat(b':').then(|| self.word(arithmetic(Ends::Brace)));
        ParameterOperator::Substring { offset, length }
    }

    fn default(&mut self, mode: Mode, or_empty: bool) -> ParameterOperator<'a> {
        let action = match self.peek() {
            Some(b'-') => DefaultAction::Use,
            Some(b'=') => DefaultAction::Assign,
            Some(b'?') => DefaultAction::Fail,
            _ => DefaultAction::Alternative,
        };
        self.pos += 1;
        ParameterOperator::Default { action, or_empty, word: self.word(mode.parameter_word(Ends::Brace)) }
    }

    fn removal(&mut self, byte: u8) -> ParameterOperator<'a> {
        self.pos += 1;
        let longest = self.eat(byte);
        let pattern = self.word(Mode::pattern(Ends::Brace));
        match byte {
            b'#' => ParameterOperator::RemovePrefix { longest, pattern },
            _ => ParameterOperator::RemoveSuffix { longest, pattern },
        }
    }

    fn replacement(&mut self, mode: Mode) -> ParameterOperator<'a> {
        self.pos += 1;
        let matches = match self.peek() {
            Some(b'/') => ReplaceMatches::All,
            Some(b'#') => ReplaceMatches::Prefix,
            Some(b'%') => ReplaceMatches::Suffix,
            _ => ReplaceMatches::First,
        };
        self.pos += usize::from(matches != ReplaceMatches::First);
        let pattern = self.word(Mode::pattern(Ends::BraceOrSlash));
        let replacement = self.eat(b'/').then(|| {
            let word = mode.parameter_word(Ends::Brace);
            // Quotes in a replacement are removed even between double quotes.
            self.word(Mode { quoting: super::mode::Quoting::Plain, ..word })
        });
        ParameterOperator::Replace { matches, pattern, replacement }
    }

    fn change_case(&mut self, byte: u8) -> ParameterOperator<'a> {
        self.pos += 1;
        let all = self.eat(byte);
        let case = match byte {
            b'^' => LetterCase::Upper,
            b',' => LetterCase::Lower,
            _ => LetterCase::Toggled,
        };
        ParameterOperator::ChangeCase { case, all, pattern: self.word(Mode::pattern(Ends::Brace)) }
    }

    fn transform(&mut self) -> ParameterOperator<'a> {
        match (self.at(self.pos + 1), self.at(self.pos + 2)) {
            (Some(letter), Some(b'}')) if letter.is_ascii_alphabetic() => {
                self.pos += 2;
                ParameterOperator::Transform(char::from(letter))
            }
            _ => ParameterOperator::None,
        }
    }

    /// Reads what is left before the closing brace, or the end. What was read of it stays as the word of the expansion.
    fn rest_of_parameter(&mut self, parameter: &mut Parameter<'a>, mode: Mode) {
        let start = self.pos;
        let mut rest = Parts::default();
        let reason = if start < self.end() { UnknownReason::BadSubstitution } else { UnknownReason::Unclosed("${") };
        rest.unknown(self.unknown(reason).reason, self.here());
        if !matches!(parameter.operator, ParameterOperator::None | ParameterOperator::Length) {
            // The operator's own word ended at the end of the text; the reason goes into it.
            return append(&mut parameter.operator, rest);
        }
        let word = self.word_from(start, rest, mode.parameter_word(Ends::Brace));
        self.eat(b'}');
        parameter.operator = ParameterOperator::Default { action: DefaultAction::Use, or_empty: false, word };
    }
}

/// Adds parts to the last word of an operator.
fn append<'a>(operator: &mut ParameterOperator<'a>, rest: Parts<'a>) {
    let word = match operator {
        ParameterOperator::Default { word, .. }
        | ParameterOperator::Substring { length: Some(word), .. }
        | ParameterOperator::Substring { offset: word, length: None }
        | ParameterOperator::RemovePrefix { pattern: word, .. }
        | ParameterOperator::RemoveSuffix { pattern: word, .. }
        | ParameterOperator::ChangeCase { pattern: word, .. }
        | ParameterOperator::Replace { replacement: Some(word), .. }
        | ParameterOperator::Replace { pattern: word, replacement: None, .. } => word,
        ParameterOperator::None
        | ParameterOperator::Length
        | ParameterOperator::Transform(_)
        | ParameterOperator::Names
        | ParameterOperator::Keys => {
            let span = rest.list.first().map(|part| part.span).unwrap_or_default();
            let word = Word { parts: rest.list, span };
            *operator = ParameterOperator::Default { action: DefaultAction::Use, or_empty: false, word };
            return;
        }
    };
    word.parts.extend(rest.list);
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

/// Whether a subscript means all elements.
fn is_all(subscript: &Word<'_>) -> bool {
    subscript.literal().is_some_and(|text| text == "@" || text == "*")
}
