//! What the model and the shell are told: H06, H12, H13.

use crate::planning::project::{BOTH, Contract, FEATURE, PlanningProject, STATE};
use serde_json::{Value, json};
use std::process::Command;

const RICH: &str = "phase: ARCHITECTURE\nmode: complete\nuser_decisions:\n  \"Use Redis for caching?\": \"Yes, use Redis\"\n  \
                    db: {question: Which database?, answer: PostgreSQL}\ngate_results:\n  - {phase: 1, verdict: PASS, score: 4.2}";

const BLOCK: &str = "<planning-state>
phase: ARCHITECTURE
mode: complete
decisions_count: 2
immutable_decisions:
  - \"Use Redis for caching?\": \"Yes, use Redis\"
  - \"Which database?\": \"PostgreSQL\"
artifacts_generated:
  - research.md (RESEARCH)
  - design.clean.md (ARCHITECTURE)
gate_results:
  - gate_1: PASS (4.2/5.0)
lock_active: true
lock_session: abc123
</planning-state>";

fn rich() -> PlanningProject {
    PlanningProject::new().state(RICH).locked().file("research.md", "x").file("design.clean.md", "x")
}

fn prompt(place: &PlanningProject) -> Value {
    place.event("UserPromptSubmit", &json!({"prompt": "go on"}))
}

fn start(place: &PlanningProject, source: &str) -> Value {
    place.event("SessionStart", &json!({"source": source}))
}

fn compact(place: &PlanningProject) -> Value {
    place.event("PreCompact", &json!({"trigger": "auto", "custom_instructions": null}))
}

#[test]
fn every_prompt_brings_the_whole_state_along() {
    // covers: H06
    for contract in BOTH {
        let place = rich();
        assert_eq!(place.ruling(contract, &prompt(&place)).text(), BLOCK);
        assert!(
            place.log().contains("H06_context_injection: INJECT | phase=ARCHITECTURE, mode=complete, decisions=2\n")
        );
        for empty in [PlanningProject::new(), PlanningProject::bare(), rich().branch("main")] {
            assert_eq!(empty.ruling(contract, &prompt(&empty)).word(), "silent");
        }
        let own =
            PlanningProject::new().state("current_phase: RESEARCH\nanalysis_mode: rapid\nvalidation: {status: YELLOW}");
        let text = own.ruling(contract, &prompt(&own)).text().to_owned();
        assert!(text.starts_with("<planning-state>\nphase: RESEARCH\nmode: rapid\n"), "{text}");
        let end = "\n  - validation: YELLOW\nlock_active: false\n</planning-state>\nthis_session: abc123 (write";
        assert!(text.contains(end), "{text}");
    }
}

#[test]
fn what_the_model_reads_reaches_it_where_the_agent_takes_context() {
    // covers: H06 H12
    let place = rich();
    let answer = |event: &Value| {
        let said = place.fire(Contract::Agent, None, event);
        serde_json::from_str::<Value>(&said.out).unwrap_or_default()
    };
    for event in [prompt(&place), start(&place, "compact")] {
        let answer = answer(&event);
        assert!(answer["systemMessage"].is_null(), "{answer}");
        let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(context.contains(BLOCK), "{context}");
    }
    // Claude Code takes no context before a compaction, and refuses an answer that has one.
    assert!(answer(&compact(&place))["hookSpecificOutput"].is_null());
}

#[test]
fn the_state_survives_a_compaction() {
    // covers: H12
    let place = rich();
    assert_eq!(place.ruling(Contract::Spec, &compact(&place)).text(), BLOCK);
    assert_eq!(
        place.log().matches("H12_preserve_context: PRESERVE | phase=ARCHITECTURE").count(),
        1,
        "{}",
        place.log()
    );
    for contract in BOTH {
        assert!(place.ruling(contract, &start(&place, "compact")).text().contains(BLOCK));
        assert!(!place.ruling(contract, &start(&place, "resume")).text().contains("<planning-state>"));
        let empty = PlanningProject::new();
        assert_eq!(empty.ruling(contract, &compact(&empty)).word(), "silent", "nothing to preserve");
    }
}

#[test]
fn a_state_nobody_can_read_is_not_told_and_stops_nothing() {
    // covers: H06 H12
    for contract in BOTH {
        let place = PlanningProject::new().file(STATE, "phase: RESEARCH, without front matter");
        assert_eq!(place.ruling(contract, &prompt(&place)).word(), "silent");
        assert_eq!(place.ruling(contract, &compact(&place)).word(), "silent");
        assert!(place.log().contains("H06_context_injection: ERROR | "), "{}", place.log());
    }
}

/// A place whose agent has a file for the environment of its shells.
fn with_env_file(place: PlanningProject) -> PlanningProject {
    let file = place.home.at("env.sh");
    place.env("CLAUDE_ENV_FILE", file)
}

/// What a shell that reads the file has in a variable.
fn variable(place: &PlanningProject, name: &str) -> String {
    let script = format!(". {}; printf %s \"${name}\"", place.home.at("env.sh").display());
    let output = Command::new("/bin/sh").args(["-c", &script]).current_dir(place.project.path()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_environment_of_a_session_is_found_and_told() {
    // covers: H13
    for contract in BOTH {
        let place = with_env_file(rich().file("spec.md", "x"));
        place.project.write("specs/constitution.md", "x");
        let folder = place.project.at(FEATURE).canonicalize().unwrap();
        let told = format!(
            "Planning environment detected: branch=feature/042-notify, feature_dir={}, state=true, phase=ARCHITECTURE, \
             spec=true, constitution=true",
            folder.display()
        );
        assert_eq!(place.ruling(contract, &start(&place, "startup")).text(), told);
        for (name, expected) in [
            ("PLANNING_BRANCH", "feature/042-notify"),
            ("PLANNING_FEATURE_DIR", folder.to_str().unwrap()),
            ("PLANNING_SPEC_EXISTS", "true"),
            ("PLANNING_CONSTITUTION_EXISTS", "true"),
            ("PLANNING_STATE_EXISTS", "true"),
            ("PLANNING_CURRENT_PHASE", "ARCHITECTURE"),
            ("PLANNING_CURRENT_MODE", "complete"),
        ] {
            assert_eq!(variable(&place, name), expected, "{name}");
        }
    }
}

#[test]
fn nothing_in_a_branch_or_a_state_is_ever_executed() {
    // covers: H13
    for branch in [
        "feature/$(touch${IFS}x)",
        "feature/`touch x`",
        "feature/$(touch x)",
        "feature/a';touch x;'",
        "feature/a\";touch x;\"",
        "feature/a\\';touch x #",
        "feature/a&touch x&",
        "feature/a|touch x",
        "feature/a\ntouch x\n",
        "feature/'",
        "feature/\"",
    ] {
        let place = with_env_file(PlanningProject::bare().branch(branch));
        let name = branch.strip_prefix("feature/").unwrap();
        place.project.write(
            format!("specs/{}/{STATE}", name.trim()),
            "---\nphase: \"$(touch x)\"\nmode: \"';touch x;'`touch x`\"\n---\n",
        );
        place.fire(Contract::Agent, None, &start(&place, "startup"));
        assert_eq!(variable(&place, "PLANNING_BRANCH"), branch.trim(), "{branch}");
        assert!(!place.project.at("x").exists(), "{branch} was executed");
        assert!(!place.project.path().join(name).join("x").exists(), "{branch}");
    }
}

#[test]
fn the_environment_file_keeps_what_it_has_and_is_never_a_link() {
    // covers: H13
    let place = with_env_file(PlanningProject::new());
    place.home.write("env.sh", "export MINE=1\n");
    place.fire(Contract::Agent, None, &start(&place, "startup"));
    assert_eq!(variable(&place, "MINE"), "1");
    let linked = with_env_file(PlanningProject::new());
    linked.home.write("victim", "mine");
    std::os::unix::fs::symlink(linked.home.at("victim"), linked.home.at("env.sh")).unwrap();
    assert_ne!(linked.ruling(Contract::Agent, &start(&linked, "startup")).word(), "refused");
    assert_eq!(linked.home.read("victim"), "mine");
}

#[test]
fn ac5_context_preservation() {
    // covers: AC5
    for contract in BOTH {
        let place = rich();
        for event in [prompt(&place), start(&place, "compact")] {
            let ruling = place.ruling(contract, &event);
            for part in
                ["phase: ARCHITECTURE", "mode: complete", "Yes, use Redis", "research.md (RESEARCH)", "gate_1: PASS"]
            {
                assert!(ruling.text().contains(part), "{part} is not in {ruling:?}");
            }
        }
        let off = rich().config("feature_flags: {hooks_context_preservation: {enabled: false}}");
        assert_eq!(off.ruling(contract, &prompt(&off)).word(), "silent");
    }
}

#[test]
fn ac8_environment_setup_and_prerequisites() {
    // covers: AC8
    for contract in BOTH {
        // There is no PATH, so no jq, yq or git: nothing is missing.
        let place = with_env_file(rich());
        assert_eq!(place.ruling(contract, &start(&place, "startup")).word(), "told");
        assert_eq!(variable(&place, "PLANNING_BRANCH"), "feature/042-notify");
        assert_eq!(place.ruling(contract, &prompt(&place)).text(), BLOCK);

        let nowhere = with_env_file(PlanningProject::bare());
        let told = nowhere.ruling(contract, &start(&nowhere, "startup"));
        assert!(told.text().contains("branch=unknown, feature_dir=none, state=false, phase=none"), "{told:?}");
        for (name, expected) in [
            ("BRANCH", "unknown"),
            ("FEATURE_DIR", ""),
            ("SPEC_EXISTS", "false"),
            ("STATE_EXISTS", "false"),
            ("CURRENT_PHASE", ""),
        ] {
            assert_eq!(variable(&nowhere, &format!("PLANNING_{name}")), expected, "{name}");
        }

        // A hook that is given the variables of the file uses them, wherever the branch is by now.
        let folder = variable(&place, "PLANNING_FEATURE_DIR");
        let later = place.branch("main").env("PLANNING_FEATURE_DIR", folder);
        assert_eq!(later.ruling(contract, &prompt(&later)).text(), BLOCK);
    }
}
