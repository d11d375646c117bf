//! A scripted model server on loopback that real agents and clients can talk to.
//!
//! It speaks the wire formats of four APIs, plain and streaming, chosen by the path of each request:
//!
//! | API | paths |
//! |---|---|
//! | Gemini | `/v1beta/models/{model}:generateContent`, `:streamGenerateContent` (with `?alt=sse` or as an array), `:countTokens` |
//! | Anthropic Messages | `/v1/messages`, `/v1/messages/count_tokens` |
//! | OpenAI Chat Completions | `/v1/chat/completions` |
//! | OpenAI Responses | `/v1/responses`, `/v1/responses/input_tokens` |
//!
//! What the model says is a [`Script`] of [`Turn`]s that know nothing of providers; what it was told is read back,
//! just as neutrally, from the [`Recorded`] requests. Anything else than these paths is recorded too and answered
//! with 404. Ids and times are fixed: the same script gives the same bytes.

mod anthropic;
mod conversation;
mod gemini;
mod http;
mod model;
mod openai_chat;
mod openai_responses;
mod recorded;
mod route;
mod script;
mod server;
mod wire;

pub use conversation::ToolResult;
pub use recorded::Recorded;
pub use script::{Script, ToolCall, Turn};
pub use server::ModelServer;
pub use wire::Provider;

#[cfg(test)]
mod tests;
