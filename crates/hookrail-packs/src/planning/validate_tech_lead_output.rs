use super::config::Config;
use super::feature::Feature;
use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::subagent::{self, Review, TECH_LEAD};
use super::tasks::Tasks;
use crate::limits::THOROUGH;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

const PART: HookSwitch = HookSwitch { log_name: "H07_tech_lead_validator", flag: Some("hooks_agent_validation") };

/// H07: holds the tech lead until its `tasks.md` can be worked from.
///
/// **Why:** tasks without tests, phases or a checklist show only when work on them begins, and by then everything after
/// them has been made.
///
/// **Catches:** the end of `product-planning:tech-lead` where a feature is planned and `tasks.md` is missing or empty, has
/// too few tasks (`- [ ] [T001]` or `- [ ] T001`), too few tasks that name a test, too few phases, or no self-critique where
/// the configuration asks for one. Example: ten tasks of which five name a test (`UT-001`).
///
/// **Leaves alone:** other agents, projects without a workflow, a second attempt to end, and twenty tasks in two phases with a
/// test each.
#[derive(Debug)]
pub struct ValidateTechLeadOutput;

impl NativeHook for ValidateTechLeadOutput {
    fn id(&self) -> &'static str {
        "planning/validate-tech-lead-output"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::SubagentStop]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(THOROUGH), may_wait: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        subagent::name(event) == Some(TECH_LEAD)
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let Some(feature) = subagent::planned_feature(scene)? else { return Ok(Finding::nothing()) };
    Ok(review(&feature, scene)?.into_finding(scene))
}

fn review(feature: &Feature, scene: &PlanningInput<'_>) -> Result<Review, HookError> {
    let path = feature.file("tasks.md");
    let advice = format!(
        "Write the tasks to `{}`: one line `- [ ] T001 …` each, below `## Phase …` headings, with the tests that prove it \
         (UT-, INT-, E2E-, UAT-) in the task or its Definition of Done. Then finish again",
        path.display()
    );
    let review = |problems: Vec<String>, praise: String| Review { problems, advice, praise };
    let Some(bytes) = scene.world.read(&path)? else {
        return Ok(review(vec!["tasks.md not found".to_owned()], String::new()));
    };
    let text = String::from_utf8_lossy(&bytes);
    if text.trim().is_empty() {
        return Ok(review(vec!["tasks.md is empty".to_owned()], String::new()));
    }
    let tasks = Tasks::read(&text);
    let praise = format!("tasks={}, tdd={}%, phases={}", tasks.total, tasks.percent(), tasks.phases);
    Ok(review(problems(tasks, &scene.config), praise))
}

fn problems(tasks: Tasks, config: &Config) -> Vec<String> {
    let limit = |name: &str, default: usize| {
        let count = config.count(&format!("/feature_flags/hooks_agent_validation/{name}"));
        count.and_then(|count| usize::try_from(count).ok()).unwrap_or(default)
    };
    let coverage = limit("tdd_min_coverage", 80).min(100);
    let mut problems = Vec::new();
    if tasks.total < limit("min_tasks", 5) {
        problems.push(format!("Too few tasks generated (found {})", tasks.total));
    }
    if tasks.total > 0 && tasks.percent() < coverage {
        problems.push(format!("Insufficient TDD integration: {}% (need >={coverage}%)", tasks.percent()));
    }
    if tasks.phases < limit("min_phases", 2) {
        problems.push("Missing phase structure in tasks.md".to_owned());
    }
    if config.asks_for("s1_self_critique") && !tasks.self_critique {
        problems.push("Missing self-critique section".to_owned());
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::subagent::tests::{active_world, end_of};
    use super::super::test_events::{reason, word};
    use super::*;
    use serde_json::{Value, json};

    const HOOK: ValidateTechLeadOutput = ValidateTechLeadOutput;
    const FILE: &str = "/p/specs/x/tasks.md";

    fn tech_lead(fields: &Value) -> Event {
        end_of("product-planning:tech-lead", fields)
    }

    fn tasks(total: usize, tested: usize) -> String {
        let task = |n: usize| format!("- [ ] T{n:03} Do it{}\n", if n <= tested { " (UT-001)" } else { "" });
        format!("## Phase 1\n{}## Phase 2\n", (1..=total).map(task).collect::<String>())
    }

    #[test]
    fn tasks_that_cannot_be_worked_from_are_refused_with_every_reason() {
        // covers: H07
        for (text, expected) in [
            (tasks(20, 18), vec![]),
            (tasks(5, 4), vec![]),
            (tasks(10, 5), vec!["Insufficient TDD integration: 50% (need >=80%)"]),
            (tasks(4, 4), vec!["Too few tasks generated (found 4)"]),
            (tasks(10, 10).replace("## Phase 2", "## Later"), vec!["Missing phase structure in tasks.md"]),
            ("some prose".to_owned(), vec!["Too few tasks generated (found 0)", "Missing phase structure in tasks.md"]),
            (" \n".to_owned(), vec!["tasks.md is empty"]),
        ] {
            let world = active_world().file(FILE, &text);
            assert_eq!(
                word(&HOOK, &tech_lead(&json!({})), &world),
                if expected.is_empty() { "silent" } else { "deny" }
            );
            let reason = reason(&HOOK, &tech_lead(&json!({})), &world);
            for part in expected {
                assert!(reason.contains(part), "{reason}");
            }
        }
        assert!(reason(&HOOK, &tech_lead(&json!({})), &active_world()).starts_with("tasks.md not found. "));
    }

    #[test]
    fn limits_and_self_critique_are_the_configurations_to_say() {
        // covers: H07
        let config = |yaml: &str| {
            active_world()
                .file(FILE, &tasks(10, 5))
                .file("/p/config/planning-config.yaml", &format!("feature_flags:\n{yaml}"))
        };
        for (yaml, expected) in [
            ("  hooks_agent_validation: {tdd_min_coverage: 50}", "silent"),
            ("  hooks_agent_validation: {tdd_min_coverage: 0}", "silent"),
            ("  hooks_agent_validation: {tdd_min_coverage: high}", "deny"),
            ("  hooks_agent_validation: {tdd_min_coverage: 50, min_tasks: 11}", "deny"),
            ("  hooks_agent_validation: {tdd_min_coverage: 50, min_phases: 3}", "deny"),
            ("  hooks_agent_validation: {tdd_min_coverage: 50}\n  s1_self_critique: {enabled: true}", "deny"),
            ("  hooks_agent_validation: {enabled: false}", "silent"),
            ("  hooks_agent_validation: [", "error"),
        ] {
            assert_eq!(word(&HOOK, &tech_lead(&json!({})), &config(yaml)), expected, "{yaml}");
        }
    }

    #[test]
    fn it_is_asked_once_and_only_of_the_tech_lead_of_an_active_workflow() {
        // covers: H07
        let world = active_world();
        assert_eq!(word(&HOOK, &tech_lead(&json!({"stop_hook_active": true})), &world), "warn");
        for agent in ["product-planning:researcher", "x-product-planning:tech-lead", "tech-lead", ""] {
            assert_eq!(word(&HOOK, &end_of(agent, &json!({})), &world), "silent", "{agent}");
        }
        let state = "/p/specs/x/.planning-state.local.md";
        let over = active_world().file(state, "---\nphase: COMPLETION\n---\n");
        assert_eq!(word(&HOOK, &tech_lead(&json!({})), &over), "deny", "the tech lead works in the last phase");
        let elsewhere = active_world().file("/p/.git/HEAD", "ref: refs/heads/main");
        assert_eq!(word(&HOOK, &tech_lead(&json!({})), &elsewhere), "silent");
        let broken = active_world().broken(FILE);
        assert_eq!(word(&HOOK, &tech_lead(&json!({})), &broken), "error");
    }
}
