//! Decisions that only a person may take.

use crate::error::CliError;
use hookrail_core::World;
use std::io::{self, BufRead, IsTerminal, Write};

/// Variables that agents set for the commands they run.
const AGENT_VARIABLES: &[&str] = &[
    "CLAUDECODE",
    "GEMINI_CLI",
    "LLXPRT_CODE",
    "QWEN_CODE",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "OPENCODE",
    "CURSOR_AGENT",
    "COPILOT_CLI",
    "CLINE_ACTIVE",
    "AUGMENT_AGENT",
    "GOOSE_TERMINAL",
    "AI_AGENT",
];

/// Refuses to go on where only a program can answer. It is a hurdle, not the guard: an agent's call of such a command
/// is a `guard.change`, which pack `core` denies.
pub fn require(command: &str, world: &dyn World) -> Result<(), CliError> {
    let hint = format!("run `{command}` yourself, in a terminal of your own");
    if let Some(name) = AGENT_VARIABLES.iter().find(|name| world.env(name).is_some_and(|value| !value.is_empty())) {
        return Err(CliError::person(format!("`{command}` is for a person, and an agent runs this: `{name}` is set"))
            .hint(hint));
    }
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(
            CliError::person(format!("`{command}` is for a person at a terminal, and this is not one")).hint(hint)
        );
    }
    Ok(())
}

/// Asks for a yes; everything else is a no.
pub fn confirm(question: &str) -> Result<bool, CliError> {
    let mut stderr = anstream::stderr();
    // A prompt that cannot be seen is answered with an empty line, which means no.
    let _ = write!(stderr, "{question} [y/N] ").and_then(|()| stderr.flush());
    let mut answer = String::new();
    io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| CliError::machine(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
