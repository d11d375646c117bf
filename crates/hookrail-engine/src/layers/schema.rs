//! The JSON Schema of `hookrail.toml`, for editors.

use super::spec::{Field, Kind, ROOT};
use hookrail_core::EventName;
use serde_json::{Map, Value, json};

/// The schema, made from the same table the reader uses.
#[must_use]
pub fn json_schema() -> Value {
    let mut schema = object(ROOT);
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        fields.insert("title".to_owned(), json!("hookrail.toml"));
        fields.insert("$defs".to_owned(), Value::Object(hookrail_rules::schema_definitions()));
    }
    schema
}

fn object(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields.iter().map(|field| (field.name.to_owned(), property(field))).collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if let (false, Some(fields)) = (required.is_empty(), schema.as_object_mut()) {
        fields.insert("required".to_owned(), json!(required));
    }
    schema
}

fn property(field: &Field) -> Value {
    let mut schema = kind(field.kind);
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".to_owned(), json!(field.about));
    }
    schema
}

fn kind(kind: Kind) -> Value {
    match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Count => json!({ "type": "integer", "minimum": 1 }),
        Kind::Text | Kind::Pattern => json!({ "type": "string" }),
        Kind::Address { schemes, .. } => json!({ "type": "string", "pattern": format!("^({})://", schemes.join("|")) }),
        Kind::Event => json!({ "enum": EventName::KNOWN.iter().map(EventName::as_str).collect::<Vec<_>>() }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Time => json!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)? *(ms|s|m|min)$" }),
        Kind::Patterns => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Table(fields) => object(fields),
        Kind::Named(fields) => json!({ "type": "object", "additionalProperties": object(fields) }),
        Kind::Entries(fields) => json!({ "type": "array", "items": object(fields) }),
        Kind::Free => json!({ "type": "object" }),
        Kind::Rules => json!({ "type": "array", "items": hookrail_rules::rule_schema() }),
        Kind::Exceptions => json!({ "type": "array", "items": hookrail_rules::exception_schema() }),
    }
}
