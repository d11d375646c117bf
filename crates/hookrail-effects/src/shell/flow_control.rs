//! Lists, pipelines, conditions and loops: which way a script takes.

use super::{Ending, Shell, ShellState, conditions, end_shell, run_command, with_content};
use crate::analysis::Analysis;
use crate::flow::{Arg, Flow};
use crate::paths::joined;
use crate::proof::DoubtReason;
use hookrail_core::FileKind;
use hookrail_shell::ast::{Case, Connector, If, Item, Loop, Pipeline, Script, Span};
use std::path::{Path, PathBuf};

/// So many items of a loop are followed one by one; more are not read.
const MAX_ROUNDS: usize = 1024;

/// Runs a script. Its last command is left unsettled: whoever runs it may ask how it ended.
pub(super) fn run_script<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    script: &'s Script<'s>,
    stdin: &Flow,
) -> Flow {
    let mut output = Flow::default();
    for item in &script.items {
        shell.settle();
        // It runs at the same time as what follows, which may change what it reads.
        if item.background
            && (script.items.len() > 1 || shell.optional > 0 || shell.loops > 0 || !shell.calling.is_empty())
        {
            analysis.doubt(DoubtReason::Syntax, "&", item.span);
        }
        output.append(run_item(analysis, shell, item, stdin));
        if shell.errexit && shell.tested == 0 && is_failure(shell, item) {
            shell.ending = Some(Ending::Exits);
        }
        if shell.ending == Some(Ending::Exits) {
            break;
        }
    }
    output
}

/// Whether `set -e` ends the shell at an item: its last command ran, for certain, and failed.
fn is_failure(shell: &Shell<'_>, item: &Item<'_>) -> bool {
    let last = item.rest.last().map_or(&item.first, |(_, pipeline)| pipeline);
    let ran = item.rest.iter().all(|(connector, _)| *connector == Connector::Or);
    ran && !item.background && !last.negated && matches!(shell.ending, Some(Ending::Fails | Ending::DoesNotHold))
}

/// Runs a script whose ending decides nothing.
pub(super) fn run_body<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    script: &'s Script<'s>,
    stdin: &Flow,
) -> Flow {
    shell.begin();
    let flow = run_script(analysis, shell, script, stdin);
    shell.settle();
    flow
}

fn run_item<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, item: &'s Item<'s>, stdin: &Flow) -> Flow {
    if !item.background {
        return run_list(analysis, shell, item, stdin);
    }
    let mut child = shell.fork();
    let flow = child.optionally(|child| run_list(analysis, child, item, stdin));
    end_shell(analysis, &mut child);
    child.settle();
    let before = shell.state();
    shell.inherit(child);
    // It may happen before what follows or after it.
    let after = shell.state();
    shell.begin();
    shell.restore(after.or(before));
    flow
}

fn run_list<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, item: &'s Item<'s>, stdin: &Flow) -> Flow {
    let tested = shell.tested;
    // Every command but the last one is a condition.
    shell.tested += usize::from(!item.rest.is_empty());
    let mut output = run_pipeline(analysis, shell, &item.first, stdin);
    for (index, (connector, pipeline)) in item.rest.iter().enumerate() {
        if index + 1 == item.rest.len() {
            shell.tested = tested;
        }
        output.append(match connector {
            Connector::And => run_and(analysis, shell, pipeline, stdin),
            Connector::Or => run_or(analysis, shell, pipeline, stdin),
        });
    }
    output
}

/// What stands behind `&&` runs in the state of success.
fn run_and<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, pipeline: &'s Pipeline<'s>, stdin: &Flow) -> Flow {
    let left = shell.ending.unwrap_or_default();
    if matches!(left, Ending::Fails | Ending::Exits) {
        return Flow::default();
    }
    let failed = shell.if_failed.take().map_or_else(|| shell.state(), |failed| *failed);
    let happens =
        if left == Ending::Succeeds { Happens::Surely } else { Happens::only_if(left == Ending::DoesNotHold) };
    let flow = happens.follow(analysis, shell, |analysis, shell| run_pipeline(analysis, shell, pipeline, stdin));
    let right = shell.ending.unwrap_or_default();
    match left {
        Ending::Succeeds | Ending::Holds => return flow,
        Ending::DoesNotHold => {
            shell.restore(failed);
            shell.if_failed = None;
            shell.ending = Some(left);
        }
        // `test -f x && exit`: whatever follows comes after a failure.
        _ if right == Ending::Exits => {
            shell.restore(failed);
            shell.if_failed = None;
            shell.ending = Some(Ending::UsuallyFails);
        }
        _ => {
            let behind = shell.if_failed.take().map(|failed| *failed);
            let either = match behind {
                Some(behind) => failed.or(behind),
                None if right.expected() == Some(true) => failed,
                None => failed.or(shell.state()),
            };
            shell.has_choices = true;
            shell.if_failed = (either != shell.state()).then(|| Box::new(either));
            let usually = left == Ending::UsuallySucceeds && right.expected() == Some(true);
            shell.ending = Some(match right {
                Ending::Fails => right,
                _ if usually => Ending::UsuallySucceeds,
                _ => Ending::Open,
            });
        }
    }
    flow
}

/// What stands behind `||` runs in the state of failure.
fn run_or<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, pipeline: &'s Pipeline<'s>, stdin: &Flow) -> Flow {
    let left = shell.ending.unwrap_or_default();
    if matches!(left, Ending::Succeeds | Ending::Exits) {
        return Flow::default();
    }
    let succeeded = shell.state();
    let failed = shell.failed();
    shell.restore(failed);
    let happens = if left == Ending::Fails { Happens::Surely } else { Happens::only_if(left == Ending::Holds) };
    let flow = happens.follow(analysis, shell, |analysis, shell| run_pipeline(analysis, shell, pipeline, stdin));
    let right = shell.ending.unwrap_or_default();
    match (left, right) {
        (Ending::Fails | Ending::DoesNotHold, _) => {}
        // `cd x || exit`: whatever follows comes after a success.
        (_, Ending::Exits) | (Ending::Holds, _) => {
            shell.restore(succeeded);
            shell.if_failed = None;
            shell.ending = Some(if left == Ending::Holds { left } else { Ending::UsuallySucceeds });
        }
        (_, right) => {
            shell.go_on_in(succeeded);
            let usually = left.expected() == Some(true) || right.expected() == Some(true);
            shell.ending = Some(if usually { Ending::UsuallySucceeds } else { Ending::Open });
        }
    }
    flow
}

/// Whether a part of a script runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Happens {
    Surely,
    Perhaps,
    /// A condition in front of it does not hold.
    Not,
}

impl Happens {
    fn only_if(excluded: bool) -> Self {
        if excluded { Self::Not } else { Self::Perhaps }
    }

    /// Follows a part. What stands behind a condition that does not hold is still told, as such.
    fn follow<'s, 'm, T>(
        self,
        analysis: &mut Analysis<'m>,
        shell: &mut Shell<'s>,
        inner: impl FnOnce(&mut Analysis<'m>, &mut Shell<'s>) -> T,
    ) -> T {
        let (optional, unmet) = (usize::from(self != Self::Surely), usize::from(self == Self::Not));
        shell.optional += optional;
        analysis.unmet += unmet;
        let result = inner(analysis, shell);
        analysis.unmet -= unmet;
        shell.optional -= optional;
        result
    }
}

fn run_pipeline<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    pipeline: &'s Pipeline<'s>,
    stdin: &Flow,
) -> Flow {
    shell.tested += usize::from(pipeline.negated);
    let flow = match pipeline.commands.as_slice() {
        [command] => run_command(analysis, shell, command, stdin),
        _ => run_piped(analysis, shell, pipeline, stdin),
    };
    shell.tested -= usize::from(pipeline.negated);
    if pipeline.negated {
        let succeeded = shell.state();
        let failed = shell.failed();
        shell.if_failed = (failed != succeeded).then(|| Box::new(succeeded));
        shell.restore(failed);
        shell.ending = shell.ending.map(Ending::negated);
    }
    flow
}

/// The commands of a pipeline run at the same time, each in a shell of its own; the last one tells how it ends.
fn run_piped<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, pipeline: &'s Pipeline<'s>, stdin: &Flow) -> Flow {
    shell.begin();
    let mut flow = stdin.clone();
    let start = shell.heads.clone();
    let mut heads = start.clone();
    for command in &pipeline.commands {
        let mut child = shell.fork();
        child.heads.clone_from(&start);
        flow = run_command(analysis, &mut child, command, &flow);
        end_shell(analysis, &mut child);
        child.settle();
        shell.inherit(child);
        if shell.heads != start {
            heads.clone_from(&shell.heads);
        }
    }
    shell.heads = heads;
    shell.if_failed = None;
    // What went through filters is known roughly.
    Flow { firm: false, ..flow }
}

pub(super) fn run_if<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, all: &'s If<'s>, stdin: &Flow) -> Flow {
    let mut output = Flow::default();
    let mut ways: Vec<ShellState<'s>> = Vec::new();
    let mut last = Ending::Open;
    let mut happens = Happens::Perhaps;
    let mut ends = false;
    for branch in &all.branches {
        let condition = run_condition(analysis, shell, happens, &branch.condition, stdin);
        output.append(condition);
        last = shell.ending.unwrap_or_default();
        let failed = shell.failed();
        if last != Ending::Fails {
            let body = if last == Ending::DoesNotHold { Happens::Not } else { happens };
            let run =
                |analysis: &mut Analysis<'_>, shell: &mut Shell<'s>| run_body(analysis, shell, &branch.body, stdin);
            output.append(body.follow(analysis, shell, run));
            let exits = shell.ending == Some(Ending::Exits);
            if last != Ending::DoesNotHold && !exits {
                ways.push(shell.state());
            }
            ends |= exits && happens != Happens::Not && matches!(last, Ending::Succeeds | Ending::Holds);
        }
        shell.begin();
        shell.restore(failed);
        if last == Ending::Succeeds {
            break;
        }
        if last == Ending::Holds {
            happens = Happens::Not;
        }
    }
    if let Some(otherwise) = all.otherwise.as_ref().filter(|_| last != Ending::Succeeds) {
        let run = |analysis: &mut Analysis<'_>, shell: &mut Shell<'s>| run_body(analysis, shell, otherwise, stdin);
        output.append(happens.follow(analysis, shell, run));
    }
    let goes_on = !matches!(last, Ending::Succeeds | Ending::Holds) && shell.ending != Some(Ending::Exits);
    // The part that runs here and now ends the script.
    let ends = ends && ways.is_empty();
    if goes_on || ways.is_empty() {
        ways.push(shell.state());
    }
    join(shell, ways);
    if ends {
        shell.ending = Some(Ending::Exits);
    }
    output
}

/// Runs what a failure is an answer of.
fn run_condition<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    happens: Happens,
    condition: &'s Script<'s>,
    stdin: &Flow,
) -> Flow {
    shell.begin();
    shell.tested += 1;
    let flow = happens.follow(analysis, shell, |analysis, shell| run_script(analysis, shell, condition, stdin));
    shell.tested -= 1;
    flow
}

/// Goes on in any of several states.
pub(super) fn join<'s>(shell: &mut Shell<'s>, ways: Vec<ShellState<'s>>) {
    shell.begin();
    shell.has_choices |= ways.len() > 1;
    if let Some(state) = ways.into_iter().reduce(ShellState::or) {
        shell.restore(state);
    }
}

pub(super) fn run_case<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    all: &'s Case<'s>,
    stdin: &Flow,
) -> Flow {
    let (excluded, is_taken) = conditions::excluded_arms(analysis, shell, all);
    let start = shell.state();
    let mut ways = if is_taken { Vec::new() } else { vec![start.clone()] };
    let mut output = Flow::default();
    for (arm, excluded) in all.arms.iter().zip(excluded) {
        shell.restore(start.clone());
        let run = |analysis: &mut Analysis<'_>, shell: &mut Shell<'s>| run_body(analysis, shell, &arm.body, stdin);
        output.append(Happens::only_if(excluded).follow(analysis, shell, run));
        if !excluded && shell.ending != Some(Ending::Exits) {
            ways.push(shell.state());
        }
    }
    if ways.is_empty() {
        shell.restore(start);
        shell.ending = Some(Ending::Exits);
        return output;
    }
    join(shell, ways);
    output
}

/// A loop that reads lines is followed for the lines that are known.
pub(super) fn run_loop<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    all: &'s Loop<'s>,
    stdin: &Flow,
) -> Flow {
    let condition = &all.condition;
    let stdin = &with_content(analysis, stdin);
    let mut lines: Vec<Arg> = stdin.names.iter().take(MAX_ROUNDS).cloned().collect();
    let more = stdin.names.len() > MAX_ROUNDS
        || lines.is_empty() && stdin.text.as_ref().is_some_and(|text| text.lines().count() > MAX_ROUNDS);
    if more {
        analysis.over_limit(condition.span);
    }
    if lines.is_empty()
        && let Some(text) = &stdin.text
    {
        let line = |line: &str| Arg { taint: stdin.taint.clone(), ..Arg::new(line, condition.span) };
        lines = text.lines().take(MAX_ROUNDS).map(line).collect();
    }
    if lines.is_empty() {
        lines.push(Arg { taint: stdin.taint.clone(), ..Arg::unknown("$line", condition.span) });
    }
    let output = match lines.as_slice() {
        [_] => {
            let line = lines.pop();
            repeat(analysis, shell, |analysis, shell| {
                shell.line.clone_from(&line);
                run_round(analysis, shell, all, stdin).1
            })
        }
        _ => {
            let left = std::mem::take(&mut shell.left);
            let start = shell.state();
            let (mut output, mut ends) = (Flow::default(), vec![start]);
            shell.repeats += 1;
            for line in lines {
                // Loops in each other have as many rounds as the product of theirs.
                if !analysis.admit(condition.span) {
                    break;
                }
                shell.line = Some(line);
                let (goes_on, flow) = shell.in_loop(|shell| run_round(analysis, shell, all, stdin));
                output.append(flow);
                ends.append(&mut shell.left);
                if !goes_on {
                    break;
                }
            }
            shell.repeats -= 1;
            shell.left = left;
            ends.push(shell.state());
            join(shell, ends);
            output
        }
    };
    shell.line = None;
    output
}

/// Runs the condition of a loop and its body; reports whether there may be another round.
fn run_round<'s>(analysis: &mut Analysis<'_>, shell: &mut Shell<'s>, all: &'s Loop<'s>, stdin: &Flow) -> (bool, Flow) {
    let mut output = run_condition(analysis, shell, Happens::Surely, &all.condition, stdin);
    let ending = shell.ending.unwrap_or_default();
    let ending = if all.until { ending.negated() } else { ending };
    // The condition has been tested once more when the loop ends.
    if !matches!(ending, Ending::Succeeds | Ending::Holds) {
        let state = shell.state();
        shell.left.push(state);
    }
    if all.until {
        let failed = shell.failed();
        shell.restore(failed);
    }
    if ending == Ending::Fails {
        return (false, output);
    }
    shell.if_failed = None;
    output.append(run_body(analysis, shell, &all.body, stdin));
    (true, output)
}

/// So many loops in each other are followed twice.
const MAX_TWICE: usize = 3;

/// Runs a round of a loop whose number of rounds is not known: once from the state before it, and again from every state that a
/// round may begin in. What still changes then is unknown afterwards.
pub(super) fn repeat<'s, 'm>(
    analysis: &mut Analysis<'m>,
    shell: &mut Shell<'s>,
    mut round: impl FnMut(&mut Analysis<'m>, &mut Shell<'s>) -> Flow,
) -> Flow {
    let outer = std::mem::take(&mut shell.left);
    shell.repeats += 1;
    let start = shell.state();
    let mut output = shell.in_loop(|shell| round(analysis, shell));
    let mut all = ends(shell, start.clone());
    if all != start {
        if shell.loops < MAX_TWICE {
            shell.has_choices = true;
            shell.begin();
            shell.restore(all.clone());
            output.append(shell.in_loop(|shell| round(analysis, shell)));
            let again = ends(shell, all.clone());
            let mut wider = again.clone();
            wider.widen(&all);
            all = if again == all { all } else { wider };
        } else {
            all.widen(&start);
        }
    }
    shell.repeats -= 1;
    shell.left = outer;
    shell.begin();
    shell.has_choices = true;
    shell.restore(all);
    output
}

/// Every state in which a round may have ended, or the one before it.
fn ends<'s>(shell: &mut Shell<'s>, before: ShellState<'s>) -> ShellState<'s> {
    let exits = shell.ending == Some(Ending::Exits);
    let end = (!exits).then(|| shell.state());
    let left = std::mem::take(&mut shell.left);
    left.into_iter().chain(end).fold(before, ShellState::or)
}

/// The names that a pattern stands for now, where they are few, and the pattern itself for what this call makes before.
fn one_by_one(analysis: &Analysis<'_>, shell: &Shell<'_>, item: Arg) -> Vec<Arg> {
    let Some(cwd) = shell.cwd.as_deref().filter(|_| item.known() && item.glob.is_some()) else { return vec![item] };
    let folders = item.text.ends_with('/');
    let found = crate::resolve::matching(analysis, &joined(cwd, &item.text)).unwrap_or_default();
    let is_wanted =
        |path: &Path| !folders || analysis.machine.kind(&analysis.machine.resolve(path)) == Some(FileKind::Folder);
    let named = |path: PathBuf| {
        let name = path.strip_prefix(cwd).unwrap_or(&path).to_string_lossy().into_owned();
        Arg { glob: None, ..item.with_text(if folders { name + "/" } else { name }) }
    };
    found.into_iter().filter(|path| is_wanted(path)).map(named).chain([item.clone()]).collect()
}

pub(super) fn run_for<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    name: &str,
    mut items: Vec<Arg>,
    body: &'s Script<'s>,
    span: Span,
) -> Flow {
    let certain = items.iter().any(|item| item.firm && item.known() && item.glob.is_none());
    items = items.into_iter().flat_map(|item| one_by_one(analysis, shell, item)).collect();
    if items.len() > MAX_ROUNDS {
        items.truncate(MAX_ROUNDS - 1);
        items.push(Arg::unknown(format!("${name}"), span));
        analysis.over_limit(span);
    }
    crate::claims::for_shell(analysis, shell, name, &Arg::default(), span);
    let outer = std::mem::take(&mut shell.left);
    let mut ends = if certain { Vec::new() } else { vec![shell.state()] };
    let mut output = Flow::default();
    for item in items {
        if !analysis.admit(span) {
            break;
        }
        shell.set(name, vec![item]);
        output.append(shell.in_loop(|shell| run_body(analysis, shell, body, &Flow::default())));
        let left = std::mem::take(&mut shell.left);
        if !left.is_empty() {
            // The loop may have ended here, or the next round may begin here.
            let end = (shell.ending != Some(Ending::Exits)).then(|| shell.state());
            ends.extend(left.iter().cloned());
            join(shell, left.into_iter().chain(end).collect());
        }
    }
    shell.left = outer;
    ends.push(shell.state());
    join(shell, ends);
    output
}
