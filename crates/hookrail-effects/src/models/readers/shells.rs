//! Shells and interpreters.

use super::{ProgramReader, Reading};
use crate::Code;
use crate::act::Act;
use crate::analysis::Extent;
use crate::effect::GapReason;
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::script::{self, Language};
use crate::shell::{self, Scope};

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "shell" => |r| with_environment(r, shell_program),
        "python" => |r| with_environment(r, |r| interpreter(r, Language::Python)),
        "node" => |r| with_environment(r, |r| interpreter(r, Language::JavaScript)),
        "bun" => bun,
        "deno" => deno,
        "perl" => |r| with_environment(r, |r| interpreter(r, Language::Perl)),
        "ruby" => |r| with_environment(r, |r| interpreter(r, Language::Ruby)),
        "php" => |r| with_environment(r, |r| interpreter(r, Language::Php)),
        "lua" => |r| with_environment(r, |r| interpreter(r, Language::Lua)),
        "rscript" => |r| with_environment(r, |r| interpreter(r, Language::R)),
        "opaque" => opaque,
        "tcl" => script::tcl::reader,
        "powershell" => powershell,
        "cmd" => cmd,
        "osascript" => osascript,
        "awk" => super::filters::awk,
        "nixshell" => nixshell,
        _ => return None,
    })
}

/// Scripts see the variables that are set for them alone.
fn with_environment(r: &mut Reading<'_, '_, '_>, run: impl FnOnce(&mut Reading<'_, '_, '_>) -> Flow) -> Flow {
    let env = r.call.env.clone();
    let Reading { analysis, shell, rows, parsed, call } = r;
    shell.with_environment(&env, |shell| {
        let mut inner = Reading { analysis, shell, rows, parsed: std::mem::take(parsed), call: call.clone() };
        run(&mut inner)
    })
}

/// A shell: `-c`, a file, or its input.
fn shell_program(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let mut at = 0;
    let (mut command, mut checks, mut stdin, mut strict) = (false, false, false, false);
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        checks |= matches!(text, "--version" | "--help");
        if matches!(text, "--rcfile" | "--init-file")
            && let Some(file) = args.get(at + 1)
        {
            let call = shell::Invocation { args: Vec::new(), ..r.call.clone() };
            script::file::run_with(r.analysis, r.shell, file, &call, Scope::Child, Some(Language::Shell));
        }
        strict |=
            text.starts_with('-') && text.ends_with('o') && args.get(at + 1).is_some_and(|name| name.text == "errexit");
        if matches!(text, "-o" | "-O" | "+o" | "+O" | "--rcfile" | "--init-file") {
            at += 2;
            continue;
        }
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        if !text.starts_with(['-', '+']) || arg.hole == Some(0) {
            break;
        }
        // `-euo pipefail`: the last letter takes a value.
        if !text.starts_with("--") && text.ends_with(['o', 'O']) {
            at += 1;
        }
        if !text.starts_with("--") {
            command |= text.contains('c') && text.starts_with('-');
            checks |= text.contains('n') && text.starts_with('-');
            stdin |= text.contains('s') && text.starts_with('-');
            strict |= text.contains('e') && text.starts_with('-');
        }
        at += 1;
    }
    if checks {
        return Flow::unknown(Taint::NONE);
    }
    let rest: Vec<Arg> = args.into_iter().skip(at).collect();
    // bash runs this file before anything else.
    let before = r.call.variable("BASH_ENV").or_else(|| r.shell.get("BASH_ENV").and_then(<[Arg]>::first)).cloned();
    if let Some(file) = before.filter(|file| r.call.program == "bash" && !file.text.is_empty()) {
        let call = shell::Invocation { args: Vec::new(), ..r.call.clone() };
        match &file.feed {
            Some(code) => shell::run_code(r.analysis, r.shell, code, Scope::Child, &call),
            None => script::file::run_with(r.analysis, r.shell, &file, &call, Scope::Child, Some(Language::Shell)),
        };
    }
    r.shell.starts_strict = strict;
    r.analysis.survives_exec |= r.call.args.iter().any(|arg| arg.text == "execfail");
    if command {
        let Some((text, others)) = rest.split_first() else { return Flow::default() };
        r.shell.zero = others.first().cloned();
        r.shell.arguments = others.iter().skip(1).cloned().collect();
        let whole = text.hole == Some(0) && text.text.starts_with("$__");
        let code = Flow { text: (!whole).then(|| text.text.clone()), ..Flow::unknown(text.taint.clone()) };
        return run_code_with_input(r, &code, text);
    }
    match rest.split_first() {
        Some((file, others)) if !stdin && file.text != "/dev/stdin" => {
            let mut call = r.call.clone();
            call.args = others.to_vec();
            if let Some(code) = file.feed.as_deref().cloned().or_else(|| shell::written(r.shell, file)) {
                r.shell.arguments = others.to_vec();
                return shell::run_code(r.analysis, r.shell, &code, Scope::Child, &call);
            }
            script::file::run_with(r.analysis, r.shell, file, &call, Scope::Child, Some(Language::Shell))
        }
        _ => {
            let code = r.call.stdin.clone();
            r.shell.arguments = rest;
            shell::run_code(r.analysis, r.shell, &code, Scope::Child, &r.call)
        }
    }
}

/// Runs the text of `-c`, which may read the input of the shell itself.
fn run_code_with_input(r: &mut Reading<'_, '_, '_>, code: &Flow, text: &Arg) -> Flow {
    if code.text.is_none() || code.taint.remote || code.taint.decoded {
        return shell::run_code(r.analysis, r.shell, code, Scope::Child, &r.call);
    }
    r.run_text(text)
}

/// An interpreter: code in an option, a module, a file, or its input.
fn interpreter(r: &mut Reading<'_, '_, '_>, language: Language) -> Flow {
    let args = r.call.args.clone();
    let mut code: Option<Arg> = None;
    let mut iter = args.iter().enumerate();
    let (mut file, mut rest) = (None, Vec::new());
    let mut in_place = false;
    while let Some((index, arg)) = iter.next() {
        let text = arg.text.as_str();
        match script::option(language, text) {
            script::CodeOption::Code => {
                let next = iter.next().map(|(_, arg)| arg.clone()).unwrap_or_default();
                code = Some(match code {
                    Some(before) => before.with_text(format!("{}\n{}", before.text, next.text)),
                    None => next,
                });
            }
            script::CodeOption::Attached(at) => code = Some(arg.after(at)),
            script::CodeOption::Module => {
                let name = iter.next().map(|(_, arg)| arg.clone()).unwrap_or_default();
                rest = args.iter().skip(index + 2).cloned().collect();
                return run_module(r, &name, rest);
            }
            script::CodeOption::Value => {
                let value = iter.next().map(|(_, arg)| arg.clone()).unwrap_or_default();
                note_preloaded(r, language, text, &value.text);
            }
            script::CodeOption::Check => return Flow::unknown(Taint::NONE),
            script::CodeOption::Flag => {
                in_place |= edits(language) && is_in_place(text);
                if let Some((name, value)) = text.split_once('=') {
                    note_preloaded(r, language, name, value);
                }
                if language == Language::Perl && text.starts_with("-M") {
                    note_perl_module(r, text.get(2..).unwrap_or_default());
                }
            }
            script::CodeOption::None => {
                file = Some(arg.clone());
                rest = args.iter().skip(index + 1).cloned().collect();
                break;
            }
        }
    }
    if let Some(code) = code {
        let operands: Vec<Arg> = file.into_iter().chain(rest).collect();
        in_place |= edits(language) && args.iter().any(|arg| is_in_place(&arg.text));
        if in_place {
            for operand in &operands {
                r.touch(Act::FsWrite, operand, Extent::Single);
            }
        } else if matches!(language, Language::Perl | Language::Ruby) {
            // `<>` and `ARGF` are what is in the files that are named.
            let reads = args.iter().any(|arg| is_loop_option(&arg.text))
                || ["<>", "<<>>", "ARGF"].iter().any(|name| code.text.contains(name));
            for operand in operands.iter().filter(|_| reads) {
                r.touch(Act::FsRead, operand, Extent::Single);
            }
        }
        let loops = args.iter().any(|arg| is_loop_option(&arg.text));
        let from = r.analysis.effects.list.len();
        let before = std::mem::replace(&mut r.shell.arguments, operands);
        let flow = run_code(r, language, &code);
        let operands = std::mem::replace(&mut r.shell.arguments, before);
        // What it changes is what the lines name that it goes through.
        if loops && r.analysis.effects.list.iter().skip(from).any(|effect| effect.place == Location::Unknown) {
            r.gap_in_input(&operands);
        }
        return flow;
    }
    match file {
        Some(file) if file.text == "-" || file.text == "/dev/stdin" => {
            let before = std::mem::replace(&mut r.shell.arguments, rest);
            let flow = run_input(r, language);
            r.shell.arguments = before;
            flow
        }
        Some(file) => {
            let mut call = r.call.clone();
            call.args = rest;
            let code = file.feed.as_deref().cloned().or_else(|| shell::written(r.shell, &file));
            if let Some(code) = code {
                let text = Arg { taint: code.taint.clone(), ..file.with_text(code.text.clone().unwrap_or_default()) };
                if code.text.is_none() {
                    return shell::run_code(r.analysis, r.shell, &code, Scope::Child, &call);
                }
                return run_code(r, language, &text);
            }
            script::file::run_with(r.analysis, r.shell, &file, &call, Scope::Child, Some(language))
        }
        None => run_input(r, language),
    }
}

/// Languages whose `-i` edits files in place.
fn edits(language: Language) -> bool {
    matches!(language, Language::Perl | Language::Ruby)
}

fn is_in_place(text: &str) -> bool {
    text.starts_with('-')
        && !text.starts_with("--")
        && text.split('=').next().is_some_and(|text| text.contains('i'))
        && text.len() < 12
        && !text.contains('I')
}

fn is_loop_option(text: &str) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.len() < 8 && text.contains(['n', 'p'])
}

/// `node -r ./first.js` runs that file before anything else, and `--env-file` sets what is in one.
fn note_preloaded(r: &mut Reading<'_, '_, '_>, language: Language, option: &str, value: &str) {
    if matches!(option, "--env-file" | "--env-file-if-exists") {
        let file = Arg::new(value, r.call.span);
        r.touch(Act::FsRead, &file, Extent::Single);
        return;
    }
    let preloads = matches!(option, "-r" | "--require" | "--import" | "--loader" | "--experimental-loader");
    let Some(cwd) = r.shell.cwd.as_deref().filter(|_| preloads && language != Language::Python) else { return };
    if value.starts_with(['.', '/']) {
        r.analysis.machine.note_code(Code::File(&crate::paths::tidy(cwd.join(value))));
    }
}

/// `perl -I lib -MName` runs a module of the project if one of its folders has it.
fn note_perl_module(r: &Reading<'_, '_, '_>, module: &str) {
    let Some(cwd) = r.shell.cwd.as_deref() else { return };
    let file = format!("{}.pm", module.split('=').next().unwrap_or_default().replace("::", "/"));
    let attached = r.call.args.iter().filter_map(|arg| arg.text.strip_prefix("-I").filter(|folder| !folder.is_empty()));
    let apart = r.call.args.windows(2).filter(|two| matches!(two, [option, _] if option.text == "-I"));
    let folders = attached.map(str::to_owned).chain(apart.filter_map(|two| Some(two.get(1)?.text.clone())));
    for folder in folders {
        r.analysis.machine.note_code(Code::File(&crate::paths::tidy(cwd.join(folder).join(&file))));
    }
}

/// How files of a language end whose code finds modules beside it.
fn ending(language: Language) -> Option<&'static str> {
    match language {
        Language::Python => Some("py"),
        Language::JavaScript => Some("js"),
        _ => None,
    }
}

fn run_input(r: &mut Reading<'_, '_, '_>, language: Language) -> Flow {
    let input = shell::with_content(r.analysis, &r.call.stdin);
    if !input.some {
        return Flow::default();
    }
    match &input.text {
        Some(text) => {
            let code = Arg { taint: input.taint.clone(), ..Arg::new(text.clone(), r.call.span) };
            run_code(r, language, &code)
        }
        None => shell::run_code(r.analysis, r.shell, &input, Scope::Child, &r.call),
    }
}

fn run_code(r: &mut Reading<'_, '_, '_>, language: Language, code: &Arg) -> Flow {
    if code.taint.remote {
        r.act(Act::ExecRemote, None);
    }
    if code.taint.decoded {
        r.act(Act::ExecDecoded, None);
    }
    if code.hole == Some(0) && code.text.starts_with("$__") {
        if !code.taint.remote && !code.taint.decoded {
            r.act(Act::ExecDynamic, None);
        }
        r.analysis.gap(GapReason::DynamicCode, r.call.span);
        return r.mixed();
    }
    if let (Some(ending), Some(folder)) = (ending(language), r.shell.cwd.as_deref()) {
        r.analysis.machine.note_code(Code::Text { ending, text: &code.text, folder });
    }
    let program = r.call.program.clone();
    let span = code.span;
    let stdin = r.call.stdin.clone();
    r.analysis.within(&program, |analysis| {
        analysis.inside(span, |analysis| script::run(analysis, r.shell, language, &code.text, span, &stdin))
    })
}

/// `python -m module`.
fn run_module(r: &mut Reading<'_, '_, '_>, name: &Arg, rest: Vec<Arg>) -> Flow {
    match name.text.as_str() {
        "http.server" | "SimpleHTTPServer" => super::net::http_server(r, &rest),
        "venv" | "virtualenv" => {
            for folder in rest.iter().filter(|arg| !arg.text.starts_with('-')) {
                r.touch(Act::FsWrite, folder, Extent::Below);
            }
            Flow::default()
        }
        "json.tool" | "tokenize" | "ast" | "dis" | "calendar" | "this" | "timeit" | "pydoc" | "compileall"
        | "py_compile" => {
            for file in rest.iter().filter(|arg| !arg.text.starts_with('-')) {
                r.touch(Act::FsRead, file, Extent::Single);
            }
            r.mixed()
        }
        "unittest" | "doctest" => {
            r.act(Act::ExecTest, None);
            Flow::default()
        }
        "smtpd" | "pyftpdlib" => {
            r.act(Act::NetListen, None);
            Flow::default()
        }
        "build" => {
            r.act(Act::ExecBuild, None);
            Flow::default()
        }
        "base64" => {
            for file in rest.iter().filter(|arg| !arg.text.starts_with('-')) {
                r.touch(Act::FsRead, file, Extent::Single);
            }
            Flow::unknown(Taint { decoded: true, ..r.call.stdin.taint.clone() })
        }
        "zipfile" | "tarfile" => {
            let into = Arg::new(".", r.call.span);
            r.touch(Act::FsWrite, &into, Extent::Below);
            Flow::default()
        }
        _ => {
            // It is looked for in the working directory first.
            if let Some(folder) = r.shell.cwd.clone() {
                let text = format!("import {0}\nimport {0}.__main__\n", name.text);
                r.analysis.machine.note_code(Code::Text { ending: "py", text: &text, folder: &folder });
            }
            let mut command = vec![name.clone()];
            command.extend(rest);
            r.run(command)
        }
    }
}

fn bun(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    match r.first() {
        "install" | "i" | "add" | "remove" | "update" | "link" => {
            r.act(Act::PackageInstall, None);
            Flow::default()
        }
        "test" => {
            r.act(Act::ExecTest, None);
            Flow::default()
        }
        "build" => {
            r.act(Act::ExecBuild, None);
            Flow::default()
        }
        "publish" => {
            r.act(Act::PackagePublish, None);
            Flow::default()
        }
        "run" => {
            r.call.args = args.into_iter().skip(1).collect();
            super::packages::run_script(r)
        }
        "x" => r.run(args.into_iter().skip(1).collect()),
        _ => interpreter(r, Language::JavaScript),
    }
}

fn deno(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    match r.first() {
        "eval" => {
            let code = args.iter().skip(1).find(|arg| !arg.text.starts_with('-')).cloned().unwrap_or_default();
            run_code(r, Language::JavaScript, &code)
        }
        "run" => {
            let file = args.iter().skip(1).find(|arg| !arg.text.starts_with('-')).cloned().unwrap_or_default();
            if file.text.contains("://") {
                r.act(Act::ExecRemote, Some(&file.text));
                return Flow::default();
            }
            script::file::run_with(
                r.analysis,
                r.shell,
                &file,
                &r.call.clone(),
                Scope::Child,
                Some(Language::JavaScript),
            )
        }
        "test" | "bench" | "lint" | "check" => {
            r.act(Act::ExecTest, None);
            Flow::default()
        }
        "install" | "add" | "cache" => {
            r.act(Act::PackageInstall, None);
            Flow::default()
        }
        _ => {
            r.act(Act::ExecBuild, None);
            Flow::default()
        }
    }
}

/// A program that runs code which is not read here.
fn opaque(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.act(Act::ExecDynamic, None);
    let mut words = r.call.args.clone();
    words.extend(r.call.stdin.text.as_ref().map(|text| Arg::new(text.clone(), r.call.span)));
    r.gap(GapReason::UnreadScript, &words);
    r.mixed()
}

fn powershell(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let lower = |arg: &Arg| arg.text.to_ascii_lowercase();
    if let Some(at) =
        args.iter().position(|arg| lower(arg).starts_with("-enc") || lower(arg) == "-e" || lower(arg) == "-ec")
    {
        r.act(Act::ExecDecoded, args.get(at).map(|arg| arg.text.clone()).as_deref());
        r.analysis.gap(GapReason::DynamicCode, r.call.span);
        return Flow::default();
    }
    let at = args.iter().position(|arg| matches!(lower(arg).as_str(), "-command" | "-c"));
    let words: Vec<String> = match at {
        Some(at) => args.iter().skip(at + 1).map(|arg| arg.text.clone()).collect(),
        None => args.iter().filter(|arg| !arg.text.starts_with('-')).map(|arg| arg.text.clone()).collect(),
    };
    crate::windows::run_power_shell(r.analysis, r.shell, &words.join(" "), Some(r.call.span));
    Flow::default()
}

fn cmd(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<String> =
        r.call.args.iter().skip_while(|arg| arg.text.starts_with('/')).map(|arg| arg.text.clone()).collect();
    crate::windows::run_cmd(r.analysis, r.shell, &words.join(" "), Some(r.call.span));
    Flow::default()
}

fn osascript(r: &mut Reading<'_, '_, '_>) -> Flow {
    let texts: Vec<Arg> = r.parsed.values(&["-e"]).cloned().collect();
    for text in &texts {
        let mut rest = text.text.as_str();
        while let Some(at) = rest.find("do shell script \"") {
            rest = rest.get(at + 17..).unwrap_or_default();
            let end = rest.find('"').unwrap_or(rest.len());
            let command = rest.get(..end).unwrap_or_default();
            r.run_text(&text.with_text(command));
            rest = rest.get(end..).unwrap_or_default();
        }
        if text.text.contains("administrator privileges") {
            r.act(Act::ExecPrivileged, None);
        }
    }
    if texts.is_empty() {
        return opaque(r);
    }
    Flow::default()
}

/// The text of a file that holds a script for a filter; one that is there and cannot be read is a gap.
pub(super) fn script_text(r: &mut Reading<'_, '_, '_>, file: &Arg) -> Option<Arg> {
    let flow = match file.text.as_str() {
        "-" | "/dev/stdin" => r.call.stdin.clone(),
        _ => shell::read(r.analysis, r.shell, file),
    };
    if let Some(file) = flow.file.as_deref() {
        r.analysis.machine.note_code(Code::File(file));
    }
    let exists = flow.file.as_deref().is_none_or(|path| r.analysis.machine.kind(path).is_some());
    let text = shell::with_content(r.analysis, &flow).text;
    if text.is_none() && exists {
        let words = r.call.args.clone();
        r.gap(GapReason::UnreadScript, &words);
    }
    text.map(|text| file.with_text(text))
}

fn nixshell(r: &mut Reading<'_, '_, '_>) -> Flow {
    match r.parsed.value(&["--run", "--command"]).cloned() {
        Some(text) => r.run_text(&text),
        None => {
            r.act(Act::ExecBuild, None);
            Flow::default()
        }
    }
}
