//! What the tests have in common: a hook to torture, and the watchdog that stands beside it.

use hookrail_engine::runner::process::{
    CancelToken, Exit, Limits, ProcessOutcome, ProcessSpec, Program, Stdin, run_all,
};
use hookrail_testkit::process::within;
use std::path::Path;
use std::time::Duration;

/// The watchdog of a whole test. Far beyond what any of them takes on a loaded machine.
pub const HANG: Duration = Duration::from_secs(25);

/// Longer than the watchdog waits: a test that depends on it ending fails.
pub const FOREVER: Duration = Duration::from_secs(120);

/// A hook in `/` with no input and no deadline to speak of.
pub fn hook(command: impl Into<String>) -> ProcessSpec {
    let cwd = Path::new("/").to_owned();
    ProcessSpec {
        command: command.into(),
        program: Program::default(),
        cwd,
        env: Vec::new(),
        stdin: Stdin::from([]),
        timeout: FOREVER,
        inherited: Vec::new(),
    }
}

/// Like `hook`, with a deadline so many milliseconds after its start.
pub fn hurried(command: impl Into<String>, milliseconds: u64) -> ProcessSpec {
    ProcessSpec { timeout: Duration::from_millis(milliseconds), ..hook(command) }
}

/// The usual limits, except for a shorter way from SIGTERM to SIGKILL.
pub fn impatient() -> Limits {
    Limits { grace: Duration::from_millis(300), ..Limits::default() }
}

/// Limits under which a test that needs SIGKILL to come by itself hangs.
pub fn patient() -> Limits {
    Limits { grace: FOREVER, ..Limits::default() }
}

#[track_caller]
pub fn run_many(specs: Vec<ProcessSpec>, limits: Limits, cancel: CancelToken) -> Vec<ProcessOutcome> {
    within(HANG, move || run_all(&specs, &limits, &cancel))
}

#[track_caller]
pub fn run(spec: ProcessSpec, limits: Limits) -> ProcessOutcome {
    run_many(vec![spec], limits, CancelToken::new()).pop().unwrap()
}

/// Exit, stdout and stderr at once.
#[track_caller]
pub fn check(spec: ProcessSpec, limits: Limits, exit: &Exit, stdout: &str, stderr: &str) {
    let command = spec.command.clone();
    let outcome = run(spec, limits);
    let seen = (&outcome.exit, outcome.stdout.text.as_str(), outcome.stderr.text.as_str());
    assert_eq!(seen, (exit, stdout, stderr), "{command}");
}
