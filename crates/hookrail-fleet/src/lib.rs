//! One policy and one picture for many machines.
//!
//! - [`policy`]: a configuration for many machines, signed by whoever answers for it, and installed as the managed layer.
//!
//! Nothing of this crate is on the way of an event: it is called by commands that a person or a detached process runs.

pub mod policy;
pub mod web;
