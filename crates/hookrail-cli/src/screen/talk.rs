use super::text::harmless;
use crate::exit_code::ExitCode;
use anstream::eprintln;
use owo_colors::OwoColorize;
use std::fmt::Display;

/// Says why a command could not do its work; what it ends with.
pub fn fail(message: impl Display) -> ExitCode {
    eprintln!("{} {}", "error:".red().bold(), harmless(&message.to_string()));
    ExitCode::Usage
}

/// Says what is doubtful; the work goes on.
pub fn warn(message: impl Display) {
    eprintln!("{} {}", "warning:".yellow().bold(), harmless(&message.to_string()));
}

/// Says something beside the work.
pub fn note(message: impl Display) {
    eprintln!("{} {}", "note:".cyan().bold(), harmless(&message.to_string()));
}
