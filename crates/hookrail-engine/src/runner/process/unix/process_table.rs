//! Who runs on this machine, as `/proc` of Linux tells it. Elsewhere there is no table, and the callers make do without.

use super::mark;
use rustix::process::Pid;
use std::fs;
use std::io;

/// The processes of one moment.
#[derive(Debug)]
pub(super) struct ProcessTable {
    /// The number of this very process.
    pub(super) own: i32,
    pub(super) entries: Vec<ProcessEntry>,
}

/// One process. The number alone does not name it for long, the number with the time of its start does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessEntry {
    pub(super) pid: Pid,
    /// Zero for those that have no parent here.
    pub(super) parent: i32,
    pub(super) group: i32,
    /// In ticks since the machine started.
    pub(super) started: u64,
    /// False for a process that ended and only waits to be reaped.
    pub(super) is_alive: bool,
    /// The value of the run's variable in its environment.
    pub(super) mark: Option<Vec<u8>>,
}

impl ProcessTable {
    pub(super) fn read() -> Option<Self> {
        #[cfg(test)]
        if super::handicap::WITHOUT_PROC.get() {
            return None;
        }
        let own = this_process()?;
        let numbers = fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let mut entries: Vec<ProcessEntry> =
            numbers.filter_map(|number| ProcessEntry::read(Pid::from_raw(number)?).ok()).collect();
        // Nothing older than our eldest child can descend from any of our children, so most environments need not be read.
        let eldest = entries.iter().filter(|entry| entry.parent == own).map(|entry| entry.started).min().unwrap_or(0);
        for entry in entries.iter_mut().filter(|entry| entry.started >= eldest) {
            entry.mark = read_mark(entry.pid);
        }
        Some(Self { own, entries })
    }
}

impl ProcessEntry {
    /// The process of this number, without its mark. `NotFound` means that there is none.
    pub(super) fn read(pid: Pid) -> io::Result<Self> {
        let line = fs::read(format!("/proc/{}/stat", pid.as_raw_pid())).map_err(|error| {
            // The answer when the process ends between opening the file and reading it.
            let gone = rustix::io::Errno::from_io_error(&error) == Some(rustix::io::Errno::SRCH);
            if gone { io::ErrorKind::NotFound.into() } else { error }
        })?;
        Self::parse(pid, &line).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Reads a line of the form `12 (name) S 1 12 12 …`. The name may itself contain spaces and parentheses.
    fn parse(pid: Pid, line: &[u8]) -> Option<Self> {
        let after_name = line.iter().rposition(|byte| *byte == b')')? + 1;
        let mut fields = str::from_utf8(line.get(after_name..)?).ok()?.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let threads: u32 = fields.nth(14)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        // A process whose first thread ended looks like a dead one while its other threads go on.
        let is_alive = !matches!(state, "Z" | "X" | "x") || threads > 1;
        Some(Self { pid, parent, group, started, is_alive, mark: None })
    }
}

/// Our own number in the table, if the table is that of our world: `/proc` of another container would name strangers.
fn this_process() -> Option<i32> {
    let own = i32::try_from(std::process::id()).ok()?;
    let listed: i32 = fs::read_link("/proc/self").ok()?.to_str()?.parse().ok()?;
    (listed == own).then_some(own)
}

/// Processes of other users do not show their environment. They could not be signalled either.
fn read_mark(pid: Pid) -> Option<Vec<u8>> {
    let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_pid())).ok()?;
    mark::find(&environment).map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pid: i32, parent: i32, group: i32, started: u64, is_alive: bool) -> ProcessEntry {
        ProcessEntry { pid: Pid::from_raw(pid).unwrap(), parent, group, started, is_alive, mark: None }
    }

    #[test]
    fn a_line_of_the_table_is_read_whatever_the_process_is_called() {
        let tail = "34816 7 4194304 90 0 0 0 1 2 3 4 20 0";
        let cases = [
            (format!("7 (sh) S 1 5 5 {tail} 1 0 99 0 0"), Some(entry(7, 1, 5, 99, true))),
            (format!("7 (a) Z 1 (b\n c) R 2 6 5 {tail} 1 0 99 0 0"), Some(entry(7, 2, 6, 99, true))),
            (format!("7 (sh) Z 1 5 5 {tail} 1 0 99 0 0"), Some(entry(7, 1, 5, 99, false))),
            (format!("7 (sh) X 0 -1 -1 {tail} 0 0 99 0 0"), Some(entry(7, 0, -1, 99, false))),
            (format!("7 (sh) Z 1 5 5 {tail} 3 0 99 0 0"), Some(entry(7, 1, 5, 99, true))),
            ("7 (sh) S 1 5".to_owned(), None),
            ("7 sh S 1 5 5".to_owned(), None),
            (String::new(), None),
        ];
        for (line, expected) in cases {
            assert_eq!(ProcessEntry::parse(Pid::from_raw(7).unwrap(), line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_table_of_this_machine_has_this_process_in_it() {
        let own = this_process().unwrap();
        let found = ProcessEntry::read(Pid::from_raw(own).unwrap()).unwrap();
        assert!(found.is_alive && found.pid.as_raw_pid() == own && found.started > 0, "{found:?}");
        let missing = ProcessEntry::read(Pid::from_raw(i32::MAX).unwrap()).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
