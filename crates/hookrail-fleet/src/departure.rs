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

    /// Secrets in the forms that their issuers give them. Each is put together, so that no scanner takes this file for a leak.
    fn secrets() -> Vec<(&'static str, String)> {
        let long = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmn";
        let of = |prefix: &str, count: usize| format!("{prefix}{}", long.get(..count).unwrap_or_default());
        let upper = |prefix: &str, count: usize| {
            format!(
                "{prefix}{}",
                "4QZ7XK2MWP9TBN3CJ5RLVD6HYF8G4QZ7XK2MWP9TBN3CJ5RLVD6HYF8GAB".get(..count).unwrap_or_default()
            )
        };
        vec![
            ("GitHub token", of("ghp_", 36)),
            ("GitHub app token", of("ghs_", 36)),
            ("GitHub refresh token", of("ghr_", 36)),
            ("GitHub fine-grained token", of("github_pat_", 60)),
            ("GitLab token", of("glpat-", 20)),
            ("AWS key id", upper("AKIA", 16)),
            ("AWS temporary key id", upper("ASIA", 16)),
            ("AWS key id of letters only", format!("AKIA{}", "QXRSVTUWKLDMNFPX")),
            ("Google key", of("AIza", 35)),
            ("Google OAuth token", of("ya29.", 40)),
            ("Google client secret", of("GOCSPX-", 28)),
            ("OpenAI key", of("sk-proj-", 48)),
            ("Anthropic key", of("sk-ant-api03-", 60)),
            ("Stripe live key", of("sk_live_", 24)),
            ("Stripe test key", of("sk_test_", 24)),
            ("Stripe restricted key", of("rk_live_", 24)),
            ("Stripe webhook secret", of("whsec_", 32)),
            ("Slack bot token", of("xoxb-", 40)),
            ("Slack user token", of("xoxp-", 40)),
            ("Slack app token", of("xapp-", 40)),
            ("npm token", of("npm_", 36)),
            ("PyPI token", of("pypi-", 70)),
            ("Hugging Face token", of("hf_", 34)),
            ("Vault token", of("hvs.", 40)),
            ("Docker token", of("dckr_pat_", 27)),
            ("DigitalOcean token", of("dop_v1_", 64)),
            ("age key", upper("AGE-SECRET-KEY-1", 58)),
            ("JSON web token", format!("eyJ{}.eyJ{}.{}", of("", 20), of("", 30), of("", 40))),
            ("bearer header", format!("Authorization: Bearer {}", of("", 40))),
            ("basic header", "Authorization: Basic dXNlcjpodW50ZXIyaHVudGVyMg==".to_owned()),
            ("password in an address", "postgres://ann:hunter2hunter2@db.example.com/fleet".to_owned()),
            ("password in a variable", "export DB_PASSWORD=hunter2hunter2".to_owned()),
            ("password in a flag", "mysql --password=hunter2hunter2 -u ann".to_owned()),
            ("secret in a variable", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYhunter2hunter2".to_owned()),
            (
                "private key",
                format!("-----BEGIN RSA {0}-----\n{1}\n-----END RSA {0}-----", "PRIVATE KEY", of("MIIE", 60)),
            ),
        ]
    }

    #[test]
    fn secrets_of_every_kind_stay_here() {
        let mut left = Vec::new();
        for (name, secret) in secrets() {
            // What must not be seen is the part behind the public form.
            let core: String = secret
                .chars()
                .rev()
                .filter(|c| c.is_alphanumeric())
                .take(12)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            let core = match name {
                "password in an address" | "password in a variable" | "password in a flag" | "secret in a variable" => {
                    "hunter2hunter2".to_owned()
                }
                "basic header" => "dXNlcjpodW50ZXIy".to_owned(),
                "private key" => "MIIE0123456789".to_owned(),
                _ => core,
            };
            let record = JournalRecord {
                reason: Some(format!("because of {secret} here")),
                subject: Some(format!("run {secret}")),
                error: Some(format!("failed: {secret}")),
                input: Some(json!({ "tool_input": { "command": format!("x {secret} y"), "list": [{ "a": secret }] } })),
                extra: json!({ "detail": secret }).as_object().cloned().unwrap_or_default(),
                ..JournalRecord::default()
            };
            let text = serde_json::to_string(&Departure { detail: Detail::Full }.prepare(record)).unwrap();
            if text.contains(&core) {
                left.push(format!("{name}: {text}"));
            }
        }
        assert_eq!(secrets().len(), 35);
        assert!(left.is_empty(), "{}", left.join("\n"));
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
