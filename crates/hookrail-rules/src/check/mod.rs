//! Rules of all files together: what is wrong between them, and the set that applies.

mod examples;
mod machine;
mod overlap;

pub use examples::{effects_of_example, judge_example};
pub use machine::example_files;

use crate::fault::Fault;
use crate::read::RuleFile;
use crate::rule::{Exception, Rule};
use crate::set::RuleSet;
use hookrail_core::Origin;
use hookrail_core::spelling::closest;
use std::collections::HashMap;

/// All rules, compiled, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    pub set: RuleSet,
    pub faults: Vec<Fault>,
}

/// Puts the rules of all files in force, the highest layer first. Rules that allow and are wrong in any way are left out.
/// `beside` are sets that hold as well, such as a pack's.
#[must_use]
pub fn compile(files: Vec<RuleFile>, beside: &[&RuleSet]) -> Book {
    let mut all = RuleFile::default();
    for file in files {
        all.rules.extend(file.rules);
        all.exceptions.extend(file.exceptions);
        all.faults.extend(file.faults);
    }
    if all.rules.is_empty() && all.exceptions.is_empty() {
        return Book { set: RuleSet::default(), faults: all.faults };
    }
    limit(&mut all);
    let mut faulty = Vec::new();
    report_duplicates(&all.rules, &mut faulty, &mut all.faults);
    let mut budget = EXAMPLE_BYTES;
    for (index, rule) in all.rules.iter().enumerate() {
        let faults = examples::check(rule, &mut budget);
        if !faults.is_empty() {
            faulty.push(index);
        }
        all.faults.extend(faults);
    }
    let mut index = 0;
    all.rules.retain(|rule| {
        index += 1;
        rule.decide.survives_faults() || !faulty.contains(&(index - 1))
    });
    let set = RuleSet::compile(&all.rules, &all.exceptions);
    let sets: Vec<&RuleSet> = std::iter::once(&set).chain(beside.iter().copied()).collect();
    all.faults.extend(all.rules.iter().filter_map(|rule| examples::check_instead(rule, &sets, &mut budget)));
    all.faults.extend(overlap::check(&all.rules, beside));
    let known: Vec<Rule> = sets.iter().flat_map(|set| set.rules()).collect();
    let mut guesses = MAX_GUESSES;
    all.faults.extend(all.exceptions.iter().filter_map(|exception| without_rule(exception, &known, &mut guesses)));
    Book { set, faults: all.faults }
}

/// So many rules and as many exceptions are in force, those of the highest layers first. A project brings its own, and must
/// not be able to make its user wait.
const MAX_RULES: usize = 2000;
/// For so many exceptions it is guessed which rule is meant: each is compared with all of them.
const MAX_GUESSES: usize = 20;
/// So many bytes of examples and suggestions are judged.
const EXAMPLE_BYTES: usize = 128 * 1024;

fn limit(all: &mut RuleFile) {
    let too_many = |origin: &Origin, what: &str| {
        Fault::error(origin.clone(), format!("there are more than {MAX_RULES} {what}; from here on they are left out"))
    };
    let rule = all.rules.get(MAX_RULES).map(|rule| too_many(&rule.origin, "rules"));
    let exception = all.exceptions.get(MAX_RULES).map(|exception| too_many(&exception.origin, "exceptions"));
    all.faults.extend(rule.into_iter().chain(exception));
    all.rules.truncate(MAX_RULES);
    all.exceptions.truncate(MAX_RULES);
}

/// Two rules of one name cannot be told apart.
fn report_duplicates(rules: &[Rule], faulty: &mut Vec<usize>, faults: &mut Vec<Fault>) {
    let mut seen: HashMap<(&str, crate::rule::Layer), usize> = HashMap::new();
    for (index, rule) in rules.iter().enumerate() {
        let Some(first) = seen.insert((&rule.id, rule.layer), index) else { continue };
        let before = rules.get(first).map(|rule| rule.origin.to_string()).unwrap_or_default();
        let message = format!("there are two rules `{}`; the other one is {before}", rule.id);
        faults.push(Fault::error(rule.origin.clone(), message).hint("give one of them another `id`"));
        faulty.extend([first, index]);
    }
}

/// An exception to a rule that is not there, or that it may not weaken.
fn without_rule(exception: &Exception, rules: &[Rule], guesses: &mut usize) -> Option<Fault> {
    if rules.iter().any(|rule| exception.reaches(rule)) {
        return None;
    }
    let origin = exception.origin.clone();
    if let Some(rule) = rules.iter().find(|rule| rule.id == exception.rule) {
        let message = format!(
            "this exception has no effect: rule `{}` is of the {} layer, and only that or a higher one can weaken it",
            rule.id,
            rule.layer.name()
        );
        return Some(Fault::warning(origin, message));
    }
    let message = format!("there is no rule `{}` for this exception", exception.rule);
    let fault = Fault::warning(origin, message);
    Some(if let Some(left) = guesses.checked_sub(1) {
        *guesses = left;
        fault.guess(closest(&exception.rule, rules.iter().map(|rule| rule.id.as_str())))
    } else {
        fault
    })
}
