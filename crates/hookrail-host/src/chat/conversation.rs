use crate::results::annotation;
use crate::scheduler::ToolCallOutcome;
use serde_json::{Map, Value, json};

/// What was said so far, as the model is told it. User and model take turns: whatever is told to the model between two
/// of its answers is one content, and every function call is followed by its response.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversation {
    contents: Vec<Value>,
    /// System messages of hooks that wait for the next thing the model is told.
    notes: Vec<String>,
    /// How it was before the prompt that has no answer yet.
    before_prompt: Option<Checkpoint>,
}

#[derive(Clone, Debug)]
struct Checkpoint {
    contents: usize,
    parts_of_last: usize,
    notes: Vec<String>,
}

impl Conversation {
    pub fn contents(&self) -> &[Value] {
        &self.contents
    }

    /// Keeps a hook's message to the model for the next opportunity.
    pub fn note(&mut self, message: String) {
        self.notes.push(message);
    }

    pub fn prompt(&mut self, text: &str) {
        let parts_of_last = self.contents.last_mut().and_then(parts_of).map_or(0, |parts| parts.len());
        let (contents, notes) = (self.contents.len(), self.notes.clone());
        self.before_prompt = Some(Checkpoint { contents, parts_of_last, notes });
        self.tell([json!({ "text": text })]);
    }

    pub fn answer(&mut self, content: Value) {
        self.before_prompt = None;
        self.contents.push(content);
    }

    /// Answers the calls of the last content, and tells beside the answers what failed hooks had to say.
    pub fn respond(&mut self, outcomes: &[ToolCallOutcome]) {
        let warnings = outcomes.iter().flat_map(|outcome| &outcome.warnings).map(|warning| note_part(warning));
        self.tell(outcomes.iter().flat_map(response_parts).chain(warnings));
    }

    /// Takes back a prompt that no model answered, so that asking again does not ask twice, and what a hook refused to
    /// have sent is not sent with the next prompt.
    pub fn withdraw_unanswered(&mut self) {
        let Some(before) = self.before_prompt.take() else { return };
        self.contents.truncate(before.contents);
        if let Some(parts) = self.contents.last_mut().and_then(parts_of) {
            parts.truncate(before.parts_of_last);
        }
        self.notes.splice(0..0, before.notes);
    }

    fn tell(&mut self, parts: impl IntoIterator<Item = Value>) {
        let notes: Vec<Value> = self.notes.drain(..).map(|note| note_part(&note)).collect();
        tell(&mut self.contents, parts.into_iter().chain(notes).collect());
    }
}

/// Adds a hook's messages to the end of a request's conversation.
pub(super) fn annotate(request: &mut Value, messages: &[String]) {
    let parts: Vec<Value> = messages.iter().map(|message| note_part(message)).collect();
    if let Some(Value::Array(contents)) = request.get_mut("contents") {
        tell(contents, parts);
    }
}

fn note_part(message: &str) -> Value {
    json!({ "text": annotation(message) })
}

fn tell(contents: &mut Vec<Value>, parts: Vec<Value>) {
    if parts.is_empty() {
        return;
    }
    let last = contents.last_mut().filter(|content| content.get("role").is_some_and(|role| role == "user"));
    match last.and_then(parts_of) {
        Some(said) => said.extend(parts),
        None => contents.push(json!({"role": "user", "parts": parts})),
    }
}

fn parts_of(content: &mut Value) -> Option<&mut Vec<Value>> {
    content.get_mut("parts")?.as_array_mut()
}

/// The answer to one call. Text goes into the function's response; what is no text (an image) stands beside it.
fn response_parts(outcome: &ToolCallOutcome) -> Vec<Value> {
    let (output, beside) = match &outcome.result.llm_content {
        Value::Array(parts) => split(parts),
        Value::Object(part) if part.get("text").is_some_and(Value::is_string) => split(&[part.clone().into()]),
        Value::Null => (json!(""), Vec::new()),
        other => (other.clone(), Vec::new()),
    };
    let mut response = Map::new();
    if let Some(id) = &outcome.call.id {
        response.insert("id".to_owned(), json!(id));
    }
    response.insert("name".to_owned(), json!(outcome.call.name));
    let key = if outcome.is_error() { "error" } else { "output" };
    response.insert("response".to_owned(), json!({ key: output }));
    let mut all = vec![json!({ "functionResponse": response })];
    all.extend(beside);
    all
}

fn split(parts: &[Value]) -> (Value, Vec<Value>) {
    let text_of = |part: &Value| part.as_str().or_else(|| part.get("text")?.as_str()).map(str::to_owned);
    let text: String = parts.iter().filter_map(text_of).collect();
    let beside = parts.iter().filter(|part| text_of(part).is_none()).cloned().collect();
    (json!(text), beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ToolCallRequest, ToolEnding, ToolResult};

    fn outcome(ending: ToolEnding, result: ToolResult) -> ToolCallOutcome {
        ToolCallOutcome {
            call: ToolCallRequest { id: Some("c1".to_owned()), ..ToolCallRequest::new("ls", json!({})) },
            result,
            ending,
            args: Map::new(),
            stop: None,
            warnings: Vec::new(),
            statuses: Vec::new(),
        }
    }

    #[test]
    fn a_result_answers_its_call_in_the_form_functions_answer() {
        let image = json!({"inlineData": {"mimeType": "image/png", "data": "aGk="}});
        let plain = |content: Value| ToolResult { llm_content: content, ..ToolResult::default() };
        let cases = [
            (ToolEnding::Ran, plain(json!("out")), json!({"output": "out"}), vec![]),
            (ToolEnding::Ran, plain(Value::Null), json!({"output": ""}), vec![]),
            (ToolEnding::Ran, plain(json!({"rows": 2})), json!({"output": {"rows": 2}}), vec![]),
            (ToolEnding::Ran, plain(json!({"text": "out"})), json!({"output": "out"}), vec![]),
            (ToolEnding::Ran, plain(json!([{"text": "a"}, image, "b"])), json!({"output": "ab"}), vec![image.clone()]),
            (ToolEnding::Ran, ToolResult::failed("no such file"), json!({"error": "no such file"}), vec![]),
            (ToolEnding::Blocked, ToolResult::blocked("not here"), json!({"error": "not here"}), vec![]),
        ];
        for (ending, result, response, beside) in cases {
            let mut expected = vec![json!({"functionResponse": {"id": "c1", "name": "ls", "response": response}})];
            expected.extend(beside);
            assert_eq!(response_parts(&outcome(ending, result)), expected);
        }
    }

    #[test]
    fn user_and_model_take_turns_whatever_is_told() {
        let mut conversation = Conversation::default();
        conversation.prompt("list");
        conversation.answer(json!({"role": "model", "parts": [{"functionCall": {"name": "ls"}}]}));
        conversation.note("after model".to_owned());
        let warned = ToolCallOutcome {
            warnings: vec!["hook fell".to_owned()],
            ..outcome(ToolEnding::Ran, ToolResult::text("a b"))
        };
        conversation.respond(&[warned]);
        conversation.prompt("go on");

        let roles: Vec<&Value> = conversation.contents().iter().map(|content| &content["role"]).collect();
        assert_eq!(roles, ["user", "model", "user"]);
        let expected = json!([
            {"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "a b"}}},
            {"text": "\n\n[System] hook fell"},
            {"text": "\n\n[System] after model"},
            {"text": "go on"},
        ]);
        assert_eq!(conversation.contents()[2]["parts"], expected);
    }

    #[test]
    fn an_unanswered_prompt_can_be_taken_back_and_its_notes_are_not_lost() {
        let mut conversation = Conversation::default();
        conversation.note("early".to_owned());
        conversation.prompt("one");
        conversation.note("late".to_owned());
        conversation.withdraw_unanswered();
        assert_eq!(conversation.contents(), &[] as &[Value]);

        conversation.prompt("two");
        let told = json!({"role": "user", "parts": [
            {"text": "two"}, {"text": "\n\n[System] early"}, {"text": "\n\n[System] late"},
        ]});
        assert_eq!(conversation.contents(), std::slice::from_ref(&told));

        let answer = json!({"role": "model", "parts": [{"text": "2"}]});
        conversation.answer(answer.clone());
        conversation.withdraw_unanswered();
        assert_eq!(conversation.contents(), [told.clone(), answer.clone()], "an answered prompt stays");

        conversation.respond(&[outcome(ToolEnding::Ran, ToolResult::text("x"))]);
        let before = conversation.contents().to_vec();
        conversation.prompt("three");
        conversation.withdraw_unanswered();
        assert_eq!(conversation.contents(), before, "only the prompt goes, not the results it was told with");
    }

    #[test]
    fn a_request_is_annotated_at_the_end_of_what_the_user_says() {
        let note = json!({"text": "\n\n[System] note"});
        let cases = [
            (
                json!([{"role": "user", "parts": [{"text": "a"}]}]),
                json!([{"role": "user", "parts": [{"text": "a"}, note]}]),
            ),
            (
                json!([{"role": "model", "parts": [{"text": "a"}]}]),
                json!([{"role": "model", "parts": [{"text": "a"}]}, {"role": "user", "parts": [note]}]),
            ),
            (json!([]), json!([{"role": "user", "parts": [note]}])),
        ];
        for (contents, expected) in cases {
            let mut request = json!({ "contents": contents });
            annotate(&mut request, &["note".to_owned()]);
            assert_eq!(request, json!({ "contents": expected }));
            annotate(&mut request, &[]);
            assert_eq!(request, json!({ "contents": expected }), "nothing to say, nothing changed");
        }
    }
}
