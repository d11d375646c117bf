//! Every example, judged by its own rule; every `instead`, judged by all rules.

use super::machine::{ExampleMachine, event};
use crate::call::Call;
use crate::example::ExampleCall;
use crate::fault::Fault;
use crate::judge::{Judgement, Terms, judge};
use crate::memory::{Ended, Memory};
use crate::rule::{Level, Rule, RuleDecision};
use crate::set::RuleSet;
use hookrail_core::display::quoted;
use hookrail_core::{EventName, Mode, Origin};
use hookrail_effects::Effects;

/// What rules say about an example, on the machine of examples.
#[must_use]
pub fn judge_example(sets: &[&RuleSet], call: &ExampleCall, level: Level) -> Judgement {
    let world = ExampleMachine::of(call);
    let agent = call.agent.as_deref().unwrap_or("claude");
    let mut memory = Memory::default();
    for command in &call.after {
        let before = ExampleCall { branch: call.branch.clone(), ..ExampleCall::shell(command) };
        let event = event(&before, EventName::AfterTool);
        if let Some(understood) = hookrail_effects::of(&event, &world) {
            memory.learn(sets, &Call::new(&event, &understood, &world, agent), &Ended::of(&event, true));
        }
    }
    let event = event(call, EventName::BeforeTool);
    let Some(understood) = hookrail_effects::of(&event, &world) else { return Judgement::default() };
    let terms =
        Terms { level, today: &|| "1970-01-01".to_owned(), may_permit: &|_| true, memory: &|| Ok(memory.clone()) };
    judge(sets, &Call::new(&event, &understood, &world, agent), &terms).unwrap_or_default()
}

/// Whether there is budget left for a text; what there is not is reported once.
fn afford(text: &str, budget: &mut usize, rule: &Rule) -> Result<bool, Fault> {
    let had = *budget > 0;
    *budget = budget.saturating_sub(text.len() + 64);
    if had && *budget == 0 {
        let message = "there is too much text in examples; from here on they are not checked";
        return Err(Fault::error(rule.origin.clone(), message));
    }
    Ok(*budget > 0)
}

/// The faults of a rule's examples. `budget` is how many bytes of them are still judged.
pub(super) fn check(rule: &Rule, budget: &mut usize) -> Vec<Fault> {
    if rule.examples.list.is_empty() {
        return Vec::new();
    }
    // Examples are about what a rule says when it holds: not about when it is enabled.
    let own = Rule { mode: Mode::Enforce, until: None, limit: None, levels: None, ..rule.clone() };
    let set = RuleSet::compile(&[own], &[]);
    let mut faults = Vec::new();
    for example in &rule.examples.list {
        match afford(&example.call.shown(), budget, rule) {
            Ok(true) => {}
            Ok(false) => break,
            Err(fault) => {
                faults.push(fault);
                break;
            }
        }
        let judgement = judge_example(&[&set], &example.call, Level::default());
        let said = judgement.matches.first().or(judgement.permissions.first()).map(|found| found.decision);
        if said == example.expected {
            continue;
        }
        let origin = Origin { position: example.position.or(rule.origin.position), ..rule.origin.clone() };
        let word = |decision: Option<RuleDecision>| decision.map_or("none", RuleDecision::name);
        let message = format!(
            "an example of rule `{}` fails: it should {} {}, and the rule says {}",
            rule.id,
            example.expected.map_or("say nothing about", |decision| match decision {
                RuleDecision::Deny => "deny",
                RuleDecision::Ask => "ask about",
                RuleDecision::Warn => "warn of",
                RuleDecision::Allow => "allow",
            }),
            quoted(&example.call.shown()),
            word(said),
        );
        faults.push(Fault::error(origin, message).hint(format!("what it does: {}", seen(&example.call))));
    }
    faults
}

/// What the call of an example does, on the machine of examples.
#[must_use]
pub fn effects_of_example(call: &ExampleCall) -> Effects {
    let understood = hookrail_effects::of(&event(call, EventName::BeforeTool), &ExampleMachine::of(call));
    understood.map(|understood| understood.effects.clone()).unwrap_or_default()
}

/// What the call of an example does, for whoever wonders why it fails.
fn seen(call: &ExampleCall) -> String {
    let world = ExampleMachine::of(call);
    let event = event(call, EventName::BeforeTool);
    let Some(understood) = hookrail_effects::of(&event, &world) else { return "nothing".to_owned() };
    let effects = understood.effects.list.iter().take(6).map(ToString::to_string);
    let gaps = understood.effects.gaps.iter().take(3).map(|gap| format!("gap {}", gap.why.name()));
    let all: Vec<String> = effects.chain(gaps).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join("; ") }
}

/// A suggestion that is refused itself leads in a circle.
pub(super) fn check_instead(rule: &Rule, sets: &[&RuleSet], budget: &mut usize) -> Option<Fault> {
    let instead = rule.instead.as_deref()?;
    match afford(instead, budget, rule) {
        Ok(true) => {}
        Ok(false) => return None,
        Err(fault) => return Some(fault),
    }
    let judgement = judge_example(sets, &ExampleCall::shell(instead), Level::default());
    let refuses = |found: &&crate::judge::Match| {
        let decides = found.decision == RuleDecision::Deny && found.rule.limit.is_none();
        decides && found.rule.mode == Mode::Enforce
    };
    let by = judgement.matches.iter().find(refuses)?;
    let message =
        format!("`instead` of rule `{}` is denied itself: {} by rule `{}`", rule.id, quoted(instead), by.rule.id);
    Some(Fault::error(rule.origin.clone(), message).hint("suggest a command that is not"))
}
