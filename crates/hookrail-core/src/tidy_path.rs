//! Comparing paths that are spelled in one way only.
//!
//! `Path` takes paths apart at every comparison, which is most of the time of a guard that knows a hundred of them. Tidy paths
//! (without `.`, `..`, empty parts and a slash at the end) are the same if their bytes are.

use std::path::Path;

/// Whether a tidy path is `folder` or somewhere below it.
#[must_use]
pub fn is_within(path: &Path, folder: &Path) -> bool {
    let folder = bytes(folder);
    let Some(rest) = bytes(path).strip_prefix(folder) else { return false };
    rest.is_empty() || folder.is_empty() || folder.ends_with(b"/") || rest.starts_with(b"/")
}

/// Whether two tidy paths are one.
#[must_use]
pub fn is_same(one: &Path, other: &Path) -> bool {
    bytes(one) == bytes(other)
}

/// What a tidy path has below a tidy folder; empty for the folder itself.
#[must_use]
pub fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    let above = bytes(folder);
    let rest = bytes(path).strip_prefix(above)?;
    let is_whole = rest.is_empty() || above.is_empty() || above.ends_with(b"/");
    let rest = if is_whole { rest } else { rest.strip_prefix(b"/")? };
    as_path(rest).or_else(|| path.strip_prefix(folder).ok())
}

/// The folder around a tidy path; `None` for the root and for a single name.
#[must_use]
pub fn folder_of(path: &Path) -> Option<&Path> {
    let whole = bytes(path);
    let slash = whole.iter().rposition(|byte| *byte == b'/')?;
    if slash + 1 == whole.len() {
        return None;
    }
    as_path(whole.get(..slash.max(1))?).or_else(|| path.parent())
}

/// The last part of a tidy path, as text; empty if it has none or is no text.
#[must_use]
pub fn name_of(path: &Path) -> &str {
    let whole = bytes(path);
    let end = whole.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let whole = whole.get(..end).unwrap_or_default();
    let start = whole.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let last = str::from_utf8(whole.get(start..).unwrap_or_default());
    last.ok().filter(|name| !matches!(*name, "." | "..")).unwrap_or_default()
}

/// The parts of a tidy path.
pub fn parts(path: &Path) -> impl Iterator<Item = &[u8]> + Clone {
    bytes(path).split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b"." | b".."))
}

/// The parts of a tidy path, as texts. A part that is no text is left out.
pub fn names(path: &Path) -> impl Iterator<Item = &str> + Clone {
    parts(path).filter_map(|part| str::from_utf8(part).ok())
}

/// Whether an absolute path is tidy already.
#[must_use]
pub fn is_tidy(path: &Path) -> bool {
    let path = bytes(path);
    let Some(rest) = path.strip_prefix(b"/") else { return false };
    // Names that begin with a dot are looked at one by one.
    let part = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
    rest.is_empty() || !rest.ends_with(b"/") && (is_plain(path) || rest.split(|byte| *byte == b'/').all(part))
}

/// Whether no slash has a slash or a dot behind it, eight bytes at a time. That one has is said too often, but never too rarely.
fn is_plain(path: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    const SLASHES: u64 = ONES * b'/' as u64;
    // A byte that is zero gets its highest bit.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let (words, rest) = path.as_chunks::<8>();
    let last = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let (mut doubt, mut before) = (0, 0);
    for word in words.iter().map(|word| u64::from_le_bytes(*word)).chain([last]) {
        let slashes = zeros(word ^ SLASHES);
        // A dot and a slash differ in the lowest bit.
        doubt |= (slashes << 8 | before) & zeros((word | ONES) ^ SLASHES);
        before = slashes >> 56;
    }
    doubt == 0
}

/// Whether a tidy path is `end` or ends with the parts of it.
#[must_use]
pub fn ends_as(path: &Path, end: &str) -> bool {
    bytes(path).strip_suffix(end.as_bytes()).is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
}

/// A part of a path as a path. Only text can be cut everywhere; other names are rare.
#[cfg(not(unix))]
fn as_path(bytes: &[u8]) -> Option<&Path> {
    str::from_utf8(bytes).ok().map(Path::new)
}

#[cfg(unix)]
fn as_path(bytes: &[u8]) -> Option<&Path> {
    Some(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)))
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_within_a_folder_as_the_standard_library_says() {
        let paths = ["/", "/a", "/a/b", "/a/b/c", "/a/bc", "/ab", "a", "a/b", "", "/ä/b", "/ä"];
        for path in paths.map(Path::new) {
            for folder in paths.map(Path::new) {
                assert_eq!(is_within(path, folder), path.starts_with(folder), "{path:?} in {folder:?}");
                assert_eq!(is_same(path, folder), path == folder, "{path:?} and {folder:?}");
                assert_eq!(below(path, folder), path.strip_prefix(folder).ok(), "{path:?} below {folder:?}");
            }
        }
    }

    #[test]
    fn the_parts_of_a_path_are_those_of_the_standard_library() {
        for path in ["/", "/a", "/a/b.rs", "a/b", "", "/ä/..b", "x", "/a/b/", "/a/./b/.."].map(Path::new) {
            let parts = path.components().filter(|part| matches!(part, std::path::Component::Normal(_)));
            let expected: Vec<&str> = parts.filter_map(|part| part.as_os_str().to_str()).collect();
            assert_eq!(names(path).collect::<Vec<_>>(), expected, "{path:?}");
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            assert_eq!(name_of(path), name, "{path:?}");
        }
    }

    #[test]
    fn the_folder_of_a_path_is_its_parent() {
        for (path, expected) in [("/", None), ("/a", Some("/")), ("/a/b", Some("/a")), ("a", None), ("a/b", Some("a"))]
        {
            assert_eq!(folder_of(Path::new(path)), expected.map(Path::new), "{path}");
        }
    }

    #[test]
    fn a_tidy_path_has_neither_dots_nor_empty_parts() {
        for (path, expected) in [
            ("/", true),
            ("/a/b", true),
            ("/a/.b/..c", true),
            ("/.a", true),
            ("/a.", true),
            ("/.", false),
            ("/a/.", false),
            ("/.a/../b", false),
            ("/one/longer/path/of/many/parts/that/are/compared/at/once/./x", false),
            ("/a/", false),
            ("//a", false),
            ("/a//b", false),
            ("/a/./b", false),
            ("/a/..", false),
            ("a", false),
            ("", false),
        ] {
            assert_eq!(is_tidy(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_path_is_tidy_wherever_its_slashes_and_dots_are() {
        let signs = [b'/', b'.', b'0', 0xff];
        for (number, before) in (0..4_usize.pow(5)).flat_map(|number| (0..16).map(move |before| (number, before))) {
            let mut path = vec![b'/'];
            path.extend(std::iter::repeat_n(b'a', before));
            path.extend((0..5).map(|digit| signs[number / 4_usize.pow(digit) % 4]));
            let expected = path.len() == 1
                || path[1..].split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."));
            assert_eq!(is_tidy(as_path(&path).unwrap()), expected, "{}", path.escape_ascii());
        }
    }

    #[test]
    fn a_path_ends_as_the_standard_library_says() {
        let paths = ["/a/b/c.json", "b/c.json", "c.json", "/ab/c.json", "/c.json", "/b/c.jso", "/"];
        for path in paths.map(Path::new) {
            for end in ["b/c.json", "c.json", "json"] {
                assert_eq!(ends_as(path, end), path.ends_with(end), "{path:?} {end}");
            }
        }
    }
}
