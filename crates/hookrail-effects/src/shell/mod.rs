//! From a shell text to effects: the text is followed as a shell would run it, without running anything.

mod builtins;
mod choices;
mod command;
mod conditions;
mod expand;
mod fields;
mod flow_control;
mod format;
mod parameter;
mod redirect;
mod shared;
mod state;
mod ways;

pub(crate) use builtins::{folder, gap_in_flow, print_environment, run_code, with_content};
use choices::{Choice, Choices};
pub(crate) use command::{Invocation, base_name, is_shell, quote, run_args};
pub(crate) use conditions::is_run_once;
pub(crate) use redirect::{content_of, from_file, note_emptied, note_fetched, read, remember, write, written};
pub(crate) use state::Body;
use state::Local;
pub(crate) use state::{Ending, Heads, Position, ShellState};

use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::GapReason;
use crate::flow::{Arg, Flow};
use crate::location::Location;
use crate::proof::DoubtReason;
use flow_control::{run_case, run_for, run_if, run_loop, run_script};
use hookrail_core::tidy_path::is_same;
use hookrail_shell::ast::{Command, CommandKind, Span, UnknownReason};
use hookrail_shell::parse;
use shared::Shared;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// So many bytes all variables may have together.
const MAX_VARIABLES: usize = 32 * 1024;

/// What a shell knows while it runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shell<'s> {
    /// `None` when it is only known at run time.
    pub cwd: Option<PathBuf>,
    folders: Shared<Option<PathBuf>>,
    /// Sorted by name: a script may have thousands.
    pub variables: Choices<Rc<[Arg]>>,
    /// Bytes of all variables.
    variables_size: usize,
    functions: Choices<Body<'s>>,
    aliases: Choices<Rc<str>>,
    /// Whether ways with different values have met: some name may stand for several things.
    has_choices: bool,
    /// Variables that functions which are being called have as their own, with what they were before.
    locals: Vec<Local>,
    /// The states in which loops, and functions, were left early.
    left: Vec<ShellState<'s>>,
    returned: Vec<ShellState<'s>>,
    /// `$0`, where the text tells.
    pub zero: Option<Arg>,
    /// `$1` and so on.
    pub arguments: Vec<Arg>,
    /// What was written to files by this call.
    pub files: Shared<(Rc<Path>, Rc<Flow>)>,
    /// Folders whose content comes over the network in this call.
    pub fetched: Shared<PathBuf>,
    /// What was done to repositories by this call.
    pub heads: Heads,
    /// Other folders that the shell may be in.
    pub elsewhere: Vec<PathBuf>,
    /// How the last command ends, if anything tells.
    pub ending: Option<Ending>,
    /// The state in the case that the last command fails; `None` if it is the same.
    pub if_failed: Option<Box<ShellState<'s>>>,
    /// Functions that are being called.
    calling: Vec<String>,
    /// The line that `read` gets in this round of a loop.
    line: Option<Arg>,
    /// Whether a variable or a file was too large to be kept.
    pub overflowed: bool,
    /// How many loops, of rounds that are not followed one by one, or texts for later stand around what is being read.
    repeats: usize,
    /// How many parts that may or may not run stand around what is being read.
    optional: usize,
    /// Variables that are other names of variables: `declare -n`.
    references: Vec<(String, String)>,
    /// Variables that programs get as well: `export`.
    exported: Shared<Box<str>>,
    /// What runs when the shell ends, by the signal.
    traps: Shared<(Box<str>, Arg)>,
    /// Whether a command that fails ends the shell: `set -e`.
    errexit: bool,
    /// The same for the shell that is started next: `bash -e`.
    pub starts_strict: bool,
    /// How many conditions stand around what is being read, in which a failure is an answer.
    tested: usize,
    /// The folder before the last one, while the shell changes it.
    previous: Option<Arg>,
    /// How many loops stand around what is being read.
    loops: usize,
}

impl<'s> Shell<'s> {
    pub(crate) fn at(cwd: &Path) -> Self {
        Self { cwd: Some(cwd.to_owned()), ..Self::default() }
    }

    /// Sets a variable. What would make the variables too large, which are copied for every subshell, is not kept.
    pub(crate) fn set(&mut self, name: &str, mut values: Vec<Arg>) {
        let name = self.referred(name).to_owned();
        let name = name.as_str();
        let old = choices::find(&self.variables, name).map_or(0, |choice| size(choice.value()));
        let all = self.variables_size.saturating_sub(old);
        if all + size(&values) > MAX_VARIABLES {
            self.overflowed = true;
            let span = values.first().map(|value| value.span).unwrap_or_default();
            values = vec![Arg::unknown(format!("${name}"), span)];
            if all > 2 * MAX_VARIABLES {
                return;
            }
        }
        self.variables_size = all + size(&values);
        choices::assign(&mut self.variables, name, Some(Choice::One(values.into())));
    }

    /// Forgets variables.
    pub(crate) fn unset(&mut self, names: &[&str]) {
        self.variables.change().retain(|(known, _)| !names.contains(&&**known));
        self.variables_size = self.variables.iter().map(|(_, choice)| size(choice.value())).sum();
    }

    pub(crate) fn get(&self, name: &str) -> Option<&[Arg]> {
        let name = self.referred(name);
        choices::find(&self.variables, name).map(|choice| &**choice.value())
    }

    /// The variable that a name refers to.
    pub(crate) fn referred<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        // A reference to a reference; in a circle, bash gives up, too.
        for _ in 0..8 {
            match self.references.iter().find(|(known, _)| known == name) {
                Some((_, to)) => name = to,
                None => break,
            }
        }
        name
    }

    /// From now on nothing is certain of variables and arguments: something may have changed them.
    fn loosen(&mut self) {
        for (_, choice) in self.variables.change() {
            if let Choice::One(values) = choice {
                Rc::make_mut(values).iter_mut().for_each(|value| value.firm = false);
            }
        }
        self.arguments.iter_mut().for_each(|value| value.firm = false);
    }

    /// Runs a round of a loop, which may or may not run.
    fn in_loop<T>(&mut self, round: impl FnOnce(&mut Self) -> T) -> T {
        self.loops += 1;
        let result = self.optionally(round);
        self.loops -= 1;
        result
    }

    /// Reads something that may or may not run.
    fn optionally<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.optional += 1;
        let result = inner(self);
        self.optional -= 1;
        result
    }

    /// The bodies that a function may have; `None` among them if there may be no such function.
    fn bodies_of(&self, name: &str) -> Option<Vec<Option<Body<'s>>>> {
        choices::find(&self.functions, name).map(|choice| Choice::all(Some(choice)))
    }

    /// The same for the texts of an alias.
    fn texts_of_alias(&self, name: &str) -> Option<Vec<Option<Rc<str>>>> {
        choices::find(&self.aliases, name).map(|choice| Choice::all(Some(choice)))
    }

    fn is_calling(&self, function: &str) -> bool {
        self.calling.iter().any(|running| running == function)
    }

    /// A shell that is started from this one: it does not run the traps of this one.
    pub(crate) fn fork(&self) -> Self {
        Self { traps: Shared::default(), loops: 0, left: Vec::new(), returned: Vec::new(), ..self.clone() }
    }

    /// Runs a program's own script with the variables that are set for it alone.
    pub(crate) fn with_environment<T>(&mut self, env: &[(String, Arg)], run: impl FnOnce(&mut Self) -> T) -> T {
        if env.is_empty() {
            return run(self);
        }
        let before = (self.variables.clone(), self.variables_size, self.exported.clone());
        for (name, value) in env {
            self.set(name, vec![value.clone()]);
            self.exported.change().push(name.as_str().into());
        }
        let result = run(self);
        (self.variables, self.variables_size, self.exported) = before;
        result
    }

    /// Whether programs get a variable.
    pub(crate) fn is_exported(&self, name: &str) -> bool {
        self.exported.iter().any(|known| **known == *name || **known == *EVERY_VARIABLE)
    }

    /// Keeps what a script that ran in this shell changed.
    fn adopt(&mut self, other: Shell<'_>) {
        self.cwd = other.cwd;
        self.elsewhere = other.elsewhere;
        self.folders = other.folders;
        self.variables = other.variables;
        self.references = other.references;
        self.variables_size = other.variables_size;
        self.aliases = other.aliases;
        self.exported = other.exported;
        self.traps = other.traps;
        self.errexit = other.errexit;
        self.files = other.files;
        self.fetched = other.fetched;
        self.heads = other.heads;
        self.ending = other.ending;
        self.has_choices |= other.has_choices;
        self.if_failed = other.if_failed.map(|failed| Box::new(failed.with_functions(self.functions.clone())));
    }

    /// Keeps what a shell that was started from this one left behind on the disk, and how it ended.
    pub(crate) fn inherit(&mut self, child: Shell<'_>) {
        self.files = child.files;
        self.fetched = child.fetched;
        self.heads = child.heads;
        self.ending = child.ending.map(|ending| if ending == Ending::Exits { Ending::Open } else { ending });
        let failed = child.if_failed.map(|failed| (failed.heads, failed.files));
        self.if_failed = failed.map(|(heads, files)| Box::new(ShellState { heads, files, ..self.state() }));
    }

    /// The same for a shell that has only been copied from this one, without the copy.
    pub(crate) fn inherit_unchanged(&mut self) {
        if self.ending == Some(Ending::Exits) {
            self.ending = Some(Ending::Open);
        }
        if let Some(failed) = self.if_failed.take() {
            let ShellState { heads, files, .. } = *failed;
            self.if_failed = Some(Box::new(ShellState { heads, files, ..self.state() }));
        }
    }

    pub(crate) fn written(&self, path: &Path) -> Option<&Flow> {
        self.files.iter().rev().find(|(known, _)| is_same(known, path)).map(|(_, flow)| &**flow)
    }
}

/// `set -a`: every variable is exported.
const EVERY_VARIABLE: &str = "*";

/// How much values count for the limit of all variables.
fn size(values: &[Arg]) -> usize {
    values.iter().map(|value| value.text.len() + 64).sum()
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
    analysis.texts += 1;
    let script = parse(text);
    let mut child = if scope == Scope::Child { shell.fork() } else { shell.clone() };
    if scope == Scope::Child {
        // It sees what is exported alone.
        child.loosen();
        child.errexit = std::mem::take(&mut shell.starts_strict);
        child.tested = 0;
    }
    let here = span.unwrap_or_default();
    let run = |analysis: &mut Analysis<'_>| {
        let flow = run_script(analysis, &mut child, &script, stdin);
        if scope == Scope::Child || span.is_none() {
            end_shell(analysis, &mut child);
        }
        flow
    };
    let flow = match span {
        Some(span) => analysis.deeper(here, |analysis| analysis.inside(span, run)),
        None => analysis.deeper(here, run),
    };
    match scope {
        Scope::Same => shell.adopt(Shell { functions: Shared::default(), ..child }),
        Scope::Child => shell.inherit(child),
    }
    flow
}

/// A shell ends: what it was told to do then happens, where it stands then.
fn end_shell(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>) {
    let (ending, failed) = (shell.ending, shell.if_failed.take());
    if let Some(failed) = &failed {
        shell.traps = shell.state().or((**failed).clone()).traps;
    }
    for (_, text) in std::mem::take(&mut shell.traps).iter() {
        shell.repeats += 1;
        run_text(analysis, shell, &text.text, Scope::Same, Some(text.span), &Flow::default());
        shell.repeats -= 1;
    }
    (shell.ending, shell.if_failed) = (ending, failed);
}

fn run_command<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, command: &'s Command<'s>, stdin: &Flow) -> Flow {
    let open = if shell.has_choices { ways::open_names(shell, command) } else { Vec::new() };
    if open.is_empty() {
        return run_once(analysis, shell, command, stdin);
    }
    ways::run_each(analysis, shell, &open, |analysis, shell| run_once(analysis, shell, command, stdin))
}

/// Runs a command whose words have one value each.
fn run_once<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, command: &'s Command<'s>, stdin: &Flow) -> Flow {
    if let CommandKind::Simple(simple) = &command.kind {
        return command::run_simple(analysis, shell, simple, command, stdin);
    }
    if !analysis.admit(command.span) {
        return Flow::default();
    }
    shell.begin();
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
            let mut child = shell.fork();
            let flow = run_script(analysis, &mut child, script, stdin);
            end_shell(analysis, &mut child);
            shell.inherit(child);
            flow
        }
        CommandKind::If(all) => run_if(analysis, shell, all, stdin),
        CommandKind::Loop(all) => run_loop(analysis, shell, all, stdin),
        CommandKind::For(all) => {
            let items = match &all.words {
                Some(words) => words.iter().flat_map(|word| expand::fields(analysis, shell, word)).collect(),
                None => shell.arguments.clone(),
            };
            run_for(analysis, shell, &all.name, items, &all.body, command.span)
        }
        CommandKind::ArithmeticFor(all) => {
            analysis.doubt(DoubtReason::Syntax, "for ((", command.span);
            for word in [&all.initial, &all.condition, &all.step] {
                expand::fields(analysis, shell, word);
            }
            flow_control::repeat(analysis, shell, |analysis, shell| {
                flow_control::run_body(analysis, shell, &all.body, stdin)
            })
        }
        CommandKind::Case(all) => run_case(analysis, shell, all, stdin),
        CommandKind::Arithmetic(word) => {
            analysis.doubt(DoubtReason::Syntax, "((", command.span);
            let words = expand::fields(analysis, shell, word);
            shell.ending = conditions::arithmetic(analysis, shell, &words);
            shell.loosen();
            Flow::default()
        }
        CommandKind::Test(test) => {
            shell.ending = conditions::double_bracket(analysis, shell, test);
            Flow::default()
        }
        CommandKind::Function(function) => {
            let name = expand::text(analysis, shell, &function.name);
            choices::assign(&mut shell.functions, &name, Some(Choice::One(Body(&function.body))));
            Flow::default()
        }
        CommandKind::Coproc(all) => {
            analysis.doubt(DoubtReason::Syntax, "coproc", command.span);
            run_command(analysis, shell, &all.command, stdin)
        }
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

/// Calls a function with arguments of its own.
fn call_function<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    name: &str,
    body: &'s Command<'s>,
    arguments: Vec<Arg>,
    stdin: &Flow,
) -> Flow {
    if shell.is_calling(name) {
        // It calls itself: what it does is known already. Without an end, it fills the process table.
        analysis.add_target(Act::HostProcess, Some("fork-bomb"), Location::System, body.span);
        return Flow::default();
    }
    let before = std::mem::replace(&mut shell.arguments, arguments);
    let loops = std::mem::take(&mut shell.loops);
    let (locals, returned) = (std::mem::take(&mut shell.locals), std::mem::take(&mut shell.returned));
    shell.calling.push(name.to_owned());
    let flow = analysis.within(name, |analysis| run_command(analysis, shell, body, stdin));
    shell.calling.pop();
    shell.loops = loops;
    shell.arguments = before;
    // `return` ends the function and nothing else.
    let exits = shell.ending == Some(Ending::Exits);
    let mut ways = std::mem::replace(&mut shell.returned, returned);
    if !ways.is_empty() {
        shell.settle();
        shell.begin();
        ways.extend((!exits).then(|| shell.state()));
        flow_control::join(shell, ways);
    }
    let own = std::mem::replace(&mut shell.locals, locals);
    own.into_iter().rev().for_each(|local| shell.give_back(local));
    if exits {
        shell.ending = None;
    }
    flow
}
