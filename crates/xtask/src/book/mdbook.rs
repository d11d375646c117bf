//! The program that makes HTML of the pages.

use super::summary;
use crate::{Outcome, TaskError};
use hookrail_testkit::markdown::Page;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const VERSION: &str = "0.5.4";

/// Builds the book, with an mdBook of its own so that every machine makes the same.
pub(super) fn build(pages: &[Page], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let root = Path::new(crate::ROOT);
    let program = installed(root, out)?;
    // A copy, because its table of contents has more lines than the one that people write.
    let copy = root.join("target/book-source");
    if copy.exists() {
        std::fs::remove_dir_all(&copy)?;
    }
    hookrail_testkit::folders::copy(&root.join("docs"), &copy)?;
    let contents = copy.join("src/SUMMARY.md");
    std::fs::write(&contents, summary::with_examples(&std::fs::read_to_string(&contents)?, pages))?;
    let mut build = Command::new(program);
    build.args(["build", "target/book-source", "--dest-dir"]).arg(root.join("target/book").canonicalize().or_else(
        |_| std::fs::create_dir_all(root.join("target/book")).and_then(|()| root.join("target/book").canonicalize()),
    )?);
    let status = build.current_dir(root).stdout(Stdio::null()).status()?;
    if !status.success() {
        writeln!(out, "book: mdBook failed")?;
        return Ok(Outcome::Failed);
    }
    writeln!(out, "book: see target/book/index.html")?;
    Ok(Outcome::Passed)
}

fn installed(root: &Path, out: &mut dyn Write) -> io::Result<PathBuf> {
    let tools = root.join("target/tools");
    let program = tools.join("bin/mdbook");
    let version = Command::new(&program).arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    if String::from_utf8_lossy(&version).trim() == format!("mdbook v{VERSION}") {
        return Ok(program);
    }
    writeln!(out, "book: installing mdBook {VERSION} into target/tools")?;
    // Unoptimised and without its web server it is there in half the time, and the book is small.
    let status = Command::new("cargo")
        .args(["install", "mdbook", "--quiet", "--locked", "--version", VERSION, "--debug", "--force"])
        .args(["--no-default-features", "--features", "search", "--root"])
        .arg(&tools)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .status()?;
    if status.success() { Ok(program) } else { Err(io::Error::other("mdBook could not be installed")) }
}
