//! Rules that cannot do anything: because nothing matches them, or because others decide the same or the opposite first.

use crate::condition::{Condition, Entry, Key, Selector, Sense};
use crate::fault::Fault;
use crate::pattern::matches_text;
use crate::rule::{Rule, RuleDecision};
use crate::set::RuleSet;
use hookrail_core::Mode;
use hookrail_effects::Act;

/// So many rules are compared with each other.
const MAX_COMPARED: usize = 400;

/// Warnings about rules that never matter. A rule that says what a pack says as well is not one of them: packs change.
pub(super) fn check(rules: &[Rule], beside: &[&RuleSet]) -> Vec<Fault> {
    let of_packs: Vec<Rule> = beside.iter().flat_map(|set| set.rules()).filter(decides_alone).collect();
    let own: Vec<&Rule> = rules.iter().filter(|rule| decides_alone(rule)).take(MAX_COMPARED).collect();
    let all: Vec<&Rule> = own.iter().copied().chain(&of_packs).collect();
    let overruled = |rule: &Rule| {
        let deciding = if rule.decide == RuleDecision::Allow { &all } else { &own };
        overruled(rule, deciding)
    };
    let checked = rules.iter().take(MAX_COMPARED);
    checked.filter_map(|rule| never_matches(rule).or_else(|| overruled(rule))).collect()
}

/// Whether a rule decides whenever its condition holds, whatever happened before.
fn decides_alone(rule: &Rule) -> bool {
    !rule.has_memory() && rule.until.is_none() && rule.mode == Mode::Enforce
}

fn overruled(rule: &Rule, deciding: &[&Rule]) -> Option<Fault> {
    let is_other = |other: &Rule| other.origin != rule.origin || other.id != rule.id;
    // A project has rules for those who do not have them, such as the ones that `init` writes for a user as well.
    let is_copy = |other: &Rule| {
        other.layer != rule.layer && other.id == rule.id && other.decide == rule.decide && other.when == rule.when
    };
    let stronger = |other: &Rule| match (other.decide, rule.decide) {
        // Of two that decide the same the later one is superfluous, unless it has words of its own.
        (a, b) if a == b => {
            let silent = rule.say.is_none() && rule.instead.is_none();
            silent && (other.layer, &other.origin.position) < (rule.layer, &rule.origin.position)
        }
        (RuleDecision::Deny, _) => true,
        (RuleDecision::Ask, RuleDecision::Allow) => true,
        _ => false,
    };
    let by = deciding.iter().find(|other| {
        is_other(other) && !is_copy(other) && stronger(other) && covers(&other.when, &rule.when, sense(other))
    })?;
    let word = |rule: &Rule| rule.decide.name();
    let message = match rule.decide {
        RuleDecision::Allow if by.decide != RuleDecision::Allow => {
            format!(
                "rule `{}` contradicts rule `{}`, which says {} about everything it allows",
                rule.id,
                by.id,
                word(by)
            )
        }
        _ => format!(
            "rule `{}` is shadowed by rule `{}`, which says {} about everything it is about",
            rule.id,
            by.id,
            word(by)
        ),
    };
    Some(Fault::warning(rule.origin.clone(), message).hint(format!("the other one is {}", by.origin)))
}

fn sense(rule: &Rule) -> Sense {
    if rule.decide == RuleDecision::Allow { Sense::Permits } else { Sense::Forbids }
}

/// Whether a condition holds wherever another one does. Where that is not plain, it does not.
fn covers(wide: &Condition, narrow: &Condition, sense: Sense) -> bool {
    wide.selectors.iter().all(|selector| match (selector.key, narrow.selector(selector.key)) {
        (_, None) => false,
        (Key::Effect, Some(_)) => {
            let (wide, narrow) = (wide.acts(sense), narrow.acts(sense));
            narrow.0 & !wide.0 == 0
        }
        (_, Some(narrow)) => *selector == *narrow || covers_entries(selector, narrow),
    })
}

fn covers_entries(wide: &Selector, narrow: &Selector) -> bool {
    let excludes = |selector: &Selector| selector.entries.iter().any(|entry| entry.negated);
    // Patterns of paths are compared by their text alone: a bare name and a path are not alike.
    let same = |wide: &Entry, narrow: &Entry| match wide {
        wide if wide == narrow => true,
        wide => wide_text(wide) && matches_text(&wide.pattern, &narrow.pattern),
    };
    !excludes(wide)
        && !excludes(narrow)
        && narrow.entries.iter().all(|entry| wide.entries.iter().any(|wide| same(wide, entry)))
}

fn wide_text(entry: &Entry) -> bool {
    entry.pattern.contains('*') && !entry.pattern.contains('/')
}

/// Why nothing can match a rule, if that is so.
fn never_matches(rule: &Rule) -> Option<Fault> {
    let report =
        |why: String| Some(Fault::warning(rule.origin.clone(), format!("rule `{}` never matches: {why}", rule.id)));
    // An entry that was wrong was reported.
    if rule.when.selectors.iter().flat_map(|selector| &selector.entries).any(|entry| entry.pattern.is_empty()) {
        return None;
    }
    let acts = rule.when.acts(sense(rule));
    if acts.is_empty() && !(rule.decide == RuleDecision::Allow && rule.when.names_no_effect()) {
        return report("its `effect` excludes everything that it names".to_owned());
    }
    rule.when.selector(Key::Effect)?;
    let acts: Vec<Act> = Act::ALL.iter().copied().filter(|act| acts.has(*act)).collect();
    for key in [Key::Host, Key::Path] {
        if rule.when.selector(key).is_some() && acts.iter().all(|act| lacks(*act, key)) {
            let names = acts.iter().take(3).map(|act| format!("`{act}`")).collect::<Vec<_>>().join(", ");
            return report(format!("{names} has no `{}`", key.name()));
        }
    }
    let place = rule.when.selector(Key::Place)?;
    let remote = place.holds(Sense::Forbids, |pattern, _| matches_text(pattern, "remote"));
    let is_remote = |act: &Act| matches!(act, Act::NetFetch | Act::NetSend);
    if !remote && acts.iter().all(is_remote) {
        return report("what goes over the network is at place `remote`".to_owned());
    }
    None
}

/// Whether an act never has an attribute.
fn lacks(act: Act, key: Key) -> bool {
    match key {
        Key::Host => {
            matches!(act.family(), "fs" | "agent" | "guard")
                || matches!(act, Act::HostPower | Act::HostDisk | Act::HostPersist | Act::SecretRead)
        }
        Key::Path => matches!(act.family(), "agent") || matches!(act, Act::NetFetch | Act::NetListen | Act::HostPower),
        _ => false,
    }
}
