//! A chat session, from its hooks to what each side saw of it.

use crate::scheduler::fixture::{FakeTool, HookedProject};
use hookrail_engine::CancelToken;
use hookrail_host::{
    ChatError, ChatOptions, ChatSession, Display, ModelClient, ModelError, ToolCallOutcome, ToolCallRequest,
    ToolScheduler, TurnEnd,
};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// What the model does when it is asked.
#[derive(Clone, Debug)]
pub struct ChatReply {
    chunks: Vec<Value>,
    breaks: bool,
}

impl ChatReply {
    /// Says these pieces, one chunk each.
    pub fn text(pieces: &[&str]) -> Self {
        Self::complete(&pieces.iter().map(|piece| json!({ "text": piece })).collect::<Vec<_>>())
    }

    /// Calls tools, each with a text.
    pub fn calls(calls: &[(&str, &str)]) -> Self {
        let call = |(name, text): &(&str, &str)| json!({"functionCall": {"name": name, "args": {"text": text}}});
        Self::complete(&calls.iter().map(call).collect::<Vec<_>>())
    }

    pub fn complete(parts: &[Value]) -> Self {
        let mut chunks: Vec<Value> = parts.iter().map(chunk).collect();
        chunks.push(
            json!({"candidates": [{"finishReason": "STOP", "index": 0}], "usageMetadata": {"totalTokenCount": 7}}),
        );
        Self { chunks, breaks: false }
    }

    /// Says something and is cut off.
    pub fn broken(pieces: &[&str]) -> Self {
        Self { chunks: pieces.iter().map(|piece| chunk(&json!({ "text": piece }))).collect(), breaks: true }
    }

    /// Sends exactly these chunks.
    pub fn chunks(chunks: Vec<Value>) -> Self {
        Self { chunks, breaks: false }
    }
}

fn chunk(part: &Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]})
}

#[derive(Default)]
struct FakeModel {
    replies: Mutex<VecDeque<ChatReply>>,
    requests: Arc<Mutex<Vec<Value>>>,
    /// Cancelled after this many chunks.
    cancel_after: Option<(usize, CancelToken)>,
}

impl ModelClient for FakeModel {
    fn stream(&self, request: &Value, on_chunk: &mut dyn FnMut(Value) -> ControlFlow<()>) -> Result<(), ModelError> {
        self.requests.lock().unwrap().push(request.clone());
        let reply = self.replies.lock().unwrap().pop_front();
        let reply = reply.ok_or_else(|| ModelError::Unreachable("the script is over".to_owned()))?;
        for (sent, chunk) in reply.chunks.into_iter().enumerate() {
            if let Some((_, cancel)) = self.cancel_after.as_ref().filter(|(after, _)| *after == sent) {
                cancel.cancel();
            }
            if on_chunk(chunk).is_break() {
                return Ok(());
            }
        }
        if reply.breaks { Err(ModelError::BrokenOff("connection reset".to_owned())) } else { Ok(()) }
    }
}

/// What a person saw, line by line.
#[derive(Default)]
struct Screen(Vec<String>);

impl Display for Screen {
    fn text_chunk(&mut self, text: &str) {
        self.0.push(format!("text {text}"));
    }

    fn response_done(&mut self) {
        self.0.push("done".to_owned());
    }

    fn response_hidden(&mut self) {
        self.0.push("hidden".to_owned());
    }

    fn tool_call(&mut self, call: &ToolCallRequest) {
        self.0.push(format!("call {}", call.name));
    }

    fn tool_result(&mut self, outcome: &ToolCallOutcome) {
        self.0.push(format!("result {}", outcome.result.return_display.as_str().unwrap()));
    }

    fn notice(&mut self, text: &str) {
        self.0.push(format!("notice {text}"));
    }
}

pub struct ChatFixture {
    pub hooked: HookedProject,
    replies: Vec<ChatReply>,
    options: ChatOptions,
    tools: Vec<FakeTool>,
    cancel: CancelToken,
    cancel_after: Option<usize>,
}

impl ChatFixture {
    /// A session with one tool, `echo`.
    pub fn new(hooked: HookedProject, replies: impl IntoIterator<Item = ChatReply>) -> Self {
        let mut options = ChatOptions::new("test-model");
        options.system_instruction = Some("Be brief.".to_owned());
        let tools = vec![FakeTool::echo()];
        let replies = replies.into_iter().collect();
        Self { hooked, replies, options, tools, cancel: CancelToken::new(), cancel_after: None }
    }

    pub fn options(mut self, change: impl FnOnce(&mut ChatOptions)) -> Self {
        change(&mut self.options);
        self
    }

    pub fn tools(mut self, tools: impl IntoIterator<Item = FakeTool>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// Cancels the session before the chunk of this number is handed over.
    pub fn cancel_after(mut self, chunks: usize) -> Self {
        self.cancel_after = Some(chunks);
        self
    }

    pub fn play(self, prompt: &str) -> PlayedChat {
        self.play_all(&[prompt])
    }

    /// Sends one prompt after the other.
    pub fn play_all(self, prompts: &[&str]) -> PlayedChat {
        let requests = Arc::default();
        let model = FakeModel {
            replies: Mutex::new(self.replies.into()),
            requests: Arc::clone(&requests),
            cancel_after: self.cancel_after.map(|chunks| (chunks, self.cancel.clone())),
        };
        let all = self.tools.iter().map(|tool| Arc::new(tool.clone()) as _).collect();
        let scheduler = ToolScheduler::new(Arc::new(self.hooked.config()), all).cancel_token(self.cancel);
        let mut session = ChatSession::new(Box::new(model), scheduler, self.options);
        let mut screen = Screen::default();
        let ends = prompts.iter().map(|prompt| session.send(prompt, &mut screen)).collect();
        let history = session.history().to_vec();
        drop(session);
        let requests = std::mem::take(&mut *requests.lock().unwrap());
        PlayedChat { ends, requests, screen: screen.0, history, tools: self.tools, hooked: self.hooked }
    }
}

/// What each side saw of a session.
pub struct PlayedChat {
    pub ends: Vec<Result<TurnEnd, ChatError>>,
    /// What the model was sent.
    pub requests: Vec<Value>,
    pub screen: Vec<String>,
    pub history: Vec<Value>,
    pub tools: Vec<FakeTool>,
    pub hooked: HookedProject,
}

impl PlayedChat {
    pub fn end(&self) -> &TurnEnd {
        self.ends.last().unwrap().as_ref().unwrap()
    }

    pub fn error(&self) -> String {
        self.ends.last().unwrap().as_ref().unwrap_err().to_string()
    }

    /// What `echo` ran with.
    pub fn echoed(&self) -> Vec<String> {
        self.tools[0].runs()
    }

    /// The answers to calls in the request of this number: `output` or `error`, and the text.
    pub fn responses(&self, request: usize) -> Vec<Value> {
        let parts = self.requests[request]["contents"].as_array().unwrap().iter();
        let parts = parts.flat_map(|content| content["parts"].as_array().unwrap());
        parts.filter_map(|part| part.pointer("/functionResponse/response")).cloned().collect()
    }
}

/// The texts of contents, in order.
pub fn texts(contents: &Value) -> Vec<&str> {
    let parts = contents.as_array().unwrap().iter().flat_map(|content| content["parts"].as_array().unwrap());
    parts.filter_map(|part| part["text"].as_str()).collect()
}

pub fn stopped(reason: &str) -> TurnEnd {
    TurnEnd::Stopped { reason: reason.to_owned() }
}

pub fn blocked(reason: &str) -> TurnEnd {
    TurnEnd::Blocked { reason: reason.to_owned() }
}
