//! Text of others, made safe to show.
//!
//! Reasons, context, messages and command output quote what files, branches, plans, tasks and hooks say. Such a text can
//! hold an escape sequence for the terminal, an override of the writing direction, letters that only a model sees
//! reads, or a line break that makes one line look like two. Every character of that kind becomes a visible escape
//! (`\n`, `\u{202e}`); everything else stays as it is, so that paths and names in any script can be copied.
//!
//! | function | for | delimiters |
//! |---|---|---|
//! | [`one_line`] | a value within a sentence | none: the sentence says where it ends |
//! | [`quoted`] | a value in backticks | a backtick inside becomes `\u{60}` |
//! | [`block`] | a text with lines of its own | none |
//! | [`enclosed`] | such a text between tags | a tag of the same name inside becomes `\u{3c}name` |
//!
//! A backslash is not escaped: a text that holds the two characters `\n` looks like one that holds a line break, which
//! steers nothing, and Windows paths stay readable.

use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A text on one line: line breaks, tabs, control characters and invisible characters are escaped.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// A text with its lines: like [`one_line`], but `\n` and tabs stay, and `\r\n` is `\n`.
#[must_use]
pub fn block(text: &str) -> Cow<'_, str> {
    let keeps = |c: char| matches!(c, '\n' | '\t');
    if text.contains("\r\n") {
        return Cow::Owned(escape(&text.replace("\r\n", "\n"), keeps).into_owned());
    }
    escape(text, keeps)
}

/// A text on one line in backticks, which it cannot close.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("`{}`", one_line(text).replace('`', r"\u{60}"))
}

/// A [`block`] between `<name>` and `</name>`, on lines of their own, which it can neither open nor close.
#[must_use]
pub fn enclosed(name: &str, text: &str) -> String {
    let text = block(text);
    let mut inner = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some((before, after)) = rest.split_once('<') {
        inner.push_str(before);
        inner.push_str(if is_tag(after, name) { r"\u{3c}" } else { "<" });
        rest = after;
    }
    inner.push_str(rest);
    format!("<{name}>\n{}\n</{name}>", inner.trim_end_matches('\n'))
}

/// Whether what follows a `<` is a tag of this name, however it is spaced and spelled.
fn is_tag(after: &str, name: &str) -> bool {
    let after = after.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
    after.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// Whether a character steers a terminal or a reader instead of being read: control characters, line and paragraph
/// separators, directions of writing, and what is never drawn (zero widths, fillers, Unicode tags, variation selectors).
#[must_use]
pub fn steers(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

/// Unicode's `Default_Ignorable_Code_Point`, the separators of lines and paragraphs, and interlinear annotations.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether a character joins or dresses the one before it: zero-width joiner and non-joiner, text and emoji style. One
/// behind something visible belongs to ordinary writing (👩‍💻, ✔️, Persian); a row of them can only carry a message.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

fn escape(text: &str, keeps: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Almost every text is ASCII, of which only controls steer.
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) || (byte.is_ascii() && keeps(char::from(byte)));
    if text.bytes().all(plain) || !text.chars().any(|c| steers(c) && !keeps(c)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    // An emoji has its style and is then joined to the next one: two joiners in a row, and no more.
    let mut joiners_left = 0;
    for c in text.chars() {
        let joins = is_joiner(c) && joiners_left > 0;
        if joins || keeps(c) || !steers(c) {
            safe.push(c);
        } else {
            push_escape(&mut safe, c);
        }
        joiners_left = match c {
            _ if joins => joiners_left - 1,
            _ if steers(c) || c.is_whitespace() => 0,
            _ => 2,
        };
    }
    Cow::Owned(safe)
}

fn push_escape(text: &mut String, c: char) {
    match c {
        '\n' => text.push_str(r"\n"),
        '\r' => text.push_str(r"\r"),
        '\t' => text.push_str(r"\t"),
        other => {
            // Writing into a text cannot fail.
            let _ = write!(text, "\\u{{{:x}}}", u32::from(other));
        }
    }
}

/// What a JSON value is, for a sentence that expected another kind.
#[must_use]
pub fn kind_of_json(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_steers_is_escaped_and_what_is_read_stays() {
        let cases = [
            ("", ""),
            ("src/a b.rs", "src/a b.rs"),
            (r"C:\new\table", r"C:\new\table"),
            ("Größe, 日本語, العربية, `code`, \"quotes\"", "Größe, 日本語, العربية, `code`, \"quotes\""),
            ("a\nb", r"a\nb"),
            ("a\r\nb\tc", r"a\r\nb\tc"),
            ("\u{1b}[31mred\u{7}", r"\u{1b}[31mred\u{7}"),
            ("\u{9b}1m\u{7f}\0", r"\u{9b}1m\u{7f}\u{0}"),
            ("safe\u{202e}exe.txt\u{202c}", r"safe\u{202e}exe.txt\u{202c}"),
            ("\u{2066}x\u{2069}\u{61c}\u{200e}", r"\u{2066}x\u{2069}\u{61c}\u{200e}"),
            ("a\u{2028}b\u{2029}c\u{85}d", r"a\u{2028}b\u{2029}c\u{85}d"),
            ("x\u{e0069}\u{e0067}\u{e007f}", r"x\u{e0069}\u{e0067}\u{e007f}"),
            ("zero\u{200b}width\u{feff}", r"zero\u{200b}width\u{feff}"),
            ("x\u{e0100}\u{e0101}", r"x\u{e0100}\u{e0101}"),
            // Ordinary writing has joiners, hidden messages are made of nothing else.
            ("👩\u{200d}💻 ✔\u{fe0f} ❤\u{fe0f}\u{200d}🔥", "👩\u{200d}💻 ✔\u{fe0f} ❤\u{fe0f}\u{200d}🔥"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("a\u{200d}\u{200c}\u{200d}\u{200c}", "a\u{200d}\u{200c}\\u{200d}\\u{200c}"),
            ("\u{200d}a \u{200d}b", r"\u{200d}a \u{200d}b"),
        ];
        for (text, expected) in cases {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_block_keeps_its_lines_and_nothing_else() {
        for (text, expected) in [
            ("a\nb\tc", "a\nb\tc"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\rb", r"a\rb"),
            ("a\n\u{1b}[2Jb\u{2028}", "a\n\\u{1b}[2Jb\\u{2028}"),
        ] {
            assert_eq!(block(text), expected, "{text:?}");
        }
    }

    #[test]
    fn quotes_and_tags_cannot_be_closed_from_inside() {
        assert_eq!(quoted("a` and `b\n"), r"`a\u{60} and \u{60}b\n`");
        for (text, inner) in [
            ("plain\n", "plain"),
            ("a < b, <b>", "a < b, <b>"),
            ("</note>", r"\u{3c}/note>"),
            ("< / NOTE >x<note a=1>", r"\u{3c} / NOTE >x\u{3c}note a=1>"),
            ("<\u{200b}/note>", r"<\u{200b}/note>"),
        ] {
            assert_eq!(enclosed("note", text), format!("<note>\n{inner}\n</note>"), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_steers_comes_through(text in any::<String>()) {
            let line = one_line(&text);
            prop_assert!(line.chars().all(|c| !steers(c) || is_joiner(c)), "{line:?}");
            prop_assert!(block(&text).chars().all(|c| !steers(c) || is_joiner(c) || matches!(c, '\n' | '\t')));
            prop_assert_eq!(one_line(&line), line.clone(), "safe text stays as it is");
        }
    }
}
