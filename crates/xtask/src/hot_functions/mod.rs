//! `cargo xtask hot-functions`: which functions answering an event runs through, for the linker to put them together.
//!
//! A process that lives half a millisecond pays for every page of itself that it touches. The linker script
//! (`.cargo/link-static`) places the functions of this list side by side; a list that is out of date costs speed, nothing
//! else.

mod events;
mod profile;

use crate::{Outcome, ROOT, TaskError};
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const HELP: &str = "usage: cargo xtask hot-functions

Runs the release binary on sample events under valgrind and writes the functions they run through, in the order of their
first use, to .cargo/hot-functions. The linker puts these side by side. Run it after larger changes to the hot path; it
needs valgrind and takes some minutes. `cargo xtask bench` shows what it brings.";

/// Where the list is, and where `.cargo/link-static` looks for it.
const LIST: &str = ".cargo/hot-functions";

/// What only the real kernel makes a program run through: valgrind hides the page with the kernel's clock from it.
const BEYOND_VALGRIND: [&str; 2] = ["_dl_lookup_symbol_x", "__strcmp_sse2"];

const HEAD: &str =
    "# Functions that answering an event runs through, in the order of their first use: cargo xtask hot-functions\n";

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    match args.first().map(String::as_str) {
        None => {}
        Some("--help" | "-h") => {
            writeln!(out, "{HELP}")?;
            return Ok(Outcome::Passed);
        }
        Some(other) => {
            return Err(TaskError::Usage(format!(
                "unexpected argument `{other}`\nhint: cargo xtask hot-functions --help"
            )));
        }
    }
    let binary = build()?;
    let known = profile::symbols(&binary)?;
    let ground = events::Ground::prepare()?;
    let mut seen = HashSet::new();
    let mut list = String::from(HEAD);
    for name in BEYOND_VALGRIND.iter().flat_map(|name| profile::with_variants(name, &known)) {
        seen.insert(name.to_owned());
        list.push_str(name);
        list.push('\n');
    }
    for event in ground.events() {
        let functions = profile::functions(&binary, &ground, event)?;
        let functions = functions.iter().flat_map(|name| profile::with_variants(name, &known));
        for name in functions.filter(|name| seen.insert((*name).to_owned())) {
            list.push_str(name);
            list.push('\n');
        }
        writeln!(out, "{:5} functions after {}", seen.len(), event.about)?;
    }
    std::fs::write(Path::new(ROOT).join(LIST), list)?;
    writeln!(out, "wrote {LIST}")?;
    Ok(Outcome::Passed)
}

/// The release binary with its symbols.
fn build() -> Result<std::path::PathBuf, TaskError> {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--quiet", "--release", "--package", "hookrail-cli"]).current_dir(ROOT);
    profile::succeed(cargo.env("CARGO_PROFILE_RELEASE_STRIP", "none"))?;
    Ok(Path::new(ROOT).join("target/release/hookrail"))
}
