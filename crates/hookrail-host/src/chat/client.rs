use serde_json::Value;
use std::ops::ControlFlow;

/// The way to a model.
pub trait ModelClient: Send {
    /// Sends a request (`GenerateContentParameters`) and hands over each piece of the answer (`GenerateContentResponse`)
    /// as it arrives. `Ok` means that the provider ended the answer; a connection that breaks is an error, and so is
    /// every piece that cannot be read. When `on_chunk` returns `Break`, the rest is not needed.
    fn stream(&self, request: &Value, on_chunk: &mut dyn FnMut(Value) -> ControlFlow<()>) -> Result<(), ModelError>;
}

/// Why there is no complete answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No connection to the provider.
    #[error("cannot reach the model: {0}")]
    Unreachable(String),
    /// The provider answered, and not with a model's answer.
    #[error("the model's provider refused the request with status {status}: {message}")]
    Refused {
        /// Of HTTP.
        status: u16,
        /// What the provider said about it.
        message: String,
    },
    /// The answer began and did not come to its end.
    #[error("the model's answer broke off: {0}")]
    BrokenOff(String),
}
