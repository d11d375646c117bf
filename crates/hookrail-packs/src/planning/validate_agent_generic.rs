use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::prose::Prose;
use super::subagent::{self, DEDICATED, Review};
use crate::limits::THOROUGH;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

const PART: HookSwitch = HookSwitch { log_name: "H10_agent_generic_validator", flag: Some("hooks_agent_validation") };

/// H10: holds an agent of the workflow that ends with next to nothing.
///
/// **Why:** sixteen agents hand their output to the next one. One that says "done" leaves the others to guess.
///
/// **Catches:** the end of any other `product-planning:` agent while a workflow is under way and its last message has fewer
/// than 100 words, or no heading, list or table. Example: `product-planning:researcher` that ends with "All good."
///
/// **Leaves alone:** the three agents with a hook of their own, agents of other workflows, agents without a name, projects without
/// a workflow, and a second attempt to end.
#[derive(Debug)]
pub struct ValidateAgentGeneric;

impl NativeHook for ValidateAgentGeneric {
    fn id(&self) -> &'static str {
        "planning/validate-agent-generic"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::SubagentStop]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(THOROUGH), may_wait: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        subagent::name(event).is_some()
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let Some(agent) = subagent::name(scene.event) else { return Ok(Finding::nothing()) };
    if subagent::active_feature(scene)?.is_none() {
        return Ok(Finding::nothing());
    }
    if DEDICATED.contains(&agent) {
        return Ok(Finding::new("APPROVE", format!("Dedicated hook handles {agent}"), Outcome::silent()));
    }
    let prose = Prose::read(&subagent::output(scene));
    let least = scene.config.count("/feature_flags/hooks_agent_validation/min_words").unwrap_or(100);
    let mut problems = Vec::new();
    if u64::try_from(prose.words).is_ok_and(|words| words < least) {
        problems.push(format!("Agent produced insufficient output (<{least} words, found {})", prose.words));
    }
    if !prose.structured {
        problems.push("No structured sections found".to_owned());
    }
    let advice = format!(
        "Give your whole result as your last message, in at least {least} words with headings, lists or tables: whoever works \
         on from it sees nothing else"
    );
    let praise = format!("agent={agent}, words={}, structured={}", prose.words, prose.structured);
    Ok(Review { problems, advice, praise }.into_finding(scene))
}

#[cfg(test)]
mod tests {
    use super::super::subagent::tests::{active_world, end_of};
    use super::super::test_events::{reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    const HOOK: ValidateAgentGeneric = ValidateAgentGeneric;

    fn ending(agent: &str, text: &str) -> Event {
        end_of(&format!("product-planning:{agent}"), &json!({"last_assistant_message": text}))
    }

    #[test]
    fn next_to_nothing_is_refused() {
        // covers: H10
        let long = "word ".repeat(100);
        for (text, expected) in [
            (format!("## Findings\n{long}"), ""),
            (format!("- {long}"), ""),
            (long.clone(), "No structured sections found"),
            (format!("## Findings\n{}", "word ".repeat(97)), "insufficient output (<100 words, found 99)"),
            ("All good.".to_owned(), "insufficient output (<100 words, found 2). No structured sections found"),
            (String::new(), "insufficient output (<100 words, found 0)"),
        ] {
            let event = ending("researcher", &text);
            assert_eq!(word(&HOOK, &event, &active_world()), if expected.is_empty() { "silent" } else { "deny" });
            assert!(reason(&HOOK, &event, &active_world()).contains(expected), "{text}");
        }
        let silent = end_of("product-planning:researcher", &json!({}));
        assert_eq!(word(&HOOK, &silent, &active_world()), "deny", "an agent that said nothing");
    }

    #[test]
    fn what_an_agent_said_is_found_in_its_transcript_too() {
        // covers: H10
        let said = json!({"type": "assistant", "isSidechain": true, "message": {"role": "assistant",
            "content": [{"type": "text", "text": format!("- {}", "word ".repeat(100))}]}});
        let world = active_world().file("/t/agent.jsonl", &said.to_string());
        let event = end_of("product-planning:researcher", &json!({"agent_transcript_path": "/t/agent.jsonl"}));
        assert_eq!(word(&HOOK, &event, &world), "silent");
    }

    #[test]
    fn agents_that_are_not_its_business_pass() {
        // covers: H10
        for agent in DEDICATED {
            assert_eq!(word(&HOOK, &ending(agent, "x"), &active_world()), "silent", "{agent}");
        }
        for agent in ["general-purpose", "Explore", "other:researcher", ""] {
            let event = end_of(agent, &json!({"last_assistant_message": "x"}));
            assert_eq!(word(&HOOK, &event, &active_world()), "silent", "{agent}");
        }
        assert_eq!(word(&HOOK, &ending("researcher", "x"), &FakeWorld::new()), "silent");
        let again = end_of("product-planning:researcher", &json!({"stop_hook_active": true}));
        assert_eq!(word(&HOOK, &again, &active_world()), "warn");
        let config = "feature_flags: {hooks_agent_validation: {min_words: 1}}";
        let lenient = active_world().file("/p/config/planning-config.yaml", config);
        assert_eq!(word(&HOOK, &ending("researcher", "- x"), &lenient), "silent");
    }
}
