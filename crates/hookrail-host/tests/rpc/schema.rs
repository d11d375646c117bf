//! What goes over the wire, held against the published schema. Every request and answer of these tests passes here.

use serde_json::{Map, Value};
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/serve/v1.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
});

/// Fails unless `value` is as the definition of this name says.
#[track_caller]
pub fn check(definition: &str, value: &Value) {
    let schema = SCHEMA["$defs"].get(definition).unwrap_or_else(|| panic!("the schema has no `{definition}`"));
    if let Err(problem) = validate(schema, value, "") {
        panic!("not as `{definition}` of the schema says: {problem}\n{value}");
    }
}

/// As much of JSON Schema as ours uses; a word that is not known here is a mistake in the schema.
fn validate(schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let rules = schema.as_object().ok_or("a schema must be an object")?;
    for (word, rule) in rules {
        match word.as_str() {
            "$ref" => validate(resolve(rule), value, place)?,
            "type" => check_type(rule, value, place)?,
            "const" if rule != value => return Err(format!("{place} must be {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => {
                return Err(format!("{place} must be one of {rule}"));
            }
            "minimum" if value.as_f64() < rule.as_f64() => return Err(format!("{place} must be at least {rule}")),
            "anyOf" => {
                let mut attempts = rule.as_array().unwrap().iter().map(|schema| validate(schema, value, place));
                if !attempts.any(|attempt| attempt.is_ok()) {
                    return Err(format!("{place} is none of {rule}"));
                }
            }
            "required" => {
                let missing = rule.as_array().unwrap().iter().find(|name| value.get(name.as_str().unwrap()).is_none());
                missing.map_or(Ok(()), |name| Err(format!("{place} lacks {name}")))?;
            }
            "properties" => {
                for (name, schema) in rule.as_object().unwrap() {
                    value.get(name).map_or(Ok(()), |field| validate(schema, field, &format!("{place}.{name}")))?;
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(rule, item, &format!("{place}[{index}]"))?;
                }
            }
            "additionalProperties" | "unevaluatedProperties" if rule == &Value::Bool(false) => {
                let known = |name: &String| is_known(rules, name);
                let extra = value.as_object().into_iter().flat_map(Map::keys).find(|name| !known(name));
                extra.map_or(Ok(()), |name| Err(format!("{place} has {name}, which is not described")))?;
            }
            "const" | "enum" | "minimum" | "additionalProperties" | "description" => {}
            other => return Err(format!("`{other}` is not known to this test")),
        }
    }
    Ok(())
}

fn is_known(rules: &Map<String, Value>, name: &str) -> bool {
    let own = rules.get("properties").is_some_and(|properties| properties.get(name).is_some());
    own || rules.get("$ref").is_some_and(|target| is_known(resolve(target).as_object().unwrap(), name))
}

fn resolve(target: &Value) -> &'static Value {
    SCHEMA.pointer(target.as_str().unwrap().trim_start_matches('#')).unwrap_or_else(|| panic!("there is no {target}"))
}

fn check_type(rule: &Value, value: &Value, place: &str) -> Result<(), String> {
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => panic!("unknown type {name}"),
    };
    let fits = rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is));
    if fits { Ok(()) } else { Err(format!("{place} must be {rule}")) }
}

#[test]
fn the_schema_names_every_method_and_describes_what_it_refers_to() {
    let methods = [
        "initialize",
        "reload",
        "beforeTool",
        "afterTool",
        "beforeModel",
        "afterModel",
        "beforeToolSelection",
        "fire",
        "list",
        "describe",
        "setEnabled",
        "status",
        "cancel",
        "shutdown",
    ];
    for method in methods {
        for part in ["params", "result"] {
            assert!(SCHEMA["$defs"].get(format!("{method}.{part}")).is_some(), "{method}.{part}");
        }
    }
    let text = SCHEMA.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let target = reference.split('"').next().unwrap();
        assert!(SCHEMA.pointer(target).is_some(), "{target}");
    }
}
