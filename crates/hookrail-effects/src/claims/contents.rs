//! Programs that are written in an argument: of sed, awk and jq only what certainly just computes is claimed.

use super::Words;
use crate::flow::Arg;

/// The programs of sed: those of `-e`, or the first operand. Returns one that is not claimed.
pub(super) fn sed(words: &Words<'_>) -> Option<String> {
    let with_option = words.options.iter().any(|option| option.starts_with("-e") || option.starts_with("--expression"));
    // A value behind `=`, or right behind the letter, is not looked at.
    let is_apart = |option: &&&str| option.len() > 2 && (option.contains("-e") || option.contains("xpression="));
    if let Some(option) = words.options.iter().find(is_apart) {
        return Some((*option).to_owned());
    }
    let first = words.operands.first().filter(|_| !with_option);
    let mut programs = words.values.iter().filter(|_| with_option).chain(first);
    programs.find(|program| !is_plain_sed(&program.text)).map(|program| program.text.clone())
}

/// Reports whether a program of sed has only addresses, `p`, `d`, `q`, `=`, and `s` without `e` and `w`.
fn is_plain_sed(program: &str) -> bool {
    let mut rest = program.trim_start_matches([' ', ';', '\n', '\t']);
    while !rest.is_empty() {
        let Some(behind) = sed_command(rest) else { return false };
        let behind = behind.trim_start_matches([' ', '\t']);
        if !behind.is_empty() && !behind.starts_with([';', '\n']) {
            return false;
        }
        rest = behind.trim_start_matches([' ', ';', '\n', '\t']);
    }
    true
}

/// What follows one command of sed.
fn sed_command(text: &str) -> Option<&str> {
    let mut rest = address(text)?;
    if let Some(second) = rest.strip_prefix(',') {
        rest = address(second)?;
    }
    rest = rest.trim_start_matches([' ', '!']);
    let command = rest.chars().next()?;
    rest = rest.get(1..)?;
    match command {
        'p' | 'd' | 'q' | '=' => Some(rest),
        's' => {
            let delimiter = rest.chars().next().filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
            let rest = behind(behind(rest.get(1..)?, delimiter)?, delimiter)?;
            Some(rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, 'g' | 'i' | 'I' | 'p')))
        }
        _ => None,
    }
}

fn address(text: &str) -> Option<&str> {
    if let Some(pattern) = text.strip_prefix('/') {
        return behind(pattern, '/');
    }
    Some(text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | '~' | '+')))
}

/// What follows the next delimiter that no backslash is in front of. Brackets are left to the doubt.
fn behind(text: &str, delimiter: char) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return None,
            c if c == delimiter => return text.get(at + c.len_utf8()..),
            _ => {}
        }
    }
    None
}

/// The program of awk. Returns it if it might run, read or write something.
pub(super) fn awk(words: &Words<'_>) -> Option<String> {
    let program: &Arg = words.operands.first()?;
    let text = &program.text;
    let does = ["system", "getline", "close", "fflush", "ENVIRON", "PROCINFO", "@", "|", ">", "ARGV", "ARGC"];
    does.iter().any(|word| text.contains(word)).then(|| text.clone())
}

/// The program of jq or yq. Returns it if it might read something else, the environment included.
pub(super) fn jq(words: &Words<'_>) -> Option<String> {
    let program: &Arg = words.operands.first()?;
    let text = &program.text;
    let does = ["env", "ENV", "include", "import", "input", "load", "system", "exec", "modulemeta", "$__"];
    does.iter().any(|word| text.contains(word)).then(|| text.clone())
}

#[cfg(test)]
mod tests {
    use super::is_plain_sed;

    #[test]
    fn programs_of_sed_that_run_or_write_are_not_plain() {
        for program in
            ["p", "1,80p", "$d", "/a/,/b/p", "s/a/b/g", "s|a|b|;s/c/d/2p", "/x/!d", "10q", "s/a\\/b/c/I", "1,$p"]
        {
            assert!(is_plain_sed(program), "{program}");
        }
        for program in [
            "1e id",
            "s/a/id/e",
            "s/a/b/ge",
            "w /x",
            "s/a/b/w /x",
            "s/a/b/gw x",
            "e",
            "r /x",
            "W x",
            "1!e id",
            "a\\\nx\ne id",
            "s/a/b/;e id",
            "p;w x",
            "{p;e id}",
            "/a/e",
            "s/a/b",
            "b;e",
            "1,2e",
            "s/[/]/x/e;s/a/b/",
            "$!e id",
            "\\,a,e id",
            "1 e id",
        ] {
            assert!(!is_plain_sed(program), "{program}");
        }
    }
}
