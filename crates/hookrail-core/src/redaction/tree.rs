use super::MARK;
use super::name::is_sensitive_name;
use super::text::{Start, find_secrets, hide, start_of};
use crate::Event;
use crate::event::{BASE_FIELDS, NATIVE_NAME_FIELD};
use serde_json::{Map, Value};

/// How much of an event is kept.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one text.
    pub text: usize,
    /// Bytes of everything together, about.
    pub total: usize,
    /// How many arrays and objects inside each other.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { text: 8 << 10, total: 24 << 10, depth: 32 }
    }
}

/// An event as it may be written down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// What [`Event::to_input`] gives, without secrets and without what is too long.
    pub input: Map<String, Value>,
    /// How many secrets were taken out.
    pub redacted: u32,
    /// How many texts or values were shortened or left out.
    pub cut: u32,
}

/// Copies what may be kept of an event; the rest is never copied.
#[must_use]
pub fn record_event(event: &Event, limits: Limits) -> Recorded {
    let mut recorder = Recorder { limits, left: limits.total, redacted: 0, cut: 0 };
    let cwd = event.cwd.to_string_lossy();
    let base =
        [&event.session_id, &event.transcript_path, &*cwd, event.name.as_str(), &event.timestamp, &event.native_name];
    let mut input = Map::with_capacity(BASE_FIELDS.len() + event.payload.len());
    for (key, text) in BASE_FIELDS.iter().zip(base) {
        input.insert((*key).to_owned(), recorder.text(text));
    }
    if event.native_name.is_empty() {
        input.shift_remove(NATIVE_NAME_FIELD);
    }
    let own = event.payload.iter().filter(|(key, _)| !BASE_FIELDS.contains(&key.as_str()));
    recorder.fields(own, &mut input, 1);
    Recorded { input, redacted: recorder.redacted, cut: recorder.cut }
}

/// Copies as much as there is room for.
struct Recorder {
    limits: Limits,
    /// Bytes that may still be written.
    left: usize,
    redacted: u32,
    cut: u32,
}

impl Recorder {
    fn fields<'a>(
        &mut self,
        from: impl Iterator<Item = (&'a String, &'a Value)>,
        to: &mut Map<String, Value>,
        depth: usize,
    ) {
        let mut named = false;
        for (key, value) in from {
            if !self.pay(key.len()) {
                return;
            }
            // `{"name": "DB_PASSWORD", "value": "x"}`, as containers and pipelines have their variables.
            named |= matches!(key.as_str(), "name" | "key") && value.as_str().is_some_and(is_sensitive_name);
            let copy = if is_sensitive_name(key) || (named && key == "value") {
                self.secret(value)
            } else {
                self.value(value, depth)
            };
            to.insert(key.clone(), copy);
        }
    }

    fn value(&mut self, value: &Value, depth: usize) -> Value {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(_) | Value::Object(_) if depth >= self.limits.depth => {
                self.cut += 1;
                Value::Null
            }
            Value::Array(items) => {
                let mut copy = Vec::new();
                for item in items {
                    if !self.pay(0) {
                        break;
                    }
                    copy.push(self.value(item, depth + 1));
                }
                Value::Array(copy)
            }
            Value::Object(fields) => {
                let mut copy = Map::new();
                self.fields(fields.iter(), &mut copy, depth + 1);
                Value::Object(copy)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// The value of a name that says it is secret. Flags and nothing give nothing away.
    fn secret(&mut self, value: &Value) -> Value {
        match value {
            Value::Null | Value::Bool(_) => value.clone(),
            Value::String(text) if text.is_empty() || text == MARK => value.clone(),
            Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                self.redacted += 1;
                Value::from(MARK)
            }
        }
    }

    fn text(&mut self, text: &str) -> Value {
        let most = self.limits.text.min(self.left);
        if text.len() <= most {
            let secrets = find_secrets(text);
            self.redacted += u32::try_from(secrets.len()).unwrap_or(u32::MAX);
            self.left = self.left.saturating_sub(text.len());
            return Value::from(hide(text, &secrets).into_owned());
        }
        let Start { shown, secrets, end } = start_of(text, most);
        self.redacted += u32::try_from(secrets).unwrap_or(u32::MAX);
        self.cut += 1;
        self.left = self.left.saturating_sub(text.floor_char_boundary(most));
        Value::from(format!("{shown}… [{} bytes cut]", text.len() - end))
    }

    /// Whether there is room for one more value with a name of this length.
    fn pay(&mut self, name: usize) -> bool {
        // Quotes, colon, comma.
        const AROUND: usize = 6;
        match self.left.checked_sub(name + AROUND) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.cut += 1;
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventName;
    use serde_json::json;

    fn event(payload: Value) -> Event {
        let Value::Object(payload) = payload else { panic!("an event is an object") };
        Event {
            name: EventName::BeforeTool,
            native_name: String::new(),
            session_id: "s".to_owned(),
            cwd: "/p".into(),
            timestamp: "t".to_owned(),
            transcript_path: "/t".to_owned(),
            tool: None,
            payload,
        }
    }

    #[test]
    fn an_event_without_secrets_is_kept_as_hooks_see_it() {
        let event =
            event(json!({"tool_name": "Write", "tool_input": {"a": [1, null, true, "x"], "b": {"c": 1.5}}, "cwd": 3}));
        let recorded = record_event(&event, Limits::default());
        assert_eq!(recorded, Recorded { input: event.to_input(), redacted: 0, cut: 0 });
    }

    #[test]
    fn secrets_are_taken_out_by_name_and_by_shape_at_any_depth() {
        let event = event(json!({
            "tool_input": {
                "command": "PASSWORD=hunter2 run",
                "env": [{"GITHUB_TOKEN": "abc", "HOME": "/h"}, {"name": "DB_PASS", "value": "abc"}],
                "headers": {"Authorization": "Bearer x", "Accept": "y"},
                "credentials": {"user": "u", "pw": "v"},
                "pin_secret": 1234,
                "use_password": true,
                "token": "",
            },
        }));
        let recorded = record_event(&event, Limits::default());
        assert_eq!(
            recorded.input["tool_input"],
            json!({
                "command": "PASSWORD=[redacted] run",
                "env": [{"GITHUB_TOKEN": "[redacted]", "HOME": "/h"}, {"name": "DB_PASS", "value": "[redacted]"}],
                "headers": {"Authorization": "[redacted]", "Accept": "y"},
                "credentials": "[redacted]",
                "pin_secret": "[redacted]",
                "use_password": true,
                "token": "",
            })
        );
        assert_eq!((recorded.redacted, recorded.cut), (6, 0));
    }

    #[test]
    fn what_is_too_long_is_cut_and_the_cut_is_marked() {
        let limits = Limits { text: 10, total: 200, depth: 3 };
        let cases = [
            (json!({"a": "0123456789"}), json!({"a": "0123456789"}), 0),
            (json!({"a": "0123456789x"}), json!({"a": "0123456789… [1 bytes cut]"}), 1),
            (json!({"a": "012345678é"}), json!({"a": "012345678… [2 bytes cut]"}), 1),
            (json!({"a": "PASSWORD=hunter2hunter2 and more"}), json!({"a": "PASSWORD=[redacted]… [9 bytes cut]"}), 1),
            (json!({"a": {"b": {"c": {"d": 1}}}}), json!({"a": {"b": {"c": null}}}), 1),
        ];
        for (payload, kept, cut) in cases {
            let recorded = record_event(&event(payload.clone()), limits);
            let own = |key: &str| recorded.input.get(key).cloned().unwrap_or_default();
            assert_eq!((own("a"), recorded.cut), (kept["a"].clone(), cut), "{payload}");
        }
    }

    #[test]
    fn whatever_an_agent_sends_the_record_stays_small() {
        let limits = Limits { text: 100, total: 1000, depth: 5 };
        let texts: Vec<Value> = (0..1000).map(|_| json!("x".repeat(50))).collect();
        let names: Map<String, Value> = (0..1000).map(|index| (format!("name {index}"), json!(index))).collect();
        for payload in
            [json!({"a": texts}), Value::Object(names), json!({"x".repeat(5000): 1}), json!({"a": vec![1; 100_000]})]
        {
            let recorded = record_event(&event(payload), limits);
            let size = serde_json::to_string(&recorded.input).unwrap().len();
            assert!(size < 2500 && recorded.cut > 0, "{size} bytes, {} cuts", recorded.cut);
        }
    }
}
