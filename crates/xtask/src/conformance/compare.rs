//! The ways in which an expectation can be met.

use super::case::CaseError;
use serde_json::{Map, Value};

/// Equal, an object's top-level `null`s counting as absent.
pub(super) fn equal(what: &str, expected: &Value, got: &Value) -> Result<(), CaseError> {
    if without_nulls(expected) == without_nulls(got) {
        return Ok(());
    }
    Err(CaseError::mismatch(what, expected, got))
}

/// Every key of the expected object is present and equal, recursively; everything else must be equal.
pub(super) fn subset(what: &str, expected: &Value, got: &Value) -> Result<(), CaseError> {
    if contains(expected, got) { Ok(()) } else { Err(CaseError::mismatch(what, expected, got)) }
}

fn contains(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            expected.iter().all(|(key, value)| contains(value, got.get(key).unwrap_or(&Value::Null)))
        }
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (expected, got) => expected == got,
    }
}

/// Compares only the keys that are expected.
pub(super) fn keys(expected: &Map<String, Value>, got: &Map<String, Value>, keys: &[&str]) -> Result<(), CaseError> {
    for key in keys {
        if let Some(expected) = expected.get(*key) {
            equal(key, expected, got.get(*key).unwrap_or(&Value::Null))?;
        }
    }
    Ok(())
}

/// None of the paths leads anywhere.
pub(super) fn absent(paths: Option<&Value>, got: &Value) -> Result<(), CaseError> {
    for path in paths.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        let found = at(got, path).filter(|value| !value.is_null());
        if let Some(found) = found {
            return Err(CaseError::mismatch(path, "absent", found));
        }
    }
    Ok(())
}

/// The value at a path such as `candidates.0.content`.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    })
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        other => other.clone(),
    }
}
