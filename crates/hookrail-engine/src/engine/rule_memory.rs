//! What rules with a memory learn, hold and give back.

use super::hooks::HookSet;
use hookrail_core::{
    ConfigSource, Event, EventName, HookAction, HookEntry, HookError, NativeHook, Origin, Outcome, World,
};
use hookrail_rules::{Call, DayFile, Ended, MEMORY_KEY, Match, Memory, Period, Reservation, RuleSet, call_id};
use std::sync::Arc;

/// The hook that learns.
const MEMORY: &str = "hookrail/rule-memory";

impl HookSet {
    /// Whether rules have anything to remember.
    pub(super) fn remembers(&self) -> bool {
        !self.selection().is_exclusive() && self.settings().rules().contents().remembers()
    }

    /// The hook that learns from an event, if there is something to learn.
    pub(super) fn memory_of(&self, event: &Event) -> Option<HookEntry> {
        if !self.remembers() {
            return None;
        }
        let rules = self.settings().rules();
        let teaches = match event.name {
            EventName::AfterTool | EventName::ToolFailed => rules.contents().limits() || self.is_fact(event, rules),
            EventName::BeforeAgent => rules.contents().limits(),
            _ => false,
        };
        let hook = RuleMemory { events: [event.name.clone()], rules: Arc::clone(rules), agent: self.agent() };
        teaches.then(|| {
            let action = HookAction::Native(Arc::new(hook));
            let mut entry = HookEntry::new(event.name.clone(), action, ConfigSource::Runtime);
            entry.breaker = false;
            entry.origin = Origin::new("hookrail", None);
            entry
        })
    }

    fn is_fact(&self, event: &Event, rules: &RuleSet) -> bool {
        let Some(understood) = hookrail_effects::of(event, self.world()) else { return false };
        let mut scratch = Memory::default();
        scratch.learn(&[rules], &Call::new(event, &understood, self.world(), self.agent()), &Ended::of(event, true));
        scratch.has_facts()
    }
}

/// Learns from calls that have ended.
#[derive(Debug)]
struct RuleMemory {
    events: [EventName; 1],
    rules: Arc<RuleSet>,
    agent: &'static str,
}

impl NativeHook for RuleMemory {
    fn id(&self) -> &'static str {
        MEMORY
    }

    fn events(&self) -> &[EventName] {
        &self.events
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        if !keeps(world) {
            return Ok(Outcome::silent());
        }
        if event.name == EventName::BeforeAgent {
            change(world, Memory::end_turn)?;
            return Ok(Outcome::silent());
        }
        let Some(understood) = hookrail_effects::of(event, world) else { return Ok(Outcome::silent()) };
        let call = Call::new(event, &understood, world, self.agent);
        let dialect = hookrail_dialects::dialect(self.agent);
        let tells_failures = dialect.is_some_and(|dialect| dialect.native_event(&EventName::ToolFailed).is_some());
        let (ended, id) = (Ended::of(event, tells_failures), call_id(event));
        change(world, |memory| {
            memory.learn(&[&self.rules], &call, &ended);
            memory.settle(&id);
        })?;
        if let Some(day) = day_file(&self.rules, event, world) {
            day.settle(&id, world)?;
        }
        Ok(Outcome::silent())
    }
}

/// Whether a rule's limit is used up; if not, the call holds its share of it from now on.
pub(super) fn is_used_up(found: &Match, event: &Event, world: &dyn World) -> Result<bool, HookError> {
    let Some(limit) = found.rule.limit else { return Ok(true) };
    if !keeps(world) {
        return Ok(false);
    }
    let id = call_id(event);
    let wanted = Reservation { rule: &found.rule, limit, call: &id, share: found.hits.len() as u64 };
    let taken = match limit.per {
        Period::Day => match project_day(event, world) {
            Some(day) => day.reserve(&wanted, world)?,
            None => return Ok(false),
        },
        Period::Turn | Period::Session => {
            let mut taken = Ok(());
            change(world, |memory| taken = memory.reserve(&wanted))?;
            taken
        }
    };
    Ok(taken.is_err())
}

/// A call that was refused gives back what it held.
pub(super) fn release(rules: &RuleSet, event: &Event, world: &dyn World) -> Result<(), HookError> {
    if event.name != EventName::BeforeTool || !rules.contents().limits() || !keeps(world) {
        return Ok(());
    }
    let id = call_id(event);
    change(world, |memory| memory.release(&id))?;
    day_file(rules, event, world).map_or(Ok(()), |day| day.release(&id, world))
}

/// Where nothing is kept, nothing is remembered.
fn keeps(world: &dyn World) -> bool {
    world.state_folder().is_some()
}

fn day_file(rules: &RuleSet, event: &Event, world: &dyn World) -> Option<DayFile> {
    if rules.contents().counts_days() { project_day(event, world) } else { None }
}

fn project_day(event: &Event, world: &dyn World) -> Option<DayFile> {
    DayFile::of(&hookrail_dialects::project_root(world, &event.cwd), world)
}

fn change(world: &dyn World, change: impl FnOnce(&mut Memory)) -> Result<(), HookError> {
    let mut change = Some(change);
    world.remember(MEMORY_KEY, &mut |value| {
        let mut memory = Memory::read(value);
        if let Some(change) = change.take() {
            change(&mut memory);
        }
        memory.to_value()
    })?;
    Ok(())
}
