//! The head of a Markdown file: YAML between its first two `---` lines, and nothing else of it.

use crate::yaml;
use serde_json::{Map, Value};

/// More than any workflow writes down, and less than what keeps a hook busy.
const MAX_BYTES: usize = 256 << 10;

/// Why a file has no front matter anybody can read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FrontMatterError {
    #[error("it is not UTF-8")]
    NotText,
    #[error("it has no front matter between two `---` lines")]
    Missing,
    #[error("its front matter has more than {} KiB", MAX_BYTES >> 10)]
    TooLarge,
    #[error("its front matter is not YAML: {0}")]
    NotYaml(String),
    #[error("its front matter is not a mapping")]
    NotMapping,
}

/// The fields of a file's front matter; an empty one has none.
pub(super) fn read(bytes: &[u8]) -> Result<Map<String, Value>, FrontMatterError> {
    let text = std::str::from_utf8(bytes).map_err(|_| FrontMatterError::NotText)?;
    let yaml = between_rules(text).ok_or(FrontMatterError::Missing)?;
    if yaml.len() > MAX_BYTES {
        return Err(FrontMatterError::TooLarge);
    }
    match yaml::read(yaml).map_err(FrontMatterError::NotYaml)? {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(Map::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Err(FrontMatterError::NotMapping),
    }
}

fn between_rules(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut position = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            match start {
                None => start = Some(position + line.len()),
                Some(start) => return text.get(start..position),
            }
        }
        position += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_stands_between_the_first_two_rules_is_read() {
        for (text, expected) in [
            ("---\nphase: SETUP\n---\n# Body\n", Ok(json!({"phase": "SETUP"}))),
            ("---\nphase: SETUP\n---\nphase: LATER\n---\nphase: LAST\n---\n", Ok(json!({"phase": "SETUP"}))),
            ("---\r\nphase: SETUP\r\n---\r\n[not: yaml", Ok(json!({"phase": "SETUP"}))),
            ("\u{feff}---\nphase: SETUP\n---", Ok(json!({"phase": "SETUP"}))),
            ("---  \na: \"x --- y\"\n---\n", Ok(json!({"a": "x --- y"}))),
            ("---\n---\n", Ok(json!({}))),
            ("---\n# nothing\n---\n", Ok(json!({}))),
            ("phase: SETUP\n", Err(FrontMatterError::Missing)),
            ("---\nphase: SETUP\n", Err(FrontMatterError::Missing)),
            ("", Err(FrontMatterError::Missing)),
            ("---\n- a\n---\n", Err(FrontMatterError::NotMapping)),
            ("---\nword\n---\n", Err(FrontMatterError::NotMapping)),
        ] {
            assert_eq!(read(text.as_bytes()).map(Value::Object), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_yaml_is_an_error_and_never_a_feast() {
        let laughs: String =
            (1..12).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(","))).collect();
        let bomb = format!("---\na0: &a0 x\n{laughs}---\n");
        for text in ["---\na: [\n---\n", "---\na: b: c\n---\n", "---\n'x\n---\n", &bomb] {
            assert!(matches!(read(text.as_bytes()), Err(FrontMatterError::NotYaml(_))), "{}", text.len());
        }
        assert_eq!(read(b"---\na: \xff\n---\n"), Err(FrontMatterError::NotText));
        let long = format!("---\na: {}\n---\n", "x".repeat(MAX_BYTES));
        assert_eq!(read(long.as_bytes()), Err(FrontMatterError::TooLarge));
        let deep = format!("---\na: {}\n---\n", "[".repeat(10_000));
        assert!(read(deep.as_bytes()).is_err());
    }
}
