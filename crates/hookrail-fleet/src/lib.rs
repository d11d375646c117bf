//! One policy and one picture for many machines.
//!
//! - [`policy`]: a configuration for many machines, signed by whoever answers for it, and installed as the managed layer.
//! - [`database`]: the journals of many machines in one PostgreSQL, shipped exactly once, and questions to it.
//! - [`postgres`]: the connection.
//! - [`otlp`]: the journal as OpenTelemetry.
//!
//! Nothing of this crate is on the way of an event: it is called by commands that a person or a detached process runs.
#![forbid(unsafe_code)]

pub mod database;
mod departure;
pub mod otlp;
pub mod policy;
pub mod postgres;
pub mod web;

pub use departure::{Departure, Detail};
