//! Rules that know what happened before.

use super::{RulesFixture, decision_of, event, rule};
use serde_json::{Value, json};

impl RulesFixture {
    /// A call with an id of its own.
    fn with_id(&self, name: &str, command: &str, id: &str) -> Value {
        let mut event = event(name, command);
        event["tool_use_id"] = json!(id);
        if name == "PostToolUse" {
            event["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
        }
        self.fire("claude", &event)
    }

    fn after(&self, command: &str) {
        self.with_id("PostToolUse", command, "");
    }
}

const GREEN: &str =
    "unless = { happened = { effect = \"exec.test\", outcome = \"ok\" }, since = { effect = \"fs.write\" } }\n";

#[test]
fn a_commit_waits_for_tests_that_passed() {
    let machine = RulesFixture::new(&(rule("green", r#"effect = "git.commit""#, "deny") + GREEN));
    let commit = || machine.decision("git commit -m x");
    assert_eq!(commit(), "deny");
    machine.after("pytest");
    assert_eq!(commit(), "none");
    machine.after("touch src/app.ts");
    assert_eq!(commit(), "deny");
    machine.after("pytest || true");
    assert_eq!(commit(), "deny", "how the tests ended is unknown");
    machine.with_id("PostToolUseFailure", "pytest", "");
    assert_eq!(commit(), "deny");
    machine.after("pytest");
    assert_eq!(commit(), "none");
    // A sub-agent of the session shares what is known.
    let mut by_subagent = event("PreToolUse", "git commit -m x");
    by_subagent["agent_id"] = json!("a1");
    assert_eq!(decision_of(&machine.fire("claude", &by_subagent)), "none");
    // Another session knows nothing.
    let mut elsewhere = event("PreToolUse", "git commit -m x");
    elsewhere["session_id"] = json!("other");
    assert_eq!(decision_of(&machine.fire("claude", &elsewhere)), "deny");
}

#[test]
fn an_agent_that_tells_no_status_leaves_it_unknown() {
    let machine = RulesFixture::new(&(rule("green", r#"effect = "git.commit""#, "deny") + GREEN));
    let codex = |name: &str, command: &str, response: &str| {
        let mut event = event(name, command);
        event["tool_response"] = json!(response);
        machine.fire("codex", &event)
    };
    codex("PostToolUse", "pytest", "3 passed");
    assert_eq!(decision_of(&codex("PreToolUse", "git commit -m x", "")), "deny");
    codex("PostToolUse", "pytest", "Process exited with code 0");
    assert_eq!(decision_of(&codex("PreToolUse", "git commit -m x", "")), "none");
}

fn fetches(count: u32, per: &str) -> String {
    rule("fetches", r#"effect = "net.fetch""#, "deny") + &format!("limit = {{ count = {count}, per = \"{per}\" }}\n")
}

#[test]
fn a_limit_holds_from_before_the_call_until_its_end_is_known() {
    let machine = RulesFixture::new(&fetches(2, "session"));
    let fetch = |id: &str| decision_of(&machine.with_id("PreToolUse", "curl https://example.com", id));
    assert_eq!([fetch("1"), fetch("2"), fetch("3")], ["none", "none", "deny"]);
    assert_eq!(fetch("2"), "none", "the same call is not counted twice");
    machine.with_id("PostToolUse", "curl https://example.com", "1");
    assert_eq!(fetch("3"), "deny");
    // A prompt later nothing runs any more; what never ended did not happen.
    machine.fire("claude", &json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"}));
    assert_eq!([fetch("4"), fetch("5")], ["none", "deny"]);
}

#[test]
fn a_refused_call_gives_back_its_share() {
    let machine = RulesFixture::new(&(fetches(1, "session") + &rule("no-push", r#"effect = "git.push""#, "deny")));
    let before = |command: &str, id: &str| decision_of(&machine.with_id("PreToolUse", command, id));
    assert_eq!(before("curl https://example.com; git push", "1"), "deny");
    assert_eq!(before("curl https://example.com", "2"), "none");
    assert_eq!(before("curl https://example.com", "3"), "deny");
}

#[test]
fn a_turn_ends_with_the_next_prompt_and_a_day_is_shared_by_sessions() {
    let machine = RulesFixture::new(&fetches(1, "turn"));
    let fetch = |session: &str, id: &str| {
        let mut event = event("PreToolUse", "curl https://example.com");
        event["tool_use_id"] = json!(id);
        event["session_id"] = json!(session);
        decision_of(&machine.fire("claude", &event))
    };
    assert_eq!([fetch("s", "1"), fetch("s", "2")], ["none", "deny"]);
    machine.with_id("PostToolUse", "curl https://example.com", "1");
    machine.fire("claude", &json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"}));
    assert_eq!([fetch("s", "3"), fetch("s", "4")], ["none", "deny"]);
    machine.user(&fetches(2, "day"));
    assert_eq!([fetch("a", "5"), fetch("b", "6"), fetch("c", "7")], ["none", "none", "deny"]);
}

#[test]
fn after_a_secret_the_network_is_asked_about() {
    let machine = RulesFixture::new(
        &(rule("leak", r#"effect = ["net.fetch", "net.send"], host = "!localhost""#, "ask")
            + "after = { effect = \"secret.read\" }\n"),
    );
    machine.project.write(".env", "A=1\n");
    assert_eq!(machine.decision("curl https://example.com"), "none");
    machine.fire("claude", &json!({"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": machine.project.at(".env")}, "tool_response": {}}));
    assert_eq!(machine.decision("curl https://example.com"), "ask");
    assert_eq!(machine.decision("curl http://localhost:3000"), "none");
}
