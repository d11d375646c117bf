use crate::results::{suppresses, system_message};
use hookrail_core::{Decision, DefaultHookOutput, Failure, HookOutput, HookRun, RunStatus, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

/// What hooks made of an event, for a caller in any language.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    decision: Decision,
    /// The operation must not happen; true for a stop as well.
    blocked: bool,
    reason: Option<String>,
    /// The agent's loop must end.
    stop: bool,
    system_message: Option<String>,
    context: Option<String>,
    suppress_output: bool,
    runs: Vec<RunWire>,
    #[serde(flatten)]
    particulars: Particulars,
}

/// What only one event's answer has.
#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum Particulars {
    BeforeTool { tool_input: Map<String, Value> },
    BeforeModel { modified_request: Option<Value>, synthetic_response: Option<Value> },
    AfterModel { response: Value },
    BeforeToolSelection { tool_config: Option<Value> },
    AfterAgent { clear_context: bool },
    None {},
}

#[derive(Debug, Serialize)]
struct RunWire {
    hook: String,
    outcome: Outcome,
    milliseconds: f64,
    error: Option<String>,
}

/// How a hook ended, with its opinion if it objected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Outcome {
    Succeeded,
    Blocked,
    /// It objected, and is configured to warn only.
    Warned,
    /// It was not asked.
    Skipped,
    Failed,
    TimedOut,
    Cancelled,
}

impl Answer {
    pub fn new(verdict: &Verdict, particulars: Particulars) -> Self {
        let output = verdict.final_output();
        let blocked = verdict.decision() >= Decision::Block;
        Self {
            decision: verdict.decision(),
            blocked,
            reason: output.and_then(|output| reason(output, blocked)),
            stop: verdict.should_stop(),
            system_message: output.and_then(system_message),
            context: output.and_then(|output| text(output.additional_context())),
            suppress_output: output.is_some_and(suppresses),
            runs: verdict.runs().iter().map(RunWire::new).collect(),
            particulars,
        }
    }
}

/// Why the operation must not happen, never empty; otherwise whatever reason a hook gave.
fn reason(output: &DefaultHookOutput, blocked: bool) -> Option<String> {
    if blocked { text(Some(output.get_effective_reason())) } else { text(output.reason()) }
}

fn text(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

impl RunWire {
    fn new(run: &HookRun) -> Self {
        Self {
            hook: run.hook.id.to_string(),
            outcome: Outcome::of(run),
            milliseconds: run.duration.as_micros() as f64 / 1000.0,
            error: match &run.status {
                RunStatus::Failed(failure) => Some(failure.to_string()),
                RunStatus::Skipped(why) => Some(why.clone()),
                RunStatus::Succeeded | RunStatus::Blocked => None,
            },
        }
    }
}

impl Outcome {
    fn of(run: &HookRun) -> Self {
        let objects = |output: &HookOutput| output.verdict() >= Decision::Block;
        match &run.status {
            RunStatus::Failed(Failure::TimedOut(_)) => Self::TimedOut,
            RunStatus::Failed(Failure::Cancelled) => Self::Cancelled,
            RunStatus::Failed(_) => Self::Failed,
            RunStatus::Skipped(_) => Self::Skipped,
            RunStatus::Succeeded | RunStatus::Blocked => {
                if run.withheld.as_ref().is_some_and(objects) {
                    Self::Warned
                } else if run.output.as_ref().is_some_and(objects) {
                    Self::Blocked
                } else {
                    Self::Succeeded
                }
            }
        }
    }
}
