//! The parameters of a request, taken out one by one; what is left is a mistake.

use super::error::did_you_mean;
use hookrail_core::lenient_json;
use hookrail_engine::registry::closest;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// What is wrong with a request's parameters.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParamsError {
    #[error("`params` cannot be read: {0}")]
    Unreadable(String),
    #[error("`{0}` is missing")]
    Missing(String),
    #[error("`{field}` must be {expected}")]
    Mistyped { field: String, expected: &'static str },
    #[error("unknown field `{field}`{}", did_you_mean(.suggestion.as_deref()))]
    Unknown { field: String, suggestion: Option<String> },
    #[error("`{field}`: {problem}")]
    Invalid { field: String, problem: String },
}

/// An object of which every field is wanted.
#[derive(Clone, Debug)]
pub(super) struct Params {
    /// What comes before a field's name in a complaint: nothing, or `extensions[0].`.
    prefix: String,
    fields: Object,
    wanted: Vec<&'static str>,
}

impl Params {
    /// Reads the `params` of a request; without any they are empty.
    pub fn read(json: Option<&str>) -> Result<Self, ParamsError> {
        let Some(json) = json else { return Ok(Self::new(String::new(), Object::new())) };
        // Agents send what a strict parser rejects: half a character, or arguments nested more than it follows. A guard that
        // cannot read them cannot judge them, so they are repaired; the tool gets what the hooks saw.
        let value = serde_json::from_str(json)
            .or_else(|_| lenient_json::parse(json.as_bytes()).map(|lenient| lenient.value))
            .map_err(|error| ParamsError::Unreadable(error.to_string()))?;
        Self::from_value("params", value).map(|params| Self { prefix: String::new(), ..params })
    }

    /// An object that stands at `place`.
    pub fn from_value(place: &str, value: Value) -> Result<Self, ParamsError> {
        match value {
            Value::Object(fields) => Ok(Self::new(format!("{place}."), fields)),
            _ => Err(ParamsError::Mistyped { field: place.to_owned(), expected: "an object" }),
        }
    }

    fn new(prefix: String, fields: Object) -> Self {
        Self { prefix, fields, wanted: Vec::new() }
    }

    /// A field of any type; null counts as absent.
    pub fn optional(&mut self, field: &'static str) -> Option<Value> {
        self.wanted.push(field);
        self.fields.swap_remove(field).filter(|value| !value.is_null())
    }

    /// A field that may be null but must be there.
    pub fn value(&mut self, field: &'static str) -> Result<Value, ParamsError> {
        self.wanted.push(field);
        self.fields.swap_remove(field).ok_or_else(|| self.missing(field))
    }

    pub fn text(&mut self, field: &'static str) -> Result<String, ParamsError> {
        self.optional_text(field)?.ok_or_else(|| self.missing(field))
    }

    pub fn optional_text(&mut self, field: &'static str) -> Result<Option<String>, ParamsError> {
        match self.optional(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.mistyped(field, "text")),
        }
    }

    pub fn optional_flag(&mut self, field: &'static str) -> Result<Option<bool>, ParamsError> {
        match self.optional(field) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(self.mistyped(field, "true or false")),
        }
    }

    pub fn optional_count(&mut self, field: &'static str) -> Result<Option<usize>, ParamsError> {
        match self.optional(field) {
            None => Ok(None),
            Some(value) => {
                let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
                count.map(Some).ok_or_else(|| self.mistyped(field, "a whole number"))
            }
        }
    }

    pub fn flag(&mut self, field: &'static str) -> Result<bool, ParamsError> {
        self.optional_flag(field)?.ok_or_else(|| self.missing(field))
    }

    pub fn object(&mut self, field: &'static str) -> Result<Object, ParamsError> {
        self.optional_object(field)?.ok_or_else(|| self.missing(field))
    }

    pub fn optional_object(&mut self, field: &'static str) -> Result<Option<Object>, ParamsError> {
        match self.optional(field) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(_) => Err(self.mistyped(field, "an object")),
        }
    }

    /// The items of a list, each with its place.
    pub fn list(&mut self, field: &'static str) -> Result<Vec<(String, Value)>, ParamsError> {
        match self.optional(field) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(self.places(field, items)),
            Some(_) => Err(self.mistyped(field, "a list")),
        }
    }

    pub fn places(&self, field: &str, items: Vec<Value>) -> Vec<(String, Value)> {
        let place = |(index, item)| (format!("{}{field}[{index}]", self.prefix), item);
        items.into_iter().enumerate().map(place).collect()
    }

    /// Complains about what is left: a misspelt field must not be a field that silently does nothing.
    pub fn finish(self) -> Result<(), ParamsError> {
        match self.fields.keys().next() {
            None => Ok(()),
            Some(field) => Err(ParamsError::Unknown {
                field: format!("{}{field}", self.prefix),
                suggestion: closest(field, self.wanted.iter().copied()).map(str::to_owned),
            }),
        }
    }

    pub fn mistyped(&self, field: &str, expected: &'static str) -> ParamsError {
        ParamsError::Mistyped { field: format!("{}{field}", self.prefix), expected }
    }

    pub fn invalid(&self, field: &str, problem: &str) -> ParamsError {
        ParamsError::Invalid { field: format!("{}{field}", self.prefix), problem: problem.to_owned() }
    }

    fn missing(&self, field: &str) -> ParamsError {
        ParamsError::Missing(format!("{}{field}", self.prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_strict_parser_rejects_is_repaired_and_read() {
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        for (name, text, expected) in [
            ("half a character", r#""cut \ud83d""#.to_owned(), json!("cut \u{fffd}")),
            ("a whole one", r#""\ud83d\ude00 \\ud83d""#.to_owned(), json!("\u{1f600} \\ud83d")),
            ("a number that is none", "1e400".to_owned(), json!("1e400")),
        ] {
            let mut params = Params::read(Some(&format!(r#"{{"x": {text}}}"#))).unwrap();
            assert_eq!(params.value("x"), Ok(expected), "{name}");
        }
        let mut params = Params::read(Some(&format!(r#"{{"x": {deep}}}"#))).unwrap();
        let read = params.value("x").unwrap().to_string();
        assert!(read.contains(lenient_json::DEEP_MARK) && read.contains("[[1]]"), "{read}");
    }

    #[test]
    fn complaints_name_the_field_and_what_belongs_there() {
        type Taker = fn(&mut Params) -> Result<(), ParamsError>;
        let nothing: Taker = |_| Ok(());
        let text: Taker = |params| params.text("toolName").map(drop);
        let object: Taker = |params| params.object("toolInput").map(drop);
        let flag: Taker = |params| params.optional_flag("active").map(drop);
        let list: Taker = |params| params.list("extensions").map(drop);
        let value: Taker = |params| params.value("id").map(drop);
        let cases = [
            (json!({}), text, "`ext[0].toolName` is missing"),
            (json!({"toolName": null}), text, "`ext[0].toolName` is missing"),
            (json!({"toolName": 1}), text, "`ext[0].toolName` must be text"),
            (json!({"toolInput": "x"}), object, "`ext[0].toolInput` must be an object"),
            (json!({"active": "yes"}), flag, "`ext[0].active` must be true or false"),
            (json!({"extensions": {}}), list, "`ext[0].extensions` must be a list"),
            (json!({}), value, "`ext[0].id` is missing"),
            (json!({"x": 1}), nothing, "unknown field `ext[0].x`"),
            (
                json!({"toolName": "a", "toolname": 1}),
                text,
                "unknown field `ext[0].toolname`\nhint: did you mean `toolName`?",
            ),
        ];
        for (fields, take, expected) in cases {
            let mut params = Params::from_value("ext[0]", fields.clone()).unwrap();
            let error = take(&mut params).and_then(|()| params.finish()).unwrap_err();
            assert_eq!(error.to_string(), expected, "{fields}");
        }
        let top = |json| Params::read(Some(json)).unwrap_err().to_string();
        assert_eq!(top("[1]"), "`params` must be an object");
        assert_eq!(top(r#"{"x": [1"#), "`params` cannot be read: the text ends at byte 8, in the middle of a value");
    }
}
