use super::MARK;
use super::name::is_sensitive_name;
use super::text::{find_secrets, redact_text};
use serde_json::{Map, Value};

/// A shorter text is part of too many others to be hidden wherever it stands.
const MIN_LENGTH: usize = 4;
/// The same for a part of a longer secret.
const MIN_PART: usize = 6;
/// So many bytes of a call are looked at for secrets, and so many secrets are kept.
const MAX_BYTES: usize = 256 << 10;
const MAX_SECRETS: usize = 64;

/// The secrets of an event, for texts that quote it: where a quotation begins in the middle, the name that told what follows
/// is a secret is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownSecrets(Vec<String>);

impl KnownSecrets {
    /// Those that can be recognised in any text of an event's own fields.
    #[must_use]
    pub fn of(payload: &Map<String, Value>) -> Self {
        let (mut found, mut left) = (Vec::new(), MAX_BYTES);
        let mut rest: Vec<(&Value, bool)> = payload.values().map(|value| (value, false)).collect();
        while let Some((value, named)) = rest.pop() {
            match value {
                Value::String(text) if text.len() > left || found.len() >= MAX_SECRETS => break,
                Value::String(text) => {
                    left -= text.len();
                    if named {
                        found.push(text.clone());
                    }
                    found.extend(find_secrets(text).into_iter().filter_map(|range| text.get(range)).map(str::to_owned));
                }
                Value::Array(list) => rest.extend(list.iter().map(|value| (value, named))),
                Value::Object(fields) => {
                    rest.extend(fields.iter().map(|(key, value)| (value, named || is_sensitive_name(key))));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        let parts: Vec<String> = found.iter().flat_map(|secret| parts(secret)).map(str::to_owned).collect();
        found.extend(parts);
        found.retain(|secret| secret.len() >= MIN_LENGTH && secret != MARK);
        // A secret that another one begins with must not leave the other's end behind.
        found.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
        found.truncate(MAX_SECRETS);
        Self(found)
    }

    /// A text without these, and without every other secret that can be recognised in it.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let shown = redact_text(text).into_owned();
        self.0.iter().fold(shown, |shown, secret| match shown.contains(secret.as_str()) {
            true => shown.replace(secret.as_str(), MARK),
            false => shown,
        })
    }
}

/// The words of a secret that is a list or an object: of that, too, a part may be quoted.
fn parts(secret: &str) -> impl Iterator<Item = &str> {
    let separates = |c: char| c.is_whitespace() || "\"'{}[](),:;=\\".contains(c);
    let words = secret.split(separates).filter(|word| word.len() >= MIN_PART && !is_sensitive_name(word));
    words.filter(|word| word.len() < secret.len())
}

#[cfg(test)]
mod tests {
    use super::KnownSecrets;
    use serde_json::json;

    #[test]
    fn a_secret_of_the_call_is_hidden_where_its_name_is_cut_off() {
        let payload = json!({ "tool_input": {
            "command": "'password' => 'hunter2';",
            "env": [{ "api_key": "k-123456" }],
            "note": "nothing of the kind",
        }});
        let known = KnownSecrets::of(payload.as_object().unwrap());
        for (text, expected) in [
            ("…d' => 'hunter2'; rm", "…d' => '[redacted]'; rm"),
            ("uses k-123456 there", "uses [redacted] there"),
            ("token=abcdef12345", "token=[redacted]"),
            ("nothing of the kind", "nothing of the kind"),
        ] {
            assert_eq!(known.redact(text), expected);
        }
    }
}
