//! The two programs as files and as processes: how they are linked, what they hold, and what the libraries of others can do to them.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "an expectation that does not hold fails the test"
)]

mod elf;
mod libraries;
mod siblings;

const HOOKRAIL: &str = env!("CARGO_BIN_EXE_hookrail");
const HOOK: &str = env!("CARGO_BIN_EXE_hookrail-hook");

/// A call that pack `safety` denies.
const DENIED: &str =
    r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}"#;
