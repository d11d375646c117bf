//! The hook of the page about native hooks, in an engine and in an agent that embeds one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test loudly")]

use hookrail_core::NativeHook;
use hookrail_engine::{Config, Engine};
use hookrail_mini_agent::AgentExit;
use hookrail_testkit::model_server::{ModelServer, Turn};
use hookrail_testkit::process::within;
use hookrail_testkit::project::TempProject;
use serde_json::json;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// The code of the page.
mod page {
    include!(concat!(env!("OUT_DIR"), "/native_hook.rs"));
}

const REFUSAL: &str =
    "`Cargo.lock` is written by its tool. Do not edit it: change the manifest and run the tool instead";
const MODEL: &str = "BOOK_TEST_MODEL";

fn hook() -> Arc<dyn NativeHook> {
    Arc::new(page::LockFiles)
}

#[test]
fn it_fires_in_an_engine_that_knows_the_tools_and_only_where_it_applies() {
    // (the agent whose tools they are, tool, input, hooks that ran, refused)
    let cases = [
        ("llxprt", "write_file", json!({"file_path": "Cargo.lock", "content": "x"}), 1, true),
        ("gemini", "replace", json!({"file_path": "web/yarn.lock", "old_string": "a", "new_string": "b"}), 1, true),
        ("claude", "Edit", json!({"file_path": "Cargo.lock", "old_string": "a", "new_string": "b"}), 1, true),
        ("claude", "Write", json!({"file_path": "Cargo.toml", "content": "x"}), 1, false),
        ("claude", "Read", json!({"file_path": "Cargo.lock"}), 0, false),
        ("llxprt", "run_shell_command", json!({"command": "cargo update"}), 0, false),
    ];
    for (agent, tool, input, ran, refused) in cases {
        let tools = hookrail_dialects::dialect(agent).unwrap().classify();
        let engine = Engine::open(&Config::new("s", "/p").tools(tools).native_hook(&hook())).unwrap();
        let verdict = engine.before_tool(tool, input.as_object().unwrap());
        assert_eq!((verdict.runs().len(), verdict.refusal().is_some()), (ran, refused), "{agent} {tool} {input}");
    }
}

#[test]
fn it_refuses_a_call_in_the_mini_agent_and_is_not_asked_about_others() {
    let project = TempProject::new().file("Cargo.lock", "locked");
    let calls = [
        ("write_file", json!({"file_path": "Cargo.lock", "content": "by hand"})),
        ("write_file", json!({"file_path": "Cargo.toml", "content": "[package]"})),
        ("read_file", json!({"file_path": "Cargo.lock"})),
    ];
    let turns = calls.into_iter().map(|call| Turn::tool_calls([call])).chain([Turn::text("done")]);
    let server = ModelServer::start(turns.collect::<Vec<_>>());
    let mut agent = Command::new(std::env::current_exe().unwrap());
    agent.args(["--exact", "agent", "--ignored", "--nocapture"]).current_dir(project.path());
    agent.env(MODEL, server.base_url()).env("NO_PROXY", "127.0.0.1").env_remove("GEMINI_API_KEY");
    let output = within(Duration::from_secs(60), move || agent.output().unwrap());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");

    let requests = server.generations();
    let results: Vec<String> = requests[1..].iter().map(|request| request.tool_results().pop().unwrap().text).collect();
    assert_eq!(results, [REFUSAL, "wrote 9 bytes to `Cargo.toml`", "locked"]);
    assert_eq!((project.read("Cargo.lock").as_str(), project.read("Cargo.toml").as_str()), ("locked", "[package]"));
    let asked: Vec<&str> =
        stderr.lines().filter_map(|line| line.split_once("BeforeTool: ")?.1.split(' ').next()).collect();
    assert_eq!(asked, ["1", "1", "0"], "how many hooks were asked about each call: {stderr}");
}

/// The mini-agent with the hook of the page, as a process of its own: an agent works in its working directory.
#[test]
#[ignore = "started by the test above"]
#[expect(clippy::disallowed_methods, reason = "how the test above tells it where the model is")]
fn agent() {
    let model = std::env::var(MODEL).unwrap();
    let args = ["mini-agent", "--verbose", "--base-url", &model, "go"];
    let ending = hookrail_mini_agent::run_with(args.map(Into::into), &[hook()]);
    assert_eq!(ending, AgentExit::Completed);
}
