//! Tcl, as far as `expect` and `tclsh` are given it: the programs that it starts and the files that it names.

use crate::act::Act;
use crate::effect::GapReason;
use crate::flow::{Arg, Flow};
use crate::models::Reading;
use crate::shell;
use hookrail_shell::ast::Span;

/// Follows a script. What is not one of the commands below may still do anything with what it names.
pub(crate) fn run(r: &mut Reading<'_, '_, '_>, code: &str, span: Span) {
    r.act(Act::ExecDynamic, None);
    let mut clear = true;
    for command in code.split(['\n', ';', '[', ']']).map(str::trim).filter(|command| !command.is_empty()).take(4096) {
        match as_shell(command) {
            Some(line) => {
                r.run_text(&Arg::new(line, span));
            }
            None => clear &= is_quiet(command),
        }
    }
    if clear {
        return;
    }
    r.analysis.gap_in_text(GapReason::UnreadScript, span, code, r.shell.cwd.as_deref());
}

/// Commands that wait or print, and start or change nothing.
fn is_quiet(command: &str) -> bool {
    let name = command.split_whitespace().next().unwrap_or_default();
    name.starts_with('#')
        || matches!(name, "expect" | "wait" | "close" | "exit" | "puts" | "log_user" | "sleep" | "catch")
            && !command.contains(['{', '$'])
        || command.starts_with("set timeout")
}

/// A command of Tcl as one of the shell, if it starts a program or changes files.
fn as_shell(command: &str) -> Option<String> {
    let (name, rest) = command.split_once(char::is_whitespace)?;
    let rest = unbraced(rest.trim());
    match name {
        "spawn" | "exec" | "system" => Some(without_options(&rest).to_owned()),
        "file" => {
            let (what, paths) = rest.split_once(char::is_whitespace)?;
            let paths = without_options(paths);
            let program = match what {
                "delete" => "rm -rf",
                "rename" => "mv -f",
                "copy" => "cp -r",
                "mkdir" => "mkdir -p",
                "attributes" => "chmod 600",
                "link" => "ln -s",
                _ => return None,
            };
            Some(format!("{program} {paths}"))
        }
        "open" => {
            let (path, mode) = rest.rsplit_once(char::is_whitespace)?;
            mode.trim_matches(['"', '\'']).starts_with(['w', 'a']).then(|| format!(": > {path}"))
        }
        "log_file" => Some(format!(": > {}", without_options(&rest))),
        _ => None,
    }
}

/// `{…}` quotes as `'…'` does.
fn unbraced(text: &str) -> String {
    if text.contains('\'') { text.to_owned() } else { text.replace(['{', '}'], "'") }
}

fn without_options(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(behind) = rest.strip_prefix('-') {
        rest = behind.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    }
    rest
}

/// `expect` and `tclsh`: code in `-c`, in a file, or on the input.
pub(crate) fn reader(r: &mut Reading<'_, '_, '_>) -> Flow {
    let codes: Vec<Arg> = r.parsed.values(&["-c"]).cloned().collect();
    for code in &codes {
        run(r, &code.text, code.span);
    }
    let file = r.parsed.value(&["-f"]).or_else(|| r.parsed.operands.first()).cloned();
    let flow = match file.filter(|file| file.text != "-") {
        Some(file) => shell::read(r.analysis, r.shell, &file),
        None if codes.is_empty() => r.call.stdin.clone(),
        None => return Flow::default(),
    };
    let span = r.call.span;
    match shell::with_content(r.analysis, &flow).text {
        Some(text) => run(r, &text, span),
        None => {
            r.act(Act::ExecDynamic, None);
            let words = r.call.args.clone();
            r.gap(GapReason::UnreadScript, &words);
        }
    }
    r.mixed()
}

#[cfg(test)]
mod tests {
    use super::as_shell;

    #[test]
    fn what_starts_programs_and_changes_files_is_found() {
        for (command, expected) in [
            ("spawn rm -rf secrets", Some("rm -rf secrets")),
            ("spawn -noecho bash -c {rm -rf secrets}", Some("bash -c 'rm -rf secrets'")),
            ("exec -ignorestderr rm a", Some("rm a")),
            ("file delete -force -- a b", Some("rm -rf a b")),
            ("open secrets/a.txt w", Some(": > secrets/a.txt")),
            ("open secrets/a.txt r", None),
            ("expect eof", None),
            ("interact", None),
        ] {
            assert_eq!(as_shell(command).as_deref(), expected, "{command}");
        }
    }
}
