//! Programs that run the command they are given: with other rights, another environment, again or under a lock.

use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow};
use crate::shell::{self, Scope};

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "sudo" => sudo,
        "su" => su,
        "env" => env,
        "watch" => watch,
        "flock" => flock,
        "busybox" => busybox,
        _ => return None,
    })
}

fn sudo(r: &mut Reading<'_, '_, '_>) -> Flow {
    let command = r.parsed.operands.clone();
    let harmless =
        command.first().is_some_and(|arg| matches!(arg.text.as_str(), "true" | "false" | "whoami" | "id" | "echo"));
    let lists = r.parsed.has(&["-l", "-v", "-k", "-K", "--list", "--validate"]) && command.is_empty();
    if !harmless && !lists {
        r.act(Act::ExecPrivileged, command.first().map(|arg| arg.text.clone()).as_deref());
    }
    if command.is_empty() {
        let code = r.call.stdin.clone();
        return if r.parsed.has(&["-s", "-i", "--shell", "--login"]) {
            shell::run_code(r.analysis, r.shell, &code, Scope::Child, &r.call)
        } else {
            Flow::default()
        };
    }
    let assignments = command.iter().take_while(|arg| is_assignment(&arg.text)).count();
    for arg in command.iter().take(assignments) {
        add_assignment(&mut r.call.env, arg);
    }
    let outside = r.shell.cwd.clone();
    if let Some(folder) = r.parsed.value(&["-D", "--chdir"]).cloned() {
        r.shell.cwd = shell::folder(r.analysis, r.shell, &folder);
    }
    let flow = r.run(command.into_iter().skip(assignments).collect());
    r.shell.cwd = outside;
    flow
}

pub(super) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn add_assignment(env: &mut Vec<(String, Arg)>, arg: &Arg) {
    if let Some((name, _)) = arg.text.split_once('=') {
        env.push((name.to_owned(), arg.after(name.len() + 1)));
    }
}

fn su(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.act(Act::ExecPrivileged, None);
    match r.parsed.value(&["-c", "--command"]).cloned() {
        Some(text) => r.run_text(&text),
        // `runuser -u USER -- COMMAND`
        None if r.parsed.has(&["-u", "--user"]) => r.run(r.parsed.operands.clone()),
        None => Flow::default(),
    }
}

fn env(r: &mut Reading<'_, '_, '_>) -> Flow {
    let before = r.shell.cwd.clone();
    let flow = run_in_environment(r);
    r.shell.cwd = before;
    flow
}

fn run_in_environment(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        match text {
            "-u" | "--unset" => at += 2,
            "-C" | "--chdir" => {
                if let Some(folder) = args.get(at + 1) {
                    r.shell.cwd = shell::folder(r.analysis, r.shell, folder);
                }
                at += 2;
            }
            _ if text.starts_with("--chdir=") => {
                r.shell.cwd = shell::folder(r.analysis, r.shell, &arg.after(8));
                at += 1;
            }
            "-S" | "-vS" | "-iS" | "--split-string" => {
                let line = args.get(at + 1).cloned().unwrap_or_default();
                return r.run_text(&with_words(&line, args.get(at + 2..)));
            }
            _ if text.starts_with("-S") || text.starts_with("--split-string=") => {
                let line = text.trim_start_matches("-S").trim_start_matches("--split-string=");
                return r.run_text(&with_words(&arg.with_text(line), args.get(at + 1..)));
            }
            _ if text.starts_with('-') => at += 1,
            _ if is_assignment(text) => {
                add_assignment(&mut r.call.env, arg);
                at += 1;
            }
            _ => break,
        }
    }
    let command: Vec<Arg> = args.into_iter().skip(at).collect();
    if command.is_empty() {
        return shell::print_environment(r.analysis, &r.call.clone());
    }
    r.run(command)
}

/// A line, and the words behind it.
fn with_words(line: &Arg, words: Option<&[Arg]>) -> Arg {
    let more: String = words.unwrap_or_default().iter().map(|word| format!(" {}", shell::quote(word))).collect();
    line.with_text(format!("{}{more}", line.text))
}

/// `watch` gives its words to a shell as one text.
fn watch(r: &mut Reading<'_, '_, '_>) -> Flow {
    let command = r.parsed.operands.clone();
    let command = match command.split_first() {
        // Options of the command look like watch's own.
        Some((first, _)) => {
            let from = r.call.args.iter().position(|arg| arg == first).unwrap_or_default();
            r.call.args.get(from..).unwrap_or_default().to_vec()
        }
        None => return Flow::default(),
    };
    if command.len() > 1 {
        return r.run(command);
    }
    match command.first().cloned() {
        Some(line) => r.run_text(&line),
        None => Flow::default(),
    }
}

fn flock(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        match arg.text.as_str() {
            "-w" | "-E" | "--timeout" => at += 2,
            text if text.starts_with('-') => at += 1,
            _ => break,
        }
    }
    if let Some(file) = args.get(at).filter(|arg| !arg.text.chars().all(|c| c.is_ascii_digit())) {
        r.touch(Act::FsWrite, file, Extent::Single);
    }
    let rest: Vec<Arg> = args.into_iter().skip(at + 1).collect();
    match rest.as_slice() {
        [option, text, ..] if matches!(option.text.as_str(), "-c" | "--command") => {
            let text = text.clone();
            r.run_text(&text)
        }
        [] => Flow::default(),
        _ => r.run(rest),
    }
}

fn busybox(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    r.run(args)
}
