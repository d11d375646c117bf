//! A simple command: assignments, a program and its arguments.

use super::{Ending, Scope, Shell, builtins, call_function, expand, redirect, run_text, ways};
use crate::act::Act;
use crate::analysis::Analysis;
use crate::claims;
use crate::effect::{Effect, GapReason, Sure};
use crate::flow::{Arg, Flow};
use crate::location::Location;
use crate::models;
use crate::object::Object;
use crate::proof::DoubtReason;
use crate::weakening;
use hookrail_shell::ast::{ArrayElement, Command, PartKind, SimpleCommand, Span, WordPart};

/// A program that is started.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    /// Without its folder.
    pub program: String,
    pub args: Vec<Arg>,
    /// Variables that are set for this program alone.
    pub env: Vec<(String, Arg)>,
    pub stdin: Flow,
    pub span: Span,
}

impl Invocation {
    pub(crate) fn variable(&self, name: &str) -> Option<&Arg> {
        self.env.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Where the data that the program gets comes from: its input and its arguments.
    pub(crate) fn taint(&self) -> crate::flow::Taint {
        let mut taint = self.stdin.taint.clone();
        for arg in &self.args {
            taint.add(&arg.taint);
        }
        taint
    }
}

pub(super) fn run_simple<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    simple: &'s SimpleCommand<'s>,
    command: &'s Command<'s>,
    stdin: &Flow,
) -> Flow {
    if !analysis.admit(command.span) {
        return Flow::default();
    }
    shell.begin();
    analysis.elsewhere.clone_from(&shell.elsewhere);
    let mut env = Vec::new();
    for assignment in &simple.assignments {
        let mut values = expand::values(analysis, shell, &assignment.value);
        if simple.words.is_empty() {
            if assignment.append
                && let Some(old) = shell.get(&assignment.name)
            {
                let array = matches!(assignment.value.parts.as_slice(), [WordPart { kind: PartKind::Array(_), .. }]);
                values = if array { old.iter().cloned().chain(values).collect() } else { appended(old, values) };
            }
            if assignment.subscript.is_some() {
                let mut all = shell.get(&assignment.name).map(<[Arg]>::to_vec).unwrap_or_default();
                all.append(&mut values);
                values = all;
            }
            let value = values.first().cloned().unwrap_or_default();
            claims::for_shell(analysis, shell, &assignment.name, &value, command.span);
            if shell.is_exported(&assignment.name)
                && let Some(value) = values.first()
            {
                weakening::variable(analysis, shell.cwd.as_deref(), &assignment.name, value, assignment.value.span);
            }
            shell.set(&assignment.name, values);
        } else {
            env.push((assignment.name.clone().into_owned(), values.into_iter().next().unwrap_or_default()));
        }
    }
    let mut args = Vec::with_capacity(simple.words.len());
    for word in &simple.words {
        // `declare -a name=(…)`
        if let [WordPart { kind: PartKind::Literal(name), .. }, WordPart { kind: PartKind::Array(elements), .. }] =
            word.parts.as_slice()
            && let Some(name) = name.strip_suffix('=')
        {
            let elements: &'s [ArrayElement<'s>] = elements;
            let values = elements.iter().flat_map(|element| expand::fields(analysis, shell, &element.value)).collect();
            claims::for_shell(analysis, shell, name, &Arg::default(), command.span);
            shell.set(name, values);
            continue;
        }
        expand::add_fields(analysis, shell, word, &mut args);
    }
    let outer_program = std::mem::take(&mut analysis.program);
    if let Some(program) = args.first() {
        analysis.program = base_name(&program.text).into();
    }
    let redirected = redirect::prepare(analysis, shell, &command.redirects, stdin);
    if redirected.connected && args.first().is_some_and(|arg| is_shell(base_name(&arg.text))) {
        let object = Object::default();
        analysis.add(Act::ExecRemote, object, Location::Remote, Sure::Certain, command.span);
    }
    let (empties, fills) = (redirect::prints_nothing(&args), redirect::prints_endlessly(&args));
    let flow = run_args(analysis, shell, args, env, &redirected.stdin, command.span);
    let flow = redirect::finish(analysis, shell, &redirected, flow);
    if std::mem::take(&mut shell.overflowed) {
        analysis.over_limit(command.span);
    }
    if empties {
        for target in &redirected.emptied {
            redirect::note_emptied(analysis, shell, target);
        }
    }
    if fills {
        redirect::note_filled(analysis, &redirected);
    }
    analysis.program = outer_program;
    flow
}

/// `X+=y`: a text grows, an array gets more elements.
fn appended(old: &[Arg], new: Vec<Arg>) -> Vec<Arg> {
    match (old, new.as_slice()) {
        ([old], [new]) => {
            let mut sum = old.clone();
            sum.hole = sum.hole.or(new.hole.map(|hole| hole + old.text.len()));
            sum.text.push_str(&new.text);
            sum.taint.add(&new.taint);
            sum.firm &= new.firm;
            vec![sum]
        }
        _ => old.iter().cloned().chain(new).collect(),
    }
}

pub(crate) fn is_shell(program: &str) -> bool {
    matches!(program, "sh" | "bash" | "zsh" | "dash" | "ksh" | "mksh" | "ash" | "rbash" | "fish" | "tcsh" | "csh")
}

/// The last part of a path.
pub(crate) fn base_name(path: &str) -> &str {
    if !path.as_bytes().contains(&b'/') {
        return path;
    }
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// A program's name without what Windows puts behind it.
fn without_ending(name: &str) -> &str {
    if name.ends_with(".exe") { name.trim_end_matches(".exe") } else { name }
}

/// Runs a program with arguments, the first of which names it.
pub(crate) fn run_args(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    mut args: Vec<Arg>,
    env: Vec<(String, Arg)>,
    stdin: &Flow,
    span: Span,
) -> Flow {
    shell.begin();
    if args.is_empty() {
        shell.ending = Some(Ending::UsuallySucceeds);
        return stdin.clone();
    }
    if !analysis.admit_arguments(args.len(), span) {
        return Flow::default();
    }
    let program = args.remove(0);
    if !program.known() || program.glob.is_some() {
        return run_unknown(analysis, shell, &program, &args, span);
    }
    if let Some(bodies) = shell.bodies_of(&program.text) {
        let known = |body: &Option<_>| body.is_some();
        if !bodies.iter().all(known) {
            analysis.doubt(DoubtReason::Program, &program.text, span);
        }
        return ways::run_ways(analysis, shell, bodies, |analysis, shell, body| match body {
            Some(body) => call_function(analysis, shell, &program.text, body.0, args.clone(), stdin),
            None => run_program(analysis, shell, &program, args.clone(), env.clone(), stdin, span),
        });
    }
    if let Some(texts) = shell.texts_of_alias(&program.text) {
        let aliases = std::mem::take(&mut shell.aliases);
        let flow = ways::run_ways(analysis, shell, texts, |analysis, shell, text| {
            let Some(text) = text else {
                return run_program(analysis, shell, &program, args.clone(), env.clone(), stdin, span);
            };
            let mut line = text.to_string();
            for arg in &args {
                line.push(' ');
                line.push_str(&quote(arg));
            }
            run_text(analysis, shell, &line, Scope::Same, Some(span), stdin)
        });
        shell.aliases = aliases;
        return flow;
    }
    run_program(analysis, shell, &program, args, env, stdin, span)
}

/// Runs a program, or what the shell itself does under its name.
fn run_program(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    program: &Arg,
    args: Vec<Arg>,
    env: Vec<(String, Arg)>,
    stdin: &Flow,
    span: Span,
) -> Flow {
    let program = crate::programs::in_own_path(analysis, shell, program, &env).unwrap_or_else(|| program.clone());
    let other_name = crate::programs::behind(analysis, shell, &program);
    let has_own_name = other_name.is_none();
    let name = other_name.unwrap_or_else(|| without_ending(base_name(&program.text)).to_owned());
    let before = std::mem::replace(&mut analysis.program, name.as_str().into());
    let call = Invocation { program: name, args, env, stdin: stdin.clone(), span };
    for (name, value) in &call.env {
        weakening::variable(analysis, shell.cwd.as_deref(), name, value, span);
    }
    let own = has_own_name && crate::script::file::is_own(analysis, shell, &program);
    let texts = analysis.texts;
    let rests_on_script =
        if own { claims::check_environment(analysis, &call) } else { claims::check(analysis, shell, &program, &call) };
    let flow = analysis.deeper(span, |analysis| {
        // `./cat` is not `cat`.
        if own {
            return crate::script::file::run(analysis, shell, &program, &call, Scope::Child);
        }
        if let Some(flow) = builtins::run(analysis, shell, &call) {
            return flow;
        }
        analysis.waited |= lets_time_pass(&call.program);
        let (before, open) = (analysis.effects.list.len(), may_well_fail(&call.program));
        let flow = models::run(analysis, shell, &program, call);
        let runs = |effect: &Effect| effect.act.family() == "exec";
        if shell.ending.is_none() && !open && !analysis.effects.list.iter().skip(before).any(runs) {
            shell.ending = Some(Ending::UsuallySucceeds);
        }
        flow
    });
    if rests_on_script && analysis.texts == texts {
        analysis.doubt(DoubtReason::Script, &program.text, span);
    }
    analysis.program = before;
    flow
}

/// Programs during which others may change files.
fn lets_time_pass(program: &str) -> bool {
    matches!(program, "sleep" | "usleep" | "inotifywait" | "fswatch" | "entr" | "watch" | "tail" | "timeout" | "at")
}

/// Programs whose status is an answer, or depends on what is far away.
fn may_well_fail(program: &str) -> bool {
    matches!(
        program,
        "grep"
            | "egrep"
            | "fgrep"
            | "zgrep"
            | "rg"
            | "ag"
            | "ack"
            | "diff"
            | "cmp"
            | "which"
            | "expr"
            | "curl"
            | "wget"
            | "ping"
            | "nc"
            | "pgrep"
            | "pkill"
            | "killall"
            | "ssh"
            | "timeout"
            | "type"
    )
}

/// A word as it would have to be written to stand for itself; what is only known at run time stays as it is.
pub(crate) fn quote(arg: &Arg) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '=' | ':' | ',' | '@' | '+' | '%');
    if !arg.known() || arg.glob.is_some() || (!arg.text.is_empty() && arg.text.chars().all(plain)) {
        return arg.text.clone();
    }
    format!("'{}'", arg.text.replace('\'', "'\\''"))
}

/// The program's name is only known at run time.
fn run_unknown(analysis: &mut Analysis<'_>, shell: &Shell<'_>, program: &Arg, args: &[Arg], span: Span) -> Flow {
    let act = if program.taint.remote {
        Act::ExecRemote
    } else if program.taint.decoded {
        Act::ExecDecoded
    } else {
        Act::ExecDynamic
    };
    let place = shell.cwd.as_deref().map_or(Location::Unknown, |cwd| analysis.place_of(cwd));
    // `$VIRTUAL_ENV/bin/python` or `./$name` at least names a folder; still it is not known what runs.
    analysis.add_target(act, Some(&program.text), place, span);
    let words: Vec<Arg> = args.iter().chain(&shell.arguments).cloned().collect();
    analysis.gap_about(GapReason::DynamicCode, span, &words, shell.cwd.as_deref());
    Flow::unknown(program.taint.clone())
}
