//! What a finished hook process means: the exit code decides, then stdout or stderr is read (HOOK §35).

use crate::{Decision, Failure, HookOutput, RunStatus};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessExit {
    Code(i32),
    Signal(String),
}

/// The reason given for an exit code 2 that explains nothing.
const BLOCKED_WITHOUT_REASON: &str = "Blocked by hook";

/// Reads a finished process.
#[must_use]
pub fn interpret(exit: &ProcessExit, stdout: &str, stderr: &str) -> (RunStatus, Option<HookOutput>) {
    match exit {
        ProcessExit::Code(0) => (RunStatus::Succeeded, parse_stdout(stdout)),
        ProcessExit::Code(2) => (RunStatus::Blocked, convert_plain_text_to_hook_output(stderr, 2)),
        ProcessExit::Code(code) => {
            (RunStatus::Failed(Failure::Exit(*code)), convert_plain_text_to_hook_output(stderr, *code))
        }
        ProcessExit::Signal(name) => {
            (RunStatus::Failed(Failure::Signal(name.clone())), convert_plain_text_to_hook_output(stderr, 1))
        }
    }
}

/// Text that is not a JSON answer: a remark after success, the reason of a block, or a warning (HOOK-067a, 067b, 209).
#[must_use]
pub fn convert_plain_text_to_hook_output(text: &str, exit_code: i32) -> Option<HookOutput> {
    let text = trim(text);
    match (exit_code, text) {
        (2, "") => Some(deny(BLOCKED_WITHOUT_REASON)),
        (2, reason) => Some(deny(reason)),
        (_, "") => None,
        (0, text) => Some(HookOutput::remark(text)),
        (_, warning) => Some(HookOutput::remark(&format!("Warning: {warning}"))),
    }
}

fn deny(reason: &str) -> HookOutput {
    let mut output = HookOutput::decide(Decision::Block, reason);
    output.set("decision", "deny");
    output
}

fn parse_stdout(stdout: &str) -> Option<HookOutput> {
    let text = trim(stdout);
    parse_object(text).or_else(|| parse_encoded_object(text)).or_else(|| convert_plain_text_to_hook_output(text, 0))
}

/// A JSON string that holds a JSON object: some scripts encode twice (HOOK-193).
fn parse_encoded_object(text: &str) -> Option<HookOutput> {
    if !text.starts_with('"') {
        return None;
    }
    let inner: String = serde_json::from_str(text).ok()?;
    parse_object(trim(&inner))
}

fn parse_object(text: &str) -> Option<HookOutput> {
    if !text.starts_with('{') {
        return None;
    }
    match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(fields) => Some(HookOutput::new(fields)),
        Err(_) => parse_readable_fields(text),
    }
}

/// Valid JSON can still be unreadable in places: nested too deep, a number too large, half a surrogate pair. Such a
/// field is dropped by itself, so that it cannot turn a deny beside it into plain text.
fn parse_readable_fields(text: &str) -> Option<HookOutput> {
    let raw: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let readable = raw.into_iter().filter_map(|(key, value)| Some((key, serde_json::from_str(value.get()).ok()?)));
    Some(HookOutput::new(readable.collect()))
}

/// White space as scripts produce it, a byte-order mark included.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}
