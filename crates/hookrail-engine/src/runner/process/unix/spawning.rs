//! Starts commands through the standard library, which reads the environment under its lock and explains what is wrong.
//!
//! It uses `posix_spawn` where the C library can change the folder on the way, which `.cargo/config.toml` brings into static programs.

use super::super::{ProcessSpec, Program, RUN_MARK};
use rustix::process::Pid;
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// By its full path, so that neither a hook's `PATH` nor ours decides what a command means.
pub(super) const SHELL: &str = "/bin/sh";

/// Streams of a command: the other ends of our pipes.
pub(super) struct Streams {
    pub(super) stdin: PipeReader,
    pub(super) stdout: PipeWriter,
    pub(super) stderr: PipeWriter,
}

/// Starts a command whose processes carry `mark`, as the leader of a process group of its own.
pub(super) fn spawn(spec: &ProcessSpec, streams: Streams, mark: OsString) -> io::Result<Pid> {
    let child = program(spec)
        .current_dir(&spec.cwd)
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .env(RUN_MARK, mark)
        .stdin(streams.stdin)
        .stdout(streams.stdout)
        .stderr(streams.stderr)
        .process_group(0)
        .spawn()?;
    Ok(Pid::from_child(&child))
}

/// Returns the program that reads a command that is no program itself.
pub(super) fn shell(program: &Program) -> &'static str {
    match program {
        Program::SystemShell | Program::Executable(_) => SHELL,
        Program::Bash => "bash",
        Program::PowerShell => "pwsh",
    }
}

fn program(spec: &ProcessSpec) -> Command {
    if let Program::Executable(args) = &spec.program {
        let mut command = Command::new(&spec.command);
        command.args(args);
        return command;
    }
    let mut command = Command::new(shell(&spec.program));
    match &spec.program {
        Program::PowerShell => command.args(["-NoProfile", "-Command", &spec.command]),
        // A command may begin with a dash.
        _ => command.args(["-c", "--", &spec.command]),
    };
    command
}
