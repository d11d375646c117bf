//! No guard goes away quietly: a file for each way in which one could, as cases of tables on the real binary.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken expectation must fail the test")]

mod escaping;
mod handing_over;
mod last_word;
mod reading;
mod robustness;
mod self_protection;
mod trust;
