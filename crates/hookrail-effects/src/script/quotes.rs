//! Quoted texts of scripts: literals, templates, here-documents, word lists and patterns.

use super::Language;
use super::lexer::{Kind, Lexer};
use super::quotes_by_letter::{perl, ruby};

/// Maximum length of a regular expression; a longer one is a division.
const MAX_PATTERN: usize = 500;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Plain(String),
    /// An expression that is filled in.
    Code(String),
}

/// How a text is filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    /// Nothing is; backslashes stay, except in front of quotes.
    Raw,
    /// Nothing is; backslashes escape.
    Plain,
    /// `{x}`
    Braces,
    /// `${x}`
    Template,
    /// `#{x}`
    Ruby,
    /// `$x`, `$x->{y}`, `${x}`, `{$x}`
    Sigils,
}

/// Reads a quoted text, if one begins here.
pub(super) fn read(lexer: &mut Lexer<'_>) -> bool {
    let Some(c) = lexer.peek(0) else { return false };
    match (lexer.language, c) {
        (Language::Python, _) => python(lexer, c),
        (Language::JavaScript, '`') => delimited(lexer, 1, '`', Filling::Template, Kind::Text),
        (Language::JavaScript, '/') if !lexer.after_value() => pattern(lexer),
        (Language::JavaScript | Language::Lua | Language::R, '\'' | '"') => {
            delimited(lexer, 1, c, Filling::Plain, Kind::Text)
        }
        (Language::Lua, '[') if lexer.looking_at("[[") => {
            let end = find(lexer, lexer.at + 2, "]]");
            let text = lexer.slice(lexer.at + 2, end);
            lexer.at = (end + 2).min(lexer.chars.len());
            lexer.push(Kind::Text(vec![Piece::Plain(text)]));
            true
        }
        (Language::Ruby, _) => ruby(lexer, c),
        (Language::Perl, _) => perl(lexer, c),
        (Language::Php, '\'') => delimited(lexer, 1, c, Filling::Plain, Kind::Text),
        (Language::Php, '"') => delimited(lexer, 1, c, Filling::Sigils, Kind::Text),
        (Language::Php, '`') => delimited(lexer, 1, c, Filling::Sigils, Kind::Command),
        (Language::Php, '<') if lexer.looking_at("<<<") => here_document(lexer, 3, Filling::Sigils),
        _ => false,
    }
}

fn find(lexer: &Lexer<'_>, from: usize, end: &str) -> usize {
    let end: Vec<char> = end.chars().collect();
    let rest = lexer.chars.get(from..).unwrap_or_default();
    rest.windows(end.len().max(1)).position(|part| part == end).map_or(lexer.chars.len(), |at| from + at)
}

/// Reads a text up to an unescaped quote; `skip` characters stand before it.
pub(super) fn delimited(
    lexer: &mut Lexer<'_>,
    skip: usize,
    quote: char,
    filling: Filling,
    make: fn(Vec<Piece>) -> Kind,
) -> bool {
    let close = closing(quote);
    let from = lexer.at + skip;
    let end = text_end(lexer.chars, from, (close != quote).then_some(quote), close, filling);
    let inner = lexer.chars.get(from..end).unwrap_or_default();
    let pieces = pieces(inner, filling);
    lexer.unclosed |= end >= lexer.chars.len();
    lexer.at = (end + 1).min(lexer.chars.len());
    lexer.push(make(pieces));
    true
}

pub(super) fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

/// Where a text ends: brackets nest, and templates contain code.
pub(super) fn text_end(chars: &[char], from: usize, open: Option<char>, close: char, filling: Filling) -> usize {
    let (mut at, mut depth) = (from, 0usize);
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied();
        if c == '\\' {
            at += 1;
        } else if next == Some('{')
            && (filling == Filling::Template && c == '$' || filling == Filling::Ruby && c == '#')
        {
            at = code_end(chars, at + 2);
        } else if Some(c) == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        }
        at += 1;
    }
    chars.len()
}

/// Where the braces of a filled-in expression close; quotes in it are passed over.
fn code_end(chars: &[char], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0usize);
    let mut quote = None;
    while let Some(&c) = chars.get(at) {
        match (c, quote) {
            ('\\', _) => at += 1,
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"' | '`', None) => quote = Some(c),
            ('{', None) => depth += 1,
            ('}', None) if depth == 0 => return at,
            ('}', None) => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    chars.len()
}

fn pieces(chars: &[char], filling: Filling) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied();
        if c == '\\' && filling != Filling::Raw {
            at += escaped(chars, at, &mut plain);
            continue;
        }
        let code = match filling {
            Filling::Raw | Filling::Plain => None,
            Filling::Braces if c == '{' && next == Some('{') || c == '}' && next == Some('}') => {
                plain.push(c);
                at += 2;
                continue;
            }
            Filling::Braces if c == '{' => Some((at + 1, code_end(chars, at + 1))),
            Filling::Template if c == '$' && next == Some('{') => Some((at + 2, code_end(chars, at + 2))),
            Filling::Ruby if c == '#' && next == Some('{') => Some((at + 2, code_end(chars, at + 2))),
            Filling::Sigils => sigil_code(chars, at).map(|(code, end)| {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
                pieces.push(Piece::Code(code));
                (end, usize::MAX)
            }),
            _ => None,
        };
        match code {
            Some((end, usize::MAX)) => at = end,
            Some((from, end)) => {
                let code: String = chars.get(from..end).unwrap_or_default().iter().collect();
                let code = if filling == Filling::Braces { without_format(&code).to_owned() } else { code };
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
                pieces.push(Piece::Code(code));
                at = end + 1;
            }
            None => {
                plain.push(c);
                at += 1;
            }
        }
    }
    pieces.push(Piece::Plain(plain));
    pieces.retain(|piece| *piece != Piece::Plain(String::new()));
    pieces
}

/// `x!r:>10` without how it is shown.
fn without_format(code: &str) -> &str {
    let mut depth = 0usize;
    let mut quote = None;
    let bytes = code.as_bytes();
    for (at, c) in code.char_indices() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(c),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => depth = depth.saturating_sub(1),
            (':', None) if depth == 0 => return code.get(..at).unwrap_or(code),
            ('!', None) if depth == 0 && bytes.get(at + 1) != Some(&b'=') => return code.get(..at).unwrap_or(code),
            _ => {}
        }
    }
    code.trim_end_matches('=')
}

/// The variable of Perl or PHP that begins here, as code, and where it ends.
fn sigil_code(chars: &[char], at: usize) -> Option<(String, usize)> {
    let c = chars.get(at).copied()?;
    let next = chars.get(at + 1).copied()?;
    let text = |from: usize, to: usize| -> String { chars.get(from..to).unwrap_or_default().iter().collect() };
    if c == '{' && next == '$' {
        let end = code_end(chars, at + 1);
        return Some((text(at + 1, end), end + 1));
    }
    if !matches!(c, '$' | '@') {
        return None;
    }
    if next == '{' {
        let end = code_end(chars, at + 2);
        let inner = text(at + 2, end);
        let is_name = inner.chars().all(|c| c.is_alphanumeric() || c == '_');
        let code = if is_name { format!("{c}{inner}") } else { inner.trim_start_matches('\\').to_owned() };
        return Some((code, end + 1));
    }
    if !(next.is_alphanumeric() || next == '_') || c == '@' && !next.is_alphabetic() {
        return None;
    }
    let mut end = at + 1;
    while chars.get(end).is_some_and(|c| c.is_alphanumeric() || *c == '_')
        || chars.get(end) == Some(&':')
            && chars.get(end + 1) == Some(&':')
            && chars.get(end + 2).is_some_and(|c| c.is_alphabetic())
    {
        end += if chars.get(end) == Some(&':') { 2 } else { 1 };
    }
    loop {
        let arrow = chars.get(end) == Some(&'-') && chars.get(end + 1) == Some(&'>');
        let from = if arrow { end + 2 } else { end };
        match chars.get(from) {
            Some('{' | '[') => {
                let mut depth = 0usize;
                let close = chars.iter().enumerate().skip(from).find(|(_, c)| {
                    match c {
                        '{' | '[' => depth += 1,
                        '}' | ']' => depth -= 1,
                        _ => {}
                    }
                    depth == 0
                });
                end = close.map_or(chars.len(), |(at, _)| at + 1);
            }
            Some(c) if arrow && c.is_alphabetic() => {
                end = from;
                while chars.get(end).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
                    end += 1;
                }
            }
            _ => break,
        }
    }
    Some((text(at, end), end))
}

/// Adds an escaped character, and returns how many characters it takes.
fn escaped(chars: &[char], at: usize, plain: &mut String) -> usize {
    let digits = |from: usize, most: usize, radix: u32| -> (Option<char>, usize) {
        let digits: String = chars.iter().skip(from).take(most).take_while(|c| c.is_digit(radix)).collect();
        (u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32), digits.len())
    };
    match chars.get(at + 1) {
        Some('n') => plain.push('\n'),
        Some('t') => plain.push('\t'),
        Some('r') => plain.push('\r'),
        Some('\n') => {}
        Some('x') => {
            let (c, length) = digits(at + 2, 2, 16);
            plain.extend(c);
            return 2 + length;
        }
        Some('u') if chars.get(at + 2) == Some(&'{') => {
            let (c, length) = digits(at + 3, 6, 16);
            plain.extend(c);
            return 4 + length;
        }
        Some('u') => {
            let (c, length) = digits(at + 2, 4, 16);
            plain.extend(c);
            return 2 + length;
        }
        Some(c) if c.is_digit(8) => {
            let (c, length) = digits(at + 1, 3, 8);
            plain.extend(c);
            return 1 + length;
        }
        Some(other) => plain.push(*other),
        None => return 1,
    }
    2
}

fn python(lexer: &mut Lexer<'_>, c: char) -> bool {
    let mut prefix = 0;
    while prefix < 3 && lexer.peek(prefix).is_some_and(|c| "rRbBuUfFtT".contains(c)) {
        prefix += 1;
    }
    let Some(quote @ ('\'' | '"')) = lexer.peek(prefix) else { return false };
    if prefix > 0 && !c.is_alphabetic() {
        return false;
    }
    let letters = lexer.slice(lexer.at, lexer.at + prefix).to_ascii_lowercase();
    let filling = match (letters.contains(['f', 't']), letters.contains('r')) {
        (true, _) => Filling::Braces,
        (false, true) => Filling::Raw,
        (false, false) => Filling::Plain,
    };
    let triple = lexer.peek(prefix + 1) == Some(quote) && lexer.peek(prefix + 2) == Some(quote);
    if !triple {
        return delimited(lexer, prefix + 1, quote, filling, Kind::Text);
    }
    let from = lexer.at + prefix + 3;
    let mut end = from;
    while end < lexer.chars.len() && !(0..3).all(|ahead| lexer.chars.get(end + ahead) == Some(&quote)) {
        end += if lexer.chars.get(end) == Some(&'\\') { 2 } else { 1 };
    }
    let found = pieces(lexer.chars.get(from..end).unwrap_or_default(), filling);
    lexer.unclosed |= end >= lexer.chars.len();
    lexer.at = (end + 3).min(lexer.chars.len());
    lexer.push(Kind::Text(found));
    true
}

pub(super) fn pattern(lexer: &mut Lexer<'_>) -> bool {
    let (mut at, mut class) = (lexer.at + 1, false);
    while let Some(&c) = lexer.chars.get(at) {
        match c {
            '\\' => at += 1,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => break,
            '\n' => return false,
            _ if at > lexer.at + MAX_PATTERN => return false,
            _ => {}
        }
        at += 1;
    }
    lexer.at = (at + 1).min(lexer.chars.len());
    skip_flags(lexer);
    lexer.push(Kind::Pattern);
    true
}

pub(super) fn skip_flags(lexer: &mut Lexer<'_>) {
    while lexer.peek(0).is_some_and(|c| c.is_ascii_alphabetic()) {
        lexer.at += 1;
    }
}

pub(super) fn here_document(lexer: &mut Lexer<'_>, skip: usize, filling: Filling) -> bool {
    let mut at = lexer.at + skip;
    while lexer.chars.get(at).is_some_and(|c| matches!(c, '~' | '-' | ' ')) {
        at += 1;
    }
    let quote = lexer.chars.get(at).copied().filter(|c| matches!(c, '\'' | '"'));
    at += usize::from(quote.is_some());
    let from = at;
    while lexer.chars.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
        at += 1;
    }
    let name = lexer.slice(from, at);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    lexer.at = at + usize::from(quote.is_some());
    let start = lexer.body_start();
    let mut line = start;
    let mut end = lexer.chars.len();
    while line < lexer.chars.len() {
        let next = find(lexer, line, "\n");
        let text = lexer.slice(line, next);
        let rest = text.trim().strip_prefix(&name);
        if rest.is_some_and(|rest| {
            rest.is_empty() || lexer.language == Language::Php && !rest.starts_with(char::is_alphanumeric)
        }) {
            end = line;
            break;
        }
        line = next + 1;
    }
    lexer.unclosed |= end >= lexer.chars.len() && start < end;
    let filling = if quote == Some('\'') { Filling::Plain } else { filling };
    let found = pieces(lexer.chars.get(start..end).unwrap_or_default(), filling);
    let after = if lexer.language == Language::Php {
        // What follows the name is code again: `EOT;`.
        let indent = lexer.chars.iter().skip(end).take_while(|c| c.is_whitespace()).count();
        (end + indent + name.len()).min(lexer.chars.len())
    } else {
        (find(lexer, end, "\n") + 1).min(lexer.chars.len())
    };
    lexer.resume_at(after);
    lexer.push(Kind::Text(found));
    true
}
