//! The bytes of an event, as agents really send them.

use crate::error::CliError;
use hookrail_core::lenient_json::{self, Unreadable};
use serde_json::{Map, Value};

/// Reads an event. What a strict parser rejects is read leniently: a guard that cannot read an event cannot judge it.
pub fn read_event(input: &[u8]) -> Result<Map<String, Value>, CliError> {
    match serde_json::from_slice(input) {
        Ok(event) if !has_private_key(input) => Ok(event),
        Ok(_) => read_leniently(input).map_err(CliError::input),
        // People know what the usual parser says.
        Err(error) => read_leniently(input).map_err(|_| CliError::input(error)),
    }
}

fn read_leniently(input: &[u8]) -> Result<Map<String, Value>, Unreadable> {
    match lenient_json::parse(input)?.value {
        Value::Object(event) => Ok(event),
        _ => Err(Unreadable::NotAnObject { at: 0 }),
    }
}

/// Whether an object may have a key that means something to `serde_json` alone, which would then read another event than the
/// agent wrote.
fn has_private_key(input: &[u8]) -> bool {
    input.split(|byte| *byte == b'$').skip(1).any(|rest| rest.starts_with(b"serde_json::private"))
}
