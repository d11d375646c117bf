//! What reaches which agent: approvals, and questions that no person can answer.

use super::{RulesFixture, decision_of, event, rule};
use serde_json::{Value, json};

fn call(event: &str, tool: &str, command: &str) -> Value {
    json!({ "hook_event_name": event, "tool_name": tool, "tool_input": { "command": command } })
}

#[test]
fn an_approval_reaches_every_agent_that_can_be_told() {
    let machine = RulesFixture::new(&rule("daily", r#"effect = "exec.test""#, "allow"));
    let permission = |word: &str| {
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word,
        "permissionDecisionReason": "rule `daily` allows this"}})
    };
    let behavior =
        json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}});
    for (agent, event, expected) in [
        ("claude", call("PreToolUse", "Bash", "pytest"), permission("allow")),
        ("claude", call("PermissionRequest", "Bash", "pytest"), behavior.clone()),
        ("qwen", call("PreToolUse", "run_shell_command", "pytest"), permission("allow")),
        ("qwen", call("PermissionRequest", "run_shell_command", "pytest"), behavior.clone()),
        ("droid", call("PreToolUse", "Execute", "pytest"), permission("allow")),
        // An allow without another input is a mistake there.
        ("codex", call("PreToolUse", "Bash", "pytest"), Value::Null),
        ("codex", call("PermissionRequest", "Bash", "pytest"), behavior),
        // An allow does not skip its question.
        ("gemini", call("BeforeTool", "run_shell_command", "pytest"), Value::Null),
        ("cursor", call("preToolUse", "Shell", "pytest"), json!({"permission": "allow"})),
        (
            "crush",
            json!({"event": "PreToolUse", "tool_name": "bash", "tool_input": {"command": "pytest"}}),
            json!({"decision": "allow"}),
        ),
        (
            "copilot",
            call("PreToolUse", "Bash", "pytest"),
            json!({"permissionDecision": "allow", "permissionDecisionReason": "rule `daily` allows this"}),
        ),
        (
            "copilot",
            json!({"hookName": "permissionRequest", "toolName": "bash", "toolInput": {"command": "pytest"}}),
            json!({"behavior": "allow"}),
        ),
    ] {
        assert_eq!(machine.fire(agent, &event), expected, "{agent} {event}");
    }
}

#[test]
fn nothing_is_approved_that_is_not_covered() {
    let machine = RulesFixture::new(
        &("[packs.safety]\nenabled = false\n".to_owned()
            + &rule("daily", r#"effect = ["exec.test", "none"]"#, "allow")
            + &rule("ask", r#"effect = "exec.test", program = "tox""#, "ask")),
    );
    for (command, expected) in [
        ("pytest", "allow"),
        ("echo hi", "allow"),
        ("pytest; touch a", "none"),
        ("pytest --pdbcls=x:y", "none"),
        ("pytest; eval \"$X\"", "none"),
        ("tox", "ask"),
    ] {
        assert_eq!(machine.decision(command), expected, "{command}");
    }
    // At the agent's own question the person is being asked already.
    assert_eq!(machine.fire("claude", &event("PermissionRequest", "tox")), Value::Null);
}

#[test]
fn a_command_of_the_user_may_approve_and_one_of_a_project_may_not() {
    let hook = |says: &str| format!("[[command]]\nname = \"c\"\nevent = \"BeforeTool\"\ncommand = \"echo '{says}'\"\n");
    let allow = r#"{\"hookSpecificOutput\": {\"permissionDecision\": \"allow\"}}"#;
    let user = RulesFixture::new(&hook(allow));
    assert_eq!(user.decision("touch a"), "allow");
    // Text is no objection, and nothing more.
    let talker = RulesFixture::new(&hook("fine"));
    assert_eq!(talker.decision("touch a"), "none");
    let project = RulesFixture::new("");
    project.project(&hook(allow));
    assert_eq!(project.hookrail(&["trust", "--yes"], "").0, Some(0));
    assert_eq!(project.decision("touch a"), "none");
    let records = project.journal();
    assert!(records.iter().any(|record| record["hook"] == "c" && record["decision"] == "allow"), "{records:#?}");
}

#[test]
fn an_approval_is_of_the_call_as_it_was_sent() {
    let rewrites = r#"{\"hookSpecificOutput\": {\"updatedInput\": {\"command\": \"touch other\"}}}"#;
    let command = format!("[[command]]\nname = \"c\"\nevent = \"BeforeTool\"\ncommand = \"echo '{rewrites}'\"\n");
    let machine = RulesFixture::new(&(rule("daily", r#"effect = "exec.test""#, "allow") + &command));
    let answer = machine.before("pytest");
    assert_eq!(decision_of(&answer), "none", "{answer}");
    assert_eq!(answer["hookSpecificOutput"]["updatedInput"]["command"], "touch other", "{answer}");
}

#[test]
fn a_question_that_nobody_can_be_asked_is_refused_with_its_words_and_a_way_out() {
    let ask = rule("ask-push", r#"effect = "git.push""#, "ask") + "say = \"a push needs a second look\"\n";
    let machine = RulesFixture::new(&ask);
    assert_eq!(machine.decision("git push"), "ask");
    for (agent, event, pointer) in [
        ("codex", call("PreToolUse", "Bash", "git push"), "/hookSpecificOutput/permissionDecisionReason"),
        ("gemini", call("BeforeTool", "run_shell_command", "git push"), "/reason"),
    ] {
        let answer = machine.fire(agent, &event);
        let reason = answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        assert!(
            reason.contains("a push needs a second look") && reason.contains("`hookrail allow`"),
            "{agent}: {answer}"
        );
    }
    machine.user(&format!("{ask}[rules]\nask_when_nobody_can_answer = \"allow\"\n"));
    assert_eq!(machine.decision("git push"), "ask", "a person can be asked");
    let answer = machine.fire("gemini", &call("BeforeTool", "run_shell_command", "git push"));
    assert!(
        answer.get("decision").is_none() && answer["systemMessage"].as_str().unwrap().contains("second look"),
        "{answer}"
    );
    // What comes with a project cannot say so.
    machine.user(&ask);
    machine.project("[rules]\nask_when_nobody_can_answer = \"allow\"\n");
    let answer = machine.fire("gemini", &call("BeforeTool", "run_shell_command", "git push"));
    assert_eq!(answer["decision"], "deny", "{answer}");
}
