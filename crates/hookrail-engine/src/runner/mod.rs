//! Runs the hooks of a plan, each within its deadline, and reports every one of them.

pub mod asking;
mod command;
pub(crate) mod expansion;
mod external;
mod headers;
mod here;
mod input;
mod lane;
pub mod process;

pub use expansion::expand_command;
pub use external::{External, NotRecorded, PastAnswers};

use crate::engine::Admission;

use crate::logger::DebugLogger;
use crate::registry::FolderTrust;
use crate::trust::Cleared;
use asking::{Asking, AskingSettings};
use hookrail_core::{
    ConfigSource, Decision, Event, EventName, Failure, HookAction, HookEntry, HookOutput, HookRun, HttpAction, Order,
    Plan, RunStatus, World, chaining,
};
use input::Input;
use lane::{Job, Lanes};
use process::{CancelToken, Limits};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What every run of a runner has in common.
#[derive(Clone, Debug, Default)]
pub struct RunnerSettings {
    /// For processes: how much is kept of their output, and how they are ended.
    pub limits: Limits,
    /// Whether hooks of the project's settings may run.
    pub trust: FolderTrust,
    /// Whom prompt and HTTP hooks may ask.
    pub asking: AskingSettings,
    /// What becomes of hooks that are not code of this process.
    pub external: External,
}

/// Stands around every hook run: decides whether it takes place, and sees how it ended.
pub(crate) trait Around: Send + Sync {
    fn admit(&self, hook: &HookEntry) -> Admission;

    /// Commands have been started and take their time: what need not wait for them can be done now.
    fn meanwhile(&self) {}

    /// The run is complete. What is changed here is final.
    fn settle(&self, run: &mut HookRun);

    /// What was checked of a command that needs an approval.
    fn cleared(&self, _: &HookEntry) -> Option<Arc<Cleared>> {
        None
    }
}

/// Nothing around: the bare runs.
struct Nothing;

impl Around for Nothing {
    fn admit(&self, _: &HookEntry) -> Admission {
        Admission::Run
    }

    fn settle(&self, _: &mut HookRun) {}
}

/// Executes hooks. Shared by all events of a session.
pub struct HookRunner {
    settings: RunnerSettings,
    world: Arc<dyn World>,
    lanes: Arc<Lanes>,
    asking: Arc<Asking>,
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
    /// Has an answer already.
    Answered(RunStatus, Box<Option<HookOutput>>),
    /// Goes on by itself.
    Started,
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
            Self::Answered(status, output) => run(status, *output),
            Self::Started => run(RunStatus::Succeeded, None),
            Self::Process(_) | Self::InProcess(_) => run(RunStatus::Failed(Failure::Cancelled), None),
        }
    }
}

impl HookRunner {
    /// A runner that has started nothing yet.
    #[must_use]
    pub fn new(settings: RunnerSettings, world: Arc<dyn World>, logger: Arc<dyn DebugLogger>) -> Self {
        let asking = Arc::new(Asking::new(settings.asking.clone(), logger));
        Self { settings, world, lanes: Arc::default(), asking }
    }

    /// Runs a plan in its order, with nothing around its hooks. There is one run for every hook that was started, in plan
    /// order. Events are answered by [`Engine`](crate::Engine), which puts something around them.
    #[must_use]
    pub fn execute(&self, plan: &Plan, event: &Event, cancel: &CancelToken) -> Vec<HookRun> {
        self.execute_with(plan, &Arc::new(event.clone()), cancel, &Nothing)
    }

    pub(crate) fn execute_with(
        &self,
        plan: &Plan,
        event: &Arc<Event>,
        cancel: &CancelToken,
        around: &dyn Around,
    ) -> Vec<HookRun> {
        match plan.order() {
            Order::Sequential => self.execute_hooks_sequential(plan.hooks(), event, cancel, around),
            Order::Parallel => self.execute_hooks_parallel(plan.hooks(), event, cancel, around),
        }
    }

    /// One after the other: each hook sees what its predecessors changed, and a block ends the chain (HOOK-107).
    fn execute_hooks_sequential(
        &self,
        hooks: &[Arc<HookEntry>],
        event: &Arc<Event>,
        cancel: &CancelToken,
        around: &dyn Around,
    ) -> Vec<HookRun> {
        let mut event = Arc::clone(event);
        let mut runs = Vec::with_capacity(hooks.len());
        for hook in hooks {
            let Some(run) = self.execute_hooks_parallel(std::slice::from_ref(hook), &event, cancel, around).pop()
            else {
                break;
            };
            let decision = run.output.as_ref().map_or(Decision::None, |output| output.decision);
            let cancelled = run.failure() == Some(&Failure::Cancelled);
            // A failed hook passes its input on unchanged (errata B13).
            if let (true, Some(output)) = (run.success(), &run.output)
                && changes_input(output)
            {
                chaining::apply_hook_output_to_input(Arc::make_mut(&mut event), output);
            }
            runs.push(run);
            if decision == Decision::Block || cancelled {
                break;
            }
        }
        runs
    }

    /// All at the same time, all with the same input.
    fn execute_hooks_parallel(
        &self,
        hooks: &[Arc<HookEntry>],
        event: &Arc<Event>,
        cancel: &CancelToken,
        around: &dyn Around,
    ) -> Vec<HookRun> {
        let mut sorted = self.sort(hooks, event, around);
        let Sorted { processes, in_process, .. } = &mut sorted;
        let jobs = std::mem::take(&mut in_process.items);
        let (outcomes, answers) = self.run_both(&processes.items, jobs, cancel, around);
        sorted.complete(hooks, &event.name, outcomes, answers);
        let mut runs = sorted.in_order();
        runs.iter_mut().for_each(|run| around.settle(run));
        runs
    }

    /// What has to be run, and in which way. Runs what cannot wait.
    ///
    /// Not inlined, like all that does not wait for commands: what it holds would be part of the stack while they run.
    fn sort(&self, hooks: &[Arc<HookEntry>], event: &Arc<Event>, around: &dyn Around) -> Sorted {
        let mut sorted = Sorted { runs: hooks.iter().map(|_| None).collect(), ..Sorted::default() };
        let input = Input::new(event, &self.world);
        for (index, (hook, place)) in hooks.iter().zip(&mut sorted.runs).enumerate() {
            let prepared = admit(around, hook).unwrap_or_else(|| self.prepare(hook, event, &input, around));
            match prepared {
                Prepared::Process(spec) => sorted.processes.push(index, spec),
                // What cannot wait is over before a thread would have begun.
                Prepared::InProcess(job) if !may_wait(hook) => *place = Some(job.run_here(Instant::now())),
                Prepared::InProcess(job) => sorted.in_process.push(index, job),
                other => *place = Some(other.without_running(hook)),
            }
        }
        sorted
    }

    /// Processes and hooks of this process at the same time; threads are used only where both wait.
    fn run_both(
        &self,
        processes: &[process::ProcessSpec],
        jobs: Vec<Job>,
        cancel: &CancelToken,
        around: &dyn Around,
    ) -> (Vec<process::ProcessOutcome>, Vec<HookRun>) {
        if processes.is_empty() {
            return (Vec::new(), self.lanes.run(jobs, cancel));
        }
        let answers = (!jobs.is_empty()).then(|| self.lanes.start(jobs, cancel));
        let outcomes = process::run_all_while(processes, &self.settings.limits, cancel, &|| around.meanwhile());
        (outcomes, answers.and_then(|answers| answers.recv().ok()).unwrap_or_default())
    }

    fn prepare(&self, hook: &Arc<HookEntry>, event: &Event, input: &Input, around: &dyn Around) -> Prepared {
        // The registry does not load such hooks; they are refused here as well.
        if hook.source == ConfigSource::Project && self.settings.trust == FolderTrust::Untrusted {
            return Prepared::Refused("this hook belongs to a project whose folder is not trusted".to_owned());
        }
        match &hook.action {
            HookAction::Native(_) => {}
            _ => {
                if let Some(prepared) = self.settings.external.instead_of_running(hook) {
                    return prepared;
                }
            }
        }
        match &hook.action {
            HookAction::Command { command } if command.trim().is_empty() => {
                Prepared::Refused("Command hook missing command".to_owned())
            }
            HookAction::Command { command } => {
                let cleared = around.cleared(hook);
                let spec = command::specify(hook, command, event, input.stdin(hook.wording), cleared.as_deref());
                if hook.background { self.start_in_background(spec) } else { Prepared::Process(spec) }
            }
            HookAction::Native(native) => {
                Prepared::InProcess(Job::native(hook, native, input.shared_event(), &self.world))
            }
            HookAction::Prompt(action) => self.asking.prompt(hook, action, &event.name, input.stdin(hook.wording)),
            HookAction::Http(action) => {
                let action = HttpAction { headers: self.expand_headers(action), ..action.clone() };
                self.asking.http(hook, action, &event.name, input.stdin(hook.wording))
            }
            HookAction::Plugin { .. } => {
                Prepared::Refused("Command hook missing command: nothing can run a hook of type `plugin`".to_owned())
            }
        }
    }

    /// Headers with the variables in them that their hook may send.
    fn expand_headers(&self, action: &HttpAction) -> Vec<(String, String)> {
        let expand = |value: &str| headers::expand(value, &action.allowed_env, &|name| self.world.env(name));
        action.headers.iter().map(|(name, value)| (name.clone(), expand(value))).collect()
    }

    /// Starts a command without waiting for it. It is ended at its deadline like any other.
    fn start_in_background(&self, spec: process::ProcessSpec) -> Prepared {
        let limits = Limits { outlive_caller: true, ..self.settings.limits.clone() };
        let started =
            self.lanes.submit(Box::new(move || drop(process::run_all(&[spec], &limits, &CancelToken::new()))));
        if started { Prepared::Started } else { Prepared::Refused("there is no thread to run it on".to_owned()) }
    }
}

/// Whether the next hook of a chain sees another event. If not, it shares what is known of this one.
fn changes_input(output: &HookOutput) -> bool {
    !output.rewrite.is_empty() || output.additional_context().is_some()
}

/// What stands against this hook running now.
fn admit(around: &dyn Around, hook: &HookEntry) -> Option<Prepared> {
    match around.admit(hook) {
        Admission::Run => None,
        Admission::Skip { why, message } => Some(Prepared::Skipped { why, message }),
        Admission::Fail { why } => Some(Prepared::Refused(why)),
    }
}

/// Whether a clock must run while a hook does.
fn needs_clock(hook: &HookEntry) -> bool {
    let locks_only = matches!(&hook.action, HookAction::Native(native) if native.profile().waits_for_locks_only);
    may_wait(hook) && !locks_only
}

/// Whether a hook may have to wait for something.
fn may_wait(hook: &HookEntry) -> bool {
    match &hook.action {
        HookAction::Native(native) => native.profile().may_wait,
        HookAction::Command { .. } | HookAction::Prompt(_) | HookAction::Http(_) | HookAction::Plugin { .. } => true,
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

/// The hooks of a plan by the way in which they are run, and those that have run.
#[derive(Default)]
struct Sorted {
    /// In plan order.
    runs: Vec<Option<HookRun>>,
    processes: Batch<process::ProcessSpec>,
    in_process: Batch<Job>,
}

impl Sorted {
    /// Puts what became of the others where it belongs.
    fn complete(
        &mut self,
        hooks: &[Arc<HookEntry>],
        event: &EventName,
        outcomes: Vec<process::ProcessOutcome>,
        answers: Vec<HookRun>,
    ) {
        for (index, outcome) in self.processes.indexes.iter().zip(outcomes) {
            if let (Some(place), Some(hook)) = (self.runs.get_mut(*index), hooks.get(*index)) {
                *place = Some(command::read_outcome(hook, event, outcome));
            }
        }
        for (index, run) in self.in_process.indexes.iter().zip(answers) {
            if let Some(place) = self.runs.get_mut(*index) {
                *place = Some(run);
            }
        }
    }

    /// As many as there are: collecting them would begin with room for four, most of a page of memory.
    fn in_order(self) -> Vec<HookRun> {
        let mut runs = Vec::with_capacity(self.runs.len());
        runs.extend(self.runs.into_iter().flatten());
        runs
    }
}
