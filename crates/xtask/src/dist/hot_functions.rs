//! Which functions answering an event runs through, for the linker to put them together. A list that is out of date would cost
//! speed, nothing else.

use super::sample_events::{SampleEvent, SampleFolder};
use crate::TaskError;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// What only the real kernel makes a program run through: valgrind hides the page with the kernel's clock from it.
const BEYOND_VALGRIND: [&str; 2] = ["_dl_lookup_symbol_x", "__strcmp_sse2"];

/// The functions that sample events run through, in the order of their first use, one on each line.
pub fn list(binary: &Path, out: &mut dyn Write) -> Result<String, TaskError> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        let hint = "install valgrind, or leave the order to the linker with `--unordered`";
        return Err(io::Error::other(format!("valgrind is not installed\nhint: {hint}")).into());
    }
    let known = symbols(binary)?;
    let ground = SampleFolder::prepare()?;
    let (mut seen, mut list) = (HashSet::new(), String::new());
    let mut add = |name: &str| {
        if seen.insert(name.to_owned()) {
            list.push_str(name);
            list.push('\n');
        }
    };
    BEYOND_VALGRIND.iter().flat_map(|name| with_variants(name, &known)).for_each(&mut add);
    for event in ground.events() {
        writeln!(out, "following {} …", event.about)?;
        let functions = functions(binary, &ground, event)?;
        functions.iter().flat_map(|name| with_variants(name, &known)).for_each(&mut add);
    }
    Ok(list)
}

/// The functions one event runs through, in the order of their first use.
fn functions(binary: &Path, ground: &SampleFolder, event: &SampleEvent) -> io::Result<Vec<String>> {
    let (input, report) = (ground.path("event.json"), ground.path("callgrind"));
    std::fs::write(&input, ground.payload(event, 1))?;
    let hook = |program: &str| {
        let mut command = Command::new(program);
        command.env("HOME", ground.home()).env("HOOKRAIL_STATE_DIR", ground.path("state"));
        command.env("XDG_CONFIG_HOME", ground.configuration(event));
        command
    };
    // Once without being watched: the first event of all prepares the state directory and the configuration's cache.
    succeed(hook(&binary.display().to_string()).args(event.arguments).stdin(File::open(&input)?))?;
    std::fs::write(&input, ground.payload(event, 2))?;
    let mut valgrind = hook("valgrind");
    valgrind.args(["--tool=callgrind", "--demangle=no"]);
    valgrind.arg(format!("--callgrind-out-file={}", report.display())).arg(binary).args(event.arguments);
    succeed(valgrind.stdin(File::open(&input)?))?;
    Ok(parse(&std::fs::read_to_string(&report)?))
}

/// Callgrind writes a function's name where it first meets it: `fn=(12) name`, or `cfn=` for one that is called.
fn parse(report: &str) -> Vec<String> {
    let name = |line: &str| {
        let (kind, rest) = line.split_once("=(")?;
        let (_, name) = rest.split_once(") ")?;
        // `'2` is the second level of a recursion.
        let name = name.split('\'').next().unwrap_or(name);
        matches!(kind, "fn" | "cfn").then(|| name.to_owned())
    };
    report.lines().filter_map(name).collect()
}

/// Every name the binary has for a piece of itself.
fn symbols(binary: &Path) -> io::Result<Vec<String>> {
    let output = Command::new("nm").arg("--defined-only").arg(binary).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_owned).collect())
}

/// The C library has a `memmove` for each kind of processor and takes the best where it runs, which need not be the one
/// valgrind knows: all of them are wanted.
fn with_variants<'a>(name: &'a str, known: &'a [String]) -> Vec<&'a str> {
    let kinds = ["_sse2", "_sse42", "_ssse3", "_avx", "_evex"];
    match kinds.iter().find_map(|kind| name.split_once(kind)) {
        Some((stem, _)) if stem.starts_with("__") => {
            let is_variant = |other: &&str| {
                other.strip_prefix(stem).is_some_and(|rest| kinds.iter().any(|kind| rest.starts_with(kind)))
            };
            known.iter().map(String::as_str).filter(is_variant).collect()
        }
        _ => vec![name],
    }
}

/// Runs a command whose output is not needed.
fn succeed(command: &mut Command) -> io::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.stdout(Stdio::null()).stderr(Stdio::piped()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(io::Error::other(format!("`{program}` ended with {}\n{why}", output.status)))
        }
        Err(error) => Err(io::Error::other(format!("`{program}` cannot be run: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_where_callgrind_first_writes_them() {
        let report = "fn=(1) main\n0 1\ncfn=(2) _ZN3foo17h00E\ncalls=1 0\nfn=(2)\nfn=(3) walk'2\nfl=(4) x.rs\n";
        assert_eq!(parse(report), ["main", "_ZN3foo17h00E", "walk"]);
    }

    #[test]
    fn a_function_for_one_kind_of_processor_brings_its_siblings() {
        let known = ["__memmove_avx_unaligned", "__memmove_evex", "__memset_evex", "memmove"].map(str::to_owned);
        for (name, expected) in [
            ("__memmove_avx_unaligned", vec!["__memmove_avx_unaligned", "__memmove_evex"]),
            ("memmove", vec!["memmove"]),
            ("_ZN6detect8has_avx217h00E", vec!["_ZN6detect8has_avx217h00E"]),
        ] {
            assert_eq!(with_variants(name, &known), expected, "{name}");
        }
    }
}
