//! What the agent does around a prompt: hooks that are obeyed, skills, prompts line by line, agents of its own.

use hookrail_testkit::model_server::{ModelServer, Recorded, Turn};
use hookrail_testkit::process::within;
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

struct AgentRun {
    exit: Option<i32>,
    stdout: String,
    stderr: String,
    requests: Vec<Recorded>,
}

impl AgentRun {
    fn prompts(&self) -> Vec<String> {
        self.requests.iter().map(Recorded::last_user_text).collect()
    }
}

/// Runs the agent with prompts on standard input.
fn play(project: &TempProject, args: &[&str], stdin: &str, turns: Vec<Turn>) -> AgentRun {
    let server = ModelServer::start(turns);
    let mut agent = Command::new(env!("CARGO_BIN_EXE_mini-agent"));
    agent.current_dir(project.path()).env_remove("GEMINI_API_KEY").env("NO_PROXY", "127.0.0.1");
    agent.args(["--base-url", &server.base_url()]).args(args);
    agent.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let stdin = stdin.to_owned();
    let output = within(Duration::from_secs(60), move || {
        let mut agent = agent.spawn().unwrap();
        // The agent may have ended without reading.
        let _ = agent.stdin.take().unwrap().write_all(stdin.as_bytes());
        agent.wait_with_output().unwrap()
    });
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    AgentRun {
        exit: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        requests: server.generations(),
    }
}

/// A project with a hook that notes each event and says one thing at one of them.
fn hooked(event: &str, says: &Value) -> TempProject {
    let script = format!(
        "#!/bin/sh\ninput=$(cat)\nname=${{input#*hook_event_name\\\":\\\"}}\nname=${{name%%\\\"*}}\necho $name >> events.txt\n\
         if [ $name = {event} ]; then cat <<'END'\n{says}\nEND\nfi\n"
    );
    let group = json!([{"hooks": [{"type": "command", "command": "$LLXPRT_PROJECT_DIR/hook.sh"}]}]);
    let events =
        ["SessionStart", "UserPromptExpansion", "UserPromptSubmit", "PreToolUse", "Stop", "PreCompact", "SessionEnd"];
    let hooks: Value = events.iter().map(|name| ((*name).to_owned(), group.clone())).collect();
    TempProject::new().script("hook.sh", &script).file(".claude/settings.json", &json!({ "hooks": hooks }).to_string())
}

const OBEY: [&str; 4] = ["--settings", ".claude/settings.json", "--obey", "-i"];

fn context(event: &str, text: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
}

#[test]
fn context_of_hooks_goes_to_the_model_with_the_prompt() {
    for (event, expected) in [
        ("SessionStart", vec!["one\n\nmind the gap", "two"]),
        ("UserPromptSubmit", vec!["one\n\nmind the gap", "two\n\nmind the gap"]),
        ("Stop", vec!["one", "two"]),
    ] {
        let project = hooked(event, &context(event, "mind the gap"));
        let played = play(&project, &OBEY, "one\n\ntwo\n", vec![Turn::text("1"), Turn::text("2")]);
        assert_eq!((played.exit, played.stdout.as_str()), (Some(0), "1\n2\n"), "{event}: {}", played.stderr);
        assert_eq!(played.prompts(), expected, "{event}");
        let events = "SessionStart\nUserPromptSubmit\nStop\nUserPromptSubmit\nStop\nSessionEnd\n";
        assert_eq!(project.read("events.txt"), events, "every hook is asked once");
    }
}

#[test]
fn a_prompt_that_a_hook_refuses_is_not_worked_on_and_the_next_one_is_unless_it_stops_the_agent() {
    let no = json!({"decision": "deny", "reason": "not today"});
    let stop = json!({"continue": false, "stopReason": "not today"});
    for (says, exit) in [(no, 3), (stop, 4)] {
        let played = play(&hooked("UserPromptSubmit", &says), &OBEY, "one\n", vec![Turn::text("1")]);
        assert_eq!((played.exit, played.requests.len()), (Some(exit), 0), "{says}");
        assert!(played.stderr.contains("a hook refused the prompt: not today"), "{}", played.stderr);
    }
}

#[test]
fn a_hook_that_does_not_want_the_agent_to_stop_sends_it_on_but_not_for_ever() {
    let project = hooked("Stop", &json!({"decision": "deny", "reason": "there is more to do"}));
    let turns = vec![Turn::text("a"), Turn::text("b"), Turn::text("c"), Turn::text("d"), Turn::text("e")];
    let played = play(&project, &OBEY, "go\n", turns);
    assert_eq!((played.exit, played.stdout.as_str()), (Some(0), "a\nb\nc\nd\n"), "{}", played.stderr);
    let prompts = played.prompts();
    assert_eq!((prompts[0].as_str(), prompts[1].as_str()), ("go", "there is more to do"));
    assert!(played.stderr.contains("a hook sends the agent on: there is more to do"), "{}", played.stderr);
}

#[test]
fn hooks_that_are_not_obeyed_are_told_and_change_nothing() {
    // covers: HOOK-203
    let project = hooked("Stop", &json!({"decision": "deny", "reason": "there is more to do"}));
    let played = play(&project, &["--settings", ".claude/settings.json", "-i"], "go\n", vec![Turn::text("a")]);
    assert_eq!((played.exit, played.stdout.as_str()), (Some(0), "a\n"), "{}", played.stderr);
    assert_eq!(project.read("events.txt"), "SessionStart\nUserPromptSubmit\nStop\nSessionEnd\n");
}

#[test]
fn a_skill_is_told_to_the_model_in_place_of_its_name() {
    let project = hooked("UserPromptExpansion", &context("UserPromptExpansion", "unused"))
        .file(".claude/skills/ship/SKILL.md", "Ship it.");
    let played = play(&project, &OBEY, "/ship today\n/nonsense\n", vec![Turn::text("1"), Turn::text("2")]);
    assert_eq!(played.prompts(), ["Ship it.\n\ntoday\n\nunused", "/nonsense"]);
    assert!(
        project
            .read("events.txt")
            .starts_with("SessionStart\nUserPromptExpansion\nUserPromptSubmit\nStop\nUserPromptSubmit")
    );
}

#[test]
fn a_compressed_conversation_goes_on_with_its_summary_and_what_hooks_add_to_it() {
    let project = hooked("SessionStart", &context("SessionStart", "mind the gap"));
    let turns = vec![Turn::text("1"), Turn::text("all is well so far"), Turn::text("2")];
    let played = play(&project, &OBEY, "one\n/compress\ntwo\n", turns);
    assert_eq!((played.exit, played.stdout.as_str()), (Some(0), "1\nall is well so far\n2\n"), "{}", played.stderr);
    let last = &played.requests[2];
    assert_eq!(last.texts(), ["two\n\nmind the gap"], "what was said before is gone");
    assert!(last.system_text().ends_with("What happened so far:\nall is well so far"), "{}", last.system_text());
    let events = "SessionStart\nUserPromptSubmit\nStop\nPreCompact\nSessionStart\nUserPromptSubmit\nStop\nSessionEnd\n";
    assert_eq!(project.read("events.txt"), events);
}

#[test]
fn a_subagent_has_a_conversation_of_its_own_under_the_same_hooks() {
    let project = hooked("Nothing", &json!({})).file("a.txt", "alpha");
    let played = play(
        &project,
        &OBEY,
        "go\n",
        vec![
            Turn::tool_call("task", json!({"subagent_name": "reader", "goal_prompt": "read a.txt"})),
            Turn::tool_call("read_file", json!({"file_path": "a.txt"})),
            Turn::text("it says alpha"),
            Turn::text("done"),
        ],
    );
    assert_eq!((played.exit, played.stdout.as_str()), (Some(0), "done\n"), "{}", played.stderr);
    assert!(played.requests[1].system_text().contains("`reader`"));
    assert_eq!(played.requests[1].last_user_text(), "read a.txt");
    assert!(!played.requests[1].tool_names().contains(&"task".to_owned()), "it has none of its own");
    assert_eq!(played.requests[3].tool_results()[0].text, "it says alpha");
    assert_eq!(project.read("events.txt").matches("PreToolUse").count(), 2, "the delegation and the read");
}

#[test]
fn questions_that_nobody_can_answer_are_the_models_to_decide() {
    let turns =
        vec![Turn::tool_call("ask_user", json!({"questions": [{"question": "Which way?"}]})), Turn::text("left")];
    let played = play(&TempProject::new(), &["go"], "", turns);
    assert!(played.requests[1].tool_results()[0].text.starts_with("no person is there to answer"));
}
