//! `cmd.exe`.

use super::{Operand, check_complete, each, inside, redirect, run_program};
use crate::act::Act;
use crate::analysis::Analysis;
use crate::location::Location;
use crate::shell::Shell;
use hookrail_shell::ast::Span;
use hookrail_shell::windows::{Separator, read_cmd};

/// Follows a command line of `cmd.exe`; `span` is where it stands, if it is an argument of the call.
pub(crate) fn run(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, text: &str, span: Option<Span>) {
    let line = read_cmd(text);
    inside(analysis, span, |analysis| {
        check_complete(analysis, &line, text);
        let mut of_loop = false;
        for command in &line.commands {
            if !analysis.admit(command.span) {
                return;
            }
            // `for %i in (a b) do …`: what stands in the parentheses are names.
            let names = of_loop && command.before == Separator::Block;
            of_loop = command.words.first().is_some_and(|word| word.text.eq_ignore_ascii_case("for"));
            if names {
                continue;
            }
            let words: Vec<Operand> = command.words.iter().map(Operand::of).collect();
            redirect(analysis, shell, &command.redirects);
            run_command(analysis, shell, after_condition(&words), command.span);
        }
    });
}

/// What `if` and `for` would run: the words behind the condition.
fn after_condition(words: &[Operand]) -> &[Operand] {
    let is = |word: &Operand, names: &[&str]| names.iter().any(|name| word.text.eq_ignore_ascii_case(name));
    let mut rest = words;
    while let Some((first, behind)) = rest.split_first() {
        rest = match behind {
            _ if is(first, &["do", "else", "call", "not", "start"]) => behind,
            [not, rest @ ..] if is(first, &["if"]) && is(not, &["not", "/i"]) => {
                return after_test(rest);
            }
            _ if is(first, &["if"]) => return after_test(behind),
            _ if is(first, &["for"]) => return &[],
            _ => return rest,
        };
    }
    rest
}

/// `exist X`, `defined X`, `errorlevel N` and `A==B`, which the reader takes for two words.
fn after_test(words: &[Operand]) -> &[Operand] {
    words.get(2..).unwrap_or_default()
}

fn run_command(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, words: &[Operand], span: Span) {
    let Some((program, rest)) = words.split_first() else { return };
    let operands: Vec<Operand> = rest.iter().filter(|word| !word.text.starts_with('/')).cloned().collect();
    match program.text.to_ascii_lowercase().as_str() {
        "del" | "erase" | "rd" | "rmdir" => each(analysis, shell, Act::FsDelete, &operands),
        "type" | "more" => each(analysis, shell, Act::FsRead, &operands),
        "copy" => match operands.split_last() {
            Some((target, sources @ [_, ..])) => {
                each(analysis, shell, Act::FsRead, sources);
                each(analysis, shell, Act::FsWrite, std::slice::from_ref(target));
            }
            _ => each(analysis, shell, Act::FsRead, &operands),
        },
        "move" | "ren" | "rename" => each(analysis, shell, Act::FsMove, &operands),
        "md" | "mkdir" => each(analysis, shell, Act::FsWrite, &operands),
        "format" | "diskpart" => {
            let target = operands.first().map(|word| word.text.as_str());
            analysis.add_target(Act::HostDisk, target, Location::Device, span);
        }
        "cd" | "chdir" | "pushd" => {
            if let Some(folder) = operands.first() {
                let folder = folder.with_text(&folder.text.replace('\\', "/")).to_arg();
                shell.cwd = crate::shell::folder(analysis, shell, &folder);
            }
        }
        "popd" => shell.cwd = None,
        "dir" | "echo" | "set" | "cls" | "ver" | "rem" | "exit" | "title" | "pause" | "setlocal" | "endlocal" => {}
        _ => run_program(analysis, shell, words, span),
    }
}
