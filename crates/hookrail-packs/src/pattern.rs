//! Path patterns as in `.gitignore`.

use std::path::{Component, Path};

/// One pattern. It matches a path that it describes, and everything below it.
///
/// - `*` and `?` stop at a slash, `[…]` is a set of characters, `**` spans folders;
/// - with a slash at the beginning or inside it is tied to the root, otherwise it matches at any depth;
/// - a slash at the end is allowed and means nothing more: whether a path is a folder does not matter here;
/// - a `!` in front takes back what earlier patterns of a list matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    segments: Vec<Segment>,
    anchored: bool,
    negated: bool,
}

/// What a pattern says about one name of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// `**`: any number of names.
    Span,
    Name(String),
    Glob(Vec<char>),
}

impl Segment {
    fn parse(text: &str) -> Self {
        match text {
            "**" => Self::Span,
            _ if text.contains(['*', '?', '[', '\\']) => Self::Glob(text.chars().collect()),
            _ => Self::Name(text.to_owned()),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Span => true,
            Self::Name(expected) => expected == name,
            Self::Glob(pattern) => matches_name(pattern, &name.chars().collect::<Vec<char>>()),
        }
    }
}

impl PathPattern {
    /// `None` for blank lines and comments.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let (negated, text) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('\\').filter(|rest| rest.starts_with(['!', '#'])).unwrap_or(text)),
        };
        let inner = text.trim_end_matches('/');
        let anchored = inner.contains('/');
        let mut segments: Vec<Segment> =
            inner.split('/').filter(|segment| !segment.is_empty()).map(Segment::parse).collect();
        // Any number of names twice is any number of names.
        segments.dedup_by(|next, last| (&*next, &*last) == (&Segment::Span, &Segment::Span));
        (!segments.is_empty()).then_some(Self { segments, anchored, negated })
    }

    /// Whether the pattern describes `path`, relative to its root, or a folder above it. A `!` is not looked at.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        let parts: Vec<&str> = path
            .components()
            .filter_map(|component| match component {
                Component::Normal(name) => name.to_str(),
                Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
            })
            .collect();
        if self.anchored {
            return matches_from(&self.segments, &parts);
        }
        (0..parts.len()).any(|start| parts.get(start..).is_some_and(|rest| matches_from(&self.segments, rest)))
    }
}

/// Whether a list of patterns matches a path: the last one that says something about it decides.
#[must_use]
pub fn any_matches(patterns: &[PathPattern], path: &Path) -> bool {
    patterns.iter().rev().find(|pattern| pattern.matches(path)).is_some_and(|pattern| !pattern.negated)
}

/// Whether the segments match the beginning of the path, ending at the end of a part. Iterative, with the last `**` as the
/// only place to go back to: what came before it is matched as early as it can be.
fn matches_from(segments: &[Segment], parts: &[&str]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut span: Option<(usize, usize)> = None;
    while let Some(segment) = segments.get(at) {
        // Whoever goes back has even fewer names left.
        let Some(part) = parts.get(position) else {
            return false;
        };
        match (segment, span) {
            (Segment::Span, _) => {
                at += 1;
                span = Some((at, position));
            }
            (segment, _) if segment.matches(part) => {
                at += 1;
                position += 1;
            }
            (_, Some((behind, start))) => {
                span = Some((behind, start + 1));
                (at, position) = (behind, start + 1);
            }
            (_, None) => return false,
        }
    }
    true
}

/// One segment against one name. Iterative, with the last `*` as the only place to go back to, so it is never slow.
fn matches_name(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while position < name.len() {
        match step(pattern, at, name.get(position)) {
            Step::Star => {
                star = Some((at, position));
                at += 1;
            }
            Step::Took(length) => {
                at += length;
                position += 1;
            }
            Step::Failed => {
                let Some((star_at, star_position)) = star else { return false };
                star = Some((star_at, star_position + 1));
                at = star_at + 1;
                position = star_position + 1;
            }
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

enum Step {
    Star,
    /// The character matched a piece of the pattern of this length.
    Took(usize),
    Failed,
}

fn step(pattern: &[char], at: usize, c: Option<&char>) -> Step {
    let (Some(expected), Some(c)) = (pattern.get(at), c) else { return Step::Failed };
    match expected {
        '*' => Step::Star,
        '?' => Step::Took(1),
        '[' => match set(pattern.get(at..).unwrap_or_default(), *c) {
            Some((true, length)) => Step::Took(length),
            Some((false, _)) => Step::Failed,
            // A bracket that is not closed is a bracket.
            None if *c == '[' => Step::Took(1),
            None => Step::Failed,
        },
        '\\' => match pattern.get(at + 1) {
            Some(escaped) if escaped == c => Step::Took(2),
            Some(_) => Step::Failed,
            None if *c == '\\' => Step::Took(1),
            None => Step::Failed,
        },
        expected if expected == c => Step::Took(1),
        _ => Step::Failed,
    }
}

/// Whether `c` is in the set at the beginning of `pattern`, and how long the set is.
fn set(pattern: &[char], c: char) -> Option<(bool, usize)> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    // A closing bracket right at the beginning is a member.
    let end = (start + 1..pattern.len()).find(|index| pattern.get(*index) == Some(&']'))?;
    let members = pattern.get(start..end)?;
    let mut found = false;
    let mut index = 0;
    while let Some(first) = members.get(index) {
        match (members.get(index + 1), members.get(index + 2)) {
            (Some('-'), Some(last)) => {
                found |= (*first..=*last).contains(&c);
                index += 3;
            }
            _ => {
                found |= *first == c;
                index += 1;
            }
        }
    }
    Some((found != negated, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_gitignore() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (".env", &[".env", "a/.env", ".env/x"], &["env", ".envrc", "a.env"]),
            ("*.key", &["a.key", "b/c.key"], &["key", "a.key.txt"]),
            ("/build", &["build", "build/x"], &["a/build"]),
            ("src/*.rs", &["src/a.rs"], &["src/b/a.rs", "x/src/a.rs"]),
            ("src/**", &["src/a", "src/b/c"], &["src", "srcs/a"]),
            ("**/secrets", &["secrets", "a/b/secrets/x"], &["a/secret"]),
            ("a/**/z", &["a/z", "a/b/z", "a/b/c/z/y"], &["a/b", "z"]),
            ("docs/", &["docs/x", "a/docs"], &["doc"]),
            ("file?.txt", &["file1.txt"], &["file.txt", "file12.txt"]),
            ("[a-c]*", &["apple", "x/cat"], &["dog"]),
            ("[!a]x", &["bx"], &["ax"]),
            ("a[b", &["a[b"], &["ab"]),
            (r"\!keep", &["!keep"], &["keep"]),
            (r"star\*", &["star*"], &["starfish"]),
            ("é*", &["étude", "école"], &["ecole"]),
        ];
        for (text, matching, others) in cases {
            let pattern = PathPattern::parse(text).unwrap();
            for path in *matching {
                assert!(pattern.matches(Path::new(path)), "`{text}` must match `{path}`");
            }
            for path in *others {
                assert!(!pattern.matches(Path::new(path)), "`{text}` must not match `{path}`");
            }
        }
    }

    #[test]
    fn the_last_pattern_that_says_something_decides() {
        let list: Vec<PathPattern> = ["# comment", "", "*.toml", "!keep.toml", "keep.toml/x"]
            .iter()
            .filter_map(|text| PathPattern::parse(text))
            .collect();
        assert_eq!(list.len(), 3);
        for (path, expected) in [("a.toml", true), ("keep.toml", false), ("b/keep.toml", false), ("other", false)] {
            assert_eq!(any_matches(&list, Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_hostile_pattern_is_not_slow() {
        let pattern = PathPattern::parse(&"*a".repeat(50)).unwrap();
        assert!(!pattern.matches(Path::new(&"a".repeat(2000).replace('a', "ab"))));
        for pattern in ["**/".repeat(2000) + "z", "**/a/".repeat(500) + "z", "a/".repeat(20_000)] {
            assert!(!PathPattern::parse(&pattern).unwrap().matches(Path::new(&"a/".repeat(5000))));
        }
    }
}
