//! Small truths, each of which was once wrong: what the packs take for a file, an answer, a change or an agent.

use crate::isdlc::project as isdlc;
use crate::orchestrator::project as orchestrator;
use crate::planning::project as planning;
use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::fs;

/// A truth, and what shows it: `None`, or what was found instead.
type Truth = (&'static str, fn() -> Result<(), String>);

fn holds(condition: bool, found: impl std::fmt::Debug) -> Result<(), String> {
    if condition { Ok(()) } else { Err(format!("{found:?}")) }
}

const TRUTHS: &[Truth] = &[
    ("a planning state with front matter of 600 KiB silences no guard", || {
        let notes = "n".repeat(300 << 10);
        let yaml = format!("notes: {notes}\nphase: ARCHITECTURE\nmore: {notes}");
        let place = planning::PlanningProject::new().locked().state(&yaml);
        let ruling = place.ruling(planning::Contract::Agent, &place.write(format!("{}/spec.md", planning::FEATURE)));
        holds(ruling.word() == "refused", ruling)
    }),
    ("a folder is no artifact", || {
        let place =
            planning::PlanningProject::new().state("phase: RESEARCH").file("plan.md", "x").file("tasks.md", "x");
        fs::create_dir_all(place.project.at(place.feature_path("design.md"))).unwrap();
        let ruling = place.ruling(planning::Contract::Agent, &stop(&place, "none.jsonl"));
        holds(ruling.word() == "refused" && ruling.text().contains("design.md"), ruling)
    }),
    ("a transcript that is a folder does not excuse a stop", || {
        let place = planning::PlanningProject::new().state("phase: RESEARCH");
        fs::create_dir(place.home.at("transcript.jsonl")).unwrap();
        let ruling = place.ruling(planning::Contract::Agent, &stop(&place, "transcript.jsonl"));
        holds(ruling.word() == "refused", ruling)
    }),
    ("an agent that was launched in the background has not finished a discovery", || {
        let place = discovery("{}");
        let launched = json!({ "isAsync": true, "status": "async_launched", "agentId": "a1" });
        let said = place.run(&["--pack", "isdlc"], &place.answered(DISCOVERY, "go", &launched).to_string());
        holds(said.out.is_empty(), said)
    }),
    ("an agent without output has not finished a discovery", || {
        let place = discovery("{}");
        let empty = json!({ "status": "completed", "content": [] });
        let said = place.run(&["--pack", "isdlc"], &place.answered(DISCOVERY, "go", &empty).to_string());
        holds(said.out.is_empty(), said)
    }),
    ("one with output has", || {
        let place = discovery("{}");
        let done = json!({ "status": "completed", "content": [{ "type": "text", "text": "Done." }] });
        let said = place.run(&["--pack", "isdlc"], &place.answered(DISCOVERY, "go", &done).to_string());
        holds(said.out.contains("walkthrough"), said)
    }),
    ("the text `true` is not true", || {
        let place = discovery("{\"discovery_context\": {\"walkthrough_completed\": \"true\"}}");
        let done = json!({ "status": "completed", "content": [{ "type": "text", "text": "Done." }] });
        let said = place.run(&["--pack", "isdlc"], &place.answered(DISCOVERY, "go", &done).to_string());
        holds(said.out.contains("walkthrough"), said)
    }),
    ("and `true` itself is", || {
        let place = discovery("{\"discovery_context\": {\"walkthrough_completed\": true}}");
        let done = json!({ "status": "completed", "content": [{ "type": "text", "text": "Done." }] });
        let said = place.run(&["--pack", "isdlc"], &place.answered(DISCOVERY, "go", &done).to_string());
        holds(!said.out.contains("without constitution walkthrough"), said)
    }),
    ("a file of a task that has not changed since the start is refused without a commit, too", || {
        let said = completed("2190-01-01T00:00:00Z");
        holds(said.code == Some(2) && said.err.contains("`old.rs` has not changed since the start"), said)
    }),
    ("one that has changed since is not", || {
        let said = completed("1990-01-01T00:00:00Z");
        holds(!said.err.contains("has not changed"), said)
    }),
    ("when one hook stops and another blocks, both reasons are kept", || {
        let config = "[[command]]\nname = \"stops\"\nevent = \"BeforeTool\"\n\
                      command = '''echo '{\"continue\": false, \"stopReason\": \"the day is over\"}' '''\n\
                      [[command]]\nname = \"blocks\"\nevent = \"BeforeTool\"\ncommand = \"echo 'not this file' >&2; exit 2\"\n";
        let answer = answer_of(config, &[], &["hook"], &bash("PreToolUse"));
        let said = answer.to_string();
        holds(said.contains("the day is over") && said.contains("not this file"), said)
    }),
    ("`LLXPRT_PROJECT_DIR` makes a payload of Gemini's shape LLxprt's", || {
        let gemini = agent_of(&[]);
        let llxprt = agent_of(&["LLXPRT_PROJECT_DIR"]);
        holds((gemini.as_str(), llxprt.as_str()) == ("gemini", "llxprt"), (gemini, llxprt))
    }),
    ("a replacement of a model's answer without parts is still one", || {
        let empty = json!({ "candidates": [{ "content": { "role": "model", "parts": [] } }] });
        let output = json!({ "hookSpecificOutput": { "hookEventName": "AfterModel", "llm_response": empty } });
        let config =
            format!("[[command]]\nname = \"empties\"\nevent = \"AfterModel\"\ncommand = '''echo '{output}' '''\n");
        let fields = json!({
            "llm_request": { "model": "m", "messages": [] },
            "llm_response": { "candidates": [{ "content": { "role": "model", "parts": ["hello"] } }] },
        });
        let answer = answer_of(&config, &[], &["hook", "--agent", "gemini"], &event("AfterModel", &fields));
        holds(answer.pointer("/hookSpecificOutput/llm_response/candidates/0/content/parts") == Some(&json!([])), answer)
    }),
    ("a full disk is not a guard's own failure", || {
        // The third failure in a row would disable a hook for the rest of the session.
        let place = planning::PlanningProject::new().state("phase: RESEARCH");
        let search = place.event("PreToolUse", &json!({ "tool_name": "WebSearch", "tool_input": { "query": "x" } }));
        for _ in 0..6 {
            let script = "ulimit -f 0; exec \"$0\" hook --agent=claude --pack=planning";
            let mut shell = program("/bin/sh", &place.project, &place.home);
            shell.args(["-c", script, env!("CARGO_BIN_EXE_hookrail")]);
            shell.envs(place.env.iter().map(|(name, value)| (name, value)));
            talk(&mut shell, search.to_string());
        }
        let doctor = place.hookrail(&["doctor"], "");
        holds(!doctor.out.contains("disabled for the rest"), doctor)
    }),
];

#[test]
fn the_small_truths_hold() {
    let wrong: Vec<String> =
        TRUTHS.iter().filter_map(|(truth, show)| show().err().map(|found| format!("{truth}: {found}"))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn stop(place: &planning::PlanningProject, transcript: &str) -> Value {
    let mut event = place.event("Stop", &json!({ "stop_hook_active": false }));
    event["transcript_path"] = json!(place.home.at(transcript));
    event
}

const DISCOVERY: &str = "isdlc:discover-orchestrator";

fn discovery(state: &str) -> isdlc::WorkflowProject {
    isdlc::WorkflowProject::empty().file(".isdlc/state.json", state)
}

/// A task is completed that names an old file, and no commit.
fn completed(started: &str) -> orchestrator::TeamReply {
    let mut state = orchestrator::state();
    state["started"] = json!(started);
    let place = orchestrator::TeamProject::busy().file(orchestrator::STATE, &state.to_string()).file("old.rs", "old");
    let place = orchestrator::TeamProject { project: place.project.git_init("main"), home: place.home };
    let place = place.task(orchestrator::TEAM, "1", &json!({ "files_changed": ["old.rs"] }));
    let event = json!({
        "task_id": "1", "task_subject": "Lexer", "teammate_name": "impl-1", "team_name": orchestrator::TEAM,
    });
    place.fire("TaskCompleted", &event)
}

fn event(name: &str, fields: &Value) -> Value {
    let mut event = json!({ "session_id": "s", "transcript_path": "/t", "hook_event_name": name });
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    event
}

fn bash(name: &str) -> Value {
    event(name, &json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } }))
}

/// What is answered to an event under a configuration of the user's.
fn answer_of(config: &str, variables: &[&str], args: &[&str], event: &Value) -> Value {
    let (project, home) = (TempProject::new(), TempProject::new());
    home.write(".config/hookrail/hookrail.toml", config);
    let mut event = event.clone();
    event["cwd"] = json!(project.path());
    let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &project, &home);
    command.args(args).envs(variables.iter().map(|name| (name, project.path())));
    let (_, out, err) = talk(&mut command, event.to_string());
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
}

/// Whose an event of Gemini's shape is taken to be, as the journal has it.
fn agent_of(variables: &[&str]) -> String {
    let (project, home) = (TempProject::new(), TempProject::new());
    let input = json!({ "file_path": ".hookrail/x", "content": "" });
    let mut event = event(
        "BeforeTool",
        &json!({ "tool_name": "write_file", "tool_input": input, "timestamp": "2026-01-01T00:00:00Z" }),
    );
    event["cwd"] = json!(project.path());
    let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &project, &home);
    command.arg("hook").env("GEMINI_PROJECT_DIR", project.path());
    command.envs(variables.iter().map(|name| (name, project.path())));
    talk(&mut command, event.to_string());
    let (_, out, _) = talk(program(env!("CARGO_BIN_EXE_hookrail"), &project, &home).args(["log", "--json"]), "");
    let record: Value = serde_json::from_str(out.lines().next().unwrap_or("{}")).unwrap();
    record["agent"].as_str().unwrap_or_default().to_owned()
}
