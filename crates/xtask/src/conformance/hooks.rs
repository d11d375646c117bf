//! Cases about several hooks of one event: order, chaining, overlap. Each hook is a real script that records its input.

#![allow(clippy::disallowed_methods, reason = "the cases are about the steps of the pipeline")]

use super::case::{Case, CaseError};
use super::compare;
use super::process::{compare_time, fixed_event};
use hookrail_core::planner::create_execution_plan;
use hookrail_core::{ConfigSource, EventName, HookAction, HookEntry, HookRun, Occasion};
use hookrail_engine::{CancelToken, HookRunner, RealWorld, RunnerSettings, SilentLogger};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub(super) fn check(case: &Case) -> Result<(), CaseError> {
    let folder = tempfile::tempdir()?;
    let event = fixed_event(case.text("event")?, folder.path().canonicalize()?, case.object("input"));
    let scripts = case.list("hooks")?;
    let sequential = match case.text("mode")? {
        "sequential" => true,
        "parallel" => false,
        other => return Err(CaseError::Malformed(format!("unknown mode `{other}`"))),
    };
    let mut hooks = Vec::new();
    for (index, script) in scripts.iter().enumerate() {
        hooks.push(Arc::new(HookEntry { sequential, ..write_hook(folder.path(), index, script, &event.name)? }));
    }
    let runner = HookRunner::new(RunnerSettings::default(), Arc::new(RealWorld::default()), Arc::new(SilentLogger));
    let plan = create_execution_plan(&hooks, &Occasion::of(&event));
    let plan = plan.ok_or_else(|| CaseError::Malformed("no hooks".to_owned()))?;
    let started = Instant::now();
    let runs = runner.execute(&plan, &event, &CancelToken::new());
    compare_time(case, started.elapsed())?;

    let ran: Vec<usize> = (0..scripts.len()).filter(|index| input_file(folder.path(), *index).exists()).collect();
    let success: Vec<bool> = runs.iter().map(HookRun::success).collect();
    compare::subset("ran", case.expected.get("ran").unwrap_or(&Value::Null), &json!(ran))?;
    compare::subset("results_success", case.expected.get("results_success").unwrap_or(&Value::Null), &json!(success))?;
    compare_inputs(case, folder.path(), &ran)
}

fn compare_inputs(case: &Case, folder: &Path, ran: &[usize]) -> Result<(), CaseError> {
    let Some(expected) = case.expected.get("inputs_seen").and_then(Value::as_array) else { return Ok(()) };
    for (expected, index) in expected.iter().zip(ran) {
        let seen: Value = serde_json::from_slice(&std::fs::read(input_file(folder, *index))?)?;
        for (key, value) in expected.as_object().into_iter().flatten() {
            compare::equal(&format!("hook {index} saw {key}"), value, seen.get(key).unwrap_or(&Value::Null))?;
        }
    }
    Ok(())
}

fn input_file(folder: &Path, index: usize) -> std::path::PathBuf {
    folder.join(format!("input-{index}"))
}

fn write_hook(folder: &Path, index: usize, script: &Value, event: &EventName) -> Result<HookEntry, CaseError> {
    let stdout = match &script["stdout"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    };
    std::fs::write(folder.join(format!("stdout-{index}")), stdout)?;
    std::fs::write(folder.join(format!("stderr-{index}")), script["stderr"].as_str().unwrap_or_default())?;
    let end = match script["signal"].as_str() {
        Some(signal) => format!("kill -{} $$", signal.trim_start_matches("SIG")),
        None => format!("exit {}", script["exit_code"].as_i64().unwrap_or_default()),
    };
    let delay = script["delay_ms"].as_u64().map(|delay| format!("sleep {}.{:03}; ", delay / 1000, delay % 1000));
    let delay = delay.unwrap_or_default();
    let command = format!("cat > input-{index}; {delay}cat stdout-{index}; cat stderr-{index} >&2; {end}");
    Ok(HookEntry::new(event.clone(), HookAction::Command { command }, ConfigSource::User))
}
