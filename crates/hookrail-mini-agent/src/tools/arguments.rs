//! Checks that hold for the arguments of every tool.

use serde_json::{Map, Value};

pub type Arguments = Map<String, Value>;

/// A text that must be there.
pub fn text<'a>(args: &'a Arguments, name: &str) -> Result<&'a str, String> {
    args.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` must be a string"))
}

/// A whole number that may be missing.
pub fn count(args: &Arguments, name: &str) -> Result<Option<u64>, String> {
    match args.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_u64().map(Some).ok_or_else(|| format!("`{name}` must be a whole number")),
    }
}

/// That there is nothing else: an argument the tool ignores is one the model is wrong about.
pub fn only(args: &Arguments, names: &[&str]) -> Result<(), String> {
    match args.keys().find(|key| !names.contains(&key.as_str())) {
        Some(unknown) => Err(format!("there is no argument `{unknown}`")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_what_they_should_be_or_the_model_is_told() {
        let args = json!({"path": "a", "lines": 3, "odd": [], "nothing": null});
        let args = args.as_object().unwrap();
        assert_eq!(text(args, "path"), Ok("a"));
        assert_eq!(text(args, "lines"), Err("`lines` must be a string".to_owned()));
        assert_eq!(text(args, "missing"), Err("`missing` must be a string".to_owned()));
        assert_eq!(count(args, "lines"), Ok(Some(3)));
        assert_eq!(count(args, "nothing"), Ok(None));
        assert_eq!(count(args, "missing"), Ok(None));
        assert_eq!(count(args, "odd"), Err("`odd` must be a whole number".to_owned()));
        assert_eq!(only(args, &["path", "lines", "odd", "nothing"]), Ok(()));
        assert_eq!(only(args, &["path"]), Err("there is no argument `lines`".to_owned()));
    }
}
