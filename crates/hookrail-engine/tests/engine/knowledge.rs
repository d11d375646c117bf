//! What hookrail knows of a call: given to every hook, worked out once, and again when a hook rewrites the call.

use crate::support::object;
use hookrail_core::{Decision, Event, EventName, HookError, NativeHook, Outcome, ToolKind, Verdict, World};
use hookrail_effects::Act;
use hookrail_engine::{Config, Engine};
use hookrail_testkit::project::TempProject;
use hookrail_testkit::world::FakeWorld;
use serde_json::{Value, json};
use std::sync::Arc;

/// Gives its input back as the reason of its failure.
const ECHO: &str = "cat >&2; exit 1";

fn classify(name: &str, input: &Value) -> ToolKind {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    match name {
        "shell" => ToolKind::Shell { command: text("command"), cwd: None },
        "write" => ToolKind::Write { path: text("path"), content: text("content") },
        _ => ToolKind::Other,
    }
}

fn config(project: &TempProject, commands: &[&str], sequential: bool) -> Config {
    let hooks: Vec<Value> = commands.iter().map(|command| json!({ "type": "command", "command": command })).collect();
    let settings = json!({ "BeforeTool": [{ "sequential": sequential, "hooks": hooks }],
                           "AfterAgent": [{ "hooks": [{ "type": "command", "command": ECHO }] }] });
    let classify: fn(&str, &Value) -> ToolKind = classify;
    Config::new("s", project.path()).tools(classify).hooks(&settings)
}

/// What a hook that echoes its input was given.
fn given(verdict: &Verdict, run: usize) -> Value {
    serde_json::from_str(&verdict.runs()[run].stderr).unwrap()
}

#[test]
fn a_command_hook_reads_kind_paths_effects_and_gaps_of_a_call() {
    let project = TempProject::new();
    let folder = project.path().canonicalize().unwrap();
    let engine = Engine::open(&config(&project, &[ECHO], false)).unwrap();
    let cases = [
        ("shell", json!({ "command": "cd src && rm -rf old" }), "shell", "fs.delete", "src/old"),
        ("write", json!({ "path": "src/a.rs", "content": "" }), "write", "fs.write", "src/a.rs"),
    ];
    for (tool, input, kind, act, path) in cases {
        let given = given(&engine.before_tool(tool, &object(&input)), 0);
        let known = &given["hookrail"];
        assert_eq!(
            (&known["version"], &known["kind"], &known["gaps"]),
            (&json!(1), &json!(kind), &json!([])),
            "{known}"
        );
        let effect = &known["effects"][0];
        assert_eq!(
            (&effect["act"], &effect["place"], &effect["sure"]),
            (&json!(act), &json!("project"), &json!("certain"))
        );
        let told = known["paths"].as_array().unwrap().iter().any(|told| *told == json!(folder.join(path)));
        assert!(told, "{known}");
        assert_eq!((&given["tool_name"], &given["tool_input"]), (&json!(tool), &input), "the agent's own fields stay");
    }
    let unread = given(&engine.before_tool("shell", &object(&json!({ "command": "eval \"$X\"" }))), 0);
    assert_eq!(unread["hookrail"]["gaps"][0]["why"], "dynamic-code");
}

#[test]
fn an_event_without_a_call_has_the_same_fields_all_of_them_empty() {
    let project = TempProject::new();
    let engine = Engine::open(&config(&project, &[], false)).unwrap();
    let verdict = engine.fire_event(EventName::AfterAgent, &object(&json!({ "prompt": "p" })));
    let expected = json!({ "version": 1, "kind": null, "paths": [], "effects": [], "gaps": [] });
    assert_eq!(given(&verdict, 0)["hookrail"], expected);
}

#[test]
fn a_field_of_the_agent_with_that_name_is_replaced() {
    let project = TempProject::new();
    let engine = Engine::open(&config(&project, &[ECHO], false)).unwrap();
    for hostile in [json!({ "effects": [], "gaps": [], "trusted": true }), json!("nothing to see"), Value::Null] {
        let payload = json!({ "tool_name": "shell", "tool_input": { "command": "rm x" }, "hookrail": hostile });
        let given = given(&engine.fire_event(EventName::BeforeTool, &object(&payload)), 0);
        assert_eq!(given["hookrail"]["effects"][0]["act"], "fs.delete", "{hostile}");
        assert_eq!(given["hookrail"].get("trusted"), None);
    }
}

#[test]
fn what_a_hook_of_a_chain_rewrites_is_understood_anew_for_the_next() {
    let project = TempProject::new();
    let rewrite = r#"echo '{"hookSpecificOutput": {"tool_input": {"command": "touch made"}}}'"#;
    let engine = Engine::open(&config(&project, &[ECHO, rewrite, "cat >&2; exit 1 # again"], true)).unwrap();
    let verdict = engine.before_tool("shell", &object(&json!({ "command": "rm old" })));
    let acts = |run| given(&verdict, run)["hookrail"]["effects"][0]["act"].clone();
    assert_eq!((acts(0), acts(2)), (json!("fs.delete"), json!("fs.write")));
}

/// A guard that refuses to delete, or one that looks at nothing.
#[derive(Debug)]
struct Guard(&'static str);

impl NativeHook for Guard {
    fn id(&self) -> &str {
        self.0
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let deletes =
            self.0 != "test/blind" && hookrail_effects::of(event, world).is_some_and(|it| it.has(Act::FsDelete));
        Ok(if deletes { Outcome::deny("no") } else { Outcome::silent() })
    }
}

fn guard(id: &'static str) -> Arc<dyn NativeHook> {
    Arc::new(Guard(id))
}

#[test]
fn a_rewrite_that_brings_what_a_guard_refuses_is_refused() {
    let project = TempProject::new();
    let rewrite = r#"echo '{"hookSpecificOutput": {"tool_input": {"command": "rm -rf src"}}}'"#;
    for sequential in [false, true] {
        let config = config(&project, &[rewrite], sequential).native_hook(&guard("test/guard"));
        let verdict = Engine::open(&config).unwrap().before_tool("shell", &object(&json!({ "command": "ls" })));
        assert_eq!(verdict.decision(), Decision::Block, "sequential: {sequential}");
    }
}

#[test]
fn one_event_is_understood_once_by_all_its_hooks_and_not_at_all_if_none_asks() {
    let project = TempProject::new();
    let folder = project.path().canonicalize().unwrap();
    let script = folder.join("build.sh").display().to_string();
    let input = object(&json!({ "command": "sh build.sh" }));
    let cases: [(&[&str], [&'static str; 2], usize); 4] = [
        (&[], ["test/blind", "test/blind"], 0),
        (&[], ["test/one", "test/two"], 1),
        (&[ECHO, "cat >&2; exit 1 # again"], ["test/blind", "test/blind"], 1),
        (&[ECHO, "cat >&2; exit 1 # again"], ["test/one", "test/two"], 1),
    ];
    for (commands, guards, expected) in cases {
        for sequential in [false, true] {
            let world = Arc::new(FakeWorld::new().file(&script, "touch made\n"));
            let config =
                guards.iter().fold(config(&project, commands, sequential), |config, id| config.native_hook(&guard(id)));
            let config = config.world(Arc::clone(&world) as Arc<dyn World>);
            drop(Engine::open(&config).unwrap().before_tool("shell", &input));
            assert_eq!(world.times_read(&script), expected, "{commands:?} {guards:?} sequential: {sequential}");
        }
    }
}
