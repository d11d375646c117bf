//! The mark every process of a command carries in its environment, and the one thing it cannot lose by leaving the process group.

use super::super::RUN_MARK;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};

/// Stands between the marks of nested runs.
const SEPARATOR: u8 = b',';

/// One command of one run: a number of 64 bits by chance, so that no two that could be alive together are equal, also across programs
/// and reboots of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessTag(String);

impl ProcessTag {
    pub(super) fn new() -> Self {
        // Each has keys of its own.
        Self(RandomState::new().hash_one(()).to_string())
    }

    /// The value of the variable: the marks of the runs around this one, then its own.
    pub(super) fn value(&self, around: Option<&OsStr>) -> OsString {
        let mut value = around.map(OsStr::to_os_string).unwrap_or_default();
        if !value.is_empty() {
            value.push(",");
        }
        value.push(&self.0);
        value
    }

    /// Whether a process that carries `value` belongs to this command, directly or through a run inside it.
    pub(super) fn is_in(&self, value: &[u8]) -> bool {
        value.split(|byte| *byte == SEPARATOR).any(|mark| mark == self.0.as_bytes())
    }
}

/// The marks of the runs this program is itself part of.
#[expect(
    clippy::disallowed_methods,
    reason = "the runner is the rim: what it passes on is this very process's variable"
)]
pub(super) fn around() -> Option<OsString> {
    std::env::var_os(RUN_MARK)
}

/// The value of the variable in an environment as the system shows it: `NAME=value` entries, each ended by NUL.
pub(super) fn find(environment: &[u8]) -> Option<&[u8]> {
    environment.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(RUN_MARK.as_bytes())?.strip_prefix(b"="))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_mark_is_found_in_the_environment_of_its_own_processes_and_of_runs_inside_it() {
        let (mine, other) = (ProcessTag::new(), ProcessTag::new());
        assert_ne!(mine, other);
        let own = mine.value(None);
        let inner = other.value(Some(&own));
        let cases = [
            (mine.value(None), true, false),
            (mine.value(Some(OsStr::new(""))), true, false),
            (other.value(None), false, true),
            (inner, true, true),
            (OsString::from(format!("{}0", mine.0)), false, false),
            (OsString::from("a,,b"), false, false),
        ];
        for (value, is_mine, is_other) in cases {
            let environment = [b"A=1\0XHOOKRAIL_RUN=no\0HOOKRAIL_RUN=", value.as_bytes(), b"\0B=2\0"].concat();
            let found = find(&environment).unwrap();
            assert_eq!((mine.is_in(found), other.is_in(found)), (is_mine, is_other), "{value:?}");
        }
        assert_eq!(find(b"A=1\0HOOKRAIL_RUNNER=2\0"), None);
        assert_eq!(find(b""), None);
    }
}
