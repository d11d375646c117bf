//! Each pack as agents and people meet it: the real binary, real files, real repositories.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a broken expectation must fail the test, and one that cannot be checked must say so"
)]

mod fsm;
mod isdlc;
mod orchestrator;
mod planning;
#[cfg(unix)]
mod small_truths;

use serde_json::Value;

/// All texts in an answer, one after the other.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text} "),
        Value::Array(values) => values.iter().map(texts).collect(),
        Value::Object(fields) => fields.values().map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}
