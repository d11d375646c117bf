//! The inputs of tools, whatever they are wrapped in: `{"arguments": {"params": {"path": …}}}`.

use serde_json::Value;

/// Maximum nesting of an input that is looked at.
const MAX_DEPTH: usize = 6;
/// Maximum number of objects or texts of an input that are looked at.
const MAX_PARTS: usize = 64;

/// The objects of an input, itself first, and whether there are more than are looked at.
pub(super) fn objects(input: &Value) -> (Vec<&Value>, bool) {
    let mut found = Vec::new();
    let cut_off = walk(input, 0, &mut |value| {
        if value.is_object() {
            found.push(value);
        }
        found.len() < MAX_PARTS
    });
    if found.is_empty() {
        found.push(input);
    }
    (found, cut_off)
}

/// The texts of an input, those in its names included.
pub(crate) fn texts(input: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    walk(input, 0, &mut |value| {
        found.extend(value.as_str());
        found.len() < MAX_PARTS
    });
    found
}

/// Visits every value of an input until `visit` has seen enough; reports whether something was left out.
fn walk<'v>(value: &'v Value, depth: usize, visit: &mut dyn FnMut(&'v Value) -> bool) -> bool {
    if depth > MAX_DEPTH || !visit(value) {
        return true;
    }
    match value {
        Value::Array(items) => items.iter().any(|item| walk(item, depth + 1, visit)),
        Value::Object(fields) => fields.values().any(|item| walk(item, depth + 1, visit)),
        _ => false,
    }
}

/// A path with `%2E` and the like written out, as addresses of files have it.
pub(super) fn without_escapes(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let digits = others.get(..2).and_then(|digits| str::from_utf8(digits).ok());
        let escaped = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { others.get(2..).unwrap_or_default() } else { others };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_are_found_in_whatever_they_are_wrapped_in() {
        let input = json!({"data": {"arguments": [{"params": {"path": "a"}}]}, "x": 1});
        assert_eq!(objects(&input).0.len(), 4);
        assert_eq!(texts(&input), ["a"]);
        assert_eq!(without_escapes("/home/%2Essh/100%"), "/home/.ssh/100%");
    }
}
