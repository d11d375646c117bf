//! How many opinions became one, step by step.

use super::considered::{HookReply, OutputTexts};
use hookrail_core::{Decision, RunStatus, Verdict};
use serde::Serialize;

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
    #[serde(flatten)]
    pub texts: OutputTexts,
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
            ("reason", said.texts.reason.is_some()),
            ("message", said.texts.message.is_some()),
            ("context", said.texts.context.is_some()),
            ("rewrite", !said.texts.rewrite.is_empty()),
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
        texts: OutputTexts::of(verdict.final_output()),
        conflicts: conflicts.collect(),
    }
}
