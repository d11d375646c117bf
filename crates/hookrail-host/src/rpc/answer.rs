use super::run::{RunWire, milliseconds};
use crate::results::{suppresses, system_message};
use hookrail_core::{Conflict, Decision, DefaultHookOutput, EventName, HookOutput, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

/// What hooks made of an event, for a caller in any language.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventAnswer {
    decision: Decision,
    /// The operation must not happen; true for a stop as well.
    blocked: bool,
    reason: Option<String>,
    /// The agent's loop must end.
    stop: bool,
    system_message: Option<String>,
    context: Option<String>,
    suppress_output: bool,
    /// Every hook ran without failing. Says nothing about what they decided (HOOK-213).
    success: bool,
    errors: Vec<String>,
    /// Of all hooks together, in milliseconds.
    total_duration: f64,
    /// What hooks that failed left to say, apart from what those said that did not.
    warnings: Vec<String>,
    /// What hookrail has to say about its own work.
    notices: Vec<String>,
    /// What several hooks rewrote at the same time; the last one's value counts.
    conflicts: Vec<ConflictWire>,
    /// The merged output in the words of the hook protocol, `hookSpecificOutput` included.
    output: Option<Value>,
    runs: Vec<RunWire>,
    #[serde(flatten)]
    particulars: Particulars,
}

/// What only one event's answer has.
#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum Particulars {
    BeforeTool { tool_input: Map<String, Value> },
    BeforeModel { modified_request: Option<Value>, synthetic_response: Option<Value>, blocked_response: Option<Value> },
    AfterModel { response: Value },
    BeforeToolSelection { tool_config: Option<Value>, modified_request: Option<Value> },
    AfterAgent { clear_context: bool },
    None {},
}

#[derive(Debug, Serialize)]
struct ConflictWire {
    field: String,
    hooks: Vec<String>,
}

impl EventAnswer {
    /// The particulars are made from what the hooks said without those that failed.
    pub fn new(mut verdict: Verdict, particulars: impl FnOnce(Option<&DefaultHookOutput>) -> Particulars) -> Self {
        let warnings = verdict.take_remarks_of_failed();
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
            success: verdict.success(),
            errors: verdict.errors(),
            total_duration: milliseconds(verdict.total_duration()),
            warnings,
            conflicts: verdict.conflicts().iter().map(ConflictWire::new).collect(),
            output: output.map(HookOutput::to_json),
            runs: verdict.runs().iter().map(RunWire::new).collect(),
            particulars: particulars(output),
            notices: verdict.notices().to_vec(),
        }
    }
}

/// How an event went, in a few numbers.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TelemetryWire {
    event: String,
    hooks: usize,
    total_duration: f64,
    success: bool,
    decision: Decision,
}

impl EventAnswer {
    pub fn telemetry(&self, event: &EventName) -> TelemetryWire {
        TelemetryWire {
            event: event.as_str().to_owned(),
            hooks: self.runs.len(),
            total_duration: self.total_duration,
            success: self.success,
            decision: self.decision,
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

impl ConflictWire {
    fn new(conflict: &Conflict) -> Self {
        Self { field: conflict.field.clone(), hooks: conflict.hooks.clone() }
    }
}
