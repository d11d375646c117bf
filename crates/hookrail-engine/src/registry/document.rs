//! A piece of JSON configuration that remembers where its parts stand in the text.

use super::positions::{self, PathStep, line_and_column};
use hookrail_core::Origin;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, ParseResult};
use serde_json::Value;

/// Hook configuration as it was found: a file's text or a value handed over by a program.
#[derive(Clone, Debug)]
pub struct Document {
    place: String,
    root: Value,
    text: Option<String>,
}

/// Text that is not JSON, comments and trailing commas granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {message}")]
pub struct SyntaxError {
    /// Where it stops being JSON.
    pub origin: Origin,
    /// What the parser says about it.
    pub message: String,
}

impl Document {
    /// Reads JSON text; comments and trailing commas are allowed, as agents allow them.
    pub fn parse(place: &str, text: &str) -> Result<Self, SyntaxError> {
        let text = text.trim_start_matches('\u{feff}');
        match parse_value(text) {
            Ok(root) => Ok(Self { place: place.to_owned(), root, text: Some(text.to_owned()) }),
            Err(error) => Err(SyntaxError {
                origin: Origin::new(place, Some((count(error.line_display()), count(error.column_display())))),
                message: error.kind().to_string(),
            }),
        }
    }

    /// A value that never was text; its parts have a place but no line.
    #[must_use]
    pub fn value(place: &str, root: Value) -> Self {
        Self { place: place.to_owned(), root, text: None }
    }

    /// The file, or the word for where else it came from.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The whole value.
    #[must_use]
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// Where the part at `path` stands: the key, for a member of an object.
    #[must_use]
    pub fn locate(&self, path: &[PathStep<'_>]) -> Origin {
        Origin::new(&self.place, self.text.as_deref().and_then(|text| position(text, path)))
    }
}

/// Only the tree parser bounds the nesting, so it goes first: a hostile file must not exhaust the stack.
fn parse_value(text: &str) -> Result<Value, ParseError> {
    parse_tree(text)?;
    let value: Option<Value> = jsonc_parser::parse_to_serde_value(text, &ParseOptions::default())?;
    Ok(value.unwrap_or(Value::Null))
}

fn parse_tree(text: &str) -> Result<ParseResult<'_>, ParseError> {
    jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default())
}

/// Configuration is read once and wrong rarely, so finding a place parses again instead of keeping a tree.
fn position(text: &str, path: &[PathStep<'_>]) -> Option<(u32, u32)> {
    let root = parse_tree(text).ok()?.value?;
    let (start, _) = positions::find(&root, path)?;
    let (line, column) = line_and_column(text, start);
    Some((count(line), count(column)))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_text_are_found_by_line_and_column() {
        let text = "// settings\n{\n  \"hooks\": {\n    \"BeforeTool\": [\n      {\"hooks\": [1, 2]},\n    ]\n  }\n}\n";
        let document = Document::parse("s.json", text).unwrap();
        let cases: [(&[PathStep<'_>], &str); 5] = [
            (&[], "s.json:2:1"),
            (&[PathStep::Key("hooks")], "s.json:3:3"),
            (&[PathStep::Key("hooks"), PathStep::Key("BeforeTool"), PathStep::Index(0)], "s.json:5:7"),
            (
                &[
                    PathStep::Key("hooks"),
                    PathStep::Key("BeforeTool"),
                    PathStep::Index(0),
                    PathStep::Key("hooks"),
                    PathStep::Index(1),
                ],
                "s.json:5:21",
            ),
            (&[PathStep::Key("nowhere")], "s.json"),
        ];
        for (path, expected) in cases {
            assert_eq!(document.locate(path).to_string(), expected);
        }
    }

    #[test]
    fn text_that_is_not_json_is_an_error_with_its_place() {
        let error = Document::parse("s.json", "{\n  \"hooks\": oops\n}").unwrap_err();
        assert_eq!(error.origin.position.map(|(line, _)| line), Some(2), "{error}");
        assert_eq!(Document::parse("empty.json", "").unwrap().root(), &Value::Null);
    }
}
