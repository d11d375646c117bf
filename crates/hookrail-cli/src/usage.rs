//! Mistakes on the command line, in the words of every other error.

use crate::error::CliError;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error;

/// What the command line has wrong; `None` for help, versions and what the library describes well.
pub fn describe(error: &clap::Error) -> Option<CliError> {
    let text = |kind: ContextKind| texts(error, kind).into_iter().next();
    let described = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = text(ContextKind::InvalidSubcommand)?;
            let known = below(&words_of_command());
            match text(ContextKind::SuggestedSubcommand) {
                Some(guess) => {
                    CliError::usage(format!("unknown command `{name}`")).hint(format!("did you mean `{guess}`?"))
                }
                None => CliError::unknown("command", &name, known.iter().map(String::as_str)),
            }
        }
        ErrorKind::UnknownArgument => {
            let name = text(ContextKind::InvalidArg)?;
            let what = if name.starts_with('-') { "unknown flag" } else { "unexpected argument" };
            let unknown = CliError::usage(format!("{what} `{name}`"));
            match text(ContextKind::SuggestedArg) {
                Some(guess) => unknown.hint(format!("did you mean `{guess}`?")),
                None => unknown,
            }
        }
        ErrorKind::InvalidValue => {
            let value = text(ContextKind::InvalidValue).filter(|value| !value.is_empty())?;
            let (argument, known) = (text(ContextKind::InvalidArg)?, texts(error, ContextKind::ValidValue));
            let what = format!("value of `{argument}`:");
            match text(ContextKind::SuggestedValue) {
                Some(guess) => {
                    CliError::usage(format!("unknown {what} `{value}`")).hint(format!("did you mean `{guess}`?"))
                }
                None => CliError::unknown(&what, &value, known.iter().map(String::as_str)),
            }
        }
        ErrorKind::ValueValidation => {
            let (value, argument) = (text(ContextKind::InvalidValue)?, text(ContextKind::InvalidArg)?);
            why_invalid(error, &value, &argument)
        }
        _ => return None,
    };
    let command = [vec!["hookrail".to_owned()], words_of_command()].concat().join(" ");
    Some(described.hint(format!("see `{command} --help`")))
}

fn why_invalid(error: &clap::Error, value: &str, argument: &str) -> CliError {
    let source = error.source();
    if let Some(own) = source.and_then(|source| source.downcast_ref::<CliError>()) {
        return own.clone().while_doing(format_args!("`{argument}`"));
    }
    if source.is_some_and(<dyn Error>::is::<std::num::ParseIntError>) {
        return CliError::usage(format!("`{argument}`: `{value}` is not a whole number"));
    }
    let why = source.map(|source| format!(": {source}")).unwrap_or_default();
    CliError::usage(format!("`{argument}`: `{value}` is not possible{why}"))
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// The commands that the command line names, as far as they exist.
fn words_of_command() -> Vec<String> {
    let root = crate::command();
    let (mut at, mut words) = (&root, Vec::new());
    for word in std::env::args_os().skip(1) {
        let Some(below) = word.to_str().and_then(|word| at.find_subcommand(word)) else { break };
        words.push(below.get_name().to_owned());
        at = below;
    }
    words
}

/// The commands below one.
fn below(words: &[String]) -> Vec<String> {
    let root = crate::command();
    let found = words.iter().try_fold(&root, |at, word| at.find_subcommand(word));
    found.map(|at| at.get_subcommands().map(|it| it.get_name().to_owned()).collect()).unwrap_or_default()
}
