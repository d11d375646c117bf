use super::text::{columns, harmless, one_line};
use annotate_snippets::{AnnotationKind, Group, Renderer};
use hookrail_core::display::steers;
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Warning,
    Error,
}

/// Something said about a place in a file, with the line shown and the place marked.
#[derive(Clone, Debug)]
pub struct Snippet<'a> {
    pub level: Level,
    /// A stable name for this kind of finding.
    pub code: Option<&'a str>,
    pub message: &'a str,
    pub file: &'a str,
    /// The content of the file.
    pub source: &'a str,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// How many characters are marked; 0 marks the word that begins there.
    pub length: usize,
    /// What to do.
    pub hint: Option<&'a str>,
}

impl Snippet<'_> {
    fn render(&self, renderer: &Renderer) -> String {
        use annotate_snippets::Level as Style;
        let level = match self.level {
            Level::Warning => Style::WARNING,
            Level::Error => Style::ERROR,
        };
        let message = one_line(self.message);
        let mut title = level.primary_title(&message);
        if let Some(code) = self.code {
            title = title.id(code);
        }
        let line = self.source.lines().nth(self.line.saturating_sub(1)).unwrap_or_default();
        // One character for one, so that columns stay what they are.
        let line: String = line.chars().map(|c| if steers(c) && c != '\t' { '\u{fffd}' } else { c }).collect();
        let file = one_line(self.file);
        let shown = annotate_snippets::Snippet::source(&line)
            .path(&file)
            .line_start(self.line.max(1))
            .annotation(AnnotationKind::Primary.span(self.marked(&line)));
        let mut group: Group<'_> = title.element(shown);
        let hint = self.hint.map(harmless);
        if let Some(hint) = &hint {
            group = group.element(Style::HELP.message(hint));
        }
        renderer.render(&[group])
    }

    /// The bytes of the line that are marked.
    fn marked(&self, line: &str) -> std::ops::Range<usize> {
        let offset = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        let from = offset(self.column.saturating_sub(1));
        let rest = line.get(from..).unwrap_or_default();
        let word = rest.find(|c: char| !(c.is_alphanumeric() || "_-./\"".contains(c))).unwrap_or(rest.len());
        let to = if self.length == 0 { from + word } else { offset(self.column.saturating_sub(1) + self.length) };
        from..to.max(from)
    }
}

impl fmt::Display for Snippet<'_> {
    /// Coloured; print it through `anstream`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Renderer::styled().term_width(columns())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_shown_and_the_place_is_marked() {
        let snippet = Snippet {
            level: Level::Error,
            code: Some("unknown-key"),
            message: "unknown key `mdoe`",
            file: "hookrail.toml",
            source: "[packs.fsm]\nmdoe = \"warn\"\n",
            line: 2,
            column: 1,
            length: 0,
            hint: Some("did you mean `mode`?"),
        };
        let expected = "error[unknown-key]: unknown key `mdoe`\n \
                        --> hookrail.toml:2:1\n  \
                        |\n\
                        2 | mdoe = \"warn\"\n  \
                        | ^^^^\n  \
                        |\n  \
                        = help: did you mean `mode`?";
        assert_eq!(snippet.render(&Renderer::plain().term_width(80)), expected);
    }

    #[test]
    fn a_place_outside_the_file_is_no_reason_to_fail() {
        let snippet = Snippet {
            level: Level::Warning,
            code: None,
            message: "odd",
            file: "x",
            source: "",
            line: 9,
            column: 9,
            length: 9,
            hint: None,
        };
        assert!(snippet.render(&Renderer::plain()).contains("x:9:"));
    }
}
