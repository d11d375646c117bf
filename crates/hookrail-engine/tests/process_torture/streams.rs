//! Input that is not read, endless output, pipes held open: nothing of it holds up the caller.

use crate::scene::{HANG, check, hook, hurried, impatient, run};
use hookrail_engine::runner::process::{CancelToken, Exit, Limits, ProcessSpec, Stdin, run_all_while};
use hookrail_testkit::process::{alive, within};
use rustix::process::{Pid, Signal, kill_process};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MIB: usize = 1 << 20;

fn with_input(spec: ProcessSpec, input: impl Into<Stdin>) -> ProcessSpec {
    ProcessSpec { stdin: input.into(), ..spec }
}

fn capturing(bytes: usize) -> Limits {
    Limits { capture_bytes: bytes, answer_bytes: bytes, ..Limits::default() }
}

#[test]
fn a_command_reads_its_input_to_the_end() {
    // covers: HOOK-061
    for input in ["", "{\"hook_event_name\":\"BeforeTool\"}", "two\nlines"] {
        let stdout = format!("{input}|eof");
        let spec = with_input(hook("cat; printf '|eof'"), input.as_bytes());
        check(spec, Limits::default(), &Exit::Code(0), &stdout, "");
    }
    let spec = with_input(hook("wc -c"), vec![b'x'; 4 * MIB]);
    check(spec, Limits::default(), &Exit::Code(0), "4194304\n", "");
}

#[test]
fn what_a_command_reads_and_what_is_done_meanwhile_wait_for_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let begun = {
        let started = started.clone();
        move || (0..2000).any(|_| started.exists() || sleep(Duration::from_millis(5)))
    };
    let (asked, done) = (begun.clone(), Arc::new(Mutex::new(Vec::new())));
    let stdin = Stdin::made_by(move || Arc::from(if asked() { *b"after" } else { *b"early" }));
    let spec = ProcessSpec { stdin, ..hook(format!("touch '{}'; cat", started.display())) };
    let seen = Arc::clone(&done);
    let outcomes = within(HANG, move || {
        run_all_while(&[spec], &Limits::default(), &CancelToken::new(), &|| seen.lock().unwrap().push(begun()))
    });
    assert_eq!(outcomes[0].stdout.text, "after");
    assert_eq!(*done.lock().unwrap(), [true], "once");
}

/// Never true, so that a search goes on.
fn sleep(time: Duration) -> bool {
    std::thread::sleep(time);
    false
}

#[test]
fn input_that_is_not_read_harms_nobody() {
    // covers: HOOK-192
    let cases = [
        ("exit 3", Exit::Code(3), ""),
        ("sleep 0.1; echo never read", Exit::Code(0), "never read\n"),
        ("exec <&-; echo closed; sleep 0.1; echo on", Exit::Code(0), "closed\non\n"),
        ("head -c 5; exec <&-; sleep 0.1; echo", Exit::Code(0), "xxxxx\n"),
    ];
    for (command, exit, stdout) in cases {
        check(with_input(hook(command), vec![b'x'; 4 * MIB]), Limits::default(), &exit, stdout, "");
    }
}

#[test]
fn a_deadline_holds_while_input_is_being_written() {
    let spec = with_input(hurried("echo begun; sleep 120", 800), vec![b'x'; 4 * MIB]);
    check(spec, impatient(), &Exit::TimedOut, "begun\n", "");
}

#[test]
fn a_command_may_write_far_more_than_a_pipe_holds_before_it_reads() {
    let spec =
        with_input(hook("head -c 67108864 /dev/zero; head -c 67108864 /dev/zero >&2; wc -c >&2"), vec![b'x'; 4 * MIB]);
    let outcome = run(spec, capturing(MIB));
    assert_eq!(outcome.exit, Exit::Code(0));
    // What is kept of stdout follows the size of the input.
    for (stream, kept) in [(outcome.stdout, 5 * MIB), (outcome.stderr, MIB)] {
        assert!(stream.truncated);
        assert_eq!(stream.text.len(), kept);
    }
}

#[test]
fn output_is_kept_up_to_the_limit_and_never_cut_inside_a_character() {
    let cases = [
        ("printf abc", 3, "abc", false),
        ("printf abcd", 3, "abc", true),
        ("printf abc; sleep 0.05; printf d", 3, "abc", true),
        ("printf 'ab\\342\\202\\254'", 4, "ab", true),
        ("printf 'ab\\342\\202\\254'", 5, "ab€", false),
        ("printf abc", 0, "", true),
        ("true", 0, "", false),
    ];
    for (command, limit, text, truncated) in cases {
        for redirection in ["", " >&2"] {
            let outcome = run(hook(format!("{{ {command}; }}{redirection}")), capturing(limit));
            let (used, unused) = if redirection.is_empty() {
                (outcome.stdout, outcome.stderr)
            } else {
                (outcome.stderr, outcome.stdout)
            };
            assert_eq!((used.text.as_str(), used.truncated), (text, truncated), "{command} at {limit}{redirection}");
            assert_eq!((unused.text.as_str(), unused.truncated), ("", false));
        }
    }
}

#[test]
fn characters_survive_being_written_in_pieces_and_broken_ones_are_marked() {
    let cases = [
        ("printf '\\342'; sleep 0.05; printf '\\202'; sleep 0.05; printf '\\254!'", "€!"),
        ("printf '\\360\\237'; sleep 0.05; printf '\\230\\200'", "😀"),
        ("printf 'a\\377b'", "a\u{FFFD}b"),
        ("printf 'a\\342\\202'", "a\u{FFFD}"),
        ("printf '\\303('", "\u{FFFD}("),
    ];
    for (command, stdout) in cases {
        check(hook(command), Limits::default(), &Exit::Code(0), stdout, "");
    }
}

#[test]
fn the_three_streams_are_pipes_whatever_the_caller_has() {
    // covers: HOOK-125
    let outcome = run(hook("for fd in 0 1 2; do readlink /proc/$$/fd/$fd; done"), Limits::default());
    let kinds: Vec<&str> = outcome.stdout.text.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(kinds, ["pipe", "pipe", "pipe"], "{outcome:?}");
}

#[test]
fn a_command_that_closes_its_output_and_lives_on_is_waited_for() {
    check(hook("echo out; exec >&- 2>&-; sleep 0.3; exit 7"), Limits::default(), &Exit::Code(7), "out\n", "");
}

#[test]
fn a_helper_left_behind_holds_up_nobody_and_lives_on() {
    // Each keeps other pipes open long after the hook itself has ended.
    for redirection in ["", ">&2", "2>/dev/null", ">/dev/null", ">/dev/null 2>&1"] {
        let outcome = run(hook(format!("sleep 60 {redirection} & echo $!")), Limits::default());
        assert_eq!(outcome.exit, Exit::Code(0));
        let helper: i32 = outcome.stdout.text.trim().parse().unwrap();
        assert!(alive(helper.unsigned_abs()), "{redirection}");
        kill_process(Pid::from_raw(helper).unwrap(), Signal::KILL).unwrap();
    }
}

#[test]
fn a_helper_that_never_stops_writing_holds_up_nobody() {
    let outcome = run(hook("yes & echo $! >&2"), Limits::default());
    assert_eq!(outcome.exit, Exit::Code(0));
    let helper: i32 = outcome.stderr.text.trim().parse().unwrap();
    // It may already have met the closed pipe.
    let _ = kill_process(Pid::from_raw(helper).unwrap(), Signal::KILL);
}

#[test]
fn nothing_written_before_the_end_is_lost() {
    // As much as fits into the pipe, left there by a command that is gone before it can be read.
    for _ in 0..20 {
        let outcome =
            run(hook("head -c 60000 /dev/zero; printf end"), Limits { drain: Duration::ZERO, ..Limits::default() });
        assert_eq!((outcome.exit, outcome.stdout.text.len()), (Exit::Code(0), 60003));
    }
}
