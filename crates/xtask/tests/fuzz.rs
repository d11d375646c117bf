//! The fuzzer finds what it is there to find.
#![allow(clippy::unwrap_used, reason = "a broken expectation must fail the test")]

use std::process::{Command, Output};

fn fuzz(args: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_xtask")).arg("fuzz").args(args).output().unwrap();
    (status.code(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}

#[test]
fn a_panic_an_overflow_a_hang_and_a_greedy_input_are_found_and_can_be_tried_again() {
    let cases = [
        ("self-panic", "panicked: on purpose"),
        ("self-overflow", "ended the process"),
        ("self-hang", "more than 1 s of computing"),
        ("self-memory", "ended the process"),
    ];
    for (target, what) in cases {
        let (code, text) = fuzz(&["--target", target, "--seconds", "1", "--seed", "5"]);
        assert_eq!(code, Some(1), "{target}: {text}");
        assert!(text.contains("seed 5") && text.contains(what), "{target}: {text}");
        let rerun = text.lines().find_map(|line| line.trim().strip_prefix("rerun: cargo xtask fuzz ")).unwrap();
        let mut args: Vec<String> = rerun.split(' ').map(str::to_owned).collect();
        let file = args.last_mut().unwrap();
        *file = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, text) = fuzz(&args);
        assert_eq!(code, Some(1), "{target}: {text}");
        assert!(text.contains(what), "{target}: {text}");
    }
}

#[test]
fn a_target_that_takes_everything_well_passes() {
    let (code, text) = fuzz(&["--target", "self-fine", "--seconds", "1"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("fuzz: 0 findings"), "{text}");
}
