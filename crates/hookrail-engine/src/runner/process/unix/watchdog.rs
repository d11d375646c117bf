//! Ends commands whose runner was killed.
//!
//! A process that is killed cannot end its children. So a small shell waits at a pipe that only the runner holds open: when that closes
//! although the shell was not dismissed, the runner is gone, and it kills the groups that were running. A signal on the
//! parent's death would reach the first process of each command alone, and would fire when a thread ends.

use rustix::process::Pid;
use std::io::{self, PipeWriter, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Each line is all groups that run now.
const SCRIPT: &str =
    "while read -r line; do groups=$line; done; for group in $groups; do kill -s KILL -- \"-$group\"; done";

/// A write up to this length is whole or does not happen.
const WHOLE: usize = 4096;

#[derive(Debug)]
pub(super) struct Watchdog {
    shell: Child,
    pipe: PipeWriter,
    told: Vec<Pid>,
}

impl Watchdog {
    /// In a group of its own, because whoever kills a runner may kill its group, and without any pipe of the runner's.
    pub(super) fn start() -> io::Result<Self> {
        let (theirs, pipe) = io::pipe()?;
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let shell = Command::new(super::spawning::SHELL)
            .args(["-c", SCRIPT])
            .current_dir("/")
            .env_clear()
            .stdin(theirs)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Self { shell, pipe, told: Vec::new() })
    }

    /// Says which groups run now. A pipe that is full is told the next time.
    pub(super) fn tell(&mut self, groups: impl Iterator<Item = Pid>) {
        let groups: Vec<Pid> = groups.collect();
        if groups == self.told {
            return;
        }
        let mut line: String = groups.iter().map(|group| format!("{} ", group.as_raw_nonzero())).collect();
        line.push('\n');
        if line.len() <= WHOLE && self.pipe.write(line.as_bytes()).is_ok() {
            self.told = groups;
        }
    }
}

/// Dismissed before its pipe closes, so that it does nothing.
impl Drop for Watchdog {
    fn drop(&mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
