//! What a finished hook process means: the exit code decides, then stdout or stderr is read (HOOK §35).

use crate::{Decision, EventName, Failure, HookOutput, Misread, Reading, RunStatus};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessExit {
    /// It exited by itself.
    Code(i32),
    /// It was ended by the signal of this name.
    Signal(String),
}

/// The reason given for an exit code 2 that explains nothing.
const BLOCKED_WITHOUT_REASON: &str = "Blocked by hook";

/// What a process left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessResult {
    /// Whether it did its work.
    pub status: RunStatus,
    /// What it said, if it said anything.
    pub output: Option<HookOutput>,
    /// The output as JSON, in the hook's own words or in those that its exit code stands for.
    pub raw: Option<Value>,
    /// What of its output could not be understood.
    pub misread: Vec<Misread>,
    /// It began to print an object, and did not print one. The protocol takes that for a remark; a hook whose failure must
    /// not pass unnoticed has failed.
    pub garbled: bool,
    /// It printed a JSON object. Only such an answer can approve: text is no objection, and nothing more.
    pub is_object: bool,
}

impl ProcessResult {
    /// A process that could not do its work.
    #[must_use]
    pub fn failed(failure: Failure) -> Self {
        Self::silent(RunStatus::Failed(failure))
    }

    fn silent(status: RunStatus) -> Self {
        Self { status, output: None, raw: None, misread: Vec::new(), garbled: false, is_object: false }
    }
}

/// Reads a finished process.
#[must_use]
pub fn interpret(event: &EventName, exit: &ProcessExit, stdout: &str, stderr: &str) -> ProcessResult {
    match exit {
        // Most say nothing.
        ProcessExit::Code(0) if stdout.is_empty() => ProcessResult::silent(RunStatus::Succeeded),
        ProcessExit::Code(0) => read_stdout(event, stdout),
        ProcessExit::Code(2) => plain(RunStatus::Blocked, stderr, 2),
        ProcessExit::Code(code) => plain(RunStatus::Failed(Failure::Exit(*code)), stderr, *code),
        ProcessExit::Signal(name) => plain(RunStatus::Failed(Failure::Signal(name.clone())), stderr, 1),
    }
}

fn plain(status: RunStatus, text: &str, exit_code: i32) -> ProcessResult {
    let output = convert_plain_text_to_hook_output(text, exit_code);
    let raw = output.as_ref().map(|output| {
        let mut raw = output.to_json();
        // The protocol's word for what exit code 2 says (HOOK-067a).
        if let (Decision::Block, Some(fields)) = (output.decision, raw.as_object_mut()) {
            fields.insert("decision".to_owned(), Value::from("deny"));
        }
        raw
    });
    ProcessResult { output, raw, ..ProcessResult::silent(status) }
}

/// Text that is not a JSON answer: a remark after success, the reason of a block, or a warning (HOOK-067a, 067b, 209).
#[must_use]
pub fn convert_plain_text_to_hook_output(text: &str, exit_code: i32) -> Option<HookOutput> {
    let text = trim(text);
    match (exit_code, text) {
        (2, "") => Some(HookOutput::decide(Decision::Block, BLOCKED_WITHOUT_REASON)),
        (2, reason) => Some(HookOutput::decide(Decision::Block, reason)),
        (_, "") => None,
        (0, text) => Some(HookOutput::remark(text)),
        (_, warning) => Some(HookOutput::remark(&format!("Warning: {warning}"))),
    }
}

fn read_stdout(event: &EventName, stdout: &str) -> ProcessResult {
    let text = trim(stdout);
    let Some(fields) = parse_object(text).or_else(|| parse_encoded_object(text)) else {
        return ProcessResult { garbled: text.starts_with('{'), ..plain(RunStatus::Succeeded, text, 0) };
    };
    let raw = Some(Value::Object(fields.clone()));
    let Reading { output, misread } = HookOutput::parse(event, fields);
    let status = RunStatus::Succeeded;
    ProcessResult { status, output: Some(output), raw, misread, garbled: false, is_object: true }
}

/// A JSON string that holds a JSON object: some scripts encode twice (HOOK-193).
fn parse_encoded_object(text: &str) -> Option<Map<String, Value>> {
    if !text.starts_with('"') {
        return None;
    }
    let inner: String = serde_json::from_str(text).ok()?;
    parse_object(trim(&inner))
}

fn parse_object(text: &str) -> Option<Map<String, Value>> {
    if !text.starts_with('{') {
        return None;
    }
    serde_json::from_str(text).ok().or_else(|| parse_readable_fields(text))
}

/// Valid JSON can still be unreadable in places: nested too deep, a number too large, half a surrogate pair. Such a
/// field is dropped by itself, so that it cannot turn a deny beside it into plain text.
fn parse_readable_fields(text: &str) -> Option<Map<String, Value>> {
    let raw: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let readable = raw.into_iter().filter_map(|(key, value)| Some((key, serde_json::from_str(value.get()).ok()?)));
    Some(readable.collect())
}

/// White space as scripts produce it, a byte-order mark included.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}
