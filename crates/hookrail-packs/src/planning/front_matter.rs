//! The head of a Markdown file: YAML between its first two `---` lines, and nothing else of it.

use crate::yaml;
use serde_json::{Map, Value};

/// What is parsed whole. Beyond this only the sections that hooks read are.
const WHOLE_BYTES: usize = 256 << 10;
/// The most that is parsed at all.
const MAX_BYTES: usize = 4 << 20;

/// Why the front matter of a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FrontMatterError {
    #[error("it is not UTF-8")]
    NotText,
    #[error("it has no front matter between two `---` lines")]
    Missing,
    #[error("its front matter has more than {} MiB of what hooks read", MAX_BYTES >> 20)]
    TooLarge,
    #[error("its front matter is not YAML: {0}")]
    NotYaml(String),
    #[error("its front matter is not a mapping")]
    NotMapping,
}

/// The fields of a file's front matter; an empty one has none. Of one that is very large, at least those that are `needed`
/// are there.
pub(super) fn read(bytes: &[u8], needed: &[&str]) -> Result<Map<String, Value>, FrontMatterError> {
    let text = std::str::from_utf8(bytes).map_err(|_| FrontMatterError::NotText)?;
    let yaml = between_rules(text).ok_or(FrontMatterError::Missing)?;
    if yaml.len() <= WHOLE_BYTES {
        return parse(yaml);
    }
    // A section that cannot be read by itself may refer to another one.
    match sections(yaml, needed).map(|yaml| if yaml.len() > MAX_BYTES { None } else { Some(parse(&yaml)) }) {
        Some(Some(Ok(fields))) => Ok(fields),
        Some(None) => Err(FrontMatterError::TooLarge),
        Some(Some(Err(_))) | None if yaml.len() <= MAX_BYTES => parse(yaml),
        Some(Some(Err(error))) => Err(error),
        None => Err(FrontMatterError::TooLarge),
    }
}

fn parse(yaml: &str) -> Result<Map<String, Value>, FrontMatterError> {
    match yaml::read(yaml).map_err(FrontMatterError::NotYaml)? {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(Map::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Err(FrontMatterError::NotMapping),
    }
}

/// The top-level sections with these names, as they stand; `None` if the text has no such sections or one of them twice, so
/// that all of it has to be looked at.
fn sections(yaml: &str, needed: &[&str]) -> Option<String> {
    let mut kept = String::new();
    let mut seen = Vec::new();
    let mut keeps = false;
    for line in yaml.split_inclusive('\n') {
        let belongs_to_previous = line.starts_with([' ', '\t', '-', '#']) || line.trim().is_empty();
        if !belongs_to_previous {
            let name = line.split_once(':')?.0.trim_end().trim_matches(['"', '\'']);
            if !name.starts_with(char::is_alphanumeric) {
                return None;
            }
            keeps = needed.contains(&name);
            if keeps && seen.contains(&name) {
                return None;
            }
            seen.push(name);
        }
        if keeps {
            kept.push_str(line);
        }
    }
    Some(kept)
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
            assert_eq!(read(text.as_bytes(), &[]).map(Value::Object), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_yaml_is_an_error_and_never_a_feast() {
        let laughs: String =
            (1..12).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(","))).collect();
        let bomb = format!("---\na0: &a0 x\n{laughs}---\n");
        for text in ["---\na: [\n---\n", "---\na: b: c\n---\n", "---\n'x\n---\n", &bomb] {
            assert!(matches!(read(text.as_bytes(), &[]), Err(FrontMatterError::NotYaml(_))), "{}", text.len());
        }
        assert_eq!(read(b"---\na: \xff\n---\n", &[]), Err(FrontMatterError::NotText));
        let deep = format!("---\na: {}\n---\n", "[".repeat(10_000));
        assert!(read(deep.as_bytes(), &[]).is_err());
    }

    #[test]
    fn of_a_very_large_front_matter_what_is_needed_is_read() {
        let notes = "x".repeat(MAX_BYTES);
        let small = "y".repeat(WHOLE_BYTES);
        for (yaml, phase) in [
            (format!("notes: {notes}\nphase: SETUP\nmore: {notes}\n"), Ok("SETUP")),
            (format!("phase: SETUP\nnotes: |\n  phase: LATER\n  {notes}\n"), Ok("SETUP")),
            (format!("notes:\n- {notes}\n\"phase\": SETUP\n"), Ok("SETUP")),
            (format!("a: &a RESEARCH\nnotes: {small}\nphase: *a\n"), Ok("RESEARCH")),
            (format!("{{notes: {small}, phase: RESEARCH}}\n"), Ok("RESEARCH")),
            (format!("phase: SETUP\nnotes: {small}\nphase: LATER\n"), Err("YAML")),
            (format!("phase: {notes}\n"), Err("MiB")),
            (format!("{{notes: {notes}, phase: SETUP}}\n"), Err("MiB")),
        ] {
            let found = read(format!("---\n{yaml}---\n").as_bytes(), &["phase"]);
            match (found, phase) {
                (Ok(fields), Ok(phase)) => assert_eq!(fields.get("phase"), Some(&json!(phase))),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (found, phase) => panic!("{phase:?}: {:?}", found.map(|fields| fields.len())),
            }
        }
    }
}
