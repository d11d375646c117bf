//! Requests to translate: conversations with calls, results and images, in the words of every API.

use hookrail_core::Translator;
use hookrail_host::translate::{AnthropicMessages, GenAiV1, OpenAiChat, OpenAiResponses};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug)]
pub enum Api {
    GenAi,
    Anthropic,
    Chat,
    Responses,
}

/// A piece of a conversation. Texts may be empty; numbers make calls and images distinct.
#[derive(Clone, Debug)]
pub enum Piece {
    Text { is_user: bool, text: String },
    Image { text: String, number: u8 },
    Call { before: String, number: u8, after: String },
}

impl Api {
    pub fn any() -> impl Strategy<Value = Self> {
        select(&[Self::GenAi, Self::Anthropic, Self::Chat, Self::Responses][..])
    }

    pub fn translator(self) -> &'static dyn Translator {
        match self {
            Self::GenAi => &GenAiV1,
            Self::Anthropic => &AnthropicMessages,
            Self::Chat => &OpenAiChat,
            Self::Responses => &OpenAiResponses,
        }
    }

    pub fn file(self) -> &'static str {
        match self {
            Self::GenAi => "genai.jsonl",
            Self::Anthropic => "anthropic.jsonl",
            Self::Chat => "openai_chat.jsonl",
            Self::Responses => "openai_responses.jsonl",
        }
    }

    pub fn request(self, pieces: &[Piece]) -> Value {
        let turns: Vec<Value> = pieces.iter().flat_map(|piece| self.turns(piece)).collect();
        match self {
            Self::GenAi => json!({
                "model": "m", "contents": turns,
                "config": {
                    "systemInstruction": "s", "temperature": 0.5, "responseMimeType": "text/plain",
                    "tools": [{"functionDeclarations": [{"name": "f"}]}],
                    "toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}, "retrievalConfig": {}},
                },
            }),
            Self::Anthropic => json!({
                "model": "m", "system": [{"type": "text", "text": "s"}], "messages": turns, "max_tokens": 9,
                "tools": [{"name": "f"}], "tool_choice": {"type": "auto", "disable_parallel_tool_use": true},
            }),
            Self::Chat => json!({
                "model": "m", "messages": turns, "stop": "END", "max_tokens": 9.0, "user": "u",
                "tools": [{"type": "function", "function": {"name": "f"}}],
                "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}},
            }),
            Self::Responses => json!({
                "model": "m", "instructions": "s", "input": turns, "reasoning": {"effort": "low"},
                "tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"},
            }),
        }
    }

    fn turns(self, piece: &Piece) -> Vec<Value> {
        match self {
            Self::GenAi => genai_turns(piece),
            Self::Anthropic => anthropic_turns(piece),
            Self::Chat => chat_turns(piece),
            Self::Responses => responses_turns(piece),
        }
    }

    fn conversation_of(self, request: &Value) -> &[Value] {
        let field = match self {
            Self::GenAi => "contents",
            Self::Anthropic | Self::Chat => "messages",
            Self::Responses => "input",
        };
        request[field].as_array().expect("a conversation")
    }

    /// The calls, results and images of a request, in order.
    pub fn unseen(self, request: &Value) -> Vec<String> {
        self.conversation_of(request).iter().flat_map(marks).collect()
    }

    /// Whether every result stands directly behind its call.
    pub fn results_follow_calls(self, request: &Value) -> bool {
        let turns: Vec<Vec<String>> = self.conversation_of(request).iter().map(marks).collect();
        let no_turn = Vec::new();
        std::iter::once(&no_turn).chain(&turns).zip(&turns).all(|(previous, turn)| {
            let results = turn.iter().filter_map(|mark| mark.strip_prefix("result-"));
            results.into_iter().all(|number| previous.contains(&format!("call-{number}")))
        })
    }
}

fn genai_turns(piece: &Piece) -> Vec<Value> {
    match piece {
        Piece::Text { is_user, text } => {
            vec![json!({"role": if *is_user { "user" } else { "model" }, "parts": [{"text": text}]})]
        }
        Piece::Image { text, number } => {
            let image = json!({"inlineData": {"mimeType": "image/png", "data": image(*number)}});
            vec![json!({"role": "user", "parts": [image, {"text": text}, {"text": ""}]})]
        }
        Piece::Call { before, number, after } => vec![
            json!({"role": "model", "parts": [
                {"text": "hm", "thought": true}, {"text": before}, {"functionCall": {"name": call(*number)}},
            ]}),
            json!({"role": "user", "parts": [{"functionResponse": {"name": result(*number)}}, {"text": after}]}),
        ],
    }
}

fn anthropic_turns(piece: &Piece) -> Vec<Value> {
    match piece {
        Piece::Text { is_user, text } => {
            vec![json!({"role": if *is_user { "user" } else { "assistant" }, "content": text})]
        }
        Piece::Image { text, number } => {
            let image = json!({"type": "image", "source": {"type": "url", "url": image(*number)}});
            vec![json!({"role": "user", "content": [image, {"type": "text", "text": text}]})]
        }
        Piece::Call { before, number, after } => vec![
            json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": before},
                {"type": "tool_use", "id": call(*number), "name": "f", "input": {}},
            ]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": result(*number)}, {"type": "text", "text": after},
            ]}),
        ],
    }
}

fn chat_turns(piece: &Piece) -> Vec<Value> {
    match piece {
        Piece::Text { is_user, text } => {
            vec![json!({"role": if *is_user { "user" } else { "assistant" }, "content": text})]
        }
        Piece::Image { text, number } => {
            let image = json!({"type": "image_url", "image_url": {"url": image(*number)}});
            vec![json!({"role": "user", "content": [{"type": "text", "text": text}, image]})]
        }
        Piece::Call { before, number, after } => vec![
            json!({"role": "assistant", "content": before, "tool_calls": [{"id": call(*number), "type": "function"}]}),
            json!({"role": "tool", "tool_call_id": result(*number), "content": "a"}),
            json!({"role": "system", "content": after}),
        ],
    }
}

fn responses_turns(piece: &Piece) -> Vec<Value> {
    match piece {
        Piece::Text { is_user: true, text } => vec![json!({"role": "user", "content": text})],
        Piece::Text { is_user: false, text } => vec![
            json!({"type": "reasoning", "summary": []}),
            json!({"type": "message", "role": "assistant", "content": [
                {"type": "output_text", "text": text, "annotations": []},
            ]}),
        ],
        Piece::Image { text, number } => vec![json!({"role": "user", "content": [
            {"type": "input_text", "text": text}, {"type": "input_image", "image_url": image(*number)},
        ]})],
        Piece::Call { before, number, after } => vec![
            json!({"role": "assistant", "content": before}),
            json!({"type": "reasoning", "summary": []}),
            json!({"type": "function_call", "call_id": call(*number), "name": "f"}),
            json!({"type": "function_call_output", "call_id": result(*number), "output": "a"}),
            json!({"role": "developer", "content": after}),
        ],
    }
}

fn image(number: u8) -> String {
    format!("image-{number}")
}

fn call(number: u8) -> String {
    format!("call-{number}")
}

fn result(number: u8) -> String {
    format!("result-{number}")
}

fn marks(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => {
            let is_mark = ["image-", "call-", "result-"].iter().any(|mark| text.starts_with(mark));
            if is_mark { vec![text.clone()] } else { Vec::new() }
        }
        Value::Array(values) => values.iter().flat_map(marks).collect(),
        Value::Object(fields) => fields.values().flat_map(marks).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Few different texts, so that the same one often comes back in another place.
fn text() -> impl Strategy<Value = String> {
    "[a-c]{0,1}"
}

pub fn conversation() -> impl Strategy<Value = Vec<Piece>> {
    let piece = prop_oneof![
        (any::<bool>(), text()).prop_map(|(is_user, text)| Piece::Text { is_user, text }),
        (text(), any::<u8>()).prop_map(|(text, number)| Piece::Image { text, number }),
        (text(), any::<u8>(), text()).prop_map(|(before, number, after)| Piece::Call { before, number, after }),
    ];
    prop::collection::vec(piece, 0..8)
}

/// Messages in the stable form, none of them empty.
pub fn messages() -> impl Strategy<Value = Value> {
    let message =
        (select(&["user", "model"][..]), "[a-c]").prop_map(|(role, text)| json!({"role": role, "content": text}));
    prop::collection::vec(message, 0..10).prop_map(Value::Array)
}

/// The words that mean something to some translator.
const WORDS: &[&str] = &[
    "model",
    "messages",
    "contents",
    "input",
    "config",
    "generationConfig",
    "toolConfig",
    "tool_choice",
    "tools",
    "system",
    "role",
    "user",
    "assistant",
    "content",
    "parts",
    "text",
    "type",
    "thought",
    "functionResponse",
    "functionCallingConfig",
    "mode",
    "ANY",
    "allowedFunctionNames",
    "message",
    "output_text",
    "input_text",
    "reasoning",
    "tool_result",
    "tool_calls",
    "candidates",
    "choices",
    "output",
    "finishReason",
    "stop_reason",
    "status",
    "usage",
    "usageMetadata",
    "index",
    "safetyRatings",
    "temperature",
    "max_tokens",
    "maxOutputTokens",
    "stop",
    "allowed_tools",
    "function",
    "name",
    "thinking",
    "disable_parallel_tool_use",
];

/// JSON without rules, but often nearly right.
pub fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(WORDS).prop_map(Value::from),
        ".{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        let key = select(WORDS).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((key, inner), 0..8).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}
