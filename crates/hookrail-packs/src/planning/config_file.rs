//! YAML that is parsed when it changed, not at every event: a process that answers one event has no time for that.

use crate::yaml;
use hookrail_core::{HookError, World};
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Under this name a session keeps what its configuration says.
const KEY: &str = "planning/config";
/// The parts of the file that hooks read. It has many more.
const SECTIONS: [&str; 3] = ["feature_flags", "research_mcp", "state"];
/// What is in these parts for people.
const PROSE: [&str; 2] = ["description", "rollback"];
/// More than any configuration needs.
const MAX_BYTES: usize = 256 << 10;

/// What was read last in this process, by content.
static LAST: Mutex<Option<(Vec<u8>, Arc<Value>)>> = Mutex::new(None);

/// The parts of a configuration that hooks read; from memory, if these bytes were read before.
pub(super) fn read(path: &Path, bytes: &[u8], world: &dyn World) -> Result<Arc<Value>, HookError> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, fields)) = last.as_ref()
        && known == bytes
    {
        return Ok(Arc::clone(fields));
    }
    let mark = mark(bytes);
    let fields = match recall(&mark, world) {
        Some(fields) => fields,
        None => {
            let fields = parse(bytes).map_err(|why| HookError::new(format!("`{}` {why}", path.display())))?;
            // A session that cannot remember reads again. As a text it costs those least who do not ask for it.
            let _ = world.remember(KEY, &mut |_| Some(Value::String(format!("{mark} {fields}"))));
            fields
        }
    };
    let fields = Arc::new(fields);
    *last = Some((bytes.to_owned(), Arc::clone(&fields)));
    Ok(fields)
}

/// Two files that are not the same are not marked the same, unless that is forged; whoever can write the file need not do so.
fn mark(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("{:016x}-{}", hasher.finish(), bytes.len())
}

fn recall(mark: &str, world: &dyn World) -> Option<Value> {
    let kept = world.recall(KEY).ok()??;
    let json = kept.as_str()?.strip_prefix(mark)?.strip_prefix(' ')?;
    serde_json::from_str(json).ok().filter(Value::is_object)
}

fn parse(bytes: &[u8]) -> Result<Value, String> {
    if bytes.len() > MAX_BYTES {
        return Err(format!("has more than {} KiB", MAX_BYTES >> 10));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())?;
    match yaml::read(text).map_err(|why| format!("is not YAML: {why}"))? {
        Value::Object(fields) => Ok(without_prose(fields)),
        Value::Null => Ok(json!({})),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Err("is not a mapping".to_owned()),
    }
}

fn without_prose(mut fields: Map<String, Value>) -> Value {
    fields.retain(|name, _| SECTIONS.contains(&name.as_str()));
    for flag in fields.get_mut("feature_flags").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        if let Value::Object(flag) = flag {
            flag.retain(|name, _| !PROSE.contains(&name.as_str()));
        }
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    fn check(text: &str, world: &FakeWorld) -> Result<Value, String> {
        let read = read(Path::new("/c"), text.as_bytes(), world);
        read.map(|fields| fields.as_ref().clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn only_what_hooks_read_is_kept() {
        let yaml =
            "other: 1\nfeature_flags: {a: {enabled: true, description: long, rollback: longer}}\nstate: {lock: 1}";
        let expected = json!({"feature_flags": {"a": {"enabled": true}}, "state": {"lock": 1}});
        assert_eq!(check(yaml, &FakeWorld::new()), Ok(expected));
    }

    #[test]
    fn a_session_remembers_what_its_configuration_says_until_that_changes() {
        let world = FakeWorld::new();
        for n in [1, 2, 1] {
            assert_eq!(check(&format!("state: {{once: {n}}}"), &world), Ok(json!({"state": {"once": n}})));
        }
        let keep = |text: String| world.remember(KEY, &mut |_| Some(json!(text))).unwrap();
        keep(format!("{} {}", mark(b"state: {sure: 1}"), json!({"state": {"sure": "kept"}})));
        assert_eq!(check("state: {sure: 1}", &world), Ok(json!({"state": {"sure": "kept"}})));
        for broken in ["", "x {}", &mark(b"state: {sure: 2}"), &format!("{} 7", mark(b"state: {sure: 2}"))] {
            keep(broken.to_owned());
            assert_eq!(check("state: {sure: 2}", &world), Ok(json!({"state": {"sure": 2}})), "{broken}");
            *LAST.lock().unwrap() = None;
        }
    }

    #[test]
    fn what_nobody_can_read_is_an_error_that_names_the_file() {
        let long = format!("a: {}", "x".repeat(MAX_BYTES));
        for (yaml, expected) in [
            ("a: [", "`/c` is not YAML: "),
            ("- a\n", "`/c` is not a mapping"),
            ("word", "`/c` is not a mapping"),
            (long.as_str(), "`/c` has more than 256 KiB"),
        ] {
            let error = check(yaml, &FakeWorld::new()).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(read(Path::new("/c"), b"\xff", &FakeWorld::new()).is_err());
        assert_eq!(check("# nothing\n", &FakeWorld::new()), Ok(json!({})));
    }
}
