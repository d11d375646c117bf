//! Runs the hooks of a plan, each within its deadline, and reports every one of them.

pub mod asking;
mod command;
mod expansion;
mod here;
mod lane;
mod middleware;
pub mod process;

pub use expansion::expand_command;
pub use middleware::{Admission, Middleware, NoMiddleware};

use crate::logger::{DebugLogger, Level, log};
use crate::registry::FolderTrust;
use asking::{Asking, AskingSettings};
use hookrail_core::{
    ConfigSource, Decision, Event, Failure, HookAction, HookEntry, HookOutput, HookRun, Order, Plan, RunStatus, World,
    chaining,
};
use lane::{Job, Lanes};
use process::{CancelToken, Limits};
use std::sync::Arc;
use std::time::Duration;

/// What every run of a runner has in common.
#[derive(Clone, Debug, Default)]
pub struct RunnerSettings {
    pub limits: Limits,
    pub trust: FolderTrust,
    pub asking: AskingSettings,
}

/// Executes hooks. Shared by all events of a session.
pub struct HookRunner {
    settings: RunnerSettings,
    world: Arc<dyn World>,
    logger: Arc<dyn DebugLogger>,
    lanes: Arc<Lanes>,
    asking: Arc<Asking>,
    middleware: Arc<dyn Middleware>,
}

impl std::fmt::Debug for HookRunner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HookRunner").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A hook on its way: what it takes to run it, or why it cannot be run.
enum Prepared {
    Process(process::ProcessSpec),
    InProcess(Job),
    /// Does not run, and that is no failure.
    Abstained(String),
    Skipped {
        why: String,
        message: Option<String>,
    },
    Refused(String),
}

impl Prepared {
    /// The record of a hook that does not run.
    fn without_running(self, hook: &HookEntry) -> HookRun {
        let run = |status, output| HookRun::new(hook.reference(), status, output, Duration::ZERO);
        match self {
            Self::Abstained(why) => HookRun { stderr: why, ..run(RunStatus::Succeeded, None) },
            Self::Skipped { why, message } => run(RunStatus::Skipped(why), message.as_deref().map(HookOutput::message)),
            Self::Refused(why) => run(RunStatus::Failed(Failure::NotStarted(why)), None),
            Self::Process(_) | Self::InProcess(_) => run(RunStatus::Failed(Failure::Cancelled), None),
        }
    }
}

impl HookRunner {
    #[must_use]
    pub fn new(settings: RunnerSettings, world: Arc<dyn World>, logger: Arc<dyn DebugLogger>) -> Self {
        let asking = Arc::new(Asking::new(settings.asking.clone(), Arc::clone(&logger)));
        Self { settings, world, logger, lanes: Arc::default(), asking, middleware: Arc::new(NoMiddleware) }
    }

    /// Puts something around every hook.
    #[must_use]
    pub fn with_middleware(mut self, middleware: Arc<dyn Middleware>) -> Self {
        self.middleware = middleware;
        self
    }

    /// Runs a plan in its order. There is one run for every hook that was started, in plan order.
    #[must_use]
    pub fn execute(&self, plan: &Plan, event: &Event, cancel: &CancelToken) -> Vec<HookRun> {
        match plan.order {
            Order::Sequential => self.execute_hooks_sequential(&plan.hooks, event, cancel),
            Order::Parallel => self.execute_hooks_parallel(&plan.hooks, event, cancel),
        }
    }

    /// One after the other: each hook sees what its predecessors changed, and a block ends the chain (HOOK-107).
    #[must_use]
    pub fn execute_hooks_sequential(
        &self,
        hooks: &[Arc<HookEntry>],
        event: &Event,
        cancel: &CancelToken,
    ) -> Vec<HookRun> {
        let mut event = event.clone();
        let mut runs = Vec::with_capacity(hooks.len());
        for hook in hooks {
            let Some(run) = self.execute_hooks_parallel(std::slice::from_ref(hook), &event, cancel).pop() else {
                break;
            };
            let decision = run.output.as_ref().map_or(Decision::None, |output| output.decision_on(&event.name));
            let cancelled = run.failure() == Some(&Failure::Cancelled);
            // A failed hook passes its input on unchanged (errata B13).
            if let (true, Some(output)) = (run.success(), &run.output) {
                chaining::apply_hook_output_to_input(&mut event, output);
            }
            runs.push(run);
            if decision == Decision::Block || cancelled {
                break;
            }
        }
        runs
    }

    /// All at the same time, all with the same input.
    #[must_use]
    pub fn execute_hooks_parallel(
        &self,
        hooks: &[Arc<HookEntry>],
        event: &Event,
        cancel: &CancelToken,
    ) -> Vec<HookRun> {
        let mut runs: Vec<Option<HookRun>> = vec![None; hooks.len()];
        let mut processes = Batch::default();
        let mut in_process = Batch::default();
        let input = Input::new(event);
        for (index, hook) in hooks.iter().enumerate() {
            let prepared = self.admit(hook, event).unwrap_or_else(|| self.prepare(hook, event, &input));
            match prepared {
                Prepared::Process(spec) => processes.push(index, spec),
                Prepared::InProcess(job) => in_process.push(index, job),
                other => set(&mut runs, index, other.without_running(hook)),
            }
        }
        let (outcomes, answers) = self.run_both(&processes.items, in_process.items, cancel);
        for (index, outcome) in processes.indexes.into_iter().zip(outcomes) {
            if let Some(hook) = hooks.get(index) {
                set(&mut runs, index, command::read_outcome(hook, outcome));
            }
        }
        for (index, run) in in_process.indexes.into_iter().zip(answers) {
            set(&mut runs, index, run);
        }
        runs.into_iter().flatten().map(|run| self.settle(run, event)).collect()
    }

    /// Processes and hooks of this process at the same time; threads are used only where both wait.
    fn run_both(
        &self,
        processes: &[process::ProcessSpec],
        jobs: Vec<Job>,
        cancel: &CancelToken,
    ) -> (Vec<process::ProcessOutcome>, Vec<HookRun>) {
        if processes.is_empty() {
            return (Vec::new(), self.lanes.run(jobs, cancel));
        }
        let answers = self.lanes.start(jobs, cancel);
        let outcomes = process::run_all(processes, &self.settings.limits, cancel);
        (outcomes, answers.recv().unwrap_or_default())
    }

    /// What the middleware has against this hook running now.
    fn admit(&self, hook: &HookEntry, event: &Event) -> Option<Prepared> {
        match self.middleware.admit(hook, event) {
            Admission::Run => None,
            Admission::Skip { why, message } => Some(Prepared::Skipped { why, message }),
        }
    }

    fn prepare(&self, hook: &Arc<HookEntry>, event: &Event, input: &Input<'_>) -> Prepared {
        // The registry does not load such hooks; this is the second lock on the same door.
        if hook.source == ConfigSource::Project && self.settings.trust == FolderTrust::Untrusted {
            return Prepared::Refused("this hook belongs to a project whose folder is not trusted".to_owned());
        }
        match &hook.action {
            HookAction::Command { command } if command.trim().is_empty() => {
                Prepared::Refused("Command hook missing command".to_owned())
            }
            HookAction::Command { command } => {
                Prepared::Process(command::specify(command, event, input.bytes(), hook.timeout))
            }
            HookAction::Native(native) => {
                Prepared::InProcess(Job::native(hook, native, input.shared_event(), &self.world))
            }
            HookAction::Prompt(action) => self.asking.prompt(hook, action, input.bytes()),
            HookAction::Http(action) => self.asking.http(hook, action, input.bytes()),
            HookAction::Plugin { .. } => {
                Prepared::Refused("Command hook missing command: nothing can run a hook of type `plugin`".to_owned())
            }
        }
    }

    /// Lets the hook's `on_error` and mode have their say and tells the log about failures.
    fn settle(&self, mut run: HookRun, event: &Event) -> HookRun {
        if let Some(failure) = run.failure() {
            log(&*self.logger, Level::Warn, || {
                let stderr = run.stderr.trim();
                let stderr = if stderr.is_empty() { String::new() } else { format!("; stderr: {stderr}") };
                format!("hook `{}` ({}) failed: {failure}{stderr}", run.hook.id, run.hook.origin)
            });
        }
        run.hook.on_error.apply(&mut run);
        run.hook.mode.apply(&mut run, &event.name);
        self.middleware.observe(event, &mut run);
        run
    }
}

/// Hooks of one way of running, with their places in the plan.
struct Batch<T> {
    indexes: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self { indexes: Vec::new(), items: Vec::new() }
    }
}

impl<T> Batch<T> {
    fn push(&mut self, index: usize, item: T) {
        self.indexes.push(index);
        self.items.push(item);
    }
}

/// The event in the forms hooks take it, made at most once for all of them.
struct Input<'a> {
    event: &'a Event,
    bytes: std::cell::OnceCell<Arc<[u8]>>,
    shared: std::cell::OnceCell<Arc<Event>>,
}

impl<'a> Input<'a> {
    fn new(event: &'a Event) -> Self {
        Self { event, bytes: std::cell::OnceCell::new(), shared: std::cell::OnceCell::new() }
    }

    /// For an event that is shared already.
    fn shared(event: &'a Arc<Event>) -> Self {
        let input = Self::new(event);
        input.shared.get_or_init(|| Arc::clone(event));
        input
    }

    fn bytes(&self) -> Arc<[u8]> {
        let bytes = || serde_json::to_vec(&self.event.to_input()).unwrap_or_default().into();
        Arc::clone(self.bytes.get_or_init(bytes))
    }

    fn shared_event(&self) -> Arc<Event> {
        Arc::clone(self.shared.get_or_init(|| Arc::new(self.event.clone())))
    }
}

fn set(runs: &mut [Option<HookRun>], index: usize, run: HookRun) {
    if let Some(place) = runs.get_mut(index) {
        *place = Some(run);
    }
}
