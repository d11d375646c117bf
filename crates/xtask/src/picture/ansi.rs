//! Text with colours, as a terminal gets it.

/// The eight colours of a terminal that hookrail uses, and the usual one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Colour {
    #[default]
    Usual,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TextStyle {
    pub colour: Colour,
    pub bold: bool,
    pub dim: bool,
}

/// A piece of a line that looks the same throughout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The column it begins in, from 0.
    pub column: usize,
    pub text: String,
    pub look: TextStyle,
}

/// The pieces of a line. Sequences other than colours are left out.
pub(super) fn spans(line: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let (mut look, mut column) = (TextStyle::default(), 0);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if let Some((codes, behind)) = sequence(rest) {
            look = codes.split(';').fold(look, TextStyle::after);
            rest = behind;
            continue;
        }
        match spans.last_mut() {
            Some(span) if span.look == look => span.text.push(c),
            _ => spans.push(Span { column, text: c.to_string(), look }),
        }
        column += 1;
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    spans
}

/// The line without its colours.
pub(super) fn plain(line: &str) -> String {
    spans(line).into_iter().map(|span| span.text).collect()
}

/// The codes of a colour sequence at the beginning of a text, and what stands behind it.
fn sequence(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("\u{1b}[")?.split_once('m')
}

impl TextStyle {
    fn after(self, code: &str) -> Self {
        let coloured = |colour| Self { colour, ..self };
        match code {
            "" | "0" => Self::default(),
            "1" => Self { bold: true, ..self },
            "2" => Self { dim: true, ..self },
            "22" => Self { bold: false, dim: false, ..self },
            "31" => coloured(Colour::Red),
            "32" => coloured(Colour::Green),
            "33" => coloured(Colour::Yellow),
            "34" => coloured(Colour::Blue),
            "35" => coloured(Colour::Magenta),
            "36" => coloured(Colour::Cyan),
            "39" => coloured(Colour::Usual),
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_falls_into_pieces_where_its_look_changes() {
        let line = "a \u{1b}[31m\u{1b}[1mno\u{1b}[0m\u{1b}[0m \u{1b}[2m5 µs\u{1b}[0m";
        let red = TextStyle { colour: Colour::Red, bold: true, dim: false };
        let dim = TextStyle { dim: true, ..TextStyle::default() };
        let span = |column, text: &str, look| Span { column, text: text.to_owned(), look };
        let expected = [
            span(0, "a ", TextStyle::default()),
            span(2, "no", red),
            span(4, " ", TextStyle::default()),
            span(5, "5 µs", dim),
        ];
        assert_eq!(spans(line), expected);
        assert_eq!(plain(line), "a no 5 µs");
    }

    #[test]
    fn colours_end_where_the_terminal_would_end_them() {
        let looks: Vec<TextStyle> = spans("\u{1b}[1;36mx\u{1b}[39my\u{1b}[22mz").iter().map(|span| span.look).collect();
        let bold = TextStyle { bold: true, ..TextStyle::default() };
        assert_eq!(looks, [TextStyle { colour: Colour::Cyan, ..bold }, bold, TextStyle::default()]);
    }
}
