//! Nothing of the machine gets into a scenario, and nothing of a scenario onto the machine.

use crate::project::{ScenarioProject, scenario};
use std::fs;

/// Everything below the folder of the test.
fn names(place: &ScenarioProject) -> Vec<String> {
    let mut found: Vec<String> = fs::read_dir(place.project.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    found
}

#[test]
fn a_scenario_has_its_own_home_state_and_environment() {
    let script = "```sh file=hooks/look.sh\n#!/bin/sh\necho \"home=$HOME state=$HOOKRAIL_STATE_DIR given=$GIVEN here=$PWD\" > seen.txt\n```\n\n\
        ```toml given\ntrust = true\nenv.GIVEN = \"yes {{project}}\"\n```\n\n\
        ```toml hookrail.toml\n[[command]]\nname = \"look\"\nevent = \"AfterAgent\"\ncommand = \"./hooks/look.sh\"\n```";
    let expect = "ran = \"look\"\nfiles.\"seen.txt\" = { equals = \"home={{home}} state={{state}} given=yes {{project}} here={{project}}\\n\" }";
    let place = ScenarioProject::with("s.md", &scenario(script, "event = \"AfterAgent\"", expect));
    let said = place.test(&["--run-commands", "s.md"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(names(&place), ["s.md"]);
}

#[test]
fn command_hooks_of_the_project_wait_for_a_yes_there_too() {
    let config =
        "```toml hookrail.toml\n[[command]]\nname = \"look\"\nevent = \"AfterAgent\"\ncommand = \"touch seen\"\n```";
    let expect = "ran = []\nmessage = \"not trusted\"\nfiles.\"seen\" = { absent = true }";
    let said = ScenarioProject::with("s.md", &scenario(config, "event = \"AfterAgent\"", expect)).test(&["s.md"]);
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn a_session_may_begin_with_state() {
    let given =
        "```toml given\n[session.breakers.\"core/event-log\"]\nopen = true\n[session.values]\nseen = [1, 2]\n```";
    let expect = "session.values.seen = [1, 2]";
    let said = ScenarioProject::with("s.md", &scenario(given, "event = \"AfterAgent\"", expect)).test(&["s.md"]);
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn a_repository_has_the_branches_that_are_given() {
    let given = "```toml given\ngit = [\"main\", \"feature/x\"]\n```\n\n```text file=a.txt\na\n```";
    let expect = "files.\".git/HEAD\" = { contains = \"refs/heads/main\" }\nfiles.\".git/refs/heads/feature/x\" = { absent = false }";
    let said = ScenarioProject::with("s.md", &scenario(given, "event = \"AfterAgent\"", expect)).test(&["s.md"]);
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn many_scenarios_are_reported_in_their_order() {
    let place = ScenarioProject::new();
    for number in 0..40 {
        place.project.write(format!("s/{number:02}.md"), &scenario("", "event = \"Stop\"", "decision = \"none\""));
    }
    let report = place.test_json(&["s"]);
    let files: Vec<&str> =
        report["scenarios"].as_array().unwrap().iter().map(|one| one["file"].as_str().unwrap()).collect();
    let expected: Vec<String> = (0..40).map(|number| format!("s/{number:02}.md")).collect();
    assert_eq!(files, expected);
    assert_eq!(report["passed"], 40);
}

#[test]
fn a_repository_cannot_make_its_scenarios_run_commands() {
    let command = "[[command]]\nname = \"look\"\nevent = \"AfterAgent\"\ncommand = \"touch '{mark}'\"\n";
    let given = [
        ("trusted", "```toml given\ntrust = true\n```\n\n```toml hookrail.toml\n{command}```", "--run-commands"),
        ("the user's own", "```toml file=~/.config/hookrail/hookrail.toml\n{command}```", ""),
        (
            "a path of its own",
            "```toml given\ngit = [\"main\"]\nenv.PATH = \"{{project}}\"\n```\n\n```sh file=git\n#!/bin/sh\ntouch '{mark}'\n```",
            "--run-commands",
        ),
        (
            "git's configuration",
            "```toml given\ngit = [\"main\"]\n```\n\n```toml file=~/.gitconfig\n[core]\nfsmonitor = \"touch '{mark}'\"\n```",
            "",
        ),
        (
            "git's hooks",
            "```toml given\ngit = [\"main\"]\n```\n\n```sh file=.git/hooks/pre-commit\n#!/bin/sh\ntouch '{mark}'\n```",
            "belongs to git",
        ),
    ];
    for (name, given, said_in_error) in given {
        let place = ScenarioProject::new();
        let mark = place.project.at("mark").display().to_string();
        let given = given.replace("{command}", command).replace("{mark}", &mark);
        place.project.write("s.md", &scenario(&given, "event = \"AfterAgent\"", "ran = []"));
        let said = place.test(&["s.md"]);
        assert!(!place.project.exists("mark"), "{name}: {said:?}");
        assert!(format!("{}{}", said.out, said.err).contains(said_in_error), "{name}: {said:?}");
    }
}
