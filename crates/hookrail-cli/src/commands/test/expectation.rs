//! What must come of an event.

use super::played::PlayedStep;
use super::scenario::check_path;
use super::source::{Mistake, Source};
use super::table::Fields;
use hookrail_core::Decision;
use serde_json::{Map, Value, json};
use std::ops::Range;
use std::sync::Arc;

const KEYS: &[&str] = &[
    "decision",
    "reason",
    "message",
    "context",
    "rewrite",
    "ran",
    "silent",
    "stdout",
    "stderr",
    "exit_code",
    "files",
    "journal",
    "session",
];
const FILE_KEYS: &[&str] = &["contains", "equals", "absent"];
/// Texts of the verdict, of which fragments are expected.
const TEXTS: [&str; 3] = ["reason", "message", "context"];

#[derive(Clone, Debug)]
pub struct Expectation {
    source: Arc<Source>,
    fields: Option<Fields>,
    anchor: Anchor,
}

/// Where an expectation stands, or would be written.
#[derive(Clone, Debug)]
pub enum Anchor {
    /// Behind the block that ends here.
    Behind(usize),
    /// In place of this.
    Block(Range<usize>),
    /// In place of this, on one line.
    Inline(Range<usize>),
    Nowhere,
}

/// Something that did not come out as expected.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The key of the expectation.
    pub path: Vec<String>,
    /// Where it stands in the file.
    pub at: usize,
    pub expected: String,
    pub actual: String,
    /// What to write there instead.
    pub fix: Option<Value>,
}

impl Expectation {
    pub fn missing(source: &Arc<Source>, behind: usize) -> Self {
        Self { source: Arc::clone(source), fields: None, anchor: Anchor::Behind(behind) }
    }

    pub fn read(fields: &Fields) -> Result<Self, Mistake> {
        fields.only(KEYS)?;
        let expectation = Self {
            source: Arc::clone(&fields.piece.source),
            anchor: Anchor::Block(fields.piece.range.clone()),
            fields: Some(fields.clone()),
        };
        if let Some(word) = fields.text("decision")? {
            decision(word).ok_or_else(|| {
                fields
                    .mistake(&["decision"], format!("unknown decision `{word}`; it is stop, block, ask, allow or none"))
            })?;
        }
        for key in TEXTS.iter().chain(&["stderr", "ran", "journal"]) {
            fields.texts(key)?;
        }
        fields.text("stdout")?;
        fields.flag("silent")?;
        fields.table("session")?;
        fields.table("rewrite")?;
        if fields.values.get("exit_code").is_some_and(|code| !code.is_i64()) {
            return Err(fields.mistake(&["exit_code"], "`exit_code` must be a whole number"));
        }
        for (path, check) in fields.table("files")? {
            let check = check.as_object().cloned().ok_or_else(|| {
                fields.mistake(&["files", &path], "say what the file must be: `contains`, `equals` or `absent`")
            })?;
            check_path(&path).map_err(|problem| fields.mistake(&["files", &path], problem.message))?;
            let check = fields.inner(&["files", &path], check);
            check.only(FILE_KEYS)?;
            check.texts("contains")?;
            check.text("equals")?;
            check.flag("absent")?;
        }
        Ok(expectation)
    }

    /// For a table that stands in the middle of a file.
    pub fn standing_at(mut self, span: Option<Range<usize>>) -> Self {
        let empty = self.fields.as_ref().is_none_or(|fields| fields.values.is_empty());
        self.anchor = match span {
            Some(span) if empty => Anchor::Inline(span),
            _ => Anchor::Nowhere,
        };
        self
    }

    pub fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// Where the value of a key stands in the file.
    pub fn value_range(&self, path: &[&str]) -> Option<Range<usize>> {
        let fields = self.fields.as_ref()?;
        let (span, start) = (fields.span(path)?, fields.piece.range.start);
        Some(start + span.start..start + span.end)
    }

    /// Everything that is not as expected.
    pub fn check(&self, played: &PlayedStep<'_>) -> Vec<Failure> {
        let Some(fields) = self.fields.as_ref().filter(|fields| !fields.values.is_empty()) else {
            return vec![Failure {
                path: Vec::new(),
                at: self.place(),
                expected: "something: no expectation is written here".to_owned(),
                actual: summary(played)
                    .iter()
                    .map(|(key, value)| format!("{key} = {value}"))
                    .collect::<Vec<_>>()
                    .join("\n"),
                fix: Some(Value::Object(summary(played))),
            }];
        };
        let mut check = Check { fields, played, failures: Vec::new() };
        check.verdict();
        check.answer();
        check.files();
        check.session();
        check.failures
    }

    fn place(&self) -> usize {
        match &self.anchor {
            Anchor::Behind(at) => {
                self.source.text.get(..*at).and_then(|text| text.trim_end().rfind('\n')).map_or(0, |at| at + 1)
            }
            Anchor::Block(range) | Anchor::Inline(range) => range.start,
            Anchor::Nowhere => 0,
        }
    }
}

fn decision(word: &str) -> Option<Decision> {
    serde_json::from_value(Value::from(word)).ok()
}

/// The expectation that matches what happened.
fn summary(played: &PlayedStep<'_>) -> Map<String, Value> {
    let mut summary = Map::from_iter([("decision".to_owned(), Value::from(played.verdict("decision")))]);
    for key in TEXTS {
        let text = played.verdict(key);
        if !text.is_empty() {
            summary.insert(key.to_owned(), Value::from(text));
        }
    }
    summary
}

struct Check<'a> {
    fields: &'a Fields,
    played: &'a PlayedStep<'a>,
    failures: Vec<Failure>,
}

impl Check<'_> {
    fn fail(&mut self, path: &[&str], expected: impl Into<String>, actual: impl Into<String>, fix: Option<Value>) {
        let span = self.fields.span(path).map_or(0, |span| span.start);
        self.failures.push(Failure {
            path: path.iter().map(|key| (*key).to_owned()).collect(),
            at: self.fields.piece.range.start + span,
            expected: expected.into(),
            actual: actual.into(),
            fix,
        });
    }

    fn verdict(&mut self) {
        if let Some(expected) = self.fields.values.get("decision").and_then(Value::as_str) {
            let actual = self.played.verdict("decision");
            if actual != expected {
                self.fail(&["decision"], expected, actual.clone(), Some(Value::from(actual)));
            }
        }
        for key in TEXTS {
            self.fragments(&[key], key, &self.played.verdict(key));
        }
        if let Some(Value::Object(expected)) = self.fields.values.get("rewrite") {
            let actual = self.played.rewrite();
            self.subset(&["rewrite"], expected, &actual);
        }
        if self.fields.values.contains_key("ran") {
            let (actual, expected) = (self.played.ran(), self.fields.texts("ran").unwrap_or_default());
            if actual != expected {
                self.fail(&["ran"], expected.join("\n"), actual.join("\n"), Some(json!(actual)));
            }
        }
    }

    fn answer(&mut self) {
        let stdout = self.played.answer("stdout");
        if let Some(expected) = self.fields.values.get("stdout").and_then(Value::as_str)
            && expected != stdout
        {
            self.fail(&["stdout"], expected, stdout.clone(), Some(Value::from(stdout.as_str())));
        }
        if self.fields.flag("silent").unwrap_or_default() && !stdout.is_empty() {
            self.fail(&["silent"], "nothing on stdout", stdout, Some(Value::from(false)));
        }
        self.fragments(&["stderr"], "stderr", &self.played.answer("stderr"));
        if self.fields.values.contains_key("journal") {
            self.fragments(&["journal"], "journal", &self.played.journal());
        }
        if let Some(expected) = self.fields.values.get("exit_code") {
            let actual = self.played.exit_code();
            if *expected != actual {
                self.fail(&["exit_code"], expected.to_string(), actual.to_string(), Some(actual));
            }
        }
    }

    /// Every expected fragment must be in a text.
    fn fragments(&mut self, path: &[&str], key: &str, actual: &str) {
        let expected = self.fields.texts(key).unwrap_or_default();
        let missing: Vec<String> =
            expected.into_iter().filter(|fragment| !actual.contains(fragment.as_str())).collect();
        if !missing.is_empty() {
            self.fail(path, missing.join("\n"), actual, Some(Value::from(actual)));
        }
    }

    fn files(&mut self) {
        for (path, check) in self.fields.table("files").unwrap_or_default() {
            let content = self.played.file(&path);
            let texts = |key: &str| match check.get(key) {
                Some(Value::String(text)) => vec![text.clone()],
                Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                _ => Vec::new(),
            };
            match (content, check.get("absent").and_then(Value::as_bool)) {
                (Some(content), Some(true)) => {
                    self.fail(&["files", &path, "absent"], "no such file", content, Some(Value::from(false)));
                }
                (None, Some(false)) => {
                    self.fail(&["files", &path, "absent"], "a file", "no such file", Some(Value::from(true)));
                }
                (None, None) => self.fail(&["files", &path], "a file", "no such file", Some(json!({"absent": true}))),
                (None, Some(true)) => {}
                (Some(content), _) => {
                    let missing: Vec<String> =
                        texts("contains").into_iter().filter(|part| !content.contains(part.as_str())).collect();
                    if !missing.is_empty() {
                        self.fail(
                            &["files", &path, "contains"],
                            missing.join("\n"),
                            content.clone(),
                            Some(Value::from(content.as_str())),
                        );
                    }
                    if let Some(expected) =
                        check.get("equals").and_then(Value::as_str).filter(|expected| *expected != content)
                    {
                        self.fail(&["files", &path, "equals"], expected, content.clone(), Some(Value::from(content)));
                    }
                }
            }
        }
    }

    fn session(&mut self) {
        if let Some(Value::Object(expected)) = self.fields.values.get("session") {
            let actual = self.played.session();
            self.subset(&["session"], expected, &actual);
        }
    }

    /// Everything that is expected must be there; there may be more.
    fn subset(&mut self, path: &[&str], expected: &Map<String, Value>, actual: &Value) {
        for (key, expected) in expected {
            let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
            let actual = actual.get(key).unwrap_or(&Value::Null);
            match (expected, actual) {
                (Value::Object(expected), Value::Object(_)) => self.subset(&path, expected, actual),
                (expected, actual) if expected != actual => {
                    self.fail(
                        &path,
                        plain(expected),
                        plain(actual),
                        Some(actual.clone()).filter(|actual| !actual.is_null()),
                    );
                }
                _ => {}
            }
        }
    }
}

/// A text without quotes, anything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
