//! The Rust code of README and book, as documentation tests: what a reader copies compiles and does what is said.
//!
//! A page with a block of Rust is listed here; a test of `hookrail-cli` finds those that are not.
#![cfg(doctest)]

#[doc = include_str!("../../../README.md")]
mod readme {}
