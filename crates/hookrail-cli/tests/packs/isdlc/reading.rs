use crate::isdlc::project::{WorkflowProject, state};
use hookrail_testkit::program::program;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// How often the state is opened while an event is answered; `None` where that cannot be traced.
fn openings(place: &WorkflowProject, args: &[&str], event: &Value) -> Option<usize> {
    let trace = place.home.at("trace");
    let mut command = program("strace", &place.project, &place.home);
    command.args(["-f", "-qq", "-e", "trace=open,openat", "-o"]).arg(&trace);
    command.arg(env!("CARGO_BIN_EXE_hookrail")).arg("hook").args(args);
    let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
    let _ = child.stdin.take()?.write_all(event.to_string().as_bytes());
    child.wait_with_output().ok().filter(|output| output.status.success())?;
    let traced = std::fs::read_to_string(trace).ok()?;
    Some(traced.lines().filter(|line| line.contains(".isdlc/state.json\"")).count())
}

#[test]
fn state_is_read_once() {
    // covers: NFR-02
    let pending = state("05-test-strategy", "pending");
    let fake = json!({"phases": {"06-x": {"constitutional_validation": {"completed": true}}}});
    let place = WorkflowProject::with(&pending);
    let place = WorkflowProject { project: place.project.git_init("main"), ..place };
    let task = place.task("software-developer", "");
    let faked = WorkflowProject::with(&fake);
    let written = faked.wrote("Write", faked.project.at(".isdlc/state.json"));
    let answered = faked.answered("discover-orchestrator", "", &json!("done"));
    let cases: [(&WorkflowProject, &[&str], &Value); 6] = [
        (&place, &["isdlc/phase-loop-controller"], &task),
        (&place, &["isdlc/phase-sequence-guard"], &task),
        (&place, &["isdlc/plan-surfacer"], &task),
        // The whole pack in one process reads it once as well.
        (&place, &["--pack", "isdlc"], &task),
        (&faked, &["isdlc/state-write-validator"], &written),
        (&faked, &["isdlc/walkthrough-tracker"], &answered),
    ];
    for (place, args, event) in cases {
        match openings(place, args, event) {
            Some(count) => assert_eq!(count, 1, "{args:?}"),
            None => eprintln!("not run: strace cannot trace here"),
        }
    }
}
