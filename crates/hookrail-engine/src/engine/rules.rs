//! Rules as hooks: every rule that holds for a call is one entry of its plan, with its own mode, origin and record.

use super::hooks::{HookSet, NATIVE_TIMEOUT, Selection, source};
use crate::layers::{LayerKind, Settings};
use hookrail_core::{
    ConfigSource, Event, EventName, HookAction, HookEntry, HookError, HookProfile, Mode, NativeHook, OnError, Origin,
    Outcome, World,
};
use hookrail_dialects::project_root;
use hookrail_rules::{Call, Hit, Judgement, MEMORY_KEY, Match, Memory, Refusal, RuleDecision, RuleSet, Terms, span_of};
use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The hook that stands for rules that could not be judged.
const RULES: &str = "hookrail/rules";
/// The pack whose rules come with hookrail.
const SAFETY: &str = "safety";

/// The events at which rules have to be asked, for those who tell agents when to call.
#[must_use]
pub fn rule_events(selection: &Selection, settings: &Settings) -> Vec<EventName> {
    let named = !selection.is_exclusive() || selection.packs.contains(&SAFETY);
    let safety = named && settings.mode("safety/", Mode::Enforce, true).value != Mode::Off;
    let configured = !selection.is_exclusive() && !settings.rules().is_empty();
    let mut events = Vec::new();
    if safety || configured {
        events.extend([EventName::BeforeTool, EventName::PermissionRequest]);
    }
    let pack = safety.then(hookrail_rules::safety::rules);
    let sets: Vec<&RuleSet> = pack.into_iter().chain(configured.then(|| &**settings.rules())).collect();
    if super::rule_memory::contents(&sets).remembers() {
        events.extend(MEMORY_EVENTS);
    }
    events
}

/// The events that rules with a memory learn from.
const MEMORY_EVENTS: [EventName; 3] = [EventName::AfterTool, EventName::ToolFailed, EventName::BeforeAgent];

impl HookSet {
    /// The rules that hold for an event, as hooks.
    pub(super) fn rules_of(&self, event: &Event) -> Vec<HookEntry> {
        let before = matches!(event.name, EventName::BeforeTool | EventName::PermissionRequest);
        if !before {
            return self.memory_of(event).into_iter().collect();
        }
        let sets = self.rule_sets();
        if sets.is_empty() || event.tool.is_none() {
            return Vec::new();
        }
        let judged = catch_unwind(AssertUnwindSafe(|| self.judge(event, &sets)));
        match judged.unwrap_or_else(|_| Err(HookError::new("judging the rules panicked".to_owned()))) {
            Ok(entries) => entries,
            Err(error) => vec![self.failed_rules(event, error)],
        }
    }

    /// Whether any rule may have something to say about such an event.
    pub(super) fn has_rules_for(&self, event: &EventName) -> bool {
        match event {
            EventName::BeforeTool | EventName::PermissionRequest => !self.rule_sets().is_empty(),
            event => MEMORY_EVENTS.contains(event) && self.remembers(),
        }
    }

    /// What all rules say about the call of an event. Nothing is remembered or reserved by asking.
    pub fn judgement(&self, event: &Event) -> Result<Judgement, HookError> {
        let Some(understood) = hookrail_effects::of(event, self.world()) else { return Ok(Judgement::default()) };
        let hosts = self.settings().own_hosts();
        let call = Call::new(event, &understood, self.world(), self.agent()).with_hosts(&hosts);
        self.judge_call(&call, &self.rule_sets())
    }

    /// The sets of rules that count, none of them empty: those of pack `safety`, and those of `hookrail.toml`.
    #[must_use]
    pub fn rule_sets(&self) -> Vec<&RuleSet> {
        // Without rules nothing is allocated: most events of most programs have none.
        self.pack_rules().into_iter().chain(self.configured_rules().map(|rules| &**rules)).collect()
    }

    /// The rules of pack `safety`, if it is asked.
    pub(super) fn pack_rules(&self) -> Option<&'static RuleSet> {
        let pack = self.packs().iter().find(|pack| pack.name() == SAFETY)?;
        self.selection().includes(*pack, SAFETY).then(hookrail_rules::safety::rules)
    }

    /// The rules of `hookrail.toml`, if there are any.
    pub(super) fn configured_rules(&self) -> Option<&Arc<RuleSet>> {
        let configured = self.settings().rules();
        (!self.selection().is_exclusive() && !configured.is_blank()).then_some(configured)
    }

    fn judge(&self, event: &Event, sets: &[&RuleSet]) -> Result<Vec<HookEntry>, HookError> {
        let world = self.world();
        let Some(understood) = hookrail_effects::of(event, world) else { return Ok(Vec::new()) };
        let hosts = self.settings().own_hosts();
        let call = Call::new(event, &understood, world, self.agent()).with_hosts(&hosts);
        let Judgement { matches, permissions, .. } = self.judge_call(&call, sets)?;
        let matches = super::once::without_allowed(matches, event, &call, world)?;
        let found = matches.into_iter().chain(permissions).enumerate();
        Ok(found.filter_map(|(index, found)| self.rule_entry(index, &found, &call)).collect())
    }

    fn judge_call(&self, call: &Call<'_>, sets: &[&RuleSet]) -> Result<Judgement, HookError> {
        let world = self.world();
        let terms = Terms {
            level: self.settings().safety_level().value,
            today: &|| world.today(),
            may_permit: &|rule| self.gate().permits(rule, &project_root(world, &call.event.cwd), world),
            memory: &|| world.recall(MEMORY_KEY).map(Memory::read),
        };
        hookrail_rules::judge(sets, call, &terms)
    }

    fn rule_entry(&self, index: usize, found: &Match, call: &Call<'_>) -> Option<HookEntry> {
        let event = &call.event.name;
        let id = found.rule.hook_id();
        let pack =
            self.packs().iter().find(|pack| id.strip_prefix(pack.name()).is_some_and(|rest| rest.starts_with('/')));
        let mode = match pack {
            Some(pack) => self.settings().mode(&id, pack.default_mode(), pack.is_firm()).value,
            None => found.rule.mode,
        };
        if mode == Mode::Off {
            return None;
        }
        let limited = found.rule.limit.map(|_| Arc::new(found.clone()));
        // Who is asked for permission was counted when the call was made.
        if limited.is_some() && *event == EventName::PermissionRequest {
            return None;
        }
        let (key, outcome) = (format!("{id} {index}"), outcome(found, call));
        let hook = RuleHook { key, events: [event.clone()], outcome, limited };
        let source = if pack.is_some() { ConfigSource::Runtime } else { source(layer(found.rule.layer)) };
        let mut entry = HookEntry::new(event.clone(), HookAction::Native(Arc::new(hook)), source);
        entry.name = Some(id);
        entry.mode = mode;
        entry.on_error = OnError::Deny;
        entry.timeout = NATIVE_TIMEOUT;
        entry.breaker = false;
        entry.origin = found.rule.origin.clone();
        entry.approves = found.decision == RuleDecision::Allow;
        Some(entry)
    }

    /// Rules that cannot be judged may have denied the call.
    fn failed_rules(&self, event: &Event, error: HookError) -> HookEntry {
        let hook = FailedRules { events: [event.name.clone()], error };
        let mut entry = HookEntry::new(event.name.clone(), HookAction::Native(Arc::new(hook)), ConfigSource::Runtime);
        entry.on_error = self.settings().on_error(RULES, OnError::Deny).value;
        entry.breaker = false;
        entry.origin = Origin::new("hookrail", None);
        entry
    }
}

fn layer(layer: hookrail_rules::Layer) -> LayerKind {
    match layer {
        hookrail_rules::Layer::Managed => LayerKind::Managed,
        hookrail_rules::Layer::User => LayerKind::User,
        hookrail_rules::Layer::Project => LayerKind::Project,
        hookrail_rules::Layer::Local => LayerKind::Local,
    }
}

/// What a rule that holds says, and what the journal keeps of it.
fn outcome(found: &Match, call: &Call<'_>) -> Outcome {
    let text = Refusal::of(found, call).text();
    let outcome = match found.decision {
        RuleDecision::Deny => Outcome::deny(&text),
        RuleDecision::Ask => Outcome::ask(&text),
        RuleDecision::Warn => Outcome::silent().with_message(&text),
        RuleDecision::Allow => Outcome::allow(&format!("rule `{}` allows this", found.rule.id)),
    };
    outcome.with_record(record(found, call))
}

/// Which rule decided about which effects.
fn record(found: &Match, call: &Call<'_>) -> Map<String, Value> {
    let about = |hit: &Hit| {
        let span = span_of(*hit, call);
        let mut about = Map::new();
        if let Hit::Effect(index) = hit
            && let Some(effect) = call.effects.list.get(*index)
        {
            about.insert("effect".to_owned(), json!(effect.act.name()));
            about.insert("place".to_owned(), json!(effect.place.name()));
        }
        if let Hit::Gap(index) = hit
            && let Some(gap) = call.effects.gaps.get(*index)
        {
            about.insert("gap".to_owned(), json!(gap.why.name()));
        }
        if span.end > span.start {
            about.insert("span".to_owned(), json!([span.start, span.end]));
        }
        Value::Object(about)
    };
    // So many are enough to see what it was about.
    let hits: Vec<Value> = found.hits.iter().take(8).map(about).collect();
    let mut record = Map::new();
    record.insert("rule".to_owned(), json!(found.rule.id));
    record.insert("layer".to_owned(), json!(found.rule.layer.name()));
    record.insert("hits".to_owned(), Value::Array(hits));
    record
}

/// A rule that holds for a call.
#[derive(Debug)]
struct RuleHook {
    /// Unlike its name, no other rule's.
    key: String,
    events: [EventName; 1],
    outcome: Outcome,
    /// It holds only if a limit is used up.
    limited: Option<Arc<Match>>,
}

impl NativeHook for RuleHook {
    fn id(&self) -> &str {
        &self.key
    }

    fn events(&self) -> &[EventName] {
        &self.events
    }

    fn profile(&self) -> HookProfile {
        HookProfile { may_wait: self.limited.is_some(), waits_for_locks_only: true, ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let holds = match &self.limited {
            Some(found) => super::rule_memory::is_used_up(found, event, world)?,
            None => true,
        };
        Ok(if holds { self.outcome.clone() } else { Outcome::silent() })
    }
}

/// Stands for rules that could not be judged.
#[derive(Debug)]
struct FailedRules {
    events: [EventName; 1],
    error: HookError,
}

impl NativeHook for FailedRules {
    fn id(&self) -> &'static str {
        RULES
    }

    fn events(&self) -> &[EventName] {
        &self.events
    }

    fn check(&self, _: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        Err(self.error.clone())
    }
}
