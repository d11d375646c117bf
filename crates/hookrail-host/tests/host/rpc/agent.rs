//! An agent with a server of its own, and hooks to try it with.

use crate::rpc::schema;
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};
use hookrail_host::rpc::{Server, Service};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, PipeWriter, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Longer than anything here takes, even on a busy machine.
pub const HANG: Duration = Duration::from_secs(60);

pub struct Agent {
    pub service: Service,
    pub project: TempProject,
    input: Option<PipeWriter>,
    lines: Receiver<String>,
    last_id: u64,
    /// What was asked, by id.
    asked: HashMap<u64, (String, Value)>,
}

impl Agent {
    /// An agent that has not said anything yet.
    pub fn new() -> Self {
        Self::with(Server::new().network(Arc::new(hookrail_network::Internet::default())))
    }

    pub fn with(server: Server) -> Self {
        let (requests, input) = std::io::pipe().unwrap();
        let (answers, output) = std::io::pipe().unwrap();
        let service = server.start(requests, output).unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(answers).lines().map_while(Result::ok);
            lines.for_each(|line| drop(sender.send(line)));
        });
        Self { service, project: TempProject::new(), input: Some(input), lines, last_id: 0, asked: HashMap::new() }
    }

    /// An agent whose session has these hooks, LLxprt style.
    pub fn with_hooks(hooks: &Value) -> Self {
        let mut agent = Self::new();
        agent.open(hooks);
        agent
    }

    /// An agent whose server brings a hook along.
    pub fn with_native(hook: Arc<dyn NativeHook>) -> Self {
        let mut agent = Self::with(Server::new().native_hooks([hook]));
        agent.open(&json!({}));
        agent
    }

    /// Opens a session with these hooks; returns the answer.
    pub fn open(&mut self, hooks: &Value) -> Value {
        self.initialize(&json!({ "settings": { "enableHooks": true, "hooks": hooks } }))
    }

    /// Opens a session in the agent's project.
    pub fn initialize(&mut self, params: &Value) -> Value {
        let mut complete = json!({ "sessionId": "s-1", "cwd": self.project.path() });
        complete.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
        self.ask("initialize", &complete)
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("the input is open").write_all(bytes).unwrap();
    }

    /// Sends a request without waiting for its answer; returns its id.
    pub fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.asked.insert(self.last_id, (method.to_owned(), params.clone()));
        self.write(format!("{request}\n").as_bytes());
        self.last_id
    }

    pub fn before_tool(&mut self, tool: &str) -> u64 {
        self.send("beforeTool", &json!({ "toolName": tool, "toolInput": {} }))
    }

    pub fn read_line(&mut self) -> String {
        self.lines.recv_timeout(HANG).expect("an answer")
    }

    /// The next answer, whoever it is for.
    pub fn read(&mut self) -> Value {
        let line = self.read_line();
        let message: Value = serde_json::from_str(&line).expect(&line);
        self.check(&message);
        message
    }

    /// What the server says is as the schema has it, and so is every request that it did not refuse.
    fn check(&self, message: &Value) {
        if let Some(error) = message.get("error") {
            schema::check("error", error);
        } else if let Some(method) = message["method"].as_str() {
            schema::check(&format!("{method}.notification"), &message["params"]);
        } else if let Some((method, params)) = message["id"].as_u64().and_then(|id| self.asked.get(&id)) {
            schema::check(&format!("{method}.result"), &message["result"]);
            schema::check(&format!("{method}.params"), params);
        }
    }

    /// The result of the request with this id, which must be the next one answered.
    pub fn read_result(&mut self, id: u64) -> Value {
        let answer = self.read();
        assert_eq!(answer["id"], json!(id), "{answer}");
        answer.get("result").unwrap_or_else(|| panic!("an error: {answer}")).clone()
    }

    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.read_result(id)
    }

    /// How many requests the server works on.
    pub fn running(&mut self) -> u64 {
        self.ask("status", &json!({}))["running"].as_u64().unwrap()
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the server's end and returns what it still had to say.
    pub fn wait_for_end(&mut self) -> Vec<Value> {
        let service = self.service.clone();
        hookrail_testkit::process::within(HANG, move || service.wait());
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(Duration::from_millis(200)) {
                Ok(line) => rest.push(serde_json::from_str(&line).expect(&line)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return rest,
            }
        }
    }
}

/// Hooks for one event that are one command, named `hook`.
pub fn command(event: &str, command: &str) -> Value {
    json!({ event: [{ "hooks": [{ "type": "command", "name": "hook", "command": command }] }] })
}

/// A command that prints this JSON.
pub fn printing(output: &Value) -> String {
    format!("cat >/dev/null; echo '{output}'")
}

/// Holds tool calls until it is opened; a call of the tool `panic` panics, one of `free` passes.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    is_open: bool,
    waiting: usize,
}

impl Gate {
    pub fn open(&self) {
        self.state.lock().unwrap().is_open = true;
        self.changed.notify_all();
    }

    pub fn wait_for_visitors(&self, count: usize) {
        let fewer = |state: &mut GateState| state.waiting < count;
        let (_state, wait) = self.changed.wait_timeout_while(self.state.lock().unwrap(), HANG, fewer).unwrap();
        assert!(!wait.timed_out(), "fewer than {count} came to the gate");
    }
}

impl NativeHook for Gate {
    fn id(&self) -> &str {
        "test/gate"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn check(&self, event: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        match event.text("tool_name") {
            Some("free") => return Ok(Outcome::silent()),
            Some("panic") => panic!("as it was told to"),
            _ => {}
        }
        let mut state = self.state.lock().unwrap();
        state.waiting += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.is_open).unwrap());
        Ok(Outcome::deny("the gate says no"))
    }
}
