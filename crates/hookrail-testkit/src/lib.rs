//! Support for hookrail's tests and those of its examples.
//!
//! | module | what it gives |
//! |---|---|
//! | [`elf`] | headers and names of a program for Linux |
//! | [`corpus`] | labelled calls of tools, and the machine they speak of |
//! | [`json_schema`] | whether a value is as a JSON Schema says |
//! | [`model_server`] | a model provider on loopback that says what a script tells it to, to real agents as well |
//! | [`project`] | a temporary project with files, scripts and a git repository |
//! | [`process`] | whether a process lives, whether it left zombies, whether something hangs |
//! | [`postgres`] | a PostgreSQL server, or a database of the one that `HOOKRAIL_TEST_DATABASE` names |
//! | [`small_disk`] | a disk that is full soon |
//! | [`program`] | a program in a clean environment, and what it says |
//! | [`log`] | a log that remembers its lines |
//! | [`markdown`] | the pages people read, and the code in them |
//! | [`world`] | a machine in memory, for native hooks |
//!
//! # A model that does as it is told
//!
//! [`model_server`] is the crate `hookrail-scripted-model`, which the `demo` command uses too.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test support: a broken expectation must fail the test loudly"
)]

#[cfg(doctest)]
mod book;
pub mod corpus;
pub mod elf;
pub mod folders;
pub mod json_schema;
pub mod log;
pub mod markdown;
pub mod postgres;
pub mod process;
pub mod program;
pub mod project;
pub mod small_disk;
pub mod translator;
pub mod world;

pub use hookrail_scripted_model as model_server;
