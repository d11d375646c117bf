use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Work that ends sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the bar is drawn again, in times a second.
const REFRESH: u8 = 10;

/// How far a long work is: a bar on the terminal, from its second second on. Nothing where stderr is no terminal.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: AtomicBool,
}

impl Progress {
    /// `what` is being done, in `total` steps.
    pub fn new(what: &str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:32} {pos}/{len}") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        Self { bar, begun: Instant::now(), shown: AtomicBool::new(false) }
    }

    /// What is being done now.
    pub fn say(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.advance(0);
    }

    pub fn advance(&self, steps: u64) {
        self.bar.inc(steps);
        // Once: where there is no terminal the bar stays hidden, and asking for one costs a system call.
        if self.begun.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(REFRESH));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
