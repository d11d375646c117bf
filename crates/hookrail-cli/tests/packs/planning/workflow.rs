//! A whole planning session with every hook on, and what the plugin registers.

use crate::planning::project::{BOTH, Contract, FEATURE, PlanningProject, STATE};
use crate::planning::results::{ARCHITECT, QA_STRATEGIST, TECH_LEAD, end_of, substance, tasks, with_tests};
use hookrail_core::{Matcher, MatcherStyle};
use serde_json::{Value, json};

const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/planning");

const BLUEPRINT: &str = "## Data Flow\nclient → api\n## Files to create\n- `src/api.ts`\n## Build Sequence\n1. api";

/// A place where the plugin is installed as it is shipped.
fn installed() -> PlanningProject {
    let config = std::fs::read_to_string(format!("{PLUGIN}/config/planning-config.yaml")).unwrap();
    PlanningProject::new().config(&config)
}

fn stop(place: &PlanningProject, said: &str) -> Value {
    place.event("Stop", &json!({"stop_hook_active": false, "last_assistant_message": said}))
}

/// Walks through the workflow in a mode. Nothing may be refused.
#[track_caller]
fn walk(contract: Contract, mode: &str, research_calls: usize) {
    let mut place = installed();
    let pass = |place: &PlanningProject, event: &Value| {
        let ruling = place.ruling(contract, event);
        assert_ne!(ruling.word(), "refused", "{mode}: {event}: {ruling:?}");
    };
    pass(&place, &place.event("SessionStart", &json!({"source": "startup"})));
    pass(&place, &place.write(format!("{FEATURE}/spec.md")));
    pass(&place, &place.write(format!("{FEATURE}/.planning.lock")));
    place = place.locked();
    for phase in ["SETUP", "RESEARCH", "CLARIFICATION", "ARCHITECTURE", "TEST_STRATEGY", "COMPLETION"] {
        pass(&place, &place.write(format!("{FEATURE}/{STATE}")));
        let state = format!("phase: {phase}\nmode: {mode}\nuser_decisions: {{\"Use Redis for caching?\": \"Yes\"}}");
        place = place.state(&state);
        pass(&place, &place.wrote(format!("{FEATURE}/{STATE}")));
        pass(&place, &place.event("UserPromptSubmit", &json!({"prompt": "go on"})));
        match phase {
            "RESEARCH" => {
                for number in 0..research_calls {
                    pass(&place, &place.research("mcp__context7__query", number));
                }
                pass(&place, &end_of(&place, "product-planning:researcher", &substance()));
            }
            "CLARIFICATION" => {
                pass(&place, &place.ask(&["What color for the button?"]));
                pass(&place, &stop(&place, "What color for the button?"));
            }
            "ARCHITECTURE" => pass(&place, &end_of(&place, ARCHITECT, BLUEPRINT)),
            "TEST_STRATEGY" => {
                place = with_tests(place).file("design.md", "x").file("plan.md", "x").file("tasks.md", &tasks(10, 9));
                pass(&place, &end_of(&place, QA_STRATEGIST, "done"));
                pass(&place, &end_of(&place, TECH_LEAD, "done"));
            }
            _ => {}
        }
    }
    pass(&place, &stop(&place, "All done."));
    assert!(!place.log().contains("ERROR"), "{}", place.log());
    assert!(place.audit_log().contains("CHECKPOINT: TEST_STRATEGY → COMPLETION | session=abc123 | mode="));
}

#[test]
fn ac7_no_regressions() {
    // covers: AC7
    for contract in BOTH {
        walk(contract, "rapid", 0);
        walk(contract, "standard", 5);
        walk(contract, "complete", 10);
        // Tasks alone are made again.
        let place = with_tests(installed().locked().state("phase: TEST_COVERAGE_VALIDATION\nmode: complete"));
        assert_eq!(place.ruling(contract, &place.write(format!("{FEATURE}/tasks.md"))).word(), "silent");
        let place = place.file("tasks.md", &tasks(10, 9));
        assert_eq!(place.ruling(contract, &end_of(&place, TECH_LEAD, "done")).word(), "silent");
    }
}

#[test]
fn the_shipped_configuration_says_what_holds_without_it() {
    // covers: H07 H10 H11a
    for contract in BOTH {
        for place in [installed(), PlanningProject::new()] {
            let place = place.state("phase: RESEARCH").file("tasks.md", &tasks(4, 3));
            let held = place.ruling(contract, &end_of(&place, TECH_LEAD, ""));
            assert!(
                held.text()
                    .starts_with("Too few tasks generated (found 4). Insufficient TDD integration: 75% (need >=80%).")
            );
            let held = place.ruling(contract, &stop(&place, "All done."));
            assert!(held.text().contains("Missing required artifacts: design.md, plan.md, test-plan.md"), "{held:?}");
        }
    }
}

#[test]
fn every_switch_of_the_document_is_in_the_shipped_configuration_and_switches() {
    // covers: H06 H07 H08 H09 H10 H11a H11b H12
    let shipped = std::fs::read_to_string(format!("{PLUGIN}/config/planning-config.yaml")).unwrap();
    for flag in [
        "hooks_enforcement",
        "hooks_immutable_guard",
        "hooks_lock_enforcement",
        "hooks_budget_tracker",
        "hooks_spec_protection",
        "hooks_agent_validation",
        "hooks_stop_guard",
        "hooks_context_preservation",
    ] {
        let on = format!("  {flag}:\n    enabled: true\n");
        assert!(shipped.contains(&on), "{flag}");
        let off =
            PlanningProject::new().state("phase: RESEARCH").config(&shipped.replace(&on, &on.replace("true", "false")));
        let silent = |event: &Value| off.ruling(Contract::Spec, event).word() == "silent";
        let all = flag == "hooks_enforcement";
        let prompt = off.event("UserPromptSubmit", &json!({"prompt": "go on"}));
        assert_eq!(silent(&stop(&off, "Done.")), all || flag == "hooks_stop_guard", "{flag}");
        assert_eq!(silent(&prompt), all || flag == "hooks_context_preservation", "{flag}");
        for agent in [TECH_LEAD, ARCHITECT, QA_STRATEGIST, "product-planning:researcher"] {
            assert_eq!(silent(&end_of(&off, agent, "")), all || flag == "hooks_agent_validation", "{flag} {agent}");
        }
    }
    for key in
        ["dev_mode_file", "circuit_breaker_threshold", "log_location", "keyword_overlap_threshold", "tdd_min_coverage"]
    {
        assert!(shipped.contains(&format!("    {key}: ")), "{key}");
    }
}

#[test]
fn what_the_plugin_registers_reaches_every_hook_each_by_an_entry_of_its_own() {
    // covers: H08
    let text = std::fs::read_to_string(format!("{PLUGIN}/hooks/hooks.json")).unwrap();
    let hooks: Value = serde_json::from_str(&text).unwrap();
    assert!(hooks["description"].is_string());
    let place = installed().state("phase: RESEARCH");
    let folder = format!("{FEATURE}/spec.md");
    for (event, expected) in [
        (
            place.event("SessionStart", &json!({"source": "startup"})),
            &["setup-planning-env", "preserve-planning-context"][..],
        ),
        (place.event("UserPromptSubmit", &json!({"prompt": "x"})), &["inject-planning-context"]),
        (place.event("PreCompact", &json!({"trigger": "auto"})), &["preserve-planning-context"]),
        (place.ask(&["Why?"]), &["guard-immutable-decisions"]),
        (place.write(&folder), &["enforce-planning-lock", "protect-spec-immutability"]),
        (place.call("Bash", &json!({"command": "ls"})), &["enforce-planning-lock", "protect-spec-immutability"]),
        (place.wrote(format!("{FEATURE}/{STATE}")), &["checkpoint-logger"]),
        (
            place.research("mcp__Ref__search", 1),
            &["enforce-planning-lock", "protect-spec-immutability", "research-budget-tracker"],
        ),
        (end_of(&place, TECH_LEAD, ""), &["validate-tech-lead-output", "validate-agent-generic"]),
        (end_of(&place, ARCHITECT, ""), &["validate-architect-output", "validate-agent-generic"]),
        (end_of(&place, QA_STRATEGIST, ""), &["validate-qa-strategist-output", "validate-agent-generic"]),
        (end_of(&place, "product-planning:researcher", ""), &["validate-agent-generic"]),
        (end_of(&place, "general-purpose", ""), &[]),
        (stop(&place, "Done."), &["check-required-artifacts", "check-workflow-completeness"]),
    ] {
        let name = event["hook_event_name"].as_str().unwrap();
        let subject = event["tool_name"].as_str().or(event["agent_type"].as_str()).unwrap_or_default();
        let entries = registered(&hooks, name, subject);
        let commands: Vec<&str> = entries.iter().map(|entry| entry["command"].as_str().unwrap()).collect();
        let called: Vec<&str> = commands.iter().map(|command| command.rsplit('/').next().unwrap()).collect();
        assert_eq!(called, expected, "{name} {subject}");
        for command in commands {
            let args: Vec<&str> = command.rsplit_once("; hookrail ").unwrap().1.split(' ').collect();
            assert_eq!(place.hookrail(&args, &event.to_string()).code, Some(0), "{command}");
        }
    }
}

#[test]
fn where_hookrail_is_installed_without_the_plugin_it_judges_the_architect_itself() {
    // covers: H08
    let place = PlanningProject::new();
    assert_eq!(place.hookrail(&["install", "claude", "--pack", "planning"], "").code, Some(0));
    let hooks: Value = serde_json::from_str(&place.project.read(".claude/settings.json")).unwrap();
    for agent in [ARCHITECT, TECH_LEAD] {
        let entries = registered(&hooks, "SubagentStop", agent);
        assert_eq!((entries.len(), &entries[0]["type"]), (1, &json!("command")), "{agent}");
    }
    assert!(registered(&hooks, "SubagentStop", "general-purpose").is_empty());
}

/// The handlers that Claude Code would run.
fn registered(hooks: &Value, event: &str, subject: &str) -> Vec<Value> {
    let groups = hooks["hooks"][event].as_array().cloned().unwrap_or_default();
    let applies = |group: &&Value| {
        let (matcher, problem) = Matcher::compile(group["matcher"].as_str(), MatcherStyle::Names);
        assert!(problem.is_none(), "{group}");
        matcher.matches_name(subject)
    };
    groups.iter().filter(applies).flat_map(|group| group["hooks"].as_array().cloned().unwrap()).collect()
}
