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
            }
        }
    }
}
