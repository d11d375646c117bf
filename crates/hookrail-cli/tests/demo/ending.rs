//! Ends that come early.

use crate::project::{DemoRun, HANG, run, text};
use hookrail_testkit::process::{wait_until, within};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn an_interrupt_cleans_up() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let place = DemoRun::new();
        let mut demo = place.demo(&["--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(demo.stdout.take().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        assert!(first.contains("SessionStart"), "{first}");
        assert!(Command::new("kill").args([signal, &demo.id().to_string()]).status().unwrap().success());
        // The demo must not wait for a reader.
        let rest = std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        let mut errors = demo.stderr.take().unwrap();
        let status = within(HANG, move || demo.wait().unwrap());
        let mut error = String::new();
        errors.read_to_string(&mut error).unwrap();
        assert_eq!(
            (status.code(), error.as_str()),
            (Some(1), "error: interrupted; the temporary project was removed\n")
        );
        rest.join().unwrap().unwrap();
        assert!(wait_until(HANG, || place.left().is_empty()), "{signal}: {:?}", place.left());
    }
}

#[test]
fn a_reader_who_has_seen_enough_is_no_trouble() {
    let place = DemoRun::new();
    for args in [&["--json"][..], &[]] {
        let mut demo = place.demo(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(demo.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let output = within(HANG, move || demo.wait_with_output().unwrap());
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{args:?}");
    }
    assert!(place.left().is_empty(), "{:?}", place.left());
}

/// At a pace for reading it takes longer than this waits.
#[test]
fn where_nobody_reads_along_nobody_waits() {
    let place = DemoRun::new();
    let mut demo = place.demo(&[]);
    let output = within(Duration::from_secs(30), move || demo.output().unwrap());
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    assert!(text(&output.stdout).contains("Go on with"));
}

#[test]
fn slips_of_the_hand_are_pointed_out() {
    let place = DemoRun::new();
    for (args, parts) in [
        (&["--fsat"][..], ["unknown flag `--fsat`", "`--fast`"]),
        (&["--jsn"], ["unknown flag `--jsn`", "`--json`"]),
        (&["fast"], ["unexpected argument `fast`", "hookrail demo --help"]),
    ] {
        let output = run(place.demo(args));
        let error = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""), "{args:?}: {error}");
        for part in parts {
            assert!(error.contains(part), "{args:?}: {error}");
        }
    }
}

#[test]
fn the_help_says_what_is_changed_and_keeps_the_agent_to_itself() {
    let place = DemoRun::new();
    let help = text(&run(place.demo(&["--help"])).stdout);
    let flat = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("Changes nothing outside the temporary project, which is gone afterwards."), "{help}");
    for flag in ["--fast", "--keep", "--json"] {
        assert!(help.contains(flag), "{help}");
    }
    assert!(!help.to_lowercase().contains("agent]"), "{help}");
}
