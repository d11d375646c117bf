//! Many processes at once, and processes that die.

use crate::fixture::{Fixture, entries, record, session};
use crate::worker::{Job, acks, finish, start};
use hookrail_store::{FileStore, Note, Store};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A worker that says nothing for so long has stopped working.
const HANG: Duration = Duration::from_secs(120);

fn calls(store: &FileStore) -> u64 {
    store.read(&session("shared")).unwrap().state.budgets.get("calls").copied().unwrap_or_default()
}

fn append_job(name: impl Into<String>, times: u64, segment_bytes: u64) -> Job {
    Job::Append { name: name.into(), times, padding: 10, segment_bytes }
}

#[test]
fn processes_that_count_at_the_same_time_count_exactly() {
    for (processes, times) in [(64, 50), (256, 4)] {
        let fixture = Fixture::new();
        let job = Job::Count { times };
        let children: Vec<Child> = (0..processes).map(|_| start(&[], &fixture.root(), &job)).collect();
        finish(children);
        assert_eq!(calls(&fixture.store()), processes * times, "{processes} processes");
        assert_eq!(fixture.names("sessions"), ["shared.json", "shared.lock"]);
    }
}

#[test]
fn threads_that_share_a_store_count_exactly() {
    let fixture = Fixture::new();
    let store = fixture.store();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let count = &mut |state: &mut hookrail_store::SessionState| {
                        *state.budgets.entry("calls".into()).or_default() += 1;
                    };
                    store.update(&session("shared"), count).unwrap();
                    store.append(&record("hook/thread")).unwrap();
                }
            });
        }
    });
    assert_eq!(calls(&store), 200);
    assert_eq!(store.verify().unwrap().sound, 200);
}

#[test]
fn no_record_of_sixteen_processes_is_lost_or_mixed_up() {
    let fixture = Fixture::new();
    let jobs = (0..16).map(|number| append_job(format!("hook/{number}"), 200, 20_000));
    let children: Vec<Child> = jobs.map(|job| start(&[], &fixture.root(), &job)).collect();
    // While they write, a check finds nothing wrong.
    let store = fixture.store();
    for _ in 0..10 {
        let report = store.verify().unwrap();
        assert_eq!((report.problems, report.more_problems), (vec![], 0));
        thread::sleep(Duration::from_millis(20));
    }
    finish(children);

    let report = store.verify().unwrap();
    assert_eq!((report.sound, report.problems, report.notes), (3200, vec![], vec![]));
    assert!(report.files > 10, "{} files", report.files);
    let mut by_hook: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (index, entry) in (1..).zip(entries(&store)) {
        assert_eq!(entry.seq, index);
        by_hook.entry(entry.record.hook).or_default().push(entry.record.duration_us);
    }
    assert_eq!(by_hook.len(), 16);
    for (hook, numbers) in by_hook {
        assert_eq!(numbers, (0..200).collect::<Vec<u64>>(), "{hook}");
    }
}

/// Lets a worker confirm some steps and go on for a moment, kills it, and returns all that it confirmed.
fn kill(root: &Path, job: &Job, steps: usize, moment: Duration) -> Vec<u64> {
    let mut child = start(&[], root, job);
    let stdout = child.stdout.take().unwrap();
    let (tell, told) = mpsc::channel();
    let listener = thread::spawn(move || acks(stdout, |number| tell.send(number).unwrap()));
    let mut confirmed: Vec<u64> = (0..steps).map(|_| told.recv_timeout(HANG).unwrap()).collect();
    thread::sleep(moment);
    child.kill().unwrap();
    child.wait().unwrap();
    listener.join().unwrap();
    confirmed.extend(told.try_iter());
    confirmed
}

/// Forty moments that fall on different instructions of a step.
fn moments() -> impl Iterator<Item = Duration> {
    (0..40).map(|round| Duration::from_micros(round * 137))
}

#[test]
fn killing_writers_at_any_moment_loses_no_confirmed_record_and_breaks_no_chain() {
    let fixture = Fixture::new();
    let store = fixture.store();
    let mut newest = 0;
    for moment in moments() {
        let job = Job::Append { name: "hook/killed".into(), times: u64::MAX, padding: 4000, segment_bytes: 50_000 };
        let confirmed = *kill(&fixture.root(), &job, 1, moment).last().unwrap();
        assert_eq!(store.verify().unwrap().problems, [], "{moment:?}");
        newest = store.append(&record("hook/after")).unwrap().last;
        assert!(newest > confirmed, "{moment:?}: {confirmed} were confirmed, {newest} are there");
    }
    let report = store.verify().unwrap();
    assert_eq!((report.sound, report.problems), (newest, vec![]));
    assert!(report.notes.iter().all(|note| matches!(note, Note::SetAside { .. })), "{:?}", report.notes);
    assert_eq!(entries(&store).len() as u64, newest);
}

#[test]
fn killing_counters_at_any_moment_loses_at_most_what_was_not_confirmed() {
    let fixture = Fixture::new();
    let store = fixture.store();
    for moment in moments() {
        let confirmed = *kill(&fixture.root(), &Job::Count { times: u64::MAX }, 1, moment).last().unwrap();
        assert_eq!(store.read(&session("shared")).unwrap().recovered, None, "{moment:?}");
        let counted = calls(&store);
        assert!((confirmed..=confirmed + 1).contains(&counted), "{moment:?}: {confirmed} confirmed, {counted} counted");
    }
}

#[test]
fn killing_the_very_first_process_leaves_nothing_that_disturbs_the_next() {
    for round in 0..40 {
        let fixture = Fixture::new();
        let moment = Duration::from_micros(1000 + round * 200);
        for job in [append_job("hook/first", 2, 1), Job::Count { times: 2 }] {
            kill(&fixture.root(), &job, 0, moment);
        }
        let store = fixture.store();
        assert_eq!(store.verify().unwrap().problems, [], "{moment:?}");
        store.append(&record("hook/after")).unwrap();
        assert_eq!(store.verify().unwrap().problems, [], "{moment:?}");
        assert_eq!(store.read(&session("shared")).unwrap().recovered, None, "{moment:?}");
    }
}
