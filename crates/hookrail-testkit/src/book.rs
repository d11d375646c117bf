//! The Rust code of README and book, as documentation tests: what a reader copies compiles and does what is said.
//!
//! A page with a block of Rust is listed here; a test of `hookrail-cli` finds those that are not.
#![allow(rustdoc::invalid_codeblock_attributes, reason = "`file=` is for the test that plays sessions")]

#[doc = include_str!("../../../README.md")]
mod readme {}

#[doc = include_str!("../../../docs/src/embedding.md")]
mod embedding {}

#[doc = include_str!("../../../docs/src/native-hooks.md")]
mod native_hooks {}

#[doc = include_str!("../../../docs/src/prompt-and-http-hooks.md")]
mod prompt_and_http_hooks {}
