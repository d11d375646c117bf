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
            let known = with_command(|command| command.get_subcommands().map(|it| it.get_name().to_owned()).collect());
            CliError::unknown("command", &name, known.iter().map(String::as_str))
        }
        ErrorKind::UnknownArgument => {
            let name = text(ContextKind::InvalidArg)?;
            if !name.starts_with('-') {
                return Some(with_help(CliError::usage(format!("unexpected argument `{name}`"))));
            }
            let flags = with_command(|command| {
                command.get_arguments().filter_map(|argument| Some(format!("--{}", argument.get_long()?))).collect()
            });
            CliError::unknown("flag", &name, flags.iter().map(String::as_str))
        }
        ErrorKind::InvalidValue => {
            let value = text(ContextKind::InvalidValue).filter(|value| !value.is_empty())?;
            let (argument, known) = (text(ContextKind::InvalidArg)?, texts(error, ContextKind::ValidValue));
            CliError::unknown(&format!("value of `{argument}`:"), &value, known.iter().map(String::as_str))
        }
        ErrorKind::ValueValidation => {
            let (value, argument) = (text(ContextKind::InvalidValue)?, text(ContextKind::InvalidArg)?);
            why_invalid(error, &value, &argument)
        }
        ErrorKind::MissingRequiredArgument => {
            let missing =
                texts(error, ContextKind::InvalidArg).iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
            CliError::usage(format!("`{}` needs {}", named_command(), missing.join(" and ")))
        }
        ErrorKind::ArgumentConflict => {
            let (argument, other) = (plain(&text(ContextKind::InvalidArg)?), plain(&text(ContextKind::PriorArg)?));
            CliError::usage(match argument == other {
                true => format!("`{argument}` can only be given once"),
                false => format!("`{argument}` cannot be used together with `{other}`"),
            })
        }
        _ => return None,
    };
    Some(with_help(described))
}

/// An argument without the marks of a usage line: `--tool <NAME>` is `--tool`, `[COMMAND]...` is `COMMAND`.
fn plain(argument: &str) -> String {
    let name = argument.split(' ').next().unwrap_or(argument);
    name.trim_end_matches('.').trim_matches(['[', ']', '<', '>']).to_owned()
}

fn with_help(error: CliError) -> CliError {
    error.hint(format!("see `{} --help`", named_command()))
}

fn named_command() -> String {
    [vec!["hookrail".to_owned()], words_of_command()].concat().join(" ")
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

/// Names of the command that the command line names.
fn with_command(names: impl Fn(&clap::Command) -> Vec<String>) -> Vec<String> {
    let root = crate::command();
    let found = words_of_command().iter().try_fold(&root, |at, word| at.find_subcommand(word));
    found.map(names).unwrap_or_default()
}
