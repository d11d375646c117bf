//! Cases about one hook process: what its end means, and real processes in a folder of their own.

#![allow(clippy::disallowed_methods, reason = "the cases are about the steps of the pipeline")]

use super::case::{Case, CaseError};
use super::compare;
use super::planner::source;
use hookrail_core::planner::create_execution_plan;
use hookrail_core::process_result::{ProcessExit, interpret};
use hookrail_core::{ConfigSource, Event, EventName, HookAction, HookEntry, HookRun, Occasion, RunStatus, ToolCall};
use hookrail_engine::{CancelToken, FolderTrust, HookRunner, RealWorld, RunnerSettings, SilentLogger};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) fn check_parse(case: &Case) -> Result<(), CaseError> {
    let exit = match (case.input.get("exit_code").and_then(Value::as_i64), case.input.get("signal")) {
        (Some(code), _) => ProcessExit::Code(i32::try_from(code).unwrap_or(i32::MAX)),
        (None, Some(Value::String(signal))) => ProcessExit::Signal(signal.clone()),
        (None, _) => return Err(CaseError::Malformed("neither exit code nor signal".to_owned())),
    };
    let event = EventName::parse(case.text("event")?);
    let result = interpret(&event, &exit, case.text("stdout")?, case.text("stderr")?);
    let (exit_code, signal) = match exit {
        ProcessExit::Code(code) => (json!(code), Value::Null),
        ProcessExit::Signal(name) => (Value::Null, json!(name)),
    };
    let got = Map::from_iter([
        ("success".to_owned(), json!(result.status == RunStatus::Succeeded)),
        ("exit_code".to_owned(), exit_code),
        ("signal".to_owned(), signal),
    ]);
    compare::keys(&case.expected, &got, &["success", "exit_code", "signal"])?;
    compare_output(case, result.raw.as_ref())
}

fn compare_output(case: &Case, output: Option<&Value>) -> Result<(), CaseError> {
    let got = output.cloned().unwrap_or(Value::Null);
    if let Some(expected) = case.expected.get("output") {
        compare::equal("output", expected, &got)?;
    }
    match case.expected.get("output_has") {
        Some(expected) => compare::subset("output_has", expected, &got),
        None => Ok(()),
    }
}

pub(super) fn check(case: &Case) -> Result<(), CaseError> {
    // The engine's own environment cannot be changed while other cases run in it, so such a case gets a process.
    let variables = case.object("env");
    if !variables.is_empty() && !variables.iter().all(|(name, value)| is_set(name, value)) {
        return check_elsewhere(case, &variables);
    }
    let root = tempfile::tempdir()?;
    let dir = root.path().canonicalize()?.join(case.input.get("dir_name").and_then(Value::as_str).unwrap_or("proj"));
    std::fs::create_dir(&dir)?;
    for (name, text) in case.object("files") {
        std::fs::write(dir.join(name), text.as_str().unwrap_or_default())?;
    }
    let event = event(case, &dir)?;
    let runner = runner(case);
    let plan = create_execution_plan(&[Arc::new(entry(case)?)], &Occasion::of(&event));
    let plan = plan.ok_or_else(|| CaseError::mismatch("plan", "one hook", "none"))?;
    let started = Instant::now();
    let mut runs = runner.execute(&plan, &event, &CancelToken::new());
    let elapsed = started.elapsed();
    let run = runs.pop().ok_or_else(|| CaseError::mismatch("run", "one", "none"))?;
    compare_run(case, &run, &event, &dir)?;
    compare_time(case, elapsed)?;
    compare_folder(case, &dir)
}

#[expect(clippy::disallowed_methods, reason = "the subject of such a case is this process's environment")]
fn is_set(name: &str, value: &Value) -> bool {
    std::env::var(name).ok().as_deref() == value.as_str()
}

fn check_elsewhere(case: &Case, variables: &Map<String, Value>) -> Result<(), CaseError> {
    let variables = variables.iter().map(|(name, value)| (name, value.as_str().unwrap_or_default()));
    let output = Command::new(std::env::current_exe()?)
        .args(["conformance", "--only", &case.id])
        .arg(&case.file)
        .envs(variables)
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(CaseError::mismatch("in a process with that environment", "passed", String::from_utf8_lossy(&output.stdout)))
}

fn event(case: &Case, dir: &Path) -> Result<Event, CaseError> {
    let missing = case.input.get("cwd_missing") == Some(&Value::Bool(true));
    let cwd: PathBuf = if missing { dir.join("missing") } else { dir.to_owned() };
    let mut payload = case.object("input");
    if let Some(bytes) = case.input.get("payload_bytes").and_then(Value::as_u64) {
        payload.insert("payload".to_owned(), json!("x".repeat(usize::try_from(bytes).unwrap_or_default())));
    }
    Ok(fixed_event(case.text("event")?, cwd, payload))
}

/// An event of the session that all cases share.
pub(super) fn fixed_event(name: &str, cwd: PathBuf, payload: Map<String, Value>) -> Event {
    Event {
        name: EventName::parse(name),
        native_name: String::new(),
        session_id: "s1".to_owned(),
        cwd,
        timestamp: "2025-01-01T00:00:00.000Z".to_owned(),
        transcript_path: String::new(),
        tool: payload.get("tool_name").and_then(Value::as_str).map(ToolCall::opaque),
        payload,
    }
}

fn runner(case: &Case) -> HookRunner {
    let trust = match case.input.get("trusted_folder") {
        Some(Value::Bool(false)) => FolderTrust::Untrusted,
        _ => FolderTrust::Trusted,
    };
    let settings = RunnerSettings { trust, ..RunnerSettings::default() };
    HookRunner::new(settings, Arc::new(RealWorld::default()), Arc::new(SilentLogger))
}

fn entry(case: &Case) -> Result<HookEntry, CaseError> {
    let hook = case.input.get("hook").unwrap_or(&Value::Null);
    let command = hook["command"].as_str().unwrap_or_default().to_owned();
    let action = match hook["type"].as_str() {
        Some("plugin") => HookAction::Plugin { command },
        _ => HookAction::Command { command },
    };
    let source = if hook["source"].is_null() { ConfigSource::User } else { source(&hook["source"])? };
    let mut entry = HookEntry::new(EventName::parse(case.text("event")?), action, source);
    entry.name = hook["name"].as_str().map(str::to_owned);
    if let Some(timeout) = hook["timeout_ms"].as_u64() {
        entry.timeout = Duration::from_millis(timeout);
    }
    Ok(entry)
}

fn compare_run(case: &Case, run: &HookRun, event: &Event, dir: &Path) -> Result<(), CaseError> {
    let got = json!({
        "success": run.success(),
        "exit_code": run.exit_code,
        "signal": run.signal(),
        "timed_out": run.timed_out(),
    });
    let keys = ["success", "exit_code", "signal", "timed_out"];
    compare::keys(&case.expected, got.as_object().unwrap_or(&Map::new()), &keys)?;
    compare_output(case, run.raw.as_ref())?;
    if let Some(expected) = case.expected.get("stdout").and_then(Value::as_str) {
        let expected = expected.replace("{{DIR}}", &dir.to_string_lossy());
        compare::equal("stdout", &json!(expected), &json!(run.stdout))?;
    }
    if case.expected.contains_key("stdout_json") {
        let mut got = serde_json::from_str(&run.stdout).unwrap_or(Value::Null);
        // What hookrail adds is not part of the protocol.
        let known = got.as_object_mut().and_then(|fields| fields.shift_remove("hookrail")).unwrap_or_default();
        compare::equal("hookrail.version", &json!(1), known.get("version").unwrap_or(&Value::Null))?;
        compare::equal("stdout_json", &Value::Object(event.to_input()), &got)?;
    }
    if let Some(expected) = case.expected.get("system_message_len") {
        let message = run.output.as_ref().and_then(|output| output.system_message()).unwrap_or_default();
        compare::subset("system_message_len", expected, &json!(message.chars().count()))?;
    }
    match case.expected.get("error_contains").and_then(Value::as_str) {
        Some(part) if !run.error().unwrap_or_default().contains(part) => {
            Err(CaseError::mismatch("error", format!("contains `{part}`"), run.error().unwrap_or_default()))
        }
        _ => Ok(()),
    }
}

pub(super) fn compare_time(case: &Case, elapsed: Duration) -> Result<(), CaseError> {
    let limit = |key: &str| case.expected.get(key).and_then(Value::as_u64).map(Duration::from_millis);
    match (limit("min_ms"), limit("max_ms")) {
        (Some(min), _) if elapsed < min => {
            Err(CaseError::mismatch("time", format!("at least {min:?}"), format!("{elapsed:?}")))
        }
        (_, Some(max)) if elapsed > max => {
            Err(CaseError::mismatch("time", format!("at most {max:?}"), format!("{elapsed:?}")))
        }
        _ => Ok(()),
    }
}

fn compare_folder(case: &Case, dir: &Path) -> Result<(), CaseError> {
    let Some(expected) = case.expected.get("dir_entries") else { return Ok(()) };
    if let Some(wait) = case.expected.get("dir_check_after_ms").and_then(Value::as_u64) {
        std::thread::sleep(Duration::from_millis(wait));
    }
    let given = case.object("files");
    let mut names = Vec::new();
    for found in std::fs::read_dir(dir)? {
        let name = found?.file_name().to_string_lossy().into_owned();
        if !given.contains_key(&name) {
            names.push(name);
        }
    }
    names.sort();
    compare::equal("dir_entries", expected, &json!(names))
}

pub(super) fn is_installed(program: &str) -> bool {
    Command::new("sh")
        .args(["-c", "command -v \"$0\" >/dev/null 2>&1", program])
        .status()
        .is_ok_and(|status| status.success())
}
