//! Other names of functions and modules: imports, destructuring, and functions that are kept in a variable.

use super::Language;
use super::call_table::lookup;
use super::tokens::Token;
use std::borrow::Cow;

/// So many names are kept.
const MAX_NAMES: usize = 64;

/// What names of a script stand for, as far as its imports tell.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    known: Vec<(String, String)>,
}

impl Names {
    /// Reads the imports of a script, wherever they stand.
    pub(super) fn of(language: Language, tokens: &[Token]) -> Self {
        let mut names = Self::default();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(word) = token else { continue };
            let rest = tokens.get(at + 1..).unwrap_or_default();
            match (language, word.as_str()) {
                (Language::Python, "from") => names.imported(rest),
                (Language::Python | Language::JavaScript, "import") => names.renamed(rest),
                (Language::JavaScript, "require") => names.destructured(tokens.get(..at).unwrap_or_default()),
                _ => {}
            }
        }
        names
    }

    /// `from shutil import copy, move as mv`
    fn imported(&mut self, rest: &[Token]) {
        let [Token::Name(module), Token::Name(import), names @ ..] = rest else { return };
        if import != "import" {
            return;
        }
        let statement = names.iter().take_while(|token| !matches!(token, Token::Mark(';' | ')')));
        let words: Vec<&String> = statement
            .filter_map(|token| match token {
                Token::Name(name) => Some(name),
                _ => None,
            })
            .collect();
        for (at, name) in words.iter().enumerate() {
            let renames = *name == "as" || at > 0 && words.get(at - 1).is_some_and(|before| *before == "as");
            if renames {
                continue;
            }
            let new = match (words.get(at + 1), words.get(at + 2)) {
                (Some(word), Some(new)) if *word == "as" => new,
                _ => name,
            };
            self.add(new, &format!("{module}.{name}"));
        }
    }

    /// `import shutil as sh`, `import { rmSync as zap } from 'fs'`
    fn renamed(&mut self, rest: &[Token]) {
        let statement: Vec<&Token> = rest.iter().take_while(|token| !matches!(token, Token::Mark(';'))).collect();
        for three in statement.windows(3) {
            if let [Token::Name(old), Token::Name(word), Token::Name(new)] = three
                && word == "as"
                && !self.known.iter().any(|(known, _)| known == new)
            {
                self.add(new, old);
            }
        }
    }

    /// `const { writeFileSync: w } = require('fs')`
    fn destructured(&mut self, before: &[Token]) {
        let [.., Token::Mark('}'), Token::Mark('=')] = before else { return };
        let from = before.iter().rposition(|token| *token == Token::Mark('{')).unwrap_or_default();
        let inner = before.get(from..).unwrap_or_default();
        for (at, token) in inner.iter().enumerate() {
            match (token, inner.get(at + 1), inner.get(at + 2)) {
                (Token::Name(old), Some(Token::Mark(':')), Some(Token::Name(new))) => self.add(new, old),
                // Without a space it is one name.
                (Token::Name(both), _, _) => {
                    if let Some((old, new)) = both.split_once(':') {
                        self.add(new, old);
                    }
                }
                _ => {}
            }
        }
    }

    /// `zap = os.remove`: the name is that function from here on.
    pub(super) fn keep(&mut self, language: Language, name: &str, value: &[Token]) -> bool {
        let [Token::Name(function)] = value else { return false };
        let function = self.resolve(function).into_owned();
        let known = lookup(language, &function).is_some();
        if known {
            self.add(name, &function);
        }
        known
    }

    fn add(&mut self, new: &str, old: &str) {
        self.known.retain(|(known, _)| known != new);
        if self.known.len() < MAX_NAMES {
            self.known.push((new.to_owned(), old.to_owned()));
        }
    }

    /// The name with what its first part stands for.
    pub(super) fn resolve<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        match self.known.iter().find(|(known, _)| known == first && !first.is_empty()) {
            Some((_, old)) if rest.is_empty() => Cow::Owned(old.clone()),
            Some((_, old)) => Cow::Owned(format!("{old}.{rest}")),
            None => Cow::Borrowed(name),
        }
    }
}
