use super::blueprint::{self, Element, NEEDED};
use super::conversation;
use super::feature::{Feature, read_artifact};
use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::stopping::is_second_stop;
use super::subagent::{self, ARCHITECT, Review};
use hookrail_core::{Decision, Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

const PART: HookSwitch = HookSwitch { log_name: "H08_architect_validator", flag: Some("hooks_agent_validation") };

/// More files than an architect writes.
const MAX_FILES: usize = 50;

/// What a model is asked: the engine's here, or the agent's own where the hook is exported as `type: prompt`.
pub(crate) const PROMPT: &str = "The subagent software-architect of a planning workflow is about to end. Judge whether its \
blueprint is complete enough to build from. What it said is in `last_assistant_message` of the event, and in \
`architect_output` if that is there: $ARGUMENTS

Look for five elements: (1) component design: named components with their file paths, such as src/models/user.ts; (2) data \
flow: how data moves between the components, told or drawn; (3) interfaces: function signatures, props or API contracts; \
(4) an explicit list of the files to create or modify; (5) build sequence: the order of implementation.

If three or more of the five are there, or if `stop_hook_active` is true, it is complete: answer {\"ok\": true}. Otherwise \
answer {\"ok\": false, \"reason\": \"Blueprint incomplete: missing …\"} with the elements that are missing, and what the \
architect has to add.";

/// H08: holds the architect until its blueprint can be built from.
///
/// **Why:** a blueprint without paths, interfaces and an order reads well, and tells the tech lead nothing.
///
/// **Catches:** the end of `product-planning:software-architect` while a workflow is under way and fewer than three of five
/// elements are there: components with file paths, data flow, interfaces, files to create or modify, build sequence. What
/// counts is all it said, the files of the feature that it wrote and the design files that it names. A model judges if one is configured; if not,
/// the elements are looked for by their usual words and forms.
///
/// **Leaves alone:** other agents, projects without a workflow, a second attempt to end. A model that cannot be asked is a
/// failure of the hook and does not hold the agent.
#[derive(Debug)]
pub struct ValidateArchitectOutput;

impl NativeHook for ValidateArchitectOutput {
    fn id(&self) -> &'static str {
        "planning/validate-architect-output"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::SubagentStop]
    }

    fn concerns(&self, event: &Event) -> bool {
        subagent::name(event) == Some(ARCHITECT)
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(Duration::from_secs(20)), ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let Some(feature) = subagent::active_feature(scene)? else { return Ok(Finding::nothing()) };
    let text = read_blueprint(&feature, scene)?;
    // Whoever ends for the second time is let go, so no model needs to be asked.
    let judged = if is_second_stop(scene.event) { None } else { ask_model(scene, &text)? };
    Ok(judged.unwrap_or_else(|| review(&text, scene)).into_finding(scene))
}

/// Everything the architect wrote: its messages, the files of the feature it wrote, and the design files that it names.
fn read_blueprint(feature: &Feature, scene: &PlanningInput<'_>) -> Result<String, HookError> {
    let last = subagent::output(scene);
    let (mut texts, written) = conversation::work_of_subagent(scene.event, scene.world);
    texts.retain(|text| *text != last);
    texts.push(last);
    let names = scene.world.list(&feature.folder)?.unwrap_or_default();
    let is_design = |name: &&String| name.starts_with("design") && name.ends_with(".md");
    let is_named = |name: &&String| texts.iter().any(|text| text.contains(name.as_str()));
    let named = names.iter().filter(is_design).filter(is_named).map(|name| feature.file(name));
    let folder = scene.world.resolve(&feature.folder);
    let written = written.iter().map(|path| scene.world.resolve(&scene.event.cwd.join(path)));
    let written = written.filter(|path| path.starts_with(&folder));
    let files: BTreeSet<PathBuf> = named.map(|path| scene.world.resolve(&path)).chain(written).collect();
    for path in files.into_iter().take(MAX_FILES) {
        if let Some(bytes) = read_artifact(&path, scene.world)? {
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(texts.join("\n\n").trim_start().to_owned())
}

/// What the model thinks; `None` if there is no model.
fn ask_model(scene: &PlanningInput<'_>, text: &str) -> Result<Option<Review>, HookError> {
    let mut event = scene.event.clone();
    if event.text("last_assistant_message") != Some(text) {
        event.payload.insert("architect_output".to_owned(), Value::from(text));
    }
    let Some(answer) = scene.world.ask_model(PROMPT, &event)? else { return Ok(None) };
    let reason = answer.reason().map(str::trim).filter(|reason| !reason.is_empty());
    let problems = match answer.decision {
        Decision::Block | Decision::Stop => {
            vec![reason.unwrap_or("Blueprint incomplete").trim_end_matches('.').to_owned()]
        }
        Decision::None | Decision::Allow | Decision::Ask => Vec::new(),
    };
    Ok(Some(Review { problems, advice: advice(), praise: format!("model: {}", reason.unwrap_or("complete")) }))
}

/// What can be said without a model.
fn review(text: &str, scene: &PlanningInput<'_>) -> Review {
    let missing = blueprint::missing(text);
    let needed = scene.config.count("/feature_flags/hooks_agent_validation/min_blueprint_elements");
    let needed = needed.and_then(|count| usize::try_from(count).ok()).unwrap_or(NEEDED);
    let found = Element::COUNT - missing.len();
    let names: Vec<&str> = missing.iter().map(|element| element.as_str()).collect();
    let problem = format!("Blueprint incomplete: missing {}", names.join(", "));
    let problems = if found < needed { vec![problem] } else { Vec::new() };
    Review { problems, advice: advice(), praise: format!("{found} of {} elements", Element::COUNT) }
}

fn advice() -> String {
    "Add what is missing: components with their file paths, how data moves between them, their interfaces, the files to \
     create or modify, and the order of implementation. Then finish again with the whole blueprint, or with the name of the \
     design file it stands in"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::subagent::tests::{active_world, end_of};
    use super::super::test_events::{reason, word};
    use super::*;
    use hookrail_core::HookOutput;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    const HOOK: ValidateArchitectOutput = ValidateArchitectOutput;
    const VAGUE: &str = "We build a clean and scalable system with good layers.";
    const COMPLETE: &str =
        "## Data Flow\nclient → api\n## Files to create\n- `src/api/user.ts`\n## Build Sequence\n1. api";

    fn ending(text: &str) -> Event {
        end_of("product-planning:software-architect", &json!({"last_assistant_message": text}))
    }

    #[test]
    fn without_a_model_the_five_elements_decide() {
        // covers: H08
        for (text, expected) in [
            (COMPLETE, "silent"),
            (VAGUE, "deny"),
            ("", "deny"),
            ("## Data Flow\nclient → api\n## Build Sequence\n1. api", "deny"),
        ] {
            assert_eq!(word(&HOOK, &ending(text), &active_world()), expected, "{text}");
        }
        let reason = reason(&HOOK, &ending("`src/a.ts` first, then `src/b.ts`"), &active_world());
        let expected =
            "Blueprint incomplete: missing data flow, interfaces, files to create or modify. Add what is missing";
        assert!(reason.starts_with(expected), "{reason}");
    }

    #[test]
    fn design_files_count_if_the_architect_names_them() {
        // covers: H08
        let world = || active_world().file("/p/specs/x/design.clean.md", COMPLETE);
        assert_eq!(word(&HOOK, &ending("Written to specs/x/design.clean.md."), &world()), "silent");
        assert_eq!(word(&HOOK, &ending(VAGUE), &world()), "deny", "an older design is not this one");
    }

    #[test]
    fn a_model_that_is_configured_decides() {
        // covers: H08
        let answer = |decision: Decision| Ok(HookOutput::decide(decision, "Blueprint incomplete: no paths."));
        let world = |answer: Result<HookOutput, HookError>| active_world().model(answer);
        for (text, answer, expected) in [
            (COMPLETE, answer(Decision::Block), "deny"),
            (VAGUE, answer(Decision::Allow), "silent"),
            (VAGUE, answer(Decision::Ask), "silent"),
            (VAGUE, Err(HookError::new("no connection".to_owned())), "error"),
        ] {
            assert_eq!(word(&HOOK, &ending(text), &world(answer)), expected, "{text}");
        }
        let told = reason(&HOOK, &ending(COMPLETE), &world(answer(Decision::Block)));
        assert!(told.starts_with("Blueprint incomplete: no paths. Add what is missing"), "{told}");
    }

    #[test]
    fn it_is_asked_once_and_only_of_the_architect_of_an_active_workflow() {
        // covers: H08
        let again = json!({"stop_hook_active": true, "last_assistant_message": VAGUE});
        let again = end_of("product-planning:software-architect", &again);
        let world = active_world().model(Err(HookError::new("asked for nothing".to_owned())));
        assert_eq!(word(&HOOK, &again, &world), "warn");
        assert_eq!(word(&HOOK, &end_of("product-planning:wildcard-architect", &json!({})), &active_world()), "silent");
        assert_eq!(word(&HOOK, &ending(VAGUE), &FakeWorld::new()), "silent");
    }
}
