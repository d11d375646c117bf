use crate::rpc::agent::{Agent, Gate, HANG, command};
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};
use hookrail_testkit::process::{alive, wait_until};
use serde_json::{Value, json};
use std::sync::Arc;

/// More requests than the server works on at the same time.
const CROWD: usize = 70;

fn with_gate() -> (Agent, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
    (Agent::with_native(gate.clone()), gate)
}

fn outcome(answer: &Value) -> &str {
    answer["runs"][0]["outcome"].as_str().expect("an outcome")
}

#[test]
fn a_slow_hook_holds_nobody_up() {
    let (mut agent, gate) = with_gate();
    let slow = agent.before_tool("slow");
    gate.wait_for_visitors(1);
    for _ in 0..3 {
        let quick = agent.before_tool("free");
        assert_eq!(outcome(&agent.read_result(quick)), "succeeded");
    }
    assert_eq!(agent.running(), 1);
    gate.open();
    assert_eq!(agent.read_result(slow)["reason"], json!("the gate says no"));
    assert_eq!(agent.running(), 0);
}

#[test]
fn slow_commands_run_side_by_side() {
    // Each waits until all are there.
    let script = "echo >> here; while [ \"$(wc -l < here)\" -lt 8 ]; do sleep 0.01; done; exit 2";
    let mut agent = Agent::with_hooks(&command("BeforeTool", script));
    let ids: Vec<u64> = (0..8).map(|_| agent.before_tool("a")).collect();
    let mut answered: Vec<u64> = ids.iter().map(|_| agent.read()["id"].as_u64().expect("an id")).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
}

#[test]
fn requests_beyond_the_limit_wait_and_can_still_be_cancelled() {
    let (mut agent, gate) = with_gate();
    let mut ids: Vec<u64> = (0..CROWD).map(|_| agent.before_tool("slow")).collect();
    assert_eq!(agent.running(), CROWD as u64);
    gate.wait_for_visitors(64);

    // Taken from the end of the queue, which no thread will reach before the gate is opened.
    let waiting = ids.pop().expect("a crowd");
    let cancel = agent.send("cancel", &json!({ "id": waiting }));
    assert_eq!(outcome(&agent.read_result(waiting)), "cancelled");
    assert_eq!(agent.read_result(cancel), json!({ "cancelled": true }));

    gate.open();
    let mut answered: Vec<u64> = ids.iter().map(|_| agent.read()["id"].as_u64().expect("an id")).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
}

#[test]
fn a_cancelled_request_is_answered_and_others_go_on() {
    let (mut agent, gate) = with_gate();
    let (first, second) = (agent.before_tool("slow"), agent.before_tool("slow"));
    gate.wait_for_visitors(2);
    let cancel = agent.send("cancel", &json!({ "id": first }));
    let mut answers = [agent.read(), agent.read()];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!((&answers[0]["id"], outcome(&answers[0]["result"])), (&json!(first), "cancelled"));
    assert_eq!((&answers[1]["id"], &answers[1]["result"]), (&json!(cancel), &json!({ "cancelled": true })));
    gate.open();
    assert_eq!(outcome(&agent.read_result(second)), "blocked");
}

#[test]
fn a_cancelled_command_is_killed_with_its_children() {
    let script = "sleep 600 & echo $! > child; echo $$ > shell; wait";
    let mut agent = Agent::with_hooks(&command("BeforeTool", script));
    let id = agent.before_tool("a");
    assert!(wait_until(HANG, || agent.project.exists("shell") && !agent.project.read("shell").is_empty()));
    let pids: Vec<u32> = ["child", "shell"].map(|file| agent.project.read(file).trim().parse().unwrap()).into();

    let cancel = agent.send("cancel", &json!({ "id": id }));
    let answers = [agent.read(), agent.read()];
    let answer = answers.iter().find(|answer| answer["id"] == json!(id)).expect("an answer");
    assert_eq!(answer["result"]["runs"][0]["outcome"], json!("cancelled"));
    assert_eq!(answer["result"]["runs"][0]["error"], json!("cancelled"));
    assert!(answers.iter().any(|answer| answer["id"] == json!(cancel)));
    assert!(wait_until(HANG, || !pids.iter().any(|pid| alive(*pid))), "{pids:?}");
}

#[test]
fn only_what_runs_can_be_cancelled() {
    let mut agent = Agent::with_hooks(&command("BeforeTool", "exit 0"));
    let id = agent.before_tool("a");
    agent.read_result(id);
    for id in [json!(id), json!("never"), Value::Null] {
        assert_eq!(agent.ask("cancel", &json!({ "id": id })), json!({ "cancelled": false }));
    }
}

#[test]
fn ids_are_recognised_however_they_are_spelled_and_types_are_told_apart() {
    let (mut agent, gate) = with_gate();
    let request =
        r#"{"jsonrpc": "2.0", "id": "\u0031", "method": "beforeTool", "params": {"toolName": "a", "toolInput": {}}}"#;
    agent.write(format!("{request}\n").as_bytes());
    gate.wait_for_visitors(1);
    assert_eq!(agent.ask("cancel", &json!({ "id": 1 })), json!({ "cancelled": false }));
    agent.send("cancel", &json!({ "id": "1" }));
    let answers = [agent.read(), agent.read()];
    assert!(answers.iter().any(|answer| answer["id"] == json!("1") && outcome(&answer["result"]) == "cancelled"));
    assert!(answers.iter().any(|answer| answer["result"] == json!({ "cancelled": true })));
}

/// Says on which thread it was asked, and panics if told to.
#[derive(Debug)]
struct Prompt {
    may_wait: bool,
}

impl NativeHook for Prompt {
    fn id(&self) -> &'static str {
        "test/prompt"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { may_wait: self.may_wait, ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        assert_ne!(event.text("tool_name"), Some("panic"), "as it was told to");
        Ok(Outcome::deny(std::thread::current().name().unwrap_or_default()))
    }
}

#[test]
fn hooks_that_wait_for_nothing_are_asked_by_the_reader_and_answered_in_order() {
    for (may_wait, thread) in [(false, "hookrail-reader"), (true, "hookrail-lane")] {
        let mut agent = Agent::with_native(Arc::new(Prompt { may_wait }));
        let ids: Vec<u64> = (0..200).map(|_| agent.before_tool("write")).collect();
        let mut answered = Vec::new();
        for _ in &ids {
            let answer = agent.read();
            assert_eq!(answer["result"]["reason"], thread, "{answer}");
            answered.push(answer["id"].as_u64().unwrap());
        }
        if !may_wait {
            assert_eq!(answered, ids);
        }
        let id = agent.before_tool("panic");
        assert_eq!(agent.read_result(id)["runs"][0]["outcome"], "failed", "a panic ends the hook and nothing else");
        assert_eq!(agent.running(), 0);
    }
}
