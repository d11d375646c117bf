//! The JSON-RPC server, spoken to as an agent does: bytes in, bytes out.

mod agent;
mod answers;
mod concurrency;
mod endings;
mod messages;
mod refusals;
mod schema;
mod sessions;
