//! `cargo xtask dist`: the binary as it is released.
//!
//! A hook is one process for each event, and most of its life is its start. What helps there is done here, in one step, and
//! not in every developer's link:
//!
//! - **linked statically, at a fixed address**: the dynamic loader is a third of the life of such a process, and seven
//!   thousand relocations cost more than deciding does;
//! - **ordered**: the functions that events run through lie side by side, so that a process touches a few pages of itself
//!   instead of a hundred. Which these are is seen by running sample events under valgrind.
//!
//! A plain `cargo build` or `cargo install` has neither and is right all the same.

mod build;
mod hot_functions;
mod sample_events;

use crate::{Outcome, ROOT, TaskError};
use build::{Build, Built, host};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const HELP: &str = "usage: cargo xtask dist [--target TRIPLE] [--unordered]

Builds the binary as it is released, into target/released/hookrail: optimised, stripped, on Linux with the GNU C library linked
statically, and with the functions that events run through put side by side. That takes two builds, some minutes, and valgrind.

  --target TRIPLE  build for another machine; without an order, because its binary cannot be run here
  --unordered      leave the order to the linker: one build, and no valgrind";

/// Where the released binary lies.
pub(crate) const BINARY: &str = "target/released/hookrail";

struct Options {
    target: Option<String>,
    unordered: bool,
}

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        writeln!(out, "{HELP}")?;
        return Ok(Outcome::Passed);
    }
    let options = parse(args)?;
    let binary = make(options.target.as_deref(), !options.unordered, out)?;
    let size = std::fs::metadata(&binary)?.len() as f64 / f64::from(1 << 20);
    writeln!(out, "{BINARY}: {size:.2} MiB")?;
    Ok(Outcome::Passed)
}

fn parse(args: &[String]) -> Result<Options, TaskError> {
    let mut options = Options { target: None, unordered: false };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--unordered" => options.unordered = true,
            "--target" => {
                let target = args.next().ok_or_else(|| usage("`--target` needs the name of a target"))?;
                options.target = Some(target.clone());
            }
            other => return Err(usage(&format!("unexpected argument `{other}`"))),
        }
    }
    Ok(options)
}

fn usage(message: &str) -> TaskError {
    TaskError::Usage(format!("{message}\nhint: see `cargo xtask dist --help`"))
}

/// Builds the released binary and returns where it is.
pub(crate) fn make(target: Option<&str>, ordered: bool, out: &mut dyn Write) -> Result<PathBuf, TaskError> {
    let host = host()?;
    let build = Build::new(target.unwrap_or(&host));
    let ordered = ordered && build.can_be_ordered() && target.is_none_or(|target| target == host);
    if !ordered || !build.has_order() {
        build.set_order("")?;
    }
    writeln!(out, "building for {} …", build.target())?;
    let Built { binary, fresh } = build.run()?;
    if ordered && (fresh || !build.has_order()) {
        let list = hot_functions::list(&binary, out)?;
        if build.set_order(&list)? {
            writeln!(out, "building once more, in that order …")?;
            build.run()?;
        }
    }
    strip(&binary)
}

/// The binary without what is optional, unordered, at a place of its own.
pub(crate) fn make_bare(out: &mut dyn Write) -> Result<PathBuf, TaskError> {
    let build = Build::new(&host()?).bare();
    build.set_order("")?;
    writeln!(out, "building for {} without optional features …", build.target())?;
    let released = strip(&build.run()?.binary)?;
    let bare = released.with_file_name("hookrail-bare");
    std::fs::copy(&released, &bare)?;
    Ok(bare)
}

/// Copies the binary without its symbols. A copy, as an installation makes one: a file fresh from the linker is laid out worse
/// in memory.
fn strip(binary: &Path) -> Result<PathBuf, TaskError> {
    let released = Path::new(ROOT).join(BINARY);
    std::fs::create_dir_all(released.parent().unwrap_or(&released))?;
    let stripped = Command::new("strip").arg("-o").arg(&released).arg(binary).status();
    if !stripped.is_ok_and(|status| status.success()) {
        // Somebody else's binary, or no binutils: it works as it is.
        std::fs::copy(binary, &released)?;
    }
    Ok(released)
}
