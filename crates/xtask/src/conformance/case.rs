//! A case, and the ways it can go wrong.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Case {
    pub id: String,
    pub area: String,
    #[serde(default)]
    pub title: String,
    pub input: Map<String, Value>,
    pub expected: Map<String, Value>,
    #[serde(default)]
    pub requires: Vec<String>,
    /// The file it was read from.
    #[serde(skip)]
    pub file: PathBuf,
}

/// A case file could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("cannot read `{path}`: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{path}:{line}: not a case: {source}")]
    NotACase { path: String, line: usize, source: serde_json::Error },
}

pub(super) fn read(file: &Path) -> Result<Vec<Case>, FileError> {
    let path = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|source| FileError::Unreadable { path: path.clone(), source })?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            serde_json::from_str::<Case>(line)
                .map(|case| Case { file: file.to_owned(), ..case })
                .map_err(|source| FileError::NotACase { path: path.clone(), line: index + 1, source })
        })
        .collect()
}

/// What was expected and what came out.
#[derive(Debug)]
pub(super) struct Mismatch {
    pub what: String,
    pub expected: String,
    pub got: String,
}

impl Mismatch {
    pub fn because(why: &str) -> Self {
        Self { what: "case".to_owned(), expected: "a case that can be run".to_owned(), got: why.to_owned() }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}\n    expected: {}\n    got:      {}", self.what, self.expected, self.got)
    }
}

#[derive(Debug)]
pub(super) enum CaseError {
    Mismatch(Mismatch),
    /// The case itself cannot be run.
    Malformed(String),
}

impl CaseError {
    pub fn mismatch(what: &str, expected: impl fmt::Display, got: impl fmt::Display) -> Self {
        Self::Mismatch(Mismatch { what: what.to_owned(), expected: expected.to_string(), got: got.to_string() })
    }
}

impl From<serde_json::Error> for CaseError {
    fn from(error: serde_json::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl From<std::io::Error> for CaseError {
    fn from(error: std::io::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl Case {
    pub fn text(&self, key: &str) -> Result<&str, CaseError> {
        self.input.get(key).and_then(Value::as_str).ok_or_else(|| CaseError::Malformed(format!("no text `{key}`")))
    }

    pub fn list(&self, key: &str) -> Result<&[Value], CaseError> {
        let list = self.input.get(key).and_then(Value::as_array);
        list.map(Vec::as_slice).ok_or_else(|| CaseError::Malformed(format!("no list `{key}`")))
    }

    /// An object of the input; absent is empty.
    pub fn object(&self, key: &str) -> Map<String, Value> {
        self.input.get(key).and_then(Value::as_object).cloned().unwrap_or_default()
    }
}
