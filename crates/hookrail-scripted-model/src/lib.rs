//! A scripted model server on loopback that real agents and clients can talk to.
//!
//! It speaks the wire formats of five APIs (of the first alone without the feature `other-providers`), plain and streaming, chosen by the path of each request:
//!
//! | API | paths |
//! |---|---|
//! | Gemini | `/v1beta/models/{model}:generateContent`, `:streamGenerateContent` (with `?alt=sse` or as an array), `:countTokens` |
//! | Anthropic Messages | `/v1/messages`, `/v1/messages/count_tokens` |
//! | OpenAI Chat Completions | `/v1/chat/completions` |
//! | OpenAI Responses | `/v1/responses`, `/v1/responses/input_tokens` |
//! | Augment | `/chat-stream`, and what Auggie asks for before it |
//!
//! What the model says is a [`Script`] of [`Turn`]s that know nothing of providers; what it was told is read back,
//! just as neutrally, from the [`Recorded`] requests. Anything else than these paths is recorded too and answered
//! with 404. Ids and times are fixed: the same script gives the same bytes.
//!
//! # A model that does as it is told
//!
//! The script is a list of turns. Each request takes the next one, in whichever of the wire formats it asks;
//! afterwards the test looks at what the model was told.
//!
//! ```
//! use hookrail_scripted_model::{ModelServer, Script, Turn};
//! use serde_json::{Value, json};
//! # use std::io::{Read, Write};
//! # fn post(url: String, body: Value) -> Value {
//! #     let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
//! #     let mut stream = std::net::TcpStream::connect(host).unwrap();
//! #     let body = body.to_string();
//! #     let head = format!("POST /{path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
//! #     stream.write_all((head + &body).as_bytes()).unwrap();
//! #     let mut answer = String::new();
//! #     stream.read_to_string(&mut answer).unwrap();
//! #     serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
//! # }
//!
//! let script = Script::new([
//!     Turn::text_and_calls("Let me look.", [("Bash", json!({"command": "ls"}))]),
//!     Turn::text("There are two files."),
//! ])
//! // Agents ask for more than the conversation; this takes no turn away from it.
//! .when(|request| request.system_text().contains("title"), Turn::text("Counting files"));
//! let server = ModelServer::start(script);
//!
//! // An agent would be started with ANTHROPIC_BASE_URL=…; here `post` is the agent.
//! let messages = json!([{"role": "user", "content": "How many files are there?"}]);
//! let first = post(
//!     server.base_url() + "/v1/messages",
//!     json!({"model": "any", "max_tokens": 100, "messages": messages}),
//! );
//! assert_eq!(first["content"][1]["input"]["command"], "ls");
//!
//! let messages = json!([
//!     {"role": "user", "content": "How many files are there?"},
//!     {"role": "assistant", "content": first["content"]},
//!     {"role": "user", "content": [
//!         {"type": "tool_result", "tool_use_id": first["content"][1]["id"], "content": "a.txt b.txt"},
//!     ]},
//! ]);
//! let second = post(
//!     server.base_url() + "/v1/messages",
//!     json!({"model": "any", "max_tokens": 100, "messages": messages}),
//! );
//! assert_eq!(second["content"][0]["text"], "There are two files.");
//!
//! // What the model saw.
//! let requests = server.requests();
//! assert_eq!(requests[0].last_user_text(), "How many files are there?");
//! assert_eq!(requests[1].tool_results()[0].name.as_deref(), Some("Bash"));
//! assert_eq!(requests[1].tool_results()[0].text, "a.txt b.txt");
//! assert_eq!(server.turns_left(), 0);
//! ```
//!
//! A turn can also be an [error](Turn::error), come [late](Turn::delay), or
//! [break off](Turn::abort_after) in the middle of the stream.
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "other-providers"), allow(dead_code, reason = "some of it serves the other providers only"))]

#[cfg(feature = "other-providers")]
mod anthropic;
#[cfg(feature = "other-providers")]
mod augment;
mod conversation;
mod gemini;
mod http;
mod model;
#[cfg(feature = "other-providers")]
mod openai_chat;
#[cfg(feature = "other-providers")]
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
#[cfg(feature = "other-providers")]
mod tests;
