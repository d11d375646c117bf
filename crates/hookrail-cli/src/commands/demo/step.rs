//! What is there to see.

use super::story::ScriptedTurn;
use hookrail_store::{JournalRecord, Outcome};
use std::time::Duration;

/// Something that happened in the session, in the order in which it did.
#[derive(Clone, Debug)]
pub enum DemoStep {
    /// The user asks for something.
    Prompt(String),
    /// An event of the agent, with what hooks made of it.
    Event(DemoEvent),
    /// The agent's task list, after a hook changed it.
    Tasks(Vec<String>),
    /// What hooks add to a prompt, as the model got it.
    Context(String),
    /// The model answers what it heard.
    Speech { step: ScriptedTurn, heard: String },
}

/// An event, as the journal has it.
#[derive(Clone, Debug)]
pub struct DemoEvent {
    pub event: String,
    pub tool: Option<String>,
    pub subject: String,
    pub looks: Vec<HookResult>,
}

/// The result of one hook at an event.
#[derive(Clone, Debug)]
pub struct HookResult {
    pub hook: String,
    pub outcome: Outcome,
    /// `stop`, `block`, `ask` or `allow`; none if it let the event pass.
    pub decision: Option<String>,
    pub reason: Option<String>,
    pub time: Duration,
}

/// What came of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoOutcome {
    Passed,
    /// The tool does not run, or the prompt is not worked on.
    Refused,
    /// The agent wanted to stop and must not.
    SentOn,
    /// A hook could not do its work.
    Failed,
}

impl DemoEvent {
    pub fn outcome(&self) -> DemoOutcome {
        let refused = self.looks.iter().any(HookResult::refuses);
        match (refused, self.event.as_str()) {
            (true, "AfterAgent") => DemoOutcome::SentOn,
            (true, _) => DemoOutcome::Refused,
            (false, _) if self.looks.iter().any(|look| look.outcome == Outcome::Failed) => DemoOutcome::Failed,
            (false, _) => DemoOutcome::Passed,
        }
    }

    /// How long hooks took to decide.
    pub fn time(&self) -> Duration {
        self.looks.iter().map(|look| look.time).sum()
    }
}

impl HookResult {
    pub fn of(record: JournalRecord) -> Self {
        let time = Duration::from_micros(record.duration_us);
        let reason = record.reason.or(record.error);
        Self { hook: record.hook, outcome: record.outcome, decision: record.decision, reason, time }
    }

    pub fn refuses(&self) -> bool {
        matches!(self.decision.as_deref(), Some("block" | "stop"))
    }

    pub fn pack(&self) -> &str {
        self.hook.split_once('/').map_or("", |(pack, _)| pack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A decision and an outcome.
    type Made = (Option<&'static str>, Outcome);

    fn demo_event(event: &str, looks: &[Made]) -> DemoEvent {
        let look = |(decision, outcome): &Made| HookResult {
            hook: "pack/hook".to_owned(),
            outcome: *outcome,
            decision: decision.map(str::to_owned),
            reason: None,
            time: Duration::from_micros(5),
        };
        let looks = looks.iter().map(look).collect();
        DemoEvent { event: event.to_owned(), tool: None, subject: String::new(), looks }
    }

    #[test]
    fn one_objection_is_enough_and_a_failure_counts_only_without_one() {
        use Outcome::{Blocked, Failed, Succeeded, Warned};
        let cases: [(&str, &[Made], DemoOutcome); 8] = [
            ("BeforeTool", &[], DemoOutcome::Passed),
            ("BeforeTool", &[(None, Succeeded), (None, Warned)], DemoOutcome::Passed),
            ("BeforeTool", &[(Some("allow"), Succeeded)], DemoOutcome::Passed),
            ("BeforeTool", &[(None, Succeeded), (Some("block"), Blocked)], DemoOutcome::Refused),
            ("BeforeTool", &[(Some("stop"), Blocked)], DemoOutcome::Refused),
            ("AfterAgent", &[(Some("block"), Blocked)], DemoOutcome::SentOn),
            ("BeforeTool", &[(None, Failed)], DemoOutcome::Failed),
            ("BeforeTool", &[(None, Failed), (Some("block"), Blocked)], DemoOutcome::Refused),
        ];
        for (event, looks, expected) in cases {
            let demo_event = demo_event(event, looks);
            assert_eq!(demo_event.outcome(), expected, "{event} {looks:?}");
            assert_eq!(demo_event.time(), Duration::from_micros(5 * looks.len() as u64));
        }
    }
}
