//! Builds programs of this workspace, and learns from cargo where it put them.

use serde_json::Value;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Builds hookrail without optimisation.
pub fn build_hookrail() -> io::Result<PathBuf> {
    build("hookrail", &["--package", "hookrail-cli"])
}

/// Builds one of the programs that people install, as they are installed.
pub fn build_release(program: &str, target: Option<&str>) -> io::Result<PathBuf> {
    let target = target.map(|target| ["--target", target]);
    let arguments = ["--release", "--package", "hookrail-cli"].into_iter().chain(target.into_iter().flatten());
    build(program, &arguments.collect::<Vec<_>>())
}

/// Runs `cargo build` and returns the path of one of the programs it made.
pub fn build(program: &str, arguments: &[&str]) -> io::Result<PathBuf> {
    let output = Command::new("cargo")
        .args(["build", "--quiet", "--message-format", "json-render-diagnostics"])
        .args(arguments)
        .current_dir(crate::ROOT)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("`cargo build` of `{program}` ended with {}", output.status)));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    executable(&messages, program).ok_or_else(|| io::Error::other(format!("`cargo build` made no `{program}`")))
}

/// Finds a program in the messages of cargo, one JSON object on each line.
fn executable(messages: &str, program: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let path = |message: Value| {
        let is_it = message.pointer("/target/name")?.as_str()? == program;
        is_it.then(|| message.get("executable")?.as_str().map(PathBuf::from)).flatten()
    };
    messages.filter_map(path).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_among_libraries_and_other_programs() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"hookrail","kind":["lib"]},"executable":null}
{"reason":"compiler-artifact","target":{"name":"hookrail-hook","kind":["bin"]},"executable":"/t/hookrail-hook"}
{"reason":"compiler-artifact","target":{"name":"hookrail","kind":["bin"]},"executable":"/t/hookrail"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages, "hookrail"), Some(PathBuf::from("/t/hookrail")));
        assert_eq!(executable(messages, "hookrail-hook"), Some(PathBuf::from("/t/hookrail-hook")));
        assert_eq!(executable(messages, "xtask"), None);
    }
}
