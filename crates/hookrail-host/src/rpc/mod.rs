//! Hooks for agents in any language: JSON-RPC 2.0, one object a line.
//!
//! [`Server::start`] reads requests from one stream and answers on another. Requests that run hooks are worked on side
//! by side, so answers come in the order in which they are ready. What a native hook of this process decides and what a
//! configured command decides reach the caller in the same form.
//!
//! ```
//! use hookrail_host::rpc::Server;
//!
//! let (requests, mut agent) = std::io::pipe()?;
//! let (mut answers, output) = std::io::pipe()?;
//! let service = Server::new().start(requests, output)?;
//!
//! use std::io::{BufRead, BufReader, Write};
//! writeln!(agent, r#"{{"jsonrpc": "2.0", "id": 1, "method": "status"}}"#)?;
//! let mut answer = String::new();
//! BufReader::new(&mut answers).read_line(&mut answer)?;
//! assert!(answer.contains(r#""initialized":false"#));
//!
//! drop(agent); // The end of the input ends the service.
//! service.wait();
//! # Ok::<(), std::io::Error>(())
//! ```

mod answer;
mod asking;
mod call;
mod dispatcher;
mod error;
mod lines;
mod output;
mod params;
mod pool;
mod reply;
mod request;
mod running;
mod server;
mod session;
mod tools;

pub use server::{Server, Service};

/// The version of the methods and their fields, told by `initialize` and `status`. A change that breaks a client raises it.
pub const PROTOCOL_VERSION: u32 = 1;
