//! The single commands of a command line, word for word.

use hookrail_effects::Span;
use hookrail_shell::Node;
use hookrail_shell::ast::{CommandKind, Word};
use hookrail_shell::parse;

/// The single commands of a command line.
#[derive(Debug)]
pub(crate) struct Commands(Vec<Single>);

#[derive(Debug)]
struct Single {
    span: Span,
    /// Its words, with a space between them; `None` if something else decides what they do.
    words: Option<String>,
    redirects: Vec<Span>,
}

impl Commands {
    pub(crate) fn of(text: &str) -> Self {
        let script = parse(text);
        let mut found = Vec::new();
        script.for_each(|node| {
            let Node::Command(command) = node else { return };
            let CommandKind::Simple(simple) = &command.kind else { return };
            let word = |word: &Word<'_>| {
                word.literal().map_or_else(|| word.span.of(text).to_owned(), |text| text.into_owned())
            };
            let words: Vec<String> = simple.words.iter().map(word).collect();
            // `RUSTC=x cargo build` is not `cargo build`.
            let plain = simple.assignments.is_empty() && !words.is_empty();
            found.push(Single {
                span: command.span,
                words: plain.then(|| words.join(" ")),
                redirects: command.redirects.iter().map(|redirect| redirect.span).collect(),
            });
        });
        Self(found)
    }

    /// The innermost command around a part of the text. What it is redirected to is not what it does.
    pub(crate) fn around(&self, span: Span) -> Option<&str> {
        let contains = |outer: Span| outer.start <= span.start && span.end <= outer.end && span.start < span.end;
        let around = self.0.iter().filter(|single| contains(single.span));
        let innermost = around.min_by_key(|single| single.span.end - single.span.start)?;
        let redirected = innermost.redirects.iter().any(|redirect| contains(*redirect));
        innermost.words.as_deref().filter(|_| !redirected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_belongs_to_the_command_around_it_unless_it_is_redirected() {
        for (text, part, expected) in [
            ("cargo test --all", "cargo test --all", Some("cargo test --all")),
            ("cd x && 'cargo'  test", "'cargo'  test", Some("cargo test")),
            ("cargo test $(rm x)", "x", Some("rm x")),
            ("cargo test > out.log", "out.log", None),
            ("cargo test > $(rm x)", "x", Some("rm x")),
            ("RUSTC=evil cargo test", "cargo test", None),
            ("for f in a; do cargo test \"$f\"; done", "cargo", Some("cargo test \"$f\"")),
        ] {
            let start = text.find(part).unwrap();
            let span = Span { start, end: start + part.len() };
            assert_eq!(Commands::of(text).around(span), expected, "{text}");
        }
    }
}
