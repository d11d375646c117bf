//! Many hooks, one verdict. Merging follows plan order, never the order in which hooks happened to finish.

mod conflicts;
mod tool_selection;

use crate::{Decision, EventName, Extra, HookOutput, HookRun, MergeRule, Order, Requests, Rewrite, Verdict};
use serde_json::{Map, Value};

/// Merges the runs of one event. `order` is how they ran: rewrites of sequential hooks build on each other, those of
/// parallel hooks compete.
pub fn aggregate_results(event: &EventName, runs: Vec<HookRun>, order: Order) -> Verdict {
    let outputs: Vec<&HookOutput> = runs.iter().filter_map(|run| run.output.as_ref()).collect();
    let final_output = (!outputs.is_empty()).then(|| merge(event, &outputs, order));
    let conflicts = match order {
        Order::Parallel => conflicts::find(&runs),
        Order::Sequential => Vec::new(),
    };
    Verdict {
        event: event.clone(),
        decision: final_output.as_ref().map_or(Decision::None, HookOutput::verdict),
        success: runs.iter().all(HookRun::success),
        final_output,
        runs,
        conflicts,
        order,
        notices: Vec::new(),
        added: Vec::new(),
    }
}

fn merge(event: &EventName, outputs: &[&HookOutput], order: Order) -> HookOutput {
    let mut merged = match event.merge_rule() {
        MergeRule::Join => join(outputs),
        MergeRule::Replace => replace(outputs),
        MergeRule::UniteTools => tool_selection::merge(outputs),
        MergeRule::Overwrite => overwrite(outputs),
    };
    // A rule that has something of its own to say about rewrites has said it.
    if merged.rewrite == Rewrite::Nothing {
        merged.rewrite = merge_rewrites(event, outputs, order);
    }
    // The lattice, on every event alike: the strongest decision of any hook, and none if no hook decided.
    merged.decision = strongest(outputs);
    settle_stop(&mut merged, outputs);
    merged
}

/// Tool and agent events: nothing a hook said is lost.
fn join(outputs: &[&HookOutput]) -> HookOutput {
    HookOutput {
        reason: join_texts(outputs.iter().map(|output| output.reason())),
        message: join_texts(outputs.iter().map(|output| output.system_message())),
        context: join_texts(outputs.iter().map(|output| output.additional_context())),
        suppress: outputs.iter().any(|output| output.suppress == Some(true)).then_some(true),
        extra: Extra { top: Map::new(), specific: overlay(outputs, |output| &output.extra.specific) },
        ..HookOutput::default()
    }
}

/// Model events: a later hook's field takes the place of an earlier one's. A field of the wrong type says nothing, so it
/// replaces nothing.
fn replace(outputs: &[&HookOutput]) -> HookOutput {
    HookOutput {
        reason: prevailing_reason(outputs),
        message: outputs.iter().rev().find_map(|output| output.message.clone()),
        context: outputs.iter().rev().find_map(|output| output.context.clone()),
        suppress: outputs.iter().rev().find_map(|output| output.suppress),
        extra: Extra {
            top: overlay(outputs, |output| &output.extra.top),
            specific: overlay(outputs, |output| &output.extra.specific),
        },
        ..HookOutput::default()
    }
}

/// Events without an outcome to combine: the last word stands, stops and decisions excepted.
fn overwrite(outputs: &[&HookOutput]) -> HookOutput {
    let mut merged = replace(outputs);
    // What belongs to the event itself is the last hook's that has such a thing, whole.
    let last = outputs.iter().rev().find(|output| output.context.is_some() || !output.extra.specific.is_empty());
    if let Some(last) = last {
        merged.context.clone_from(&last.context);
        merged.extra.specific.clone_from(&last.extra.specific);
    }
    merged
}

fn strongest(outputs: &[&HookOutput]) -> Decision {
    outputs.iter().map(|output| output.decision).max().unwrap_or_default()
}

fn merge_rewrites(event: &EventName, outputs: &[&HookOutput], order: Order) -> Rewrite {
    let requests = match order {
        Order::Parallel => Requests::Replace,
        Order::Sequential => Requests::Overlay,
    };
    outputs.iter().fold(Rewrite::of(event), |merged, output| merged.then(&output.rewrite, requests))
}

/// A stop is sticky, and only hooks that stop may say why.
fn settle_stop(merged: &mut HookOutput, outputs: &[&HookOutput]) {
    let stopping = || outputs.iter().filter(|output| output.should_stop_execution());
    merged.stop = stopping().next().is_some();
    merged.stop_reason = join_texts(stopping().map(|output| output.stop_reason()));
}

/// Texts joined by line breaks; empty ones leave no gap.
fn join_texts<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Option<String> {
    let joined = texts.flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    (!joined.is_empty()).then_some(joined)
}

/// The reason when only one can stand: of the hooks whose decision prevailed the last one that gave a reason, else of those
/// that decided nothing. A block is never explained with the words of an allow.
fn prevailing_reason(outputs: &[&HookOutput]) -> Option<String> {
    let last = |decision: Decision| {
        let mut speakers = outputs.iter().rev().filter(|output| output.decision == decision);
        speakers.find_map(|output| output.reason().filter(|reason| !reason.is_empty()))
    };
    last(strongest(outputs)).or_else(|| last(Decision::None)).map(str::to_owned)
}

/// The fields hookrail has no name for, later hooks winning per key.
fn overlay(outputs: &[&HookOutput], fields: impl Fn(&HookOutput) -> &Map<String, Value>) -> Map<String, Value> {
    let mut merged = Map::new();
    for output in outputs {
        merged.extend(fields(output).iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    merged
}
