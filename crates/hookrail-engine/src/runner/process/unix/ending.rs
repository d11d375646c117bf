//! Ends a command that may not go on, with all it brought into being.

use super::super::Exit;
use super::family::Family;
use super::leader::Leader;
use super::turn::{Turn, later};
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// How long the result may wait after SIGKILL for processes that do not go.
const PATIENCE: Duration = Duration::from_millis(100);

/// Between two looks at processes that give no notification; doubles from the first to the last.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// The leader stays unreaped through all of this, so that the number of its group cannot pass to strangers.
#[derive(Debug)]
pub(super) struct Termination {
    /// What the outcome will say, whatever the command answers to its signals.
    pub(super) cause: Exit,
    stage: SignalPhase,
    family: Family,
    look_at: Instant,
    pause: Duration,
    /// At the last look all known processes were gone.
    quiet: bool,
}

#[derive(Debug)]
enum SignalPhase {
    Asked { kill_at: Option<Instant> },
    Forced { give_up_at: Option<Instant> },
}

impl SignalPhase {
    fn signals(&self) -> &'static [Signal] {
        match self {
            // A stopped process takes SIGTERM only when it goes on.
            Self::Asked { .. } => &[Signal::TERM, Signal::CONT],
            Self::Forced { .. } => &[Signal::KILL],
        }
    }
}

/// What the one who runs the command knows of it at a look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signs<'a> {
    pub(super) leader: &'a Leader,
    pub(super) leader_ended: bool,
    /// No process holds the command's output pipes any more.
    pub(super) silent: bool,
}

impl Termination {
    /// The deadline passed: SIGTERM now, SIGKILL after the grace.
    pub(super) fn ask(cause: Exit, family: Family, leader: &Leader, turn: &Turn<'_>) -> Self {
        let mut ending =
            Self::new(cause, family, SignalPhase::Asked { kill_at: later(turn.now, turn.limits.grace) }, turn.now);
        // All processes are looked up before the first signal: afterwards orphans have lost the way back to the leader.
        let members = turn.table.as_ref().map(|table| ending.family.meet(table)).unwrap_or_default();
        for signal in ending.stage.signals() {
            leader.signal_group(*signal);
            members.iter().filter(|member| !member.in_group).for_each(|member| member.signal(*signal));
        }
        ending
    }

    /// SIGKILL at once.
    pub(super) fn force(cause: Exit, family: Family, leader: &Leader, turn: &Turn<'_>) -> Self {
        let mut ending = Self::new(cause, family, SignalPhase::Asked { kill_at: None }, turn.now);
        ending.kill(leader, turn);
        ending
    }

    fn new(cause: Exit, family: Family, stage: SignalPhase, now: Instant) -> Self {
        Self { cause, stage, family, look_at: now, pause: PAUSE.0, quiet: false }
    }

    /// Goes on with the ending; true when nothing is left to end.
    pub(super) fn advance(&mut self, signs: Signs<'_>, turn: &Turn<'_>) -> bool {
        match self.stage {
            SignalPhase::Asked { kill_at } if turn.cancelled || turn.is_past(kill_at) => self.kill(signs.leader, turn),
            SignalPhase::Forced { give_up_at } if turn.is_past(give_up_at) => {
                self.signal_newcomers(turn);
                return true;
            }
            SignalPhase::Asked { .. } | SignalPhase::Forced { .. } => {}
        }
        signs.leader_ended && turn.now >= self.look_at && self.is_over(signs, turn)
    }

    /// When to look again, apart from the bells that wake anyway.
    pub(super) fn wake_at(&self, leader_ended: bool) -> Option<Instant> {
        let limit = match self.stage {
            SignalPhase::Asked { kill_at } => kill_at,
            SignalPhase::Forced { give_up_at } => give_up_at,
        };
        [limit, leader_ended.then_some(self.look_at)].into_iter().flatten().min()
    }

    fn kill(&mut self, leader: &Leader, turn: &Turn<'_>) {
        if let Some(table) = turn.table.as_ref() {
            self.family.meet(table);
        }
        leader.kill_group();
        self.family.members().iter().for_each(|member| member.signal(Signal::KILL));
        // Counted from now: with many to kill, the turn may have begun a while ago.
        self.stage = SignalPhase::Forced { give_up_at: later(Instant::now(), PATIENCE) };
        self.rest(turn.now);
    }

    /// Whether all processes are gone. Those that came since the last look are signalled like the others were.
    fn is_over(&mut self, signs: Signs<'_>, turn: &Turn<'_>) -> bool {
        if !self.family.is_gone() {
            self.look_later(turn.now);
            return false;
        }
        if !self.quiet {
            // The table of this turn may be older than the last death, and miss a child that was born in between.
            self.quiet = true;
            self.look_at = turn.now;
            return false;
        }
        match self.signal_newcomers(turn) {
            None => self.is_over_unseen(signs, turn),
            Some(0) => true,
            Some(_) => {
                self.rest(turn.now);
                false
            }
        }
    }

    /// How many came since the last look; none if that is unknown.
    fn signal_newcomers(&mut self, turn: &Turn<'_>) -> Option<usize> {
        let newcomers = self.family.meet(turn.table.as_ref()?);
        for signal in self.stage.signals() {
            newcomers.iter().for_each(|member| member.signal(*signal));
        }
        Some(newcomers.len())
    }

    /// Without a process table, closed pipes are the best sign that no process is left. What is left of the group is killed now.
    fn is_over_unseen(&mut self, signs: Signs<'_>, turn: &Turn<'_>) -> bool {
        if signs.silent {
            signs.leader.kill_group();
        } else {
            self.look_later(turn.now);
        }
        signs.silent
    }

    /// Signals were sent: they take effect soon or not at all.
    fn rest(&mut self, now: Instant) {
        self.quiet = false;
        self.pause = PAUSE.0;
        self.look_later(now);
    }

    fn look_later(&mut self, now: Instant) {
        self.look_at = now + self.pause;
        self.pause = (self.pause * 2).min(PAUSE.1);
    }
}
