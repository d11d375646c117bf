use super::arguments::{self, Arguments};
use super::clip::clip;
use hookrail_engine::CancelToken;
use hookrail_engine::runner::process::{Exit, Limits, ProcessOutcome, ProcessSpec, Program, run_all, signal_name};
use hookrail_host::{Tool, ToolError, ToolResult};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const DEFAULT_SECONDS: u64 = 120;
const MOST_SECONDS: u64 = 600;

/// Runs a shell command in the working directory. A shell goes where it likes: confining it is what hooks, or a sandbox
/// around the whole agent, are for.
#[derive(Debug)]
pub struct Shell {
    root: PathBuf,
}

impl Shell {
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    fn run(&self, args: &Arguments, cancel: &CancelToken) -> Result<ProcessOutcome, String> {
        let seconds = arguments::count(args, "timeout_seconds")?.unwrap_or(DEFAULT_SECONDS);
        let spec = ProcessSpec {
            command: arguments::text(args, "command")?.to_owned(),
            program: Program::SystemShell,
            cwd: self.root.clone(),
            env: Vec::new(),
            stdin: Vec::new().into(),
            timeout: Duration::from_secs(seconds),
            inherited: Vec::new(),
        };
        let outcome = run_all(&[spec], &Limits::default(), cancel).pop();
        outcome.ok_or_else(|| "the command could not be run".to_owned())
    }
}

impl Tool for Shell {
    fn name(&self) -> &str {
        "run_shell_command"
    }

    fn declaration(&self) -> Value {
        json!({
            "name": self.name(),
            "description": "Runs a command with `sh -c` in the working directory and returns what it printed.",
            "parameters": {
                "type": "object",
                "properties": {
                    "command": {"type": "string"},
                    "timeout_seconds": {
                        "type": "integer",
                        "description": format!("{DEFAULT_SECONDS} if not given, {MOST_SECONDS} at most"),
                    },
                },
                "required": ["command"],
            },
        })
    }

    fn validate(&self, args: &Arguments) -> Result<(), ToolError> {
        if arguments::text(args, "command")?.trim().is_empty() {
            return Err(ToolError("`command` is empty".to_owned()));
        }
        match arguments::count(args, "timeout_seconds")? {
            Some(seconds) if !(1..=MOST_SECONDS).contains(&seconds) => {
                Err(ToolError(format!("`timeout_seconds` must be between 1 and {MOST_SECONDS}")))
            }
            _ => arguments::only(args, &["command", "timeout_seconds"]).map_err(ToolError),
        }
    }

    fn execute(&self, args: &Arguments, cancel: &CancelToken) -> ToolResult {
        match self.run(args, cancel) {
            Ok(outcome) => read(&outcome),
            Err(why) => ToolResult::failed(&why),
        }
    }
}

/// What the command printed, and how it ended unless that is as it should be.
fn read(outcome: &ProcessOutcome) -> ToolResult {
    let printed = [&outcome.stdout.text, &outcome.stderr.text];
    let printed: Vec<&str> = printed.iter().map(|text| text.trim_end()).filter(|text| !text.is_empty()).collect();
    let printed = clip(&printed.join("\n"));
    let ending = match &outcome.exit {
        Exit::Code(0) => return ToolResult::text(&printed),
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(number) => format!("ended by {}", signal_name(*number).unwrap_or("a signal")),
        Exit::TimedOut => "ended because it took too long".to_owned(),
        Exit::Cancelled => "ended because the user cancelled".to_owned(),
        Exit::NotStarted(why) => why.clone(),
    };
    ToolResult::failed(format!("{printed}\n({ending})").trim_start())
}
