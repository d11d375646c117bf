use super::text::harmless;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use anstream::eprintln;
use owo_colors::OwoColorize;
use std::fmt::Display;

/// Prints why a command could not do its work, and what to do about it.
#[expect(clippy::needless_pass_by_value, reason = "it is what `unwrap_or_else` hands over")]
pub fn fail(error: CliError) -> ExitCode {
    if let Some(snippet) = &error.snippet {
        eprintln!("{snippet}");
        return ExitCode::Usage;
    }
    eprintln!("{} {}", "error:".red().bold(), harmless(&error.message));
    for hint in &error.hints {
        eprintln!("{} {}", "hint:".green().bold(), harmless(hint));
    }
    ExitCode::Usage
}

/// Prints what is doubtful; the work goes on.
pub fn warn(message: impl Display) {
    eprintln!("{} {}", "warning:".yellow().bold(), harmless(&message.to_string()));
}

/// Prints something beside the work.
pub fn note(message: impl Display) {
    eprintln!("{} {}", "note:".cyan().bold(), harmless(&message.to_string()));
}
