use crate::rpc::agent::{Agent, Gate, HANG, command};
use hookrail_host::rpc::Server;
use hookrail_testkit::process::{alive, wait_until, within};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// A hook that never ends by itself, nor does what it started; both leave their process ids.
const ENDLESS: &str = "sleep 600 & echo $! > child; echo $$ > shell; wait";

fn wait_for_pids(project: &TempProject) -> Vec<u32> {
    assert!(wait_until(HANG, || project.exists("shell") && !project.read("shell").is_empty()));
    ["child", "shell"].map(|file| project.read(file).trim().parse().unwrap()).into()
}

/// Starts an endless hook, ends the server in some way; expects that nothing of the hook is left and that the request
/// was answered.
fn check(end: impl FnOnce(&mut Agent)) {
    let mut agent = Agent::with_hooks(&command("BeforeTool", ENDLESS));
    let id = agent.before_tool("a");
    let pids = wait_for_pids(&agent.project);
    end(&mut agent);
    let rest = agent.wait_for_end();
    assert!(!pids.iter().any(|pid| alive(*pid)), "nothing is left when the server says that it ended");
    let answer = rest.iter().find(|answer| answer["id"] == json!(id)).expect("an answer");
    assert_eq!(answer["result"]["runs"][0]["outcome"], json!("cancelled"));
}

#[test]
fn the_end_of_the_input_ends_every_hook() {
    check(Agent::close_input);
}

#[test]
fn the_program_can_end_every_hook() {
    check(|agent| agent.service.stop());
}

#[test]
fn the_end_of_the_input_cuts_a_shutdown_short() {
    check(|agent| {
        agent.send("shutdown", &json!({}));
        agent.close_input();
    });
}

#[test]
fn an_idle_server_ends_with_its_input() {
    let mut agent = Agent::new();
    agent.close_input();
    assert_eq!(agent.wait_for_end(), Vec::<Value>::new());
}

#[test]
fn a_shutdown_lets_hooks_finish_and_takes_nothing_new() {
    let gate = Arc::new(Gate::default());
    let mut agent = Agent::with_native(gate.clone());
    let slow = agent.before_tool("slow");
    gate.wait_for_visitors(1);
    let shutdown = agent.send("shutdown", &json!({}));
    for (method, params) in [
        ("beforeTool", json!({ "toolName": "free", "toolInput": {} })),
        ("initialize", json!({ "sessionId": "s", "cwd": "/" })),
        ("shutdown", json!({})),
    ] {
        agent.send(method, &params);
        let refusal = agent.read();
        assert_eq!(refusal["error"]["code"], json!(-32003), "{method}: {refusal}");
    }
    assert_eq!(agent.running(), 1, "what only asks is still answered");

    gate.open();
    let rest = agent.wait_for_end();
    let ids: Vec<&Value> = rest.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(slow), &json!(shutdown)], "the answer to the shutdown is the last word");
    assert_eq!(rest[0]["result"]["reason"], json!("the gate says no"));
    assert_eq!(rest[1], json!({ "jsonrpc": "2.0", "id": shutdown, "result": null }));
}

#[test]
fn a_shutdown_can_be_hurried_by_cancelling() {
    let mut agent = Agent::with_hooks(&command("BeforeTool", ENDLESS));
    let endless = agent.before_tool("a");
    let pids = wait_for_pids(&agent.project);
    agent.send("shutdown", &json!({}));
    agent.send("cancel", &json!({ "id": endless }));
    assert_eq!(agent.wait_for_end().len(), 3);
    assert!(!pids.iter().any(|pid| alive(*pid)));
}

#[test]
fn a_server_nobody_listens_to_ends_by_itself() {
    // One is answered by the thread that reads, the other by a thread that ran a hook.
    for (method, params) in [("status", json!({})), ("beforeTool", json!({ "toolName": "a", "toolInput": {} }))] {
        let (requests, mut input) = std::io::pipe().unwrap();
        let (answers, output) = std::io::pipe().unwrap();
        let service = Server::new().start(requests, output).unwrap();
        drop(answers);

        let settings = json!({ "enableHooks": true, "hooks": command("BeforeTool", "exit 0") });
        let session = json!({ "sessionId": "s", "cwd": "/", "settings": settings });
        let open = json!({ "jsonrpc": "2.0", "method": "initialize", "params": session });
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(input, "{open}").unwrap();
        let waiting = service.clone();
        let (ended, end) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            waiting.wait();
            let _ = ended.send(());
        });
        // A process that another test is just starting may hold a copy of the reader for a moment: the first answer then
        // reaches it, and only a later one finds no receiver.
        within(HANG, move || {
            while end.try_recv().is_err() {
                let _ = writeln!(input, "{request}");
                std::thread::sleep(Duration::from_millis(20));
            }
        });
    }
}
