//! What `.planning-state.local.md` says, in the workflow's own words and in those of its document (errata C5).

use super::front_matter::{self, FrontMatterError};
use super::phase::Phase;
use serde_json::{Map, Value};

/// The fields that hooks read.
const FIELDS: [&str; 8] =
    ["phase", "current_phase", "mode", "analysis_mode", "phase_status", "user_decisions", "gate_results", "validation"];

/// The front matter of a state file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlanningState(Map<String, Value>);

/// A question the user has answered for good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Decision {
    /// As it was asked, or the short name it was filed under.
    pub question: String,
    pub answer: String,
    /// The short name it was filed under, if the question itself is there too; else empty.
    pub topic: String,
}

/// What a gate between two phases said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gate {
    /// The phase or number it belongs to; may be empty.
    pub name: String,
    /// `PASS`, `RED`, …, in capitals; may be empty.
    pub verdict: String,
    /// As written, without a scale; empty if there is none.
    pub score: String,
}

impl PlanningState {
    pub fn parse(bytes: &[u8]) -> Result<Self, FrontMatterError> {
        front_matter::read(bytes, &FIELDS).map(Self)
    }

    /// The phases of the state's mode that are still to come.
    pub fn missing_phases(&self) -> Vec<&'static str> {
        self.phase().map(|phase| phase.following(&self.mode())).unwrap_or_default()
    }

    /// `None` if planning has not begun.
    pub fn phase(&self) -> Option<Phase> {
        Phase::new(&self.either("phase", "current_phase"))
    }

    /// How thoroughly the workflow plans (`rapid`, `standard`, `complete`, …); may be empty.
    pub fn mode(&self) -> String {
        self.either("mode", "analysis_mode")
    }

    /// A field as a line of text; empty if there is none.
    pub fn text(&self, field: &str) -> String {
        self.0.get(field).map(display).unwrap_or_default()
    }

    /// In the order of the file.
    pub fn decisions(&self) -> Vec<Decision> {
        match self.0.get("user_decisions") {
            Some(Value::Object(decisions)) => decisions.iter().map(|(key, value)| decision(key, value)).collect(),
            Some(Value::Array(decisions)) => decisions.iter().map(|value| decision("", value)).collect(),
            _ => Vec::new(),
        }
    }

    /// In the order of the file; by name, if they are filed so.
    pub fn gates(&self) -> Vec<Gate> {
        match self.0.get("gate_results") {
            Some(Value::Array(gates)) => gates.iter().map(|value| gate("", value)).collect(),
            Some(Value::Object(gates)) => gates.iter().map(|(name, value)| gate(name, value)).collect(),
            _ => Vec::new(),
        }
    }

    /// `GREEN`, `YELLOW` or `RED`, in capitals; empty if nothing was validated.
    pub fn validation(&self) -> String {
        match self.0.get("validation") {
            Some(Value::Object(fields)) => fields.get("status").map(display).unwrap_or_default().to_ascii_uppercase(),
            Some(value) => display(value).to_ascii_uppercase(),
            None => String::new(),
        }
    }

    fn either(&self, document: &str, plugin: &str) -> String {
        let text = self.text(document);
        if text.is_empty() { self.text(plugin) } else { text }
    }
}

fn decision(key: &str, value: &Value) -> Decision {
    let Value::Object(fields) = value else {
        return Decision { question: on_one_line(key), answer: display(value), topic: String::new() };
    };
    let text = |field: &str| fields.get(field).map(display).filter(|text| !text.is_empty());
    let question = text("question");
    Decision {
        topic: question.as_ref().map(|_| on_one_line(key)).unwrap_or_default(),
        question: question.unwrap_or_else(|| on_one_line(key)),
        answer: text("answer").or_else(|| text("decision")).or_else(|| text("value")).unwrap_or_default(),
    }
}

fn gate(name: &str, value: &Value) -> Gate {
    let Value::Object(fields) = value else {
        return Gate { name: name.to_owned(), verdict: display(value).to_ascii_uppercase(), score: String::new() };
    };
    let text = |field: &str| fields.get(field).map(display).filter(|text| !text.is_empty());
    Gate {
        name: text("phase").or_else(|| text("gate")).unwrap_or_else(|| name.to_owned()),
        verdict: text("verdict").or_else(|| text("status")).unwrap_or_default().to_ascii_uppercase(),
        score: text("score").unwrap_or_default(),
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value as one line for a person.
fn display(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => on_one_line(text),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(values) => values.iter().map(display).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name}: {}", display(value))).collect();
            fields.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(yaml: &str) -> PlanningState {
        PlanningState::parse(format!("---\n{yaml}\n---\n# Planning\n").as_bytes()).unwrap()
    }

    #[test]
    fn phase_and_mode_are_read_in_both_schemas() {
        for (yaml, phase, mode) in [
            ("phase: RESEARCH\nmode: complete", Some("RESEARCH"), "complete"),
            ("current_phase: RESEARCH\nanalysis_mode: rapid", Some("RESEARCH"), "rapid"),
            ("phase: ''\ncurrent_phase: VALIDATION", Some("VALIDATION"), ""),
            ("phase: ~", None, ""),
            ("phase: 4", Some("ARCHITECTURE"), ""),
            ("phase: [A]\nmode: [a, b]", Some("A"), "a, b"),
            ("other: x", None, ""),
            ("", None, ""),
        ] {
            let state = state(yaml);
            assert_eq!(state.phase().as_ref().map(Phase::as_str), phase, "{yaml}");
            assert_eq!(state.mode(), mode, "{yaml}");
        }
    }

    #[test]
    fn decisions_are_questions_or_short_names_with_their_answers() {
        for (yaml, expected) in [
            (r#"user_decisions: {"Use Redis?": "Yes, use Redis"}"#, vec![("Use Redis?", "Yes, use Redis")]),
            (
                "user_decisions:\n  cache:\n    question: Which cache?\n    answer: Redis\n    type: x",
                vec![("Which cache?", "Redis")],
            ),
            (
                "user_decisions: {notification_channels: {answer: [mail, push]}}",
                vec![("notification_channels", "mail, push")],
            ),
            ("user_decisions: {a: true, b: 3, c: ~}", vec![("a", "true"), ("b", "3"), ("c", "")]),
            ("user_decisions: [{question: Q, answer: A}]", vec![("Q", "A")]),
            ("user_decisions: {}", vec![]),
            ("user_decisions: none", vec![]),
            ("phase: X", vec![]),
        ] {
            let found: Vec<(String, String)> =
                state(yaml).decisions().into_iter().map(|decision| (decision.question, decision.answer)).collect();
            let expected: Vec<(String, String)> =
                expected.iter().map(|(question, answer)| ((*question).to_owned(), (*answer).to_owned())).collect();
            assert_eq!(found, expected, "{yaml}");
        }
    }

    #[test]
    fn gates_and_validation_are_read_in_both_schemas() {
        let gate = |name: &str, verdict: &str, score: &str| Gate {
            name: name.to_owned(),
            verdict: verdict.to_owned(),
            score: score.to_owned(),
        };
        for (yaml, gates, validation) in [
            ("gate_results: [{phase: 1, verdict: PASS, score: 4.2}]", vec![gate("1", "PASS", "4.2")], ""),
            ("gate_results: {gate_2: {status: red}}", vec![gate("gate_2", "RED", "")], ""),
            ("validation: {status: yellow}", vec![], "YELLOW"),
            ("validation: RED\ngate_results: [RED]", vec![gate("", "RED", "")], "RED"),
            ("phase: X", vec![], ""),
        ] {
            let state = state(yaml);
            assert_eq!((state.gates(), state.validation().as_str()), (gates, validation), "{yaml}");
        }
    }
}
