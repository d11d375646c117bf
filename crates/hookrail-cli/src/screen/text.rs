use hookrail_core::display;
use std::time::Duration;
use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthStr;

/// For output that goes to a file or a pipe.
const USUAL_COLUMNS: usize = 80;
/// Narrower than this nothing can be laid out.
const LEAST_COLUMNS: usize = 40;

/// How wide a line may be: as wide as the terminal, or as `COLUMNS` says.
#[expect(clippy::disallowed_methods, reason = "how wide the screen is comes from the terminal of this process")]
pub fn columns() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| usize::from(columns));
    asked.or_else(seen).unwrap_or(USUAL_COLUMNS).max(LEAST_COLUMNS)
}

/// A text of others in a place for one line: its lines follow each other, and what else steers is escaped.
pub fn one_line(text: &str) -> String {
    let flat = text.replace("\r\n", " ").replace(['\n', '\t'], " ");
    display::one_line(&flat).into_owned()
}

/// The lines of a text, none of which can steer the terminal.
pub fn harmless(text: &str) -> String {
    display::block(text).trim_end_matches('\n').to_owned()
}

/// How many columns a text takes; colours take none.
pub fn visible_width(text: &str) -> usize {
    anstream::adapter::strip_str(text).map(UnicodeWidthStr::width).sum()
}

/// Breaks a text between words so that no line is wider than `columns`, if words allow.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        // What fits stays as it is laid out: it may be a line with something underlined in it.
        if visible_width(paragraph) <= columns {
            lines.push(paragraph.trim_end().to_owned());
            continue;
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && visible_width(&line) + 1 + visible_width(word) > columns {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// Breaks a text as [`wrap`] does, but for lines that begin with two spaces: those show something in its own layout, such as
/// a command with a part underlined, and are cut instead.
pub fn wrap_around_layout(text: &str, columns: usize) -> Vec<String> {
    let line = |line: &str| match line.starts_with("  ") {
        true => vec![shorten(line, columns)],
        false => wrap(line, columns),
    };
    text.lines().flat_map(line).collect()
}

/// A text that takes at most so many columns; one that is cut ends in `…`.
pub fn shorten(text: &str, columns: usize) -> String {
    if visible_width(text) <= columns {
        return text.to_owned();
    }
    let (mut kept, mut width) = (String::new(), 0);
    for c in text.chars() {
        width += UnicodeWidthStr::width(c.encode_utf8(&mut [0; 4]) as &str);
        if width + 1 > columns {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

/// A bar for `value` where `most` is `columns` wide; anything above nothing is visible.
pub fn bar(value: u64, most: u64, columns: usize) -> String {
    let eighths = (value.saturating_mul(columns as u64 * 8)).div_ceil(most.max(1)).min(columns as u64 * 8);
    let (full, rest) = (usize::try_from(eighths / 8).unwrap_or_default(), eighths % 8);
    let tip = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].get(usize::try_from(rest).unwrap_or_default());
    format!("{}{}", "█".repeat(full), tip.copied().unwrap_or_default())
}

/// A time as people read it: `85 µs`, `1.2 ms`, `3.4 s`.
pub fn duration(time: Duration) -> String {
    match time.as_micros() {
        micros @ 0..1_000 => format!("{micros} µs"),
        micros @ 1_000..1_000_000 => format!("{:.1} ms", micros as f64 / 1e3),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// The `s` of a plural.
pub fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_underlined_stays_above_its_line() {
        let text = "a rule denies this\n  rm -rf  ~/x\n          ^^^ home\nInstead: more words";
        let expected = ["a rule", "denies this", "  rm -rf  ~…", "          ^…", "Instead:", "more words"];
        assert_eq!(wrap_around_layout(text, 12), expected);
    }

    #[test]
    fn hostile_text_becomes_one_harmless_line() {
        assert_eq!(one_line("a\x1b[31m\nb\u{202e}c"), r"a\u{1b}[31m b\u{202e}c");
        assert_eq!(harmless("a\x1b[31m\nb\u{202e}c\n"), "a\\u{1b}[31m\nb\\u{202e}c");
    }

    #[test]
    fn lines_are_broken_between_words() {
        for (text, expected) in [
            ("one two three", vec!["one two", "three"]),
            ("one\n\ntwo", vec!["one", "", "two"]),
            ("unbreakable", vec!["unbreakable"]),
        ] {
            assert_eq!(wrap(text, 8), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_the_width_of_its_place() {
        for (text, expected) in
            [("short", "short"), ("12345678", "12345678"), ("123456789", "1234567…"), ("漢字漢字漢", "漢字漢…")]
        {
            assert_eq!(shorten(text, 8), expected);
        }
    }

    #[test]
    fn a_bar_is_as_long_as_its_share_and_never_invisible() {
        for (value, expected) in [(0, ""), (1, "▏"), (500, "██"), (1000, "████"), (9999, "████")]
        {
            assert_eq!(bar(value, 1000, 4), expected, "{value}");
        }
    }

    #[test]
    fn times_have_the_unit_people_would_choose() {
        for (micros, expected) in [(85, "85 µs"), (1_234, "1.2 ms"), (3_400_000, "3.4 s")] {
            assert_eq!(duration(Duration::from_micros(micros)), expected);
        }
    }
}
