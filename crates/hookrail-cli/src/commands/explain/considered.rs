//! Every hook there is, and what became of it at one event.

use crate::current_project::spelled;
use crate::hook::PreparedEvent;
use hookrail_core::{Decision, HookOutput, HookRun, Mode, Origin, Verdict};
pub use hookrail_engine::HookDisposition;
use hookrail_engine::RealWorld;
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::Duration;

/// One hook at one event.
#[derive(Clone, Debug, Serialize)]
pub struct Considered {
    pub hook: String,
    pub kind: &'static str,
    pub fate: HookDisposition,
    pub why: String,
    pub mode: Mode,
    /// Who configured it: a layer, `default`, or a place in a file.
    pub source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<HookReply>,
}

/// What an output has besides its decision.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OutputTexts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What it changed of the operation.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub rewrite: Map<String, Value>,
}

impl OutputTexts {
    pub fn of(output: Option<&HookOutput>) -> Self {
        let text = |text: Option<&str>| text.map(str::to_owned);
        Self {
            reason: text(output.and_then(HookOutput::spoken_reason)),
            message: text(output.and_then(HookOutput::system_message)),
            context: text(output.and_then(HookOutput::additional_context)),
            rewrite: output.map(|output| output.rewrite.to_json()).unwrap_or_default(),
        }
    }

    /// The rewrite as JSON text, if there is one.
    pub fn rewrite_text(&self) -> Option<String> {
        (!self.rewrite.is_empty()).then(|| Value::Object(self.rewrite.clone()).to_string())
    }
}

/// What a hook that was planned said.
#[derive(Clone, Debug, Serialize)]
pub struct HookReply {
    pub decision: Decision,
    #[serde(flatten)]
    pub texts: OutputTexts,
    /// What it said in `warn` mode, where it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What of its output could not be understood.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub misread: Vec<String>,
    pub micros: u64,
}

impl HookReply {
    pub fn of(run: &HookRun) -> Self {
        let output = run.output.as_ref();
        Self {
            decision: output.map_or(Decision::None, HookOutput::verdict),
            texts: OutputTexts::of(output),
            withheld: run.withheld.as_deref().map(HookOutput::to_json),
            error: run.failure().map(ToString::to_string),
            misread: run.misread.iter().map(ToString::to_string).collect(),
            micros: micros(run.duration),
        }
    }
}

pub fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// All hooks: those of the plan in its order, then the others as the catalogue and the configuration have them.
pub fn all(prepared: &PreparedEvent, verdict: &Verdict) -> Vec<Considered> {
    let shown = |origin: &Origin| spelled(&origin.to_string(), &prepared.project, &RealWorld::default());
    let considered = prepared.engine.hooks().consider(&prepared.event, verdict);
    let row = |considered: hookrail_engine::Considered| Considered {
        hook: considered.hook,
        kind: considered.kind,
        fate: considered.fate,
        why: considered.why,
        mode: considered.mode,
        source: shown(&considered.origin),
        run: considered.run.as_ref().map(HookReply::of),
    };
    considered.into_iter().map(row).collect()
}
