//! Where the C library hands over, in place of Rust's own start-up.

use std::ffi::{c_char, c_int};
use std::panic::catch_unwind;

/// `SIGPIPE` and `SIG_IGN` of Linux, on every architecture.
const SIGPIPE: c_int = 13;
const SIG_IGN: usize = 1;

#[expect(unsafe_code, reason = "the one function of the C library that start-up needs")]
unsafe extern "C" {
    safe fn signal(number: c_int, handler: usize) -> usize;
}

/// Arguments are not taken from here: the standard library has noted them before.
#[expect(unsafe_code, reason = "the C library looks for this name")]
#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, _: *const *const c_char) -> c_int {
    // As Rust does it: a reader that went away is an error of `write`, not the end of the process.
    signal(SIGPIPE, SIG_IGN);
    // Nothing may unwind into C. A panic has told about itself on stderr; it is never taken for a block.
    c_int::from(catch_unwind(crate::run).unwrap_or(crate::exit_code::ExitCode::Usage as u8))
}
