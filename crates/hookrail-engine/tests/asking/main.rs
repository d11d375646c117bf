//! Hooks that ask over the network, through the whole engine: prompt hooks against a scripted model, HTTP hooks against a
//! web service on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a broken expectation must fail the test")]

mod company;
mod guarding;
mod http;
mod prompt;
mod scene;
mod secrecy;
mod service;
#[path = "../support/mod.rs"]
mod support;
mod trouble;
