//! What rules with a memory learn, hold and give back.

use super::hooks::{HookSet, NATIVE_TIMEOUT};
use hookrail_core::display::quoted;
use hookrail_core::{
    ConfigSource, Event, EventName, HookAction, HookEntry, HookError, HookProfile, NativeHook, Origin, Outcome, World,
};
use hookrail_rules::{
    Call, Contents, DayFile, Ended, MEMORY_KEY, Match, Memory, Period, Reservation, RuleSet, call_id,
};
use std::sync::Arc;

/// The hook that learns.
const MEMORY: &str = "hookrail/rule-memory";

impl HookSet {
    /// Whether rules have anything to remember.
    pub(super) fn remembers(&self) -> bool {
        contents(&self.rule_sets()).remembers()
    }

    /// The hook that learns from an event, if there is something to learn.
    pub(super) fn memory_of(&self, event: &Event) -> Option<HookEntry> {
        let sets = self.rule_sets();
        let contents = contents(&sets);
        if !contents.remembers() {
            return None;
        }
        let teaches = match event.name {
            EventName::AfterTool | EventName::ToolFailed => contents.limits() || self.is_fact(event, &sets),
            EventName::BeforeAgent => contents.limits(),
            _ => false,
        };
        teaches.then(|| {
            let (pack, configured) = (self.pack_rules(), self.configured_rules().cloned());
            let hook = RuleMemory { events: [event.name.clone()], pack, configured, agent: self.agent() };
            let action = HookAction::Native(Arc::new(hook));
            let mut entry = HookEntry::new(event.name.clone(), action, ConfigSource::Runtime);
            entry.timeout = NATIVE_TIMEOUT;
            entry.breaker = false;
            entry.origin = Origin::new("hookrail", None);
            entry
        })
    }

    fn is_fact(&self, event: &Event, sets: &[&RuleSet]) -> bool {
        let Some(understood) = hookrail_effects::of(event, self.world()) else { return false };
        let mut scratch = Memory::default();
        scratch.learn(sets, &Call::new(event, &understood, self.world(), self.agent()), &Ended::of(event, true));
        scratch.has_facts()
    }
}

/// Learns from calls that have ended.
#[derive(Debug)]
struct RuleMemory {
    events: [EventName; 1],
    pack: Option<&'static RuleSet>,
    configured: Option<Arc<RuleSet>>,
    agent: &'static str,
}

impl RuleMemory {
    fn sets(&self) -> Vec<&RuleSet> {
        self.pack.into_iter().chain(self.configured.as_deref()).collect()
    }
}

impl NativeHook for RuleMemory {
    fn id(&self) -> &'static str {
        MEMORY
    }

    fn events(&self) -> &[EventName] {
        &self.events
    }

    fn profile(&self) -> HookProfile {
        HookProfile { waits_for_locks_only: true, ..HookProfile::DEFAULT }
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
        let sets = self.sets();
        change(world, |memory| {
            memory.learn(&sets, &call, &ended);
            memory.settle(&id);
        })?;
        if let Some(day) = day_file(&sets, event, world) {
            day.settle(&id, world)?;
        }
        Ok(Outcome::silent())
    }
}

/// Whether a rule's limit is used up; if not, the call holds its share of it from now on.
pub(super) fn is_used_up(found: &Match, event: &Event, world: &dyn World) -> Result<bool, HookError> {
    let Some(limit) = found.rule.limit else { return Ok(true) };
    if !keeps(world) {
        let rule = quoted(&found.rule.id);
        return Err(HookError::new(format!("rule {rule} has a limit, and there is no state directory to count in")));
    }
    let id = call_id(event);
    let wanted = Reservation { rule: &found.rule, limit, call: &id, share: found.hits.len() as u64 };
    let taken = match limit.per {
        Period::Day => match project_day(event, world) {
            Some(day) => day.reserve(&wanted, world)?,
            None => return Ok(true),
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
pub(super) fn release(sets: &[&RuleSet], event: &Event, world: &dyn World) -> Result<(), HookError> {
    if event.name != EventName::BeforeTool || !contents(sets).limits() || !keeps(world) {
        return Ok(());
    }
    let id = call_id(event);
    change(world, |memory| memory.release(&id))?;
    day_file(sets, event, world).map_or(Ok(()), |day| day.release(&id, world))
}

/// What all sets together hold.
pub(super) fn contents(sets: &[&RuleSet]) -> Contents {
    sets.iter().fold(Contents::default(), |all, set| all.and(set.contents()))
}

/// Where nothing is kept, nothing is remembered.
fn keeps(world: &dyn World) -> bool {
    world.state_folder().is_some()
}

fn day_file(sets: &[&RuleSet], event: &Event, world: &dyn World) -> Option<DayFile> {
    if contents(sets).counts_days() { project_day(event, world) } else { None }
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

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_rules::{Layer, RuleSet, Source, read};
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;
    use toml_edit::Document;

    const RULE: &str = r#"
[[rule]]
id = "after-a-test"
when = { effect = "git.commit" }
after = { effect = "exec.test" }
decide = "ask"
"#;

    fn rules() -> RuleSet {
        let document = Document::parse(RULE).unwrap();
        let position = |_: usize| (1, 1);
        let source = Source { layer: Layer::User, place: "x", position: &position, agents: &[], pack: None };
        RuleSet::compile(&read(document.get("rule"), None, &source).rules, &[])
    }

    fn test_ended() -> Event {
        let payload = json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/work", "tool_name": "Bash",
            "tool_input": {"command": "npm test"}, "tool_response": {"stdout": ""}});
        hookrail_dialects::dialect("claude").unwrap().decode(payload.as_object().unwrap().clone())
    }

    #[test]
    fn rules_of_a_pack_and_of_a_file_learn_alike() {
        let pack: &'static RuleSet = Box::leak(Box::new(rules()));
        for (pack, configured) in [(Some(pack), None), (None, Some(Arc::new(rules())))] {
            let world = FakeWorld::new();
            let hook = RuleMemory { events: [EventName::AfterTool], pack, configured, agent: "claude" };
            hook.check(&test_ended(), &world).unwrap();
            assert!(Memory::read(world.recall(MEMORY_KEY).unwrap()).has_facts(), "{hook:?}");
        }
    }
}
