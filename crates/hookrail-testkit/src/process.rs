//! What a test needs to say about processes and time: is it alive, did it leave zombies, did this hang.

use std::any::Any;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Whether the process `pid` runs. A zombie does not: it has ended and only waits to be collected.
pub fn alive(pid: u32) -> bool {
    look_up(pid).is_some_and(|process| !process.has_ended)
}

/// The children of `pid` that have ended and were not waited for.
pub fn zombies_of(pid: u32) -> Vec<u32> {
    process_table()
        .into_iter()
        .filter(|process| process.parent == pid && process.has_ended)
        .map(|process| process.pid)
        .collect()
}

/// Asks again and again until `condition` holds (true) or `timeout` has passed (false).
pub fn wait_until(timeout: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        // The clock is read first, so that a condition slower than the timeout still gets its one full answer.
        let expired = start.elapsed() >= timeout;
        if condition() {
            return true;
        }
        if expired {
            return false;
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Runs `work` on a thread of its own and returns what it returns; a panic in it goes on in the caller.
///
/// # Panics
///
/// When `work` has not finished after `limit`. Its thread cannot be stopped and is left behind.
#[track_caller]
pub fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (report, outcome) = mpsc::channel::<Result<T, Box<dyn Any + Send>>>();
    thread::spawn(move || {
        // The receiver is gone when the limit has passed.
        let _ = report.send(panic::catch_unwind(AssertUnwindSafe(work)));
    });
    match outcome.recv_timeout(limit) {
        Ok(Ok(value)) => value,
        Ok(Err(panic)) => panic::resume_unwind(panic),
        Err(RecvTimeoutError::Timeout) => panic!("hangs: not finished within {limit:?}"),
        Err(RecvTimeoutError::Disconnected) => panic!("the watched thread ended without an outcome"),
    }
}

#[derive(Debug, PartialEq)]
struct Process {
    pid: u32,
    parent: u32,
    has_ended: bool,
}

fn look_up(pid: u32) -> Option<Process> {
    if cfg!(target_os = "linux") {
        parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    } else {
        run_ps(&["-p", &pid.to_string()]).pop()
    }
}

fn process_table() -> Vec<Process> {
    if !cfg!(target_os = "linux") {
        return run_ps(&["-A"]);
    }
    let entries = fs::read_dir("/proc").expect("/proc is readable");
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        // A process may end between the listing and the look.
        .filter_map(look_up)
        .collect()
}

/// Reads `pid (command) state parent …`. The command is the program's own choice and may hold spaces and brackets,
/// so the fields are counted from its last bracket.
fn parse_stat(stat: &str) -> Option<Process> {
    let (pid, _) = stat.split_once(' ')?;
    let (_, after_command) = stat.rsplit_once(')')?;
    let mut fields = after_command.split_whitespace();
    let state = fields.next()?;
    Some(Process { pid: pid.parse().ok()?, parent: fields.next()?.parse().ok()?, has_ended: has_ended(state) })
}

fn run_ps(selection: &[&str]) -> Vec<Process> {
    let columns = ["-o", "pid=", "-o", "ppid=", "-o", "stat="];
    let output = Command::new("ps").args(selection).args(columns).output().expect("`ps` runs");
    String::from_utf8_lossy(&output.stdout).lines().filter_map(parse_ps_line).collect()
}

fn parse_ps_line(line: &str) -> Option<Process> {
    let mut fields = line.split_whitespace();
    let pid = fields.next()?.parse().ok()?;
    let parent = fields.next()?.parse().ok()?;
    Some(Process { pid, parent, has_ended: has_ended(fields.next()?) })
}

fn has_ended(state: &str) -> bool {
    state.starts_with(['Z', 'X'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{self, Stdio};

    const HANG: Duration = Duration::from_secs(20);

    #[test]
    fn an_uncollected_child_is_dead_and_a_zombie_until_it_is_waited_for() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        assert!(alive(pid));
        assert!(!zombies_of(process::id()).contains(&pid));

        drop(child.stdin.take());
        assert!(wait_until(HANG, || !alive(pid)), "`cat` ends with its input");
        assert!(zombies_of(process::id()).contains(&pid));

        child.wait().unwrap();
        assert!(!alive(pid));
        assert!(!zombies_of(process::id()).contains(&pid));
    }

    #[test]
    fn ps_and_proc_tell_the_same() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let expected = Process { pid: child.id(), parent: process::id(), has_ended: false };
        assert_eq!(run_ps(&["-p", &child.id().to_string()]), [expected]);
        assert_eq!(look_up(child.id()), run_ps(&["-p", &child.id().to_string()]).pop());
        assert!(process_table().iter().any(|process| process.pid == child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(run_ps(&["-p", &child.id().to_string()]), []);
    }

    #[test]
    fn process_lines_are_read_whatever_the_command_is_called() {
        type Parser = fn(&str) -> Option<Process>;
        let (parse_stat, parse_ps_line): (Parser, Parser) = (parse_stat, parse_ps_line);
        let cases = [
            (parse_stat, "7 (cat) S 1 7 7 0", Some((7, 1, false))),
            (parse_stat, "7 (a) Z 1 (b) c) Z 3 7 7", Some((7, 3, true))),
            (parse_stat, "7 (cat) X 1 7", Some((7, 1, true))),
            (parse_stat, "7 (cat", None),
            (parse_ps_line, "  7     1 Ss+", Some((7, 1, false))),
            (parse_ps_line, "  7     1 Z", Some((7, 1, true))),
            (parse_ps_line, "  7     1", None),
            (parse_ps_line, "", None),
        ];
        for (parse, line, expected) in cases {
            let expected = expected.map(|(pid, parent, has_ended)| Process { pid, parent, has_ended });
            assert_eq!(parse(line), expected, "{line:?}");
        }
    }

    #[test]
    fn waiting_asks_until_the_condition_holds_and_at_least_once() {
        let mut asked = 0;
        assert!(wait_until(HANG, || {
            asked += 1;
            asked == 3
        }));
        assert_eq!(asked, 3);
        assert!(wait_until(Duration::ZERO, || true));
        assert!(!wait_until(Duration::from_millis(20), || false));
    }

    #[test]
    fn the_watchdog_hands_over_the_result() {
        assert_eq!(within(HANG, || 6 * 7), 42);
    }

    #[test]
    #[should_panic(expected = "hangs: not finished within 30ms")]
    fn the_watchdog_panics_when_the_work_hangs() {
        let (_keep_open, never) = mpsc::channel::<()>();
        within(Duration::from_millis(30), move || never.recv().is_ok());
    }

    #[test]
    #[should_panic(expected = "the work's own words")]
    fn the_watchdog_passes_on_a_panic_of_the_work() {
        within(HANG, || panic!("the work's own words"));
    }
}
