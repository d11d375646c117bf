//! The keys that a hook may have: what each holds, and which types of hooks it belongs to.

use hookrail_core::spelling;
use serde_json::Value;

/// What a key holds.
#[derive(Clone, Copy)]
enum Holds {
    /// Whoever reads it says what is wrong with it.
    Anything,
    Text,
    Flag,
    Count,
    /// A list of texts; other scalars are taken for theirs.
    List,
    /// Texts by name; other scalars are taken for theirs.
    Table,
}

struct Key {
    name: &'static str,
    holds: Holds,
    /// The types of hooks that have it; none means all.
    of: &'static [&'static str],
}

const fn key(name: &'static str, holds: Holds, of: &'static [&'static str]) -> Key {
    Key { name, holds, of }
}

/// Every key that is read, and those that are for people.
const KEYS: [Key; 24] = [
    key("type", Holds::Anything, &[]),
    key("name", Holds::Text, &[]),
    key("description", Holds::Anything, &[]),
    key("source", Holds::Anything, &[]),
    key("timeout", Holds::Anything, &[]),
    key("on_error", Holds::Anything, &[]),
    key("onError", Holds::Anything, &[]),
    key("onFailure", Holds::Text, &[]),
    key("if", Holds::Anything, &[]),
    key("once", Holds::Flag, &[]),
    key("statusMessage", Holds::Text, &[]),
    key("contextLimit", Holds::Count, &[]),
    key("continueOnBlock", Holds::Anything, &[]),
    key("command", Holds::Anything, &["command", "plugin"]),
    key("args", Holds::List, &["command"]),
    key("shell", Holds::Text, &["command"]),
    key("env", Holds::Table, &["command"]),
    key("async", Holds::Flag, &["command"]),
    key("asyncRewake", Holds::Flag, &["command"]),
    key("prompt", Holds::Anything, &["prompt"]),
    key("model", Holds::Text, &["prompt"]),
    key("url", Holds::Anything, &["http"]),
    key("headers", Holds::Table, &["http"]),
    key("allowedEnvVars", Holds::List, &["http"]),
];

/// Why a key of a hook does not do what its author expects, and what to do about it.
pub(super) struct Ignored {
    pub message: String,
    pub hint: Option<String>,
}

/// Looks at a key of a hook of this type; `None` if there is nothing to say about it.
pub(super) fn check(name: &str, value: &Value, kind: &str) -> Option<Ignored> {
    let Some(key) = KEYS.iter().find(|key| key.name == name) else {
        let hint = spelling::hint(name, KEYS.iter().map(|key| key.name));
        return Some(Ignored { message: format!("`{name}` of a hook is ignored"), hint });
    };
    let told = |message: String| Some(Ignored { message, hint: None });
    if value.is_null() {
        return None;
    }
    if !key.of.is_empty() && !key.of.contains(&kind) {
        return told(format!("`{name}` of a hook of type `{kind}` is ignored"));
    }
    match expected(key.holds, value) {
        Some(expected) => told(format!("`{name}` is `{value}`, not {expected}; it is ignored")),
        None if name == "asyncRewake" && *value == Value::Bool(true) => told(
            "`asyncRewake` is read as `async`: what the hook answers when it ends does not wake the agent".to_owned(),
        ),
        None => None,
    }
}

/// What should be there instead of a value that the key cannot hold.
fn expected(holds: Holds, value: &Value) -> Option<&'static str> {
    let scalar = |value: &Value| !(value.is_array() || value.is_object() || value.is_null());
    let (fits, expected) = match holds {
        Holds::Anything => (true, ""),
        Holds::Text => (value.is_string(), "text"),
        Holds::Flag => (value.is_boolean(), "true or false"),
        Holds::Count => (value.is_u64(), "a whole number"),
        Holds::List => (value.as_array().is_some_and(|list| list.iter().all(scalar)), "a list of texts"),
        Holds::Table => (value.as_object().is_some_and(|table| table.values().all(scalar)), "an object of texts"),
    };
    (!fits).then_some(expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_that_does_nothing_is_told_about_and_one_that_does_something_is_not() {
        let cases = [
            ("command", "async", json!(true), ""),
            ("command", "async", json!("true"), "`async` is `\"true\"`, not true or false; it is ignored"),
            ("command", "async", json!(null), ""),
            ("http", "async", json!(true), "`async` of a hook of type `http` is ignored"),
            ("command", "env", json!({"PORT": 8080}), ""),
            ("command", "env", json!(["A=b"]), "`env` is `[\"A=b\"]`, not an object of texts; it is ignored"),
            ("command", "args", json!("-c"), "`args` is `\"-c\"`, not a list of texts; it is ignored"),
            ("command", "headers", json!({}), "`headers` of a hook of type `command` is ignored"),
            ("prompt", "once", json!(1), "`once` is `1`, not true or false; it is ignored"),
            ("command", "contextLimit", json!(-1), "`contextLimit` is `-1`, not a whole number; it is ignored"),
            ("command", "tiemout", json!(1), "`tiemout` of a hook is ignored"),
            ("plugin", "command", json!("x"), ""),
        ];
        for (kind, name, value, expected) in cases {
            let told = check(name, &value, kind).map(|ignored| ignored.message).unwrap_or_default();
            assert_eq!(told, expected, "{kind} {name} {value}");
        }
    }
}
