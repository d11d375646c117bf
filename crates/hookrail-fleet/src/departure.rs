//! What of a record leaves the machine.

use hookrail_core::redaction::redact_text;
use hookrail_store::JournalRecord;
use serde_json::Value;

/// How much of an event may leave the machine; the setting `privacy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The event without its secrets.
    Full,
    /// Nothing that the event brought but names.
    Minimal,
}

/// Makes records fit to leave.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    pub detail: Detail,
}

impl Departure {
    /// The record as it may leave. The journal was written without secrets already; they are looked for again, because what
    /// leaves cannot be taken back and this version may know more of them than the one that wrote it.
    #[must_use]
    pub fn prepare(&self, mut record: JournalRecord) -> JournalRecord {
        match self.detail {
            Detail::Minimal => JournalRecord {
                reason: None,
                subject: None,
                error: None,
                project: None,
                input: None,
                extra: serde_json::Map::new(),
                ..record
            },
            Detail::Full => {
                for text in [&mut record.reason, &mut record.subject, &mut record.error].into_iter().flatten() {
                    redact(text);
                }
                record.input.iter_mut().for_each(redact_value);
                record.extra.values_mut().for_each(redact_value);
                record
            }
        }
    }
}

fn redact(text: &mut String) {
    if let std::borrow::Cow::Owned(clean) = redact_text(text) {
        *text = clean;
    }
}

fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => redact(text),
        Value::Array(items) => items.iter_mut().for_each(redact_value),
        Value::Object(fields) => fields.values_mut().for_each(redact_value),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record() -> JournalRecord {
        let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
        JournalRecord {
            session: "s".to_owned(),
            tool: Some("Bash".to_owned()),
            reason: Some(format!("token {secret}")),
            subject: Some(format!("curl -H 'Authorization: Bearer {secret}'")),
            error: Some(secret.to_owned()),
            project: Some("/p".to_owned()),
            input: Some(json!({"tool_input": {"command": format!("export GITHUB_TOKEN={secret}")}, "list": [secret]})),
            ..JournalRecord::default()
        }
    }

    #[test]
    fn no_secret_leaves_and_with_minimal_nothing_of_the_event_does() {
        let full = Departure { detail: Detail::Full }.prepare(record());
        let text = serde_json::to_string(&full).unwrap();
        assert!(!text.contains("ghp_0123"), "{text}");
        assert!(full.input.is_some() && full.project.is_some());
        let minimal = Departure { detail: Detail::Minimal }.prepare(record());
        let expected =
            JournalRecord { session: "s".to_owned(), tool: Some("Bash".to_owned()), ..JournalRecord::default() };
        assert_eq!(minimal, expected);
    }
}
