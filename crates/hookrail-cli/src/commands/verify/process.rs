//! One run of an agent: bounded, interruptible, and nothing of it outlives it.

use crate::interrupt::Interrupt;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often it is looked at.
const PULSE: Duration = Duration::from_millis(20);
/// How long an agent that was told to end may take for it.
const GRACE: Duration = Duration::from_millis(1500);

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Ended(ExitStatus),
    TimedOut,
    Interrupted,
}

/// An agent at work. It and everything in its process group is ended when this is dropped.
struct Running(Child);

/// Runs a command to its end, at most for `limit`; what it prints goes into a file.
pub fn run(mut command: Command, output: &Path, limit: Duration, interrupt: &Interrupt) -> std::io::Result<RunEnd> {
    let file = File::create(output)?;
    command.stdout(file.try_clone()?).stderr(file);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut running = Running(command.spawn()?);
    let begun = Instant::now();
    loop {
        if let Some(status) = running.0.try_wait()? {
            return Ok(RunEnd::Ended(status));
        }
        if interrupt.came() {
            return Ok(RunEnd::Interrupted);
        }
        if begun.elapsed() > limit {
            return Ok(RunEnd::TimedOut);
        }
        std::thread::sleep(PULSE);
    }
}

impl Drop for Running {
    /// Asks first, so that an agent can end what it started in groups of their own; then the whole group is ended, also
    /// what an agent that ended by itself left behind.
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            signal(&self.0, End::Asked);
            let begun = Instant::now();
            while begun.elapsed() < GRACE && matches!(self.0.try_wait(), Ok(None)) {
                std::thread::sleep(PULSE);
            }
        }
        signal(&self.0, End::Forced);
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(Clone, Copy)]
enum End {
    Asked,
    Forced,
}

#[cfg(unix)]
fn signal(child: &Child, end: End) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = match end {
        End::Asked => Signal::TERM,
        End::Forced => Signal::KILL,
    };
    // A group that is gone need not be told.
    let _ = i32::try_from(child.id()).ok().and_then(Pid::from_raw).map(|group| kill_process_group(group, signal));
}

#[cfg(not(unix))]
fn signal(_: &Child, _: End) {}
