//! Complete responses: put together from the pieces of a stream, and taken apart for the agent.

use super::client::ModelError;
use crate::scheduler::ToolCallRequest;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

type Object = Map<String, Value>;

/// Makes one `GenerateContentResponse` out of the pieces of a stream: text is joined, every other part is kept as it
/// came, and of all else the last word counts.
#[derive(Debug, Default)]
pub(super) struct ResponseCollector {
    fields: Object,
    candidates: BTreeMap<u64, Object>,
}

impl ResponseCollector {
    pub fn add(&mut self, chunk: Value) {
        let Value::Object(chunk) = chunk else { return };
        for (key, value) in chunk {
            match value {
                Value::Null => {}
                Value::Array(candidates) if key == "candidates" => self.add_candidates(candidates),
                value => drop(self.fields.insert(key, value)),
            }
        }
    }

    fn add_candidates(&mut self, candidates: Vec<Value>) {
        for (place, candidate) in (0_u64..).zip(candidates) {
            let Value::Object(candidate) = candidate else { continue };
            let index = candidate.get("index").and_then(Value::as_u64).unwrap_or(place);
            let whole = self.candidates.entry(index).or_default();
            for (key, value) in candidate {
                match value {
                    Value::Null => {}
                    Value::Object(content) if key == "content" => add_content(whole, content),
                    value => drop(whole.insert(key, value)),
                }
            }
        }
    }

    /// The response, if it is all there: only the provider's own word for how the answer ended tells a complete answer
    /// from a stream that was cut off between two pieces (HOOK-207).
    pub fn finish(mut self) -> Result<Value, ModelError> {
        let is_finished = |candidate: &Object| candidate.contains_key("finishReason");
        let is_refused =
            self.fields.get("promptFeedback").is_some_and(|feedback| feedback.get("blockReason").is_some());
        if !is_refused && (self.candidates.is_empty() || !self.candidates.values().all(is_finished)) {
            return Err(ModelError::BrokenOff("the stream ended without a finish reason".to_owned()));
        }
        let candidates = self.candidates.into_values().map(Value::Object).collect();
        self.fields.shift_insert(0, "candidates".to_owned(), candidates);
        Ok(Value::Object(self.fields))
    }
}

fn add_content(candidate: &mut Object, content: Object) {
    let whole = candidate.entry("content").or_insert_with(|| json!({"role": "model", "parts": []}));
    let Value::Object(whole) = whole else { return };
    for (key, value) in content {
        match (value, whole.get_mut(&key)) {
            (Value::Array(parts), Some(Value::Array(all))) if key == "parts" => {
                parts.into_iter().for_each(|part| add_part(all, part));
            }
            (value, _) => drop(whole.insert(key, value)),
        }
    }
}

/// Pieces of one text become one part. A part that carries anything else, such as a thought's signature, stays by
/// itself: providers want it back exactly so.
fn add_part(parts: &mut Vec<Value>, part: Value) {
    let Some(text) = plain_text(&part) else { return parts.push(part) };
    if text.is_empty() {
        return;
    }
    match parts.last_mut().filter(|last| plain_text(last).is_some() && is_thought(last) == is_thought(&part)) {
        Some(Value::Object(last)) => {
            let joined = last.get("text").and_then(Value::as_str).unwrap_or_default().to_owned() + text;
            last.insert("text".to_owned(), joined.into());
        }
        _ => parts.push(part),
    }
}

/// The text of a part that is nothing but text.
fn plain_text(part: &Value) -> Option<&str> {
    let fields = part.as_object()?;
    let is_plain = fields.keys().all(|key| key == "text" || key == "thought");
    fields.get("text")?.as_str().filter(|_| is_plain)
}

fn is_thought(part: &Value) -> bool {
    part.get("thought") == Some(&Value::Bool(true))
}

/// The content of the answer that counts, if it says anything at all.
pub(super) fn content_of(response: &Value) -> Option<&Value> {
    let content = response.pointer("/candidates/0/content")?;
    content.get("parts")?.as_array().filter(|parts| !parts.is_empty()).map(|_| content)
}

/// What a person reads of a response or of a piece of one.
pub(super) fn visible_text(response: &Value) -> String {
    content_of(response).map(spoken_text).unwrap_or_default()
}

/// The text of a content without the model's thoughts.
pub(super) fn spoken_text(content: &Value) -> String {
    let parts = content.get("parts").and_then(Value::as_array);
    let spoken = parts.into_iter().flatten().filter(|part| !is_thought(part));
    spoken.filter_map(|part| part.get("text")?.as_str()).collect()
}

/// The tools a content calls, in order.
pub(super) fn calls_of(content: &Value) -> Vec<ToolCallRequest> {
    let parts = content.get("parts").and_then(Value::as_array);
    parts.into_iter().flatten().filter_map(|part| part.get("functionCall")).map(read_call).collect()
}

fn read_call(call: &Value) -> ToolCallRequest {
    let text = |key: &str| call.get(key).and_then(Value::as_str).map(str::to_owned);
    let args = call.get("args").filter(|args| !args.is_null()).cloned().unwrap_or_else(|| json!({}));
    ToolCallRequest { id: text("id"), name: text("name").unwrap_or_default(), args }
}

/// How the provider says an answer ended, for a person.
pub(super) fn finish_reason(response: &Value) -> &str {
    let reasons = ["/candidates/0/finishReason", "/promptFeedback/blockReason"];
    reasons.iter().find_map(|path| response.pointer(path)?.as_str()).unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(chunks: Vec<Value>) -> Result<Value, ModelError> {
        let mut collector = ResponseCollector::default();
        chunks.into_iter().for_each(|chunk| collector.add(chunk));
        collector.finish()
    }

    fn chunk(parts: &Value, finish_reason: Option<&str>) -> Value {
        let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
        if let Some(reason) = finish_reason {
            candidate["finishReason"] = json!(reason);
        }
        json!({ "candidates": [candidate] })
    }

    #[test]
    fn parts_of_a_stream_are_joined_where_they_are_one_text_and_kept_where_not() {
        // covers: HOOK-050
        let call = json!({"functionCall": {"name": "ls", "args": {"deep": {"er": [1]}}}, "thoughtSignature": "s1"});
        let signed = json!({"text": "", "thoughtSignature": "s2"});
        let cases = [
            (vec![json!([{"text": "Hel"}]), json!([{"text": "lo"}, {"text": "!"}])], json!([{"text": "Hello!"}])),
            (
                vec![json!([{"text": "a"}]), json!([call]), json!([{"text": "b"}])],
                json!([{"text": "a"}, call, {"text": "b"}]),
            ),
            (
                vec![json!([{"text": "h", "thought": true}]), json!([{"text": "m", "thought": true}, {"text": "x"}])],
                json!([{"text": "hm", "thought": true}, {"text": "x"}]),
            ),
            (
                vec![json!([{"text": "a"}]), json!([signed]), json!([{"text": "b"}])],
                json!([{"text": "a"}, signed, {"text": "b"}]),
            ),
            (vec![json!([call]), json!([call])], json!([call, call])),
            (vec![json!([{"text": ""}])], json!([])),
        ];
        for (pieces, expected) in cases {
            let mut chunks: Vec<Value> = pieces.iter().map(|parts| chunk(parts, None)).collect();
            chunks.push(chunk(&json!([{"text": ""}]), Some("STOP")));
            let response = check(chunks).unwrap();
            assert_eq!(response["candidates"][0]["content"]["parts"], expected, "{pieces:?}");
            assert_eq!(response["candidates"][0]["finishReason"], "STOP");
        }
    }

    #[test]
    fn of_everything_but_parts_the_last_word_counts() {
        let response = check(vec![
            json!({"candidates": [{"content": {"parts": [{"text": "a"}]}}], "usageMetadata": {"totalTokenCount": 1}}),
            json!({
                "candidates": [
                    {"content": {"parts": [{"text": "other"}]}, "index": 1, "finishReason": "STOP"},
                    {"content": {"parts": [{"text": "b"}]}, "index": 0, "finishReason": "MAX_TOKENS"},
                ],
                "usageMetadata": {"totalTokenCount": 9},
                "modelVersion": null,
                "responseId": "r",
            }),
        ]);
        let expected = json!({
            "candidates": [
                {"content": {"role": "model", "parts": [{"text": "ab"}]}, "index": 0, "finishReason": "MAX_TOKENS"},
                {"content": {"role": "model", "parts": [{"text": "other"}]}, "index": 1, "finishReason": "STOP"},
            ],
            "usageMetadata": {"totalTokenCount": 9},
            "responseId": "r",
        });
        assert_eq!(response, Ok(expected));
    }

    #[test]
    fn only_the_providers_word_for_the_end_makes_a_response_complete() {
        // covers: HOOK-207
        let refused = json!({"promptFeedback": {"blockReason": "SAFETY"}});
        let expected = json!({"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}});
        assert_eq!(check(vec![refused]), Ok(expected.clone()));
        assert_eq!(finish_reason(&expected), "SAFETY");

        let call = json!([{"functionCall": {"name": "rm", "args": {}}}]);
        for chunks in [
            vec![],
            vec![json!({})],
            vec![json!("text")],
            vec![chunk(&json!([{"text": "a"}]), None)],
            vec![chunk(&call, None)],
        ] {
            let error = check(chunks.clone()).unwrap_err();
            assert_eq!(
                error.to_string(),
                "the model's answer broke off: the stream ended without a finish reason",
                "{chunks:?}"
            );
        }
    }

    #[test]
    fn calls_are_read_as_they_stand() {
        let content = json!({"role": "model", "parts": [
            {"text": "I will"},
            {"functionCall": {"id": "c1", "name": "ls", "args": {"path": "."}}},
            {"functionCall": {"name": "pwd"}},
            {"functionCall": {"name": "odd", "args": [1]}},
            {"functionCall": {}},
        ]});
        let call = |id: Option<&str>, name: &str, args: Value| ToolCallRequest {
            id: id.map(str::to_owned),
            name: name.to_owned(),
            args,
        };
        let expected = vec![
            call(Some("c1"), "ls", json!({"path": "."})),
            call(None, "pwd", json!({})),
            call(None, "odd", json!([1])),
            call(None, "", json!({})),
        ];
        assert_eq!(calls_of(&content), expected);
    }
}
