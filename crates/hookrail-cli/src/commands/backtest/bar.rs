//! How far a backtest is: a bar with an estimate, on stderr.

use crate::interrupt::Interrupt;
use hookrail_backtest::Watcher;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// What ends sooner needs no bar.
const PATIENCE: Duration = Duration::from_millis(700);

pub struct Bar {
    interrupt: Interrupt,
    bar: ProgressBar,
    begun: Instant,
    shown: bool,
}

impl Bar {
    pub fn new(interrupt: Interrupt) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("reading transcripts {wide_bar} {bytes}/{total_bytes} {eta} left");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self { interrupt, bar, begun: Instant::now(), shown: false }
    }
}

impl Watcher for Bar {
    fn total(&mut self, bytes: u64, _: u64) {
        self.bar.set_length(bytes);
    }

    fn advance(&mut self, bytes: u64) -> ControlFlow<()> {
        self.bar.inc(bytes);
        // Once: where there is no terminal the bar stays hidden, and asking for one costs a system call.
        if !self.shown && self.begun.elapsed() > PATIENCE {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
        if self.interrupt.came() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
