//! Whether `packed-refs` has a reference. Large repositories have hundreds of thousands of them, in order; so it is searched by halving
//! and not read.

use crate::machine::ReadOnlyWorld;
use std::cmp::Ordering;
use std::path::Path;

/// How much is read at once. More than a line has.
const BLOCK: usize = 8 << 10;
/// A part that is not longer is read whole.
const SMALL: u64 = 32 << 10;

/// Whether the file at `path` names a reference.
pub(crate) fn contains(path: &Path, reference: &str, machine: &dyn ReadOnlyWorld) -> bool {
    let Some((head, size)) = machine.read_part(path, 0, usize::try_from(SMALL).unwrap_or(BLOCK)) else { return false };
    if size <= head.len() as u64 {
        return has_line(&head, reference);
    }
    // Git says whether it wrote them in order.
    let is_sorted = head.split(|byte| *byte == b'\n').next().is_some_and(|line| {
        line.starts_with(b"# pack-refs with:") && line.split(|byte| *byte == b' ').any(|word| word == b"sorted")
    });
    if !is_sorted {
        return machine.read_bytes(path).is_some_and(|bytes| has_line(&bytes, reference));
    }
    search(path, reference, size, machine)
}

/// Halves the part of the file in which the reference must be, until it is small.
fn search(path: &Path, reference: &str, size: u64, machine: &dyn ReadOnlyWorld) -> bool {
    let (mut low, mut high) = (0, size);
    while high - low > SMALL {
        let middle = low + (high - low) / 2;
        let Some((block, _)) = machine.read_part(path, middle, BLOCK) else { return false };
        match first_name(&block).map(|name| name.cmp(reference.as_bytes())) {
            Some(Ordering::Equal) => return true,
            // A line may begin in this block and end behind it, so the part begins where the block does.
            Some(Ordering::Less) => low = middle,
            Some(Ordering::Greater) => high = middle + BLOCK as u64,
            None => return false,
        }
        // A block is less than half of what is left, so this ends.
    }
    let length = usize::try_from(high - low).unwrap_or(BLOCK);
    machine.read_part(path, low, length).is_some_and(|(part, _)| has_line(&part, reference))
}

/// The name in the first line that begins in a block that may begin in the middle of one.
fn first_name(block: &[u8]) -> Option<&[u8]> {
    let mut lines = block.split(|byte| *byte == b'\n');
    lines.next();
    let mut whole = lines.collect::<Vec<_>>();
    // The last one may be cut.
    whole.pop();
    whole.into_iter().find_map(name)
}

/// The name in a line. A line with what a tag stands for has none.
fn name(line: &[u8]) -> Option<&[u8]> {
    let at = line.iter().position(|byte| *byte == b' ').filter(|_| !line.starts_with(b"#"))?;
    Some(line.get(at + 1..)?.trim_ascii())
}

fn has_line(part: &[u8], reference: &str) -> bool {
    part.split(|byte| *byte == b'\n').any(|line| name(line) == Some(reference.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_core::FileKind;
    use std::cell::Cell;
    use std::path::PathBuf;

    /// A machine with one file, which counts what is read of it.
    struct OneFile {
        bytes: Vec<u8>,
        read: Cell<usize>,
    }

    impl ReadOnlyWorld for OneFile {
        fn env(&self, _: &str) -> Option<String> {
            None
        }
        fn kind(&self, _: &Path) -> Option<FileKind> {
            Some(FileKind::File)
        }
        fn resolve(&self, path: &Path) -> PathBuf {
            path.to_owned()
        }
        fn list(&self, _: &Path) -> Option<Vec<String>> {
            None
        }
        fn read_small(&self, _: &Path) -> Option<String> {
            None
        }
        fn read_bytes(&self, _: &Path) -> Option<Vec<u8>> {
            self.read.set(self.read.get() + self.bytes.len());
            Some(self.bytes.clone())
        }
        fn read_part(&self, _: &Path, start: u64, length: usize) -> Option<(Vec<u8>, u64)> {
            let start = usize::try_from(start).unwrap();
            let part = &self.bytes[start.min(self.bytes.len())..(start + length).min(self.bytes.len())];
            self.read.set(self.read.get() + part.len());
            Some((part.to_vec(), self.bytes.len() as u64))
        }
    }

    fn packed(head: &str, names: &[String]) -> OneFile {
        let line = |name: &String| {
            let peeled = if name.starts_with("refs/tags") { format!("^{}\n", "b".repeat(40)) } else { String::new() };
            format!("{} {name}\n{peeled}", "a".repeat(40))
        };
        let text: String = std::iter::once(head.to_owned()).chain(names.iter().map(line)).collect();
        OneFile { bytes: text.into_bytes(), read: Cell::new(0) }
    }

    fn names(count: usize) -> Vec<String> {
        let name = |number: usize| match number % 3 {
            0 => format!("refs/heads/feature/{number:07}"),
            1 => format!("refs/remotes/origin/{number:07}-{}", "x".repeat(number % 90)),
            _ => format!("refs/tags/v{number}"),
        };
        let mut names: Vec<String> = (0..count).map(name).collect();
        names.sort();
        names
    }

    const SORTED: &str = "# pack-refs with: peeled fully-peeled sorted \n";

    #[test]
    fn every_name_is_found_and_no_other() {
        for (head, count) in [(SORTED, 0), (SORTED, 3), (SORTED, 4000), ("# pack-refs with: peeled \n", 4000), ("", 10)]
        {
            let names = names(count);
            let file = packed(head, &names);
            for name in names.iter().step_by(7).chain(names.last()).chain(names.first()) {
                assert!(contains(Path::new("x"), name, &file), "{head} {name}");
                for other in [format!("{name}x"), name[..name.len() - 1].to_owned(), format!("a{name}")] {
                    let expected = names.contains(&other);
                    assert_eq!(contains(Path::new("x"), &other, &file), expected, "{head} {other}");
                }
            }
            assert!(!contains(Path::new("x"), "refs/heads/none", &file));
        }
    }

    #[test]
    fn a_large_file_is_not_read() {
        let file = packed(SORTED, &names(200_000));
        assert!(file.bytes.len() > 10 << 20);
        assert!(!contains(Path::new("x"), "refs/heads/none", &file));
        assert!(file.read.get() < 256 << 10, "{}", file.read.get());
    }
}
