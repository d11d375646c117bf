//! Files that a text names.

use super::project::stays_inside;
use std::path::Path;

/// More than one task ever names.
const MOST: usize = 20;

/// The paths in a text, relative to the project: what stands in backticks and looks like a file, and bare words with both a
/// folder and an ending. `e.g.`, `a/b`, URLs, patterns and calls are none.
pub(super) fn named_files(text: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for (index, piece) in text.split('`').enumerate() {
        let in_backticks = index % 2 == 1;
        let found: Vec<&str> = if in_backticks {
            Some(piece.trim()).filter(|piece| is_file(piece)).into_iter().collect()
        } else {
            let words = piece.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | '\''));
            let words = words.map(|word| word.trim_end_matches(['.', ':', '!', '?']));
            words.filter(|word| word.contains('/') && is_file(word)).collect()
        };
        for file in found {
            if files.len() < MOST && !files.iter().any(|known| known == file) {
                files.push(file.to_owned());
            }
        }
    }
    files
}

fn is_file(word: &str) -> bool {
    let path = Path::new(word);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let plausible = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@');
    let named = word.contains('/') || path.file_stem().is_some_and(|stem| stem.len() >= 2);
    let ends = (1..=8).contains(&ending.len()) && ending.starts_with(|c: char| c.is_ascii_alphabetic());
    named && ends && word.chars().all(plausible) && stays_inside(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_something_that_looks_like_a_path() {
        for (text, expected) in [
            ("Create `hooks/hooks.json` and `README.md`", &["hooks/hooks.json", "README.md"][..]),
            ("Write src/lexer.rs, then src/parser.rs.", &["src/lexer.rs", "src/parser.rs"]),
            ("Twice: `a/b.rs` and `a/b.rs`", &["a/b.rs"]),
            ("e.g. this and/or that, see https://x.org/a.html", &[]),
            ("`cargo test`, `Foo::bar()`, `*.rs`, `../x.rs`, `/etc/passwd.d`, `v1.2`", &[]),
            ("bare lexer.rs without a folder", &[]),
            ("", &[]),
        ] {
            assert_eq!(named_files(text), expected, "{text}");
        }
    }
}
