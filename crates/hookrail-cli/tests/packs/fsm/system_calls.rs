//! The same with the real binary and the real system: `strace` ends or refuses every system call that writes.

use crate::fsm::faults::{next_process_is_new, scenes};
use crate::fsm::project::{SkillProject, SkillReply, finish, snapshot};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// Every call with which a program can change files on Linux, on one architecture or another.
const CALLS: [&str; 23] = [
    "openat",
    "open",
    "write",
    "writev",
    "pwrite64",
    "fsync",
    "fdatasync",
    "ftruncate",
    "flock",
    "fchmod",
    "fchmodat",
    "chmod",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "symlinkat",
];

/// How a run ended that had a fault at its n-th call of a kind.
enum Ended {
    Killed,
    /// The call was refused, and this is what the process made of it.
    Refused(SkillReply),
    /// There is no n-th call.
    Unharmed(SkillReply),
}

fn hydrate_with(place: &SkillProject, call: &str, fault: &str, n: usize) -> Ended {
    let log = place.home.at("calls");
    let (trace, inject) = (format!("trace=?{call}"), format!("inject=?{call}:{fault}:when={n}"));
    let mut args = vec!["-f", "-qq", "-o", log.to_str().unwrap(), "-e", &trace, "-e", &inject];
    args.extend([env!("CARGO_BIN_EXE_hookrail"), "hook", "fsm/hydrate-tasks", "--contract", "spec"]);
    let mut child = place.dressed(Command::new("strace"), &args).spawn().unwrap();
    // A process that is killed early does not read its stdin.
    let _ = child.stdin.take().unwrap().write_all(place.skill_event("s").to_string().as_bytes());
    let output = child.wait_with_output().unwrap();
    if output.status.signal() == Some(9) || output.status.code() == Some(137) {
        return Ended::Killed;
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let said = SkillReply { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
    let happened = std::fs::read_to_string(log).unwrap().contains("(INJECTED)");
    if happened { Ended::Refused(said) } else { Ended::Unharmed(said) }
}

/// `strace` is not everywhere, nor allowed everywhere.
fn is_possible() -> bool {
    let place = scenes()[0].set();
    let probe = place.dressed(Command::new("strace"), &["-qq", "-o", "/dev/null", "true"]).spawn();
    let possible = probe.is_ok_and(|child| finish(child, "").code == Some(0));
    if !possible {
        println!("`strace` cannot be used here; the tests in `faults` cover the same steps one level higher");
    }
    possible
}

#[test]
fn killed_at_any_system_call_that_writes_the_list_is_old_or_new_after_the_next_process() {
    if !is_possible() {
        return;
    }
    let (mut kills, mut completed) = (0, 0);
    for scene in scenes() {
        let new = scene.new_list();
        for call in CALLS {
            for n in 1.. {
                let place = scene.set();
                let ended = hydrate_with(&place, call, "signal=KILL", n);
                let step = format!("{}, {call} {n}", scene.name);
                let is_new = next_process_is_new(&scene, &place, &new, &step);
                match ended {
                    Ended::Killed => (kills, completed) = (kills + 1, completed + usize::from(is_new)),
                    Ended::Refused(said) => panic!("{step}: it lives: {said:?}"),
                    Ended::Unharmed(said) => {
                        said.assert_continues();
                        assert!(is_new, "{step}");
                        break;
                    }
                }
            }
        }
    }
    assert!(kills > 120 && completed > 30 && completed < kills, "{completed} of {kills}");
}

#[test]
fn refused_at_any_system_call_that_writes_the_list_is_new_or_exactly_the_old_one() {
    if !is_possible() {
        return;
    }
    let mut refused = 0;
    for (scene, error) in scenes().iter().zip(["error=ENOSPC", "error=EACCES", "error=EIO"]) {
        let new = scene.new_list();
        for call in CALLS {
            for n in 1.. {
                let place = scene.set();
                let ended = hydrate_with(&place, call, error, n);
                let mut now = snapshot(&place.list());
                // Only what could not be cleared away may be left, out of sight, until the next process.
                now.remove(".hookrail");
                let (Ended::Refused(said) | Ended::Unharmed(said)) = &ended else { panic!("{call} {n}: killed") };
                let step = format!("{}, {call} {error} {n}: {said:?}", scene.name);
                assert_eq!(now, if said.code == Some(0) { new.clone() } else { scene.old() }, "{step}");
                refused += usize::from(said.code != Some(0));
                let is_new = now == new;
                assert_eq!(next_process_is_new(scene, &place, &new, &step), is_new, "{step}");
                if matches!(ended, Ended::Unharmed(_)) {
                    break;
                }
            }
        }
    }
    assert!(refused > 50, "{refused}");
}
