//! The other processes: this test program, started again with one thing to do.

use crate::fixture::{record, session, store_at};
use hookrail_store::{Retention, Store};
use serde::{Deserialize, Serialize};
use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// What a worker does. It says `ack <number>` after each completed step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Job {
    /// Counts in the session `shared`.
    Count { times: u64 },
    /// Appends records of the hook `name`; `padding` makes them longer.
    Append { name: String, times: u64, padding: usize, segment_bytes: u64 },
    /// Puts a text of this length into the session `shared`.
    Remember { bytes: usize },
    /// Removes every file of the journal that is old.
    Prune,
}

#[derive(Debug, Serialize, Deserialize)]
struct Order {
    root: String,
    job: Job,
}

const ENTRY: [&str; 5] = ["--exact", "worker::work", "--ignored", "--nocapture", "--test-threads=1"];

/// Starts a worker, through `wrapper` if it needs special conditions.
pub fn start(wrapper: &[&str], root: &Path, job: &Job) -> Child {
    let exe = env::current_exe().unwrap();
    let mut command = match wrapper.split_first() {
        Some((program, args)) => {
            let mut command = Command::new(program);
            command.args(args).arg(&exe);
            command
        }
        None => Command::new(&exe),
    };
    let mut child =
        command.args(ENTRY).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let order = Order { root: root.to_str().unwrap().to_owned(), job: job.clone() };
    // A worker that is killed before it reads this tells so by how it ends.
    let _ = child.stdin.take().unwrap().write_all(serde_json::to_string(&order).unwrap().as_bytes());
    child
}

/// Waits for workers and checks that all went well.
#[track_caller]
pub fn finish(children: Vec<Child>) {
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Hands over the numbers that a worker confirms until it ends.
pub fn acks(stdout: ChildStdout, mut hear: impl FnMut(u64)) {
    let mut lines = BufReader::new(stdout);
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap() > 0 {
        // A killed worker may not have finished its last line. The test harness talks here, too.
        let number = line.strip_suffix('\n').and_then(|line| line.rsplit_once("ack ")?.1.parse().ok());
        number.into_iter().for_each(&mut hear);
        line.clear();
    }
}

fn ack(number: u64) {
    io::stdout().write_all(format!("ack {number}\n").as_bytes()).unwrap();
    io::stdout().flush().unwrap();
}

#[test]
#[ignore = "the part of another process in the tests around it"]
fn work() {
    let mut order = String::new();
    io::stdin().read_to_string(&mut order).unwrap();
    let Order { root, job } = serde_json::from_str(&order).expect("an order on stdin");
    let store = store_at(Path::new(&root), crate::fixture::NOW);
    match job {
        Job::Count { times } => {
            for _ in 0..times {
                let updated = store.update(&session("shared"), &mut |state| {
                    *state.budgets.entry("calls".into()).or_default() += 1;
                });
                ack(updated.unwrap().state.budgets["calls"]);
            }
        }
        Job::Append { name, times, padding, segment_bytes } => {
            let store = store.with_segment_bytes(segment_bytes);
            let mut record = record(&name);
            record.reason = Some("x".repeat(padding));
            for number in 0..times {
                record.duration_us = number;
                ack(store.append(&record).unwrap().last);
            }
        }
        Job::Prune => {
            let retention = Retention { journal: Some(Duration::from_secs(1)), ..Retention::default() };
            assert!(store.prune(&retention).unwrap().failed.is_empty());
            ack(0);
        }
        Job::Remember { bytes } => {
            let text = "x".repeat(bytes);
            let updated = store.update(&session("shared"), &mut |state| {
                state.values.insert("text".into(), text.as_str().into());
            });
            updated.unwrap();
            ack(0);
        }
    }
}
