//! Conditions: `[ … ]`, `[[ … ]]`, `(( … ))` and the patterns of `case`, as far as the text and the machine tell.
//!
//! A condition is decided for good only by words that stand firm: written out, or taken from something that is looked up
//! exactly, such as the branch that is checked out. What is only likely, a default or a number that stands for any number,
//! decides which state the script goes on in, but never that something does not happen.

use super::{Ending, Shell, expand, gap_of, is_shell};
use crate::analysis::Analysis;
use crate::flow::Arg;
use crate::paths::{joined, matches_glob};
use crate::proof::DoubtReason;
use hookrail_core::FileKind;
use hookrail_shell::ast::{Case, CaseEnd, Test, TestKind, Word};

/// How `[ … ]` ends.
pub(super) fn bracket(analysis: &Analysis<'_>, shell: &Shell<'_>, words: &[Arg]) -> Option<Ending> {
    let is_open = |word: &Arg| !word.known() || word.glob.is_some();
    if let ([operator, operand], true) = (words, words.iter().any(is_open)) {
        return unary(analysis, shell, &operator.text, operand);
    }
    if words.iter().any(is_open) {
        return None;
    }
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    match texts.as_slice() {
        [] => Some(Ending::Fails),
        [_] => unary(analysis, shell, "-n", words.first()?),
        [_, operator, _] if is_binary(operator) => binary(analysis, shell, words.first()?, operator, words.get(2)?),
        ["!", ..] => bracket(analysis, shell, words.get(1..)?).map(Ending::negated),
        [operator, _] => unary(analysis, shell, operator, words.get(1)?),
        _ => combined(analysis, shell, words),
    }
}

/// `[ a -o b ]`, `[ a -a b ]`.
fn combined(analysis: &Analysis<'_>, shell: &Shell<'_>, words: &[Arg]) -> Option<Ending> {
    let parts = |by: &str| -> Vec<Option<Ending>> {
        words.split(|word| word.text == by).map(|part| bracket(analysis, shell, part)).collect()
    };
    let has = |operator: &str| words.iter().any(|word| word.text == operator);
    if has("-o") {
        return any(&parts("-o"));
    }
    if has("-a") { all(&parts("-a")) } else { None }
}

fn is_binary(operator: &str) -> bool {
    matches!(operator, "=" | "==" | "!=" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
}

/// Expands the words of `[[ … ]]`, and tells how it ends.
pub(super) fn double_bracket<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    test: &'s Test<'s>,
) -> Option<Ending> {
    analysis.deeper(test.span, |analysis| match &test.kind {
        TestKind::Word(word) => {
            let word = expand::single(analysis, shell, word);
            unary(analysis, shell, "-n", &word)
        }
        TestKind::Unary { operator, operand } => {
            let operand = expand::single(analysis, shell, operand);
            if matches!(&**operator, "-v" | "-R") {
                analysis.doubt(DoubtReason::Syntax, operator, test.span);
            }
            unary(analysis, shell, operator, &operand)
        }
        TestKind::Binary { left, operator, right } => {
            let left = expand::single(analysis, shell, left);
            let right = expand::single(analysis, shell, right);
            // These evaluate what they compare.
            let evaluates = matches!(&**operator, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
            if evaluates && !(left.firm && right.firm) {
                analysis.doubt(DoubtReason::Syntax, operator, test.span);
            }
            binary(analysis, shell, &left, operator, &right)
        }
        TestKind::Not(inner) => double_bracket(analysis, shell, inner).map(Ending::negated),
        TestKind::And(tests) => {
            let endings: Vec<_> = tests.iter().map(|inner| double_bracket(analysis, shell, inner)).collect();
            all(&endings)
        }
        TestKind::Or(tests) => {
            let endings: Vec<_> = tests.iter().map(|inner| double_bracket(analysis, shell, inner)).collect();
            any(&endings)
        }
        TestKind::Unknown(bad) => {
            analysis.gap(gap_of(bad.reason), test.span);
            None
        }
    })
}

/// How `(( … ))` ends, if it is a number.
pub(super) fn arithmetic(analysis: &Analysis<'_>, shell: &Shell<'_>, words: &[Arg]) -> Option<Ending> {
    let [word] = words else { return None };
    let number: i64 = word.text.trim().parse().ok()?;
    Some(decided(analysis, shell, &[word], number != 0))
}

/// Whether all of several conditions hold.
fn all(endings: &[Option<Ending>]) -> Option<Ending> {
    if endings.contains(&Some(Ending::DoesNotHold)) {
        return Some(Ending::DoesNotHold);
    }
    if endings.iter().all(|ending| *ending == Some(Ending::Holds)) {
        return Some(Ending::Holds);
    }
    let expected: Vec<Option<bool>> = endings.iter().map(|ending| ending.and_then(Ending::expected)).collect();
    if expected.contains(&Some(false)) {
        return Some(Ending::UsuallyFails);
    }
    expected.iter().all(|expected| *expected == Some(true)).then_some(Ending::UsuallySucceeds)
}

/// Whether one of several conditions holds.
fn any(endings: &[Option<Ending>]) -> Option<Ending> {
    let negated: Vec<Option<Ending>> = endings.iter().map(|ending| ending.map(Ending::negated)).collect();
    all(&negated).map(Ending::negated)
}

fn unary(analysis: &Analysis<'_>, shell: &Shell<'_>, operator: &str, operand: &Arg) -> Option<Ending> {
    if !operand.known() {
        return None;
    }
    if operand.glob.is_some() {
        return unmatched(analysis, shell, operator, operand);
    }
    match operator {
        "-n" => Some(decided(analysis, shell, &[operand], !operand.text.is_empty())),
        "-z" => Some(decided(analysis, shell, &[operand], operand.text.is_empty())),
        _ => file(analysis, shell, operator, operand),
    }
}

/// A pattern that matches nothing here is its own text, and there is no such file.
fn unmatched(analysis: &Analysis<'_>, shell: &Shell<'_>, operator: &str, operand: &Arg) -> Option<Ending> {
    let cwd = shell.cwd.as_deref().filter(|_| matches!(operator, "-e" | "-f" | "-d" | "-s"))?;
    let is_empty = crate::resolve::matching(analysis, &joined(cwd, &operand.text))?.is_empty();
    if is_empty { file(analysis, shell, operator, operand) } else { None }
}

fn binary(analysis: &Analysis<'_>, shell: &Shell<'_>, left: &Arg, operator: &str, right: &Arg) -> Option<Ending> {
    if !left.known() || left.glob.is_some() || !right.known() {
        return None;
    }
    let numbers = || Some((left.text.trim().parse::<i64>().ok()?, right.text.trim().parse::<i64>().ok()?));
    let holds = match operator {
        "=" | "==" => matches(right, &left.text)?,
        "!=" => !matches(right, &left.text)?,
        "-eq" => numbers().map(|(left, right)| left == right)?,
        "-ne" => numbers().map(|(left, right)| left != right)?,
        "-lt" => numbers().map(|(left, right)| left < right)?,
        "-le" => numbers().map(|(left, right)| left <= right)?,
        "-gt" => numbers().map(|(left, right)| left > right)?,
        "-ge" => numbers().map(|(left, right)| left >= right)?,
        _ => return None,
    };
    Some(decided(analysis, shell, &[left, right], holds))
}

/// Whether a pattern, or a text, matches a text; `None` if it is not certain which of its characters are quoted.
fn matches(pattern: &Arg, text: &str) -> Option<bool> {
    match pattern.glob {
        Some(_) => Some(matches_glob(&pattern.text, text)),
        None if pattern.firm => Some(pattern.text == text),
        None if pattern.text.contains(['*', '?', '[']) => None,
        None => Some(pattern.text == text),
    }
}

/// `-d`, `-f`, `-e` and `-L`, asked of the machine. Where nothing is known of the working directory, nothing is of what is
/// in it.
fn file(analysis: &Analysis<'_>, shell: &Shell<'_>, operator: &str, operand: &Arg) -> Option<Ending> {
    let cwd = shell.cwd.as_deref().filter(|cwd| analysis.machine.kind(cwd).is_some())?;
    let path = joined(cwd, &operand.text);
    // What this call did before may have made it or taken it away.
    if !analysis.effects.list.iter().all(|effect| effect.unmet || effect.act.only_reads()) {
        return None;
    }
    let kind = analysis.machine.kind(&analysis.machine.resolve(&path));
    let holds = match operator {
        "-d" => kind == Some(FileKind::Folder),
        "-f" => kind == Some(FileKind::File),
        "-e" => kind.is_some(),
        // What is not there has no size; how large another one is, nothing tells.
        "-s" if kind.is_none() => false,
        "-s" if analysis.machine.read_small(&path).is_some_and(|text| !text.is_empty()) => true,
        "-L" | "-h" => analysis.machine.kind(&path) == Some(FileKind::Link),
        _ => return None,
    };
    // The machine is no proof: anything may change it before the call runs.
    Some(Ending::of(holds))
}

/// The ending of a condition: for good if its words stand firm, else the likely one.
fn decided(analysis: &Analysis<'_>, shell: &Shell<'_>, words: &[&Arg], holds: bool) -> Ending {
    let firm = words.iter().all(|word| word.firm) && is_run_once(analysis, shell);
    match (firm, holds) {
        (true, true) => Ending::Holds,
        (true, false) => Ending::DoesNotHold,
        (false, holds) => Ending::of(holds),
    }
}

/// Whether what is being read runs now, here and once: not again in a loop, later, for each of many files, or in a container.
pub(crate) fn is_run_once(analysis: &Analysis<'_>, shell: &Shell<'_>) -> bool {
    let passes_on = |step: &str| {
        is_shell(step) || matches!(step, "eval" | "source" | "." | "command" | "builtin") || shell.is_calling(step)
    };
    shell.repeats == 0 && analysis.mounts.is_none() && analysis.via.iter().all(|step| passes_on(&step.0))
}

/// Which arms of a `case` are not taken, for good, and whether one certainly is.
pub(super) fn excluded_arms<'s>(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'s>,
    all: &'s Case<'s>,
) -> (Vec<bool>, bool) {
    let word = expand::single(analysis, shell, &all.word);
    let certain = word.firm && word.known() && word.glob.is_none() && is_run_once(analysis, shell);
    let plain = all.arms.iter().all(|arm| arm.end == CaseEnd::Break);
    let mut taken = false;
    let mut excluded = Vec::new();
    for arm in &all.arms {
        let patterns = |word: &'s Word<'s>| expand::single(analysis, shell, word);
        let patterns: Vec<Arg> = arm.patterns.iter().map(patterns).collect();
        let decide = |pattern: &Arg| if pattern.firm && pattern.known() { matches(pattern, &word.text) } else { None };
        let decisions: Vec<Option<bool>> = patterns.iter().map(decide).collect();
        let misses = decisions.iter().all(|decision| *decision == Some(false));
        excluded.push(certain && plain && (taken || misses));
        taken |= decisions.contains(&Some(true));
    }
    (excluded, certain && plain && taken)
}
