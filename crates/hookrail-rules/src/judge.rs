//! What rules say about a call.

use crate::call::{Call, Hit};
use crate::condition::Sense;
use crate::memory::Memory;
use crate::rule::{Exception, Level, Rule, RuleDecision, holds_on};
use crate::set::RuleSet;
use hookrail_core::{HookError, Mode};
use std::cell::OnceCell;

/// A rule that holds for a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub rule: Rule,
    /// What it decides at the level that counts.
    pub decision: RuleDecision,
    /// What of the call it is about, exceptions taken out. Never empty.
    pub hits: Vec<Hit>,
}

/// What all rules say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The rules that deny, ask or warn. Those with a limit hold only when it is used up, which is found out by reserving.
    pub matches: Vec<Match>,
    /// The rules that allow, if together they cover everything that the call does.
    pub permissions: Vec<Match>,
    /// Matches that an exception took away, with the exception.
    pub excepted: Vec<(Match, Exception)>,
}

/// What judging depends on beside rules and call.
#[expect(missing_debug_implementations, reason = "closures have no debug form")]
pub struct Terms<'a> {
    pub level: Level,
    /// The local date, as `2026-12-31`; asked for when something holds until a day.
    pub today: &'a dyn Fn() -> String,
    /// Whether a rule that allows is one that the agent may be told of.
    pub may_permit: &'a dyn Fn(&Rule) -> bool,
    /// What happened before; asked for when a rule needs it.
    pub memory: &'a dyn Fn() -> Result<Memory, HookError>,
}

/// Judges a call by all rules of all sets. Exceptions of every set count for the rules of every set.
pub fn judge(sets: &[&RuleSet], call: &Call<'_>, terms: &Terms<'_>) -> Result<Judgement, HookError> {
    let mut judgement = Judgement::default();
    let memory = OnceCell::new();
    for rule in sets.iter().flat_map(|set| set.candidates(call.effects)) {
        let Some(decision) = in_force(&rule, terms) else { continue };
        let hits = call.hits(&rule.when, Sense::Forbids);
        if hits.is_empty() || !remembered(&rule, &memory, terms)? {
            continue;
        }
        let found = Match { rule, decision, hits };
        let (left, excepted) = without_exceptions(found, sets, call, terms.today);
        judgement.matches.extend(left);
        judgement.excepted.extend(excepted);
    }
    if sets.iter().any(|set| set.contents().allows()) {
        judgement.permissions = permissions(sets, call, &memory, terms)?;
    }
    Ok(judgement)
}

fn in_force(rule: &Rule, terms: &Terms<'_>) -> Option<RuleDecision> {
    let holds = rule.mode != Mode::Off && holds_on(rule.until.as_deref(), terms.today);
    rule.decision_at(terms.level).filter(|_| holds)
}

/// Whether what happened before lets a rule hold.
fn remembered(rule: &Rule, memory: &OnceCell<Memory>, terms: &Terms<'_>) -> Result<bool, HookError> {
    if rule.after.is_none() && rule.unless.is_none() {
        return Ok(true);
    }
    let memory = match memory.get() {
        Some(memory) => memory,
        None => {
            let read = (terms.memory)()?;
            memory.get_or_init(|| read)
        }
    };
    let after = rule.after.as_ref().is_none_or(|happening| memory.has_happened(happening));
    Ok(after && !rule.unless.as_ref().is_some_and(|unless| memory.keeps(unless)))
}

/// Takes out of a match what exceptions cover; what is left of it, and what was taken.
fn without_exceptions(
    mut found: Match,
    sets: &[&RuleSet],
    call: &Call<'_>,
    today: &dyn Fn() -> String,
) -> (Option<Match>, Vec<(Match, Exception)>) {
    let mut taken = Vec::new();
    let exceptions = sets.iter().flat_map(|set| set.exceptions());
    for exception in exceptions.filter(|exception| exception.reaches(&found.rule)) {
        if found.hits.is_empty() || !holds_on(exception.until.as_deref(), today) {
            continue;
        }
        let covered = call.hits(&exception.when, Sense::Permits);
        let whole = covered.contains(&Hit::Call);
        let (gone, left): (Vec<Hit>, Vec<Hit>) = found.hits.iter().partition(|hit| whole || covered.contains(hit));
        if !gone.is_empty() {
            taken.push((Match { hits: gone, ..found.clone() }, exception.clone()));
            found.hits = left;
        }
    }
    ((!found.hits.is_empty()).then_some(found), taken)
}

/// The rules that allow a call, if they cover all of it. A call with a gap may do anything, and is never covered.
fn permissions(
    sets: &[&RuleSet],
    call: &Call<'_>,
    memory: &OnceCell<Memory>,
    terms: &Terms<'_>,
) -> Result<Vec<Match>, HookError> {
    if !call.effects.proven() {
        return Ok(Vec::new());
    }
    let list = &call.effects.list;
    let mut found = Vec::new();
    for rule in sets.iter().flat_map(|set| set.permissions()) {
        let counts = in_force(&rule, terms).is_some()
            && rule.mode == Mode::Enforce
            && call.call_holds(&rule.when, Sense::Permits);
        let hits = match counts {
            false => Vec::new(),
            true if list.is_empty() && rule.when.names_no_effect() => vec![Hit::Call],
            true if list.is_empty() => Vec::new(),
            true => call.hits(&rule.when, Sense::Permits),
        };
        if !hits.is_empty() && remembered(&rule, memory, terms)? && (terms.may_permit)(&rule) {
            found.push(Match { rule, decision: RuleDecision::Allow, hits });
        }
    }
    let is_covered = |index: usize| {
        let covers = |hit: &Hit| *hit == Hit::Call || *hit == Hit::Effect(index);
        found.iter().any(|found| found.hits.iter().any(covers))
    };
    let all = !found.is_empty() && (0..list.len()).all(is_covered);
    Ok(if all { found } else { Vec::new() })
}
