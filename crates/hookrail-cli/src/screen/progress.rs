use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
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
}

impl Progress {
    /// `what` is being done, in `total` steps.
    pub fn new(what: &str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:32} {pos}/{len}") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        Self { bar, begun: Instant::now() }
    }

    pub fn advance(&self, steps: u64) {
        self.bar.inc(steps);
        if self.bar.is_hidden() && self.begun.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(REFRESH));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
