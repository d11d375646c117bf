//! Tools and hooks for tests of the scheduler and the chat session.

use hookrail_engine::{CancelToken, Config, DebugLogger, Level};
use hookrail_host::{Tool, ToolError, ToolResult};
use hookrail_testkit::log::CapturedLog;
use hookrail_testkit::project::TempProject;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

pub type Args = Map<String, Value>;

/// A tool that takes one `text` and remembers with which texts it ran.
#[derive(Clone)]
pub struct FakeTool {
    name: &'static str,
    runs: Arc<Mutex<Vec<String>>>,
    work: Arc<dyn Fn(&str) -> ToolResult + Send + Sync>,
}

impl FakeTool {
    pub fn new(name: &'static str, work: impl Fn(&str) -> ToolResult + Send + Sync + 'static) -> Self {
        Self { name, runs: Arc::default(), work: Arc::new(work) }
    }

    /// Gives its text back.
    pub fn echo() -> Self {
        Self::new("echo", |text| ToolResult::text(&format!("echo: {text}")))
    }

    pub fn runs(&self) -> Vec<String> {
        self.runs.lock().unwrap().clone()
    }
}

impl Tool for FakeTool {
    fn name(&self) -> &str {
        self.name
    }

    fn declaration(&self) -> Value {
        json!({"name": self.name, "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}})
    }

    fn validate(&self, args: &Args) -> Result<(), ToolError> {
        args.get("text")
            .and_then(Value::as_str)
            .map(drop)
            .ok_or_else(|| ToolError("`text` must be a string".to_owned()))
    }

    fn execute(&self, args: &Args, _: &CancelToken) -> ToolResult {
        let text = args["text"].as_str().unwrap();
        self.runs.lock().unwrap().push(text.to_owned());
        (self.work)(text)
    }
}

/// A project whose hooks are one-line shell commands run in its folder.
pub struct HookedProject {
    pub project: TempProject,
    pub log: CapturedLog,
    hooks: Map<String, Value>,
}

impl HookedProject {
    pub fn new() -> Self {
        Self { project: TempProject::new(), log: CapturedLog::default(), hooks: Map::new() }
    }

    /// Adds a hook that runs a shell command.
    pub fn hook(mut self, event: &str, command: &str) -> Self {
        let group = json!({"hooks": [{"type": "command", "command": command}]});
        match self.hooks.get_mut(event).and_then(Value::as_array_mut) {
            Some(groups) => groups.push(group),
            None => drop(self.hooks.insert(event.to_owned(), json!([group]))),
        }
        self
    }

    /// Adds a hook that writes what it was asked to `<event>.jsonl` and answers with `output`.
    pub fn answer(self, event: &str, output: &Value) -> Self {
        self.hook(event, &format!("{{ cat; echo; }} >> {event}.jsonl\ncat <<'END'\n{output}\nEND\n"))
    }

    /// Adds a hook that only writes what it was asked to `<event>.jsonl`.
    pub fn record(self, event: &str) -> Self {
        self.hook(event, &format!("{{ cat; echo; }} >> {event}.jsonl"))
    }

    pub fn config(&self) -> Config {
        let hooks = Value::Object(self.hooks.clone());
        Config::new("session-1", self.project.path())
            .enable_hooks(true)
            .hooks(&hooks)
            .logger(Arc::new(Log(self.log.clone())))
    }

    /// What hooks of an event that record were asked, in order.
    pub fn asked(&self, event: &str) -> Vec<Value> {
        let file = format!("{event}.jsonl");
        if !self.project.exists(&file) {
            return Vec::new();
        }
        self.project.read(&file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[derive(Debug)]
struct Log(CapturedLog);

impl DebugLogger for Log {
    fn enabled(&self, _: Level) -> bool {
        true
    }

    fn log(&self, level: Level, line: &str) {
        self.0.push(format_args!("{level:?}"), line);
    }
}
