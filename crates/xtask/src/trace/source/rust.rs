//! Finds `covers:` comments in Rust: by tokens and matching braces, without parsing the language.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::cursor::{Cursor, Located, Token, is_word};
use super::{Home, Mention};

type Tokens<'a> = Peekable<IntoIter<Located<'a>>>;

pub fn mentions(source: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut tokens = lex(source).into_iter().peekable();
    let mut attributes = Attributes::default();
    while let Some(Located { token, line }) = tokens.next() {
        match token {
            Token::Comment(text) => found.extend(Mention::read(text, line, &Home::Nowhere)),
            Token::Punct('#') if tokens.peek().is_some_and(opens_bracket) => attributes.read(&mut tokens),
            Token::Punct('{' | '}' | ';') => attributes = Attributes::default(),
            Token::Word("fn") if attributes.test => {
                let home = std::mem::take(&mut attributes).home(name(&mut tokens), line);
                read_signature(&mut tokens, &mut found);
                read_body(&mut tokens, &home, &mut found);
            }
            Token::Word(_) | Token::Punct(_) | Token::Text(_) => {}
        }
    }
    found
}

/// What the attributes above an item say about it.
#[derive(Default)]
struct Attributes {
    test: bool,
    ignored: bool,
}

impl Attributes {
    /// Reads one attribute up to its closing bracket. Its name is the last word of the path, as in `#[tokio::test]`.
    fn read(&mut self, tokens: &mut Tokens) {
        let mut name = None;
        let mut in_path = true;
        let mut depth = 0;
        for Located { token, .. } in tokens {
            match token {
                Token::Punct('[') => depth += 1,
                Token::Punct(']') => depth -= 1,
                Token::Punct(':') => {}
                Token::Word(word) if in_path => name = Some(word),
                Token::Word(_) | Token::Punct(_) | Token::Text(_) | Token::Comment(_) => in_path = false,
            }
            if depth == 0 {
                break;
            }
        }
        self.test |= name == Some("test");
        self.ignored |= name == Some("ignore");
    }

    fn home(self, name: String, line: usize) -> Home {
        if self.ignored { Home::SkippedTest { name } } else { Home::Test { name, line } }
    }
}

/// Tells an attribute of the next item from one of the whole module, `#![…]`.
fn opens_bracket(next: &Located<'_>) -> bool {
    next.token == Token::Punct('[')
}

fn name(tokens: &mut Tokens) -> String {
    let word = tokens.find_map(|next| if let Token::Word(word) = next.token { Some(word) } else { None });
    word.unwrap_or_default().to_owned()
}

/// Goes past the brace that opens the body. Brackets hide the braces of a proptest strategy or an array length.
fn read_signature(tokens: &mut Tokens, found: &mut Vec<Mention>) {
    let mut depth = 0_usize;
    for Located { token, line } in tokens {
        match token {
            Token::Punct('(' | '[') => depth += 1,
            Token::Punct(')' | ']') => depth = depth.saturating_sub(1),
            Token::Punct('{') if depth == 0 => return,
            Token::Comment(text) => found.extend(Mention::read(text, line, &Home::Nowhere)),
            Token::Punct(_) | Token::Word(_) | Token::Text(_) => {}
        }
    }
}

fn read_body(tokens: &mut Tokens, home: &Home, found: &mut Vec<Mention>) {
    let mut depth = 1_usize;
    for Located { token, line } in tokens {
        match token {
            Token::Punct('{') => depth += 1,
            Token::Punct('}') => depth -= 1,
            Token::Comment(text) => found.extend(Mention::read(text, line, home)),
            Token::Punct(_) | Token::Word(_) | Token::Text(_) => {}
        }
        if depth == 0 {
            return;
        }
    }
}

fn lex(source: &str) -> Vec<Located<'_>> {
    let mut cursor = Cursor::new(source);
    let mut tokens = Vec::new();
    while let Some(next) = cursor.peek(0) {
        let line = cursor.line;
        if let Some(token) = lex_one(&mut cursor, next) {
            tokens.push(Located { token, line });
        }
    }
    tokens
}

fn lex_one<'a>(cursor: &mut Cursor<'a>, next: char) -> Option<Token<'a>> {
    if cursor.starts_with("//") {
        return Some(Token::Comment(cursor.take_line()));
    }
    if cursor.starts_with("/*") {
        skip_block_comment(cursor);
        return None;
    }
    if is_word(next) {
        let word = cursor.take_word();
        return Some(lex_literal(cursor, word).unwrap_or(Token::Word(word)));
    }
    if next == '\'' && is_char_literal(cursor) {
        cursor.bump();
        return Some(Token::Text(cursor.take_quoted('\'')));
    }
    cursor.bump();
    match next {
        '"' => Some(Token::Text(cursor.take_quoted('"'))),
        _ if next.is_whitespace() => None,
        _ => Some(Token::Punct(next)),
    }
}

/// The literal that `word` is the prefix of, if it is one: `b"…"`, `c"…"`, `b'…'`, `r"…"`, `br#"…"#`.
fn lex_literal<'a>(cursor: &mut Cursor<'a>, word: &str) -> Option<Token<'a>> {
    match word {
        "r" | "br" | "cr" => lex_raw(cursor),
        "b" | "c" => {
            let quote = cursor.peek(0).filter(|next| matches!(next, '"' | '\''))?;
            cursor.bump();
            Some(Token::Text(cursor.take_quoted(quote)))
        }
        _ => None,
    }
}

fn lex_raw<'a>(cursor: &mut Cursor<'a>) -> Option<Token<'a>> {
    let hashes = (0..).take_while(|&ahead| cursor.peek(ahead) == Some('#')).count();
    if cursor.peek(hashes) != Some('"') {
        return None;
    }
    let fence = "#".repeat(hashes);
    cursor.take_through("\"");
    Some(Token::Text(cursor.take_through(&format!("\"{fence}"))))
}

/// Tells `'x'` and `'\n'` from the lifetime `'a`.
fn is_char_literal(cursor: &Cursor<'_>) -> bool {
    cursor.peek(1) == Some('\\') || cursor.peek(2) == Some('\'')
}

fn skip_block_comment(cursor: &mut Cursor<'_>) {
    let mut depth = 0_usize;
    while cursor.peek(0).is_some() {
        if cursor.starts_with("/*") {
            depth += 1;
            cursor.take_through("/*");
        } else if cursor.starts_with("*/") {
            depth -= 1;
            cursor.take_through("*/");
        } else {
            cursor.bump();
        }
        if depth == 0 {
            return;
        }
    }
}
