use serde_json::Value;
use std::ops::ControlFlow;

/// The way to a model.
pub trait ModelClient: Send {
    /// Sends a request (`GenerateContentParameters`) and hands over each piece of the answer (`GenerateContentResponse`)
    /// as it arrives. `Ok` means that the provider ended the answer; a connection that breaks is an error, and so is
    /// every piece that cannot be read. When `on_chunk` says `Break`, nobody wants the rest.
    fn stream(&self, request: &Value, on_chunk: &mut dyn FnMut(Value) -> ControlFlow<()>) -> Result<(), ModelError>;
}

/// Why there is no complete answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    #[error("cannot reach the model: {0}")]
    Unreachable(String),
    #[error("the model's provider refused the request with status {status}: {message}")]
    Refused { status: u16, message: String },
    #[error("the model's answer broke off: {0}")]
    BrokenOff(String),
}
