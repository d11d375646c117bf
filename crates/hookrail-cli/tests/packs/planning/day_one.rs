//! What people of the workflow meet who follow its page: two sessions at once, the document's own test template, files that are
//! not writable for any phase, states in every form.

use crate::planning::project::{BOTH, Contract, FEATURE, LOCK, PlanningProject, SESSION, STATE};
use crate::planning::results::{ARCHITECT, TECH_LEAD, end_of, tasks};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/planning");

fn of_session(session: &str, mut event: Value) -> Value {
    event["session_id"] = json!(session);
    event
}

fn take_lock(place: &PlanningProject, session: &str, content: &Value) -> Value {
    let path = place.project.at(place.feature_path(LOCK));
    of_session(session, place.call("Write", &json!({"file_path": path, "content": content.to_string()})))
}

fn stop(place: &PlanningProject, fields: &Value) -> Value {
    place.event("Stop", fields)
}

/// The context that a model gets, in Claude Code's form.
fn context(place: &PlanningProject, event: &Value) -> String {
    let said = place.fire(Contract::Agent, None, event);
    let answer: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn two_sessions_that_plan_the_same_feature_take_turns() {
    // covers: H02 H06 H13 AC1
    for contract in BOTH {
        let place = PlanningProject::new();
        let word = |event: &Value| place.ruling(contract, event).word();
        // The planner learns its session's id before it needs it.
        let start = of_session("first", place.event("SessionStart", &json!({"source": "startup"})));
        assert!(context(&place, &start).contains("session=first"), "{}", context(&place, &start));
        let lock = json!({"session_id": "first"});
        assert_eq!(word(&take_lock(&place, "first", &json!({"session_id": "invented"}))), "refused");
        assert_eq!(word(&take_lock(&place, "first", &lock)), "silent");
        place.project.write(place.feature_path(LOCK), &lock.to_string());
        place.project.write(place.feature_path(STATE), "---\nphase: RESEARCH\n---\n");
        assert_eq!(word(&of_session("first", place.write(format!("{FEATURE}/research.md")))), "silent");

        // The second one may neither write nor take the lock.
        let prompt = of_session("second", place.event("UserPromptSubmit", &json!({"prompt": "go on"})));
        let told = context(&place, &prompt);
        assert!(told.contains("lock_session: first") && told.contains("this_session: second"), "{told}");
        assert_eq!(word(&of_session("second", place.write(format!("{FEATURE}/{STATE}")))), "refused");
        assert_eq!(word(&take_lock(&place, "second", &json!({"session_id": "second"}))), "refused");
        let edit = of_session("second", place.edit(format!("{FEATURE}/{LOCK}")));
        assert_eq!(word(&edit), "refused");
        let told = place.ruling(contract, &of_session("second", place.write(format!("{FEATURE}/plan.md"))));
        assert!(told.text().contains("this session is `second`"), "{told:?}");

        // After the first has given it back, it is the second one's turn.
        std::fs::remove_file(place.project.at(place.feature_path(LOCK))).unwrap();
        let told = place.ruling(contract, &of_session("second", place.write(format!("{FEATURE}/plan.md"))));
        assert!(told.text().contains(r#"{"session_id":"second""#), "{told:?}");
        assert_eq!(word(&take_lock(&place, "second", &json!({"session_id": "second"}))), "silent");
    }
}

#[test]
fn a_lock_without_a_session_is_that_of_the_first_that_writes_under_it() {
    // covers: H02
    for contract in BOTH {
        for lock in ["4711\n", "pid: 4711\nuser: Ann\n", r#"{"pid": 4711, "user": "Ann"}"#] {
            let place = PlanningProject::new().state("phase: RESEARCH").file(LOCK, lock);
            let write = |session: &str| of_session(session, place.write(format!("{FEATURE}/design.md")));
            let words = ["one", "two", "one"].map(|session| place.ruling(contract, &write(session)).word());
            assert_eq!(words, ["silent", "refused", "silent"], "{lock}");
            place.project.write(
                place.feature_path(LOCK),
                &format!("{}1", lock.trim_end().replace('}', ", \"x\": 2}")).replace("}1", "}"),
            );
            assert_eq!(place.ruling(contract, &write("two")).word(), "silent", "written anew: {lock}");
        }
    }
}

#[test]
fn what_configures_the_guards_is_written_by_no_tool() {
    // covers: AC6
    for contract in BOTH {
        let place = PlanningProject::new();
        for path in [
            place.plugin.at("config/planning-config.yaml"),
            place.plugin.at("hooks/.dev-mode"),
            place.project.at("config/planning-config.yaml"),
            place.project.at("hooks/.dev-mode"),
        ] {
            for event in [place.write(&path), place.edit(&path)] {
                let ruling = place.ruling(contract, &event);
                assert_eq!(ruling.word(), "refused", "{}: {ruling:?}", path.display());
                assert!(ruling.text().contains("tell the user"), "{ruling:?}");
            }
        }
        assert_eq!(place.ruling(contract, &place.write("config/other.yaml")).word(), "silent");
    }
}

#[test]
fn the_documents_own_test_template_runs_with_the_scripts_of_the_plugin() {
    // covers: H01 H02 H04 H05 H07 H10 H11a
    // §10.1: the input goes into the script by a pipe, exit code and output are compared.
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_hookrail")).parent().unwrap();
    let run = |place: &PlanningProject, script: &str, input: &Value| {
        let mut command = Command::new("/bin/bash");
        command
            .args(["-c", "cat | bash \"$1\" 2>&1", "test", &format!("{PLUGIN}/hooks/{script}.sh")])
            .current_dir(place.project.path())
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", binary.display()))
            .env("HOME", place.home.path())
            .env("HOOKRAIL_STATE_DIR", place.home.at("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let planning =
        || PlanningProject::new().locked().state("phase: ARCHITECTURE\nuser_decisions: {Use Redis for caching: Yes}");
    let question = |text: &str| json!({"tool_input": {"questions": [{"question": text}]}});
    let file = |name: &str| json!({"tool_input": {"file_path": format!("{FEATURE}/{name}")}});
    for (script, input, code, part) in [
        ("guard-immutable-decisions", question("What caching to use?"), 2, "deny"),
        ("guard-immutable-decisions", question("What color for the button?"), 0, ""),
        ("enforce-planning-lock", file("design.md"), 0, ""),
        ("protect-spec-immutability", file("spec.md"), 2, "immutable"),
        ("protect-spec-immutability", file("design.md"), 0, ""),
        ("checkpoint-logger", file(STATE), 0, "CHECKPOINT: UNKNOWN → ARCHITECTURE"),
        ("validate-tech-lead-output", json!({}), 2, "tasks.md not found"),
        ("check-required-artifacts", json!({}), 2, "Missing required artifacts"),
        (
            "validate-agent-generic",
            json!({"tool_input": {"agent_name": "product-planning:code-explorer"}, "reason": "done"}),
            2,
            "insufficient output",
        ),
        ("preserve-planning-context", json!({}), 0, "phase: ARCHITECTURE"),
        ("setup-planning-env", json!({}), 0, "branch=feature/042-notify"),
        ("inject-planning-context", json!({}), 0, "<planning-state>"),
    ] {
        let place = planning();
        let mut event = json!({"session_id": SESSION, "cwd": place.project.path()});
        event.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
        let (ended, said) = run(&place, script, &event);
        assert_eq!(ended, Some(code), "{script} {input}: {said}");
        assert!(said.contains(part), "{script} {input}: {said}");
    }
    for (_, hook) in hookrail_packs_hooks() {
        assert!(std::path::Path::new(&format!("{PLUGIN}/hooks/{hook}.sh")).is_file(), "{hook}");
    }
}

/// The hooks of the pack, by pack and name.
fn hookrail_packs_hooks() -> Vec<(String, String)> {
    let pack = hookrail_packs::find("planning").unwrap();
    let split = |id: &str| id.split_once('/').map(|(pack, name)| (pack.to_owned(), name.to_owned()));
    pack.hooks.iter().filter_map(|hook| split(hook.id())).collect()
}

#[test]
fn a_phase_is_known_by_name_and_by_number() {
    // covers: H04
    for contract in BOTH {
        for (phase, expected) in [
            ("SETUP", "silent"),
            ("1", "silent"),
            ("\"Phase 1: Setup\"", "silent"),
            ("2", "refused"),
            ("\"Phase 4: Architecture\"", "refused"),
            ("SOMETHING", "refused"),
        ] {
            let place = PlanningProject::new().locked().state(&format!("phase: {phase}"));
            let ruling = place.ruling(contract, &place.write(format!("{FEATURE}/spec.md")));
            assert_eq!(ruling.word(), expected, "{phase}: {ruling:?}");
        }
    }
}

#[test]
fn the_phases_that_are_missing_are_those_of_the_mode() {
    // covers: H11b
    for contract in BOTH {
        for (mode, missing) in [
            ("rapid", "Missing phases: TEST_STRATEGY, COMPLETION."),
            ("standard", "Missing phases: VALIDATION, TEST_STRATEGY, TEST_COVERAGE_VALIDATION, COMPLETION."),
            (
                "complete",
                "Missing phases: THINKDEEP, VALIDATION, EXPERT_REVIEW, TEST_STRATEGY, TEST_COVERAGE_VALIDATION, COMPLETION.",
            ),
            ("whatever", "Missing phases: THINKDEEP, VALIDATION, EXPERT_REVIEW,"),
        ] {
            let place = PlanningProject::new().state(&format!("phase: ARCHITECTURE\nmode: {mode}"));
            let ruling = place.ruling(contract, &stop(&place, &json!({"stop_hook_active": false})));
            assert!(ruling.text().contains(missing), "{mode}: {ruling:?}");
        }
    }
}

#[test]
fn a_stop_is_the_users_wish_only_if_it_is_one() {
    // covers: H11a H11b AC4
    for contract in BOTH {
        for (prompt, expected) in [
            ("stop", "told"),
            ("please stop the planning now", "told"),
            ("Plan the bus stop search feature", "refused"),
            ("Add graceful abort handling", "refused"),
            ("don't stop", "refused"),
        ] {
            let place = PlanningProject::new().state("phase: RESEARCH");
            let line = json!({"type": "user", "message": {"role": "user", "content": prompt}});
            place.home.write("transcript.jsonl", &format!("{line}\n"));
            assert_eq!(place.ruling(contract, &stop(&place, &json!({}))).word(), expected, "{prompt}");
        }
    }
}

#[test]
fn a_folder_is_neither_an_artifact_nor_an_excuse() {
    // covers: H11a
    for contract in BOTH {
        let place = PlanningProject::new()
            .state("phase: RESEARCH")
            .file("plan.md", "x")
            .file("tasks.md", "x")
            .file("test-plan.md", "x");
        std::fs::create_dir_all(place.project.at(place.feature_path("design.md"))).unwrap();
        std::fs::create_dir(place.home.at("transcript.jsonl")).unwrap();
        let ruling = place.ruling(contract, &stop(&place, &json!({})));
        assert!(ruling.text().contains("Missing required artifacts: design.md"), "{ruling:?}");
        assert!(!place.log().contains("ERROR"), "{}", place.log());
    }
}

#[test]
fn a_very_large_state_silences_no_guard() {
    // covers: H01 H04 H07 H11b
    let notes = "n".repeat(300 << 10);
    let yaml = format!(
        "notes: {notes}\nphase: ARCHITECTURE\nmode: rapid\nuser_decisions: {{Use Redis for caching: Yes}}\nmore: {notes}"
    );
    for contract in BOTH {
        let place = PlanningProject::new().locked().state(&yaml);
        for event in [
            place.ask(&["What caching to use?"]),
            place.write(format!("{FEATURE}/spec.md")),
            end_of(&place, TECH_LEAD, ""),
            stop(&place, &json!({})),
        ] {
            assert_eq!(place.ruling(contract, &event).word(), "refused", "{event}");
        }
        let prompt = place.event("UserPromptSubmit", &json!({"prompt": "x"}));
        assert!(place.ruling(contract, &prompt).text().contains("phase: ARCHITECTURE"));
    }
}

#[test]
fn the_architect_is_judged_by_all_it_wrote_and_not_where_it_is_switched_off() {
    // covers: H08
    let design = "## Data Flow\nclient → api\n## Files to create\n- `src/api.ts`\n## Build Sequence\n1. api";
    for contract in BOTH {
        let place = PlanningProject::new().state("phase: ARCHITECTURE").file("blueprint.md", design);
        let path = place.project.at(place.feature_path("blueprint.md"));
        let call = json!({"type": "assistant", "isSidechain": true, "message": {"role": "assistant", "content": [
            {"type": "tool_use", "name": "Write", "input": {"file_path": path, "content": design}}]}});
        let mut event = end_of(&place, ARCHITECT, "The blueprint is complete.");
        assert_eq!(place.ruling(contract, &event).word(), "refused", "its last words are no blueprint");
        place.home.write("agent.jsonl", &format!("{call}\n"));
        event["agent_transcript_path"] = json!(place.home.at("agent.jsonl"));
        assert_eq!(place.ruling(contract, &event).word(), "silent");

        let vague = |place: &PlanningProject| place.ruling(contract, &end_of(place, ARCHITECT, "All good.")).word();
        let flag = "feature_flags: {hooks_agent_validation: {enabled: false}}";
        assert_eq!(vague(&PlanningProject::new().state("phase: ARCHITECTURE").config(flag)), "silent");
        let place = PlanningProject::new().state("phase: ARCHITECTURE");
        place.plugin.write("hooks/.dev-mode", "");
        assert_eq!(vague(&place), "silent");
    }
}

#[test]
fn nothing_in_the_workflows_files_steers_the_terminal_or_the_model() {
    // covers: H01 H02 H06 H11a H11b
    let hostile = "x\u{1b}[2J\u{202e}\u{e0041}y";
    let yaml = format!(
        "phase: ARCHITECTURE\nmode: \"{}\"\nuser_decisions: {{\"Use Redis for caching\": \"{hostile}\"}}\ngate_results: [{{phase: \"{hostile}\", verdict: RED}}]",
        hostile.replace('\u{1b}', "\\e")
    )
    .replace('\u{1b}', "\\e");
    for contract in BOTH {
        let place = PlanningProject::new()
            .state(&yaml)
            .file(LOCK, &json!({"session_id": hostile, "user": hostile}).to_string());
        for event in [
            place.ask(&["What caching to use?"]),
            place.write(format!("{FEATURE}/design.md")),
            place.event("UserPromptSubmit", &json!({"prompt": "x"})),
            stop(&place, &json!({})),
            place.event("SessionStart", &json!({"source": "compact"})),
        ] {
            let ruling = place.ruling(contract, &event);
            assert_ne!(ruling.word(), "silent", "{event}");
            let steers = |c: char| matches!(c, '\u{1b}' | '\u{202e}' | '\u{e0041}');
            assert!(!ruling.text().contains(steers), "{event}: {ruling:?}");
        }
        assert!(!place.log().contains('\u{1b}') && !place.log().contains('\u{202e}'));
    }
}

#[test]
fn a_save_that_cannot_be_parsed_is_skipped_however_often_and_never_counted() {
    // covers: H05 AC6
    for contract in BOTH {
        let place = PlanningProject::new().file(STATE, "---\nphase: [\n---\n");
        for _ in 0..5 {
            let ruling = place.ruling(contract, &place.wrote(place.feature_path(STATE)));
            assert_eq!(ruling.word(), "silent", "{ruling:?}");
        }
        let place = place.state("phase: RESEARCH").file("tasks.md", &tasks(10, 9));
        let ruling = place.ruling(contract, &place.wrote(place.feature_path(STATE)));
        assert!(ruling.text().contains("UNKNOWN → RESEARCH"), "it still works: {ruling:?}");
    }
}
