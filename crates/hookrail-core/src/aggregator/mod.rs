//! Many hooks, one verdict. Merging follows plan order, never the order in which hooks happened to finish.

mod conflicts;
mod join;
mod overwrite;
mod replace;
mod tool_selection;

use crate::{Decision, EventName, HookOutput, HookRun, MergeRule, Order, Verdict, create_specific_hook_output};
use serde_json::{Map, Value};

/// Merges the runs of one event. `order` is how they ran: rewrites of sequential hooks build on each other, those of
/// parallel hooks compete.
#[must_use]
pub fn aggregate_results(event: &EventName, runs: Vec<HookRun>, order: Order) -> Verdict {
    let outputs: Vec<&HookOutput> = runs.iter().filter_map(|run| run.output.as_ref()).collect();
    let merged = (!outputs.is_empty()).then(|| merge(event, &outputs, order));
    let conflicts = match order {
        Order::Parallel => conflicts::find(&runs),
        Order::Sequential => Vec::new(),
    };
    let final_output = merged.map(|merged| create_specific_hook_output(event, merged));
    Verdict {
        event: event.clone(),
        decision: final_output.as_ref().map_or(Decision::None, crate::DefaultHookOutput::verdict),
        success: runs.iter().all(HookRun::success),
        final_output,
        runs,
        conflicts,
        order,
    }
}

fn merge(event: &EventName, outputs: &[&HookOutput], order: Order) -> HookOutput {
    let mut merged = match event.merge_rule() {
        MergeRule::Join => join::merge(event, outputs),
        MergeRule::Replace => replace::merge(event, outputs, order),
        MergeRule::UniteTools => tool_selection::merge(event, outputs),
        MergeRule::Overwrite => overwrite::merge(event, outputs),
    };
    settle_decision(&mut merged, event, outputs);
    settle_stop(&mut merged, outputs);
    merged
}

/// The lattice, on every event alike: the strongest decision of any hook, and none if nobody decided.
fn settle_decision(merged: &mut HookOutput, event: &EventName, outputs: &[&HookOutput]) {
    merged.remove("decision");
    if let Some(word) = strongest(event, outputs).to_wire() {
        merged.set("decision", word);
    }
}

fn strongest(event: &EventName, outputs: &[&HookOutput]) -> Decision {
    outputs.iter().map(|output| output.decision_on(event)).max().unwrap_or_default()
}

/// A stop is sticky, and only hooks that stop may say why.
fn settle_stop(merged: &mut HookOutput, outputs: &[&HookOutput]) {
    merged.remove("continue");
    merged.remove("stopReason");
    let stopping = || outputs.iter().filter(|output| output.stops());
    if stopping().next().is_some() {
        merged.set("continue", false);
        merged.set_text("stopReason", &join_texts(stopping().map(|output| output.stop_reason())));
    }
}

/// Texts joined by line breaks; empty ones leave no gap.
fn join_texts<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> String {
    texts.flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The reason when only one can stand: of the hooks whose decision prevailed the last one that gave a reason, so that a
/// block is never explained with the words of a later allow.
fn prevailing_reason<'a>(event: &EventName, outputs: &[&'a HookOutput]) -> Option<&'a str> {
    let prevailing = strongest(event, outputs);
    let last = |decisive: bool| {
        outputs
            .iter()
            .rev()
            .filter(|output| !decisive || output.decision_on(event) == prevailing)
            .find_map(|output| output.reason_on(event))
    };
    last(true).or_else(|| last(false))
}

/// The fields of all `hookSpecificOutput`s, later hooks winning per key. The Claude-style permission fields have been
/// turned into the decision and its reason already (errata B5).
fn overlay_specifics(outputs: &[&HookOutput]) -> Map<String, Value> {
    let mut merged = Map::new();
    for specific in outputs.iter().filter_map(|output| output.specific()) {
        for (key, value) in specific {
            if !value.is_null() && !matches!(key.as_str(), "permissionDecision" | "permissionDecisionReason") {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    merged
}

/// Objects under `field`, merged key by key; anything that is not an object is ignored.
fn overlay_objects(outputs: &[&HookOutput], field: &str) -> Option<Map<String, Value>> {
    let mut objects = outputs.iter().filter_map(|output| output.specific_object(field));
    let mut merged = objects.next()?.clone();
    for object in objects {
        merged.extend(object.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    Some(merged)
}

fn set_specifics(merged: &mut HookOutput, specifics: Map<String, Value>) {
    if !specifics.is_empty() {
        merged.set("hookSpecificOutput", specifics);
    }
}
