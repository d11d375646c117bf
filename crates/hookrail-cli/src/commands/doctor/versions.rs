//! Which programs there are, and which versions of them.

use crate::commands::validate::is_program;
use hookrail_core::World;
use serde_json::Value;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take to tell its version.
const PATIENCE: Duration = Duration::from_secs(3);
/// No version is longer.
const VERSION_BYTES: u64 = 4096;

/// Every program of this name in PATH, in the order in which a shell looks; the same file is told once.
pub fn find_all(name: &str, world: &dyn World) -> Vec<PathBuf> {
    let path = world.env("PATH").unwrap_or_default();
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for folder in std::env::split_paths(&path).filter(|folder| folder.is_absolute()) {
        let candidate = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let Ok(real) = candidate.canonicalize() else { continue };
        if is_program(&real) && !found.iter().any(|(_, known)| *known == real) {
            found.push((candidate, real));
        }
    }
    found.into_iter().map(|(candidate, _)| candidate).collect()
}

/// The version of a program: from the package it was installed with, else from its own mouth.
pub fn version(program: &Path) -> Option<String> {
    version_told_by(program, Command::new(program), PATIENCE)
}

/// The same, where the program is started by `command`, whose environment may be another one, and has so long to answer.
pub fn version_told_by(program: &Path, command: Command, patience: Duration) -> Option<String> {
    package_version(program).or_else(|| spoken_version(command, patience))
}

/// Programs of npm have a `package.json` above them; reading it is cheaper than starting them.
fn package_version(program: &Path) -> Option<String> {
    let real = program.canonicalize().ok()?;
    let package =
        real.ancestors().skip(1).take(4).map(|folder| folder.join("package.json")).find(|file| file.is_file())?;
    let package: Value = serde_json::from_slice(&std::fs::read(package).ok()?).ok()?;
    package.get("bin")?;
    package.get("version")?.as_str().map(str::to_owned)
}

fn spoken_version(mut command: Command, patience: Duration) -> Option<String> {
    // Into a file: a pipe could be kept open by whatever the program leaves behind.
    let mut output = tempfile::tempfile().ok()?;
    command.arg("--version").stdin(Stdio::null()).stdout(output.try_clone().ok()?).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().ok()?;
    let begun = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if begun.elapsed() < patience => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => break false,
        }
    };
    end(&mut child);
    let mut text = String::new();
    output.rewind().ok()?;
    output.take(VERSION_BYTES).read_to_string(&mut text).ok().filter(|_| ended)?;
    first_version(&text)
}

/// Ends the program and what it started; fine if it has ended.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The first word that begins with a digit: `2.1.325 (Claude Code)`, `codex-cli 0.166.0`.
fn first_version(text: &str) -> Option<String> {
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        for (text, expected) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0", Some("0.166.0")),
            ("v20.1.0", Some("20.1.0")),
            ("usage: x", None),
        ] {
            assert_eq!(first_version(text).as_deref(), expected, "{text}");
        }
    }
}
