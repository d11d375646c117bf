//! A disk without room: a limit on the size of files does the same to a process.

use crate::fixture::{Fixture, entries, record, session};
use crate::worker::{Job, acks, start};
use hookrail_store::{Note, Recovery, SessionState, Store};
use std::fs;

/// Eight blocks, which a shell counts as 512 or 1024 bytes.
const LIMIT: &str = "ulimit -f 8; ";
const RUN: &str = r#"exec "$0" "$@""#;

/// Runs a worker that meets the limit: as an error, or as the signal that kills it in the middle of a write.
fn run_with_limit(fixture: &Fixture, job: &Job, dies: bool) -> (Vec<u64>, String) {
    let ignore = if dies { "" } else { "trap '' XFSZ; " };
    let mut child = start(&["sh", "-c", &format!("{ignore}{LIMIT}{RUN}")], &fixture.root(), job);
    let mut confirmed = Vec::new();
    acks(child.stdout.take().unwrap(), |number| confirmed.push(number));
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success(), "the limit was not reached");
    assert_eq!(output.status.code().is_none(), dies, "{output:?}");
    (confirmed, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn endless() -> Job {
    Job::Append { name: "hook/full".into(), times: u64::MAX, padding: 100, segment_bytes: u64::MAX }
}

#[test]
fn a_record_that_does_not_fit_is_an_error_and_leaves_no_trace() {
    let fixture = Fixture::new();
    let (confirmed, stderr) = run_with_limit(&fixture, &endless(), false);
    assert!(stderr.contains("append to") && stderr.contains("000000000001.jsonl"), "{stderr}");
    let report = fixture.store().verify().unwrap();
    assert_eq!((report.problems, report.notes), (vec![], vec![]));
    assert_eq!(report.sound, *confirmed.last().unwrap());
    assert!(report.sound > 3);
    assert_eq!(fixture.store().append(&record("hook/after")).unwrap().recovered, []);
}

#[test]
fn a_process_killed_in_the_middle_of_a_line_costs_that_line_only() {
    let fixture = Fixture::new();
    let (confirmed, _) = run_with_limit(&fixture, &endless(), true);
    let confirmed = *confirmed.last().unwrap();
    let report = fixture.store().verify().unwrap();
    assert_eq!((report.sound, report.problems), (confirmed, vec![]));
    assert!(matches!(report.notes.as_slice(), [Note::Torn { .. }]), "{:?}", report.notes);
    let recovered = fixture.store().append(&record("hook/after")).unwrap().recovered;
    assert!(matches!(recovered.as_slice(), [Recovery::Torn { .. }]), "{recovered:?}");
    assert_eq!(fixture.store().verify().unwrap().problems, []);
    assert_eq!(entries(&fixture.store()).len() as u64, confirmed + 2);
}

#[test]
fn a_state_that_does_not_fit_leaves_the_old_one() {
    for dies in [false, true] {
        let fixture = Fixture::new();
        let store = fixture.store();
        let mut remember = |state: &mut SessionState| state.once.extend(["kept".to_owned()]);
        let before = store.update(&session("shared"), &mut remember).unwrap().state;
        let bytes = fs::read(fixture.path("sessions/shared.json")).unwrap();
        let (confirmed, stderr) = run_with_limit(&fixture, &Job::Remember { bytes: 20_000 }, dies);
        assert_eq!(confirmed, [0; 0]);
        assert_eq!(stderr.contains("DiskFull"), !dies, "{stderr}");
        assert_eq!(fs::read(fixture.path("sessions/shared.json")).unwrap(), bytes);
        let left: &[&str] =
            if dies { &["shared.draft", "shared.json", "shared.lock"] } else { &["shared.json", "shared.lock"] };
        assert_eq!(fixture.names("sessions"), left);
        let after = store.update(&session("shared"), &mut |state| state.once.extend(["more".to_owned()])).unwrap();
        assert_eq!(after.recovered, None);
        assert!(after.state.once.is_superset(&before.once) && after.state.once.len() == 2);
        assert_eq!(fixture.names("sessions"), ["shared.json", "shared.lock"]);
    }
}
