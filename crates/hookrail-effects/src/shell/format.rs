//! What `printf` and `echo -e` make of their arguments.

use crate::flow::Arg;

/// What `printf` makes of a format and its arguments: `%s` and the like are replaced, the format is used again while
/// arguments are left.
pub(super) fn formatted(args: &[Arg]) -> String {
    let Some((format, mut rest)) = args.split_first() else { return String::new() };
    let format = unescape(&format.text);
    let mut text = String::new();
    for _ in 0..16 {
        let mut chars = format.chars();
        let mut used = false;
        while let Some(c) = chars.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            match chars.by_ref().find(|c| c.is_ascii_alphabetic() || *c == '%') {
                Some('%') => text.push('%'),
                Some(kind) => {
                    used = true;
                    if let Some((first, others)) = rest.split_first() {
                        text.push_str(&if kind == 'b' { unescape(&first.text) } else { first.text.clone() });
                        rest = others;
                    }
                }
                None => {}
            }
        }
        if !used || rest.is_empty() {
            break;
        }
    }
    text
}

/// Backslash escapes as in `echo -e` and `printf`.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('x') => plain.extend(digits(&mut chars, 16, 2)),
            Some(first @ '0'..='7') => {
                let mut code = first.to_digit(8).unwrap_or_default();
                for _ in 0..3 {
                    let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + digit;
                    chars.next();
                }
                plain.extend(char::from_u32(code));
            }
            Some(other) => {
                if other != '\\' {
                    plain.push('\\');
                }
                plain.push(other);
            }
            None => plain.push('\\'),
        }
    }
    plain
}

fn digits(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize) -> Option<char> {
    let mut code = 0;
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        code = code * radix + digit;
        chars.next();
    }
    char::from_u32(code)
}
