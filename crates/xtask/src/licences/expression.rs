//! SPDX licence expressions: `MIT OR (Apache-2.0 WITH LLVM-exception AND BSD-3-Clause)`.

/// A licence expression, read but not judged.
#[derive(Debug, PartialEq, Eq)]
pub enum Expression {
    Licence { id: String, exception: Option<String> },
    All(Vec<Self>),
    Any(Vec<Self>),
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    #[error("a licence is missing at the end")]
    Ended,
    #[error("`{0}` is out of place")]
    Unexpected(String),
    #[error("a parenthesis is not closed")]
    Unclosed,
}

impl Expression {
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut words = Words { words: split(text), next: 0 };
        let expression = words.read_any()?;
        match words.take() {
            Some(word) => Err(ExpressionError::Unexpected(word.to_owned())),
            None => Ok(expression),
        }
    }

    /// Whether the licences in `allowed` suffice. Ids are compared without regard to case, as SPDX asks.
    pub fn is_satisfied_by(&self, allowed: &[String]) -> bool {
        let lists = |id: &str| allowed.iter().any(|entry| entry.eq_ignore_ascii_case(id));
        match self {
            Self::All(parts) => parts.iter().all(|part| part.is_satisfied_by(allowed)),
            Self::Any(parts) => parts.iter().any(|part| part.is_satisfied_by(allowed)),
            // `X+` may be taken as `X` itself, and an exception only ever adds permissions to its licence.
            Self::Licence { id, exception } => {
                lists(id.strip_suffix('+').unwrap_or(id))
                    || exception.as_ref().is_some_and(|exception| lists(&format!("{id} WITH {exception}")))
            }
        }
    }
}

/// Words, parentheses and the slash that manifests used before SPDX expressions.
fn split(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for chunk in text.split_whitespace() {
        for piece in chunk.split_inclusive(['(', ')', '/']) {
            let word = piece.trim_end_matches(['(', ')', '/']);
            words.extend(
                [word, piece.strip_prefix(word).unwrap_or_default()].into_iter().filter(|word| !word.is_empty()),
            );
        }
    }
    words
}

struct Words<'a> {
    words: Vec<&'a str>,
    next: usize,
}

impl<'a> Words<'a> {
    fn take(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.next).copied()?;
        self.next += 1;
        Some(word)
    }

    fn take_if(&mut self, expected: &[&str]) -> bool {
        let word = self.words.get(self.next);
        let found = word.is_some_and(|word| expected.iter().any(|expected| word.eq_ignore_ascii_case(expected)));
        self.next += usize::from(found);
        found
    }

    fn read_any(&mut self) -> Result<Expression, ExpressionError> {
        let mut parts = vec![self.read_all()?];
        while self.take_if(&["OR", "/"]) {
            parts.push(self.read_all()?);
        }
        Ok(unwrap_single(parts, Expression::Any))
    }

    fn read_all(&mut self) -> Result<Expression, ExpressionError> {
        let mut parts = vec![self.read_one()?];
        while self.take_if(&["AND"]) {
            parts.push(self.read_one()?);
        }
        Ok(unwrap_single(parts, Expression::All))
    }

    fn read_one(&mut self) -> Result<Expression, ExpressionError> {
        if self.take_if(&["("]) {
            let inner = self.read_any()?;
            return if self.take_if(&[")"]) { Ok(inner) } else { Err(ExpressionError::Unclosed) };
        }
        let id = self.read_name()?;
        let exception = if self.take_if(&["WITH"]) { Some(self.read_name()?) } else { None };
        Ok(Expression::Licence { id, exception })
    }

    fn read_name(&mut self) -> Result<String, ExpressionError> {
        const RESERVED: [&str; 6] = ["OR", "AND", "WITH", "(", ")", "/"];
        let word = self.take().ok_or(ExpressionError::Ended)?;
        if RESERVED.iter().any(|reserved| word.eq_ignore_ascii_case(reserved)) {
            return Err(ExpressionError::Unexpected(word.to_owned()));
        }
        Ok(word.to_owned())
    }
}

fn unwrap_single(mut parts: Vec<Expression>, join: fn(Vec<Expression>) -> Expression) -> Expression {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            join(parts)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<bool, ExpressionError> {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0", "GPL-2.0-only WITH Classpath-exception-2.0"];
        Expression::parse(text).map(|expression| expression.is_satisfied_by(&allowed.map(str::to_owned)))
    }

    #[test]
    fn an_expression_is_satisfied_when_the_allowed_licences_suffice() {
        let cases = [
            ("MIT", true),
            ("mit", true),
            ("GPL-3.0-only", false),
            ("MIT OR GPL-3.0-only", true),
            ("GPL-3.0-only OR MIT", true),
            ("MIT AND GPL-3.0-only", false),
            ("MIT AND Apache-2.0", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0/MIT", true),
            ("GPL-3.0 / LGPL-3.0", false),
            // AND binds closer than OR, unless parentheses say otherwise.
            ("MIT OR Apache-2.0 AND GPL-3.0-only", true),
            ("(MIT OR Apache-2.0) AND GPL-3.0-only", false),
            ("(MIT OR GPL-3.0-only) AND (Apache-2.0 OR GPL-3.0-only)", true),
            ("((MIT))", true),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("GPL-3.0-only OR (LGPL-3.0-only AND MIT)", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
            ("GPL-2.0-only WITH Classpath-exception-2.0", true),
            ("GPL-2.0-only WITH Other-exception", false),
            ("GPL-2.0-only", false),
            ("Apache-2.0+", true),
            ("GPL-2.0+", false),
            ("MIT or Apache-2.0", true),
            ("  MIT\tOR\n(Apache-2.0)", true),
        ];
        for (text, expected) in cases {
            assert_eq!(check(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_malformed_expression_is_an_error_and_never_allowed() {
        let unexpected = |word: &str| ExpressionError::Unexpected(word.to_owned());
        let cases = [
            ("", ExpressionError::Ended),
            ("MIT OR", ExpressionError::Ended),
            ("MIT WITH", ExpressionError::Ended),
            ("OR MIT", unexpected("OR")),
            ("MIT Apache-2.0", unexpected("Apache-2.0")),
            ("MIT OR AND Apache-2.0", unexpected("AND")),
            ("MIT WITH (x)", unexpected("(")),
            ("(MIT", ExpressionError::Unclosed),
            ("MIT)", unexpected(")")),
            ("()", unexpected(")")),
            ("MIT//Apache-2.0", unexpected("/")),
        ];
        for (text, expected) in cases {
            assert_eq!(check(text), Err(expected), "{text}");
        }
    }
}
