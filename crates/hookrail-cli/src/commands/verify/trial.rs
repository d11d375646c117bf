//! One surface of one agent: what the model does, and what is to be seen afterwards.

use super::canary::{self, CONTEXT, MARKED, PASSING, PROMPT, REASON, REWRITTEN, TASK};
use super::outcome::Finding;
use super::process::{self, RunEnd};
use super::sandbox::Sandbox;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::screen::{one_line, shorten};
use hookrail_dialects::{Agent, Calls, Headless, Surface};
use hookrail_scripted_model::{ModelServer, Recorded, Script, ToolCall, Turn};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The files that canaries write.
const ALLOWED_FILE: &str = "canary-allowed.txt";
const MARKED_FILE: &str = "canary-marked.txt";
/// What stands in files that are edited.
const BEFORE: &str = "before\n";
/// How long the model waits for a sub-agent that works beside its caller.
const SUBAGENT_PATIENCE: Duration = Duration::from_secs(20);
/// Some agents ask the model while they still connect to their MCP servers.
const MCP_PATIENCE: Duration = Duration::from_secs(2);
/// How much of an agent's output is shown when it failed.
const SHOWN: usize = 300;

/// What a trial came to.
#[derive(Debug)]
pub enum Tried {
    Found(Finding, Option<String>),
    Interrupted,
}

impl Tried {
    fn honoured() -> Self {
        Self::Found(Finding::Honoured, None)
    }

    fn note(finding: Finding, note: impl Into<String>) -> Self {
        Self::Found(finding, Some(note.into()))
    }
}

/// A trial in the making.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    pub agent: &'static Agent,
    pub headless: &'static Headless,
    pub program: &'a Path,
    pub surface: Surface,
    pub limit: Duration,
}

/// What was seen.
struct ObservedRun<'a> {
    sandbox: &'a Sandbox,
    requests: Vec<Recorded>,
    end: RunEnd,
    limit: Duration,
    output: String,
}

impl Trial<'_> {
    /// Tries it in a sandbox of its own.
    pub fn play(&self, sandbox: &Sandbox, interrupt: &Interrupt) -> Result<Tried, CliError> {
        let calls = match self.headless.calls(self.surface) {
            Ok(calls) => calls.unwrap_or(self.headless.shell),
            Err(why) => return Ok(Tried::note(Finding::Absent, why)),
        };
        let server = ModelServer::try_start(self.script(sandbox, calls))
            .map_err(|error| CliError::machine(format!("the scripted model cannot be started: {error}")))?;
        sandbox.furnish(self.agent, self.headless, self.surface, &server.base_url())?;
        if self.surface == Surface::Edit {
            for file in [ALLOWED_FILE, MARKED_FILE] {
                let written = std::fs::write(sandbox.project().join(file), BEFORE);
                written.map_err(|error| CliError::machine(format!("`{file}` cannot be written: {error}")))?;
            }
        }
        let end = process::run(self.command(sandbox, &server.base_url()), &sandbox.home(), self.limit, interrupt)
            .map_err(|error| CliError::machine(format!("`{}` cannot be run: {error}", self.program.display())))?;
        if end == RunEnd::Interrupted {
            return Ok(Tried::Interrupted);
        }
        let output = std::fs::read(sandbox.home().join(process::OUTPUT))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let output = output.unwrap_or_default();
        let seen = ObservedRun { sandbox, requests: server.generations(), end, limit: self.limit, output };
        Ok(seen.judge(self.surface))
    }

    fn command(&self, sandbox: &Sandbox, url: &str) -> std::process::Command {
        let mcp = self.headless.mcp.ok().filter(|_| self.surface == Surface::Mcp);
        let more = mcp.map(|mcp| mcp.args).unwrap_or_default();
        let mut command = sandbox.command(self.program);
        sandbox.fill(url, &[], |filling| {
            command.args(self.headless.args.iter().chain(more).map(|arg| filling.text(arg)));
            command.envs(self.headless.variables.iter().map(|(name, value)| (name, filling.text(value))));
        });
        command
    }

    /// An allowed call, then one that the hook acts on, then a word at the end. Beside the conversation agents ask for titles
    /// and the like; those requests offer no tools.
    fn script(&self, sandbox: &Sandbox, calls: Calls) -> Script {
        let turns = |calls: Calls, file: &str, text: &str| -> Vec<Turn> {
            let path = sandbox.project().join(file).display().to_string();
            let command = format!("echo {text} > {file}");
            let more = [("{path}", path.as_str()), ("{name}", file), ("{text}", text), ("{command}", &command)];
            let turn = |(tool, input): &(&str, &str)| {
                sandbox.fill("", &more, |filling| Turn::tool_calls([call(tool, filling.input(input))]))
            };
            calls.iter().map(turn).collect()
        };
        let acting =
            || [turns(self.headless.shell, ALLOWED_FILE, PASSING), turns(self.headless.shell, MARKED_FILE, MARKED)];
        let mut conversation = match self.surface {
            Surface::PromptContext | Surface::Stop => Vec::new(),
            Surface::Subagent => turns(calls, ALLOWED_FILE, TASK),
            Surface::Shell
            | Surface::Write
            | Surface::Edit
            | Surface::Patch
            | Surface::Mcp
            | Surface::Rewrite
            | Surface::Ask => [turns(calls, ALLOWED_FILE, PASSING), turns(calls, MARKED_FILE, MARKED)].concat(),
        };
        if self.surface == Surface::Mcp && !conversation.is_empty() {
            let first = conversation.remove(0);
            conversation.insert(0, Turn::delay(MCP_PATIENCE, first));
        }
        let script = Script::new(conversation.into_iter().chain([Turn::text("done"), Turn::text("done again")]));
        let script = script.when(|request| request.tool_names().is_empty(), Turn::text("a title"));
        if self.surface != Surface::Subagent {
            return script;
        }
        let end = self.headless.subagent.ok().and_then(|subagent| subagent.end);
        let end = end.map(|(tool, input)| sandbox.fill("", &[], |filling| Turn::tool_call(tool, filling.input(input))));
        with_subagent(script, acting().concat(), end.unwrap_or_else(|| Turn::text("the task is done")))
    }
}

/// A call of a tool, which may be in a group.
fn call(tool: &str, input: Value) -> ToolCall {
    match tool.split_once('/') {
        Some((group, name)) => ToolCall::new(name, input).in_namespace(group),
        None => ToolCall::new(tool, input),
    }
}

/// The sub-agent's conversation, which is told by how many results it has had so far. The model answers its caller only
/// when it is over, because some agents end while a sub-agent is at work.
fn with_subagent(script: Script, steps: Vec<Turn>, end: Turn) -> Script {
    let count = steps.len();
    let over = Arc::new(AtomicBool::new(false));
    let mut script = script;
    for (number, turn) in steps.into_iter().enumerate() {
        script = script.when(move |request| is_subagent(request) && request.tool_results().len() == number, turn);
    }
    let script = script.when(is_subagent, end);
    script.watch(move |request| {
        if is_subagent(request) {
            over.fetch_or(request.tool_results().len() >= count, Ordering::Relaxed);
        } else if !request.tool_results().is_empty() {
            let begun = Instant::now();
            while !over.load(Ordering::Relaxed) && begun.elapsed() < SUBAGENT_PATIENCE {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    })
}

fn is_subagent(request: &Recorded) -> bool {
    let told = request.texts();
    let says = |text: &str| told.iter().any(|it| it.contains(text));
    says(TASK) && !says(PROMPT)
}

impl ObservedRun<'_> {
    fn judge(&self, surface: Surface) -> Tried {
        let acted = canary::acted(&self.sandbox.marks());
        match surface {
            Surface::PromptContext => self.judge_text(acted, CONTEXT, "a prompt"),
            Surface::Stop => self.judge_text(acted, REASON, "the end of a turn"),
            Surface::Rewrite => self.judge_rewrite(acted),
            Surface::Ask => self.judge_refusal(acted, "it ran although no person was asked"),
            Surface::Shell | Surface::Write | Surface::Edit | Surface::Patch | Surface::Mcp | Surface::Subagent => {
                self.judge_refusal(acted, "it ran although the hook refused it")
            }
        }
    }

    fn judge_refusal(&self, acted: bool, ran: &str) -> Tried {
        let marked_ran = self.sandbox.read(MARKED_FILE).contains(MARKED);
        match (marked_ran, acted) {
            (true, true) => Tried::note(Finding::Ignored, ran),
            (true, false) => Tried::note(Finding::Ignored, "hooks are not asked about it"),
            (false, true) if self.allowed_ran() && self.heard(REASON) => Tried::honoured(),
            (false, true) if self.allowed_ran() => Tried::note(Finding::Honoured, "the model is not told why"),
            (false, _) => self.untested("the call that is allowed did not run"),
        }
    }

    fn judge_rewrite(&self, acted: bool) -> Tried {
        let text = self.sandbox.read(MARKED_FILE);
        match acted {
            _ if text.contains(REWRITTEN) => Tried::honoured(),
            true if text.contains(MARKED) => Tried::note(Finding::Ignored, "it ran as it was"),
            false if text.contains(MARKED) => Tried::note(Finding::Ignored, "hooks are not asked about it"),
            true if self.allowed_ran() => Tried::note(
                Finding::Absent,
                "it takes no input from hooks; hookrail refuses a call that must not run as it is",
            ),
            _ => self.untested("the call that is allowed did not run"),
        }
    }

    fn judge_text(&self, acted: bool, text: &str, event: &str) -> Tried {
        match acted {
            true if self.heard(text) => Tried::honoured(),
            _ if self.requests.is_empty() => self.untested(""),
            true => Tried::note(Finding::Ignored, "the model does not read what the hook says"),
            false => Tried::note(Finding::Ignored, format!("hooks are not asked at {event}")),
        }
    }

    fn allowed_ran(&self) -> bool {
        self.sandbox.read(ALLOWED_FILE).contains(PASSING)
    }

    fn heard(&self, text: &str) -> bool {
        self.requests.iter().any(|request| request.mentions(text))
    }

    /// Why nothing can be said, with the last words of the agent.
    fn untested(&self, why: &str) -> Tried {
        let why = match self.end {
            RunEnd::TimedOut => format!("it did not end within {} s", self.limit.as_secs()),
            _ if self.requests.is_empty() => "it did not ask the model anything".to_owned(),
            RunEnd::Ended(_) | RunEnd::Interrupted => why.to_owned(),
        };
        let last = self.requests.last().map(Recorded::tool_results).unwrap_or_default().pop().map(|it| it.text);
        let said = last.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| self.output.clone());
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let tail: String = words.chars().skip(words.chars().count().saturating_sub(SHOWN)).collect();
        let tail = shorten(&one_line(&tail), SHOWN);
        Tried::note(Finding::Untested, if tail.is_empty() { why } else { format!("{why}; its last words: {tail}") })
    }
}
