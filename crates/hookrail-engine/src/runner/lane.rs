//! Hooks that run inside this process.
//!
//! Code cannot be killed like a process, so it runs on a thread that is left behind if it misses its deadline. Quick
//! hooks share one thread, in plan order, because waking a thread costs more than most of them take; as soon as one is
//! slow, the others go on without it. Hooks that ask over the network are known to be slow and get a thread each at once.

use super::process::CancelToken;
use hookrail_core::{Event, Failure, HookEntry, HookOutput, HookRef, HookRun, Misread, NativeHook, RunStatus, World};
use serde_json::{Map, Value};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(super) type HookAnswer = Result<HookReply, Failure>;

/// The answer of a hook, and what of it is not understood.
#[derive(Debug, Default)]
pub(super) struct HookReply {
    pub output: Option<HookOutput>,
    pub raw: Option<Value>,
    pub misread: Vec<Misread>,
    /// For the journal.
    pub record: Map<String, Value>,
}

impl From<Option<HookOutput>> for HookReply {
    fn from(output: Option<HookOutput>) -> Self {
        Self { output, ..Self::default() }
    }
}

type LaneJob = Box<dyn FnOnce() + Send>;

/// How often a waiting caller looks up: for its cancel token, for deadlines, and for a hook that holds up the others.
const LOOK_UP: Duration = Duration::from_millis(10);
/// How long an idle thread waits for another errand.
const IDLE: Duration = Duration::from_secs(10);

/// One hook to run in this process.
pub(super) struct Job {
    hook: HookRef,
    timeout: Duration,
    pace: Pace,
    /// Is told when it began.
    work: Box<dyn FnOnce(Instant) -> HookAnswer + Send>,
}

/// What is known beforehand of how long a job takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    ProbablyQuick,
    Slow,
}

impl Job {
    /// A job that mostly waits for another process.
    pub fn asking(entry: &HookEntry, work: impl FnOnce() -> HookAnswer + Send + 'static) -> Self {
        Self { pace: Pace::Slow, ..Self::new(entry, move |_| work()) }
    }

    fn new(entry: &HookEntry, work: impl FnOnce(Instant) -> HookAnswer + Send + 'static) -> Self {
        Self { hook: entry.reference(), timeout: entry.timeout, pace: Pace::ProbablyQuick, work: Box::new(work) }
    }

    pub fn native(entry: &HookEntry, hook: &Arc<dyn NativeHook>, event: Arc<Event>, world: &Arc<dyn World>) -> Self {
        let (hook, world) = (Arc::clone(hook), Arc::clone(world));
        let timeout = entry.timeout;
        Self::new(entry, move |started| match in_time(started, timeout, || hook.check(&event, &*world)) {
            Ok(outcome) => {
                let (output, record) = outcome.into_parts();
                Ok(HookReply { output, record, ..HookReply::default() })
            }
            Err(error) => Err(error.into()),
        })
    }

    /// Who runs, and how long it may take.
    pub fn terms(&self) -> (HookRef, Duration) {
        (self.hook.clone(), self.timeout)
    }

    /// Runs on this thread, for a caller whose clock is another thread.
    pub fn run_here(self, started: Instant) -> HookRun {
        let result = catch_unwind(AssertUnwindSafe(|| (self.work)(started)));
        finished(self.hook, self.timeout, result, started.elapsed())
    }
}

/// Runs a hook so that it waits for no lock until its time is up: a busy lock is the machine's, and no failure of the hook.
fn in_time<T>(started: Instant, timeout: Duration, work: impl FnOnce() -> T) -> T {
    match started.checked_add(timeout) {
        Some(deadline) => hookrail_store::with_deadline(deadline, work),
        None => work(),
    }
}

/// The threads of a runner.
#[derive(Default)]
pub(super) struct Lanes {
    idle: Mutex<Vec<Sender<LaneJob>>>,
}

impl Lanes {
    /// Runs jobs and waits for every one, but for none longer than its deadline. Results are in the order of the jobs.
    pub fn run(self: &Arc<Self>, jobs: Vec<Job>, cancel: &CancelToken) -> Vec<HookRun> {
        if jobs.is_empty() { Vec::new() } else { Watch::new(jobs).wait(self, cancel) }
    }

    /// The same, in the background, for a caller that has something else to do meanwhile.
    pub fn start(self: &Arc<Self>, jobs: Vec<Job>, cancel: &CancelToken) -> Receiver<Vec<HookRun>> {
        let (sender, receiver) = channel();
        if jobs.is_empty() {
            return receiver;
        }
        let (lanes, cancel) = (Arc::clone(self), cancel.clone());
        self.submit(Box::new(move || drop(sender.send(lanes.run(jobs, &cancel)))));
        receiver
    }

    /// Gives an errand to an idle thread or a new one; `false` if there is none to be had.
    pub fn submit(self: &Arc<Self>, mut errand: LaneJob) -> bool {
        let idle = locked(&self.idle).pop();
        if let Some(thread) = idle {
            match thread.send(errand) {
                Ok(()) => return true,
                // It left in the moment it was asked.
                Err(refused) => errand = refused.0,
            }
        }
        let lanes = Arc::clone(self);
        std::thread::Builder::new().name("hookrail-lane".to_owned()).spawn(move || lanes.serve(errand)).is_ok()
    }

    /// A thread's life: do an errand, wait for the next.
    fn serve(&self, first: LaneJob) {
        let (sender, receiver) = channel::<LaneJob>();
        let mut errand = first;
        loop {
            errand();
            locked(&self.idle).push(sender.clone());
            match receiver.recv_timeout(IDLE) {
                Ok(next) => errand = next,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

enum News {
    Started(usize, Instant),
    Finished(usize, Box<std::thread::Result<HookAnswer>>, Duration),
}

/// A waiter for jobs.
struct Watch {
    queue: Arc<Mutex<VecDeque<(usize, Job)>>>,
    tickets: Vec<Ticket>,
    /// How many threads to begin with.
    crew: usize,
}

/// What the waiting side knows of one job.
struct Ticket {
    hook: HookRef,
    timeout: Duration,
    started: Option<Instant>,
    run: Option<HookRun>,
}

impl Ticket {
    fn fail(&mut self, failure: Failure, duration: Duration) {
        let run = || HookRun::new(self.hook.clone(), RunStatus::Failed(failure), None, duration);
        self.run.get_or_insert_with(run);
    }

    fn finish(&mut self, result: std::thread::Result<HookAnswer>, duration: Duration) {
        let run = || finished(self.hook.clone(), self.timeout, result, duration);
        self.run.get_or_insert_with(run);
    }

    fn check_deadline(&mut self, now: Instant) {
        let Some(elapsed) = self.started.map(|started| now.saturating_duration_since(started)) else { return };
        if elapsed >= self.timeout {
            self.fail(Failure::TimedOut(self.timeout), elapsed);
        }
    }
}

impl Watch {
    fn new(jobs: Vec<Job>) -> Self {
        let ticket = |job: &Job| Ticket { hook: job.hook.clone(), timeout: job.timeout, started: None, run: None };
        let tickets = jobs.iter().map(ticket).collect();
        let slow = jobs.iter().filter(|job| job.pace == Pace::Slow).count();
        let crew = slow + usize::from(slow < jobs.len());
        Self { queue: Arc::new(Mutex::new(jobs.into_iter().enumerate().collect())), tickets, crew }
    }

    fn wait(mut self, lanes: &Arc<Lanes>, cancel: &CancelToken) -> Vec<HookRun> {
        let (sender, news) = channel();
        let mut hands = (0..self.crew).filter(|_| self.hire(lanes, &sender)).count();
        while self.tickets.iter().any(|ticket| ticket.run.is_none()) {
            match news.recv_timeout(self.patience()) {
                Ok(News::Started(index, at)) => self.with(index, |ticket| ticket.started = Some(at)),
                Ok(News::Finished(index, result, duration)) => {
                    self.with(index, |ticket| ticket.finish(*result, duration));
                }
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => self.give_up(&Failure::Cancelled),
                Err(RecvTimeoutError::Timeout) => {
                    let now = Instant::now();
                    self.tickets.iter_mut().for_each(|ticket| ticket.check_deadline(now));
                    if !locked(&self.queue).is_empty() {
                        hands += usize::from(self.hire(lanes, &sender));
                    }
                    if hands == 0 {
                        self.give_up(&Failure::NotStarted("there is no thread to run it on".to_owned()));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => self.give_up(&Failure::Cancelled),
            }
        }
        self.tickets.into_iter().filter_map(|ticket| ticket.run).collect()
    }

    /// Until the next deadline, and never so long that a cancel goes unnoticed.
    fn patience(&self) -> Duration {
        let now = Instant::now();
        let open = self.tickets.iter().filter(|ticket| ticket.run.is_none());
        let deadlines = open.filter_map(|ticket| ticket.started?.checked_add(ticket.timeout));
        deadlines.map(|deadline| deadline.saturating_duration_since(now)).fold(LOOK_UP, Duration::min)
    }

    fn hire(&self, lanes: &Arc<Lanes>, sender: &Sender<News>) -> bool {
        let (queue, sender) = (Arc::clone(&self.queue), sender.clone());
        lanes.submit(Box::new(move || work_off(&queue, &sender)))
    }

    fn give_up(&mut self, failure: &Failure) {
        locked(&self.queue).clear();
        for ticket in &mut self.tickets {
            ticket.fail(failure.clone(), ticket.started.map_or(Duration::ZERO, |started| started.elapsed()));
        }
    }

    fn with(&mut self, index: usize, change: impl FnOnce(&mut Ticket)) {
        if let Some(ticket) = self.tickets.get_mut(index) {
            change(ticket);
        }
    }
}

/// What a job that came back means. Coming back late is not coming back.
fn finished(hook: HookRef, timeout: Duration, result: std::thread::Result<HookAnswer>, duration: Duration) -> HookRun {
    let (status, reply) = match result {
        _ if duration > timeout => (RunStatus::Failed(Failure::TimedOut(timeout)), HookReply::default()),
        Ok(Ok(reply)) => (RunStatus::Succeeded, reply),
        Ok(Err(failure)) => (RunStatus::Failed(failure), HookReply::default()),
        Err(panic) => (RunStatus::Failed(Failure::Panicked(panic_message(&*panic))), HookReply::default()),
    };
    let HookReply { output, raw, misread, record } = reply;
    HookRun { raw, misread, record, ..HookRun::new(hook, status, output, duration) }
}

/// What a thread does with a queue. If the receiver is gone when a job ends, it stops.
fn work_off(queue: &Mutex<VecDeque<(usize, Job)>>, news: &Sender<News>) {
    loop {
        let next = locked(queue).pop_front();
        let Some((index, job)) = next else { return };
        let started = Instant::now();
        if news.send(News::Started(index, started)).is_err() {
            return;
        }
        let result = Box::new(catch_unwind(AssertUnwindSafe(|| (job.work)(started))));
        if news.send(News::Finished(index, result, started.elapsed())).is_err() {
            return;
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
