//! Programs that scripts start: which words, or which text for a shell.

use super::Language;
use super::call_table::Does;
use super::evaluate::{Constants, texts};
use super::tokens::Token;
use crate::flow::Arg;
use hookrail_shell::ast::Span;

/// What is started.
pub(super) enum Started {
    /// Read by a shell.
    Text(Arg),
    /// A program and its words.
    Words(Vec<Arg>),
}

/// What a call with these arguments starts.
pub(super) fn started(
    does: Does,
    language: Language,
    args: &[&[Token]],
    constants: &Constants,
    span: Span,
) -> Vec<Started> {
    let before = args.first().is_some_and(|part| stands_before(language, part));
    let Some((program, rest)) = args.get(usize::from(before)..).and_then(<[_]>::split_first) else { return Vec::new() };
    let first = texts(program, constants, span);
    let has_words = language.has_words() && !rest.is_empty();
    if does == Does::Shell && !is_list(program) && !has_words {
        return first.into_iter().map(Started::Text).collect();
    }
    if is_list(program) || first.len() > 1 {
        return vec![Started::Words(first)];
    }
    let mut behind = words_behind(rest, has_words || does == Does::Exec, constants, span);
    if does == Does::Exec && !behind.is_empty() {
        // What the program is told that it is called.
        behind.remove(0);
    }
    let mut line = first;
    line.append(&mut behind);
    match line.as_slice() {
        [] => Vec::new(),
        [only] if does != Does::Exec => vec![Started::Text(only.clone())],
        _ => vec![Started::Words(line)],
    }
}

impl Language {
    /// Whether the functions that take a text for a shell take several words, too, and then need no shell.
    fn has_words(self) -> bool {
        matches!(self, Self::Perl | Self::Ruby)
    }
}

/// Whether an argument stands before the program: `os.spawnlp(os.P_WAIT, …)`, and Ruby's environment, `system({"A" => "b"}, …)`.
fn stands_before(language: Language, part: &[Token]) -> bool {
    match part {
        [Token::Mark('{'), ..] => language == Language::Ruby,
        [Token::Name(name)] => name.contains("P_"),
        _ => false,
    }
}

/// The words that follow a program: a list, a list in an object (`{args: […]}`), or all that follows.
fn words_behind(rest: &[&[Token]], all: bool, constants: &Constants, span: Span) -> Vec<Arg> {
    let Some(next) = rest.first() else { return Vec::new() };
    if is_list(next) {
        return texts(next, constants, span);
    }
    if let Some(list) = list_in_object(next) {
        return texts(list, constants, span);
    }
    let all = all || matches!(next, [Token::Text { .. }, ..]);
    let parts = rest.iter().take(if all { rest.len() } else { 1 });
    parts.filter(|part| !is_option(part)).flat_map(|part| texts(part, constants, span)).collect()
}

fn is_list(part: &[Token]) -> bool {
    matches!(part, [Token::Mark('['), ..])
}

/// The value of `args` in `{args: […], …}`.
fn list_in_object(part: &[Token]) -> Option<&[Token]> {
    let at = part
        .windows(3)
        .position(|three| matches!(three, [Token::Name(name), Token::Mark(':'), Token::Mark('[')] if name == "args"))?;
    let list = part.get(at + 2..).filter(|_| matches!(part, [Token::Mark('{'), ..]))?;
    let end = list.iter().position(|token| *token == Token::Mark(']'))?;
    list.get(..=end)
}

/// Whether a part is no word of the program: a named argument, an object of options, or the environment.
fn is_option(part: &[Token]) -> bool {
    match part {
        [Token::Mark('{'), ..] | [Token::Name(_), Token::Mark('='), ..] => true,
        // `Names::PATH` is a constant.
        [Token::Name(_), Token::Mark(':'), third, ..] => *third != Token::Mark(':'),
        [Token::Name(name)] => name.ends_with("environ") || name == "env",
        _ => false,
    }
}
