//! What the headers and names of both programs promise.

use crate::{HOOK, HOOKRAIL};
use hookrail_testkit::elf::{Elf, Segment};

const EXECUTABLE: u32 = 1;
const WRITABLE: u32 = 2;

#[test]
fn both_programs_are_position_independent_and_nothing_in_them_is_writable_and_executable() {
    for path in [HOOKRAIL, HOOK] {
        let elf = Elf::read(path);
        assert!(elf.is_position_independent(), "{path}");
        let kinds = |kind: u32| elf.segments.iter().filter(move |segment| segment.kind == kind);
        assert_eq!(kinds(Segment::RELRO).count(), 1, "{path} has no RELRO");
        assert!(elf.binds_now(), "{path} binds lazily");
        let stack: Vec<u32> = kinds(Segment::STACK).map(|segment| segment.flags).collect();
        assert!(matches!(stack[..], [flags] if flags & EXECUTABLE == 0), "{path}: {stack:?}");
        for segment in kinds(Segment::LOAD) {
            assert_ne!(segment.flags & (EXECUTABLE | WRITABLE), EXECUTABLE | WRITABLE, "{path}");
        }
    }
}

/// As `.cargo/config.toml` says: `cargo install --git` from elsewhere does not read it.
#[cfg(target_feature = "crt-static")]
#[test]
fn both_programs_need_no_loader_and_no_library() {
    for path in [HOOKRAIL, HOOK] {
        let elf = Elf::read(path);
        assert!(elf.segments.iter().all(|segment| segment.kind != Segment::INTERPRETER), "{path}");
        assert_eq!(elf.needed(), 0, "{path}");
    }
}

/// Names of functions, as the linker left them after it dropped what cannot be reached.
#[test]
fn the_small_program_holds_no_network_no_database_no_screen_and_no_lookup_of_names() {
    let crates = [
        "4ureq",
        "6rustls",
        "9ring_core",
        "12clap_builder",
        "7ratatui",
        "17postgres_protocol",
        "9crossterm",
        "11hookrail_ui",
        "14hookrail_fleet",
        "16hookrail_network",
        "9indicatif",
    ];
    let functions = ["getaddrinfo", "gethostbyname", "getpwuid", "getpwuid_r", "getpwnam", "getpwnam_r"];
    let held = |path: &str| {
        let names = Elf::read(path).names();
        let has_crate = |part: &&&str| names.iter().any(|name| name.contains(**part));
        let has_function = |function: &&&str| names.iter().any(|name| name == **function);
        let held = crates.iter().filter(has_crate).chain(functions.iter().filter(has_function));
        held.map(|name| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(held(HOOK), [] as [&str; 0]);
    // The names are looked for in the right way.
    let large = held(HOOKRAIL);
    assert!(
        ["4ureq", "6rustls", "12clap_builder", "getaddrinfo"].iter().all(|name| large.iter().any(|it| it == name)),
        "{large:?}"
    );
}
