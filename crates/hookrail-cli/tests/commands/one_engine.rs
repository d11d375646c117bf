//! One event, every way in: `hook`, `explain`, `serve` and `replay` come to the same verdict and the same records.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};

struct Fixture {
    project: TempProject,
    home: TempProject,
}

impl Fixture {
    fn new(toml: &str) -> Self {
        let fixture = Self { project: TempProject::new(), home: TempProject::new() };
        fixture.home.write(".config/hookrail/hookrail.toml", toml);
        fixture
    }

    fn hookrail(&self, args: &[&str], stdin: &str) -> String {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        talk(command.args(args), stdin).1
    }

    fn event(&self, tool: &str, input: &Value) -> String {
        json!({
            "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": self.project.path(),
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "prompt_id": "p",
        })
        .to_string()
    }

    fn serve(&self, tool: &str, input: &Value) -> Value {
        let initialize = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "sessionId": "s2", "cwd": self.project.path(), "hookrailToml": true, "tools": "claude" },
        });
        let call = json!({
            "jsonrpc": "2.0", "id": 2, "method": "beforeTool", "params": { "toolName": tool, "toolInput": input },
        });
        self.answer(&[initialize, call])["result"].clone()
    }

    /// What a server answers to the last of these requests. It is given the time to: at the end of its input it cancels what
    /// runs.
    fn answer(&self, requests: &[Value]) -> Value {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        let mut server = command.args(["serve", "--stdio"]).spawn().unwrap();
        let mut stdin = server.stdin.take().unwrap();
        for request in requests {
            writeln!(stdin, "{request}").unwrap();
        }
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let mut answers = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        let last = answers.find(|answer| answer["id"] == requests.last().unwrap()["id"]).unwrap();
        drop(stdin);
        server.wait().unwrap();
        last
    }

    /// Hook, outcome, decision and reason of every record of a session.
    fn journal(&self, session: &str) -> Vec<Value> {
        let records = self.hookrail(&["log", "--json", "--limit", "0"], "");
        let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mine = records.filter(|record| record["session"].as_str() == Some(session));
        mine.map(|it| json!([it["hook"], it["outcome"], it["decision"], it["reason"], it["subject"]])).collect()
    }
}

#[test]
fn every_way_in_comes_to_the_same_verdict_and_the_same_records() {
    let command = |settings: &str, command: &str| {
        format!("[[command]]\nname = \"mine\"\nevent = \"PreToolUse\"\ncommand = '''{command}'''\n{settings}\n")
    };
    let write = |path: &str| ("Write", json!({ "file_path": path, "content": "x" }));
    let cases = [
        (String::new(), write("src/main.rs"), "none"),
        (String::new(), write(".hookrail/hookrail.toml"), "block"),
        (
            "[packs.core]\nmode = \"warn\"\n[packs.safety]\nmode = \"warn\"\n".to_owned(),
            write(".claude/settings.json"),
            "none",
        ),
        (
            "[core]\nprotected = [\"secrets/\"]\n".to_owned(),
            ("Bash", json!({"command": "echo x > secrets/a"})),
            "block",
        ),
        (command("", "echo no >&2; exit 2"), write("src/main.rs"), "block"),
        (command("matcher = \"Bash\"", "exit 2"), write("src/main.rs"), "none"),
        (command("on_error = \"ask\"", "exit 1"), write("src/main.rs"), "ask"),
        (command("mode = \"warn\"", "echo no >&2; exit 2"), write("src/main.rs"), "none"),
        (command("", "echo '{\"continue\": false, \"stopReason\": \"enough\"}'"), write("src/main.rs"), "stop"),
    ];
    for (toml, (tool, input), decision) in cases {
        let fixture = Fixture::new(&toml);
        let event = fixture.event(tool, &input);
        fixture.hookrail(&["hook"], &event);
        let explained: Value =
            serde_json::from_str(&fixture.hookrail(&["explain", "--json", "--run-commands"], &event)).unwrap();
        let served = fixture.serve(tool, &input);
        let shown = format!("{toml}{tool} {input}");
        assert_eq!(explained["verdict"]["decision"], decision, "explain: {shown}");
        assert_eq!(served["decision"], decision, "serve: {shown}");
        let reason = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        assert_eq!(reason(&served["reason"]), reason(&explained["verdict"]["reason"]), "{shown}");
        assert_eq!(fixture.journal("s1"), fixture.journal("s2"), "{shown}");
        let replayed: Value = serde_json::from_str(&fixture.hookrail(&["replay", "--json"], "")).unwrap();
        assert_eq!(replayed["changes"], json!([]), "{shown}");
    }
}

#[test]
fn a_host_describes_its_own_tools() {
    let fixture = Fixture::new("[core]\nprotected = [\"secrets/\"]\n");
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "sessionId": "s", "cwd": fixture.project.path(), "packs": ["core"], "transcriptPath": "/t.jsonl",
            "tools": { "save": { "kind": "write", "path": "to", "content": "what" } } },
    });
    let call = |id: u32, to: &str| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "beforeTool",
            "params": { "toolName": "save", "toolInput": { "to": to, "what": "x" } } })
    };
    for (path, decision) in [(".claude/settings.json", "block"), ("src/a.rs", "none")] {
        let answer = fixture.answer(&[initialize.clone(), call(2, path)]);
        assert_eq!(answer["result"]["decision"], decision, "{path}");
    }
    let wrong = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "sessionId": "s", "cwd": "/", "packs": ["cor"], "tools": "claud" } });
    let answer = fixture.answer(&[wrong]);
    assert!(answer["error"]["message"].as_str().unwrap().contains("unknown agent `claud`"), "{answer}");
}
