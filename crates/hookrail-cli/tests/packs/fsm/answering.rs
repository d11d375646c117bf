use crate::fsm::project::{CONTINUE, SkillProject, snapshot, tagged};
use serde_json::{Value, json};

fn good() -> SkillProject {
    SkillProject::new().skill("s", &json!([{"id": 1, "subject": "a"}]))
}

fn bad() -> SkillProject {
    SkillProject::new().skill("s", &json!([{"id": 1}])).task("1.json", &tagged(1, "old"))
}

fn typed(place: &SkillProject, command: &str) -> Value {
    let mut event = place.skill_event(command);
    let fields = event.as_object_mut().unwrap();
    for key in ["tool_name", "tool_input", "tool_response", "tool_use_id"] {
        fields.remove(key);
    }
    fields.insert("hook_event_name".to_owned(), json!("UserPromptExpansion"));
    fields.insert("expansion_type".to_owned(), json!("slash_command"));
    fields.insert("command_name".to_owned(), json!(command));
    fields.insert("command_args".to_owned(), json!(""));
    fields.insert("prompt".to_owned(), json!(format!("/{command}")));
    event
}

#[test]
fn after_hydration_the_answer_is_continue_with_exit_0() {
    // covers: SCN-THS-8.1 REQ-THS-8
    for args in
        [&["hook", "fsm/hydrate-tasks"][..], &["hook", "--pack=fsm"], &["hook", "--pack=fsm", "--contract=spec"]]
    {
        let place = good();
        place.run(args, &place.skill_event("s").to_string()).assert_continues();
        assert_eq!(place.tasks().len(), 1);
    }
}

#[test]
fn with_nothing_to_do_the_answer_is_the_same() {
    // covers: SCN-THS-8.2 REQ-THS-8
    let place = good();
    for contract in ["agent", "spec"] {
        let args = ["hook", "fsm/hydrate-tasks", "--contract", contract];
        place.run(&args, &place.skill_event("none").to_string()).assert_continues();
        let mut other_tool = place.skill_event("s");
        other_tool["tool_name"] = json!("Bash");
        place.run(&args, &other_tool.to_string()).assert_continues();
    }
    assert!(!place.list().exists());
}

#[test]
fn an_error_is_an_exit_code_for_the_document_and_reaches_model_and_user_in_claude_code() {
    // covers: SCN-THS-4.3
    let place = bad();
    let event = place.skill_event("s").to_string();
    place.run(&["hook", "--pack", "fsm", "--contract", "spec"], &event).assert_fails(&["missing `subject`"]);
    for contract in [&["hook", "fsm/hydrate-tasks"][..], &["hook", "--agent=claude", "--pack=fsm", "--contract=agent"]]
    {
        let said = place.run(contract, &event);
        assert_eq!(said.code, Some(0), "at 2 Claude Code would not read what is for the user: {}", said.err);
        let answer: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(answer["decision"], "block", "{answer}");
        for field in ["reason", "systemMessage"] {
            assert!(answer[field].as_str().unwrap().contains("missing `subject`"), "{field}: {answer}");
        }
    }
}

#[test]
fn every_error_of_the_document_is_seen_in_both_contracts_and_changes_nothing() {
    // covers: SCN-THS-1.3 SCN-THS-1.4 SCN-THS-1.5 SCN-THS-4.2 SCN-THS-4.3 SCN-THS-4.4 SCN-THS-4.5 SCN-THS-4.6
    let without = |field: &str| {
        let place = good();
        let mut event = place.skill_event("s");
        match field {
            "session_id" => drop(event.as_object_mut().unwrap().remove("session_id")),
            _ => event["tool_response"] = json!({"success": true}),
        }
        (place, event.to_string())
    };
    let with = |fsm: &str| {
        let place = SkillProject::new().task("1.json", &tagged(1, "old"));
        place.project.write(".claude/skills/s/fsm.json", fsm);
        let event = place.skill_event("s").to_string();
        (place, event)
    };
    let cases = [
        (without("session_id"), vec!["missing `session_id`"]),
        (without("commandName"), vec!["missing `tool_response.commandName`"]),
        (with("[{"), vec!["is not valid JSON"]),
        (with(r#"[{"id": 1}]"#), vec!["missing `subject`"]),
        (with(r#"[{"id": 1, "subject": "a"}, {"id": 1, "subject": "b"}]"#), vec!["duplicate id 1"]),
        (with(r#"[{"id": 1, "subject": "a", "blockedBy": [7]}]"#), vec!["refers to 7"]),
        (
            with(r#"[{"id": 1}, {"id": 1, "subject": "b", "blockedBy": [7]}]"#),
            vec!["missing `subject`", "duplicate id 1", "refers to 7"],
        ),
    ];
    for ((place, event), parts) in cases {
        let before = snapshot(&place.list());
        place.run(&["hook", "--pack=fsm", "--contract=spec"], &event).assert_fails(&parts);
        let said = place.run(&["hook", "--agent=claude", "--pack=fsm"], &event);
        let answer: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        for part in parts {
            assert!(answer["reason"].as_str().unwrap().contains(part), "{part}: {answer}");
            assert!(answer["systemMessage"].as_str().unwrap().contains(part), "{part}: {answer}");
        }
        assert_eq!(snapshot(&place.list()), before);
    }
    let place = good();
    place.run(&["hook", "--pack=fsm", "--contract=spec"], "{").assert_fails(&["not a JSON object"]);
    let said = place.run(&["hook", "--agent=claude", "--pack=fsm"], "{");
    assert_eq!(said.code, Some(2), "what is no event has no form of its own");
    assert!(said.err.contains("not a JSON object"), "{}", said.err);
}

#[test]
fn install_calls_the_pack_by_an_entry_of_its_own_and_that_entry_answers_as_the_document_says() {
    // covers: REQ-THS-8 SCN-THS-8.1 SCN-THS-4.3
    for args in [&["install", "claude"][..], &["install", "claude", "--pack", "fsm", "--pack", "core"]] {
        let place = good();
        place.project.write(".hookrail/hookrail.toml", "[packs.fsm]\nenabled = true\n[packs.isdlc]\nenabled = true\n");
        for _ in 0..2 {
            assert_eq!(place.run(args, "").code, Some(0));
            let settings: Value = serde_json::from_str(&place.project.read(".claude/settings.json")).unwrap();
            let groups = settings["hooks"]["PostToolUse"].as_array().unwrap();
            let for_skills: Vec<&Value> = groups
                .iter()
                .filter(|group| group["matcher"].as_str().is_some_and(|it| it.contains("Skill")))
                .collect();
            assert_eq!(for_skills.len(), 1, "{settings:#}");
            let command = for_skills[0]["hooks"][0]["command"].as_str().unwrap();
            assert!(command.ends_with(" hook --agent claude --pack fsm"), "{command}");
        }
        let entry = ["hook", "--agent", "claude", "--pack", "fsm"];
        place.run(&entry, &place.skill_event("s").to_string()).assert_continues();
        assert_eq!(place.tasks().len(), 1);
        assert_eq!(place.run(&["uninstall", "claude"], "").code, Some(0));
        let left = snapshot(&place.project.at(".claude"));
        assert!(!left.values().any(|text| text.contains("hookrail hook")), "{left:?}");
    }
}

#[test]
fn nothing_in_a_skills_file_steers_the_terminal_or_the_model() {
    let place = SkillProject::new().skill("s", &json!([{"id": "\u{1b}[2J\u{202e}x", "subject": "a"}]));
    let event = place.skill_event("s").to_string();
    for contract in ["--contract=spec", "--contract=agent"] {
        let said = place.run(&["hook", "--agent=claude", "--pack=fsm", contract], &event);
        let text = format!("{}{}", said.out, said.err);
        assert!(text.contains("is an integer from 1"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
    }
}

#[test]
fn five_thousand_tasks_are_hydrated_and_replaced_with_both_sides_of_each_dependency() {
    let chain: Vec<Value> = (1..=5000)
        .map(|id| json!({"id": id, "subject": format!("step {id}"), "blockedBy": if id > 1 { vec![id - 1] } else { vec![] }}))
        .collect();
    let place = SkillProject::new().skill("s", &json!(chain));
    for _ in 0..2 {
        place.invoke("s").assert_continues();
        let tasks = place.tasks();
        assert_eq!(tasks.len(), 5000);
        assert_eq!(tasks["2500.json"]["blocks"], json!(["2501"]));
        assert_eq!(tasks["2500.json"]["blockedBy"], json!(["2499"]));
    }
}

#[test]
fn a_task_is_a_file_that_others_may_read_as_claude_code_writes_it() {
    use std::os::unix::fs::PermissionsExt;
    let place = good();
    place.invoke("s").assert_continues();
    let mode = std::fs::metadata(place.list().join("1.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644, "{mode:o}");
}

#[test]
fn a_task_list_behind_a_link_is_refused() {
    for link in [".claude/tasks", ".claude/tasks/abc-123"] {
        let place = good();
        place.home.write("elsewhere/1.json", &tagged(1, "old").to_string());
        place.home.write("elsewhere/abc-123/1.json", &tagged(1, "old").to_string());
        std::fs::create_dir_all(place.home.at(link).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(place.home.at("elsewhere"), place.home.at(link)).unwrap();
        place.invoke("s").assert_fails(&["is a symbolic link; nothing was changed"]);
        let names = |folder: &str| snapshot(&place.home.at(folder)).into_keys().collect::<Vec<_>>();
        assert_eq!(
            (names("elsewhere"), names("elsewhere/abc-123")),
            (vec!["1.json".to_owned(), "abc-123".to_owned()], vec!["1.json".to_owned()])
        );
    }
}

#[test]
fn mistakes_of_a_skill_never_make_the_hook_rest() {
    let place = bad();
    for _ in 0..5 {
        place.invoke("s").assert_fails(&["missing `subject`"]);
    }
}

#[test]
fn among_other_packs_the_agents_own_form_is_used() {
    let place = bad();
    let event = place.skill_event("s").to_string();
    let said = place.run(&["hook", "--pack=fsm", "--pack=core"], &event);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(answer["decision"], "block");
    assert!(answer["reason"].as_str().unwrap().contains("missing `subject`"), "{answer}");
    let place = good();
    let said = place.run(&["hook", "--pack=fsm", "--pack=core"], &place.skill_event("s").to_string());
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "no opinion is silence");
    assert_eq!(place.tasks().len(), 1);
}

#[test]
fn the_pack_works_unasked_once_it_is_switched_on() {
    let place = good();
    let event = place.skill_event("s").to_string();
    assert_eq!(place.run(&["hook"], &event).out, "");
    assert!(!place.list().exists());
    place.project.write(".hookrail/hookrail.toml", "[packs.fsm]\nenabled = true\n");
    assert_eq!(place.run(&["hook"], &event).out, "");
    assert_eq!(place.tasks().len(), 1);
}

#[test]
fn other_events_are_answered_as_the_agent_expects() {
    let place = good();
    let event = json!({"session_id": "s", "cwd": "/", "hook_event_name": "Stop"});
    let said = place.run(&["hook", "fsm/hydrate-tasks"], &event.to_string());
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""));
}

#[test]
fn a_skill_that_a_user_typed_is_hydrated_just_as_well() {
    for command in ["s", "/s"] {
        let place = good();
        place.fire(&typed(&place, command)).assert_continues();
        assert_eq!(place.tasks()["1.json"]["metadata"], json!({"fsm": "s"}));
    }
    let place = bad();
    place.fire(&typed(&place, "s")).assert_fails(&["missing `subject`"]);
    let said = place.run(&["hook", "fsm/hydrate-tasks"], &typed(&place, "s").to_string());
    assert_eq!(said.code, Some(2));
    let place = good();
    let mut event = typed(&place, "s");
    event.as_object_mut().unwrap().remove("command_name");
    place.fire(&event).assert_fails(&["missing `command_name`"]);
    let mut event = typed(&place, "s");
    event["expansion_type"] = json!("mcp_prompt");
    assert_eq!(place.fire(&event).out, CONTINUE);
    assert!(!place.list().exists(), "a prompt of a server is not a skill");
}
