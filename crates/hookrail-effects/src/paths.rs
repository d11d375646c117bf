//! Paths by their text alone.

use hookrail_core::tidy_path::{is_tidy, is_within};
pub(crate) use hookrail_core::tidy_path::{name_of, names};
use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`.
#[must_use]
pub(crate) fn tidy(path: impl AsRef<Path> + Into<PathBuf>) -> PathBuf {
    if is_tidy(path.as_ref()) {
        return path.into();
    }
    let path = path.as_ref();
    let mut tidy = PathBuf::with_capacity(path.as_os_str().len());
    for component in path.components() {
        match component {
            Component::ParentDir => {
                tidy.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => tidy.push(component),
        }
    }
    tidy
}

/// What a name in a folder leads to, or an absolute path: both are written once, where `Path::join` copies the folder first.
pub(crate) fn joined(folder: &Path, name: impl AsRef<Path>) -> PathBuf {
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + 1 + name.as_ref().as_os_str().len());
    path.push(folder);
    path.push(name);
    tidy(path)
}

/// Whether a path or a pattern is one of these folders or below one.
pub(crate) fn is_within_any(path: &Path, folders: &[&str]) -> bool {
    folders.iter().any(|folder| is_within(path, Path::new(folder)))
}

/// Whether a shell pattern matches a text: `*`, `?`, `[…]`. Linear but for the last star, which is the only one that is
/// ever tried again.
#[must_use]
pub fn matches_glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p + 1, t));
                p += 1;
                continue;
            }
            Some(b'?') => {
                p += 1;
                t += 1;
                continue;
            }
            Some(b'[') => {
                let byte = text.get(t).copied().unwrap_or_default();
                // A bracket that is not closed stands for itself.
                let (next, matches) = class(pattern, p, byte).unwrap_or((p + 1, byte == b'['));
                if matches {
                    p = next;
                    t += 1;
                    continue;
                }
            }
            Some(byte) if Some(byte) == text.get(t) => {
                p += 1;
                t += 1;
                continue;
            }
            _ => {}
        }
        let Some((star, from)) = retry else { return false };
        retry = Some((star, from + 1));
        (p, t) = (star, from + 1);
    }
    pattern.get(p..).is_none_or(|rest| rest.iter().all(|byte| *byte == b'*'))
}

/// Whether the bracket at `at` holds a byte, and where it ends.
fn class(pattern: &[u8], at: usize, byte: u8) -> Option<(usize, bool)> {
    let mut i = at + 1;
    let negated = matches!(pattern.get(i), Some(b'!' | b'^'));
    i += usize::from(negated);
    let first = i;
    let mut found = false;
    loop {
        let from = *pattern.get(i)?;
        if from == b']' && i > first {
            return Some((i + 1, found != negated));
        }
        match (pattern.get(i + 1), pattern.get(i + 2)) {
            (Some(b'-'), Some(to)) if *to != b']' => {
                found |= (from..=*to).contains(&byte);
                i += 3;
            }
            _ => {
                found |= from == byte;
                i += 1;
            }
        }
    }
}

/// Whether a component of a pattern matches a name. As in a shell, a star at its start does not stand for the dot of a hidden
/// file; two stars do, and are written where hidden files are meant.
fn matches_name(pattern: &str, name: &str) -> bool {
    let skips_hidden = pattern.starts_with(['*', '?', '[']) && !pattern.starts_with("**");
    !(skips_hidden && name.starts_with('.')) && matches_glob(pattern, name)
}

/// How a pattern concerns a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Concern {
    /// It may name the path.
    Named,
    /// It may name a folder above the path.
    Above,
}

/// A pattern of paths, taken apart once for comparisons with many.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern<'p> {
    /// The names before `**`.
    first: Vec<&'p str>,
    /// Those behind it, if there is one: it stands for any number of names.
    last: Option<Vec<&'p str>>,
}

impl<'p> PathPattern<'p> {
    pub(crate) fn of(pattern: &'p Path) -> Self {
        let mut parts = names(pattern);
        let first = parts.by_ref().take_while(|part| *part != "**").collect();
        let is_deep = names(pattern).any(|part| part == "**");
        Self { first, last: is_deep.then(|| parts.filter(|part| *part != "**").collect()) }
    }

    /// How the pattern concerns a path, of which these are the names.
    pub(crate) fn concerns<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Option<Concern> {
        let mut rest = names.clone();
        if !self.first.iter().all(|pattern| rest.next().is_some_and(|name| matches_name(pattern, name))) {
            return None;
        }
        let Some(last) = &self.last else {
            return Some(if rest.next().is_none() { Concern::Named } else { Concern::Above });
        };
        let names: Vec<&str> = names.collect();
        let ends_at = |end: usize| {
            let part = end.checked_sub(last.len()).and_then(|start| names.get(start..end));
            let matches = |(pattern, name): (&&str, &&str)| *pattern == "*" || matches_name(pattern, name);
            part.is_some_and(|part| last.iter().zip(part).all(matches))
        };
        if ends_at(names.len()) {
            return Some(Concern::Named);
        }
        (0..names.len()).any(ends_at).then_some(Concern::Above)
    }
}

/// The folder that a pattern names before its first wildcard, with the slash behind it. Comparing it as bytes spares most
/// comparisons of names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning<'p>(&'p [u8]);

impl<'p> Beginning<'p> {
    pub(crate) fn of(pattern: &'p Path) -> Self {
        let pattern = pattern.as_os_str().as_encoded_bytes();
        let is_wild = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
        let literal = pattern.iter().position(is_wild).map_or(pattern, |at| pattern.get(..at).unwrap_or_default());
        let folder = literal.iter().rposition(|byte| *byte == b'/').and_then(|slash| literal.get(..=slash));
        Self(folder.unwrap_or_default())
    }

    /// Whether a tidy path can begin like that.
    pub(crate) fn fits(self, path: &Path) -> bool {
        path.as_os_str().as_encoded_bytes().starts_with(self.0)
    }

    /// The same for what is in a tidy folder, without putting names behind it.
    pub(crate) fn within(self, folder: &Path) -> BeginningWithin<'p> {
        let folder = folder.as_os_str().as_encoded_bytes();
        let relative = match self.0.strip_prefix(folder) {
            Some(rest) => Some(rest.strip_prefix(b"/").unwrap_or(rest)),
            None => folder.starts_with(self.0).then_some(&b""[..]),
        };
        BeginningWithin { relative, absolute: self.0 }
    }
}

/// How names in one folder have to begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BeginningWithin<'p> {
    /// None if nothing in the folder does.
    relative: Option<&'p [u8]>,
    absolute: &'p [u8],
}

impl BeginningWithin<'_> {
    /// Whether this tidy name does.
    pub(crate) fn fits(self, name: &str) -> bool {
        let name = name.as_bytes();
        let beginning = if name.first() == Some(&b'/') { Some(self.absolute) } else { self.relative };
        // Most names differ in their first letter, which is compared without a call.
        let is_like = |beginning: &[u8]| name.first() == beginning.first() && name.starts_with(beginning);
        beginning.is_some_and(|beginning| beginning.is_empty() || is_like(beginning))
    }
}

/// Whether a pattern may name a folder or something in it.
pub(crate) fn pattern_names_within(pattern: &Path, folder: &Path) -> bool {
    let (mut left, mut right) = (names(pattern), names(folder));
    loop {
        match (left.next(), right.next()) {
            (_, None) | (Some("**"), _) => return true,
            (Some(pattern), Some(name)) if matches_name(pattern, name) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern_names(pattern: &Path, path: &Path) -> bool {
        PathPattern::of(pattern).concerns(names(path)) == Some(Concern::Named)
    }

    fn pattern_names_above(pattern: &Path, path: &Path) -> bool {
        PathPattern::of(pattern).concerns(names(path)) == Some(Concern::Above)
    }

    #[test]
    fn globs_match_as_in_a_shell() {
        let cases = [
            ("*", "abc", true),
            ("a*c", "abbbc", true),
            ("a*c", "abbb", false),
            ("?b?", "abc", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("*.env*", ".env.local", true),
            ("[]a]", "]", true),
            ("a[", "a[", true),
            ("", "", true),
            ("", "a", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(matches_glob(pattern, text), expected, "{pattern} {text}");
        }
        assert!(!matches_glob(&"a*".repeat(2000), &"a".repeat(1000)));
    }

    #[test]
    fn a_pattern_reaches_into_a_folder_that_its_beginning_names() {
        for (pattern, expected) in [
            ("/p/specs/*/*", true),
            ("/p/*/x/a.md", true),
            ("/p/specs/x", true),
            ("/p/**", true),
            ("/p/specs/y*/a.md", false),
            ("/p/*", false),
        ] {
            assert_eq!(pattern_names_within(Path::new(pattern), Path::new("/p/specs/x")), expected, "{pattern}");
        }
    }

    #[test]
    fn a_star_leaves_hidden_files_alone_and_two_stars_do_not() {
        for (pattern, path, expected) in [
            ("/p/*", "/p/.env", false),
            ("/p/*", "/p/a", true),
            ("/p/.*", "/p/.env", true),
            ("/p/**", "/p/.env", true),
            ("/p/**", "/p/a/b/.env", true),
            ("/p/**/*.ts", "/p/a/b.ts", true),
            ("/p/**/*.ts", "/p/a/b.js", false),
            ("/p/**/.env", "/p/a/.env", true),
            ("/q/**", "/p/a", false),
        ] {
            assert_eq!(pattern_names(Path::new(pattern), Path::new(path)), expected, "{pattern} {path}");
        }
        for (pattern, path, expected) in [
            ("/p/src/*.o", "/p/.claude/settings.json", false),
            ("/p/src/*.o", "/p/src/a.o", true),
            ("/p/src/*.o", "/p//src/a.o", true),
            ("/p/s*/a.o", "/p/src/a.o", true),
            ("/p/src/../x*", "/p/src/../x1", true),
        ] {
            assert_eq!(pattern_names(Path::new(pattern), Path::new(path)), expected, "{pattern} {path}");
        }
        assert!(pattern_names_above(Path::new("/p/**/config"), Path::new("/p/a/config/x/y")));
        assert!(!pattern_names_above(Path::new("/p/*"), Path::new("/p/.claude/settings.json")));
    }

    #[test]
    fn what_a_pattern_begins_with_leaves_out_only_what_it_does_not_name() {
        let patterns = ["/p/src/*.o", "/p/.cl*/settings.json", "/p/*", "/*/x", "/p/.claude/[st]*", "*", "/p/a\\*b"];
        let names = ["a.o", "src/a.o", ".claude/settings.json", ".claude", "/p/.claude/settings.json", "/etc/x", "x"];
        for (pattern, name) in patterns.iter().flat_map(|pattern| names.map(|name| (Path::new(pattern), name))) {
            for folder in ["/p", "/", "/home/me"].map(Path::new) {
                let (beginning, full) = (Beginning::of(pattern), folder.join(name));
                assert_eq!(beginning.within(folder).fits(name), beginning.fits(&full), "{pattern:?} {full:?}");
                let named = pattern_names(pattern, &full) || pattern_names_above(pattern, &full);
                assert!(!named || beginning.fits(&full), "{pattern:?} {full:?}");
            }
        }
        assert!(!Beginning::of(Path::new("/p/src/*.o")).fits(Path::new("/p/a.o")));
    }

    #[test]
    fn paths_are_tidied_by_their_text() {
        for (path, expected) in [("/a/../b/./c", "/b/c"), ("/../x", "/x"), ("/a//b/", "/a/b")] {
            assert_eq!(tidy(Path::new(path)), Path::new(expected));
        }
    }
}
