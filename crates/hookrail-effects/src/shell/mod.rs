//! From a shell text to effects: the text is followed as a shell would run it, without running anything.

mod builtins;
mod command;
mod expand;
mod parameter;
mod redirect;

pub(crate) use builtins::{folder, print_environment, run_code, with_content};
pub(crate) use command::{Invocation, base_name, is_shell, quote, run_args};
pub(crate) use redirect::{from_file, read, remember, write, written};

use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::GapReason;
use crate::flow::{Arg, Flow};
use crate::location::Location;
use hookrail_shell::ast::{Command, CommandKind, Item, Pipeline, Script, Span, Test, TestKind, UnknownReason};
use hookrail_shell::parse;
use std::path::{Path, PathBuf};

/// So many items of a loop are followed one by one.
const MAX_ROUNDS: usize = 16;
/// So many bytes all variables may have together.
const MAX_VARIABLES: usize = 32 * 1024;

/// What a shell knows while it runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shell<'s> {
    /// `None` when it is only known at run time.
    pub cwd: Option<PathBuf>,
    folders: Vec<Option<PathBuf>>,
    pub variables: Vec<(String, Vec<Arg>)>,
    functions: Vec<(String, &'s Command<'s>)>,
    aliases: Vec<(String, String)>,
    /// `$0`, where the text tells.
    pub zero: Option<Arg>,
    /// `$1` and so on.
    pub arguments: Vec<Arg>,
    /// What was written to files by this call.
    pub files: Vec<(PathBuf, Flow)>,
    /// Functions that are being called.
    calling: Vec<String>,
    /// The line that `read` gets in this round of a loop.
    line: Option<Arg>,
}

impl Shell<'_> {
    pub(crate) fn at(cwd: &Path) -> Self {
        Self { cwd: Some(cwd.to_owned()), ..Self::default() }
    }

    /// Sets a variable. What would make the variables too large, which are copied for every subshell, is not kept.
    pub(crate) fn set(&mut self, name: &str, mut values: Vec<Arg>) {
        let size = |values: &[Arg]| values.iter().map(|value| value.text.len() + 64).sum::<usize>();
        let all: usize = self.variables.iter().filter(|(known, _)| known != name).map(|(_, values)| size(values)).sum();
        if all + size(&values) > MAX_VARIABLES {
            let span = values.first().map(|value| value.span).unwrap_or_default();
            values = vec![Arg::unknown(format!("${name}"), span)];
            if all > 2 * MAX_VARIABLES {
                return;
            }
        }
        match self.variables.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = values,
            None => self.variables.push((name.to_owned(), values)),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&[Arg]> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }

    /// Keeps what a script that ran in this shell changed.
    fn adopt(&mut self, other: Shell<'_>) {
        self.cwd = other.cwd;
        self.folders = other.folders;
        self.variables = other.variables;
        self.aliases = other.aliases;
        self.files = other.files;
    }

    pub(crate) fn written(&self, path: &Path) -> Option<&Flow> {
        self.files.iter().rev().find(|(known, _)| known == path).map(|(_, flow)| flow)
    }
}

/// Which shell a text runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// As `eval` does: what it changes stays.
    Same,
    /// As `sh -c` does.
    Child,
}

/// Follows a text that is run as a shell script. `span` is where it stands in the call.
pub(crate) fn run_text(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    text: &str,
    scope: Scope,
    span: Option<Span>,
    stdin: &Flow,
) -> Flow {
    let script = parse(text);
    let mut child = shell.clone();
    let here = span.unwrap_or_default();
    let run = |analysis: &mut Analysis<'_>| run_script(analysis, &mut child, &script, stdin);
    let flow = match span {
        Some(span) => analysis.deeper(here, |analysis| analysis.inside(span, run)),
        None => analysis.deeper(here, run),
    };
    match scope {
        Scope::Same => shell.adopt(Shell { functions: Vec::new(), ..child }),
        Scope::Child => shell.files = child.files,
    }
    flow
}

fn run_script<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, script: &'s Script<'s>, stdin: &Flow) -> Flow {
    let mut output = Flow::default();
    for item in &script.items {
        output.append(run_item(analysis, shell, item, stdin));
    }
    output
}

fn run_item<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, item: &'s Item<'s>, stdin: &Flow) -> Flow {
    if item.background {
        let mut child = shell.clone();
        let flow = run_list(analysis, &mut child, item, stdin);
        shell.files = child.files;
        return flow;
    }
    run_list(analysis, shell, item, stdin)
}

fn run_list<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, item: &'s Item<'s>, stdin: &Flow) -> Flow {
    let mut output = run_pipeline(analysis, shell, &item.first, stdin);
    for (_, pipeline) in &item.rest {
        output.append(run_pipeline(analysis, shell, pipeline, stdin));
    }
    output
}

fn run_pipeline<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    pipeline: &'s Pipeline<'s>,
    stdin: &Flow,
) -> Flow {
    if let [command] = pipeline.commands.as_slice() {
        return run_command(analysis, shell, command, stdin);
    }
    let mut flow = stdin.clone();
    for command in &pipeline.commands {
        let mut child = shell.clone();
        flow = run_command(analysis, &mut child, command, &flow);
        shell.files = child.files;
    }
    flow
}

fn run_command<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, command: &'s Command<'s>, stdin: &Flow) -> Flow {
    if let CommandKind::Simple(simple) = &command.kind {
        return command::run_simple(analysis, shell, simple, command, stdin);
    }
    analysis.deeper(command.span, |analysis| {
        let redirected = redirect::prepare(analysis, shell, &command.redirects, stdin);
        let flow = run_compound(analysis, shell, command, &redirected.stdin);
        redirect::finish(analysis, shell, &redirected, flow)
    })
}

fn run_compound<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    command: &'s Command<'s>,
    stdin: &Flow,
) -> Flow {
    match &command.kind {
        CommandKind::Simple(_) => Flow::default(),
        CommandKind::Group(script) => run_script(analysis, shell, script, stdin),
        CommandKind::Subshell(script) => {
            let mut child = shell.clone();
            let flow = run_script(analysis, &mut child, script, stdin);
            shell.files = child.files;
            flow
        }
        CommandKind::If(all) => {
            let mut output = Flow::default();
            for branch in &all.branches {
                output.append(run_script(analysis, shell, &branch.condition, stdin));
                output.append(run_script(analysis, shell, &branch.body, stdin));
            }
            if let Some(otherwise) = &all.otherwise {
                output.append(run_script(analysis, shell, otherwise, stdin));
            }
            output
        }
        CommandKind::Loop(all) => run_loop(analysis, shell, &all.condition, &all.body, stdin),
        CommandKind::For(all) => {
            let items = match &all.words {
                Some(words) => words.iter().flat_map(|word| expand::fields(analysis, shell, word)).collect(),
                None => shell.arguments.clone(),
            };
            run_for(analysis, shell, &all.name, items, &all.body, command.span)
        }
        CommandKind::ArithmeticFor(all) => {
            for word in [&all.initial, &all.condition, &all.step] {
                expand::fields(analysis, shell, word);
            }
            run_script(analysis, shell, &all.body, stdin)
        }
        CommandKind::Case(all) => {
            expand::fields(analysis, shell, &all.word);
            let mut output = Flow::default();
            for arm in &all.arms {
                output.append(run_script(analysis, shell, &arm.body, stdin));
            }
            output
        }
        CommandKind::Arithmetic(word) => {
            expand::fields(analysis, shell, word);
            Flow::default()
        }
        CommandKind::Test(test) => {
            run_test(analysis, shell, test);
            Flow::default()
        }
        CommandKind::Function(function) => {
            let name = expand::text(analysis, shell, &function.name);
            shell.functions.retain(|(known, _)| *known != name);
            shell.functions.push((name, &function.body));
            Flow::default()
        }
        CommandKind::Coproc(all) => run_command(analysis, shell, &all.command, stdin),
        CommandKind::Unknown(unknown) => {
            analysis.gap(gap_of(unknown.reason), command.span);
            Flow::default()
        }
    }
}

pub(crate) fn gap_of(reason: UnknownReason) -> GapReason {
    match reason {
        UnknownReason::TextTooLong | UnknownReason::NestedTooDeep | UnknownReason::TooManyCommands => {
            GapReason::OverLimit
        }
        UnknownReason::Unclosed(_)
        | UnknownReason::Unexpected
        | UnknownReason::Missing(_)
        | UnknownReason::BadSubstitution => GapReason::Syntax,
    }
}

/// A loop that reads lines is followed for the lines that are known.
fn run_loop<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    condition: &'s Script<'s>,
    body: &'s Script<'s>,
    stdin: &Flow,
) -> Flow {
    let mut lines: Vec<Arg> = stdin.names.iter().take(MAX_ROUNDS).cloned().collect();
    if lines.is_empty()
        && let Some(text) = &stdin.text
    {
        let line = |line: &str| Arg { taint: stdin.taint.clone(), ..Arg::new(line, condition.span) };
        lines = text.lines().take(MAX_ROUNDS).map(line).collect();
    }
    if lines.is_empty() {
        lines.push(Arg { taint: stdin.taint.clone(), ..Arg::unknown("$line", condition.span) });
    }
    let mut output = Flow::default();
    for line in lines {
        shell.line = Some(line);
        output.append(run_script(analysis, shell, condition, stdin));
        output.append(run_script(analysis, shell, body, stdin));
    }
    shell.line = None;
    output
}

fn run_for<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    name: &str,
    mut items: Vec<Arg>,
    body: &'s Script<'s>,
    span: Span,
) -> Flow {
    if items.len() > MAX_ROUNDS {
        items.truncate(MAX_ROUNDS - 1);
        items.push(Arg::unknown(format!("${name}"), span));
    }
    let mut output = Flow::default();
    for item in items {
        shell.set(name, vec![item]);
        output.append(run_script(analysis, shell, body, &Flow::default()));
    }
    output
}

fn run_test<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, test: &'s Test<'s>) {
    analysis.deeper(test.span, |analysis| match &test.kind {
        TestKind::Word(word) | TestKind::Unary { operand: word, .. } => {
            expand::fields(analysis, shell, word);
        }
        TestKind::Binary { left, right, .. } => {
            expand::fields(analysis, shell, left);
            expand::fields(analysis, shell, right);
        }
        TestKind::Not(inner) => run_test(analysis, shell, inner),
        TestKind::And(all) | TestKind::Or(all) => {
            for inner in all {
                run_test(analysis, shell, inner);
            }
        }
        TestKind::Unknown(unknown) => analysis.gap(gap_of(unknown.reason), test.span),
    });
}

/// Calls a function with arguments of its own.
fn call_function<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    name: &str,
    body: &'s Command<'s>,
    arguments: Vec<Arg>,
    stdin: &Flow,
) -> Flow {
    if shell.calling.iter().any(|running| running == name) {
        // It calls itself: what it does is known already. Without an end, it fills the process table.
        analysis.add_target(Act::HostProcess, Some("fork-bomb"), Location::System, body.span);
        return Flow::default();
    }
    let before = std::mem::replace(&mut shell.arguments, arguments);
    shell.calling.push(name.to_owned());
    let flow = analysis.within(name, |analysis| run_command(analysis, shell, body, stdin));
    shell.calling.pop();
    shell.arguments = before;
    flow
}
