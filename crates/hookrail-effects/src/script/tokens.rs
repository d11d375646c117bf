//! Scripts as tokens.

use super::Language;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name with its dots: `os.path.join`. One that begins with a dot follows an expression.
    Name(String),
    /// A text; whether parts of it are filled in at run time.
    Text {
        text: String,
        filled: bool,
    },
    /// A command in backticks.
    Command(String),
    Mark(char),
}

/// Cuts a script into tokens. Linear; comments and numbers are dropped.
pub(super) fn cut(language: Language, code: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let bytes: Vec<char> = code.chars().collect();
    let mut at = 0;
    while let Some(&c) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match c {
            '#' if language != Language::JavaScript => at = line_end(&bytes, at),
            '/' if next == Some('/') && matches!(language, Language::JavaScript | Language::Php) => {
                at = line_end(&bytes, at);
            }
            '-' if next == Some('-') && language == Language::Lua => at = line_end(&bytes, at),
            '\'' | '"' => at = text(&bytes, at, c, language, &mut tokens),
            'q' | '<' if language == Language::Perl && quoted(&bytes, at).is_some() => {
                if let Some((inner, end)) = quoted(&bytes, at) {
                    tokens.push(Token::Text { filled: inner.contains('$'), text: inner });
                    at = end;
                }
            }
            'q' | '%' if matches!(language, Language::Perl | Language::Ruby) && commanded(&bytes, at).is_some() => {
                if let Some((inner, end)) = commanded(&bytes, at) {
                    tokens.push(Token::Command(inner));
                    at = end;
                }
            }
            '`' => {
                let end = closing(&bytes, at + 1, '`');
                let inner: String = bytes.get(at + 1..end).unwrap_or_default().iter().collect();
                tokens.push(if language == Language::JavaScript {
                    Token::Text { filled: inner.contains("${"), text: inner }
                } else {
                    Token::Command(inner)
                });
                at = end + 1;
            }
            c if c.is_alphabetic() || c == '_' || c == '$' || c == '@' => at = name(&bytes, at, &mut tokens),
            '.' if next.is_some_and(|c| c.is_alphabetic() || c == '_') => at = name(&bytes, at, &mut tokens),
            '\n' => {
                tokens.push(Token::Mark(';'));
                at += 1;
            }
            c if c.is_whitespace() || c.is_ascii_digit() => at += 1,
            c => {
                tokens.push(Token::Mark(c));
                at += 1;
            }
        }
    }
    tokens
}

/// `q(text)`, `qq{text}` and `<pattern>` of Perl, and where they end.
fn quoted(chars: &[char], at: usize) -> Option<(String, usize)> {
    let before = at.checked_sub(1).and_then(|before| chars.get(before));
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '%' | '-' | '<' | '{')) {
        return None;
    }
    let mut open = at;
    while chars.get(open).is_some_and(|c| matches!(c, 'q' | 'w')) && open < at + 2 {
        open += 1;
    }
    let close = match chars.get(open)? {
        '(' => ')',
        '{' => '}',
        '[' => ']',
        '<' => '>',
        c @ ('/' | '|' | '!' | '~') => *c,
        _ => return None,
    };
    let end = closing(chars, open + 1, close);
    let inner: String = chars.get(open + 1..end)?.iter().collect();
    // `<STDIN>` reads, and `a < b` compares.
    let is_pattern = inner.contains(['/', '*', '.']) && !inner.contains(char::is_whitespace);
    (open > at || is_pattern).then_some((inner, end + 1))
}

/// `qx{command}` of Perl and `%x(command)` of Ruby, and where they end.
fn commanded(chars: &[char], at: usize) -> Option<(String, usize)> {
    let before = at.checked_sub(1).and_then(|before| chars.get(before));
    let is_free = before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '@' | '%'));
    let close = match (chars.get(at + 1)?, chars.get(at + 2)?) {
        ('x', '(') => ')',
        ('x', '{') => '}',
        ('x', '[') => ']',
        ('x', c @ ('/' | '|' | '!')) => *c,
        _ => return None,
    };
    let end = closing(chars, at + 3, close);
    is_free.then_some((chars.get(at + 3..end)?.iter().collect(), end + 1))
}

fn line_end(chars: &[char], at: usize) -> usize {
    chars.iter().skip(at).position(|c| *c == '\n').map_or(chars.len(), |end| at + end)
}

fn closing(chars: &[char], from: usize, quote: char) -> usize {
    let mut at = from;
    while let Some(&c) = chars.get(at) {
        if c == '\\' {
            at += 1;
        } else if c == quote {
            return at;
        }
        at += 1;
    }
    at
}

fn name(chars: &[char], from: usize, tokens: &mut Vec<Token>) -> usize {
    let part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '@' | ':' | '?' | '!');
    let mut end = from + 1;
    while chars.get(end).is_some_and(part) {
        end += 1;
    }
    // `File::exist?` may end with a mark, `a ? b : c` and `x:` may not.
    while end > from + 1 && chars.get(end - 1).is_some_and(|c| matches!(c, ':' | '?' | '!' | '.')) {
        end -= 1;
    }
    let text: String = chars.get(from..end).unwrap_or_default().iter().collect();
    let prefix = matches!(text.as_str(), "r" | "f" | "b" | "u" | "rb" | "fr" | "rf" | "F" | "R" | "B")
        && matches!(chars.get(end), Some('\'' | '"'));
    if !prefix {
        tokens.push(Token::Name(text.replace("::", ".").replace("->", ".")));
    } else if text.to_ascii_lowercase().contains('f') {
        tokens.push(Token::Mark('f'));
    }
    end
}

fn text(chars: &[char], at: usize, quote: char, language: Language, tokens: &mut Vec<Token>) -> usize {
    let triple = chars.get(at + 1) == Some(&quote) && chars.get(at + 2) == Some(&quote);
    let formatted = tokens.last() == Some(&Token::Mark('f')) && tokens.pop().is_some();
    if triple && language == Language::Python {
        let mut end = at + 3;
        while end < chars.len()
            && !(chars.get(end) == Some(&quote)
                && chars.get(end + 1) == Some(&quote)
                && chars.get(end + 2) == Some(&quote))
        {
            end += 1;
        }
        let inner: String = chars.get(at + 3..end).unwrap_or_default().iter().collect();
        tokens.push(Token::Text { filled: formatted, text: inner });
        return end + 3;
    }
    let end = closing(chars, at + 1, quote);
    let inner: String = unescaped(chars.get(at + 1..end).unwrap_or_default());
    let filled = formatted
        || quote == '"'
            && match language {
                Language::Perl | Language::Php => inner.contains(['$', '@']) && inner.contains('$'),
                Language::Ruby => inner.contains("#{"),
                _ => false,
            };
    tokens.push(Token::Text { filled, text: inner });
    end + 1
}

fn unescaped(chars: &[char]) -> String {
    let mut text = String::with_capacity(chars.len());
    let mut iter = chars.iter();
    while let Some(&c) = iter.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match iter.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some(other) => text.push(*other),
            None => {}
        }
    }
    text
}
