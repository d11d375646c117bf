//! The patch text of `apply_patch`.

use std::collections::HashSet;

const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Every path a patch adds, changes, deletes or moves a file to, in order, each once.
///
/// Agents forgive white space around a header, so it is forgiven here: a path too many is safer than one too few.
pub(crate) fn paths(patch: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    patch.lines().filter_map(header_path).filter(|path| seen.insert(*path)).map(str::to_owned).collect()
}

fn header_path(line: &str) -> Option<&str> {
    let line = line.trim();
    let path = HEADERS.iter().find_map(|header| line.strip_prefix(header))?.trim();
    (!path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::paths;

    fn check(patch: &str, expected: &[&str]) {
        assert_eq!(paths(patch), expected, "{patch}");
    }

    #[test]
    fn every_path_a_patch_names_is_found_once() {
        check("*** Begin Patch\n*** Add File: out.txt\n+x\n*** End Patch\n", &["out.txt"]);
        check(
            "*** Begin Patch\n*** Update File: a/b.rs\n*** Move to: a/c.rs\n@@\n-x\n+y\n*** Delete File: old name.md\n*** End Patch",
            &["a/b.rs", "a/c.rs", "old name.md"],
        );
        check("*** Update File: same\n@@\n+1\n*** Update File: same\n@@\n+2", &["same"]);
        check("  *** Add File:   padded.txt  \r\n+x\r\n", &["padded.txt"]);
    }

    #[test]
    fn content_that_looks_like_a_header_is_content() {
        check("*** Add File: notes.md\n+*** Add File: quoted.md\n-*** Delete File: quoted.md", &["notes.md"]);
        check("*** Add File: \n*** Add File:no-space\n--- a/x\n+++ b/x", &[]);
        check("", &[]);
    }
}
