//! The end of the workflow: H11a, H11b.

use crate::planning::project::{BOTH, Contract, PlanningProject};
use serde_json::{Value, json};

const ARTIFACTS: [&str; 4] = ["design.md", "plan.md", "tasks.md", "test-plan.md"];

fn stop(place: &PlanningProject) -> Value {
    place.event("Stop", &json!({"stop_hook_active": false, "last_assistant_message": "All done."}))
}

fn with_artifacts(place: PlanningProject) -> PlanningProject {
    ARTIFACTS.iter().fold(place, |place, name| place.file(name, "content"))
}

/// What the user typed last, in Claude Code's transcript.
fn says(place: &PlanningProject, text: &str) {
    let line = json!({"type": "user", "message": {"role": "user", "content": text}, "isSidechain": false});
    let feedback = json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": "Stop hook feedback:\nstop again"}});
    place.home.write("transcript.jsonl", &format!("{line}\n{feedback}\n"));
}

#[test]
fn artifacts_are_checked_as_the_documents_table_says() {
    // covers: H11a
    const HOOK: Option<&str> = Some("check-required-artifacts");
    let place = || PlanningProject::new().state("phase: VALIDATION");
    let without = |name: &'static str| {
        let place = with_artifacts(place());
        std::fs::remove_file(place.project.at(place.feature_path(name))).unwrap();
        place
    };
    for (case, build, expected) in [
        ("All artifacts exist", &(|| with_artifacts(place())) as &dyn Fn() -> PlanningProject, ""),
        ("Missing tasks.md", &|| without("tasks.md"), "Missing required artifacts: tasks.md (phase VALIDATION)"),
        ("No state file", &|| PlanningProject::new(), ""),
        ("Empty design.md", &|| with_artifacts(place()).file("design.md", ""), "Missing required artifacts: design.md"),
        ("FEATURE_DIR not detected", &|| place().branch("main"), ""),
        ("no repository", &PlanningProject::bare, ""),
        ("phase is COMPLETION", &|| PlanningProject::new().state("phase: COMPLETION"), ""),
        (
            "the workflow's own words",
            &|| PlanningProject::new().state("current_phase: RESEARCH"),
            "design.md, plan.md, tasks.md, test-plan.md",
        ),
    ] {
        for contract in BOTH {
            let place = build();
            let ruling = place.fire(contract, HOOK, &stop(&place)).ruling(contract, case);
            assert_eq!(ruling.word(), if expected.is_empty() { "silent" } else { "refused" }, "{case}: {ruling:?}");
            assert!(ruling.text().contains(expected), "{case}: {ruling:?}");
        }
    }
}

#[test]
fn both_stop_hooks_answer_as_the_matrix_says() {
    // covers: H11a H11b
    for (case, state, has_all, prompt, expected) in [
        ("All artifacts exist, phase=COMPLETION", "phase: COMPLETION", true, "plan it", vec![]),
        (
            "Missing artifacts, phase=ARCHITECTURE",
            "phase: ARCHITECTURE",
            false,
            "plan it",
            vec![
                "Missing required artifacts: ",
                "Workflow at phase ARCHITECTURE, not complete. Missing phases: THINKDEEP, ",
            ],
        ),
        (
            "All artifacts exist, RED gate status",
            "phase: COMPLETION\ngate_results: [{phase: 6, verdict: RED, score: 2.1}]",
            true,
            "plan it",
            vec!["Validation failed (RED) at gate 6. Needs revision before stopping"],
        ),
        (
            "RED in the workflow's own words",
            "current_phase: COMPLETION\nvalidation: {status: RED}",
            true,
            "plan it",
            vec!["Validation failed (RED) at VALIDATION"],
        ),
    ] {
        for contract in BOTH {
            let place = PlanningProject::new().state(state);
            let place = if has_all { with_artifacts(place) } else { place };
            says(&place, prompt);
            let ruling = place.ruling(contract, &stop(&place));
            assert_eq!(ruling.word(), if expected.is_empty() { "silent" } else { "refused" }, "{case}: {ruling:?}");
            for part in &expected {
                assert!(ruling.text().contains(part), "{case}: {ruling:?}");
            }
        }
    }
}

#[test]
fn a_user_who_says_stop_is_obeyed_with_a_warning() {
    // covers: H11a H11b
    for (prompt, expected) in [
        ("stop", "told"),
        ("please quit now", "told"),
        ("Abort!", "told"),
        ("ok, exit", "told"),
        ("go on with the exit button", "refused"),
        ("don't stop before everything is done", "refused"),
    ] {
        for contract in BOTH {
            let place = PlanningProject::new().state("phase: RESEARCH");
            says(&place, prompt);
            let ruling = place.ruling(contract, &stop(&place));
            assert_eq!(ruling.word(), expected, "{prompt}: {ruling:?}");
            if expected == "told" {
                assert!(
                    ruling.text().contains("because the user asked for it. Missing required artifacts"),
                    "{ruling:?}"
                );
                assert!(ruling.text().contains("Workflow at phase RESEARCH"), "{ruling:?}");
            }
        }
    }
}

#[test]
fn a_second_stop_passes_with_a_warning_and_one_that_waits_in_silence() {
    // covers: H11a H11b
    for contract in BOTH {
        let place = PlanningProject::new().state("phase: RESEARCH");
        says(&place, "plan it");
        let mut event = stop(&place);
        assert_eq!(place.ruling(contract, &event).word(), "refused");
        event["stop_hook_active"] = json!(true);
        assert!(place.ruling(contract, &event).text().contains("Stopped although planning is not complete."));
        event["stop_hook_active"] = json!(false);
        event["last_assistant_message"] = json!("Two ways are open.\n\nWhich one do you want?\n\n- Redis\n- Memory");
        assert_eq!(place.ruling(contract, &event).word(), "silent");
        event["last_assistant_message"] = json!("The architect is at work.");
        event["background_tasks"] = json!([{"id": "a1", "type": "subagent", "status": "running"}]);
        assert_eq!(place.ruling(contract, &event).word(), "silent");
        let waiting = PlanningProject::new().state("phase: CLARIFICATION\nphase_status: waiting");
        assert_eq!(waiting.ruling(contract, &stop(&waiting)).word(), "silent");
    }
}

#[test]
fn without_a_transcript_or_with_a_broken_one_the_state_decides() {
    // covers: H11b
    for (transcript, expected) in
        [(None, "refused"), (Some("{\"type\": \"user\", broken"), "refused"), (Some(""), "refused")]
    {
        let place = PlanningProject::new().state("phase: RESEARCH");
        if let Some(text) = transcript {
            place.home.write("transcript.jsonl", text);
        }
        assert_eq!(place.ruling(Contract::Agent, &stop(&place)).word(), expected, "{transcript:?}");
    }
}

#[test]
fn a_state_nobody_can_read_holds_nobody() {
    // covers: H11a H11b
    for contract in BOTH {
        let place = PlanningProject::new().file(crate::planning::project::STATE, "---\nphase: [\n---\n");
        assert_ne!(place.ruling(contract, &stop(&place)).word(), "refused");
        assert_eq!(place.log().matches(": ERROR | ").count(), 2, "{}", place.log());
    }
}

#[test]
fn gemini_says_what_the_user_asked_in_the_event_itself() {
    // covers: H11a H11b
    let place = PlanningProject::new().state("phase: RESEARCH");
    let fire = |prompt: &str| {
        let fields = json!({"prompt": prompt, "prompt_response": "All done.", "stop_hook_active": false});
        let said = place
            .hookrail(&["hook", "--agent=gemini", "--pack=planning"], &place.event("AfterAgent", &fields).to_string());
        serde_json::from_str::<Value>(&said.out).unwrap()
    };
    assert_eq!(fire("plan it")["decision"], "deny");
    assert_eq!(fire("stop")["decision"], Value::Null);
}

#[test]
fn ac4_workflow_completeness() {
    // covers: AC4
    for contract in BOTH {
        let place = PlanningProject::new().state("phase: ARCHITECTURE");
        says(&place, "plan it");
        let blocked = place.ruling(contract, &stop(&place));
        assert!(blocked.text().contains("Missing required artifacts: design.md, plan.md, tasks.md, test-plan.md"));
        assert!(blocked.text().contains("Workflow at phase ARCHITECTURE, not complete"), "{blocked:?}");
        says(&place, "stop");
        assert_eq!(place.ruling(contract, &stop(&place)).word(), "told", "the user's word goes first");
        let red =
            with_artifacts(PlanningProject::new().state("phase: COMPLETION\ngate_results: [{phase: 6, status: RED}]"));
        assert_eq!(red.ruling(contract, &stop(&red)).word(), "refused");
        let off = PlanningProject::new()
            .state("phase: ARCHITECTURE")
            .config("feature_flags: {hooks_stop_guard: {enabled: false}}");
        assert_eq!(off.ruling(contract, &stop(&off)).word(), "silent");
    }
}

#[test]
fn a_transcript_of_hundreds_of_megabytes_is_read_from_its_end_and_disables_no_guard() {
    // covers: H11b
    for (prompt, expected) in [("please stop", "told"), ("go on", "refused")] {
        let place = PlanningProject::new().state("phase: RESEARCH");
        says(&place, prompt);
        let end = place.home.read("transcript.jsonl");
        let path = place.home.at("transcript.jsonl");
        // A hole is read as zeros, and takes no room on the disk.
        let mut file = std::fs::File::create(&path).unwrap();
        file.set_len(400 << 20).unwrap();
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).unwrap();
        std::io::Write::write_all(&mut file, format!("\n{end}").as_bytes()).unwrap();
        drop(file);
        let begin = std::time::Instant::now();
        assert_eq!(place.ruling(Contract::Agent, &stop(&place)).word(), expected, "{prompt}");
        assert!(begin.elapsed() < std::time::Duration::from_secs(5), "{:?}", begin.elapsed());
        // Without any prompt that can be found, the state decides.
        std::fs::File::create(&path).unwrap().set_len(400 << 20).unwrap();
        assert_eq!(place.ruling(Contract::Agent, &stop(&place)).word(), "refused");
    }
}
