//! Commands of `hookrail` as processes of their own.
//!
//! What decides about an event sets handlers and a clock for its whole process and may end it, which a server must not. And
//! what the page shows is what the command prints.

use crate::error::CliError;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs this program's commands.
#[derive(Clone, Debug)]
pub struct OwnCommand {
    program: PathBuf,
}

impl OwnCommand {
    pub fn new() -> Result<Self, CliError> {
        let program = std::env::current_exe()
            .map_err(|error| CliError::machine(format!("cannot determine the path of this program: {error}")))?;
        Ok(Self { program })
    }

    /// Runs a command in a folder and reads the JSON that it prints. How it exits does not matter, if it does print.
    pub fn json(&self, arguments: &[&str], folder: &Path, input: &[u8]) -> Result<Value, CliError> {
        let failed = |error: std::io::Error| {
            CliError::machine(format!("cannot run `hookrail {}`: {error}", arguments.join(" ")))
        };
        let folder = if folder.is_dir() { folder } else { Path::new("/") };
        let mut child = Command::new(&self.program)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A command that ends early does not want the rest.
            let _ = stdin.write_all(input);
        }
        let output = child.wait_with_output().map_err(failed)?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            let stderr = String::from_utf8_lossy(&output.stderr);
            CliError::machine(stderr.trim().trim_start_matches("error: "))
        })
    }
}
