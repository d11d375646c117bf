//! Each program without the other, and both with entries of older versions.

use crate::{DENIED, HOOK, HOOKRAIL};
use hookrail_testkit::program::{Finished, inside, program};
use hookrail_testkit::project::TempProject;
use std::process::Command;

fn places() -> (TempProject, TempProject) {
    (TempProject::new(), TempProject::new())
}

#[test]
fn both_programs_answer_an_event_with_the_same_bytes() {
    let events = [
        DENIED,
        r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"x"}}"#,
        "{",
        "",
    ];
    for event in events {
        for arguments in
            [&["--agent", "claude"][..], &["--pack", "core"], &["--pack", "nothing"], &["--contract", "spec"]]
        {
            let [(project, home), (other, other_home)] = [places(), places()];
            let small = Finished::after(program(HOOK, &project, &home).args(arguments), event);
            let large = Finished::after(program(HOOKRAIL, &other, &other_home).arg("hook").args(arguments), event);
            let own = |finished: &Finished, home: &TempProject, project: &TempProject| {
                let shown = |text: &str| {
                    text.replace(&*home.path().to_string_lossy(), "HOME")
                        .replace(&*project.path().to_string_lossy(), "PROJECT")
                };
                (finished.code, shown(&finished.out), shown(&finished.err))
            };
            assert_eq!(own(&small, &home, &project), own(&large, &other_home, &other), "{arguments:?} {event}");
        }
    }
}

/// A folder with a copy of `hookrail-hook`, and with `hookrail` if `with` says so.
fn installed(with: bool) -> TempProject {
    let folder = TempProject::new();
    for program in if with { &[HOOK, HOOKRAIL][..] } else { &[HOOK] } {
        let name = std::path::Path::new(program).file_name().unwrap();
        std::fs::hard_link(program, folder.at(name.to_str().unwrap()))
            .or_else(|_| std::fs::copy(program, folder.at(name.to_str().unwrap())).map(drop))
            .unwrap();
    }
    folder
}

#[test]
fn a_guard_that_denies_does_so_without_the_sibling() {
    let folder = installed(false);
    let (project, home) = places();
    let answer = Finished::after(&mut program(folder.at("hookrail-hook"), &project, &home), DENIED);
    assert!(answer.out.contains("\"deny\""), "{answer:?}");
}

#[test]
fn no_tool_changes_either_program() {
    let folder = installed(true);
    let (project, home) = places();
    for name in ["hookrail", "hookrail-hook"] {
        let command = format!("cp /bin/true {}", folder.at(name).display());
        let event = serde_json::json!({
            "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": command },
        });
        let answer = Finished::after(&mut program(folder.at("hookrail-hook"), &project, &home), event.to_string());
        assert!(answer.out.contains("is protected"), "{name}: {answer:?}");
    }
}

#[test]
fn the_small_program_tells_its_version_and_where_its_help_is() {
    let (project, home) = places();
    let run = |argument: &str| Finished::after(inside(Command::new(HOOK), &project, &home).arg(argument), "");
    assert_eq!(run("--version").out, format!("hookrail-hook {}\n", env!("CARGO_PKG_VERSION")));
    assert!(run("--help").out.contains("hookrail hook --help"));
}
