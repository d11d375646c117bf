//! The fallbacks: everything must also be right where there is no pidfd, or no `/proc`, or neither. And shortcuts must not be seen.

use super::super::{CancelToken, Exit, Limits, ProcessOutcome, ProcessSpec, Program, Stdin};
use super::{Run, Source, Watch, handicap, run_all};
use hookrail_testkit::process::within;
use rustix::event::PollFlags;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longer than the watchdog waits.
const FOREVER: Duration = Duration::from_secs(60);

fn hook(command: &str, timeout: Duration) -> ProcessSpec {
    ProcessSpec {
        command: command.to_owned(),
        program: Program::default(),
        cwd: "/".into(),
        env: Vec::new(),
        stdin: Stdin::from(*b"in"),
        timeout,
        inherited: Vec::new(),
    }
}

/// Runs `specs` four times, each time with other parts of the system missing.
fn run_handicapped<C>(specs: Vec<ProcessSpec>, limits: Limits, cancel: C) -> Vec<Vec<ProcessOutcome>>
where
    C: Fn() -> CancelToken + Send + 'static,
{
    let run = move |without_pidfd, without_proc| {
        handicap::WITHOUT_PIDFD.set(without_pidfd);
        handicap::WITHOUT_PROC.set(without_proc);
        run_all(&specs, &limits, &cancel(), &|| {})
    };
    let handicaps = [(false, false), (true, false), (false, true), (true, true)];
    within(FOREVER / 2, move || handicaps.map(|(pidfd, proc)| run(pidfd, proc)).into())
}

#[test]
fn a_command_that_ends_is_understood_on_every_system() {
    let specs = vec![hook("cat; exit 3", FOREVER), hook("kill -KILL $$", FOREVER), hook("sleep 60 & echo $!", FOREVER)];
    for outcomes in run_handicapped(specs, Limits::default(), CancelToken::new) {
        assert_eq!((&outcomes[0].exit, outcomes[0].stdout.text.as_str()), (&Exit::Code(3), "in"));
        assert_eq!(outcomes[1].exit, Exit::Signal(9));
        assert_eq!(outcomes[2].exit, Exit::Code(0));
        let helper = rustix::process::Pid::from_raw(outcomes[2].stdout.text.trim().parse().unwrap()).unwrap();
        rustix::process::kill_process(helper, rustix::process::Signal::KILL).expect("the helper was left alive");
    }
}

#[test]
fn a_command_that_does_not_end_is_ended_on_every_system() {
    let moment = Duration::from_millis(100);
    let limits = Limits { grace: moment, ..Limits::default() };
    let specs = vec![
        hook("echo a; sleep 60 & sleep 60", moment),
        hook("trap '' TERM; echo b; sleep 60 & sleep 60", moment),
        hook("echo c; exec >&- 2>&-; sleep 60 & sleep 60", moment),
    ];
    for outcomes in run_handicapped(specs, limits, CancelToken::new) {
        for (outcome, text) in outcomes.iter().zip(["a\n", "b\n", "c\n"]) {
            assert_eq!((&outcome.exit, outcome.stdout.text.as_str()), (&Exit::TimedOut, text));
        }
    }
}

#[test]
fn a_cancel_is_heard_on_every_system() {
    let cancel_soon = || {
        let token = CancelToken::new();
        let clone = token.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            clone.cancel();
        });
        token
    };
    let specs = vec![hook("sleep 60 & sleep 60", FOREVER)];
    for outcomes in run_handicapped(specs, Limits::default(), cancel_soon) {
        assert_eq!(outcomes[0].exit, Exit::Cancelled);
    }
}

#[test]
fn each_variable_reaches_a_command_once_and_the_last_value_counts() {
    let env = [("TWICE", "first"), ("HOME", "/other"), ("TWICE", "last=1"), ("EMPTY", "")];
    let env = env.map(|(name, value)| (name.into(), value.into())).to_vec();
    let by_shell = ProcessSpec { env, ..hook("env", FOREVER) };
    let by_name = ProcessSpec { program: Program::Executable(Vec::new()), ..by_shell.clone() };
    for outcome in run_all(&[by_shell, by_name], &Limits::default(), &CancelToken::new(), &|| {}) {
        let text = &outcome.stdout.text;
        // The last one is inherited: cargo sets it when it runs a test.
        let expected =
            [("TWICE", "last=1"), ("HOME", "/other"), ("EMPTY", ""), ("CARGO_PKG_NAME", env!("CARGO_PKG_NAME"))];
        for (name, value) in expected {
            let values: Vec<&str> =
                text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('=')).collect();
            assert_eq!(values, [value], "{name} in {text}");
        }
    }
}

#[test]
fn only_commands_that_still_run_are_watched() {
    let (limits, cancel) = (Limits::default(), CancelToken::new());
    for (command, is_watched) in [("true", false), ("sleep 60", true)] {
        let specs = [hook(command, Duration::from_millis(100))];
        let mut run = Run::new(&specs, &limits, &cancel);
        run.start_waiting();
        // As on a machine that was busy with other programs since the command was started.
        while !is_watched && !run.poll().iter().any(|(_, source, _)| matches!(source, Source::Stdout)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        run.watch = Watch::From(Instant::now());
        run.turn();
        assert_eq!(run.watchdog.is_some(), is_watched, "{command}");
        while run.turn() {}
    }
}

#[test]
fn input_is_made_for_commands_that_may_read_it_and_for_no_others() {
    for (command, reads) in [("true", false), ("exec <&-; sleep 0.2", false), ("cat; sleep 0.2", true)] {
        let made = Arc::new(AtomicBool::new(false));
        let stdin = {
            let made = Arc::clone(&made);
            Stdin::made_by(move || {
                made.store(true, Ordering::Relaxed);
                Arc::from(*b"in")
            })
        };
        let specs = [ProcessSpec { stdin, ..hook(command, FOREVER) }];
        let (limits, cancel) = (Limits::default(), CancelToken::new());
        let mut run = Run::new(&specs, &limits, &cancel);
        run.start_waiting();
        // Until the command has come so far that nothing reads its input any more.
        while !reads && !run.poll().iter().any(|(.., news)| news.contains(PollFlags::ERR)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        while run.turn() {}
        let outcomes = run.into_outcomes();
        assert_eq!(outcomes[0].exit, Exit::Code(0), "{command}");
        assert_eq!(
            (made.load(Ordering::Relaxed), outcomes[0].stdout.text.as_str()),
            (reads, if reads { "in" } else { "" })
        );
    }
}
