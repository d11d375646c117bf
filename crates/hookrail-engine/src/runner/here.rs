//! Native hooks on the caller's own thread, for a process that answers one event and ends.
//!
//! Starting a thread and waiting for it costs such a process more than deciding does. So the hooks run here, and only
//! the clock is a thread. If a hook misses its deadline, that thread answers in its place: the hook
//! has failed, its `on_error` decides, and the process ends with the hook still in it.

use super::lane::Job;
use super::process::CancelToken;
use super::{Around, HookRunner, Input, Prepared, admit, needs_clock};
use hookrail_core::{Event, Failure, HookAction, HookRef, HookRun, Order, Plan, RunStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is known of the runs so far.
#[derive(Default)]
struct HookProgress {
    state: Mutex<ClockState>,
    changed: Condvar,
}

#[derive(Default)]
struct ClockState {
    /// Settled, in plan order.
    runs: Vec<HookRun>,
    /// The hook that runs now, and when its time is up.
    current: Option<(HookRef, Instant)>,
    /// Those that come after it.
    waiting: Vec<(HookRef, Duration)>,
    done: bool,
    /// The thread with the clock has taken over.
    taken_over: bool,
}

impl HookRunner {
    /// [`HookRunner::execute`] for a process that ends with its answer. Plans of native hooks alone run on this thread;
    /// if one of them does not come back in time, `last_resort` is given all runs, on another thread, and must end the
    /// process. Any other plan runs as usual.
    pub(crate) fn execute_here(
        &self,
        plan: &Plan,
        event: &Arc<Event>,
        cancel: &CancelToken,
        around: &Arc<impl Around + 'static>,
        last_resort: impl FnOnce(Vec<HookRun>) + Send + 'static,
    ) -> Vec<HookRun> {
        let native = plan.hooks().iter().all(|hook| matches!(hook.action, HookAction::Native(_)));
        if !native || plan.order() == Order::Sequential {
            return self.execute_with(plan, event, cancel, &**around);
        }
        self.execute_natively(plan, event, around, last_resort)
    }

    /// Not inlined: what it holds would be part of the stack while commands run.
    fn execute_natively(
        &self,
        plan: &Plan,
        event: &Arc<Event>,
        around: &Arc<impl Around + 'static>,
        last_resort: impl FnOnce(Vec<HookRun>) + Send + 'static,
    ) -> Vec<HookRun> {
        let progress = Arc::new(HookProgress::default());
        locked(&progress).waiting = plan.hooks().iter().rev().map(|hook| (hook.reference(), hook.timeout)).collect();
        let watching = plan.hooks().iter().any(|hook| needs_clock(hook)) && progress.watch(around, last_resort);
        let input = Input::new(event, &self.world);
        for hook in plan.hooks() {
            let prepared = admit(&**around, hook).unwrap_or_else(|| self.prepare(hook, event, &input, &**around));
            let mut run = match prepared {
                Prepared::InProcess(job) => progress.run(job),
                other => other.without_running(hook),
            };
            around.settle(&mut run);
            let mut state = locked(&progress);
            state.waiting.pop();
            state.runs.push(run);
        }
        let mut state = locked(&progress);
        state.done = true;
        if watching {
            progress.changed.notify_all();
        }
        std::mem::take(&mut state.runs)
    }
}

impl HookProgress {
    /// Starts the clock. Without a thread for it hooks still run, without deadlines. It is not woken when a hook
    /// begins, which would cost more than most hooks do: it looks when the first deadline there can be has come.
    fn watch(
        self: &Arc<Self>,
        around: &Arc<impl Around + 'static>,
        last_resort: impl FnOnce(Vec<HookRun>) + Send + 'static,
    ) -> bool {
        let (progress, around) = (Arc::clone(self), Arc::clone(around));
        let watch = move || {
            if let Some(mut runs) = progress.wait_for_overrun() {
                // Those that were settled before are left as they are.
                runs.iter_mut().filter(|run| run.timed_out()).for_each(|run| around.settle(run));
                last_resort(runs);
            }
        };
        std::thread::Builder::new().name("hookrail-clock".to_owned()).stack_size(256 << 10).spawn(watch).is_ok()
    }

    fn run(&self, job: Job) -> HookRun {
        let (hook, timeout) = job.terms();
        // A deadline beyond what a clock can count is none.
        let started = Instant::now();
        let deadline = started.checked_add(timeout);
        locked_state(&self.state).current = deadline.map(|deadline| (hook, deadline));
        let run = job.run_here(started);
        let mut state = locked_state(&self.state);
        state.current = None;
        while state.taken_over {
            // The clock's thread writes the answer, and the process ends with it.
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        run
    }

    /// Returns when all is done (`None`), or when a hook has missed its deadline: what there is, and who is to blame.
    fn wait_for_overrun(&self) -> Option<Vec<HookRun>> {
        let mut state = locked_state(&self.state);
        loop {
            if state.done {
                return None;
            }
            let now = Instant::now();
            let current = state.current.as_ref().map(|(_, deadline)| deadline.saturating_duration_since(now));
            if current.is_some_and(|left| left.is_zero()) {
                break;
            }
            // Whatever runs next has at least this long.
            let next = state.waiting.iter().map(|(_, timeout)| *timeout).min();
            let left = current.into_iter().chain(next).min()?;
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.taken_over = true;
        let mut runs = std::mem::take(&mut state.runs);
        runs.extend(state.waiting.iter().rev().map(|(hook, timeout)| {
            let status = RunStatus::Failed(Failure::TimedOut(*timeout));
            HookRun::new(hook.clone(), status, None, *timeout)
        }));
        Some(runs)
    }
}

fn locked(progress: &HookProgress) -> MutexGuard<'_, ClockState> {
    locked_state(&progress.state)
}

fn locked_state(state: &Mutex<ClockState>) -> MutexGuard<'_, ClockState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
