use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::question::Question;
use super::repetition::{CALIBRATED, Repetition};
use super::state::Decision;
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, ToolKind, World, display};

const PART: HookSwitch = HookSwitch { log_name: "H01_immutable_guard", flag: Some("hooks_immutable_guard") };
const THRESHOLD: &str = "/feature_flags/hooks_immutable_guard/keyword_overlap_threshold";

/// H01: keeps a model from asking the user again what the user has decided.
///
/// **Why:** after a compaction or in a new session a model does not remember the answers, but they stand in the state file.
///
/// **Catches:** a question that asks for a decided thing again, in whatever words: `What caching strategy for sessions?`
/// after `Should we use Redis for session caching?`. Each question of a call is compared, and all answers are named.
///
/// **Leaves alone:** a new question about the same subject: `Which Redis version do we run?`.
#[derive(Debug)]
pub struct GuardImmutableDecisions;

impl NativeHook for GuardImmutableDecisions {
    fn id(&self) -> &'static str {
        "planning/guard-immutable-decisions"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), may_wait: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        event.tool.as_ref().is_some_and(|tool| matches!(tool.kind, ToolKind::AskUser { .. }))
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let questions = match scene.event.tool.as_ref().map(|tool| &tool.kind) {
        Some(ToolKind::AskUser { questions }) if !questions.is_empty() => questions,
        _ => return Ok(Finding::allow("No question text found in tool input")),
    };
    let state = match scene.feature()? {
        Some(feature) => feature.read_state(scene.world)?,
        None => None,
    };
    let Some(state) = state else { return Ok(Finding::allow("No state file, planning not started")) };
    let decisions = state.decisions();
    if decisions.is_empty() {
        return Ok(Finding::allow("No user_decisions in state"));
    }
    let threshold = scene.config.share(THRESHOLD).unwrap_or(CALIBRATED);
    let decided: Vec<String> =
        questions.iter().filter_map(|question| find(question, &decisions, threshold)).map(cite).collect();
    if decided.is_empty() {
        return Ok(Finding::allow("No matching decisions found"));
    }
    Ok(Finding::deny(&format!(
        "DENIED: Decision already made by the user, and immutable. Do not re-ask, nor in other words: use the cached \
         answer and go on; ask only what is not decided.\n{}",
        decided.join("\n")
    )))
}

/// The decision a question asks for again: the one it has most in common with.
fn find<'a>(question: &str, decisions: &'a [Decision], threshold: f64) -> Option<(&'a Decision, Repetition)> {
    let asked = Question::read(question);
    let repeated = |decision: &'a Decision| {
        let repetition = Repetition::of(&asked, decision)?;
        repetition.reaches(threshold).then_some((decision, repetition))
    };
    decisions.iter().filter_map(repeated).max_by(|(_, one), (_, other)| one.score.total_cmp(&other.score))
}

fn cite((decision, repetition): (&Decision, Repetition)) -> String {
    let Repetition { common, of, .. } = repetition;
    // An apostrophe of the text must not end the quotation.
    let shown = |text: &str| display::one_line(text).replace('\'', "’");
    format!(
        "Cached answer: '{}' (decided: '{}', overlap {common}/{of})",
        shown(&decision.answer),
        shown(&decision.question)
    )
}

#[cfg(test)]
mod tests {
    use super::super::test_events::{call, reason, word};
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::{Value, json};

    fn ask(questions: &[&str]) -> Event {
        let questions: Vec<Value> = questions.iter().map(|question| json!({"question": question})).collect();
        call("/p", "AskUserQuestion", json!({"questions": questions}))
    }

    fn world(yaml: &str) -> FakeWorld {
        FakeWorld::new()
            .file("/p/.git/HEAD", "ref: refs/heads/feature/x")
            .file("/p/specs/x/.planning-state.local.md", &format!("---\n{yaml}\n---\n"))
    }

    #[test]
    fn a_question_about_something_decided_is_denied() {
        // covers: H01
        let cached = r#"user_decisions: {"Use Redis for caching": "Yes"}"#;
        let session = r#"user_decisions: {"Should we use Redis for session caching?": "Yes, use Redis"}"#;
        let long = r#"user_decisions: {"Use Redis for session caching in production": "Yes"}"#;
        let slug = "user_decisions: {notification_channels: {answer: mail}}";
        for (yaml, question, expected) in [
            (cached, "What caching to use?", "deny"),
            (cached, "What color for the button?", "silent"),
            (cached, "Should we use Redis for caching?", "deny"),
            (cached, "SHOULD WE use redis, for caching?!", "deny"),
            (session, "What caching strategy for sessions?", "deny"),
            (long, "Is Redis good?", "silent"),
            (slug, "Which notification channels do you want?", "deny"),
            ("user_decisions: {}", "What caching to use?", "silent"),
            ("phase: X", "What caching to use?", "silent"),
            (cached, "What is it?", "silent"),
            ("user_decisions: {\"a: b", "What caching to use?", "error"),
        ] {
            assert_eq!(word(&GuardImmutableDecisions, &ask(&[question]), &world(yaml)), expected, "{yaml} {question}");
        }
        assert_eq!(word(&GuardImmutableDecisions, &ask(&["What caching?"]), &FakeWorld::new()), "silent");
        assert_eq!(word(&GuardImmutableDecisions, &ask(&[]), &world(cached)), "silent");
    }

    #[test]
    fn every_question_of_a_call_is_compared_and_every_answer_named() {
        // covers: H01
        let yaml = "user_decisions:\n  Which database?: {question: Which database?, answer: PostgreSQL}\n  Which cache?: Redis";
        let event = ask(&["What color?", "Which database do we use?", "And the cache?"]);
        let reason = reason(&GuardImmutableDecisions, &event, &world(yaml));
        assert!(reason.contains("'PostgreSQL' (decided: 'Which database?', overlap 1/1)"), "{reason}");
        assert!(reason.contains("'Redis' (decided: 'Which cache?', overlap 1/1)"), "{reason}");
    }

    #[test]
    fn the_threshold_is_that_of_the_configuration() {
        // covers: H01
        let question = ask(&["Should Redis caching be encrypted?"]);
        for (threshold, expected) in
            [("0.6", "silent"), ("0.9", "silent"), ("0.5", "deny"), ("0.3", "deny"), ("7", "silent"), ("x", "silent")]
        {
            let yaml = format!("feature_flags: {{hooks_immutable_guard: {{keyword_overlap_threshold: {threshold}}}}}");
            let world = world("user_decisions: {Redis caching: Yes}").file("/p/config/planning-config.yaml", &yaml);
            assert_eq!(word(&GuardImmutableDecisions, &question, &world), expected, "{threshold}");
        }
    }
}
