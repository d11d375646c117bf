//! Script files that a call runs.

use super::Language;
use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::{GapReason, Sure};
use crate::flow::{Arg, Flow, Taint};
use crate::models::{is_local, place};
use crate::object::{Object, PathObject, ReadDepth};
use crate::paths::joined;
use crate::shell::{Invocation, Scope, Shell, run_code, run_text, written};
use std::path::Path;

/// Runs a file as a program: by its first line or its ending.
pub(crate) fn run(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    file: &Arg,
    call: &Invocation,
    scope: Scope,
) -> Flow {
    let language = (scope == Scope::Same).then_some(Language::Shell);
    run_with(analysis, shell, file, call, scope, language)
}

/// Runs a file with an interpreter.
pub(crate) fn run_with(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    file: &Arg,
    call: &Invocation,
    scope: Scope,
    language: Option<Language>,
) -> Flow {
    if let Some(code) = written(shell, file) {
        return run_code(analysis, shell, &code, scope, call);
    }
    if let Some((first, call)) = expanded(analysis, shell, file, call) {
        return run_with(analysis, shell, &first, &call, scope, language);
    }
    if let Some(flow) = well_known(analysis, shell, file, call) {
        return flow;
    }
    let at = place(analysis, shell);
    let Some(path) = path_of(shell, file) else {
        analysis.add_target(Act::ExecDynamic, Some(&file.text), at, file.span);
        analysis.gap_about(GapReason::UnreadScript, file.span, &call.args, shell.cwd.as_deref());
        return Flow::unknown(call.taint());
    };
    // What is not there yet comes with what this call fetches.
    if shell.fetched.iter().any(|folder| path.starts_with(folder)) && analysis.machine.kind(&path).is_none() {
        let code = Flow::unknown(Taint { remote: true, ..Taint::NONE });
        return run_code(analysis, shell, &code, scope, call);
    }
    let real = analysis.machine.resolve(&path);
    let object = PathObject {
        written: file.text.as_str().into(),
        resolved: path.clone(),
        through: (real != path).then(|| real.clone()),
        pattern: false,
        recursive: false,
        look: ReadDepth::Content,
    };
    let place = analysis.place_of(&real);
    analysis.add(
        Act::ExecRun,
        Object { path: Some(Box::new(object)), ..Object::default() },
        place,
        Sure::Certain,
        file.span,
    );
    // Programs of the system and of a build are what they are; only what is not there or not readable is unknown.
    if !is_local(analysis, &real) {
        let system = ["/bin", "/usr", "/opt", "/sbin", "/nix", "/snap"].iter().any(|folder| real.starts_with(folder));
        if system {
            analysis.give(&call.program, &call.args, shell.cwd.as_deref());
        } else {
            analysis.gap_about(GapReason::UnreadScript, file.span, &call.args, shell.cwd.as_deref());
        }
        return Flow::unknown(call.taint());
    }
    // What this call has done to it before decides what runs.
    if analysis.has_written(&real) || analysis.has_written(&path) {
        analysis.gap_about(GapReason::UnreadScript, file.span, &call.args, shell.cwd.as_deref());
    }
    match analysis.machine.read_small(&real) {
        Some(text) => follow(analysis, shell, &text, file, call, scope, language),
        None => {
            if analysis.machine.kind(&real).is_some() {
                unread(analysis, shell, &real, file, call);
            }
            Flow::unknown(call.taint())
        }
    }
}

/// Of the files that a pattern stands for the first is the script, and the others are its arguments.
fn expanded(analysis: &Analysis<'_>, shell: &Shell<'_>, file: &Arg, call: &Invocation) -> Option<(Arg, Invocation)> {
    let cwd = shell.cwd.as_deref().filter(|_| file.glob.is_some())?;
    let mut found = crate::resolve::matching(analysis, &path_of(shell, file)?)?;
    found.sort();
    let name = |path: &Path| path.strip_prefix(cwd).unwrap_or(path).to_string_lossy().into_owned();
    let mut names = found.iter().map(|path| Arg { glob: None, ..file.with_text(name(path)) });
    let first = names.next()?;
    let args = names.chain(call.args.iter().cloned()).collect();
    Some((first, Invocation { args, ..call.clone() }))
}

/// A program or a script that is too large: what it is given and what it names may be what it changes.
fn unread(analysis: &mut Analysis<'_>, shell: &Shell<'_>, real: &Path, file: &Arg, call: &Invocation) {
    let cwd = shell.cwd.as_deref();
    let text = analysis.machine.read_bytes(real).and_then(|bytes| String::from_utf8(bytes).ok());
    match text {
        Some(text) => {
            analysis.gap_in_file(GapReason::UnreadScript, file.span, &text, cwd);
        }
        None => analysis.gap_about(GapReason::UnreadScript, file.span, &call.args, cwd),
    }
}

/// Whether a program is a file that comes with the project, whatever it is called.
pub(crate) fn is_own(analysis: &Analysis<'_>, shell: &Shell<'_>, program: &Arg) -> bool {
    let path = program.text.contains('/').then(|| path_of(shell, program)).flatten();
    path.is_some_and(|path| is_local(analysis, &path) && analysis.machine.kind(&path).is_some())
}

fn path_of(shell: &Shell<'_>, file: &Arg) -> Option<std::path::PathBuf> {
    shell.cwd.as_deref().map(|cwd| joined(cwd, &file.text)).filter(|_| file.known())
}

/// Wrappers that projects carry, and files of tools.
fn well_known(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, file: &Arg, call: &Invocation) -> Option<Flow> {
    let name = crate::shell::base_name(&file.text);
    let folder = file.text.contains("node_modules/.bin/")
        || file.text.contains("venv/bin/")
        || file.text.contains("vendor/bin/")
        || file.text.starts_with("/bin/")
        || file.text.starts_with("/usr/")
        || file.text.starts_with("/opt/");
    if matches!(name, "activate" | "activate.fish") {
        return Some(Flow::default());
    }
    let wrapper =
        matches!(name, "gradlew" | "mvnw" | "manage.py" | "artisan" | "rails" | "rake" | "spark" | "yii" | "ace")
            || file.text.ends_with("bin/console");
    let program = match name {
        "manage.py" => "django-admin",
        other => other,
    };
    if !(wrapper || folder) || crate::models::rows_of(program, &[]).is_empty() {
        return None;
    }
    add_local(analysis, shell, file);
    let mut args = vec![Arg::new(program, file.span)];
    args.extend(call.args.clone());
    Some(crate::shell::run_args(analysis, shell, args, call.env.clone(), &call.stdin, call.span))
}

/// A wrapper does what its tool does; still it is a file of the project that is run.
fn add_local(analysis: &mut Analysis<'_>, shell: &Shell<'_>, file: &Arg) {
    let path = path_of(shell, file);
    let Some(path) = path.filter(|path| analysis.machine.kind(path).is_some()) else { return };
    let real = analysis.machine.resolve(&path);
    let through = (real != path).then_some(real);
    let object = PathObject {
        written: file.text.as_str().into(),
        resolved: path,
        through,
        pattern: false,
        recursive: false,
        look: ReadDepth::Content,
    };
    let place = analysis.place_of(object.real());
    let object = Object { path: Some(Box::new(object)), ..Object::default() };
    analysis.add(Act::ExecRun, object, place, Sure::Certain, file.span);
}

fn follow(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    text: &str,
    file: &Arg,
    call: &Invocation,
    scope: Scope,
    language: Option<Language>,
) -> Flow {
    let language = language.or_else(|| by_first_line(text)).or_else(|| by_ending(&file.text));
    let Some(language) = language else {
        analysis.gap_in_file(GapReason::UnreadScript, file.span, text, shell.cwd.as_deref());
        return Flow::unknown(call.taint());
    };
    let step = file.text.clone();
    let span = call.span;
    let before = std::mem::replace(&mut shell.arguments, call.args.clone());
    let flow = analysis.within(&step, |analysis| match language {
        Language::Shell => run_text(analysis, shell, text, scope, Some(span), &call.stdin),
        other => analysis.inside(span, |analysis| super::run(analysis, shell, other, text, span, &call.stdin)),
    });
    shell.arguments = before;
    flow
}

fn by_first_line(text: &str) -> Option<Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let program =
        line.split_whitespace().map(crate::shell::base_name).find(|word| *word != "env" && !word.starts_with('-'))?;
    Some(match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "python" => Language::Python,
        "node" | "bun" | "deno" | "tsx" => Language::JavaScript,
        "perl" => Language::Perl,
        "ruby" => Language::Ruby,
        "php" => Language::Php,
        name if crate::shell::is_shell(name) => Language::Shell,
        _ => return None,
    })
}

fn by_ending(name: &str) -> Option<Language> {
    Some(match name.rsplit_once('.')?.1 {
        "sh" | "bash" | "zsh" => Language::Shell,
        "py" => Language::Python,
        "js" | "mjs" | "cjs" | "ts" | "mts" => Language::JavaScript,
        "pl" => Language::Perl,
        "rb" => Language::Ruby,
        "php" => Language::Php,
        "lua" => Language::Lua,
        _ => return None,
    })
}
