//! Quotes of Perl and Ruby that letters begin: `q(…)`, `qw[…]`, `s{…}{…}`, `%w[…]`, `%x(…)`.

use super::lexer::{Kind, Lexer};
use super::quotes::{Filling, Piece, closing, delimited, here_document, pattern, skip_flags, text_end};

/// Maximum length of `<*.o>` in Perl; a longer one is a comparison.
const MAX_ANGLE: usize = 200;

pub(super) fn ruby(lexer: &mut Lexer<'_>, c: char) -> bool {
    match c {
        '\'' => delimited(lexer, 1, c, Filling::Plain, Kind::Text),
        '"' => delimited(lexer, 1, c, Filling::Ruby, Kind::Text),
        '`' => delimited(lexer, 1, c, Filling::Ruby, Kind::Command),
        '/' if !lexer.after_value() => pattern(lexer),
        '%' if !lexer.after_value() || lexer.spaced() => percent(lexer),
        '<' if lexer.looking_at("<<~") || lexer.looking_at("<<-") => here_document(lexer, 3, Filling::Ruby),
        '<' if lexer.looking_at("<<") && !lexer.after_value() => here_document(lexer, 2, Filling::Ruby),
        ':' if lexer.peek(1).is_some_and(|c| c.is_alphabetic() || c == '_') && !lexer.after(":") => {
            // `a ? b :c` is rare; `key: value` and `A::B` have no space before the colon.
            if lexer.after_value() && !lexer.spaced() {
                return false;
            }
            let from = lexer.at + 1;
            lexer.at = from;
            while lexer.peek(0).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '?' | '!')) {
                lexer.at += 1;
            }
            let name = lexer.slice(from, lexer.at);
            lexer.push(Kind::Text(vec![Piece::Plain(name)]));
            true
        }
        _ => false,
    }
}

/// `%w[a b]`, `%x(command)`, `%q(…)`, `%(…)`
fn percent(lexer: &mut Lexer<'_>) -> bool {
    let letter = lexer.peek(1).filter(char::is_ascii_alphabetic);
    let skip = if letter.is_some() { 2 } else { 1 };
    let Some(open) = lexer.peek(skip).filter(|c| "([{<|/!".contains(*c)) else { return false };
    match letter {
        Some('w' | 'W' | 'i' | 'I') => words(lexer, skip + 1, open),
        Some('x') => delimited(lexer, skip + 1, open, Filling::Ruby, Kind::Command),
        Some('q') => delimited(lexer, skip + 1, open, Filling::Plain, Kind::Text),
        Some('r') => {
            delimited(lexer, skip + 1, open, Filling::Raw, |_| Kind::Pattern);
            skip_flags(lexer);
            true
        }
        Some('Q') | None => delimited(lexer, skip + 1, open, Filling::Ruby, Kind::Text),
        Some(_) => false,
    }
}

fn words(lexer: &mut Lexer<'_>, skip: usize, open: char) -> bool {
    delimited(lexer, skip, open, Filling::Raw, |pieces| {
        let text = pieces.iter().map(|piece| match piece {
            Piece::Plain(text) | Piece::Code(text) => text.as_str(),
        });
        Kind::Words(text.collect::<String>().split_whitespace().map(str::to_owned).collect())
    })
}

pub(super) fn perl(lexer: &mut Lexer<'_>, c: char) -> bool {
    match c {
        '\'' => return delimited(lexer, 1, c, Filling::Plain, Kind::Text),
        '"' => return delimited(lexer, 1, c, Filling::Sigils, Kind::Text),
        '`' => return delimited(lexer, 1, c, Filling::Sigils, Kind::Command),
        '/' if !lexer.after_value() => return pattern(lexer),
        '<' if lexer.looking_at("<<\"") || lexer.looking_at("<<'") || lexer.looking_at("<<~") => {
            return here_document(lexer, 2, Filling::Sigils);
        }
        '<' if lexer.looking_at("<<") && !lexer.after_value() => return here_document(lexer, 2, Filling::Sigils),
        '<' if !lexer.after_value() => return angle(lexer),
        _ => {}
    }
    if lexer.after("->") || lexer.after("{") && operator_is_key(lexer) {
        return false;
    }
    let word: String = lexer.chars.iter().skip(lexer.at).take(3).take_while(|c| c.is_ascii_alphabetic()).collect();
    if !matches!(word.as_str(), "q" | "qq" | "qw" | "qx" | "qr" | "m" | "s" | "tr" | "y") {
        return false;
    }
    let mut skip = word.len();
    while lexer.peek(skip) == Some(' ') {
        skip += 1;
    }
    let Some(open) = lexer.peek(skip).filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && !",;=)".contains(*c))
    else {
        return false;
    };
    match word.as_str() {
        "q" => delimited(lexer, skip + 1, open, Filling::Plain, Kind::Text),
        "qq" => delimited(lexer, skip + 1, open, Filling::Sigils, Kind::Text),
        "qx" => delimited(lexer, skip + 1, open, Filling::Sigils, Kind::Command),
        "qw" => words(lexer, skip + 1, open),
        "s" | "tr" | "y" => {
            let first = text_end(
                lexer.chars,
                lexer.at + skip + 1,
                (closing(open) != open).then_some(open),
                closing(open),
                Filling::Raw,
            );
            let mut from = first + 1;
            let mut second = open;
            if closing(open) != open {
                while lexer.chars.get(from).is_some_and(|c| c.is_whitespace()) {
                    from += 1;
                }
                second = lexer.chars.get(from).copied().unwrap_or(open);
                from += 1;
            }
            let close = closing(second);
            let end = text_end(lexer.chars, from, (close != second).then_some(second), close, Filling::Raw);
            lexer.unclosed |= end >= lexer.chars.len();
            lexer.at = (end + 1).min(lexer.chars.len());
            skip_flags(lexer);
            lexer.push(Kind::Pattern);
            true
        }
        _ => {
            delimited(lexer, skip + 1, open, Filling::Raw, |_| Kind::Pattern);
            skip_flags(lexer);
            true
        }
    }
}

/// `$h{s}` is a key and no substitution.
fn operator_is_key(lexer: &Lexer<'_>) -> bool {
    let mut rest = lexer.chars.iter().skip(lexer.at);
    rest.find(|c| !c.is_ascii_alphabetic()) == Some(&'}')
}

/// `<STDIN>`, `<$file>` and `<*.o>`
fn angle(lexer: &mut Lexer<'_>) -> bool {
    let near = lexer.chars.iter().enumerate().skip(lexer.at + 1).take(MAX_ANGLE);
    let Some((end, _)) = near.take_while(|(_, c)| !c.is_whitespace()).find(|(_, c)| **c == '>') else { return false };
    let inner = lexer.slice(lexer.at + 1, end);
    lexer.at = (end + 1).min(lexer.chars.len());
    let is_pattern = inner.contains(['/', '*', '.']);
    let code =
        if is_pattern { format!("glob(\"{inner}\")") } else { format!("readline({})", inner.trim_start_matches('$')) };
    lexer.push(Kind::Text(vec![Piece::Code(code)]));
    true
}
