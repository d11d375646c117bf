//! What goes over the wire, held against the published schema. Every request and answer of these tests passes here.

use hookrail_testkit::json_schema;
use serde_json::Value;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/serve/v1.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
});

/// Fails unless `value` is as the definition of this name says.
#[track_caller]
pub fn check(definition: &str, value: &Value) {
    json_schema::check(&SCHEMA, &format!("/$defs/{definition}"), value);
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
