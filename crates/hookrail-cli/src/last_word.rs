//! The answer of a `hookrail hook` that cannot give one any more.
//!
//! A process that crashes, runs out of stack or memory, or never comes to an end has decided nothing, and agents go on when a
//! hook decides nothing. So what is to happen then is kept where a signal handler can read it: first that an event which
//! has not been read may be a tool call, then what the event is, then what the strictest pending guard wants in case of
//! failure, and whether one has refused already.

use hookrail_core::{EventName, OnError};
use hookrail_engine::Progress;
use std::sync::atomic::{AtomicU8, Ordering};

/// Not `hookrail hook`: a crash refuses nothing.
const NONE: u8 = 0;
const ALLOW: u8 = 1;
const DENY: u8 = 2;
/// The answer is written, and stays what it is.
const ANSWERED: u8 = 3;

static WORD: AtomicU8 = AtomicU8::new(NONE);

/// So long an event and the configuration may take to be read. Agents give a hook a minute.
const SECONDS_TO_READ: u32 = 20;

/// What ending hooks, merging and writing may take on top of the hooks' own time.
const SECONDS_TO_FINISH: u64 = 15;

/// Makes a file that must not grow an error of `write`, as Rust does for a reader that went away. A handler, unlike an ignored signal,
/// is not passed on to the hooks that are started.
pub fn survive_full_files() {
    signals::survive_full_files();
}

/// An event is about to be read. As long as it is unknown which, a guard that fails closed may be concerned.
pub fn begin() {
    set(DENY);
    signals::catch();
    signals::end_after(SECONDS_TO_READ);
}

/// The event is known, its hooks are not. The configuration may not be readable, which has the same rule: no tool is used,
/// and everything else goes on.
pub fn know_event(event: &EventName) {
    let before_tool = matches!(event, EventName::BeforeTool | EventName::PermissionRequest);
    if has_begun() {
        set(if before_tool { DENY } else { ALLOW });
    }
}

/// The engine tells how far the event has come. Events that are only rehearsed do not matter.
pub fn follow(progress: Progress) {
    match progress {
        _ if !has_begun() => {}
        Progress::Planned { on_error: OnError::Allow, at_most } => restart(ALLOW, at_most.as_secs()),
        // No hook can be asked any more.
        Progress::Planned { on_error: OnError::Ask | OnError::Deny, at_most } => restart(DENY, at_most.as_secs()),
        Progress::Refused => set(DENY),
    }
}

/// The answer is written. An alarm that comes now is passed over, which spares the call that would take it back.
pub fn end() {
    set(ANSWERED);
}

/// The exit code of a process that panicked, and on stderr why.
pub fn after_panic() -> u8 {
    use std::io::Write;
    let (text, code) = last_word(b"hookrail failed inside");
    // Without a stderr the code alone has to do.
    let _ = text.iter().try_for_each(|part| std::io::stderr().write_all(part));
    code
}

/// Whether an event of which nothing came would be refused.
pub fn is_refusal() -> bool {
    WORD.load(Ordering::Relaxed) == DENY
}

#[cfg(unix)]
fn is_answered() -> bool {
    WORD.load(Ordering::Relaxed) == ANSWERED
}

fn has_begun() -> bool {
    WORD.load(Ordering::Relaxed) != NONE
}

fn set(word: u8) {
    WORD.store(word, Ordering::Relaxed);
}

fn restart(word: u8, seconds: u64) {
    set(word);
    signals::end_after(u32::try_from(seconds.saturating_add(SECONDS_TO_FINISH)).unwrap_or(u32::MAX));
}

/// What is written, and the exit code: 2 is every agent's form of a refusal.
fn last_word(why: &'static [u8]) -> ([&'static [u8]; 3], u8) {
    match WORD.load(Ordering::Relaxed) {
        DENY => ([b"hookrail: ", why, b"; a guard that fails closed may have been concerned, so this is refused\n"], 2),
        ALLOW => ([b"hookrail: ", why, b"; no guard that was concerned fails closed\n"], 1),
        _ => ([b"hookrail: ", why, b"\n"], 1),
    }
}

#[cfg(unix)]
mod signals {
    use std::ffi::c_int;
    use std::ptr;

    /// More than any processor needs to save its registers. Nothing of it is touched until it is used.
    const STACK: usize = 64 << 10;

    /// Ways to end that leave a moment for a last word.
    const FATAL: [c_int; 6] = [libc::SIGALRM, libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGILL, libc::SIGFPE];

    struct Stack(std::cell::UnsafeCell<[u8; STACK]>);

    #[expect(unsafe_code, reason = "only the kernel writes to it, and only in a handler that never returns")]
    unsafe impl Sync for Stack {}

    static SPARE: Stack = Stack(std::cell::UnsafeCell::new([0; STACK]));

    /// Handlers run on a stack of their own: there may be none left. Whatever is started from here has the usual ones.
    #[expect(
        unsafe_code,
        reason = "signal handlers cannot be set otherwise; every pointer is to a value that outlives the call"
    )]
    pub fn catch() {
        let stack = libc::stack_t { ss_sp: SPARE.0.get().cast(), ss_flags: 0, ss_size: STACK };
        // Where it cannot be had, an overflow ends the process as it would have without.
        unsafe {
            libc::sigaltstack(&raw const stack, ptr::null_mut());
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = end as extern "C" fn(c_int) as usize;
            action.sa_flags = libc::SA_ONSTACK;
            libc::sigfillset(&raw mut action.sa_mask);
            for signal in FATAL {
                libc::sigaction(signal, &raw const action, ptr::null_mut());
            }
        }
    }

    #[expect(unsafe_code, reason = "a handler that does nothing")]
    pub fn survive_full_files() {
        extern "C" fn pass_over(_: c_int) {}
        unsafe { libc::signal(libc::SIGXFSZ, pass_over as extern "C" fn(c_int) as libc::sighandler_t) };
    }

    #[expect(unsafe_code, reason = "a system call without pointers")]
    pub fn end_after(seconds: u32) {
        unsafe { libc::alarm(seconds) };
    }

    /// In a signal handler nothing may allocate, lock or unwind: a few system calls to tell, one to end.
    #[expect(unsafe_code, reason = "`_exit` ends the process without looking at anything")]
    extern "C" fn end(signal: c_int) {
        if signal == libc::SIGALRM && super::is_answered() {
            return;
        }
        let why: &[u8] = match signal {
            libc::SIGALRM => b"the event was not answered in time",
            _ => b"hookrail crashed",
        };
        let (text, code) = super::last_word(why);
        for part in text {
            let _ = rustix::io::write(rustix::stdio::stderr(), part);
        }
        unsafe { libc::_exit(c_int::from(code)) }
    }
}

/// Elsewhere only the hooks themselves have a deadline.
#[cfg(not(unix))]
mod signals {
    pub fn survive_full_files() {}
    pub fn catch() {}
    pub fn end_after(_: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_last_word_follows_what_is_known() {
        let planned = |on_error| Progress::Planned { on_error, at_most: Duration::from_secs(600) };
        let deny = |step: &dyn Fn()| {
            step();
            let (code, refused) = (last_word(b"").1, is_refusal());
            assert_eq!(refused, code == 2);
            signals::end_after(0);
            refused
        };
        assert!(deny(&|| set(DENY)), "nothing is known");
        assert!(!deny(&|| know_event(&EventName::AfterAgent)));
        assert!(deny(&|| know_event(&EventName::BeforeTool)));
        assert!(!deny(&|| follow(planned(OnError::Allow))));
        assert!(deny(&|| follow(Progress::Refused)), "a refusal stays");
        assert!(deny(&|| follow(planned(OnError::Ask))));
        assert!(deny(&|| follow(planned(OnError::Deny))));
    }
}
