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
    // Only text can be cut without being taken apart; other names are rare.
    let (Some(text), Some(above)) = (path.to_str(), folder.to_str()) else { return path.strip_prefix(folder).ok() };
    let rest = text.strip_prefix(above)?;
    if rest.is_empty() || above.is_empty() || above.ends_with('/') {
        return Some(Path::new(rest));
    }
    rest.strip_prefix('/').map(Path::new)
}

/// The folder around a tidy path; `None` for the root and for a single name.
#[must_use]
pub fn folder_of(path: &Path) -> Option<&Path> {
    let Some(text) = path.to_str() else { return path.parent() };
    match text.rsplit_once('/')? {
        (_, "") => None,
        ("", _) => Some(Path::new("/")),
        (folder, _) => Some(Path::new(folder)),
    }
}

/// The last part of a tidy path, as text; empty if it has none or is no text.
#[must_use]
pub fn name_of(path: &Path) -> &str {
    let last = path.to_str().and_then(|text| text.trim_end_matches('/').rsplit('/').next());
    last.filter(|name| !matches!(*name, "." | "..")).unwrap_or_default()
}

/// The parts of a tidy path, as texts. A part that is no text is left out.
pub fn names(path: &Path) -> impl Iterator<Item = &str> + Clone {
    let parts = bytes(path).split(|byte| *byte == b'/');
    parts.filter(|part| !matches!(*part, b"" | b"." | b"..")).filter_map(|part| str::from_utf8(part).ok())
}

/// Whether an absolute path is tidy already.
#[must_use]
pub fn is_tidy(path: &Path) -> bool {
    let path = bytes(path);
    let part = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
    path == b"/" || path.strip_prefix(b"/").is_some_and(|rest| rest.split(|byte| *byte == b'/').all(part))
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
}
