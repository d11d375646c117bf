//! Values, held against a JSON Schema: as much of the language as our schemas use.

use serde_json::{Map, Value};

/// Fails unless `value` is as the part of the schema at this pointer says; an empty pointer means the whole.
#[track_caller]
pub fn check(schema: &Value, pointer: &str, value: &Value) {
    let part = schema.pointer(pointer).unwrap_or_else(|| panic!("the schema has no `{pointer}`"));
    if let Err(problem) = (Schema { root: schema }).validate(part, value, "") {
        panic!("not as `{pointer}` of the schema says: {problem}\n{value}");
    }
}

struct Schema<'s> {
    root: &'s Value,
}

impl<'s> Schema<'s> {
    /// A word that is not known here is a mistake in the schema.
    fn validate(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        let rules = schema.as_object().ok_or("a schema must be an object")?;
        for (word, rule) in rules {
            match word.as_str() {
                "$ref" => self.validate(self.resolve(rule), value, place)?,
                "type" => check_type(rule, value, place)?,
                "const" if rule != value => return Err(format!("{place} must be {rule}")),
                "enum" if !rule.as_array().unwrap().contains(value) => {
                    return Err(format!("{place} must be one of {rule}"));
                }
                "minimum" if value.as_f64() < rule.as_f64() => return Err(format!("{place} must be at least {rule}")),
                "anyOf" => {
                    let mut attempts =
                        rule.as_array().unwrap().iter().map(|schema| self.validate(schema, value, place));
                    if !attempts.any(|attempt| attempt.is_ok()) {
                        return Err(format!("{place} is none of {rule}"));
                    }
                }
                "required" => {
                    let names = rule.as_array().unwrap();
                    let missing = names.iter().find(|name| value.get(name.as_str().unwrap()).is_none());
                    missing.map_or(Ok(()), |name| Err(format!("{place} lacks {name}")))?;
                }
                "properties" => {
                    for (name, schema) in rule.as_object().unwrap() {
                        let field = value.get(name);
                        field.map_or(Ok(()), |field| self.validate(schema, field, &format!("{place}.{name}")))?;
                    }
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.validate(rule, item, &format!("{place}[{index}]"))?;
                    }
                }
                "additionalProperties" | "unevaluatedProperties" if rule == &Value::Bool(false) => {
                    let known = |name: &String| self.knows(rules, name);
                    let extra = value.as_object().into_iter().flat_map(Map::keys).find(|name| !known(name));
                    extra.map_or(Ok(()), |name| Err(format!("{place} has {name}, which is not described")))?;
                }
                "const"
                | "enum"
                | "minimum"
                | "additionalProperties"
                | "description"
                | "$schema"
                | "$defs"
                | "title"
                | "pattern" => {}
                other => return Err(format!("`{other}` is not known to this test")),
            }
        }
        Ok(())
    }

    fn knows(&self, rules: &Map<String, Value>, name: &str) -> bool {
        let own = rules.get("properties").is_some_and(|properties| properties.get(name).is_some());
        own || rules.get("$ref").is_some_and(|target| self.knows(self.resolve(target).as_object().unwrap(), name))
    }

    fn resolve(&self, target: &Value) -> &'s Value {
        let pointer = target.as_str().unwrap().trim_start_matches('#');
        self.root.pointer(pointer).unwrap_or_else(|| panic!("there is no {target}"))
    }
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
