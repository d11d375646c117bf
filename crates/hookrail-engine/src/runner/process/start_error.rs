//! Why a command could not be started.

use super::{ProcessSpec, Program};
use std::io;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("the command is empty")]
    Empty,
    #[error("the command contains a NUL byte")]
    NulByte,
    #[error("an argument of the command contains a NUL byte")]
    Argument,
    #[error("an environment variable contains a NUL byte")]
    Environment,
    #[error("the working directory `{directory}` cannot be used: {reason}")]
    WorkingDirectory { directory: String, reason: io::Error },
    #[error("the {kind} `{name}` cannot be started: {reason}")]
    Program { kind: &'static str, name: String, reason: io::Error },
    /// Not a property of the command: later it may well start.
    #[error("the system has no room for another process or pipe: {0}")]
    Shortage(io::Error),
}

impl StartError {
    /// Refuses what no shell should be asked to run.
    pub(super) fn check(spec: &ProcessSpec) -> Result<(), Self> {
        if spec.command.trim().is_empty() {
            Err(Self::Empty)
        } else if spec.command.contains('\0') {
            Err(Self::NulByte)
        } else if matches!(&spec.program, Program::Executable(args) if args.iter().any(|arg| arg.contains('\0'))) {
            Err(Self::Argument)
        } else {
            Ok(())
        }
    }

    /// Explains a failed spawn. The system reports a directory and a program that is missing or forbidden alike, so the directory is asked.
    /// `shell` is what was to read the command, if it is no program itself.
    pub(super) fn explain(spec: &ProcessSpec, shell: &str, reason: io::Error) -> Self {
        if is_shortage(&reason) {
            Self::Shortage(reason)
        } else if !can_be_entered(&spec.cwd) {
            Self::WorkingDirectory { directory: printable(&spec.cwd), reason }
        } else if reason.kind() == io::ErrorKind::InvalidInput {
            Self::Environment
        } else {
            let (kind, name) = match spec.program {
                Program::Executable(_) => ("program", spec.command.as_str()),
                Program::SystemShell | Program::Bash | Program::PowerShell => ("shell", shell),
            };
            Self::Program { kind, name: printable(Path::new(name)), reason }
        }
    }
}

#[cfg(unix)]
fn can_be_entered(folder: &Path) -> bool {
    folder.is_dir() && rustix::fs::access(folder, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn can_be_entered(folder: &Path) -> bool {
    folder.is_dir()
}

#[cfg(unix)]
fn is_shortage(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let shortages = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|errno| shortages.contains(&errno))
}

#[cfg(not(unix))]
fn is_shortage(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}

/// A path as one line of text, whatever its author put into it.
fn printable(path: &Path) -> String {
    let mut text = String::new();
    for character in path.to_string_lossy().chars() {
        if character.is_control() {
            text.extend(character.escape_default());
        } else {
            text.push(character);
        }
    }
    text
}
