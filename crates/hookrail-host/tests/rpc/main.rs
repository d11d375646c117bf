//! The JSON-RPC server, spoken to as an agent does: bytes in, bytes out.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "an expectation that does not hold fails the test"
)]

mod agent;
mod answers;
mod concurrency;
mod endings;
mod messages;
mod refusals;
mod schema;
mod sessions;
