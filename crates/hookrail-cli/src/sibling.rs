//! The two programs, which lie side by side: each finds the other there.

use crate::ask_model::{COMMAND, Reply};
use crate::commands::self_command::Installation;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use hookrail_core::Failure;
use hookrail_engine::runner::process::{CancelToken, Limits, ProcessOutcome, ProcessSpec, Program, run_all};
use hookrail_engine::runner::process::{Exit, Stdin};
use hookrail_engine::{Network, NetworkQuestion, RealWorld};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The program that people type.
pub const HOOKRAIL: &str = "hookrail";
/// The program that agents start.
pub const HOOK: &str = "hookrail-hook";

const HELP: &str = "Answer one event of an agent

Usage: hookrail-hook [OPTIONS] [PACK/HOOK]

`hookrail hook`, as a small program of its own for agents to start; `hookrail hook --help` explains the options.";

/// Prints what `hookrail-hook` knows of itself.
pub fn help() -> ExitCode {
    // A reader that went away does not want it.
    let _ = writeln!(io::stdout(), "{HELP}");
    ExitCode::Success
}

/// Prints the version of `hookrail-hook`.
pub fn version() -> ExitCode {
    let _ = writeln!(io::stdout(), "{HOOK} {}", env!("CARGO_PKG_VERSION"));
    ExitCode::Success
}

/// Path of the program with this name in the folder of this one; an error names the command that installs both.
pub fn find(name: &str) -> Result<PathBuf, CliError> {
    // Not every system follows the link that it was started by.
    let own = std::env::current_exe().and_then(|own| own.canonicalize()).map_err(CliError::machine)?;
    beside(&own, name).ok_or_else(|| {
        let installed = Installation::of(&own, &RealWorld::default());
        let path = own.with_file_name(file_name(name));
        CliError::machine(format!("`{}` is missing", path.display())).hint(format!("repair: {}", installed.update()))
    })
}

/// The program with this name in the folder of another one, if it is there.
pub fn beside(program: &Path, name: &str) -> Option<PathBuf> {
    Some(program.with_file_name(file_name(name))).filter(|path| path.is_file())
}

pub fn file_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// Has `hookrail` ask. If it is missing, the hook fails.
#[derive(Debug)]
pub struct AskingSibling;

impl Network for AskingSibling {
    fn ask(&self, question: &NetworkQuestion) -> Result<String, Failure> {
        let hookrail = find(HOOKRAIL).map_err(|error| Failure::NotStarted(error.to_string()))?;
        let text = serde_json::to_vec(question).map_err(|error| Failure::Error(error.to_string()))?;
        let spec = ProcessSpec {
            command: hookrail.display().to_string(),
            program: Program::Executable(vec![COMMAND.to_owned()]),
            cwd: hookrail.parent().unwrap_or(&hookrail).to_owned(),
            env: Vec::new(),
            stdin: Stdin::from(text),
            timeout: question.timeout,
            inherited: Vec::new(),
        };
        let outcome = run_all(&[spec], &Limits::default(), &CancelToken::new()).pop();
        outcome.map_or(Err(Failure::Cancelled), |outcome| understand(&outcome, question))
    }
}

fn understand(outcome: &ProcessOutcome, question: &NetworkQuestion) -> Result<String, Failure> {
    let unreadable = || Failure::Error(format!("`hookrail {COMMAND}` gave no answer: {}", outcome.stderr.text.trim()));
    match &outcome.exit {
        Exit::TimedOut => Err(Failure::TimedOut(question.timeout)),
        Exit::Cancelled => Err(Failure::Cancelled),
        Exit::NotStarted(why) => Err(Failure::NotStarted(why.clone())),
        Exit::Code(_) | Exit::Signal(_) => match serde_json::from_str(&outcome.stdout.text) {
            Ok(Reply::Answer(text)) => Ok(text),
            Ok(Reply::TimedOut) => Err(Failure::TimedOut(question.timeout)),
            Ok(Reply::NotStarted(why)) => Err(Failure::NotStarted(why)),
            Ok(Reply::Failed(why)) => Err(Failure::Error(why)),
            Err(_) => Err(unreadable()),
        },
    }
}
