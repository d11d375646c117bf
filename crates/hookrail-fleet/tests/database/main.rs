//! The journal in a real PostgreSQL, with everything that can go wrong on the way.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

mod connection;
mod counts;
mod faults;
mod machine;
mod page;
mod schema;
mod shipping;
mod tampering;
