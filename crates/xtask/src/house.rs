//! Rules of the house that no compiler checks: where `unsafe` may be, and how little an embedding program takes in.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Files that may hold `unsafe`, and how many blocks there may be in all.
const UNSAFE_FILES: usize = 4;
const UNSAFE_BLOCKS: usize = 15;

/// Crates from elsewhere and ours that a program takes in with the engine: what is linked, without procedural macros.
const EMBEDDED_CRATES: usize = 42;

/// Rust files below a folder, without those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let is_code = |path: &PathBuf| path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs");
    let below = folders.iter().filter(|folder| !folder.ends_with("tests")).flat_map(|folder| sources(folder));
    files.into_iter().filter(is_code).chain(below).collect()
}

/// How many blocks, functions and implementations are unsafe, up to the tests at the end of a file.
fn unsafe_places(text: &str) -> (usize, usize) {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let words: Vec<&str> = lines.flat_map(|line| line.match_indices("unsafe ").map(|(at, _)| &line[at..])).collect();
    let blocks = words.iter().filter(|word| word.starts_with("unsafe {")).count();
    (blocks, words.len())
}

#[test]
fn unsafe_code_is_rare_and_every_other_crate_forbids_it() {
    let crates = std::fs::read_dir(Path::new(crate::ROOT).join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let (mut files, mut blocks) = (Vec::new(), 0);
    for package in crates {
        let before = files.len();
        for file in sources(&package.join("src")).into_iter().filter(|file| !file.ends_with("xtask/src/house.rs")) {
            let (here, words) = unsafe_places(&std::fs::read_to_string(&file).unwrap());
            blocks += here;
            files.extend((words > 0).then_some(file));
        }
        let library = std::fs::read_to_string(package.join("src/lib.rs")).unwrap_or_default();
        let forbids = library.contains("#![forbid(unsafe_code)]");
        assert_eq!(forbids, files.len() == before && !library.is_empty(), "{}", package.display());
    }
    assert!(files.len() <= UNSAFE_FILES && blocks <= UNSAFE_BLOCKS, "{blocks} blocks in {files:#?}");
}

#[test]
fn a_program_that_embeds_the_engine_takes_in_few_crates_and_no_network() {
    for package in ["hookrail-engine", "hookrail-host"] {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--locked", "--package", package, "--edges", "normal,no-proc-macro", "--prefix", "none"])
            .args(["--format", "{p}"])
            .current_dir(crate::ROOT)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
        names.sort_unstable();
        names.dedup();
        assert!(names.len() <= EMBEDDED_CRATES, "{package}: {} crates: {names:?}", names.len());
        for wrong in ["ureq", "rustls", "ring", "clap", "hookrail-network"] {
            assert!(!names.contains(&wrong), "{package} takes in {wrong}");
        }
    }
}
