//! Texts of simple expressions.

use super::methods;
use super::names::Names;
use super::tokens::Token;
use crate::flow::Arg;
use hookrail_shell::ast::Span;

/// So many tokens of a call are looked at. It also bounds how deep calls are followed.
const MAX_CALL: usize = 256;

/// What simple names stand for.
#[derive(Debug, Default)]
pub(super) struct Constants {
    values: Vec<(String, Vec<Arg>)>,
    pub home: Option<String>,
    pub cwd: Option<String>,
    pub names: Names,
    /// The arguments of the script.
    pub arguments: Vec<Arg>,
    /// The variables that it gets.
    pub environment: Vec<(String, Arg)>,
}

impl Constants {
    pub(super) fn set(&mut self, name: &str, values: Vec<Arg>) {
        self.values.retain(|(known, _)| known != name);
        if self.values.len() < 64 {
            self.values.push((name.to_owned(), values));
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&[Arg]> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }
}

/// The end of a bracket that opens at `at`.
pub(super) fn matching(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(at).take(MAX_CALL) {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index;
                }
            }
            _ => {}
        }
    }
    tokens.len().min(at + MAX_CALL)
}

/// The arguments of a call, separated by commas.
pub(super) fn arguments(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut found, mut depth, mut from) = (Vec::new(), 0usize, 0);
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Mark(',') if depth == 0 => {
                found.push(tokens.get(from..index).unwrap_or_default());
                from = index + 1;
            }
            _ => {}
        }
    }
    if from < tokens.len() {
        found.push(tokens.get(from..).unwrap_or_default());
    }
    found
}

/// The texts of an expression: several for a list.
pub(super) fn texts(tokens: &[Token], constants: &Constants, span: Span) -> Vec<Arg> {
    match tokens {
        [Token::Mark('['), inner @ .., Token::Mark(']')] => {
            arguments(inner).into_iter().take(32).map(|part| text(part, constants, span)).collect()
        }
        [Token::Mark('('), inner @ .., Token::Mark(')')] if arguments(inner).len() > 1 => {
            arguments(inner).into_iter().take(32).map(|part| text(part, constants, span)).collect()
        }
        [Token::Name(name)] => constants.get(name).map_or_else(|| vec![text(tokens, constants, span)], <[Arg]>::to_vec),
        _ => vec![text(tokens, constants, span)],
    }
}

/// The text of an expression, as far as it is known.
pub(super) fn text(tokens: &[Token], constants: &Constants, span: Span) -> Arg {
    let mut value = Arg { span, ..Arg::default() };
    let mut at = 0;
    let mut separator = "";
    while let Some(token) = tokens.get(at) {
        at += 1;
        let part = match token {
            Token::Text { text, filled } => fill(text, *filled, constants, span),
            Token::Mark('+') => continue,
            Token::Mark('/') => {
                separator = "/";
                continue;
            }
            Token::Mark(',') => break,
            // `key=value` of a call names no path.
            Token::Mark('=') => return Arg::unknown("$__", span),
            Token::Mark('(') => {
                let end = matching(tokens, at - 1);
                let inner = tokens.get(at..end).unwrap_or_default();
                at = end + 1;
                text(inner, constants, span)
            }
            Token::Mark('[') => {
                at = matching(tokens, at - 1) + 1;
                continue;
            }
            Token::Mark('%') if !value.text.is_empty() => {
                return methods::percent(&value, tokens.get(at..).unwrap_or_default(), constants, span);
            }
            Token::Mark(_) | Token::Command(_) => Arg::unknown("$__", span),
            Token::Name(name) => {
                let call = matches!(tokens.get(at), Some(Token::Mark('(' | '[')))
                    || name == "$ENV" && matches!(tokens.get(at), Some(Token::Mark('{')));
                let end = if call { matching(tokens, at) } else { at };
                let inner = if call { tokens.get(at + 1..end).unwrap_or_default() } else { &[] };
                if call {
                    at = end + 1;
                }
                if let Some(method) = name.strip_prefix('.')
                    && let Some(made) = methods::apply(&value, method, inner, constants, span)
                {
                    value = made;
                    continue;
                }
                match named(name, inner, constants, span) {
                    Some(part) => part,
                    None => continue,
                }
            }
        };
        append(&mut value, &part, separator);
        separator = "";
    }
    value
}

pub(super) fn append(value: &mut Arg, part: &Arg, separator: &str) {
    if !separator.is_empty() && !value.text.ends_with('/') {
        value.text.push_str(separator);
    }
    if value.hole.is_none() {
        value.hole = part.hole.map(|hole| hole + value.text.len());
    }
    if value.text.len() + part.text.len() > 4096 {
        value.hole = value.hole.or(Some(value.text.len()));
        return;
    }
    if value.glob.is_none() {
        value.glob = part.glob.map(|glob| glob + value.text.len());
    }
    value.text.push_str(&part.text);
    value.taint.add(&part.taint);
}

/// A text with parts to fill in: known names are, others are not.
fn fill(text: &str, filled: bool, constants: &Constants, span: Span) -> Arg {
    if !filled {
        return Arg::new(text, span);
    }
    let mut value = Arg { span, ..Arg::default() };
    let mut rest = text;
    while let Some(at) = rest.find(['{', '$']) {
        value.text.push_str(rest.get(..at).unwrap_or_default());
        let behind = rest.get(at + 1..).unwrap_or_default().trim_start_matches('{');
        let end = behind.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(behind.len());
        let name = behind.get(..end).unwrap_or_default();
        match constants.get(name).and_then(<[Arg]>::first) {
            Some(known) => append(&mut value, &known.clone(), ""),
            None => append(&mut value, &Arg::unknown(format!("${name}"), span), ""),
        }
        rest = behind.get(end..).unwrap_or_default().trim_start_matches('}');
    }
    value.text.push_str(rest);
    value
}

/// What a name or a call with this name gives; `None` if it changes nothing about the text (`.resolve()`).
fn named(name: &str, inner: &[Token], constants: &Constants, span: Span) -> Option<Arg> {
    let home = || constants.home.as_ref().map_or_else(|| Arg::unknown("~", span), |home| Arg::new(home.clone(), span));
    let cwd = || constants.cwd.as_ref().map_or_else(|| Arg::unknown(".", span), |cwd| Arg::new(cwd.clone(), span));
    let resolved = constants.names.resolve(name);
    let last = resolved.rsplit('.').next().unwrap_or(name);
    match &*resolved {
        // Numbers leave no token behind: which argument it is, is only known if there is one.
        "sys.argv" | "process.argv" | "ARGV" | "$ARGV" => {
            let only = constants.arguments.first().filter(|_| constants.arguments.len() == 1);
            return Some(only.cloned().unwrap_or_else(|| Arg::unknown("$__", span)));
        }
        "Path.home" | "pathlib.Path.home" | "os.homedir" | "homedir" | "process.env.HOME" | "Dir.home" | "ENV.HOME" => {
            return Some(home());
        }
        "Path.cwd" | "pathlib.Path.cwd" | "os.getcwd" | "process.cwd" | "Dir.pwd" | "getcwd" | "__dirname" => {
            return Some(cwd());
        }
        "os.environ" | "os.getenv" | "os.environ.get" | "ENV" | "getenv" | "$ENV" | "process.env" | "os.Getenv" => {
            let variable = match inner {
                [Token::Name(name)] if resolved == "$ENV" => Arg::new(name, span),
                _ => text(arguments(inner).first().copied().unwrap_or_default(), constants, span),
            };
            return Some(environment(&variable.text, constants, &home(), span));
        }
        _ => {}
    }
    if let Some(variable) = name.strip_prefix("process.env.") {
        return Some(environment(variable, constants, &home(), span));
    }
    if let Some(known) = constants.get(name).and_then(<[Arg]>::first) {
        return Some(known.clone());
    }
    // `root.glob('*.txt')`
    if let Some((object, method)) = name.rsplit_once('.')
        && let Some(value) = constants.get(object).and_then(<[Arg]>::first)
        && let Some(made) = methods::apply(value, method, inner, constants, span)
    {
        return Some(made);
    }
    match last {
        // Perl's stands before its argument.
        "glob" if inner.is_empty() => None,
        "glob" | "iglob" | "globSync" => Some(methods::pattern(text(arguments(inner).first()?, constants, span))),
        "listdir" | "readdirSync" => Some(methods::pattern(Arg::new("*", span))),
        "scandir" if !inner.is_empty() => {
            let mut entries = text(inner, constants, span);
            append(&mut entries, &methods::pattern(Arg::new("*", span)), "/");
            Some(entries)
        }
        "join" | "resolve" | "joinpath" if !inner.is_empty() => Some(joined(inner, constants, span)),
        "Path" | "PurePath" | "PosixPath" if arguments(inner).len() > 1 => Some(joined(inner, constants, span)),
        "Path" | "PurePath" | "PosixPath" | "str" | "String" | "expandvars" | "abspath" | "realpath" | "normpath"
        | "fspath" | "new" | "Pathname" | "URL" | "encode" | "bytes" => {
            let value = text(inner, constants, span);
            (!value.text.is_empty() || !inner.is_empty()).then_some(value)
        }
        "expanduser" | "expand_path" => {
            let value = text(inner, constants, span);
            match value.text.strip_prefix('~') {
                Some(rest) if value.known() => Some(Arg::new(format!("{}{rest}", home().text), span)),
                _ if inner.is_empty() => None,
                _ => Some(value),
            }
        }
        "absolute" | "as_posix" | "toString" | "trim" | "strip" | "decode" if name.starts_with('.') => None,
        _ => Some(Arg::unknown("$__", span)),
    }
}

fn environment(variable: &str, constants: &Constants, home: &Arg, span: Span) -> Arg {
    if let Some((_, value)) = constants.environment.iter().find(|(known, _)| known == variable) {
        return Arg { span, ..value.clone() };
    }
    if variable == "HOME" || variable == "USERPROFILE" {
        return home.clone();
    }
    let taint = if crate::secrets::is_secret_variable(variable) {
        crate::flow::Taint::secret(variable)
    } else {
        crate::flow::Taint::NONE
    };
    Arg { taint, ..Arg::unknown(format!("${variable}"), span) }
}

pub(super) fn joined(inner: &[Token], constants: &Constants, span: Span) -> Arg {
    let mut value = Arg { span, ..Arg::default() };
    for part in arguments(inner) {
        let part = text(part, constants, span);
        if part.text.starts_with('/') && part.known() {
            value = part;
        } else {
            let separator = if value.text.is_empty() { "" } else { "/" };
            append(&mut value, &part, separator);
        }
    }
    value
}
