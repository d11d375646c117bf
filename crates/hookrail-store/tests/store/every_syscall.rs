//! A process that is killed before any of its system calls, one after the other. `strace` does the killing: it stops the
//! worker at the n-th call of a kind and sends SIGKILL instead of letting it happen.

use crate::fixture::{Fixture, append, record, session};
use crate::worker::{Job, start};
use hookrail_store::{Note, SessionState, Store};
use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

const SIGKILL: i32 = 9;

/// One kind of work, what is there before it, and what must hold after it was interrupted.
struct Case {
    name: &'static str,
    prepare: fn(&Fixture),
    job: Job,
    check: fn(&Fixture, &str),
}

fn count(state: &mut SessionState) {
    *state.budgets.entry("calls".into()).or_default() += 1;
}

fn append_job(segment_bytes: u64) -> Job {
    Job::Append { name: "hook/killed".into(), times: 2, padding: 10, segment_bytes }
}

/// The old state or the new one, and the next process counts on from there.
fn check_session(fixture: &Fixture, what: &str) {
    let (store, shared) = (fixture.store(), session("shared"));
    let found = store.read(&shared).unwrap();
    let calls = found.state.budgets.get("calls").copied().unwrap_or_default();
    let before = u64::from(found.state.once.contains("before"));
    assert_eq!(found.recovered, None, "{what}");
    assert!((before..=before + 1).contains(&calls), "{what}: {calls}");
    let next = store.update(&shared, &mut count).unwrap();
    assert_eq!((next.recovered, next.state.budgets["calls"]), (None, calls + 1), "{what}");
    assert_eq!(fixture.names("sessions"), ["shared.json", "shared.lock"], "{what}");
}

/// Nothing that was there is lost, no check finds a fault, and the next record follows.
fn check_journal(fixture: &Fixture, what: &str) {
    let store = fixture.store();
    assert_eq!(store.verify().unwrap().problems, [], "{what}");
    let last = store.append(&record("hook/after")).unwrap().last;
    let report = store.verify().unwrap();
    assert_eq!(report.problems, [], "{what}");
    let pruned = report.notes.iter().find_map(|note| match note {
        Note::Pruned { last } => Some(*last),
        _ => None,
    });
    assert_eq!(report.sound, last - pruned.unwrap_or_default(), "{what}");
}

fn cases() -> Vec<Case> {
    let nothing: fn(&Fixture) = |_| {};
    vec![
        Case { name: "the first count", prepare: nothing, job: Job::Count { times: 1 }, check: check_session },
        Case {
            name: "another count",
            prepare: |fixture| {
                let first = &mut |state: &mut SessionState| {
                    count(state);
                    state.once.insert("before".to_owned());
                };
                fixture.store().update(&session("shared"), first).unwrap();
            },
            job: Job::Count { times: 1 },
            check: check_session,
        },
        Case { name: "the first records", prepare: nothing, job: append_job(u64::MAX), check: check_journal },
        Case { name: "more records", prepare: |at| at.append(3), job: append_job(u64::MAX), check: check_journal },
        Case { name: "records in new files", prepare: |at| at.append(3), job: append_job(1), check: check_journal },
        Case {
            name: "the repair of a torn line",
            prepare: |fixture| {
                fixture.append(2);
                let torn = [fs::read(fixture.segment(1)).unwrap(), b"{\"v\":1,".to_vec()].concat();
                fs::write(fixture.segment(1), torn).unwrap();
            },
            job: append_job(u64::MAX),
            check: check_journal,
        },
        Case {
            name: "the removal of old files",
            prepare: |fixture| {
                append(&fixture.store_of_small_files(), 4);
                for first in 1..4 {
                    File::open(fixture.segment(first))
                        .unwrap()
                        .set_modified(UNIX_EPOCH + Duration::from_secs(first))
                        .unwrap();
                }
            },
            job: Job::Prune,
            check: check_journal,
        },
    ]
}

#[test]
fn killing_a_process_before_any_system_call_leaves_the_old_or_the_new_and_is_healed() {
    if !can_trace() {
        eprintln!("passed over: strace cannot trace here");
        return;
    }
    for Case { name, prepare, job, check } in cases() {
        let calls = calls_of(&job, prepare);
        assert!(calls.len() > 8, "{name}: {calls:?}");
        let (moments, mut killed) = (calls.len(), 0);
        for (call, nth) in calls {
            let fixture = Fixture::new();
            prepare(&fixture);
            let inject = format!("inject={call}:signal=KILL:when={nth}");
            let what = format!("{name}, killed before {call} number {nth}");
            let output = start(&["strace", "-f", "-o", "/dev/null", "-e", &inject], &fixture.root(), &job);
            let status = output.wait_with_output().unwrap().status;
            // A runtime does not make the same calls each time, so a few moments may never come.
            let is_killed = status.signal() == Some(SIGKILL);
            assert!(is_killed || status.success(), "{what}: {status}");
            killed += usize::from(is_killed);
            check(&fixture, &what);
        }
        assert!(killed * 10 > moments * 9, "{name}: {killed} of {moments}");
    }
}

fn can_trace() -> bool {
    Command::new("strace").args(["-o", "/dev/null", "true"]).output().is_ok_and(|output| output.status.success())
}

/// The system calls of a job from the first one that names the state directory on: each by name, and which of that name in
/// its process it is.
fn calls_of(job: &Job, prepare: fn(&Fixture)) -> Vec<(String, usize)> {
    let fixture = Fixture::new();
    prepare(&fixture);
    let trace = fixture.root().with_file_name("trace");
    let wrapper = ["strace", "-f", "-o", trace.to_str().unwrap()];
    let output = start(&wrapper, &fixture.root(), job).wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let root = fixture.root().to_str().unwrap().to_owned();
    let text = fs::read_to_string(&trace).unwrap();
    let (mut seen, mut found, mut begun) = (HashMap::<(String, String), usize>::new(), Vec::new(), false);
    for line in text.lines() {
        let Some((process, rest)) = line.split_once(' ') else { continue };
        let Some((call, args)) = rest.trim_start().split_once('(') else { continue };
        if !call.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        let nth = seen.entry((process.to_owned(), call.to_owned())).or_default();
        *nth += 1;
        begun |= args.contains(&root) && call != "read";
        // The worker says that it is done; what the test harness does afterwards is not looked at.
        if begun && call == "write" && args.starts_with("1, \"ack ") && is_last_ack(&text, line) {
            break;
        }
        if begun {
            found.push((call.to_owned(), *nth));
        }
    }
    found
}

fn is_last_ack(text: &str, line: &str) -> bool {
    text.lines().rev().find(|other| other.contains("write(1, \"ack ")) == Some(line)
}
