//! The agent: mini-agent, in a process of its own.

use super::demo_project::DemoProject;
use super::story::PROMPTS;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use hookrail_mini_agent::AgentExit;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Child, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long an agent that was told to end may take for it.
const PATIENCE: Duration = Duration::from_secs(5);
const PULSE: Duration = Duration::from_millis(10);

/// What the hidden end of `hookrail demo -- …` does: be the agent.
pub fn be_agent(args: &[OsString]) -> ExitCode {
    match hookrail_mini_agent::run([OsString::from("mini-agent")].into_iter().chain(args.iter().cloned())) {
        AgentExit::Completed => ExitCode::Success,
        AgentExit::Failed
        | AgentExit::Usage
        | AgentExit::Blocked
        | AgentExit::Stopped
        | AgentExit::TurnLimit
        | AgentExit::Interrupted => ExitCode::Usage,
    }
}

/// Ended when it is dropped, and everything it runs with it.
#[derive(Debug)]
pub struct Agent {
    child: Child,
    stdout: Option<JoinHandle<()>>,
    stderr: Option<JoinHandle<String>>,
}

impl Agent {
    /// Starts the agent with everything the user is going to ask for.
    pub fn start(demo: &DemoProject, model: &str) -> Result<Self, CliError> {
        let mut command = demo.command(&demo.hookrail);
        command.args(["demo", "--", "--model=scripted", "--settings=.claude/settings.json", "--obey", "--interactive"]);
        command.arg("--base-url").arg(model).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // An interrupt from the keyboard is ours to pass on.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child =
            command.spawn().map_err(|error| CliError::machine(format!("the agent could not be started: {error}")))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        if let Some(mut stdin) = child.stdin.take() {
            // An agent that does not want them has ended, which is noticed elsewhere.
            let _ = stdin.write_all(PROMPTS.map(|prompt| format!("{}\n", prompt.typed)).concat().as_bytes());
        }
        let stdout = stdout.map(|pipe| thread::spawn(move || drop(drain(pipe))));
        let stderr = stderr.map(|pipe| thread::spawn(move || drain(pipe)));
        Ok(Self { child, stdout, stderr })
    }

    /// How it ended; `None` while it works.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// What it had to say beside its work. Waits for its end.
    pub fn talk(&mut self) -> String {
        self.stderr.take().and_then(|reader| reader.join().ok()).unwrap_or_default()
    }

    fn wait_for_end(&mut self) -> bool {
        for _ in 0..PATIENCE.as_millis() / PULSE.as_millis() {
            if self.ended().is_some() {
                return true;
            }
            thread::sleep(PULSE);
        }
        false
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        if self.ended().is_none() {
            ask_to_end(&self.child);
            if !self.wait_for_end() {
                // It had its chance; if it is gone already, all the better.
                let _ = self.child.kill();
            }
            let _ = self.child.wait();
        }
        let _ = self.stdout.take().map(JoinHandle::join);
        let _ = self.stderr.take().map(JoinHandle::join);
    }
}

/// The agent ends its hooks and tools before itself.
#[cfg(unix)]
fn ask_to_end(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // Whoever is gone need not be asked.
    let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
}

#[cfg(not(unix))]
fn ask_to_end(_: &Child) {}

fn drain(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is not shown.
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
