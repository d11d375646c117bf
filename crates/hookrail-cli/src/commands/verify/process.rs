//! One run of an agent: bounded, interruptible, and nothing of it outlives it.

use crate::interrupt::Interrupt;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// Where the output of an agent is, below its home.
pub const OUTPUT: &str = "agent-output.txt";
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

/// An agent at work. It, everything in its process group and every process with its home is ended when this is dropped.
struct Running<'a> {
    child: Child,
    home: &'a Path,
}

/// Runs a command whose home is `home` to its end, at most for `limit`; what it prints goes into a file there.
pub fn run(mut command: Command, home: &Path, limit: Duration, interrupt: &Interrupt) -> std::io::Result<RunEnd> {
    let file = File::create(home.join(OUTPUT))?;
    command.stdout(file.try_clone()?).stderr(file);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut running = Running { child: command.spawn()?, home };
    let begun = Instant::now();
    loop {
        if let Some(status) = running.child.try_wait()? {
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

impl Drop for Running<'_> {
    /// Asks first, so that an agent can end what it started in groups of their own; then the whole group is ended, also
    /// what an agent that ended by itself left behind.
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            signal(&self.child, End::Asked);
            let begun = Instant::now();
            while begun.elapsed() < GRACE && matches!(self.child.try_wait(), Ok(None)) {
                std::thread::sleep(PULSE);
            }
        }
        signal(&self.child, End::Forced);
        let _ = self.child.kill();
        let _ = self.child.wait();
        end_escaped(self.home);
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

/// Ends what left the group, such as a daemon that an agent keeps for its next start: its home is still the one of the run.
#[cfg(target_os = "linux")]
fn end_escaped(home: &Path) {
    use rustix::process::{Pid, Signal, kill_process};
    use std::os::unix::ffi::OsStrExt;
    let mark = [b"HOME=", home.as_os_str().as_bytes()].concat();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        let Some(pid) = pid else { continue };
        // A process of another user cannot be read, and is not ours.
        let variables = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if variables.split(|byte| *byte == 0).any(|variable| variable == mark) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn end_escaped(_: &Path) {}
