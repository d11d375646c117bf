//! What the shell itself does.

use super::choices::{self, Choice};
use super::command::{Invocation, run_args};
use super::fields::Separators;
use super::format::{formatted, unescape};
use super::redirect::written;
use super::{Ending, Scope, Shell, conditions, run_text};
use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::{GapReason, Sure};
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::object::Object;
use crate::paths::{joined, tidy};
use hookrail_core::FileKind;
use hookrail_shell::ast::Span;
use std::path::{Path, PathBuf};

/// Runs a builtin; `None` if there is none with this name.
pub(super) fn run(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) -> Option<Flow> {
    let quiet = Some(Flow::default());
    shell.ending = ending(analysis, shell, call);
    if shell.ending == Some(Ending::Exits) {
        let state = shell.state();
        match call.program.as_str() {
            "break" | "continue" => shell.left.push(state),
            "return" => shell.returned.push(state),
            _ => {}
        }
    }
    match call.program.as_str() {
        "cd" | "chdir" => {
            change_folder(analysis, shell, call);
            quiet
        }
        "pushd" if call.args.is_empty() => {
            // The last two folders change places.
            if let Some(top) = shell.folders.change().last_mut() {
                std::mem::swap(&mut shell.cwd, top);
            }
            quiet
        }
        "pushd" => {
            let before = shell.cwd.clone();
            shell.folders.change().push(before);
            change_folder(analysis, shell, call);
            quiet
        }
        "popd" => {
            shell.cwd = shell.folders.change().pop().flatten().or_else(|| shell.cwd.clone());
            quiet
        }
        "pwd" => {
            Some(shell.cwd.as_ref().map_or(Flow::unknown(Taint::NONE), |cwd| Flow::literal(cwd.to_string_lossy())))
        }
        "export" | "declare" | "typeset" | "local" | "readonly" => Some(declare(analysis, shell, call)),
        "unset" => {
            let names: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
            if names.first().is_some_and(|first| first.starts_with('-') && first.contains('f')) {
                names.iter().for_each(|name| choices::assign(&mut shell.functions, name, None));
            } else {
                shell.unset(&names);
            }
            quiet
        }
        "set" if call.args.is_empty() => Some(print_environment(analysis, call)),
        "set" => Some(set(analysis, shell, call)),
        "shift" => {
            let count = call.args.first().and_then(|arg| arg.text.parse().ok()).unwrap_or(1);
            shell.arguments.drain(..usize::min(count, shell.arguments.len()));
            if shell.optional > 0 {
                shell.loosen();
            }
            quiet
        }
        "alias" => {
            for arg in &call.args {
                if let Some((name, text)) = arg.text.split_once('=') {
                    choices::assign(&mut shell.aliases, name, Some(Choice::One(text.into())));
                }
            }
            quiet
        }
        "unalias" => {
            shell
                .aliases
                .change()
                .retain(|(name, _)| !call.args.iter().any(|arg| *arg.text == **name || arg.text == "-a"));
            quiet
        }
        "eval" => Some(eval(analysis, shell, call)),
        "source" | "." => Some(source(analysis, shell, call)),
        "exec" | "command" | "builtin" => Some(pass_on(analysis, shell, call)),
        "read" | "mapfile" | "readarray" => {
            read_variables(analysis, shell, call);
            quiet
        }
        "trap" => Some(trap(analysis, shell, call)),
        "which" | "whence" => Some(crate::programs::locate(analysis, call)),
        "type" if call.args.iter().any(|arg| matches!(arg.text.as_str(), "-p" | "-P")) => {
            Some(crate::programs::locate(analysis, call))
        }
        "echo" | "print" => Some(echo(analysis, call)),
        "printf" => Some(printf(analysis, shell, call)),
        "wait" => {
            analysis.waited = true;
            quiet
        }
        "let" => {
            shell.loosen();
            quiet
        }
        "shopt" => {
            analysis.survives_exec |= call.args.iter().any(|arg| arg.text == "execfail" || !arg.known());
            quiet
        }
        "true" | "false" | ":" | "exit" | "return" | "break" | "continue" | "type" | "hash" | "ulimit" | "umask"
        | "jobs" | "disown" | "fg" | "bg" | "getopts" | "times" | "complete" | "bind" | "enable" | "test" | "["
        | "dirs" | "logout" | "setopt" | "unsetopt" | "autoload" | "compgen" | "caller" => quiet,
        "history" => {
            let clears = call.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains(['c', 'd', 'w']));
            if let (true, Some(home)) = (clears, &analysis.around.home) {
                let file = Arg::new(home.join(".bash_history").to_string_lossy(), call.span);
                analysis.touch(Act::FsDelete, &file, shell.cwd.as_deref(), crate::analysis::Extent::Single);
            }
            quiet
        }
        _ => None,
    }
}

/// What runs when the shell ends or a signal comes is kept until then: it may be taken back. The others run in between.
fn trap(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) -> Flow {
    let args: Vec<&Arg> = call.args.iter().skip_while(|arg| arg.text == "--").collect();
    let Some((text, signals)) = args
        .split_first()
        .filter(|(text, signals)| !signals.is_empty() && (text.text == "-" || !text.text.starts_with('-')))
    else {
        return Flow::default();
    };
    let is_set = !matches!(text.text.as_str(), "-" | "");
    let mut flow = Flow::default();
    for signal in signals {
        let name = signal.text.to_ascii_uppercase();
        let name = match name.trim_start_matches("SIG") {
            "0" => "EXIT",
            "1" => "HUP",
            "2" => "INT",
            "15" => "TERM",
            name => name,
        };
        if !matches!(name, "EXIT" | "HUP" | "INT" | "TERM" | "QUIT") {
            if is_set {
                shell.repeats += 1;
                flow = run_text(analysis, shell, &text.text, Scope::Same, Some(text.span), &Flow::default());
                shell.repeats -= 1;
            }
            continue;
        }
        shell.traps.change().retain(|(known, _)| **known != *name);
        if is_set && analysis.unmet == 0 {
            shell.traps.change().push((name.into(), (*text).clone()));
        }
    }
    flow
}

/// How a builtin ends.
fn ending(analysis: &Analysis<'_>, shell: &Shell<'_>, call: &Invocation) -> Option<Ending> {
    Some(match call.program.as_str() {
        "true" | ":" => Ending::Succeeds,
        "false" => Ending::Fails,
        "exit" => Ending::Exits,
        "return" if !shell.calling.is_empty() => Ending::Exits,
        // They end a round, and the loop goes on or ends as if there were no more.
        "break" | "continue" if shell.loops > 0 => Ending::Exits,
        "test" => return conditions::bracket(analysis, shell, &call.args),
        "[" => return conditions::bracket(analysis, shell, call.args.split_last()?.1),
        "echo" | "printf" | "print" | "export" | "declare" | "local" | "readonly" | "typeset" | "set" | "shift"
        | "unset" | "alias" | "pwd" | "shopt" | "umask" | "trap" | "popd" => Ending::UsuallySucceeds,
        _ => return None,
    })
}

/// Longest path that a system takes.
const LONGEST_PATH: usize = 4096;

fn change_folder(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) {
    // A thousand folders in each other are long, and every command copies where it stands.
    analysis.expanded += shell.cwd.as_ref().map_or(0, |cwd| cwd.as_os_str().len());
    let target = call.args.iter().find(|arg| !arg.text.starts_with('-') || arg.text == "-");
    let before = shell.cwd.clone();
    if let Some(before) = &before {
        let old = Arg::new(before.to_string_lossy(), call.span);
        shell.previous = shell.get("OLDPWD").and_then(<[Arg]>::first).cloned();
        shell.set("OLDPWD", vec![old]);
    }
    let start = shell.state();
    shell.elsewhere = target.map_or_else(Vec::new, |target| others(shell, target));
    shell.cwd = match target {
        None => analysis.around.home.clone(),
        Some(arg) if arg.text == "-" => match shell.previous.take() {
            Some(old) if old.known() => Some(PathBuf::from(&old.text)),
            _ => None,
        },
        Some(arg) => by_search_path(analysis, shell, arg).or_else(|| folder(analysis, shell, arg)),
    }
    .filter(|cwd| cwd.as_os_str().len() <= LONGEST_PATH);
    shell.ending = Some(if is_missing(analysis, before.as_deref(), shell.cwd.as_deref()) {
        // Something may have made it by then.
        Ending::Open
    } else {
        Ending::UsuallySucceeds
    });
    shell.if_failed = Some(Box::new(start));
}

/// A folder that `cd` finds by `CDPATH`, which counts before the working directory.
fn by_search_path(analysis: &Analysis<'_>, shell: &Shell<'_>, target: &Arg) -> Option<PathBuf> {
    let path = shell.get("CDPATH")?.first().filter(|path| path.known() && target.known())?;
    let is_plain = !target.text.starts_with(['/', '.']) && target.glob.is_none();
    let candidate = |folder: &str| Some(tidy(shell.cwd.as_deref()?.join(folder).join(&target.text)));
    let mut found = path.text.split(':').filter(|_| is_plain).filter_map(candidate);
    found.find(|path| analysis.machine.kind(path) == Some(FileKind::Folder))
}

/// The other folders that a shell may be in after it changed its folder.
fn others(shell: &Shell<'_>, target: &Arg) -> Vec<PathBuf> {
    if !target.known() || target.text.starts_with('/') || target.text == "-" {
        return Vec::new();
    }
    shell.elsewhere.iter().map(|folder| joined(folder, &target.text)).collect()
}

/// Whether a folder does not exist, and nothing in the call so far can have made it.
fn is_missing(analysis: &Analysis<'_>, from: Option<&Path>, to: Option<&Path>) -> bool {
    let (Some(from), Some(to)) = (from, to) else { return false };
    // `mktemp` makes what it names.
    let made = to.to_string_lossy().contains("XXXX");
    let known = !made && analysis.mounts.is_none() && analysis.machine.kind(from).is_some();
    known && analysis.machine.kind(to).is_none() && analysis.effects.list.iter().all(|effect| effect.act.only_reads())
}

/// The folder that an argument names; `None` if it is only known at run time. A folder named by a pattern is taken if
/// there is just one.
pub(crate) fn folder(analysis: &Analysis<'_>, shell: &Shell<'_>, arg: &Arg) -> Option<PathBuf> {
    if !arg.known() {
        // `cd "$(mktemp -d)"` and the like are known; of `cd "$X/src"` nothing is.
        return None;
    }
    let path = match &shell.cwd {
        Some(cwd) => joined(cwd, &arg.text),
        None if arg.text.starts_with('/') => tidy(Path::new(&arg.text)),
        None => return None,
    };
    if arg.glob.is_some() {
        let mut found = crate::resolve::matching(analysis, &path)?;
        return if found.len() == 1 { found.pop() } else { None };
    }
    // `cd link` is where the link leads: what follows is relative to that.
    let is_link = analysis.machine.kind(&path) == Some(FileKind::Link) || !analysis.links.is_empty();
    if analysis.mounts.is_none() && is_link {
        return Some(analysis.resolve(&path));
    }
    Some(path)
}

fn declare(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) -> Flow {
    let mut names = 0;
    let has = |letters: &[char]| call.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains(letters));
    // A reference stands for another variable; the others change what is assigned.
    let (refers, changes) = (has(&['n']) && call.program != "export", has(&['i', 'u', 'l', 'c']));
    let exports = call.program == "export" && !has(&['n']) || has(&['x']);
    for arg in &call.args {
        if arg.text.starts_with(['-', '+']) {
            continue;
        }
        names += 1;
        if exports {
            let name = arg.text.split(['=', '+']).next().unwrap_or_default();
            shell.exported.change().push(name.into());
        }
        if arg.text.find('=').is_none() && matches!(&*call.program, "local" | "declare" | "typeset") && !has(&['g']) {
            shell.make_local(&arg.text);
        }
        if let Some(at) = arg.text.find('=') {
            let name = arg.text.get(..at).unwrap_or_default().trim_end_matches('+').to_owned();
            let value = arg.after(at + 1);
            if call.program != "export" && call.program != "readonly" && !has(&['g']) {
                shell.make_local(&name);
            }
            if exports {
                crate::weakening::variable(analysis, shell.cwd.as_deref(), &name, &value, arg.span);
            }
            if refers {
                shell.references.retain(|(known, _)| *known != name);
                shell.references.push((name, value.text));
            } else {
                shell.set(&name, vec![Arg { firm: value.firm && !changes, ..value }]);
            }
        }
    }
    // Without a name they list variables; functions alone are no secret.
    let functions = call.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains(['f', 'F']));
    if names == 0 && call.program != "local" && !functions {
        return print_environment(analysis, call);
    }
    Flow::default()
}

/// All variables are printed, secrets among them.
pub(crate) fn print_environment(analysis: &mut Analysis<'_>, call: &Invocation) -> Flow {
    analysis.add_target(Act::SecretPrint, Some("environment"), Location::System, call.span);
    Flow::unknown(Taint::secret("environment"))
}

fn set(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) -> Flow {
    // fish keeps its universal variables for every later shell.
    let universal = |arg: &Arg| arg.text.starts_with('-') && arg.text.contains('U') || arg.text == "--universal";
    if call.args.first().is_some_and(universal) {
        analysis.add_target(Act::HostPersist, Some("variable"), Location::System, call.span);
    }
    set_options(shell, call);
    if let Some(at) = call.args.iter().position(|arg| arg.text == "--") {
        shell.arguments = call.args.iter().skip(at + 1).cloned().collect();
        if shell.optional > 0 {
            shell.loosen();
        }
    }
    Flow::default()
}

/// `set -e`, `set -o errexit`, `set -a`, and what takes them back. What may or may not run switches nothing on.
fn set_options(shell: &mut Shell<'_>, call: &Invocation) {
    let mut args = call.args.iter().take_while(|arg| arg.text != "--").peekable();
    while let Some(arg) = args.next() {
        let (on, letters) = match (arg.text.strip_prefix('-'), arg.text.strip_prefix('+')) {
            (Some(letters), _) => (true, letters),
            (None, Some(letters)) => (false, letters),
            (None, None) => continue,
        };
        let named = if letters.ends_with('o') { args.next().map_or("", |name| name.text.as_str()) } else { "" };
        if letters.contains('e') || named == "errexit" {
            shell.errexit = on;
        }
        if on && (letters.contains('a') || named == "allexport") {
            shell.exported.change().push(super::EVERY_VARIABLE.into());
        }
    }
}

fn eval(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) -> Flow {
    let text = call.args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    let mut code = Flow { taint: call.taint(), ..Flow::literal(text) };
    code.taint.secret = None;
    if call.args.iter().any(|arg| arg.hole.is_some() && arg.text.starts_with("$__")) {
        code.text = None;
    }
    run_code(analysis, shell, &code, Scope::Same, call)
}

/// A flow with the text of the file that it comes from, if that is a small one of the project.
pub(crate) fn with_content(analysis: &Analysis<'_>, flow: &Flow) -> Flow {
    let mut flow = flow.clone();
    if let Some(file) = flow.file.take().filter(|_| flow.text.is_none())
        && crate::models::is_local(analysis, &file)
    {
        flow.text = analysis.machine.read_small(&file);
    }
    flow
}

/// Notes what a text names that something unknown is made of.
pub(crate) fn gap_in_flow(analysis: &mut Analysis<'_>, shell: &Shell<'_>, flow: &Flow, span: Span) {
    let file = flow.made_of.as_deref().filter(|file| crate::models::is_local(analysis, file));
    let text = with_content(analysis, flow).text.or_else(|| flow.origin.as_deref().map(str::to_owned));
    if let Some(text) = text.or_else(|| analysis.machine.read_small(file?)) {
        analysis.gap_in_text(GapReason::DynamicCode, span, &text, shell.cwd.as_deref());
    }
}

/// Runs a flow as shell code.
pub(crate) fn run_code(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    code: &Flow,
    scope: Scope,
    call: &Invocation,
) -> Flow {
    if !code.some {
        return Flow::default();
    }
    let code = &with_content(analysis, code);
    let place = shell.cwd.as_deref().map_or(Location::Unknown, |cwd| analysis.place_of(cwd));
    if code.taint.remote {
        analysis.add(Act::ExecRemote, Object::default(), Location::Remote, Sure::Certain, call.span);
    }
    if code.taint.decoded {
        analysis.add(Act::ExecDecoded, Object::default(), place, Sure::Certain, call.span);
    }
    let text = code.text.clone().or_else(|| code.template.as_deref().map(str::to_owned));
    match &text {
        Some(text) => {
            let step = call.program.clone();
            let text = text.clone();
            analysis
                .within(&step, |analysis| run_text(analysis, shell, &text, scope, Some(call.span), &Flow::default()))
        }
        None => {
            if !code.taint.remote && !code.taint.decoded {
                analysis.add(Act::ExecDynamic, Object::default(), place, Sure::Certain, call.span);
            }
            let words: Vec<Arg> = call.args.iter().chain(&code.names).cloned().collect();
            analysis.gap_about(GapReason::DynamicCode, call.span, &words, shell.cwd.as_deref());
            gap_in_flow(analysis, shell, code, call.span);
            Flow::unknown(code.taint.clone())
        }
    }
}

fn source(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) -> Flow {
    let Some(file) = call.args.first() else { return Flow::default() };
    if let Some(feed) = &file.feed {
        return run_code(analysis, shell, feed, Scope::Same, call);
    }
    if file.text == "/dev/stdin" || file.text == "-" {
        return run_code(analysis, shell, &call.stdin.clone(), Scope::Same, call);
    }
    if let Some(code) = written(shell, file) {
        return run_code(analysis, shell, &code, Scope::Same, call);
    }
    // What is sourced is read, and its variables are the shell's afterwards.
    crate::models::looked_into(analysis, shell, file);
    let mut inner = call.clone();
    inner.args.remove(0);
    let flow = crate::script::file::run(analysis, shell, file, &inner, Scope::Same);
    let path = shell.cwd.as_deref().map(|cwd| joined(cwd, &file.text));
    if path.is_some_and(|path| crate::secrets::is_secret_path(&path, analysis.around.home.as_deref())) {
        taint_secrets(shell);
    }
    flow
}

/// What a file of secrets has set is as secret as the file, whatever its text is known to be.
fn taint_secrets(shell: &mut Shell<'_>) {
    for (name, choice) in shell.variables.change() {
        if crate::secrets::is_secret_variable(name) {
            let tainted = |value: &Arg| {
                let mut value = value.clone();
                value.taint.add(&Taint::secret(name));
                value
            };
            *choice = Choice::One(choice.value().iter().map(tainted).collect());
        }
    }
}

/// `exec`, `command` and `builtin` only pass on.
fn pass_on(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) -> Flow {
    let mut args = call.args.clone();
    while let Some(first) = args.first() {
        match first.text.as_str() {
            "-v" | "-V" => return crate::programs::locate(analysis, call),
            "-a" if call.program == "exec" => {
                args.drain(..usize::min(2, args.len()));
            }
            text if text.starts_with('-') => {
                args.remove(0);
            }
            _ => break,
        }
    }
    // A function of the same name is what they go around.
    let hidden = args.first().map(|program| program.text.clone()).unwrap_or_default();
    let functions = shell.functions.clone();
    choices::assign(&mut shell.functions, &hidden, None);
    let replaces = call.program == "exec" && !args.is_empty();
    let flow = run_args(analysis, shell, args, call.env.clone(), &call.stdin, call.span);
    shell.functions = functions;
    if replaces && !analysis.survives_exec {
        // The program takes the place of the shell.
        shell.ending = Some(Ending::Exits);
    }
    flow
}

/// `read` takes a line apart, `mapfile` keeps every line.
fn read_variables(analysis: &Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) {
    let input = with_content(analysis, &call.stdin);
    let known = |text: &str| Arg { taint: call.stdin.taint.clone(), ..Arg::new(text, call.span) };
    let unknown = || Arg { taint: call.stdin.taint.clone(), ..Arg::unknown("$__", call.span) };
    if call.program != "read" {
        let name = call.args.iter().rev().find(|arg| is_name(&arg.text)).map_or("MAPFILE", |arg| arg.text.as_str());
        let lines = match &input.text {
            Some(text) => text.lines().map(known).collect(),
            None if !input.names.is_empty() => input.names.clone(),
            None => vec![unknown()],
        };
        shell.set(name, lines);
        return;
    }
    // `-d ''` reads to the end.
    let whole = call.args.windows(2).any(|two| matches!(two, [option, value] if option.text.ends_with('d') && option.text.starts_with('-') && value.text.is_empty()));
    let line = shell.line.clone().or_else(|| {
        let text = input.text.as_deref()?;
        Some(known(if whole { text } else { text.lines().next()? }))
    });
    let line = line.unwrap_or_else(unknown);
    let mut skip = false;
    let mut names = Vec::new();
    for arg in &call.args {
        if std::mem::take(&mut skip) {
            continue;
        }
        if arg.text.starts_with('-') {
            skip = matches!(arg.text.as_str(), "-p" | "-d" | "-n" | "-N" | "-t" | "-u" | "-i");
        } else {
            names.push(arg.text.clone());
        }
    }
    if names.is_empty() {
        names.push("REPLY".to_owned());
    }
    let separators = match call.variable("IFS") {
        Some(value) => Separators::from(Some(value)),
        None => Separators::of(shell),
    };
    let words: Vec<&str> = separators.split(&line.text).collect();
    let array = call.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.ends_with('a'));
    if let Some(name) = names.first().filter(|_| array && line.known()) {
        shell.set(name, words.iter().map(|word| line.with_text(*word)).collect());
        return;
    }
    for (index, name) in names.iter().enumerate() {
        let value = if names.len() == 1 || !line.known() {
            line.clone()
        } else if index + 1 == names.len() {
            line.with_text(words.get(index..).unwrap_or_default().join(" "))
        } else {
            line.with_text(words.get(index).copied().unwrap_or_default())
        };
        shell.set(name, vec![value]);
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a text printed on the terminal shows a secret.
fn note_printed(analysis: &mut Analysis<'_>, args: &[Arg]) {
    for arg in args {
        if let Some(secret) = arg.taint.secret.as_deref().filter(|name| !name.is_empty()) {
            analysis.add_target(Act::SecretPrint, Some(secret), Location::System, arg.span);
        }
    }
}

fn echo(analysis: &mut Analysis<'_>, call: &Invocation) -> Flow {
    note_printed(analysis, &call.args);
    let options = call.args.iter().take_while(|arg| is_echo_option(&arg.text)).count();
    let escapes = call.args.iter().take(options).any(|arg| arg.text.contains('e'));
    let words: Vec<&str> = call.args.iter().skip(options).map(|arg| arg.text.as_str()).collect();
    let mut text = words.join(" ");
    if escapes {
        text = unescape(&text);
    }
    text.push('\n');
    // A text that is only known at run time is still a text with a known shape.
    let whole = !call.args.iter().any(|arg| arg.text.starts_with("$__"));
    Flow { text: whole.then_some(text), taint: call.taint(), names: globbed(&call.args), some: true, ..Flow::default() }
}

/// `echo *` lists names.
fn globbed(args: &[Arg]) -> Vec<Arg> {
    if args.iter().any(|arg| arg.glob.is_some()) { args.to_vec() } else { Vec::new() }
}

fn is_echo_option(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| matches!(c, 'n' | 'e' | 'E')))
}

fn printf(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, call: &Invocation) -> Flow {
    let mut args = call.args.as_slice();
    if let [option, name, rest @ ..] = args
        && option.text == "-v"
    {
        let value = Flow::literal(formatted(rest));
        shell.set(&name.text, vec![Arg::new(value.text.unwrap_or_default(), call.span)]);
        return Flow::default();
    }
    if args.first().is_some_and(|arg| arg.text == "--") {
        args = args.get(1..).unwrap_or_default();
    }
    note_printed(analysis, args);
    Flow { taint: call.taint(), names: globbed(args.get(1..).unwrap_or_default()), ..Flow::literal(formatted(args)) }
}
