//! The one way from an event to a verdict.
//!
//! ```text
//! Event ──hooks──▶ entries ──plan──▶ Plan ──run, inside the layers──▶ [HookRun] ──aggregate──▶ Verdict
//! ```
//!
//! `hookrail hook`, a host, `serve`, `replay`, `explain` and `test` all open an [`Engine`] and ask it. What they choose is what
//! it stands on: configuration, hooks, a world, a store, and what becomes of hooks that are not code of this process. What
//! happens around every hook is one list, [`layers::LAYERS`].

#![expect(clippy::disallowed_methods, reason = "this is the one pipeline")]

mod account;
mod ask;
mod consider;
mod hooks;
mod layers;
mod listing;
mod observer;
mod once;
mod rule_memory;
mod rules;
mod scope;
mod second_look;

pub use account::RunAccount;
pub(crate) use ask::RefusedStops;
pub use ask::{StopAnswer, TurnStart};
pub use consider::{Considered, HookDisposition};
pub use hooks::{HookSet, NATIVE_TIMEOUT, Selection, firm_names, mode};
pub(crate) use layers::Admission;
pub use listing::RegisteredHook;
pub use observer::HookObserver;
pub use once::ALLOWED_ONCE;
pub use rules::rule_events;
pub use scope::subject;

use crate::clock::timestamp;
use crate::config::{Config, Setup};
use crate::logger::{DebugLogger, Level, StatusDisplay, log};
use crate::registry::{Diagnostic, HookRegistry, HookSourceError};
use crate::runner::HookRunner;
use crate::runner::process::CancelToken;
use hookrail_core::planner::{Occasion, create_execution_plan};
use hookrail_core::{
    ConfigSource, Decision, Event, EventName, Failure, HookAction, HookEntry, HookError, HookPack, HookRun, Mode,
    NativeHook, OnError, Order, Origin, Outcome, Plan, RunStatus, ToolCall, ToolClassifier, ToolKind, Verdict, World,
    aggregator,
};
use hookrail_dialects::{MODEL_TEXT_LIMIT, cap_output, mcp_origin};
use hookrail_effects::Understanding;
use hookrail_store::Store;
use scope::EventScope;
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Why an engine could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("hooks could not be read: {0}")]
pub struct OpenError(#[from] pub HookSourceError);

/// Answers the events of a session; the [crate](crate) has an example. Clones stand on the same hooks, and one engine may be
/// asked by many threads.
#[derive(Clone, Debug)]
pub struct Engine {
    parts: Arc<Parts>,
    cancel: CancelToken,
    observer: Option<Arc<dyn HookObserver>>,
}

/// What an engine stands on.
pub(crate) struct Parts {
    pub hooks: HookSet,
    pub world: Arc<dyn World>,
    /// Sessions and journal; without one nothing is remembered and nothing recorded.
    pub store: Option<Arc<dyn Store>>,
    /// Where texts go that are too long for a model.
    pub overflow: Option<Arc<dyn Store>>,
    pub runner: Arc<HookRunner>,
    pub tools: ToolClassifier,
    pub agent: &'static str,
    pub session_id: String,
    pub cwd: PathBuf,
    pub transcript_path: String,
    pub project: PathBuf,
    pub logger: Arc<dyn DebugLogger>,
    /// Where hooks say what they are busy with.
    pub status: Option<Arc<dyn StatusDisplay>>,
    /// What has happened once, where no store remembers it.
    pub once: scope::OnceMarks,
    pub refused_stops: RefusedStops,
    /// Who is told how far an event has come.
    pub progress: Option<fn(Progress)>,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").field("session_id", &self.session_id).field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

impl Engine {
    /// Reads the configuration and gets everything ready. Configuration that is broken is reported by
    /// [`Engine::diagnostics`], and what can be read of it applies.
    pub fn open(config: &Config) -> Result<Self, OpenError> {
        Self::from_setup((*config.setup).clone())
    }

    /// [`Engine::open`] for whoever opens one engine only: nothing of the configuration is copied.
    pub fn open_once(config: Config) -> Result<Self, OpenError> {
        Self::from_setup(*config.setup)
    }

    pub(crate) fn from_setup(setup: Setup) -> Result<Self, OpenError> {
        let cancel = setup.cancel.clone();
        Ok(Self { parts: Arc::new(setup.build()?), cancel, observer: None })
    }

    /// The same hooks under another token: for a host that ends the hooks of one event and leaves its other ones alone.
    #[must_use]
    pub fn with_cancel_token(&self, cancel: CancelToken) -> Self {
        Self { cancel, ..self.clone() }
    }

    /// The same hooks, watched by a program that shows what runs.
    #[must_use]
    pub fn with_observer(&self, observer: Arc<dyn HookObserver>) -> Self {
        Self { observer: Some(observer), ..self.clone() }
    }

    /// What all hooks of an event decide together. It never fails towards its caller: what goes wrong inside is told in the
    /// verdict, and decided by the `on_error` of the hooks that were concerned.
    ///
    /// An event about a tool that its caller did not read is read as the configuration says.
    pub fn decide(&self, mut event: Event) -> Verdict {
        if event.tool.is_none() {
            let Ok(tool) = catch_unwind(AssertUnwindSafe(|| self.parts.tool(&event.payload))) else {
                return self.undescribed(event.name);
            };
            event.tool = tool;
        }
        self.decide_shared(&Arc::new(event), None)
    }

    /// [`Engine::decide`] for a process that ends with its answer. Native hooks run on this thread; if one of them does not
    /// come back in time, `late` is given the verdict, on another thread, and must end the process.
    pub fn decide_or_end(&self, event: &Arc<Event>, late: impl FnOnce(Verdict) + Send + 'static) -> Verdict {
        self.decide_shared(event, Some(Box::new(late)))
    }

    /// Whether any hook may have something to say about such an event. Allocates nothing, so that an event without hooks
    /// costs nothing.
    #[must_use]
    pub fn wants(&self, event: &EventName, subject: Option<&str>) -> bool {
        self.parts.hooks.may_concern(event, subject)
    }

    /// Whether an event of this name is always decided without waiting: its hooks are code of this process that waits for nothing,
    /// and nothing is recorded, which would take a lock. A caller with a thread to keep free need not use another one then.
    #[must_use]
    pub fn never_waits(&self, event: &EventName) -> bool {
        self.parts.store.is_none() && self.parts.hooks.never_waits(event)
    }

    /// What follows from an event that cannot be read. It may have been a tool call, so the hooks that would have looked at one
    /// have failed: the strictest `on_error` of those that are enforced decides.
    pub fn refuse_unreadable(&self, why: &str) -> Verdict {
        self.fail_as(EventName::Other("Unreadable".into()), self.parts.hooks.strictest(&EventName::BeforeTool), why)
    }

    /// What follows from an event of which no more than the name is known: the hooks that listen to such events have failed.
    fn fail(&self, name: EventName, why: &str) -> Verdict {
        let on_error = self.parts.hooks.strictest(&name);
        self.fail_as(name, on_error, why)
    }

    fn fail_as(&self, name: EventName, on_error: OnError, why: &str) -> Verdict {
        let event = Arc::new(self.parts.event(name, Map::new()));
        let scope = EventScope::new(&self.parts, &event, None);
        let mut hook =
            HookEntry::new(event.name.clone(), HookAction::Native(Arc::new(UnreadableEvent)), ConfigSource::Runtime);
        hook.on_error = on_error;
        hook.breaker = false;
        hook.origin = Origin::new("hookrail", None);
        let failed = RunStatus::Failed(Failure::Error(why.to_owned()));
        let mut run = HookRun::new(hook.reference(), failed, None, Duration::ZERO);
        layers::settle(&scope, &mut run);
        self.conclude(&scope, vec![run], Order::Parallel)
    }

    /// What the tool call of an event would do, as the hooks of this engine see it; `None` for an event without one.
    #[must_use]
    pub fn understand(&self, event: &Event) -> Option<Arc<Understanding>> {
        hookrail_effects::of(event, &*self.parts.world)
    }

    /// Everything that is wrong with the configuration.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.parts.hooks.diagnostics()
    }

    /// The hooks of settings files, extensions and the program itself.
    #[must_use]
    pub fn registry(&self) -> &HookRegistry {
        self.parts.hooks.registry()
    }

    /// All hooks this engine may run, packs and `hookrail.toml` included.
    #[must_use]
    pub fn hooks(&self) -> &HookSet {
        &self.parts.hooks
    }

    fn decide_shared(&self, event: &Arc<Event>, late: Option<Late>) -> Verdict {
        self.parts.world.begin_event();
        let planning = AssertUnwindSafe(|| (self.parts.recover(event), self.parts.plan(event)));
        let Ok((unfinished, plan)) = catch_unwind(planning) else {
            return self.fail(event.name.clone(), "the hook engine failed while it looked for hooks");
        };
        let idle = plan.is_none() && !self.parts.hooks.has_complaints() && event.name != EventName::SessionStart;
        let mut verdict = if idle {
            Verdict::empty(event.name.clone())
        } else {
            let scope = EventScope::new(&self.parts, event, self.observer.clone());
            let attempt = AssertUnwindSafe(|| self.run(plan.as_ref(), event, &scope, late));
            catch_unwind(attempt).unwrap_or_else(|_| after_panic(plan.as_ref(), event, &scope))
        };
        verdict.add_notices(unfinished);
        self.report(&verdict);
        verdict
    }

    fn run(&self, plan: Option<&Plan>, event: &Arc<Event>, scope: &Arc<EventScope>, late: Option<Late>) -> Verdict {
        if event.name == EventName::SessionStart {
            scope.prune(&self.parts.hooks.settings().retention());
        }
        let Some(plan) = plan else { return self.conclude(scope, Vec::new(), Order::Parallel) };
        scope.report(|| Progress::of(plan));
        let order = plan.order();
        let mut runs = self.run_hooks(plan, event, scope, late);
        runs.extend(second_look::judge_rewrites(&self.parts, scope, event, &runs, order));
        // An approval is of the call as the agent sent it, and of no other.
        if runs.iter().any(|run| run.output.as_ref().is_some_and(|output| !output.rewrite.is_empty())) {
            runs.iter_mut().for_each(|run| run.hook.approves = false);
        }
        self.conclude(scope, runs, order)
    }

    fn run_hooks(&self, plan: &Plan, event: &Arc<Event>, scope: &Arc<EventScope>, late: Option<Late>) -> Vec<HookRun> {
        let Some(late) = late else {
            return self.parts.runner.execute_with(plan, event, &self.cancel, &**scope);
        };
        let (engine, last_scope, order) = (self.clone(), Arc::clone(scope), plan.order());
        let last_resort = move |runs| late(engine.conclude(&last_scope, runs, order));
        self.parts.runner.execute_here(plan, event, &self.cancel, scope, last_resort)
    }

    /// From the runs to the verdict: merged, told what hookrail itself has to say, short enough for a model, recorded.
    fn conclude(&self, scope: &EventScope, runs: Vec<HookRun>, order: Order) -> Verdict {
        let mut verdict = aggregator::aggregate_results(&scope.event().name, runs, order);
        if let Some(complaint) = self.parts.hooks.complaint()
            && scope.once("configuration mistakes")
        {
            verdict.add_message(&complaint);
        }
        // Each hook's texts were cut by themselves; many hooks are long together.
        verdict.edit_texts(|output| cap_output(output, MODEL_TEXT_LIMIT, &mut |text| scope.keep_whole(text)));
        if verdict.decision() >= Decision::Block
            && let Err(error) = rule_memory::release(&self.parts.hooks.rule_sets(), scope.event(), &*self.parts.world)
        {
            verdict.add_notices(vec![error.to_string()]);
        }
        verdict.add_notices(scope.finish());
        verdict
    }

    fn report(&self, verdict: &Verdict) {
        let logger = &*self.parts.logger;
        log(logger, Level::Debug, || {
            format!(
                "{}: {} hooks, {} ms, {}, decision {}",
                verdict.event(),
                verdict.runs().len(),
                verdict.total_duration().as_millis(),
                if verdict.success() { "success" } else { "failure" },
                verdict.decision()
            )
        });
        for conflict in verdict.conflicts() {
            log(logger, Level::Warn, || {
                format!("hooks {} all rewrote {}; the last one won", conflict.hooks.join(", "), conflict.field)
            });
        }
        for notice in verdict.notices() {
            log(logger, Level::Warn, || notice.clone());
        }
    }
}

/// What is called in place of returning.
type Late = Box<dyn FnOnce(Verdict) + Send>;

impl Parts {
    pub fn plan(&self, event: &Event) -> Option<Plan> {
        create_execution_plan(&self.hooks.of_event(event), &Occasion::of(event))
    }

    /// What a process of this session that died left half done comes before everything else. What cannot be finished is
    /// told.
    fn recover(&self, event: &Event) -> Vec<String> {
        let recover = |pack: &&'static dyn HookPack| pack.recover(event, &*self.world).err();
        self.hooks.packs().iter().filter_map(recover).map(|error| error.to_string()).collect()
    }

    /// An event of this session.
    pub fn event(&self, name: EventName, payload: Map<String, Value>) -> Event {
        Event {
            name,
            native_name: String::new(),
            session_id: self.session_id.clone(),
            cwd: self.cwd.clone(),
            timestamp: timestamp(),
            transcript_path: self.transcript_path.clone(),
            tool: self.tool(&payload),
            payload,
        }
    }

    /// The call that an event is about, if it is about one. May panic, because it may be the program's own code that reads it.
    fn tool(&self, payload: &Map<String, Value>) -> Option<ToolCall> {
        let name = payload.get("tool_name").and_then(Value::as_str)?;
        let mut call = ToolCall::read(name, payload.get("tool_input").unwrap_or(&Value::Null), &self.tools);
        if let Some((server, tool)) = mcp_origin(payload, name) {
            call.kind = ToolKind::Mcp { server, tool };
        }
        Some(call)
    }
}

/// How far an event has come, for a caller that must answer even if it never gets the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Hooks are asked now.
    Planned {
        /// What the strictest of those that are enforced wants if it fails.
        on_error: OnError,
        /// How long all of them may take.
        at_most: Duration,
    },
    /// A hook has refused, whatever the others say.
    Refused,
}

impl Progress {
    fn of(plan: &Plan) -> Self {
        let enforced = plan.hooks().iter().filter(|hook| hook.mode == Mode::Enforce);
        let on_error = enforced.fold(OnError::Allow, |strictest, hook| strictest.stricter(hook.on_error));
        let timeouts = plan.hooks().iter().map(|hook| hook.timeout);
        let at_most = match plan.order() {
            Order::Sequential => timeouts.fold(Duration::ZERO, Duration::saturating_add),
            Order::Parallel => timeouts.max().unwrap_or_default(),
        };
        Self::Planned { on_error, at_most }
    }
}

/// The engine itself is broken: the hooks that were concerned have failed, every one of them. A refusal that was said before
/// stays one.
fn after_panic(plan: Option<&Plan>, event: &Event, scope: &EventScope) -> Verdict {
    let failed = |hook: &Arc<HookEntry>| {
        let status = RunStatus::Failed(Failure::Panicked("the hook engine failed".to_owned()));
        let mut run = HookRun::new(hook.reference(), status, None, Duration::ZERO);
        match scope.refusal_of(&hook.reference().key()) {
            Some(said) => (run.status, run.output) = (RunStatus::Succeeded, Some(said)),
            None => hook.on_error.apply(&mut run),
        }
        hook.mode.apply(&mut run);
        run
    };
    let runs = plan.map(|plan| plan.hooks().iter().map(failed).collect()).unwrap_or_default();
    let mut verdict = aggregator::aggregate_results(&event.name, runs, Order::Parallel);
    let outcome = match verdict.decision() {
        Decision::None | Decision::Allow => "no hook was applied",
        Decision::Ask | Decision::Block | Decision::Stop => "`on_error` decided",
    };
    verdict.add_notices([format!("firing {} failed inside the hook engine; {outcome}", event.name)]);
    verdict
}

/// Stands for an event that could not be read.
#[derive(Debug)]
struct UnreadableEvent;

impl NativeHook for UnreadableEvent {
    fn id(&self) -> &'static str {
        "hookrail/input"
    }

    fn events(&self) -> &[EventName] {
        &[]
    }

    fn check(&self, _: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        Ok(Outcome::silent())
    }
}
