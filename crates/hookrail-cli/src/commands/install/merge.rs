//! hookrail's entries within an agent's hook file, whatever the form of the file.

use super::json_entries::{JsonEntries, needed_fields};
use super::registration::Registration;
use super::table_entries::TableEntries;
use super::whole_file::WholeFile;
use crate::jsonc::{Jsonc, SyntaxError};
use hookrail_dialects::{Dialect, Layout, Scope};
use serde_json::Value;
use std::path::Path;
use toml_edit::DocumentMut;

/// Which entries of a file are ours, and how they are put there.
#[derive(Clone, Copy)]
pub struct Merger<'a> {
    pub agent: &'static dyn Dialect,
    /// The file, which may decide about its form.
    pub file: &'a Path,
    /// Tells our commands from others.
    pub is_ours: &'a dyn Fn(&str) -> bool,
}

/// The content of a hook file.
#[derive(Clone, Debug)]
pub enum Document {
    Json(Jsonc),
    Tables(DocumentMut),
    /// A file that belongs to one program as a whole.
    Whole(String),
}

/// Why nothing can be put into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// A place in the file of which install has to know whether it was there before: the keys that lead to it.
pub type KeyPath = Vec<String>;

/// One of our handlers and the group it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    pub event: String,
    pub(super) group: usize,
    pub(super) handler: usize,
    /// The group has no other handler.
    pub(super) alone: bool,
    pub value: Value,
}

impl Document {
    pub fn text(&self) -> String {
        match self {
            Self::Json(document) => document.text().to_owned(),
            Self::Tables(document) => document.to_string(),
            Self::Whole(text) => text.clone(),
        }
    }

    /// Nothing stands in it that a person or an agent could miss.
    pub fn is_bare(&self) -> bool {
        match self {
            Self::Json(document) => document.text().trim() == "{}",
            Self::Tables(_) | Self::Whole(_) => self.text().trim().is_empty(),
        }
    }

    pub fn json(&self) -> Option<&Jsonc> {
        match self {
            Self::Json(document) => Some(document),
            Self::Tables(_) | Self::Whole(_) => None,
        }
    }
}

impl Merger<'_> {
    /// Whether the file is the administrator's.
    fn is_managed(&self) -> bool {
        let format = self.agent.format();
        let mut managed = format.files.iter().filter(|file| file.scope == Scope::Managed);
        managed.any(|file| self.file.ends_with(Path::new(file.folder.trim_start_matches('/')).join(file.file)))
    }

    /// Root fields that our entries need, and the file may not have had.
    pub fn needed_fields(&self) -> Vec<(&'static str, Value)> {
        needed_fields(self.agent, self.is_managed())
    }

    pub fn parse(&self, text: &str) -> Result<Document, SyntaxError> {
        match self.agent.format().layout {
            Layout::Groups | Layout::Flat => Jsonc::parse(text).map(Document::Json),
            Layout::Tables(_) => TableEntries::parse(text).map(Document::Tables),
            Layout::Scripts | Layout::Module => Ok(Document::Whole(text.to_owned())),
        }
    }

    /// Our entries, in the order of the file.
    pub fn find(&self, document: &Document) -> Vec<Own> {
        match document {
            Document::Json(document) => self.json().find(document),
            Document::Tables(document) => self.tables().find(document),
            Document::Whole(text) => self.whole().find(text),
        }
    }

    /// Commands of others that call hookrail as well.
    pub fn strangers(&self, document: &Document, calls: fn(&str) -> bool) -> Vec<String> {
        match document {
            Document::Json(document) => self.json().strangers(document, calls),
            Document::Tables(document) => self.tables().strangers(document, calls),
            Document::Whole(_) => Vec::new(),
        }
    }

    /// Makes our entries what is wanted and returns the places that had to be made for them. Entries that are right stay
    /// where they are.
    pub fn put(
        &self,
        document: &mut Document,
        wanted: &[Registration],
        command: &str,
        made_before: &[KeyPath],
    ) -> Result<Vec<KeyPath>, ShapeError> {
        match document {
            Document::Json(document) => self.json().put(document, wanted, command, made_before),
            Document::Tables(document) => self.tables().put(document, wanted, command),
            Document::Whole(text) => self.whole().put(text, wanted, command),
        }
    }

    /// Takes our entries out. Places that get empty go as well if `made_by_us` says so; others look again as they did in
    /// `before`.
    pub fn clear(&self, document: &mut Document, made_by_us: &dyn Fn(&KeyPath) -> bool, before: Option<&Document>) {
        match document {
            Document::Json(document) => {
                self.json().clear(document, made_by_us, before.and_then(Document::json));
            }
            Document::Tables(document) => self.tables().clear(document),
            Document::Whole(text) => self.whole().clear(text),
        }
    }

    /// What others wrote, whatever became of ours.
    pub fn foreign(&self, document: &Document) -> Value {
        match document {
            Document::Json(document) => self.json().foreign(document),
            Document::Tables(_) | Document::Whole(_) => {
                let mut rest = document.clone();
                self.clear(&mut rest, &|_| true, None);
                Value::from(rest.text().trim())
            }
        }
    }

    fn json(&self) -> JsonEntries<'_> {
        let hooks_at = self.agent.format().hooks_in(self.file);
        JsonEntries { agent: self.agent, hooks_at, is_managed: self.is_managed(), is_ours: self.is_ours }
    }

    fn tables(&self) -> TableEntries<'_> {
        TableEntries { agent: self.agent, is_ours: self.is_ours }
    }

    fn whole(&self) -> WholeFile<'_> {
        WholeFile { agent: self.agent, file: self.file, is_ours: self.is_ours }
    }
}

/// Each text once, in the order in which they come.
pub fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        if !found.iter().any(|known| known == text) {
            found.push(text.to_owned());
        }
    }
    found
}
