//! No guard goes away quietly: a file for each way in which one could, as cases of tables on the real binary.
//!
//! | what | where |
//! |---|---|
//! | identity is (layer, file, name) | `hookrail-engine/tests/identity.rs`, `layers.rs` |
//! | what cannot be read is judged strictly | [`reading`], `hookrail-engine/tests/layers.rs` |
//! | no input crashes or hangs the process, and a crash still answers | [`robustness`], [`last_word`] |
//! | trust is of what runs | [`trust`], [`handing_over`] |
//! | hookrail cannot be turned against itself | [`self_protection`] |
//! | a breaker never opens a guard that fails closed | [`breaker`] |
//! | drift is seen | `tests/doctor/`, `tests/install/` |
//! | nothing steers the terminal or the model | [`escaping`] |
//! | children end with their parent, rewrites are judged again | [`children`] |
//! | the journal | `tests/journal.rs`, `hookrail-store/tests/store/` |
//! | tasks and session state survive a kill | `tests/fsm/system_calls.rs`, `hookrail-store/tests/store/every_syscall.rs` |
//! | small truths of the packs | `tests/planning/`, `tests/orchestrator/`, `tests/isdlc/` |
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken expectation must fail the test")]

mod breaker;
mod children;
mod escaping;
mod handing_over;
mod last_word;
mod reading;
mod robustness;
mod self_protection;
mod trust;
