//! The one place that knows the YAML crate.

use serde_json::Value;

/// A YAML document as the JSON it stands for; an empty one is `null`.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Value::Null);
    }
    // As YAML 1.2 has it: `off` and `yes` are words. People repeat themselves; a file that does so without end is no
    // configuration.
    let options = serde_saphyr::options! {
        strict_booleans: true,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 10_000 },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| first_line(&error.to_string()))
}

/// The crate draws the place of an error below its description; a message to a person is one line.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn yaml_means_what_it_says() {
        for (text, expected) in [
            ("", Value::Null),
            ("# nothing\n", Value::Null),
            ("a: true   # not: false", json!({"a": true})),
            ("a: 'true'", json!({"a": "true"})),
            ("{a: {b: \"x: y\"}}", json!({"a": {"b": "x: y"}})),
            ("a:\r\n  b: 1\r\n", json!({"a": {"b": 1}})),
            ("\u{feff}a: [1, two]", json!({"a": [1, "two"]})),
            ("a:", json!({"a": null})),
            ("a: off", json!({"a": "off"})),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        for text in ["a: [", "a: b: c", "a: 'x"] {
            let error = read(text).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{text}: {error}");
        }
    }
}
