//! A place in a source text, and the pieces both languages are made of.

/// What a language's lexer finds. Block comments and white space are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    Word(&'a str),
    Punct(char),
    /// The content of a string literal.
    Text(&'a str),
    /// A line comment with its slashes.
    Comment(&'a str),
}

/// A token and the line it starts on.
#[derive(Debug, Clone, Copy)]
pub struct Located<'a> {
    pub token: Token<'a>,
    pub line: usize,
}

/// Reads a text from front to back and knows its line, counted from 1.
#[derive(Debug)]
pub struct Cursor<'a> {
    rest: &'a str,
    pub line: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { rest: source, line: 1 }
    }

    /// The character `ahead` places after the next one.
    pub fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.chars().nth(ahead)
    }

    pub fn starts_with(&self, text: &str) -> bool {
        self.rest.starts_with(text)
    }

    pub fn bump(&mut self) -> Option<char> {
        let next = self.peek(0)?;
        self.take(next.len_utf8());
        Some(next)
    }

    pub fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        self.take(self.rest.find(|c| !keep(c)).unwrap_or(self.rest.len()))
    }

    pub fn take_word(&mut self) -> &'a str {
        self.take_while(is_word)
    }

    pub fn take_line(&mut self) -> &'a str {
        self.take_while(|c| c != '\n')
    }

    /// Takes `end` and what precedes it, or all that is left; returns what precedes it.
    pub fn take_through(&mut self, end: &str) -> &'a str {
        let text = self.take(self.rest.find(end).unwrap_or(self.rest.len()));
        self.take(end.len().min(self.rest.len()));
        text
    }

    /// Takes a literal whose opening quote is already taken; a backslash protects the character after it.
    pub fn take_quoted(&mut self, quote: char) -> &'a str {
        let mut escaped = false;
        let end = self.rest.find(|c| {
            let ends = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let text = self.take(end.unwrap_or(self.rest.len()));
        self.bump();
        text
    }

    /// All that `read` goes past.
    pub fn capture(&mut self, read: impl FnOnce(&mut Self)) -> &'a str {
        let before = self.rest;
        read(self);
        before.strip_suffix(self.rest).unwrap_or(before)
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (text, rest) = self.rest.split_at(bytes);
        self.line += text.matches('\n').count();
        self.rest = rest;
        text
    }
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
