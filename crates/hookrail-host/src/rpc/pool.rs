use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So many tasks run at a time; hooks mostly wait for processes, so this has nothing to do with cores.
const MOST_THREADS: usize = 64;
/// So many tasks wait for a thread before whoever brings more has to wait as well.
const MOST_WAITING: usize = 16_384;
/// How long a thread without a task stays.
const IDLE: Duration = Duration::from_secs(10);

pub(super) type Task = Box<dyn FnOnce() + Send>;

/// Threads that come when there is work and go when there is none.
#[derive(Default)]
pub(super) struct Pool {
    state: Mutex<PoolState>,
    work: Condvar,
    room: Condvar,
}

#[derive(Default)]
struct PoolState {
    waiting: VecDeque<(u64, Task)>,
    threads: usize,
    idle: usize,
}

impl Pool {
    /// Runs a task as soon as a thread is free.
    pub fn submit(self: &Arc<Self>, number: u64, task: Task) {
        let full = |state: &mut PoolState| state.waiting.len() >= MOST_WAITING;
        let mut state = self.room.wait_while(self.state(), full).unwrap_or_else(PoisonError::into_inner);
        state.waiting.push_back((number, task));
        // Every idle thread takes one task, also one that was called and has not woken up yet.
        if state.waiting.len() <= state.idle || state.threads >= MOST_THREADS {
            self.work.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        if !self.spawn() {
            self.work_alone();
        }
    }

    /// Takes a task back that no thread has begun.
    pub fn take_back(&self, number: u64) -> Option<Task> {
        let mut state = self.state();
        let place = state.waiting.iter().position(|(waiting, _)| *waiting == number)?;
        let (_, task) = state.waiting.remove(place)?;
        drop(state);
        self.room.notify_one();
        Some(task)
    }

    fn spawn(self: &Arc<Self>) -> bool {
        let pool = Arc::clone(self);
        std::thread::Builder::new().name("hookrail-worker".to_owned()).spawn(move || pool.serve()).is_ok()
    }

    /// There was no thread to be had. If there is no other either, the task is done right here.
    fn work_alone(&self) {
        let mut state = self.state();
        state.threads -= 1;
        if state.threads > 0 {
            return;
        }
        while let Some((_, task)) = state.waiting.pop_front() {
            drop(state);
            task();
            state = self.state();
        }
    }

    /// A thread's life.
    fn serve(&self) {
        let mut state = self.state();
        loop {
            if let Some((_, task)) = state.waiting.pop_front() {
                drop(state);
                self.room.notify_one();
                task();
                state = self.state();
                continue;
            }
            state.idle += 1;
            let (woken, wait) = self
                .work
                .wait_timeout_while(state, IDLE, |state| state.waiting.is_empty())
                .unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if wait.timed_out() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
