//! The inputs that others are made of: those that were found or written for a target, and files that the repository has anyway.

use super::targets::Target;
use crate::ROOT;
use std::fs;
use std::path::{Path, PathBuf};

/// Longer files are cut: the rest of a book says nothing new.
const MAX_SEED: usize = 16 * 1024;

/// The inputs of `spec/fuzz/<target>`, which are tried first and unchanged.
pub fn cases(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(ROOT).join("spec/fuzz").join(target.name);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().filter_map(|path| fs::read(&path).ok().map(|bytes| (path, bytes))).collect()
}

/// Everything that inputs are made of. Lines of a `.jsonl` file are inputs of their own.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = cases(target).into_iter().map(|(_, bytes)| bytes).collect();
    for name in target.fixtures {
        let Ok(mut bytes) = fs::read(Path::new(ROOT).join(name)) else { continue };
        if name.ends_with(".jsonl") {
            seeds.extend(bytes.split(|byte| *byte == b'\n').take(200).map(<[u8]>::to_vec));
        } else {
            bytes.truncate(MAX_SEED);
            seeds.push(bytes);
        }
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::super::targets::TARGETS;
    use super::*;

    #[test]
    fn every_target_has_something_to_begin_with_and_every_fixture_exists() {
        for target in TARGETS {
            assert!(!seeds(target).is_empty(), "{}", target.name);
            for name in target.fixtures {
                assert!(Path::new(ROOT).join(name).is_file(), "{name}");
            }
        }
    }
}
