//! One command from its start to its outcome.

use super::super::start_error::StartError;
use super::super::{Exit, Limits, ProcessOutcome, ProcessSpec};
use super::ending::{Signs, Termination};
use super::family::Family;
use super::leader::Leader;
use super::mark::ProcessTag;
use super::pump::{Feed, Stream};
use super::spawning::{self, Streams};
use super::turn::{Turn, later};
use rustix::event::PollFlags;
use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Running {
    /// Which spec of the call this is.
    pub(super) index: usize,
    leader: Leader,
    mark: ProcessTag,
    stdin: Feed,
    stdout: Stream,
    stderr: Stream,
    pub(super) started: Instant,
    leader_ended: bool,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Working {
        deadline: Option<Instant>,
    },
    /// It ended in time; what it left behind may keep the pipes open, but not the caller waiting.
    Draining {
        exit: Exit,
        duration: Duration,
        until: Option<Instant>,
    },
    Ending(Termination),
}

/// What a command may have news from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    Leader,
    Stdin,
    Stdout,
    Stderr,
}

impl Running {
    pub(super) fn start(
        index: usize,
        spec: &ProcessSpec,
        limits: &Limits,
        marks_around: Option<&OsStr>,
    ) -> Result<Self, StartError> {
        StartError::check(spec)?;
        Self::spawn(index, spec, limits, marks_around)
            .map_err(|reason| StartError::explain(spec, spawning::shell(&spec.program), reason))
    }

    /// Everything that can fail comes before the process exists.
    fn spawn(index: usize, spec: &ProcessSpec, limits: &Limits, marks_around: Option<&OsStr>) -> io::Result<Self> {
        let started = Instant::now();
        let (stdin, their_stdin) = Feed::new(&spec.stdin)?;
        let (stdout, their_stdout) = Stream::new(limits.answer_bytes)?;
        let (stderr, their_stderr) = Stream::new(limits.capture_bytes)?;
        let mark = ProcessTag::new();
        let streams = Streams { stdin: their_stdin, stdout: their_stdout, stderr: their_stderr };
        let mut leader = Leader::new(spawning::spawn(spec, streams, mark.value(marks_around))?);
        let leader_ended = leader.reap().is_some();
        if !leader_ended {
            leader.open_bell();
        }
        let phase = Phase::Working { deadline: later(started, spec.timeout) };
        Ok(Self { index, leader, mark, stdin, stdout, stderr, started, leader_ended, phase })
    }

    /// The process group of the command.
    pub(super) fn group(&self) -> rustix::process::Pid {
        self.leader.pid()
    }

    /// What to poll.
    pub(super) fn interests(&self) -> impl Iterator<Item = (Source, BorrowedFd<'_>, PollFlags)> {
        let bell = if self.leader_ended { None } else { self.leader.bell() };
        let all = [
            (Source::Leader, bell, PollFlags::IN),
            (Source::Stdin, self.stdin.fd(), PollFlags::OUT),
            (Source::Stdout, self.stdout.fd(), PollFlags::IN),
            (Source::Stderr, self.stderr.fd(), PollFlags::IN),
        ];
        all.into_iter().filter_map(|(source, fd, flags)| Some((source, fd?, flags)))
    }

    /// Whether its end has to be asked for, because no bell rings for it.
    pub(super) fn needs_asking(&self) -> bool {
        !self.leader_ended && self.leader.bell().is_none()
    }

    /// Whether it ended in time, and nothing has come of that yet.
    pub(super) fn is_to_be_reaped(&self) -> bool {
        self.leader_ended && matches!(self.phase, Phase::Working { .. })
    }

    /// Deals with the news of a source; without any, looks whether there are some.
    pub(super) fn serve(&mut self, source: Source, news: PollFlags, limits: &Limits, buffer: &mut Vec<u8>) {
        match source {
            Source::Leader => {
                self.leader_ended = self.leader_ended || news.contains(PollFlags::IN) || self.leader.has_ended();
            }
            // Nobody reads it, so it need not be made.
            Source::Stdin if news.contains(PollFlags::ERR) => self.stdin.close(),
            Source::Stdin => self.feed(limits),
            // Nobody writes to it any more, and there is nothing to read.
            Source::Stdout if news == PollFlags::HUP => self.stdout.end(),
            Source::Stderr if news == PollFlags::HUP => self.stderr.end(),
            Source::Stdout => self.stdout.pull(buffer),
            Source::Stderr => self.stderr.pull(buffer),
        }
    }

    /// Writes what the command's stdin takes at once, and lets it answer at length accordingly.
    fn feed(&mut self, limits: &Limits) {
        self.stdin.push();
        self.stdout.set_limit(limits.answer_to(self.stdin.len()));
    }

    /// When time alone makes the next difference.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Working { deadline } => *deadline,
            Phase::Draining { until, .. } => *until,
            Phase::Ending(ending) => ending.wake_at(self.leader_ended),
        }
    }

    /// Moves on; returns the outcome once there is one.
    pub(super) fn advance(&mut self, turn: &Turn<'_>, buffer: &mut Vec<u8>) -> Option<ProcessOutcome> {
        if let Phase::Working { deadline } = self.phase {
            self.leave_work(deadline, turn, buffer);
        }
        let (exit, duration) = self.conclude(turn)?;
        self.pull_output(buffer);
        Some(ProcessOutcome { exit, stdout: self.stdout.take(), stderr: self.stderr.take(), duration })
    }

    fn conclude(&mut self, turn: &Turn<'_>) -> Option<(Exit, Duration)> {
        let silent = self.stdout.has_ended() && self.stderr.has_ended();
        match &mut self.phase {
            Phase::Working { .. } => None,
            Phase::Draining { exit, duration, until } => {
                let done = silent || turn.cancelled || turn.is_past(*until);
                done.then(|| (exit.clone(), *duration))
            }
            Phase::Ending(ending) => {
                let signs = Signs { leader: &self.leader, leader_ended: self.leader_ended, silent };
                let done = ending.advance(signs, turn);
                done.then(|| (ending.cause.clone(), turn.now.saturating_duration_since(self.started)))
            }
        }
    }

    /// Leaves the first phase if there is cause. An end that was seen comes before a deadline that passed meanwhile.
    fn leave_work(&mut self, deadline: Option<Instant>, turn: &Turn<'_>, buffer: &mut Vec<u8>) {
        let ended = if self.leader_ended { self.leader.reap() } else { None };
        let family = || Family::new(self.leader.pid(), self.mark.clone());
        self.phase = if let Some(exit) = ended {
            let duration = turn.now.saturating_duration_since(self.started);
            Phase::Draining { exit, duration, until: later(turn.now, turn.limits.drain) }
        } else if turn.cancelled {
            Phase::Ending(Termination::force(Exit::Cancelled, family(), &self.leader, turn))
        } else if turn.is_past(deadline) {
            Phase::Ending(Termination::ask(Exit::TimedOut, family(), &self.leader, turn))
        } else {
            return;
        };
        self.stdin.close();
        self.pull_output(buffer);
    }

    fn pull_output(&mut self, buffer: &mut Vec<u8>) {
        self.stdout.pull(buffer);
        self.stderr.pull(buffer);
    }
}
