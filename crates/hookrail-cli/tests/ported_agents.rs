//! The small agents in Node and Python, real programs on top of the two clients, against the scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a broken expectation fails the test, and one that cannot be checked is asked for by the environment"
)]

use hookrail_testkit::model_server::{ModelServer, Turn};
use hookrail_testkit::process::within;
use hookrail_testkit::project::TempProject;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

const HANG: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Node,
    Python,
}

/// The agents that can run here. Where that is required, all of them must.
fn ports() -> Vec<Port> {
    let required = std::env::var_os("HOOKRAIL_TEST_TOOLS").is_some_and(|value| value == "required");
    let can_run = |port: &Port| {
        let program = match port {
            Port::Node => "node",
            Port::Python => "python3",
        };
        let built = *port == Port::Python || root().join("clients/node/dist/index.js").exists();
        let found = built && Command::new(program).arg("--version").output().is_ok();
        assert!(found || !required, "{port:?} cannot run: install it, and build the client with `npm ci`");
        found
    };
    [Port::Node, Port::Python].into_iter().filter(can_run).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn run(port: Port, project: &TempProject, server: &ModelServer, prompt: &str) -> Output {
    let mut agent = match port {
        Port::Node => {
            let mut node = Command::new("node");
            node.arg(root().join("examples/mini-agent-node/mini-agent.mjs"));
            node
        }
        Port::Python => {
            let mut python = Command::new("python3");
            python.arg(root().join("examples/mini-agent-python/mini_agent.py"));
            python.env("PYTHONPATH", root().join("clients/python")).env("PYTHONDONTWRITEBYTECODE", "1");
            python
        }
    };
    agent.current_dir(project.path()).env("HOOKRAIL_BIN", env!("CARGO_BIN_EXE_hookrail")).env("NO_PROXY", "127.0.0.1");
    agent.args(["--base-url", &server.base_url(), prompt]);
    within(HANG, move || agent.output().unwrap())
}

/// A project whose settings have one hook per event.
fn project(hooks: &[(&str, &str)]) -> TempProject {
    let group = |command: &str| json!([{"hooks": [{"type": "command", "command": command}]}]);
    let hooks: serde_json::Map<_, _> =
        hooks.iter().map(|(event, command)| ((*event).to_owned(), group(command))).collect();
    let settings = json!({"hooksConfig": {"enabled": true}, "hooks": hooks});
    TempProject::new().file(".llxprt/settings.json", &settings.to_string()).file("notes.txt", "buy milk")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn tools_run_and_the_model_is_told_what_came_of_them() {
    for port in ports() {
        let calls = [
            ("read_file", json!({"file_path": "notes.txt"})),
            ("write_file", json!({"file_path": "../evil.txt", "content": "x"})),
            ("run_shell_command", json!({"command": "echo from the shell"})),
        ];
        let server = ModelServer::start([Turn::tool_calls(calls), Turn::text("all done")]);
        let output = run(port, &project(&[]), &server, "look around");
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), "all done\n"), "{port:?}");
        let told = server.requests()[1].body.to_string();
        for part in ["buy milk", "is outside of the project", "from the shell"] {
            assert!(told.contains(part), "{port:?} {part}: {told}");
        }
    }
}

#[test]
fn hooks_refuse_change_and_comment_as_in_the_rust_agent() {
    let refuse = r#"case "$(cat)" in *rm*) echo "no rm here" >&2; exit 2;; esac"#;
    let context = r#"echo '{"systemMessage": "be brief", "hookSpecificOutput": {"additionalContext": "and more"}}'"#;
    let model = r#"echo '{"hookSpecificOutput": {"llm_request": {"model": "gemini-small"}}}'"#;
    for port in ports() {
        let project = project(&[("BeforeTool", refuse), ("AfterTool", context), ("BeforeModel", model)]);
        let calls = [
            ("run_shell_command", json!({"command": "rm notes.txt"})),
            ("read_file", json!({"file_path": "notes.txt"})),
        ];
        let server = ModelServer::start([Turn::tool_calls(calls), Turn::text("ok")]);
        let output = run(port, &project, &server, "tidy up");
        assert_eq!(output.status.code(), Some(0), "{port:?}: {}", text(&output.stderr));
        assert!(project.exists("notes.txt"), "{port:?}");
        let told = server.requests()[1].body.to_string();
        for part in ["no rm here", "buy milk\\n\\nand more\\n\\n[System] be brief"] {
            assert!(told.contains(part), "{port:?} {part}: {told}");
        }
        assert_eq!(server.requests()[0].model(), "gemini-small", "{port:?}");
    }
}

#[test]
fn a_turn_is_refused_prolonged_and_stopped() {
    let again =
        r#"case "$(cat)" in *'"stop_hook_active":true'*) exit 0;; esac; echo 'run the tests first' >&2; exit 2"#;
    for port in ports() {
        let server = ModelServer::start([Turn::text("one"), Turn::text("two")]);
        let output = run(port, &project(&[("AfterAgent", again)]), &server, "work");
        assert_eq!(text(&output.stdout), "one\ntwo\n", "{port:?}: {}", text(&output.stderr));
        assert_eq!(server.requests()[1].last_user_text(), "run the tests first", "{port:?}");

        let server = ModelServer::start(Turn::text("never"));
        let output = run(port, &project(&[("BeforeAgent", "echo not now >&2; exit 2")]), &server, "work");
        assert_eq!((output.status.code(), server.requests().len()), (Some(2), 0), "{port:?}");
        assert!(text(&output.stderr).contains("a hook stopped the agent: not now"), "{port:?}");

        let stop = r#"echo '{"continue": false, "stopReason": "enough"}'"#;
        let server = ModelServer::start([Turn::tool_calls([("read_file", json!({"file_path": "notes.txt"}))])]);
        let output = run(port, &project(&[("AfterTool", stop)]), &server, "work");
        assert_eq!((output.status.code(), server.requests().len()), (Some(2), 1), "{port:?}");
        assert!(text(&output.stderr).contains("enough"), "{port:?}");
    }
}
