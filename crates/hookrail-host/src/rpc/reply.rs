use super::error::RpcError;
use super::output::Output;
use super::request::RequestId;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex, PoisonError};

/// The right, and the duty, to answer one request. A notification's reply swallows the answer.
pub(super) struct RpcReply {
    id: Option<RequestId>,
    to: Destination,
}

#[derive(Clone)]
pub(super) enum Destination {
    Line(Arc<Output>),
    Batch(Arc<Batch>),
}

/// The answers to one batch. They are written as one line when the last reply of the batch is gone.
pub(super) struct Batch {
    output: Arc<Output>,
    answers: Mutex<Vec<String>>,
}

#[derive(Serialize)]
struct ResponseWire<'a, T> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorWire>,
}

#[derive(Serialize)]
struct ErrorWire {
    code: i32,
    message: String,
}

impl RpcReply {
    pub fn new(id: Option<RequestId>, to: Destination) -> Self {
        Self { id, to }
    }

    pub fn id(&self) -> Option<&RequestId> {
        self.id.as_ref()
    }

    pub fn send<T: Serialize>(self, outcome: Result<T, RpcError>) {
        let Some(id) = &self.id else { return };
        self.to.add(render(id, outcome));
    }

    pub fn refuse(self, error: RpcError) {
        self.send::<()>(Err(error));
    }
}

impl Destination {
    fn add(&self, answer: String) {
        match self {
            Self::Line(output) => output.write_line(&answer),
            Self::Batch(batch) => batch.answers.lock().unwrap_or_else(PoisonError::into_inner).push(answer),
        }
    }
}

impl Batch {
    pub fn new(output: Arc<Output>) -> Self {
        Self { output, answers: Mutex::default() }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        let answers = self.answers.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !answers.is_empty() {
            self.output.write_line(&format!("[{}]", answers.join(",")));
        }
    }
}

fn render<T: Serialize>(id: &RequestId, outcome: Result<T, RpcError>) -> String {
    let (result, error) = match outcome {
        Ok(result) => (Some(result), None),
        Err(error) => (None, Some(ErrorWire { code: error.code(), message: error.to_string() })),
    };
    // Everything we answer is JSON already or plain data, which cannot fail to become JSON.
    serde_json::to_string(&ResponseWire { jsonrpc: "2.0", id: id.as_json(), result, error }).unwrap_or_default()
}
