//! Rewrites that competed.

use crate::{Conflict, HookOutput, HookRun, Rewrite};
use serde_json::Value;

/// What parallel hooks changed differently. Agreeing on a value is not a conflict.
pub(super) fn find(runs: &[HookRun]) -> Vec<Conflict> {
    let mut claims: Vec<(String, Vec<(&str, Value)>)> = Vec::new();
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

fn rewrites(output: &HookOutput) -> Vec<(String, Value)> {
    let input = output.rewrite.tool_input().map(|input| &input.fields).into_iter().flatten();
    let mut found: Vec<(String, Value)> =
        input.map(|(key, value)| (format!("tool_input.{key}"), value.clone())).collect();
    let documents = [("llm_request", output.rewrite.request()), ("llm_response", output.rewrite.response())];
    found.extend(documents.into_iter().filter_map(|(field, whole)| Some((field.to_owned(), whole?.clone().into()))));
    if let Rewrite::ToolResult { output: Some(output), .. } = &output.rewrite {
        found.push(("updatedToolOutput".to_owned(), output.clone()));
    }
    found
}
