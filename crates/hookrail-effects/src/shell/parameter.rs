//! `$name` and `${…}`.

use super::{Shell, expand};
use crate::analysis::Analysis;
use crate::flow::{Arg, Taint};
use crate::paths::matches_glob;
use crate::proof::DoubtReason;
use crate::secrets::is_secret_variable;
use hookrail_shell::ast::{DefaultAction, Parameter, ParameterOperator, ReplaceMatches, Span, Word};

/// The values that a parameter expansion gives.
pub(super) fn values<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    parameter: &'s Parameter<'s>,
    span: Span,
) -> Vec<Arg> {
    let mut name: String = parameter.name.clone().into_owned();
    if parameter.indirect {
        match shell.get(&name).and_then(<[Arg]>::first) {
            Some(arg) if arg.known() => name = arg.text.clone(),
            // Any variable may be meant, one that holds a secret too.
            _ => {
                let any = Arg::unknown(format!("${{!{name}}}"), span);
                return vec![Arg { taint: Taint::secret("environment"), ..any }];
            }
        }
    }
    if parameter.subscript.as_ref().is_some_and(|word| word.literal().is_none()) {
        analysis.doubt(DoubtReason::Syntax, &name, span);
    }
    let value = lookup(analysis, shell, &name, span);
    match &parameter.operator {
        ParameterOperator::None => {
            let values = value.unwrap_or_else(|| vec![unset(&name, span)]);
            let Some(word) = parameter.subscript.as_ref() else { return values };
            if matches!(word.literal().as_deref(), Some("@" | "*")) {
                return values;
            }
            let index = expand::single(analysis, shell, word);
            match index.text.parse::<usize>().ok().filter(|_| index.known()).and_then(|index| values.get(index)) {
                Some(value) => vec![value.clone()],
                // Elements may have been given numbers of their own.
                None if values.len() <= 1 => values,
                None => {
                    let mut any = unset(&name, span);
                    values.iter().for_each(|value| any.taint.add(&value.taint));
                    vec![any]
                }
            }
        }
        ParameterOperator::Length | ParameterOperator::Names | ParameterOperator::Keys => vec![Arg::new("0", span)],
        ParameterOperator::Default { action, word, .. } => default(analysis, shell, &name, value, *action, word, span),
        ParameterOperator::RemovePrefix { longest, pattern } => {
            let pattern = expand::text(analysis, shell, pattern);
            map(value, &name, span, |text| strip(text, &pattern, *longest, End::Start))
        }
        ParameterOperator::RemoveSuffix { longest, pattern } => {
            let pattern = expand::text(analysis, shell, pattern);
            map(value, &name, span, |text| strip(text, &pattern, *longest, End::Finish))
        }
        ParameterOperator::Replace { matches, pattern, replacement } => {
            let pattern = expand::text(analysis, shell, pattern);
            let by = replacement.as_ref().map(|word| expand::text(analysis, shell, word)).unwrap_or_default();
            map(value, &name, span, |text| replace(text, &pattern, &by, *matches))
        }
        ParameterOperator::Substring { offset, length } => {
            let offset = expand::text(analysis, shell, offset);
            let offset = if offset.trim().is_empty() { Some(0) } else { offset.trim().parse::<i64>().ok() };
            let length = length.as_ref().map(|word| expand::text(analysis, shell, word).trim().parse::<i64>().ok());
            // `${a[@]:1:2}` takes elements, not letters.
            let all = parameter.subscript.as_ref().and_then(Word::literal);
            if matches!(&*name, "@" | "*") || matches!(all.as_deref(), Some("@" | "*")) {
                let from = offset.and_then(|offset| usize::try_from(offset).ok());
                let from = if matches!(&*name, "@" | "*") { from.and_then(|from| from.checked_sub(1)) } else { from };
                return slice(value.unwrap_or_default(), from, length);
            }
            map(value, &name, span, |text| substring(text, offset?, length))
        }
        ParameterOperator::ChangeCase { case, all, .. } => map(value, &name, span, |text| {
            use hookrail_shell::ast::LetterCase;
            all.then(|| match case {
                LetterCase::Upper => Some(text.to_uppercase()),
                LetterCase::Lower => Some(text.to_lowercase()),
                LetterCase::Toggled => None,
            })?
        }),
        // `@P` runs what is in the text.
        ParameterOperator::Transform(_) => {
            analysis.doubt(DoubtReason::Syntax, "@", span);
            map(value, &name, span, |text| Some(text.to_owned()))
        }
    }
}

fn unset(name: &str, span: Span) -> Arg {
    let taint = if is_secret_variable(name) { Taint::secret(name) } else { Taint::NONE };
    Arg { taint, ..Arg::unknown(format!("${name}"), span) }
}

/// The value of a variable, if the text or the environment tells.
fn lookup(analysis: &Analysis<'_>, shell: &Shell<'_>, name: &str, span: Span) -> Option<Vec<Arg>> {
    if let Some(values) = shell.get(name) {
        return Some(values.iter().map(|value| Arg { span, ..value.clone() }).collect());
    }
    let exact = |text: std::borrow::Cow<'_, str>| vec![Arg { firm: true, ..Arg::new(text, span) }];
    let path = |path: Option<&std::path::Path>| path.map(|path| exact(path.to_string_lossy()));
    match name {
        "HOME" => path(analysis.around.home.as_deref()),
        "PWD" => path(shell.cwd.as_deref()),
        "@" | "*" => Some(shell.arguments.iter().map(|arg| Arg { span, ..arg.clone() }).collect()),
        "$" | "!" | "?" | "#" | "RANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID" | "PPID" | "BASHPID" => {
            Some(vec![Arg::new("0", span)])
        }
        "IFS" => Some(vec![Arg::new(" \t\n", span)]),
        name => {
            if let Ok(number) = name.parse::<usize>() {
                let Some(index) = number.checked_sub(1) else {
                    return shell.zero.as_ref().map(|arg| vec![Arg { span, ..arg.clone() }]);
                };
                return shell.arguments.get(index).map(|arg| vec![Arg { span, ..arg.clone() }]);
            }
            if is_secret_variable(name) {
                return None;
            }
            analysis.machine.env(name).map(|value| vec![Arg::new(value, span)])
        }
    }
}

fn default<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    name: &str,
    value: Option<Vec<Arg>>,
    action: DefaultAction,
    word: &'s Word<'s>,
    span: Span,
) -> Vec<Arg> {
    let other = analysis.deeper(span, |analysis| expand::single(analysis, shell, word));
    match (action, value) {
        (DefaultAction::Use | DefaultAction::Assign | DefaultAction::Fail, Some(value)) => value,
        // `${X:?}` stops the command when it is unset; set, it is whatever it is.
        (DefaultAction::Fail, None) => vec![unset(name, span)],
        (DefaultAction::Use | DefaultAction::Assign, None) => {
            if action == DefaultAction::Assign {
                crate::claims::for_shell(analysis, shell, name, &other, span);
                shell.set(name, vec![other.clone()]);
            }
            vec![Arg { span, ..other }]
        }
        (DefaultAction::Alternative, Some(_)) => vec![other],
        (DefaultAction::Alternative, None) => vec![Arg::new("", span)],
    }
}

/// Changes known texts; what is unknown stays so.
fn map(value: Option<Vec<Arg>>, name: &str, span: Span, change: impl Fn(&str) -> Option<String>) -> Vec<Arg> {
    let values = value.unwrap_or_else(|| vec![unset(name, span)]);
    let change = |arg: Arg| match arg.known().then(|| change(&arg.text)).flatten() {
        Some(text) => arg.with_text(text),
        None => Arg { hole: Some(0), glob: None, ..arg },
    };
    values.into_iter().map(change).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Start,
    Finish,
}

fn strip(text: &str, pattern: &str, longest: bool, end: End) -> Option<String> {
    // Patterns are tried on every prefix or suffix; long values are not worth that.
    if text.len() > 256 {
        return None;
    }
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let from_far = (end == End::Start) == longest;
    if from_far {
        cuts.reverse();
    }
    for cut in cuts {
        let (head, tail) = text.split_at_checked(cut)?;
        let (matched, rest) = if end == End::Start { (head, tail) } else { (tail, head) };
        if matches_glob(pattern, matched) {
            return Some(rest.to_owned());
        }
    }
    Some(text.to_owned())
}

fn replace(text: &str, pattern: &str, by: &str, matches: ReplaceMatches) -> Option<String> {
    if pattern.contains(['*', '?', '[']) || pattern.is_empty() {
        return None;
    }
    Some(match matches {
        ReplaceMatches::First => text.replacen(pattern, by, 1),
        ReplaceMatches::All => text.replace(pattern, by),
        ReplaceMatches::Prefix => match text.strip_prefix(pattern) {
            Some(rest) => format!("{by}{rest}"),
            None => text.to_owned(),
        },
        ReplaceMatches::Suffix => match text.strip_suffix(pattern) {
            Some(rest) => format!("{rest}{by}"),
            None => text.to_owned(),
        },
    })
}

/// Some of several values; all of them if it is not known which.
fn slice(values: Vec<Arg>, from: Option<usize>, length: Option<Option<i64>>) -> Vec<Arg> {
    match (from, length.map(|length| length.and_then(|length| usize::try_from(length).ok()))) {
        (Some(from), None) => values.into_iter().skip(from).collect(),
        (Some(from), Some(Some(length))) => values.into_iter().skip(from).take(length).collect(),
        _ => values,
    }
}

/// A length below zero is counted from the end.
fn substring(text: &str, offset: i64, length: Option<Option<i64>>) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let start = if offset < 0 {
        chars.len().checked_sub(usize::try_from(-offset).ok()?)?
    } else {
        usize::try_from(offset).ok()?
    };
    let take = match length {
        None => chars.len(),
        Some(length) => match usize::try_from(length?) {
            Ok(length) => length,
            Err(_) => chars.len().checked_sub(start)?.checked_sub(usize::try_from(-length?).ok()?)?,
        },
    };
    Some(chars.into_iter().skip(start).take(take).collect())
}
