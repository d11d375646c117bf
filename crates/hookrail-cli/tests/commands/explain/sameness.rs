//! What is explained is what happens.

use crate::explain::project::{EVERYTHING, ExplainProject, answer, payloads};
use serde_json::{Value, json};

fn write(place: &ExplainProject, path: &str) -> Value {
    json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": place.project.path(), "tool_name": "Write",
        "tool_input": {"file_path": path, "content": "x"},
    })
}

#[test]
fn the_bytes_are_those_of_hook_for_every_payload_of_every_agent() {
    let place = ExplainProject::new(&format!("{EVERYTHING}[core]\nprotected = [\"*\"]\n"));
    let mut refusals = 0;
    for (name, payload) in payloads(place.project.path()) {
        // The explanation comes first: it must foresee what it does not change.
        let explained = answer(&place.explain(&[], &payload));
        assert_eq!(explained, place.hook(&[], &payload), "{name}");
        refusals += usize::from(explained.stdout.contains("is protected"));
    }
    assert!(refusals > 10, "only {refusals} payloads were refused");
}

#[test]
fn the_bytes_are_those_of_hook_for_every_way_to_ask() {
    let config = format!(
        "{EVERYTHING}[core]\nprotected = [\"secrets/\"]\n[nonsense]\na = 1\n[[command]]\nname = \"lint\"\nevent = \"BeforeTool\"\ncommand = \"exit 2\"\n"
    );
    let place = ExplainProject::new(&config);
    let ways: [&[&str]; 7] = [
        &[],
        &["--agent", "gemini"],
        &["--pack", "core"],
        &["--pack", "core", "--pack", "isdlc"],
        &["core/protected-paths"],
        &["--contract", "spec", "isdlc/branch-guard"],
        &["--contract", "spec", "fsm/hydrate-tasks"],
    ];
    for event in [
        write(&place, "secrets/token"),
        write(&place, "src/main.rs"),
        json!({"skill_name": "none"}),
        json!({"hook_event_name": "Unheard"}),
    ] {
        for way in ways {
            let explained = answer(&place.explain(way, &event));
            assert_eq!(explained, place.hook(way, &event), "{way:?} {event}");
        }
    }
}

#[test]
fn a_text_too_long_for_a_model_would_be_kept_at_the_path_that_is_named() {
    let place = ExplainProject::new("");
    place.home.write(
        ".config/hookrail/hookrail.toml",
        "[[command]]\nname = \"talker\"\nevent = \"BeforeAgent\"\ncommand = \"printf '{\\\"hookSpecificOutput\\\": {\\\"additionalContext\\\": \\\"%020000d\\\"}}' 1\"\n",
    );
    let event =
        json!({"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": place.project.path(), "prompt": "hi"});
    let explained = answer(&place.explain(&["--run-commands"], &event));
    assert!(explained.stdout.contains("overflow") && explained.stdout.len() < 20000, "{explained:?}");
    assert!(!place.home.exists("state/overflow"));
    assert_eq!(explained, place.hook(&[], &event));
    assert!(place.home.exists("state/overflow"));
}

#[test]
fn every_hook_of_the_catalogue_and_the_configuration_is_accounted_for() {
    let config = "[packs.isdlc]\nenabled = true\n[[command]]\nname = \"a\"\nevent = \"BeforeTool\"\nmatcher = \"Edit\"\ncommand = \"x\"\n\
        [[command]]\nname = \"b\"\nevent = \"AfterTool\"\ncommand = \"x\"\n[[command]]\nname = \"c\"\nevent = \"BeforeTool\"\ncommand = \"y\"\n\
        [[command]]\nname = \"d\"\nevent = \"BeforeTool\"\ncommand = \"y\"\n[[command]]\nname = \"e\"\nevent = \"BeforeTool\"\nmode = \"off\"\ncommand = \"z\"\n";
    let place = ExplainProject::new(config);
    let explanation = place.explain(&[], &write(&place, ".claude/settings.json"));
    let fate = |id: &str| {
        let hooks = explanation["hooks"].as_array().unwrap();
        let found: Vec<&Value> = hooks.iter().filter(|hook| hook["hook"] == id).collect();
        assert_eq!(found.len(), 1, "{id}");
        found[0]["fate"].as_str().unwrap().to_owned()
    };
    for (id, expected) in [
        ("core/protected-paths", "ran"),
        ("core/event-log", "off"),
        ("fsm/hydrate-tasks", "off"),
        ("isdlc/branch-guard", "not-concerned"),
        ("isdlc/state-write-validator", "other-event"),
        ("a", "not-matched"),
        ("b", "other-event"),
        ("c", "skipped"),
        ("d", "duplicate"),
        ("e", "off"),
    ] {
        assert_eq!(fate(id), expected, "{id}");
    }
    for hook in hookrail_packs::CATALOGUE.iter().flat_map(|pack| pack.hooks) {
        fate(hook.id());
    }
    assert_eq!(explanation["merge"][0]["decision"], "block");
    assert_eq!(explanation["verdict"]["decision"], "block");
}

#[test]
fn a_project_that_repeats_its_users_command_does_not_take_its_place() {
    let repeated =
        "[[command]]\nname = \"theirs\"\nevent = \"BeforeTool\"\nmode = \"warn\"\ncommand = \"echo no >&2; exit 2\"\n";
    let place = ExplainProject::new(repeated);
    place.home.write(
        ".config/hookrail/hookrail.toml",
        "[[command]]\nname = \"mine\"\nevent = \"BeforeTool\"\nmatcher = \"Write\"\ncommand = \"echo no >&2; exit 2\"\n",
    );
    let event = write(&place, "src/main.rs");
    let refusal = place.hook(&[], &event).stdout;
    assert!(refusal.contains("\"deny\"") && !refusal.contains("not trusted"), "{refusal}");
    let explanation = place.explain(&["--run-commands"], &event);
    let fate = |name: &str| {
        let hooks = explanation["hooks"].as_array().unwrap();
        hooks.iter().find(|hook| hook["hook"] == name).unwrap()["fate"].clone()
    };
    assert_eq!((fate("mine"), fate("theirs")), (json!("ran"), json!("duplicate")));
}

#[test]
fn the_merge_is_told_step_by_step_in_plan_order() {
    let place = ExplainProject::new("");
    let hook = |name: &str, sequential: bool, command: &str| {
        format!(
            "[[command]]\nname = \"{name}\"\nevent = \"BeforeTool\"\nsequential = {sequential}\ncommand = '''{command}'''\n"
        )
    };
    let rewrite = |command: &str| {
        let output = json!({"hookSpecificOutput": {"tool_input": {"command": command}}});
        format!("echo '{output}'")
    };
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": place.project.path(), "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    });
    let explain = |config: String| {
        place.home.write(".config/hookrail/hookrail.toml", &config);
        let explanation = place.explain(&["--run-commands"], &event);
        assert_eq!(answer(&explanation), place.hook(&[], &event), "{config}");
        explanation
    };
    let steps = |explanation: &Value| -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let steps = explanation["merge"].as_array().unwrap().iter();
        steps.map(|step| (text(&step["hook"]), text(&step["said"]), text(&step["decision"]))).collect()
    };
    let step = |hook: &str, said: &str, decision: &str| (hook.to_owned(), said.to_owned(), decision.to_owned());
    let guard = step("core/protected-paths", "none", "none");

    let parallel =
        explain(hook("a", false, &rewrite("one")) + &hook("b", false, &rewrite("two")) + &hook("c", false, "exit 2"));
    let expected = [guard.clone(), step("a", "none", "none"), step("b", "none", "none"), step("c", "block", "block")];
    assert_eq!(steps(&parallel), expected);
    assert_eq!(parallel["merge"][2]["conflicts"], json!(["tool_input.command"]));
    assert_eq!(parallel["verdict"]["rewrite"]["tool_input"]["command"], "two");

    let sequential = explain(hook("a", true, "exit 2") + &hook("b", true, "true"));
    assert_eq!(steps(&sequential), [guard, step("a", "block", "block")]);
    let hooks = sequential["hooks"].as_array().unwrap();
    assert_eq!(hooks.iter().find(|hook| hook["hook"] == "b").unwrap()["fate"], "not-reached");
}
