//! No guard goes away quietly: a file for each way in which one could, as cases of tables on the real binary.
//!
//! | what | where |
//! |---|---|
//! | identity is (layer, file, name) | `hookrail-engine/tests/engine/identity.rs`, `layers.rs` |
//! | what cannot be read is judged strictly | [`reading`], `hookrail-engine/tests/engine/layers.rs` |
//! | no input crashes or hangs the process, and a crash still answers | [`robustness`], [`last_word`] |
//! | trust is of what runs | [`trust`], [`handing_over`] |
//! | hookrail cannot be turned against itself | [`self_protection`] |
//! | a breaker never opens a guard that fails closed | [`breaker`] |
//! | drift is seen | [`drift`], and what `doctor` and `install` say, in `tests/commands/doctor/` and `tests/commands/install/` |
//! | nothing steers the terminal or the model | [`escaping`] |
//! | children end with their parent, rewrites are judged again | [`children`] |
//! | the journal | [`journal`], every form of a secret in `hookrail-core/src/redaction/tests.rs` |
//! | tasks and session state survive a kill | [`survival`], task lists in `tests/packs/fsm/system_calls.rs` |
//! | small truths | `tests/packs/small_truths.rs` |
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a broken expectation must fail the test"
)]

mod breaker;
mod children;
mod drift;
mod escaping;
mod handing_over;
mod journal;
mod last_word;
mod reading;
mod robustness;
mod self_protection;
mod survival;
mod trust;
