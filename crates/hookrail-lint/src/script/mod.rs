//! The scripts behind hooks, read as text and never run.

mod comments;
mod language;
mod prints;

pub(crate) use language::Language;
pub(crate) use prints::{Print, Stream};

use crate::agents::Listener;
use crate::finding::Source;
use hookrail_core::EventName;
use regex_lite::Regex;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// A script as one event of one agent runs it.
#[derive(Debug)]
pub(crate) struct Script {
    pub agent: Listener,
    pub event: EventName,
    /// The event in the agent's words.
    pub event_name: String,
    pub source: Arc<Source>,
    pub language: Language,
    /// The text with comments blanked out: the same bytes stand at the same place.
    pub code: String,
}

/// A line of code and where it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub start: usize,
    pub code: &'a str,
}

/// A way out of the script.
#[derive(Clone, Debug)]
pub(crate) struct Exit {
    pub code: u8,
    pub span: Range<usize>,
    /// The line it stands on, from 0.
    pub line: usize,
}

static EXITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let bash = r"\bexit[ \t]+(\d{1,3})\b";
    let calls = r"(?:sys\.exit|os\._exit|\bexit|SystemExit|process\.exit)\(\s*(\d{1,3})\s*\)";
    let property = r"process\.exitCode\s*=\s*(\d{1,3})\b";
    Regex::new(&format!("{calls}|{bash}|{property}")).ok()
});

impl Script {
    pub fn new(agent: Listener, event: EventName, event_name: &str, source: Arc<Source>, language: Language) -> Self {
        let code = comments::blank(&source.text, language);
        Self { agent, event, event_name: event_name.to_owned(), source, language, code }
    }

    pub fn lines(&self) -> Vec<Line<'_>> {
        let mut start = 0;
        let lines = self.code.split('\n').map(|code| {
            let line = Line { start, code };
            start += code.len() + 1;
            line
        });
        lines.collect()
    }

    pub fn exits(&self) -> Vec<Exit> {
        let Some(pattern) = EXITS.as_ref() else { return Vec::new() };
        let exit = |found: regex_lite::Captures<'_>| {
            let whole = found.get(0)?;
            let number = found.iter().skip(1).flatten().next()?;
            let line = self.code.get(..whole.start())?.matches('\n').count();
            Some(Exit { code: number.as_str().parse().ok()?, span: whole.range(), line })
        };
        pattern.captures_iter(&self.code).filter_map(exit).collect()
    }

    pub fn prints(&self) -> Vec<Print> {
        prints::find(self)
    }

    /// Where a word first stands in the code.
    pub fn find(&self, word: &str) -> Option<Range<usize>> {
        self.code.find(word).map(|start| start..start + word.len())
    }

    pub fn mentions(&self, word: &str) -> bool {
        self.code.contains(word)
    }

    /// Where a JSON field is given one of these values, however the language writes it: `"decision": "deny"`,
    /// `decision: 'deny'`, `{\"decision\":\"deny\"}`.
    pub fn assigns(&self, field: &str, values: &[&str]) -> Option<(Range<usize>, String)> {
        let pattern = format!(r#"\b{field}\\?["']?\s*(?::|=)\s*\\?["']({})\b"#, values.join("|"));
        let found = Regex::new(&pattern).ok()?.captures(&self.code)?;
        Some((found.get(0)?.range(), found.get(1)?.as_str().to_owned()))
    }

    /// Whether the script refuses anything by its answer.
    pub fn answers_with_refusal(&self) -> bool {
        self.assigns("permissionDecision", &["deny"]).is_some()
            || self.assigns("decision", &["block", "deny"]).is_some()
    }

    /// Whether it runs before something that it could refuse.
    pub fn may_refuse(&self) -> bool {
        matches!(
            self.event,
            EventName::BeforeTool
                | EventName::BeforeAgent
                | EventName::PermissionRequest
                | EventName::PromptExpand
                | EventName::TaskCreated
                | EventName::TaskCompleted
                | EventName::BeforeModel
        )
    }

    /// Whether it runs when an agent wants to stop.
    pub fn may_keep_going(&self) -> bool {
        matches!(self.event, EventName::AfterAgent | EventName::SubagentStop)
    }
}
