//! Which commands are claimed word by word, so that an allow may rest on them.

mod contents;
mod settings;
mod table;

pub(crate) use settings::of_repository;

use crate::analysis::Analysis;
use crate::flow::Arg;
use crate::paths::joined;
use crate::proof::DoubtReason;
use crate::shell::{Invocation, Shell};
use hookrail_core::FileKind;
use hookrail_core::tidy_path::is_within;
use hookrail_shell::ast::Span;
use table::{ROWS, Row};

/// The words of one command, sorted as its row says.
#[derive(Default)]
struct Words<'a> {
    options: Vec<&'a str>,
    values: Vec<&'a Arg>,
    operands: Vec<&'a Arg>,
    /// The command that the rest of the words is, if the program runs one.
    nested: &'a [Arg],
}

/// Claims a command, or notes the words that nothing claims. Returns whether a script must be read for the claim to hold.
pub(crate) fn check(analysis: &mut Analysis<'_>, shell: &Shell<'_>, program: &Arg, call: &Invocation) -> bool {
    check_environment(analysis, call);
    if !is_the_program(analysis, shell, program, &call.program) {
        analysis.doubt(DoubtReason::Program, &program.text, call.span);
        return false;
    }
    if let [only] = call.args.as_slice()
        && matches!(only.text.as_str(), "--version" | "--help")
        && !crate::models::rows_of(&call.program, &[]).is_empty()
    {
        analysis.effects.proof.claim(format!("{} {}", call.program, only.text), call.span);
        return false;
    }
    let Some(row) = row_of(&call.program) else {
        analysis.doubt(DoubtReason::Program, &call.program, call.span);
        return false;
    };
    claim(analysis, shell, row, call, &call.args)
}

/// Notes the variables that are set for a script of the project, which must be read for the claim to hold.
pub(crate) fn check_environment(analysis: &mut Analysis<'_>, call: &Invocation) -> bool {
    for (name, value) in &call.env {
        for_program(analysis, name, value, call.span);
    }
    true
}

/// Claims words by a row. Returns whether a script must be read.
fn claim(analysis: &mut Analysis<'_>, shell: &Shell<'_>, row: &'static Row, call: &Invocation, args: &[Arg]) -> bool {
    let before = analysis.effects.proof.doubts.len();
    let mut words = Words::default();
    let row = sort(analysis, row, args, call.span, &mut words);
    for check in tokens(row).filter(|token| token.starts_with('@')) {
        if let Some((why, word)) = also_holds(analysis, shell, check, &words, call) {
            analysis.doubt(why, &word, call.span);
        }
    }
    if analysis.effects.proof.doubts.len() == before {
        let subcommand = words.operands.first().filter(|_| row.0.contains(' '));
        let program = row.0.split(' ').next().unwrap_or(row.0);
        let name = subcommand.map_or_else(|| program.to_owned(), |word| format!("{program} {}", word.text));
        analysis.effects.proof.claim(name, call.span);
    }
    has(row, "@script") || has(row, "@make")
}

fn tokens(row: &Row) -> impl Iterator<Item = &'static str> + use<> {
    row.1.split_ascii_whitespace()
}

fn has(row: &Row, token: &str) -> bool {
    tokens(row).any(|known| known == token)
}

/// The row of a command, by its program and subcommands.
fn row_of(command: &str) -> Option<&'static Row> {
    let is_row = |row: &&Row| {
        let mut words = command.split(' ');
        let alike =
            row.0.split(' ').all(|names| words.next().is_some_and(|word| names.split('|').any(|name| name == word)));
        alike && words.next().is_none()
    };
    let program = command.split(' ').next().unwrap_or_default();
    ROWS.iter().filter(|row| row.0.starts_with(program)).find(is_row)
}

/// What a row says about an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claimed {
    Flag,
    /// With a value, behind `=` or as the next word.
    Value,
    /// Perhaps with a value behind `=`.
    PerhapsValue,
}

/// Looks a long option, or a word with a single dash, up.
fn long(row: &Row, name: &str) -> Option<Claimed> {
    let dotted = name.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    tokens(row).find_map(|token| {
        let (known, claimed) = match token.strip_suffix("=?") {
            Some(known) => (known, Claimed::PerhapsValue),
            None => token.strip_suffix('=').map_or((token, Claimed::Flag), |known| (known, Claimed::Value)),
        };
        let same = match known.strip_prefix('.') {
            Some(word) => Some(word) == dotted,
            None => known.starts_with("--") && known == name,
        };
        same.then_some(claimed)
    })
}

/// Looks a letter up.
fn letter(row: &Row, wanted: char) -> Option<Claimed> {
    tokens(row).find_map(|token| {
        let letters = token.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        if let Some(known) = letters.strip_suffix("=?") {
            return known.chars().eq([wanted]).then_some(Claimed::PerhapsValue);
        }
        match letters.strip_suffix('=') {
            Some(known) => (known.chars().eq([wanted])).then_some(Claimed::Value),
            None => letters.contains(wanted).then_some(Claimed::Flag),
        }
    })
}

/// Sorts words, and notes those that the row does not have. Returns the row of the subcommand, if there is one.
fn sort<'a>(
    analysis: &mut Analysis<'_>,
    mut row: &'static Row,
    args: &'a [Arg],
    span: Span,
    words: &mut Words<'a>,
) -> &'static Row {
    // All words of these are texts.
    if tokens(row).any(|token| matches!(token, "@words" | "@test" | "@printf" | "@env" | "@python")) {
        words.operands.extend(args);
        return row;
    }
    let mut at = 0;
    let mut only_operands = false;
    let mut command = row.0.to_owned();
    let mut expects_subcommand = tokens(row).any(|token| token.starts_with("sub"));
    while let Some(arg) = args.get(at) {
        at += 1;
        let text = arg.text.as_str();
        if text == "--" && !only_operands {
            only_operands = true;
            continue;
        }
        if only_operands || text.len() < 2 || !text.starts_with('-') || arg.hole == Some(0) {
            if expects_subcommand {
                command = format!("{command} {text}");
                match row_of(&command).filter(|_| is_certain(arg) && !text.contains(' ')) {
                    Some(below) => row = below,
                    None => {
                        analysis.doubt(DoubtReason::Subcommand, text, arg.span);
                        return row;
                    }
                }
                expects_subcommand = tokens(row).any(|token| token.starts_with("sub"));
                words.operands.push(arg);
                continue;
            }
            let before = tokens(row).find_map(|token| token.strip_suffix('>'));
            if let Some(before) = before
                && words.operands.len() >= before.parse().unwrap_or(0)
            {
                words.nested = args.get(at - 1..).unwrap_or_default();
                return row;
            }
            check_operand(analysis, row, arg, only_operands);
            words.operands.push(arg);
            continue;
        }
        if let Some(value) = check_option(analysis, row, arg, args.get(at), words) {
            words.values.push(value);
            at += 1;
        }
    }
    if expects_subcommand && !has(row, "sub?") {
        analysis.doubt(DoubtReason::Subcommand, row.0, span);
    }
    row
}

/// Checks an option. Returns the next word if that is its value.
fn check_option<'a>(
    analysis: &mut Analysis<'_>,
    row: &'static Row,
    arg: &'a Arg,
    next: Option<&'a Arg>,
    words: &mut Words<'a>,
) -> Option<&'a Arg> {
    let text = arg.text.as_str();
    words.options.push(text);
    if !is_certain(arg) {
        analysis.doubt(DoubtReason::Value, text, arg.span);
        return None;
    }
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let mut taken = None;
    let is_claimed = match long(row, name) {
        Some(Claimed::Flag) => value.is_none(),
        Some(Claimed::PerhapsValue) => true,
        Some(Claimed::Value) => {
            taken = next.filter(|_| value.is_none());
            value.is_some() || next.is_some_and(is_certain)
        }
        None if text.starts_with("--") => false,
        None if has(row, "-#") && text.bytes().skip(1).all(|byte| byte.is_ascii_digit()) => true,
        None => {
            let letters = text.get(1..).unwrap_or_default();
            let has_value = |known| matches!(letter(row, known), Some(Claimed::Value | Claimed::PerhapsValue));
            let first_with_value = letters.char_indices().find(|(_, known)| has_value(*known));
            let flags = first_with_value.map_or(letters, |(at, _)| letters.get(..at).unwrap_or_default());
            let is_last = first_with_value.is_some_and(|(at, known)| {
                at + known.len_utf8() == letters.len() && letter(row, known) == Some(Claimed::Value)
            });
            taken = next.filter(|_| is_last);
            flags.chars().all(|known| letter(row, known).is_some()) && (!is_last || next.is_some_and(is_certain))
        }
    };
    if !is_claimed {
        analysis.doubt(DoubtReason::Option, text, arg.span);
    }
    taken
}

fn check_operand(analysis: &mut Analysis<'_>, row: &'static Row, arg: &Arg, behind_dashes: bool) {
    if has(row, "~") {
        return;
    }
    if !has(row, "*") || arg.text.starts_with('+') && !has(row, "+") && !behind_dashes {
        analysis.doubt(DoubtReason::Operand, &arg.text, arg.span);
    } else if !is_certain(arg) {
        analysis.doubt(DoubtReason::Value, &arg.text, arg.span);
    }
}

/// Reports whether an argument is exactly one certain text.
fn is_certain(arg: &Arg) -> bool {
    arg.known() && arg.firm && arg.glob.is_none()
}

/// Checks what a row asks for beyond its words. Returns what is in doubt.
fn also_holds(
    analysis: &mut Analysis<'_>,
    shell: &Shell<'_>,
    check: &str,
    words: &Words<'_>,
    call: &Invocation,
) -> Option<(DoubtReason, String)> {
    let operand = |why, arg: &Arg| Some((why, arg.text.clone()));
    match check {
        "@one" if words.operands.len() > 2 => operand(DoubtReason::Operand, words.operands.last()?),
        "@ps" => {
            let letters = |arg: &&&Arg| !arg.text.chars().all(|c| matches!(c, 'a' | 'u' | 'x' | 'w' | 'f' | 'l'));
            operand(DoubtReason::Operand, words.operands.iter().find(letters)?)
        }
        "@dry" => {
            let dry = words.options.iter().any(|option| option.contains("-n") || *option == "--dry-run");
            let letters = words.options.iter().any(|option| !option.starts_with("--") && option.contains('n'));
            (!dry && !letters).then(|| (DoubtReason::Option, call.program.clone()))
        }
        "@staged" => {
            let staged = words.options.iter().any(|option| matches!(*option, "-S" | "--staged"));
            (!staged).then(|| (DoubtReason::Option, call.program.clone()))
        }
        "@build" => outside_of_project(analysis, shell, words).map(|word| (DoubtReason::Operand, word)),
        "@remote" => operand(DoubtReason::Operand, words.operands.iter().find(|arg| arg.text.contains("::"))?),
        "@plain" => {
            let reads = words.operands.iter().chain(&words.values).find(|arg| arg.text.contains(['@', '{', '[']))?;
            operand(DoubtReason::Operand, reads)
        }
        "@test" => {
            operand(DoubtReason::Option, words.operands.iter().find(|arg| matches!(arg.text.as_str(), "-v" | "-R"))?)
        }
        "@printf" => operand(DoubtReason::Option, words.operands.first().filter(|arg| arg.text.starts_with('-'))?),
        "@set" => {
            let harmless =
                |arg: &&&Arg| !matches!(arg.text.as_str(), "pipefail" | "errexit" | "nounset" | "+e" | "+u" | "+x");
            operand(DoubtReason::Option, words.operands.iter().chain(&words.values).find(harmless)?)
        }
        "@assigns" | "@exports" => {
            for arg in &words.operands {
                let name = arg.text.split(['=', '+', '[']).next().unwrap_or_default();
                let value = arg.after(arg.text.find('=').map_or(arg.text.len(), |at| at + 1));
                if check == "@exports" {
                    for_program(analysis, name, &value, arg.span);
                } else {
                    for_shell(analysis, shell, name, &value, arg.span);
                }
            }
            None
        }
        "@env" => environment(analysis, words, call),
        "@known" => {
            let program = words.nested.first().map_or("", |arg| arg.text.as_str());
            let runs = ROWS.iter().any(|row| row.0.split(' ').next() == Some(program) && has(row, "@project"));
            (!runs).then(|| (DoubtReason::Program, program.to_owned()))
        }
        "@project" => outside_of_project(analysis, shell, words).map(|word| (DoubtReason::Operand, word)),
        "@python" => module(analysis, shell, words, call),
        "@find" => None,
        "@sed" => contents::sed(words).map(|word| (DoubtReason::Operand, word)),
        "@awk" => contents::awk(words).map(|word| (DoubtReason::Operand, word)),
        "@jq" => contents::jq(words).map(|word| (DoubtReason::Operand, word)),
        "@cargo" => settings::of_cargo(analysis, shell, words)
            .map(|word| (DoubtReason::Settings, word))
            .or_else(|| outside_of_project(analysis, shell, words).map(|word| (DoubtReason::Operand, word))),
        "@script" | "@make" => {
            let assigns = words.operands.iter().find(|arg| check == "@make" && arg.text.contains('='));
            if let Some(arg) = assigns {
                return operand(DoubtReason::Operand, arg);
            }
            settings::of_tasks(analysis, shell, &call.program).map(|word| (DoubtReason::Settings, word))
        }
        _ => None,
    }
}

/// `env NAME=value program …`
fn environment(analysis: &mut Analysis<'_>, words: &Words<'_>, call: &Invocation) -> Option<(DoubtReason, String)> {
    for arg in words.operands.iter().take_while(|arg| arg.text.contains('=') || arg.text.starts_with('-')) {
        match arg.text.split_once('=') {
            Some((name, _)) if !name.starts_with('-') => {
                for_program(analysis, name, &arg.after(name.len() + 1), call.span);
            }
            _ if arg.text == "-i" => {}
            _ => return Some((DoubtReason::Option, arg.text.clone())),
        }
    }
    None
}

/// `python -m pytest …` is `pytest …`, unless the folder has a module of that name.
fn module(
    analysis: &mut Analysis<'_>,
    shell: &Shell<'_>,
    words: &Words<'_>,
    call: &Invocation,
) -> Option<(DoubtReason, String)> {
    let name = words.operands.get(1);
    let row = name
        .filter(|_| words.operands.first().is_some_and(|option| option.text == "-m"))
        .and_then(|name| row_of(&name.text))
        .filter(|row| has(row, "@project"));
    let (Some(row), Some(name)) = (row, name) else { return Some((DoubtReason::Script, call.program.clone())) };
    let Some(cwd) = shell.cwd.as_deref() else { return Some((DoubtReason::Script, name.text.clone())) };
    let is_there = |file: String| analysis.machine.kind(&cwd.join(file)).is_some();
    if is_there(format!("{}.py", name.text)) || is_there(name.text.clone()) {
        return Some((DoubtReason::Program, name.text.clone()));
    }
    claim(analysis, shell, row, call, call.args.get(2..).unwrap_or_default());
    None
}

/// A word that names something outside of the project, or the folder itself if that is outside: tests and builds run what is
/// there.
fn outside_of_project(analysis: &Analysis<'_>, shell: &Shell<'_>, words: &Words<'_>) -> Option<String> {
    let project = &analysis.around.project;
    let Some(cwd) = shell.cwd.as_deref().filter(|cwd| is_within(cwd, project) && shell.elsewhere.is_empty()) else {
        return Some("the working directory".to_owned());
    };
    let outside = |arg: &&&Arg| {
        let path = joined(cwd, arg.text.split("::").next().unwrap_or_default());
        !is_within(&path, project) || !is_within(&analysis.resolve(&path), &analysis.resolve(project))
    };
    words.operands.iter().chain(&words.values).find(outside).map(|arg| arg.text.clone())
}

/// Reports whether a name runs the program that is known by it: found on `PATH` outside of the project, or in a folder of the
/// system.
fn is_the_program(analysis: &Analysis<'_>, shell: &Shell<'_>, program: &Arg, name: &str) -> bool {
    if program.text.contains('/') {
        let system = ["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"];
        return system.iter().any(|folder| program.text == format!("{folder}/{name}"));
    }
    if program.text != name || shell.get("PATH").is_some() || !program.firm {
        return false;
    }
    let path = analysis.machine.env("PATH").unwrap_or_default();
    let cwd = shell.cwd.as_deref();
    !path.split(':').any(|folder| {
        let full = cwd.map(|cwd| joined(cwd, folder));
        full.is_some_and(|full| {
            crate::models::is_local(analysis, &full)
                && analysis.machine.kind(&full.join(name)).is_some_and(|kind| kind != FileKind::Folder)
        })
    })
}

/// Variables that only change how something is shown, or which of its own modes a program takes.
const HARMLESS: &[&str] = &[
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TERMINAL_PROMPT",
    "LANG",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LINES",
    "NEXT_TELEMETRY_DISABLED",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_THREADS",
    "TERM",
    "TZ",
    "VERBOSE",
];

/// Notes a variable that programs get, unless it is known to be harmless.
pub(crate) fn for_program(analysis: &mut Analysis<'_>, name: &str, value: &Arg, span: Span) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ',' | ':' | '=' | '+' | '-');
    let harmless = HARMLESS.contains(&name) && value.text.chars().all(plain)
        || matches!(name, "PAGER" | "GIT_PAGER") && value.text == "cat";
    if !harmless || !is_certain(value) {
        analysis.doubt(DoubtReason::Assignment, name, span);
    }
}

/// Variables that the shell itself reads, by their names or how these begin.
const OF_SHELL: &[&str] = &[
    "BASH",
    "CDPATH",
    "COMP",
    "ENV",
    "EXECIGNORE",
    "FCEDIT",
    "FIGNORE",
    "FPATH",
    "FUNCNEST",
    "GLOB",
    "HIST",
    "HOME",
    "HOST",
    "IFS",
    "IGNOREEOF",
    "INPUTRC",
    "LANG",
    "LC_",
    "LD_",
    "DYLD_",
    "MAIL",
    "NULLCMD",
    "OLDPWD",
    "OPT",
    "PATH",
    "POSIX",
    "PROMPT",
    "PS",
    "PWD",
    "READNULLCMD",
    "SHELL",
    "TIMEFORMAT",
    "TMOUT",
    "TMPDIR",
    "ZDOTDIR",
    "cdpath",
    "fpath",
    "module_path",
    "path",
];

/// Notes a variable of the shell that programs get as well, or that the shell reads.
pub(crate) fn for_shell(analysis: &mut Analysis<'_>, shell: &Shell<'_>, name: &str, value: &Arg, span: Span) {
    if shell.is_exported(name) || analysis.machine.env(name).is_some() {
        for_program(analysis, name, value, span);
    } else if OF_SHELL.iter().any(|known| name.starts_with(known)) || name.is_empty() {
        analysis.doubt(DoubtReason::Assignment, name, span);
    }
}

#[cfg(test)]
mod tests;
