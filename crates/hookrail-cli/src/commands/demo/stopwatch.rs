//! How long an agent waits for a verdict.

use super::demo_project::DemoProject;
use super::summary::median;
use serde_json::json;
use std::io::{self, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How often it is measured.
const TIMES: usize = 11;

/// How long a whole `hookrail hook` process takes in the demo's project, from its start to its end, in the median.
pub fn process_time(demo: &DemoProject) -> Option<Duration> {
    let event = json!({
        "hook_event_name": "BeforeTool",
        "session_id": "stopwatch",
        "cwd": demo.project(),
        "tool_name": "write_file",
        "tool_input": {"file_path": "src/api/limit.rs", "content": ""},
    });
    let times: io::Result<Vec<Duration>> = (0..TIMES).map(|_| measure(demo, &event.to_string())).collect();
    times.ok().and_then(median)
}

fn measure(demo: &DemoProject, event: &str) -> io::Result<Duration> {
    let mut command = demo.command(&demo.hookrail);
    command.args(["hook", "--agent", "llxprt"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // The session's journal is for the session.
    command.env("HOOKRAIL_STATE_DIR", demo.folder().join("stopwatch"));
    let begun = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(event.as_bytes())?;
    }
    child.wait()?;
    Ok(begun.elapsed())
}
