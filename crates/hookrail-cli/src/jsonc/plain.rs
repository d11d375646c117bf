//! JSON without what only some readers grant.

use hookrail_dialects::JsonStyle;

/// The text without comments, trailing commas and a byte order mark, as far as these are not granted. Everything else stays
/// where it is.
pub fn plain(text: &str, granted: JsonStyle) -> String {
    let text = if granted.byte_order_mark { text } else { text.strip_prefix('\u{feff}').unwrap_or(text) };
    let mut plain = String::with_capacity(text.len());
    // Where a comma stands behind which only white space and comments have come so far.
    let mut comma = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => c.len_utf8(),
        };
        let (piece, behind) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        rest = behind;
        let is_comment = c == '/' && piece.len() > 1;
        if is_comment {
            if granted.comments {
                plain.push_str(piece);
            }
            continue;
        }
        if matches!(c, '}' | ']')
            && let Some(at) = comma.filter(|_| !granted.trailing_commas)
        {
            plain.remove(at);
        }
        if !c.is_whitespace() {
            comma = (c == ',').then_some(plain.len());
        }
        plain.push_str(piece);
    }
    plain
}

/// The length of the string that a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{JsonStyle, plain};

    #[test]
    fn only_what_is_not_granted_goes() {
        let nothing = JsonStyle { comments: false, trailing_commas: false, byte_order_mark: false };
        let comments = JsonStyle { comments: true, ..nothing };
        let all = JsonStyle { comments: true, trailing_commas: true, byte_order_mark: true };
        for (text, granted, expected) in [
            ("{\"a\": 1,}", nothing, "{\"a\": 1}"),
            ("{\"a\": [1, 2, ], // x\n}", nothing, "{\"a\": [1, 2 ] \n}"),
            ("{\"a\": 1, /* x */ }", comments, "{\"a\": 1 /* x */ }"),
            ("// x\n{\"a\": \"// no, ]\", \"b\\\"\": 1}", nothing, "\n{\"a\": \"// no, ]\", \"b\\\"\": 1}"),
            ("\u{feff}{}", nothing, "{}"),
            ("\u{feff}{\"a\": 1,} // x", all, "\u{feff}{\"a\": 1,} // x"),
            ("{} /* open", nothing, "{} "),
        ] {
            assert_eq!(plain(text, granted), expected, "{text}");
        }
    }
}
