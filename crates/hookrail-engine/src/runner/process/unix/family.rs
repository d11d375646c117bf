//! The processes a command brought into being, also those that left its process group.

use super::mark::ProcessTag;
use super::process_table::{ProcessEntry, ProcessTable};
use rustix::process::{Pid, Signal};
use std::collections::HashSet;
use std::io;

/// All processes found so far, except the leader.
#[derive(Debug)]
pub(super) struct Family {
    leader: Pid,
    mark: ProcessTag,
    members: Vec<Member>,
}

/// One process of the family, named so that it cannot be mistaken for a later one of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pid: Pid,
    started: u64,
    pub(super) in_group: bool,
}

impl Family {
    pub(super) fn new(leader: Pid, mark: ProcessTag) -> Self {
        Self { leader, mark, members: Vec::new() }
    }

    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    pub(super) fn is_gone(&self) -> bool {
        self.members.iter().all(Member::is_gone)
    }

    /// Takes in who is alive in the table and was not known before; returns them.
    pub(super) fn meet(&mut self, table: &ProcessTable) -> Vec<Member> {
        let relatives = self.relatives(table);
        let newcomers: Vec<Member> = table
            .entries
            .iter()
            .filter(|entry| entry.is_alive && entry.pid != self.leader && relatives.contains(&entry.pid.as_raw_pid()))
            .map(|entry| self.member(entry))
            .filter(|member| !self.members.contains(member))
            .collect();
        self.members.extend(&newcomers);
        newcomers
    }

    /// The numbers of the leader, of its group, of all that carry the mark, of those met before, and of all their descendants.
    fn relatives(&self, table: &ProcessTable) -> HashSet<i32> {
        let led = |entry: &ProcessEntry| entry.pid == self.leader || entry.group == self.leader.as_raw_pid();
        // Reaped by someone else's `wait`, the leader may already have a stranger's face.
        let has_leader = table.entries.iter().any(|entry| entry.pid == self.leader && entry.parent == table.own);
        let known = |entry: &ProcessEntry| self.members.iter().any(|member| member.is(entry));
        let marked = |entry: &ProcessEntry| entry.mark.as_ref().is_some_and(|value| self.mark.is_in(value));
        let mut relatives: HashSet<i32> = table
            .entries
            .iter()
            .filter(|entry| (has_leader && led(entry)) || marked(entry) || known(entry))
            .map(|entry| entry.pid.as_raw_pid())
            .collect();
        let mut count = 0;
        while count != relatives.len() {
            count = relatives.len();
            for entry in &table.entries {
                if relatives.contains(&entry.parent) {
                    relatives.insert(entry.pid.as_raw_pid());
                }
            }
        }
        relatives
    }

    fn member(&self, entry: &ProcessEntry) -> Member {
        Member { pid: entry.pid, started: entry.started, in_group: entry.group == self.leader.as_raw_pid() }
    }
}

impl Member {
    fn is(&self, entry: &ProcessEntry) -> bool {
        self.pid == entry.pid && self.started == entry.started
    }

    /// Whether the process certainly ended. One that cannot be looked at counts as alive.
    fn is_gone(&self) -> bool {
        match ProcessEntry::read(self.pid) {
            Ok(entry) => !entry.is_alive || !self.is(&entry),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Signals this very process, or none.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn signal(&self, signal: Signal) {
        use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};
        // Opened before the look: what is seen alive after that is what the handle means.
        let handle = pidfd_open(self.pid, PidfdFlags::empty());
        if !self.is_gone() {
            let _ = match handle {
                Ok(handle) => pidfd_send_signal(handle, signal),
                Err(_) => kill_process(self.pid, signal),
            };
        }
    }

    /// Without a process table there are no members.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn signal(&self, _signal: Signal) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pid: i32, parent: i32, group: i32, mark: Option<&[u8]>) -> ProcessEntry {
        let pid = Pid::from_raw(pid).unwrap();
        ProcessEntry { pid, parent, group, started: 100, is_alive: true, mark: mark.map(<[u8]>::to_vec) }
    }

    fn met(family: &mut Family, table: &ProcessTable) -> Vec<i32> {
        family.meet(table).iter().map(|member| member.pid.as_raw_pid()).collect()
    }

    #[test]
    fn the_family_is_the_group_the_marked_and_their_descendants() {
        let mark = ProcessTag::new();
        let value = mark.value(None).into_encoded_bytes();
        let value = Some(value.as_slice());
        let mut family = Family::new(Pid::from_raw(10).unwrap(), mark);
        let mut table = ProcessTable {
            own: 5,
            entries: vec![
                entry(23, 22, 20, None),
                entry(1, 0, 1, None),
                entry(5, 1, 5, Some(b"someone-else")),
                entry(10, 5, 10, value),
                entry(11, 1, 10, None),
                entry(20, 1, 20, value),
                entry(21, 10, 21, None),
                entry(22, 21, 20, None),
                entry(30, 5, 30, None),
                ProcessEntry { is_alive: false, ..entry(31, 10, 10, value) },
            ],
        };
        assert_eq!(met(&mut family, &table), [23, 11, 20, 21, 22]);
        assert_eq!(met(&mut family, &table), [] as [i32; 0], "no process is met twice");

        // The child of a member that lost its parent, its group and its mark is still known by what was known before.
        table.entries.retain(|entry| entry.pid.as_raw_pid() == 22);
        table.entries.push(entry(40, 22, 40, None));
        // Strangers under the number of the leader or of a member that ended are not relatives.
        table.entries.push(entry(10, 1, 10, None));
        table.entries.push(ProcessEntry { started: 200, ..entry(21, 1, 21, None) });
        assert_eq!(met(&mut family, &table), [40]);
    }
}
