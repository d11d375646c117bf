//! What hooks made of a call is judged again: a rewrite must not carry past the guards what they would have refused.

#![expect(clippy::disallowed_methods, reason = "this is the one pipeline")]

use super::Parts;
use super::layers::is_native;
use super::scope::EventScope;
use crate::runner::process::CancelToken;
use hookrail_core::planner::{Occasion, create_execution_plan};
use hookrail_core::{Decision, Event, EventName, HookEntry, HookOutput, HookRun, Order, Requests, Rewrite, chaining};
use std::sync::Arc;

/// The objections of native hooks to the call as it was rewritten; empty if it was not rewritten or was refused anyway.
pub(super) fn judge_rewrites(
    parts: &Arc<Parts>,
    scope: &EventScope,
    event: &Event,
    runs: &[HookRun],
    order: Order,
) -> Vec<HookRun> {
    let outputs = || runs.iter().filter_map(|run| run.output.as_ref());
    let refused = outputs().any(|output| output.verdict() >= Decision::Block);
    if event.name != EventName::BeforeTool || refused || outputs().all(|output| output.rewrite.is_empty()) {
        return Vec::new();
    }
    let Some(rewritten) = rewritten(event, outputs(), order).map(Arc::new) else { return Vec::new() };
    let guards: Vec<Arc<HookEntry>> =
        parts.hooks.of_event(&rewritten).into_iter().filter(|hook| is_native(hook)).collect();
    let Some(plan) = create_execution_plan(&guards, &Occasion::of(&rewritten)) else { return Vec::new() };
    let mut again = parts.runner.execute_with(&plan, &rewritten, &CancelToken::new(), scope);
    // What they had to say beside an objection they have said.
    again.retain(|run| run.output.as_ref().is_some_and(|output| output.verdict() >= Decision::Ask));
    again
}

/// The event as the tool would see it; `None` if the rewrite changes nothing.
fn rewritten<'a>(event: &Event, outputs: impl Iterator<Item = &'a HookOutput>, order: Order) -> Option<Event> {
    let requests = match order {
        Order::Parallel => Requests::Replace,
        Order::Sequential => Requests::Overlay,
    };
    let rewrite = outputs.fold(Rewrite::of(&event.name), |merged, output| merged.then(&output.rewrite, requests));
    let mut rewritten = event.clone();
    chaining::apply_hook_output_to_input(&mut rewritten, &HookOutput { rewrite, ..HookOutput::default() });
    (rewritten.tool_input() != event.tool_input()).then_some(rewritten)
}
