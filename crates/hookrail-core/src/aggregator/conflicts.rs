//! Rewrites that competed.

use crate::{Conflict, HookOutput, HookRun};
use serde_json::Value;

/// What parallel hooks changed differently. Agreeing on a value is not a conflict.
pub(super) fn find(runs: &[HookRun]) -> Vec<Conflict> {
    let mut claims: Vec<(String, Vec<(&str, &Value)>)> = Vec::new();
    for run in runs {
        let Some(output) = &run.output else { continue };
        for (field, value) in rewrites(output) {
            let claim = (&*run.hook.id, value);
            match claims.iter_mut().find(|(claimed, _)| *claimed == field) {
                Some((_, claimants)) => claimants.push(claim),
                None => claims.push((field, vec![claim])),
            }
        }
    }
    claims
        .into_iter()
        .filter(|(_, claimants)| claimants.windows(2).any(|pair| matches!(pair, [(_, a), (_, b)] if a != b)))
        .map(|(field, claimants)| Conflict { field, hooks: claimants.iter().map(|(id, _)| (*id).to_owned()).collect() })
        .collect()
}

fn rewrites(output: &HookOutput) -> Vec<(String, &Value)> {
    let Some(specific) = output.specific() else { return Vec::new() };
    let mut found: Vec<(String, &Value)> = output
        .specific_object("tool_input")
        .into_iter()
        .flatten()
        .map(|(key, value)| (format!("tool_input.{key}"), value))
        .collect();
    for whole in ["llm_request", "llm_response"] {
        if let Some(value) = specific.get(whole).filter(|value| value.is_object()) {
            found.push((whole.to_owned(), value));
        }
    }
    found
}
