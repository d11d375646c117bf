//! `hookrail serve`, as an agent that is not written in Rust uses it; its manual is run line by line.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "an expectation that does not hold fails the test"
)]

use hookrail_testkit::process::{alive, wait_until, within};
use hookrail_testkit::program::program;
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Longer than anything here takes, even on a busy machine.
const HANG: Duration = Duration::from_secs(60);

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    answers: Option<BufReader<ChildStdout>>,
}

impl Server {
    fn start() -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_hookrail")))
    }

    fn of(mut command: Command) -> Self {
        command.args(["serve", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, answers) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { child, input, answers }
    }

    /// A server whose session has one hook for every tool call.
    fn with_hook(project: &TempProject, command: &str) -> Self {
        let mut server = Self::start();
        let hooks = json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": command }] }] });
        let settings = json!({ "enableHooks": true, "hooks": hooks });
        let params = json!({ "sessionId": "s", "cwd": project.path(), "settings": settings });
        server.write(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string());
        assert_eq!(server.read()["result"]["totalHooks"], json!(1));
        server
    }

    fn write(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("the input is open"), "{line}").unwrap();
    }

    fn before_tool(&mut self, id: usize) {
        let params = json!({ "toolName": "a", "toolInput": {} });
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": "beforeTool", "params": params }).to_string());
    }

    fn read(&mut self) -> Value {
        self.read_many(1).remove(0)
    }

    fn read_many(&mut self, count: usize) -> Vec<Value> {
        let mut answers = self.answers.take().expect("the output is open");
        let (lines, answers) = within(HANG, move || {
            let lines: Vec<String> = answers.by_ref().lines().take(count).map(Result::unwrap).collect();
            (lines, answers)
        });
        self.answers = Some(answers);
        assert_eq!(lines.len(), count, "the server ended early: {lines:?}");
        lines.iter().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    fn wait(mut self) -> ExitStatus {
        within(HANG, move || {
            let _input = self.input;
            self.child.wait().unwrap()
        })
    }
}

#[test]
fn every_example_of_the_manual_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/serve.md");
    let page = std::fs::read_to_string(path).unwrap();
    let settings = blocks(&page, "json");
    let project = TempProject::new().file(".llxprt/settings.json", &settings[0]);
    let place = project.path().display().to_string();

    let mut server = Server::start();
    let mut methods = HashSet::new();
    for block in blocks(&page, "jsonl") {
        let lines: Vec<&str> = block.lines().collect();
        let mut expected = Vec::new();
        for pair in lines.chunks(2) {
            let [request, answer] = pair else { panic!("a request without an answer: {pair:?}") };
            server.write(&request.replace("/home/me/project", &place));
            expected.push(timeless(serde_json::from_str(answer).unwrap()));
            let request = serde_json::from_str::<Value>(request).unwrap_or_default();
            methods.extend(request["method"].as_str().map(str::to_owned));
        }
        let mut answers: Vec<Value> = server.read_many(expected.len()).into_iter().map(timeless).collect();
        // Answers come when they are ready; on the page they stand below their requests.
        let order = |answer: &Value| expected.iter().position(|other| other["id"] == answer["id"]);
        answers.sort_by_key(order);
        assert_eq!(answers.len(), expected.len());
        for (answer, expected) in answers.iter().zip(&expected) {
            assert!(shows(expected, answer), "the page says\n{expected}\nand the server\n{answer}");
        }
    }
    for method in [
        "initialize",
        "beforeTool",
        "afterTool",
        "beforeModel",
        "afterModel",
        "beforeToolSelection",
        "fire",
        "describe",
        "setEnabled",
        "status",
        "cancel",
        "shutdown",
    ] {
        assert!(methods.contains(method), "the manual has no example of `{method}`");
    }
    assert!(server.wait().success());
}

/// The fenced blocks of this language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let blocks = page.split(&opening).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Whether a page shows what the server says; it may leave fields out.
fn shows(page: &Value, answer: &Value) -> bool {
    match (page, answer) {
        (Value::Object(page), Value::Object(answer)) => {
            page.iter().all(|(key, value)| answer.get(key).is_some_and(|other| shows(value, other)))
        }
        (Value::Array(page), Value::Array(answer)) => {
            page.len() == answer.len() && page.iter().zip(answer).all(|(page, answer)| shows(page, answer))
        }
        (page, answer) => page == answer,
    }
}

/// An answer without what changes from run to run and from release to release.
fn timeless(mut answer: Value) -> Value {
    for run in answer.pointer_mut("/result/runs").and_then(Value::as_array_mut).into_iter().flatten() {
        run["milliseconds"] = json!(0);
    }
    if let Some(version) = answer.pointer_mut("/result/server/version") {
        *version = json!(env!("CARGO_PKG_VERSION"));
    }
    answer
}

#[test]
fn the_command_line_must_say_where_to_listen() {
    let run = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_hookrail")).args(args).output().unwrap();
    let output = run(&["serve"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty(), "stdout is for answers");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--stdio"), "{said}");

    let help = String::from_utf8(run(&["serve", "--help"]).stdout).unwrap();
    assert!(help.contains("too long for a model"), "{help}");
}

/// A hook that never ends by itself, nor does what it started; both leave their process ids.
const ENDLESS: &str = "sleep 600 & echo $! > child; echo $$ > shell; wait";

/// Ends the server in some way while a hook runs; expects a clean exit, and that nothing is left of the hook.
fn check_ending(end: impl FnOnce(&mut Server)) {
    let project = TempProject::new();
    let mut server = Server::with_hook(&project, ENDLESS);
    server.before_tool(1);
    assert!(wait_until(HANG, || project.exists("shell") && !project.read("shell").is_empty()));
    let pids: [u32; 2] = ["child", "shell"].map(|file| project.read(file).trim().parse().unwrap());
    end(&mut server);
    assert_eq!(server.wait().code(), Some(0));
    assert!(!pids.iter().any(|pid| alive(*pid)), "{pids:?}");
}

#[test]
fn the_end_of_stdin_ends_server_and_hooks() {
    check_ending(|server| drop(server.input.take()));
}

#[test]
fn a_signal_ends_server_and_hooks() {
    for signal in ["TERM", "INT", "HUP"] {
        check_ending(|server| {
            let pid = server.child.id().to_string();
            assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        });
    }
}

#[test]
fn a_server_whose_stdout_is_closed_ends_quietly() {
    let project = TempProject::new();
    let mut server = Server::with_hook(&project, "exit 0");
    drop(server.answers.take());
    server.before_tool(1);
    assert_eq!(server.wait().code(), Some(0), "though its stdin is still open");
}

#[test]
fn a_line_that_is_too_long_is_refused_and_read_past() {
    let mut server = Server::start();
    server.write(&"x".repeat((64 << 20) + 1));
    let refusal = server.read();
    assert_eq!(refusal["error"]["code"], json!(-32700));
    let told = refusal["error"]["message"].as_str().unwrap();
    assert!(told.contains("longer than 67108864 bytes"), "{told}");
    server.write(&json!({ "jsonrpc": "2.0", "id": 1, "method": "status" }).to_string());
    assert_eq!(server.read()["id"], json!(1));
}

#[test]
fn thousands_of_requests_in_a_row_are_each_answered_once() {
    const COUNT: usize = 20_000;
    let project = TempProject::new();
    let mut server = Server::with_hook(&project, "exit 0");
    // Only some concern a hook, so that quick and slow answers meet in the output.
    let mut input = server.input.take().unwrap();
    let writer = std::thread::spawn(move || {
        for id in 1..=COUNT {
            let event = if id % 100 == 0 { "beforeTool" } else { "afterTool" };
            let params = json!({ "toolName": "a", "toolInput": {}, "toolResponse": {} });
            let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": event, "params": params });
            if event == "beforeTool" {
                request["params"].as_object_mut().unwrap().remove("toolResponse");
            }
            writeln!(input, "{request}").unwrap();
        }
        input
    });
    let answered: HashSet<u64> = server.read_many(COUNT).iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!(answered.len(), COUNT);
    drop(writer.join().unwrap());
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn the_events_that_have_hooks_follow_the_configuration() {
    let (project, home) = (TempProject::new(), TempProject::new());
    let mut server = Server::of(program(env!("CARGO_BIN_EXE_hookrail"), &project, &home));
    let params = json!({ "sessionId": "s", "cwd": project.path(), "hookrailToml": true });
    server.write(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string());
    let safety = ["AfterTool", "BeforeAgent", "BeforeTool", "PermissionRequest", "ToolFailed"];
    assert_eq!(server.read()["result"]["events"], json!(safety), "pack `safety`");
    let command = |event: &str| format!("[[command]]\nname = \"c\"\nevent = \"{event}\"\ncommand = \"true\"\n");
    let limit = "[[rule]]\nid = \"r\"\nwhen = { effect = \"net.fetch\" }\nlimit = { count = 1, per = \"turn\" }\n\
        decide = \"deny\"\n";
    for (configuration, added) in [
        (command("BeforeModel"), &["BeforeModel"][..]),
        (command("Stop"), &["AfterAgent"]),
        (command("ConfigChange"), &["ConfigChange"]),
        (limit.to_owned(), &["AfterTool", "BeforeAgent", "ToolFailed"]),
        (String::new(), &[]),
    ] {
        home.write(".config/hookrail/hookrail.toml", &configuration);
        server.write(&json!({ "jsonrpc": "2.0", "id": 1, "method": "reload", "params": {} }).to_string());
        let mut expected: Vec<&str> = added.iter().chain(&safety).copied().collect();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(server.read()["result"]["events"], json!(expected), "{configuration}");
    }
}
