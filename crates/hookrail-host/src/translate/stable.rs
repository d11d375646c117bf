//! The stable form as types: what is read from it and written to it, whatever the provider.

use super::Object;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Model,
    System,
}

impl Role {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
            Self::System => "system",
        }
    }

    /// Hook authors come from every provider, so their words count too.
    fn parse(name: &str) -> Option<Self> {
        match name {
            "user" => Some(Self::User),
            "model" | "assistant" => Some(Self::Model),
            "system" | "developer" => Some(Self::System),
            _ => None,
        }
    }
}

/// A turn of the conversation as hooks see it. Its text is never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) role: Role,
    pub(super) text: String,
}

impl Message {
    pub(super) fn to_hook(&self) -> Value {
        json!({"role": self.role.name(), "content": self.text})
    }
}

/// A message as a hook returned it. Without a role it is whatever the turn it belongs to is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) role: Option<Role>,
    pub(super) text: String,
}

impl Proposal {
    fn from_hook(message: &Value) -> Option<Self> {
        let role = message.get("role").and_then(Value::as_str).and_then(Role::parse);
        let texts = texts(message.get("content")?);
        (!texts.is_empty()).then(|| Self { role, text: texts.concat() })
    }

    fn unchanged(message: &Message) -> Self {
        Self { role: Some(message.role), text: message.text.clone() }
    }

    pub(super) fn is(&self, message: &Message) -> bool {
        self.may_be(message) && self.text == message.text
    }

    pub(super) fn may_be(&self, message: &Message) -> bool {
        self.role.is_none_or(|role| role == message.role)
    }
}

/// The messages of a hook's request, or `None` if it says nothing about them. An unreadable message stands for the one
/// that was shown in its place, if the list has the length it had; otherwise it is skipped.
pub(super) fn proposals(request: &Value, shown: &[Message]) -> Option<Vec<Proposal>> {
    let messages = request.get("messages")?.as_array()?;
    let in_place = messages.len() == shown.len();
    let read = messages.iter().enumerate().filter_map(|(place, message)| {
        let original = || shown.get(place).filter(|_| in_place).map(Proposal::unchanged);
        Proposal::from_hook(message).or_else(original)
    });
    let proposals: Vec<Proposal> = read.collect();
    (messages.is_empty() || !proposals.is_empty()).then_some(proposals)
}

/// The texts in a content that a hook wrote: a string, or a list of strings and of objects with a `text`.
fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts.iter().filter_map(part_text).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn part_text(part: &Value) -> Option<&str> {
    let is_thought = part.get("thought") == Some(&Value::Bool(true));
    part.as_str().or_else(|| part.get("text")?.as_str().filter(|_| !is_thought))
}

/// A complete answer of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Response {
    pub(super) candidates: Vec<Candidate>,
    pub(super) usage: Option<Usage>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Candidate {
    pub(super) parts: Vec<String>,
    pub(super) finish_reason: Option<String>,
    pub(super) index: Option<u64>,
    pub(super) safety_ratings: Option<Vec<Value>>,
}

/// How an answer ended, as far as every provider has a word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FinishKind {
    Complete,
    CutOff,
    Refused,
}

impl Response {
    pub(super) fn saying(text: &str) -> Self {
        Self { candidates: vec![Candidate::saying(text)], usage: None }
    }

    /// Candidates decide what a response says; `text` speaks when no candidate does.
    pub(super) fn from_hook(response: &Value) -> Self {
        let candidates = response.get("candidates").and_then(Value::as_array);
        let mut candidates: Vec<Candidate> =
            candidates.into_iter().flatten().filter_map(Candidate::from_hook).collect();
        let text = response.get("text").and_then(Value::as_str).unwrap_or_default();
        if !text.is_empty() && candidates.iter().all(|candidate| candidate.text().is_empty()) {
            match candidates.first_mut() {
                Some(first) => first.parts = vec![text.to_owned()],
                None => candidates.push(Candidate::saying(text)),
            }
        }
        Self { candidates, usage: response.get("usageMetadata").and_then(Usage::from_hook) }
    }

    pub(super) fn to_hook(&self) -> Value {
        let mut fields = Object::new();
        let text = self.candidates.first().map(Candidate::text).unwrap_or_default();
        if !text.is_empty() {
            fields.insert("text".to_owned(), text.into());
        }
        let candidates = self.candidates.iter().map(Candidate::to_hook).collect();
        fields.insert("candidates".to_owned(), candidates);
        if let Some(usage) = self.usage {
            fields.insert("usageMetadata".to_owned(), usage.to_hook());
        }
        Value::Object(fields)
    }
}

impl Candidate {
    pub(super) fn saying(text: &str) -> Self {
        Self {
            parts: vec![text.to_owned()],
            finish_reason: Some("STOP".to_owned()),
            index: Some(0),
            safety_ratings: None,
        }
    }

    pub(super) fn text(&self) -> String {
        self.parts.concat()
    }

    pub(super) fn ending(&self) -> FinishKind {
        match self.finish_reason.as_deref() {
            Some("MAX_TOKENS") => FinishKind::CutOff,
            Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => FinishKind::Refused,
            _ => FinishKind::Complete,
        }
    }

    fn from_hook(candidate: &Value) -> Option<Self> {
        let fields = candidate.as_object()?;
        let content = fields.get("content").unwrap_or(&Value::Null);
        let parts = texts(content.get("parts").unwrap_or(content)).into_iter().map(str::to_owned).collect();
        Some(Self { parts, ..Self::read_labels(fields) })
    }

    /// Everything but the content, which stable form and GenAI spell alike.
    pub(super) fn read_labels(fields: &Object) -> Self {
        let ratings = fields.get("safetyRatings").and_then(Value::as_array);
        Self {
            parts: Vec::new(),
            finish_reason: fields.get("finishReason").and_then(Value::as_str).map(str::to_owned),
            index: fields.get("index").and_then(Value::as_u64),
            safety_ratings: ratings.map(|ratings| ratings.iter().filter_map(without_blocked).collect()),
        }
    }

    pub(super) fn write_labels(&self, fields: &mut Object) {
        if let Some(reason) = &self.finish_reason {
            fields.insert("finishReason".to_owned(), reason.as_str().into());
        }
        if let Some(index) = self.index {
            fields.insert("index".to_owned(), index.into());
        }
        if let Some(ratings) = &self.safety_ratings {
            fields.insert("safetyRatings".to_owned(), ratings.as_slice().into());
        }
    }

    fn to_hook(&self) -> Value {
        let mut fields = Object::new();
        fields.insert("content".to_owned(), json!({"role": "model", "parts": self.parts}));
        self.write_labels(&mut fields);
        Value::Object(fields)
    }
}

/// Whether a rating led to a block is not part of the stable form (HOOK-077).
fn without_blocked(rating: &Value) -> Option<Value> {
    let mut fields = rating.as_object()?.clone();
    fields.shift_remove("blocked");
    Some(Value::Object(fields))
}

/// Token counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) prompt: Option<u64>,
    pub(super) answer: Option<u64>,
    pub(super) total: Option<u64>,
}

impl Usage {
    /// `None` if there is no count at all.
    pub(super) fn from_counts(prompt: Option<u64>, answer: Option<u64>, total: Option<u64>) -> Option<Self> {
        let sum = || Some(prompt?.saturating_add(answer?));
        let usage = Self { prompt, answer, total: total.or_else(sum) };
        (usage != Self::default()).then_some(usage)
    }

    /// The counts in the stable form, which is GenAI's as well.
    pub(super) fn from_hook(usage: &Value) -> Option<Self> {
        let count = |name: &str| usage.get(name).and_then(Value::as_u64);
        let usage = Self {
            prompt: count("promptTokenCount"),
            answer: count("candidatesTokenCount"),
            total: count("totalTokenCount"),
        };
        (usage != Self::default()).then_some(usage)
    }

    pub(super) fn to_hook(self) -> Value {
        let counts =
            [("promptTokenCount", self.prompt), ("candidatesTokenCount", self.answer), ("totalTokenCount", self.total)];
        let given = counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?.into())));
        Value::Object(given.collect())
    }

    pub(super) fn prompt(self) -> u64 {
        self.prompt.unwrap_or_default()
    }

    pub(super) fn answer(self) -> u64 {
        self.answer.unwrap_or_else(|| self.total.unwrap_or_default().saturating_sub(self.prompt()))
    }

    pub(super) fn total(self) -> u64 {
        self.total.unwrap_or_else(|| self.prompt().saturating_add(self.answer()))
    }
}
