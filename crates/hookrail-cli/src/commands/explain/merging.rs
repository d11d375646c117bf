//! How many opinions became one, step by step.

use super::considered::{HookReply, rewrite};
use hookrail_core::{Decision, HookOutput, RunStatus, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

/// The verdict after one more hook.
#[derive(Clone, Debug, Serialize)]
pub struct MergeStep {
    pub hook: String,
    /// It was planned, and did not run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    /// What this hook said.
    pub said: Decision,
    /// What holds from here on.
    pub decision: Decision,
    /// What else it brought: `reason`, `message`, `context`, `rewrite`.
    pub adds: Vec<&'static str>,
    /// What it rewrote and another hook did too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
}

/// The verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Merged {
    pub decision: Decision,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub rewrite: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
}

/// Merges the runs one by one, with the very function that merges them all.
pub fn steps(verdict: &Verdict) -> Vec<MergeStep> {
    let mut steps = Vec::new();
    for (count, run) in (1..).zip(verdict.runs()) {
        let merged = verdict.after(count);
        let said = HookReply::of(run);
        let parts = [
            ("reason", said.reason.is_some()),
            ("message", said.message.is_some()),
            ("context", said.context.is_some()),
            ("rewrite", !said.rewrite.is_empty()),
        ];
        let mine =
            merged.conflicts().iter().filter(|conflict| conflict.hooks.iter().any(|hook| **hook == *run.hook.id));
        steps.push(MergeStep {
            hook: run.hook.id.to_string(),
            skipped: matches!(run.status, RunStatus::Skipped(_)),
            said: said.decision,
            decision: merged.decision(),
            adds: parts.iter().filter(|(_, there)| *there).map(|(part, _)| *part).collect(),
            conflicts: mine.map(|conflict| conflict.field.clone()).collect(),
        });
    }
    steps
}

pub fn result(verdict: &Verdict) -> Merged {
    let output = verdict.final_output();
    let text = |text: Option<&str>| text.map(str::to_owned);
    let reason = output.and_then(HookOutput::spoken_reason);
    let conflicts = verdict.conflicts().iter().map(|conflict| {
        let winner = conflict.hooks.last().map(String::as_str).unwrap_or_default();
        format!(
            "`{}` was rewritten by {}; `{winner}` comes last and wins",
            conflict.field,
            conflict.hooks.join(" and ")
        )
    });
    Merged {
        decision: verdict.decision(),
        reason: text(reason),
        message: text(output.and_then(HookOutput::system_message)),
        context: text(output.and_then(HookOutput::additional_context)),
        rewrite: output.map(rewrite).unwrap_or_default(),
        conflicts: conflicts.collect(),
    }
}
