//! Many hooks at once, few descriptors, and nothing left behind in the process that runs them.

use crate::scene::{HANG, hook, hurried, run_many};
use hookrail_engine::runner::process::{CancelToken, Exit, Limits, ProcessSpec, run_all};
use hookrail_testkit::process::{alive, wait_until, within, zombies_of};
use rustix::io::Errno;
use rustix::process::{WaitId, WaitIdOptions, waitid};
use std::process::Command;
use std::time::Duration;

/// Runs another test of this file in a process of its own, after a line of shell.
#[track_caller]
fn run_apart(preparation: &'static str, test: &'static str) {
    let output = within(HANG, move || {
        let program = std::env::current_exe().unwrap();
        let script = format!("{preparation}\nexec \"$0\" \"$@\"");
        let arguments = ["--exact", test, "--include-ignored", "--nocapture"];
        Command::new("sh").args(["-c", &script]).arg(program).args(arguments).output().unwrap()
    });
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && stdout.contains("1 passed"), "{preparation}:\n{stdout}\n{stderr}");
}

#[test]
fn two_hundred_hooks_run_at_once() {
    let spec = |number: usize| ProcessSpec {
        stdin: number.to_string().into_bytes().into(),
        ..hook("cat; echo \" $$\"; sleep 0.05")
    };
    let outcomes = run_many((0..200).map(spec).collect(), Limits::default(), CancelToken::new());
    assert_eq!(outcomes.len(), 200);
    let mut pids = Vec::new();
    for (number, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome.exit, Exit::Code(0), "hook {number}: {outcome:?}");
        let (input, pid) = outcome.stdout.text.trim().split_once(' ').unwrap();
        assert_eq!(input, number.to_string());
        pids.push(pid.parse::<u32>().unwrap());
    }
    let zombies = zombies_of(std::process::id());
    assert!(!zombies.iter().any(|zombie| pids.contains(zombie)), "{zombies:?} of {pids:?}");
}

#[test]
fn two_hundred_hooks_run_with_descriptors_for_only_a_few() {
    for limit in ["ulimit -n 40", "ulimit -n 128"] {
        run_apart(limit, "crowds::two_hundred_hooks_run_at_once");
    }
}

#[test]
fn hooks_meet_their_deadlines_and_cancels_with_few_descriptors() {
    run_apart("ulimit -n 40", "crowds::deadlines_and_cancels_in_a_crowd");
}

#[test]
#[ignore = "run by its neighbour in a process of its own"]
fn deadlines_and_cancels_in_a_crowd() {
    // Descendants that left the group must be found although looking for them takes descriptors too.
    let daemon = "(setsid sh -c 'echo $$; exec sleep 120' &); sleep 120";
    let limits = Limits { grace: Duration::from_millis(300), ..Limits::default() };
    let outcomes = run_many(vec![hurried(daemon, 1000); 20], limits.clone(), CancelToken::new());
    for outcome in &outcomes {
        assert_eq!(outcome.exit, Exit::TimedOut);
        let daemon = outcome.stdout.text.trim().parse().unwrap();
        assert!(wait_until(Duration::from_secs(2), || !alive(daemon)), "{daemon} is still alive");
    }

    let cancel = CancelToken::new();
    let clone = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        clone.cancel();
    });
    let outcomes = run_many(vec![hook("sleep 120"); 50], limits, cancel);
    assert!(outcomes.iter().all(|outcome| outcome.exit == Exit::Cancelled));
    let waiting = outcomes.iter().filter(|outcome| outcome.duration.is_zero()).count();
    assert!((1..50).contains(&waiting), "some ran and some waited, but {waiting} did not run");
}

#[test]
fn a_caller_that_lost_its_children_hears_of_it() {
    run_apart("exec env --ignore-signal=CHLD \"$0\" \"$@\"", "crowds::outcomes_without_children");
}

#[test]
#[ignore = "run by its neighbour in a process of its own"]
fn outcomes_without_children() {
    // Where SIGCHLD is ignored the system keeps no exit status.
    let specs = vec![hook("echo printed"), hurried("(setsid sleep 120 &) ; sleep 120", 300)];
    let outcomes = run_many(specs, Limits::default(), CancelToken::new());
    let reason = "how the command ended cannot be known: No child processes (os error 10)";
    assert_eq!(outcomes[0].exit, Exit::NotStarted(reason.to_owned()));
    assert_eq!(outcomes[0].stdout.text, "printed\n");
    assert_eq!(outcomes[1].exit, Exit::TimedOut);
}

#[test]
fn nothing_is_left_of_many_runs() {
    run_apart(":", "crowds::no_child_no_thread_and_no_descriptor_is_left");
}

#[test]
#[ignore = "run by its neighbour in a process of its own"]
fn no_child_no_thread_and_no_descriptor_is_left() {
    let limits = Limits { grace: Duration::from_millis(20), drain: Duration::from_millis(5), ..Limits::default() };
    let count = |folder: &str| std::fs::read_dir(folder).unwrap().count();
    let exits = |specs: &[ProcessSpec], cancel: &CancelToken| -> Vec<Exit> {
        run_all(specs, &limits, cancel).into_iter().map(|outcome| outcome.exit).collect()
    };
    let endings = [
        hook("echo fine"),
        hook("kill -SEGV $$"),
        hook("sleep 0.3 & echo left behind"),
        hook("exec <&- >&- 2>&-"),
        hurried("sleep 120", 10),
        hurried("trap '' TERM; (setsid sleep 120 &); sleep 120", 10),
        hurried("exec >&- 2>&-; sleep 120", 10),
        ProcessSpec { cwd: "/missing".into(), ..hook("true") },
    ];
    let endless = [
        ProcessSpec { stdin: vec![b'x'; 1 << 20].into(), ..hook("sleep 120") },
        hook("sleep 120 & (setsid sleep 120 &); wait"),
    ];
    let round = || {
        let seen = exits(&endings, &CancelToken::new());
        assert_eq!(seen[..4], [Exit::Code(0), Exit::Signal(11), Exit::Code(0), Exit::Code(0)]);
        assert_eq!(seen[4..7], [Exit::TimedOut, Exit::TimedOut, Exit::TimedOut]);
        let cancel = CancelToken::new();
        let clone = cancel.clone();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            clone.cancel();
        });
        assert_eq!(exits(&endless, &cancel), [Exit::Cancelled, Exit::Cancelled]);
        canceller.join().unwrap();
    };
    round();
    let before = (count("/proc/self/fd"), count("/proc/self/task"));
    for _ in 0..20 {
        round();
    }
    assert_eq!((count("/proc/self/fd"), count("/proc/self/task")), before);
    let any_child = waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT);
    assert_eq!(any_child.map(|_| "a child"), Err(Errno::CHILD));
}
