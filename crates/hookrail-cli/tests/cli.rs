//! What a person sees: every command, as sessions that can be read (`tests/cmd/**/*.trycmd`).
//!
//! `name.in/` is the folder a session begins in, `name.out/` what must be there afterwards; it also makes trycmd work on a
//! copy, so every session has one. `TRYCMD=overwrite` writes down what the program says now; read it before you commit it.
#![cfg(unix)]

use hookrail_testkit::folders::files_ending;
use std::path::{Path, PathBuf};

#[test]
fn every_session_reads_as_written() {
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    trycmd::TestCases::new()
        .register_bin("hookrail", hookrail_in_a_sandbox())
        .register_bin("event", hookrail_in_a_sandbox().with_file_name("event"))
        .register_bin("explain-event", hookrail_in_a_sandbox().with_file_name("explain-event"))
        .env("HOOKRAIL_BINARY", env!("CARGO_BIN_EXE_hookrail"))
        .case(sessions.join("**/*.trycmd"));
}

#[test]
fn no_session_works_on_its_own_fixture() {
    for path in files_ending(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd"), ".trycmd").unwrap() {
        assert!(path.with_extension("out").is_dir(), "{} has no .out/", path.display());
    }
}

/// A script that runs hookrail with nothing of the machine but the folder of the session.
fn hookrail_in_a_sandbox() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/hookrail")
}
