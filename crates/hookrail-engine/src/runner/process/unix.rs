//! The loop on Unix: one thread, one `poll` over all commands of a call.

mod ending;
mod family;
#[cfg(test)]
mod handicap;
mod leader;
mod mark;
mod process_table;
mod pump;
mod running;
mod spawning;
#[cfg(test)]
mod tests;
mod turn;
mod watchdog;

use super::cancel::{Alarm, CancelToken};
use super::start_error::StartError;
use super::{Exit, Limits, ProcessOutcome, ProcessSpec};
use running::{Running, Source};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::time::{Duration, Instant};
use turn::Turn;
use watchdog::Watchdog;

/// Between two looks at what has no descriptor to poll.
const TICK: Duration = Duration::from_millis(5);

/// A watchdog is a process of its own, as dear as a command that does nothing, and an alarm is a pipe. Most commands are over before
/// they would be there; until then, a cancel is looked for between ticks.
const UNWATCHED: Duration = Duration::from_millis(10);

/// Some systems refuse to poll longer than some weeks. Waking once in vain does no harm.
const LONGEST_POLL: Duration = Duration::from_secs(3600);

pub(super) fn run_all(
    specs: &[ProcessSpec],
    limits: &Limits,
    cancel: &CancelToken,
    meanwhile: &dyn Fn(),
) -> Vec<ProcessOutcome> {
    let mut run = Run::new(specs, limits, cancel);
    // The first turn waits for nothing: commands get their input in it. A short one may be over by then.
    if run.turn() {
        meanwhile();
    }
    while run.turn() {}
    run.into_outcomes()
}

/// Whether commands are watched, which needs an alarm and a watchdog.
enum Watch {
    /// Nothing runs yet.
    NotYet,
    From(Instant),
    Begun,
}

struct Run<'a> {
    limits: &'a Limits,
    cancel: &'a CancelToken,
    /// Wakes the poll at a cancel. Gone once it rang, and missing at first or if there was no descriptor for it.
    alarm: Option<Alarm>,
    marks_around: Option<OsString>,
    waiting: VecDeque<(usize, &'a ProcessSpec)>,
    /// The system had no room for the first of those waiting.
    short: bool,
    running: Vec<Running>,
    watchdog: Option<Watchdog>,
    watch: Watch,
    outcomes: Vec<(usize, ProcessOutcome)>,
    buffer: Vec<u8>,
}

impl<'a> Run<'a> {
    fn new(specs: &'a [ProcessSpec], limits: &'a Limits, cancel: &'a CancelToken) -> Self {
        Self {
            limits,
            cancel,
            alarm: None,
            marks_around: mark::around(),
            waiting: specs.iter().enumerate().collect(),
            short: false,
            running: Vec::with_capacity(specs.len()),
            watchdog: None,
            watch: Watch::NotYet,
            outcomes: Vec::with_capacity(specs.len()),
            buffer: Vec::new(),
        }
    }

    /// Starts what there is room for and deals with the news of what runs; false when nothing is left to wait for.
    fn turn(&mut self) -> bool {
        self.start_waiting();
        if !self.running.is_empty() {
            self.serve_ready();
            self.advance();
        }
        // Behind the look at them: on a busy machine all may have ended before this process had its turn again.
        if !self.running.is_empty() {
            self.keep_watched();
        }
        !self.running.is_empty() || !self.waiting.is_empty()
    }

    /// Starts all there is room for.
    fn start_waiting(&mut self) {
        while !self.short
            && let Some((index, spec)) = self.waiting.pop_front()
        {
            // Those before it, for which starting it may take too long.
            if !self.running.is_empty() {
                self.keep_watched();
            }
            if self.cancel.is_cancelled() {
                self.outcomes.push((index, ProcessOutcome::without_process(Exit::Cancelled)));
                continue;
            }
            match Running::start(index, spec, self.limits, self.marks_around.as_deref()) {
                Ok(running) => {
                    if let Watch::NotYet = self.watch {
                        self.watch = Watch::From(running.started + UNWATCHED);
                    }
                    self.running.push(running);
                    self.tell_watchdog();
                }
                Err(StartError::Shortage(_)) if !self.running.is_empty() => {
                    self.waiting.push_front((index, spec));
                    self.short = true;
                }
                Err(error) => {
                    let exit = Exit::NotStarted(error.to_string());
                    self.outcomes.push((index, ProcessOutcome::without_process(exit)));
                }
            }
        }
    }

    /// Sees to it that commands that take their time end if this process is killed.
    fn keep_watched(&mut self) {
        if let Watch::From(due) = self.watch
            && due <= Instant::now()
        {
            self.watch = Watch::Begun;
            self.alarm = self.cancel.alarm().ok();
            self.watchdog = (!self.limits.outlive_caller).then(|| Watchdog::start().ok()).flatten();
        }
        self.tell_watchdog();
    }

    fn tell_watchdog(&mut self) {
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.tell(self.running.iter().map(Running::group));
        }
    }

    /// Waits for news and moves bytes.
    fn serve_ready(&mut self) {
        for (slot, source, news) in self.poll() {
            if let Some(running) = self.running.get_mut(slot) {
                running.serve(source, news, self.limits, &mut self.buffer);
            }
        }
        for running in self.running.iter_mut().filter(|running| running.needs_asking()) {
            running.serve(Source::Leader, PollFlags::empty(), self.limits, &mut self.buffer);
        }
    }

    /// Lets every command draw its conclusions. The ends noticed so far are older than anything looked up in here.
    fn advance(&mut self) {
        let turn = Turn::new(self.limits, self.cancel.is_cancelled());
        if turn.cancelled {
            self.alarm = None;
        }
        let before = self.running.len();
        self.running.retain_mut(|running| match running.advance(&turn, &mut self.buffer) {
            Some(outcome) => {
                self.outcomes.push((running.index, outcome));
                false
            }
            None => true,
        });
        if self.running.len() < before || turn.cancelled {
            self.short = false;
        }
    }

    /// Blocks until there is news or the time for something has come; returns who has news, and which. No flags mean that there may
    /// be some.
    fn poll(&self) -> Vec<(usize, Source, PollFlags)> {
        let mut fds = Vec::with_capacity(1 + 4 * self.running.len());
        let mut sources = Vec::with_capacity(4 * self.running.len());
        for (slot, running) in self.running.iter().enumerate() {
            for (source, fd, flags) in running.interests() {
                fds.push(PollFd::from_borrowed_fd(fd, flags));
                sources.push((slot, source));
            }
        }
        fds.extend(self.alarm.as_ref().map(|alarm| PollFd::new(&alarm.reader, PollFlags::IN)));

        match poll(&mut fds, self.poll_timeout().as_ref()) {
            Ok(_) => std::iter::zip(&fds, sources)
                .map(|(fd, (slot, source))| (slot, source, fd.revents()))
                .filter(|(.., news)| !news.is_empty())
                .collect(),
            Err(Errno::INTR) => Vec::new(),
            // Not worth losing a command for: nothing blocks, so all of them can be polled instead.
            Err(_) => {
                std::thread::sleep(TICK);
                sources.into_iter().map(|(slot, source)| (slot, source, PollFlags::empty())).collect()
            }
        }
    }

    fn poll_timeout(&self) -> Option<Timespec> {
        // What has ended is waited for by nobody, and no clock is read for it.
        if self.running.iter().any(Running::is_to_be_reaped) {
            return Some(Timespec::default());
        }
        let now = Instant::now();
        let has_no_bell =
            (self.alarm.is_none() && !self.cancel.is_cancelled()) || self.running.iter().any(Running::needs_asking);
        let tick = has_no_bell.then_some(TICK);
        let moments = self.running.iter().filter_map(Running::wake_at).map(|at| at.saturating_duration_since(now));
        let watch = match self.watch {
            Watch::From(due) => Some(due.saturating_duration_since(now)),
            Watch::NotYet | Watch::Begun => None,
        };
        moments.chain(tick).chain(watch).min().map(|wait| wait.min(LONGEST_POLL)).and_then(|wait| wait.try_into().ok())
    }

    fn into_outcomes(mut self) -> Vec<ProcessOutcome> {
        self.outcomes.sort_by_key(|(index, _)| *index);
        self.outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }
}
