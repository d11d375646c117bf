//! Deadlines and cancels: how a command is ended, and what is kept of it.

use crate::scene::{HANG, check, hook, hurried, impatient, patient, run, run_many};
use hookrail_engine::runner::process::{CancelToken, Exit, Limits, ProcessSpec};
use hookrail_testkit::process::wait_until;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// Cancels as soon as the file exists.
fn cancel_when_exists(file: &Path) -> CancelToken {
    let (token, file) = (CancelToken::new(), file.to_owned());
    let clone = token.clone();
    std::thread::spawn(move || {
        wait_until(HANG, || file.exists());
        clone.cancel();
    });
    token
}

#[test]
fn a_command_is_asked_to_end_at_its_deadline_and_what_it_printed_is_kept() {
    // covers: HOOK-117
    // The shell remarks on the end of each `sleep`, which is not the subject.
    let loops = "while :; do sleep 0.02; done 2>/dev/null";
    let cases = [
        // Whatever it answers to SIGTERM, it is timed out.
        (format!("echo begun; echo note >&2; trap 'echo asked; exit 0' TERM; {loops}"), "begun\nasked\n", "note\n"),
        (format!("exec 3>&2; echo begun; trap 'echo asked >&3; exit 2' TERM; {loops}"), "begun\n", "asked\n"),
        ("printf begun; exec sleep 120".to_owned(), "begun", ""),
        ("printf begun; sleep 120; echo never".to_owned(), "begun", ""),
        // A stopped process hears nothing until it goes on.
        ("echo begun; kill -STOP $$; echo never".to_owned(), "begun\n", ""),
    ];
    for (command, stdout, stderr) in cases {
        check(hurried(command, 800), patient(), &Exit::TimedOut, stdout, stderr);
    }
}

#[test]
fn a_command_that_will_not_end_is_killed_five_seconds_later() {
    // covers: HOOK-117 HOOK-118
    let stubborn = "trap 'echo asked' TERM; while :; do sleep 0.02; done";
    let deadline = Duration::from_millis(800);
    let outcome = run(ProcessSpec { timeout: deadline, ..hook(stubborn) }, Limits::default());
    assert_eq!((outcome.exit, outcome.stdout.text.as_str()), (Exit::TimedOut, "asked\n"));
    let grace = Duration::from_secs(5);
    assert!(outcome.duration >= deadline + grace, "killed early, after {:?}", outcome.duration);
    // 0.2 s are promised; a loaded machine gets another second.
    assert!(
        outcome.duration < deadline + grace + Duration::from_millis(1200),
        "killed late, after {:?}",
        outcome.duration
    );
}

#[test]
fn a_command_that_ignores_the_question_is_killed_after_the_grace() {
    // covers: HOOK-118
    for command in ["trap '' TERM; echo begun; sleep 120; sleep 120", "trap '' TERM; echo begun; exec sleep 120"] {
        check(hurried(command, 800), impatient(), &Exit::TimedOut, "begun\n", "");
    }
}

#[test]
fn every_command_has_its_own_deadline() {
    let specs = vec![hurried("sleep 120", 300), hook("sleep 1; echo unhurried"), hurried("echo quick", 20_000)];
    let outcomes = run_many(specs, patient(), CancelToken::new());
    let seen: Vec<_> = outcomes.iter().map(|outcome| (outcome.exit.clone(), outcome.stdout.text.as_str())).collect();
    assert_eq!(seen, [(Exit::TimedOut, ""), (Exit::Code(0), "unhurried\n"), (Exit::Code(0), "quick\n")]);
}

#[test]
fn a_deadline_beyond_all_time_is_none() {
    let spec = ProcessSpec { timeout: Duration::MAX, ..hook("echo in time") };
    let limits = Limits { grace: Duration::MAX, drain: Duration::MAX, ..Limits::default() };
    check(spec, limits, &Exit::Code(0), "in time\n", "");
    check(ProcessSpec { timeout: Duration::ZERO, ..hook("sleep 120") }, patient(), &Exit::TimedOut, "", "");
}

#[test]
fn a_cancel_kills_at_once_and_keeps_what_was_printed() {
    let folder = TempDir::new().unwrap();
    let begun = folder.path().join("begun");
    let cancel = cancel_when_exists(&begun);
    let slow = format!("echo begun; echo note >&2; trap '' TERM; touch '{}'; sleep 120; sleep 120", begun.display());
    let outcomes = run_many(vec![hook(slow), hook("sleep 120")], patient(), cancel);
    assert_eq!((&outcomes[0].exit, &outcomes[1].exit), (&Exit::Cancelled, &Exit::Cancelled));
    assert_eq!((outcomes[0].stdout.text.as_str(), outcomes[0].stderr.text.as_str()), ("begun\n", "note\n"));
}

#[test]
fn a_cancel_does_not_wait_for_a_grace_to_end() {
    let folder = TempDir::new().unwrap();
    let asked = folder.path().join("asked");
    let command = format!("trap \"touch '{}'\" TERM; while :; do sleep 0.02; done", asked.display());
    let outcomes = run_many(vec![hurried(command, 500)], patient(), cancel_when_exists(&asked));
    assert_eq!(outcomes[0].exit, Exit::TimedOut, "its deadline had passed first");
}

#[test]
fn nothing_starts_under_a_cancelled_token() {
    let folder = TempDir::new().unwrap();
    let token = CancelToken::new();
    token.cancel();
    let spec = ProcessSpec { cwd: folder.path().to_owned(), ..hook("touch started") };
    let outcomes = run_many(vec![spec; 3], Limits::default(), token.clone());
    for outcome in &outcomes {
        assert_eq!((&outcome.exit, outcome.duration), (&Exit::Cancelled, Duration::ZERO));
    }
    assert_eq!((outcomes.len(), folder.path().read_dir().unwrap().count()), (3, 0));
    assert!(token.is_cancelled());
}
