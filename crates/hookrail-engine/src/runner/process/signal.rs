//! Names of signals, for people.

/// The name of a signal, `SIGKILL` for 9. Real-time signals and numbers that are no signal have none.
#[cfg(unix)]
pub fn signal_name(number: i32) -> Option<&'static str> {
    NAMES.iter().find(|(signal, _)| signal.as_raw() == number).map(|(_, name)| *name)
}

/// There are no signals on this platform.
#[cfg(not(unix))]
pub fn signal_name(_number: i32) -> Option<&'static str> {
    None
}

// The numbers differ between systems and processors, so they come from the system's own constants.
#[cfg(unix)]
use rustix::process::Signal;

#[cfg(unix)]
const NAMES: &[(Signal, &str)] = &[
    (Signal::HUP, "SIGHUP"),
    (Signal::INT, "SIGINT"),
    (Signal::QUIT, "SIGQUIT"),
    (Signal::ILL, "SIGILL"),
    (Signal::TRAP, "SIGTRAP"),
    (Signal::ABORT, "SIGABRT"),
    (Signal::BUS, "SIGBUS"),
    (Signal::FPE, "SIGFPE"),
    (Signal::KILL, "SIGKILL"),
    (Signal::USR1, "SIGUSR1"),
    (Signal::SEGV, "SIGSEGV"),
    (Signal::USR2, "SIGUSR2"),
    (Signal::PIPE, "SIGPIPE"),
    (Signal::ALARM, "SIGALRM"),
    (Signal::TERM, "SIGTERM"),
    (Signal::CHILD, "SIGCHLD"),
    (Signal::CONT, "SIGCONT"),
    (Signal::STOP, "SIGSTOP"),
    (Signal::TSTP, "SIGTSTP"),
    (Signal::TTIN, "SIGTTIN"),
    (Signal::TTOU, "SIGTTOU"),
    (Signal::URG, "SIGURG"),
    (Signal::XCPU, "SIGXCPU"),
    (Signal::XFSZ, "SIGXFSZ"),
    (Signal::VTALARM, "SIGVTALRM"),
    (Signal::PROF, "SIGPROF"),
    (Signal::WINCH, "SIGWINCH"),
    (Signal::IO, "SIGIO"),
    (Signal::SYS, "SIGSYS"),
];

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn signals_have_their_usual_names() {
        // The numbers POSIX fixes.
        let cases = [
            (1, Some("SIGHUP")),
            (2, Some("SIGINT")),
            (6, Some("SIGABRT")),
            (9, Some("SIGKILL")),
            (14, Some("SIGALRM")),
            (15, Some("SIGTERM")),
            (Signal::SEGV.as_raw(), Some("SIGSEGV")),
            (0, None),
            (-9, None),
            (1000, None),
        ];
        for (number, name) in cases {
            assert_eq!(signal_name(number), name, "signal {number}");
        }
    }
}
