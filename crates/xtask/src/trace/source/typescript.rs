//! Finds `covers:` comments in TypeScript and JavaScript: inside the parentheses of `test(…)` and `it(…)`.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::cursor::{Cursor, Located, Token, is_word};
use super::{Home, Mention};

type Tokens<'a> = Peekable<IntoIter<Located<'a>>>;

pub fn mentions(source: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut tokens = lex(source).into_iter().peekable();
    let mut previous = None;
    while let Some(Located { token, line }) = tokens.next() {
        match token {
            Token::Comment(text) => found.extend(Mention::read(text, line, &Home::Nowhere)),
            Token::Word("test" | "it") if starts_statement(previous) => read_test(&mut tokens, line, &mut found),
            Token::Word(_) | Token::Punct(_) | Token::Text(_) => {}
        }
        previous = Some(token);
    }
    found
}

/// `pattern.test(text)` and `function it()` are no tests.
fn starts_statement(previous: Option<Token<'_>>) -> bool {
    !matches!(previous, Some(Token::Punct('.') | Token::Word("function")))
}

/// Reads `.only`, `.skip`, `.each(…)` and the call, if there is one.
fn read_test(tokens: &mut Tokens, line: usize, found: &mut Vec<Mention>) {
    let mut skipped = false;
    while tokens.next_if(|next| next.token == Token::Punct('.')).is_some() {
        skipped |= tokens.next().is_some_and(|next| matches!(next.token, Token::Word("skip" | "todo")));
    }
    let mut name = None;
    let mut comments = Vec::new();
    while tokens.next_if(|next| next.token == Token::Punct('(')).is_some() {
        read_call(tokens, &mut name, &mut comments);
    }
    let name = name.unwrap_or_default().to_owned();
    let home = if skipped { Home::SkippedTest { name } } else { Home::Test { name, line } };
    found.extend(comments.into_iter().filter_map(|(text, line)| Mention::read(text, line, &home)));
}

/// Goes past the closing parenthesis. The first string literal of the last call is the test's name.
fn read_call<'a>(tokens: &mut Tokens<'a>, name: &mut Option<&'a str>, comments: &mut Vec<(&'a str, usize)>) {
    let mut depth = 1_usize;
    let mut first_text = None;
    for Located { token, line } in tokens {
        match token {
            Token::Punct('(') => depth += 1,
            Token::Punct(')') => depth -= 1,
            Token::Comment(text) => comments.push((text, line)),
            Token::Text(text) => first_text = first_text.or(Some(text)),
            Token::Punct(_) | Token::Word(_) => {}
        }
        if depth == 0 {
            break;
        }
    }
    *name = first_text.or(*name);
}

fn lex(source: &str) -> Vec<Located<'_>> {
    let mut cursor = Cursor::new(source);
    let mut tokens: Vec<Located<'_>> = Vec::new();
    while let Some(next) = cursor.peek(0) {
        let line = cursor.line;
        let before = tokens.iter().rev().find(|last| !matches!(last.token, Token::Comment(_)));
        let after_value = before.is_some_and(|last| is_value(last.token));
        if let Some(token) = lex_one(&mut cursor, next, after_value) {
            tokens.push(Located { token, line });
        }
    }
    tokens
}

fn lex_one<'a>(cursor: &mut Cursor<'a>, next: char, after_value: bool) -> Option<Token<'a>> {
    if cursor.starts_with("//") {
        return Some(Token::Comment(cursor.take_line()));
    }
    if cursor.starts_with("/*") {
        cursor.take_through("*/");
        return None;
    }
    if is_word(next) || next == '$' {
        return Some(Token::Word(cursor.take_while(|c| is_word(c) || c == '$')));
    }
    cursor.bump();
    match next {
        '"' | '\'' => Some(Token::Text(cursor.take_quoted(next))),
        '`' => Some(Token::Text(cursor.capture(skip_template).trim_end_matches('`'))),
        '/' if !after_value => Some(Token::Word(cursor.capture(skip_regex))),
        _ if next.is_whitespace() => None,
        _ => Some(Token::Punct(next)),
    }
}

/// After a value a slash divides; anywhere else it opens a regular expression.
fn is_value(token: Token<'_>) -> bool {
    match token {
        Token::Word(word) => !matches!(word, "return" | "typeof" | "case" | "of" | "in" | "await" | "throw" | "void"),
        Token::Text(_) | Token::Punct(')' | ']' | '}') => true,
        Token::Punct(_) | Token::Comment(_) => false,
    }
}

/// Goes past the closing backtick; a placeholder may hold templates again.
fn skip_template(cursor: &mut Cursor<'_>) {
    let mut depth = 0_usize;
    while let Some(next) = cursor.bump() {
        match next {
            '\\' => {
                cursor.bump();
            }
            '$' if cursor.peek(0) == Some('{') && depth == 0 => {
                cursor.bump();
                depth = 1;
            }
            '{' if depth > 0 => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '`' if depth > 0 => skip_template(cursor),
            '`' => return,
            '"' | '\'' if depth > 0 => {
                cursor.take_quoted(next);
            }
            _ => {}
        }
    }
}

/// Goes past the closing slash; one inside brackets does not close.
fn skip_regex(cursor: &mut Cursor<'_>) {
    let mut in_class = false;
    while let Some(next) = cursor.bump() {
        match next {
            '\\' => {
                cursor.bump();
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return,
            '\n' => return,
            _ => {}
        }
    }
}
