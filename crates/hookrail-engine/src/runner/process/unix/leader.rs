//! The first process of a command, leader of the command's process group.

use super::super::Exit;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, kill_process_group, waitid, waitpid,
};
use std::fmt::Display;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A child that is not yet reaped: until then no other process can get its number or that of its group.
#[derive(Debug)]
pub(super) struct Leader {
    pid: Pid,
    /// How it ended, once it is reaped.
    reaped: Option<Exit>,
    /// Readable once the process ended. Where there is none (another Unix, an old kernel, no descriptor left) it is polled.
    bell: Option<OwnedFd>,
}

impl Leader {
    /// A process that has just begun. It has no bell yet: a short command may be over, and needs none.
    pub(super) fn new(pid: Pid) -> Self {
        Self { pid, reaped: None, bell: None }
    }

    /// Opens the descriptor that tells of its end, where the system has such a thing.
    pub(super) fn open_bell(&mut self) {
        self.bell = open_bell(self.pid);
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    pub(super) fn bell(&self) -> Option<BorrowedFd<'_>> {
        self.bell.as_ref().map(AsFd::as_fd)
    }

    /// Whether the process ended. It stays unreaped.
    pub(super) fn has_ended(&self) -> bool {
        !matches!(self.peek(), Ok(None))
    }

    /// Signals every process of the group. A child taken away by someone else's `wait` no longer guards the number of its group, so
    /// nothing is sent then.
    pub(super) fn signal_group(&self, signal: Signal) {
        if self.peek().is_ok() {
            // Fails when all are gone, which is what was wanted.
            let _ = kill_process_group(self.pid, signal);
        }
    }

    /// Kills every process of the group, and the leader even if it moved to another one.
    pub(super) fn kill_group(&self) {
        self.signal_group(Signal::KILL);
        if self.peek().is_ok() {
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }

    /// Reaps the process if it ended, and says how.
    pub(super) fn reap(&mut self) -> Option<Exit> {
        if self.reaped.is_none() {
            self.reaped = wait(self.pid, WaitOptions::NOHANG);
        }
        self.reaped.clone()
    }

    fn peek(&self) -> Result<Option<()>, Errno> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid), options) {
                Err(Errno::INTR) => {}
                answer => return answer.map(|status| status.map(|_| ())),
            }
        }
    }
}

/// No child stays unreaped. One that even SIGKILL does not end at once (it hangs in the kernel) is left to a thread.
impl Drop for Leader {
    fn drop(&mut self) {
        if self.reap().is_none() {
            self.kill_group();
            let pid = self.pid;
            let reaper = move || drop(wait(pid, WaitOptions::empty()));
            let _ = std::thread::Builder::new().name("hookrail-reaper".to_owned()).spawn(reaper);
        }
    }
}

/// How a child ended; none if it has not.
fn wait(pid: Pid, options: WaitOptions) -> Option<Exit> {
    let status = loop {
        match waitpid(Some(pid), options) {
            Err(Errno::INTR) => {}
            Ok(status) => break status?.1,
            // A program that ignores SIGCHLD, or waits for children it did not start, takes the status away.
            Err(error) => return Some(lost(io::Error::from(error))),
        }
    };
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Some(Exit::Code(code)),
        (None, Some(signal)) => Some(Exit::Signal(signal)),
        // Neither was asked for.
        (None, None) => Some(lost(format_args!("status {}", status.as_raw()))),
    }
}

fn lost(why: impl Display) -> Exit {
    Exit::NotStarted(format!("how the command ended cannot be known: {why}"))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_bell(pid: Pid) -> Option<OwnedFd> {
    #[cfg(test)]
    if super::handicap::WITHOUT_PIDFD.get() {
        return None;
    }
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn open_bell(_pid: Pid) -> Option<OwnedFd> {
    None
}
