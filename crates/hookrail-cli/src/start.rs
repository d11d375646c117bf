//! Where the C library hands over, in place of Rust's own start-up.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use std::ffi::{c_char, c_int};
use std::os::fd::IntoRawFd;

/// Signals of Linux, which have these numbers on every architecture;
const SIGPIPE: c_int = 13;
/// this one on all but MIPS.
const SIGXFSZ: c_int = if cfg!(any(target_arch = "mips", target_arch = "mips64")) { 31 } else { 25 };
const SIG_IGN: usize = 1;

#[expect(unsafe_code, reason = "the functions of the C library that start-up needs")]
unsafe extern "C" {
    safe fn signal(number: c_int, handler: usize) -> usize;
    safe fn _exit(code: c_int) -> !;
}

/// Arguments are not taken from here: the standard library has noted them before.
#[expect(unsafe_code, reason = "the C library looks for this name")]
#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, _: *const *const c_char) -> c_int {
    // As Rust does it: a reader that went away is an error of `write`, not the end of the process.
    signal(SIGPIPE, SIG_IGN);
    // The same for a file that must not grow. A handler, unlike being ignored, is not handed on to the hooks we start.
    signal(SIGXFSZ, pass_over as *const () as usize);
    open_missing_streams();
    // Nothing may unwind into C. Everything is written, so the C library has nothing to tidy up.
    _exit(c_int::from(crate::run_to_the_end()))
}

extern "C" fn pass_over(_: c_int) {}

/// Whoever closed a stream before starting us must not make the next file that is opened take its place. What stands in for
/// it can only be read: writing there is an error as it was before, and not an answer that got lost without a sign.
fn open_missing_streams() {
    let streams = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
    let mut looks = streams.map(|stream| PollFd::from_borrowed_fd(stream, PollFlags::empty()));
    // A closed one is news, and so is little else: one call instead of three.
    if poll(&mut looks, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(0) {
        return;
    }
    for stream in streams {
        if rustix::io::fcntl_getfd(stream).is_ok() {
            continue;
        }
        let open = |path| rustix::fs::open(path, OFlags::RDONLY, Mode::empty());
        // The lowest number that is free is the one that is missing. It stays open as long as the process lives.
        let _ = open("/dev/null").or_else(|_| open("/")).map(IntoRawFd::into_raw_fd);
    }
}
