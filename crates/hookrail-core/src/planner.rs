//! From the registered hooks to the ones that run now, in order.

use crate::{EventName, HookEntry, MatchTarget, Mode};
use std::collections::HashSet;
use std::sync::Arc;

/// Whether the hooks of a plan run one after the other or at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Parallel,
    Sequential,
}

/// The hooks that apply to one event, already filtered, ordered and free of duplicates. Never empty.
#[derive(Clone, Debug)]
pub struct Plan {
    pub event: EventName,
    pub hooks: Vec<Arc<HookEntry>>,
    pub order: Order,
}

/// Plans an event: by source, then as registered; disabled and non-matching hooks dropped; of several hooks that run the
/// same thing only the first is kept. One sequential hook makes the whole plan sequential (HOOK-109), but only if it is
/// still there after that (errata B22). `None` means that nothing applies.
///
/// `subject` is what matchers are compared with; without one every hook of the event applies.
pub fn create_execution_plan<'a>(
    entries: impl IntoIterator<Item = &'a Arc<HookEntry>>,
    event: &EventName,
    subject: Option<&str>,
) -> Option<Plan> {
    let mut matching: Vec<&Arc<HookEntry>> = entries
        .into_iter()
        .filter(|entry| {
            entry.enabled && entry.mode != Mode::Off && entry.event == *event && applies(entry, event, subject)
        })
        .collect();
    if matching.is_empty() {
        return None;
    }
    matching.sort_by_key(|entry| entry.source);
    let mut seen = HashSet::with_capacity(matching.len());
    matching.retain(|entry| seen.insert((entry.action.kind(), entry.action.subject())));

    let order = if matching.iter().any(|entry| entry.sequential) { Order::Sequential } else { Order::Parallel };
    Some(Plan { event: event.clone(), hooks: matching.into_iter().cloned().collect(), order })
}

fn applies(entry: &HookEntry, event: &EventName, subject: Option<&str>) -> bool {
    let Some(subject) = subject else { return true };
    match event.match_target() {
        MatchTarget::Name => entry.matcher.matches_name(subject),
        MatchTarget::Trigger => entry.matcher.matches_trigger(subject),
        MatchTarget::Nothing => true,
    }
}
