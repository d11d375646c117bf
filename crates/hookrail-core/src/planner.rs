//! From the registered hooks to the ones that run now, in order.

use crate::{Event, EventName, HookEntry, MatchTarget, Mode, ToolCall, Wording};
use std::collections::HashMap;
use std::sync::Arc;

/// Whether the hooks of a plan run one after the other or at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All at once. None sees what another one said.
    Parallel,
    /// One after the other. Each sees what the one before it changed, and a deny ends the chain.
    Sequential,
}

/// The hooks that apply to one event, already filtered, ordered and free of duplicates. Never empty. Only
/// [`create_execution_plan`] makes one.
#[derive(Clone, Debug)]
pub struct Plan {
    event: EventName,
    hooks: Vec<Arc<HookEntry>>,
    order: Order,
}

impl Plan {
    /// The event it is for.
    #[must_use]
    pub fn event(&self) -> &EventName {
        &self.event
    }

    /// The hooks, in the order in which their results are merged.
    #[must_use]
    pub fn hooks(&self) -> &[Arc<HookEntry>] {
        &self.hooks
    }

    /// How they run.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }
}

/// What of an event decides whether a hook applies.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'a> {
    /// What happened.
    pub event: &'a EventName,
    /// What matchers are compared with; without one every hook of the event applies.
    pub subject: Option<&'a str>,
    /// The call it is about, for hooks with a condition and for those that know tools by Claude Code's names.
    pub tool: Option<&'a ToolCall>,
}

impl<'a> Occasion<'a> {
    /// An occasion of which the call itself is not known, or that is not about one.
    #[must_use]
    pub fn new(event: &'a EventName, subject: Option<&'a str>) -> Self {
        Self { event, subject, tool: None }
    }

    /// What an event says about itself.
    #[must_use]
    pub fn of(event: &'a Event) -> Self {
        Self { event: &event.name, subject: event.match_subject(), tool: event.tool.as_ref() }
    }

    /// Whether a hook applies, taken by itself.
    #[must_use]
    pub fn concerns(&self, entry: &HookEntry) -> bool {
        entry.enabled
            && entry.mode != Mode::Off
            && entry.event == *self.event
            && self.matches(entry)
            && entry.condition.as_ref().is_none_or(|condition| condition.holds(self.event, self.tool))
    }

    /// Whether a hook may apply, as far as that can be told without the call itself.
    #[must_use]
    pub fn may_concern(&self, entry: &HookEntry) -> bool {
        let other_names = entry.wording == Wording::Claude;
        entry.enabled && entry.mode != Mode::Off && entry.event == *self.event && (other_names || self.matches(entry))
    }

    fn matches(&self, entry: &HookEntry) -> bool {
        let Some(subject) = self.subject else { return true };
        match self.event.match_target(entry.matcher.style()) {
            MatchTarget::Name => {
                entry.matcher.matches_name(subject)
                    || self.claude_name(entry).is_some_and(|name| entry.matcher.matches_name(name))
            }
            MatchTarget::Trigger => entry.matcher.matches_trigger(subject),
            MatchTarget::Nothing => true,
        }
    }

    /// What a hook that was written for Claude Code calls the tool.
    fn claude_name(&self, entry: &HookEntry) -> Option<&'static str> {
        match entry.wording {
            Wording::Claude => self.tool?.kind.claude_name(),
            Wording::Protocol => None,
        }
    }
}

/// Plans an event: by source, then as registered; disabled and non-matching hooks dropped; hooks that do the same thing
/// become one. One sequential hook makes the whole plan sequential (HOOK-109), but only if it is still there after that
/// (errata B22). `None` means that nothing applies.
pub fn create_execution_plan<'a>(
    entries: impl IntoIterator<Item = &'a Arc<HookEntry>>,
    occasion: &Occasion<'_>,
) -> Option<Plan> {
    let mut matching: Vec<Arc<HookEntry>> =
        entries.into_iter().filter(|entry| occasion.concerns(entry)).cloned().collect();
    if matching.is_empty() {
        return None;
    }
    matching.sort_by_key(|entry| entry.source);
    let hooks = without_repeats(matching);
    let order = if hooks.iter().any(|entry| entry.sequential) { Order::Sequential } else { Order::Parallel };
    Some(Plan { event: occasion.event.clone(), hooks, order })
}

/// Of several hooks that do the same thing one runs, where the first of them stood. It is the one of the highest authority,
/// so that a project cannot take its user's guard away by repeating it with a shorter timeout; what others ask for beyond
/// that holds as well.
fn without_repeats(hooks: Vec<Arc<HookEntry>>) -> Vec<Arc<HookEntry>> {
    if hooks.len() < 2 {
        return hooks;
    }
    let mut places = HashMap::with_capacity(hooks.len());
    let mut kept: Vec<Arc<HookEntry>> = Vec::with_capacity(hooks.len());
    for hook in &hooks {
        let place = *places.entry(hook.deed()).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(known) => *known = Arc::new(merged(known, hook)),
            None => kept.push(Arc::clone(hook)),
        }
    }
    kept
}

fn merged(first: &HookEntry, second: &HookEntry) -> HookEntry {
    let (mut stronger, weaker) = if second.source.authority() > first.source.authority() {
        (second.clone(), first)
    } else {
        (first.clone(), second)
    };
    stronger.tighten(weaker);
    // How the plan runs is the first one's to say (errata B22).
    stronger.sequential = first.sequential;
    stronger
}
