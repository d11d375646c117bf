//! Trust is of what runs: commands of a project, the scripts they run, and what becomes of both when they change.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};

/// A project with a command hook, and a home folder.
pub struct TrustProject {
    pub project: TempProject,
    pub home: TempProject,
}

impl TrustProject {
    pub fn new(keys: &str) -> Self {
        let place = Self { project: TempProject::new(), home: TempProject::new() };
        place.configure(keys);
        place.project.write("hooks/check.sh", "echo ran >> log\n");
        place
    }

    fn configure(&self, keys: &str) {
        let entry = format!("[[command]]\nname = \"check\"\nevent = \"BeforeTool\"\n{keys}\n");
        self.project.write(".hookrail/hookrail.toml", &entry);
    }

    /// Exit code, stdout and stderr together.
    pub fn hookrail(&self, args: &[&str], stdin: &str) -> (Option<i32>, String) {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        let (code, out, err) = talk(command.args(args), stdin);
        (code, out + &err)
    }

    pub fn event(&self, tool: &str, input: &Value) -> String {
        let event = json!({
            "session_id": "s", "transcript_path": "/t.jsonl", "cwd": self.project.path(), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        });
        event.to_string()
    }

    /// What an agent is told about a harmless call.
    pub fn fire(&self) -> String {
        self.hookrail(&["hook"], &self.event("Bash", &json!({ "command": "ls" }))).1
    }

    pub fn runs(&self) -> usize {
        if self.project.exists("log") { self.project.read("log").lines().count() } else { 0 }
    }
}

const CHECK: &str = "command = \"sh hooks/check.sh\"";

#[test]
fn what_was_approved_and_has_changed_fails_and_what_was_never_approved_is_skipped() {
    let cases: &[(&str, &str, &str)] = &[
        ("the script", "command = \"sh hooks/check.sh\"\non_error = \"deny\"", "hooks/check.sh has another content"),
        ("the command", "command = \"sh hooks/check.sh; true\"\non_error = \"deny\"", "+ command ="),
        ("the order", "command = \"sh hooks/check.sh\"\non_error = \"deny\"\nsequential = true", "+ sequential = true"),
        ("the policy", "command = \"sh hooks/check.sh\"\non_error = \"allow\"", "- on_error = deny"),
        ("what it runs", "command = \"eval \\\"$X\\\"\"\non_error = \"deny\"", "only known when it runs"),
    ];
    for (what, keys, shown) in cases {
        let place = TrustProject::new("command = \"sh hooks/check.sh\"\non_error = \"deny\"");
        assert!(!place.fire().contains("\"deny\""), "{what}: it is not approved");
        assert_eq!(place.runs(), 0, "{what}");
        assert_eq!(place.hookrail(&["trust", "--yes"], "").0, Some(0), "{what}");
        assert!(!place.fire().contains("\"deny\""), "{what}");
        assert_eq!(place.runs(), 1, "{what}");
        place.configure(keys);
        if *what == "the script" {
            place.project.write("hooks/check.sh", "echo evil >> log\n");
        }
        let said = place.fire();
        assert!(said.contains("\"deny\"") && said.contains("not what was trusted"), "{what}: {said}");
        assert_eq!(place.runs(), 1, "{what}");
        let (code, doctor) = place.hookrail(&["doctor"], "");
        assert!(code != Some(0) && doctor.contains("not what you trusted: check"), "{what}: {doctor}");
        let (_, trust) = place.hookrail(&["trust"], "");
        assert!(trust.contains(shown), "{what}: {trust}");
    }
}

/// A command, the file that decides what it runs, its text, and the text that it is exchanged for.
const DECIDING: &[(&str, &str, &str, &str)] = &[
    ("make -s check", "Makefile", "check:\n\t@echo ran >> log\n", "check:\n\t@echo evil >> log\n"),
    (
        "npm run -s check",
        "package.json",
        r#"{"scripts":{"check":"echo ran >> log"}}"#,
        r#"{"scripts":{"check":"echo evil >> log"}}"#,
    ),
    (
        "awk -f x.awk /dev/null",
        "x.awk",
        "BEGIN { system(\"echo ran >> log\") }\n",
        "BEGIN { system(\"echo evil >> log\") }\n",
    ),
    (
        "python3 -c 'import helper'",
        "helper.py",
        "open('log', 'a').write('ran\\n')\n",
        "open('log', 'a').write('evil!\\n')\n",
    ),
    ("python3 -m helper", "helper.py", "open('log', 'a').write('ran\\n')\n", "open('log', 'a').write('evil!\\n')\n"),
    ("PATH=./tools:$PATH check", "tools/check", "#!/bin/sh\necho ran >> log\n", "#!/bin/sh\necho evil >> log\n"),
    ("sh tools/*.sh", "tools/a.sh", "echo ran >> log\n", "echo evil >> log\n"),
    ("BASH_ENV=tools/a.sh bash -c :", "tools/a.sh", "echo ran >> log\n", "echo evil >> log\n"),
    ("bash --rcfile tools/a.sh -ic :", "tools/a.sh", "echo ran >> log\n", "echo evil >> log\n"),
    (
        "node -r ./first.js -e 0",
        "first.js",
        "require('fs').appendFileSync('log', 'ran\\n')\n",
        "require('fs').appendFileSync('log', 'evil\\n')\n",
    ),
];

#[test]
fn what_decides_what_a_command_runs_is_trusted_as_it_was() {
    for (command, file, good, evil) in DECIDING {
        let place = TrustProject::new(&format!("command = {command:?}\non_error = \"deny\""));
        let write = |text: &str| {
            place.project.write(file, text);
            let all = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(place.project.at(file), all).unwrap();
        };
        write(good);
        assert_eq!(place.hookrail(&["trust", "--yes"], "").0, Some(0), "{command}");
        place.fire();
        assert_eq!(place.runs(), 1, "{command}");
        write(evil);
        let said = place.fire();
        assert!(said.contains("\"deny\"") && said.contains("not what was trusted"), "{command}: {said}");
        assert_eq!(place.runs(), 1, "{command}");
    }
}

#[test]
fn a_package_list_may_change_beside_its_scripts() {
    let place = TrustProject::new("command = \"npm run -s check\"\non_error = \"deny\"");
    place.project.write("package.json", r#"{"scripts":{"check":"echo ran >> log"}}"#);
    place.hookrail(&["trust", "--yes"], "");
    place.project.write("package.json", r#"{"version":"2.0.0","scripts":{"check":"echo ran >> log"}}"#);
    assert!(!place.fire().contains("\"deny\""));
    assert_eq!(place.runs(), 1);
    let edit = json!({ "file_path": place.project.at("package.json"), "content": "{}" });
    assert!(!place.hookrail(&["hook"], &place.event("Write", &edit)).1.contains("is protected"));
}

#[test]
fn a_changed_hook_whose_failure_allows_is_told_once() {
    let place = TrustProject::new(CHECK);
    place.hookrail(&["trust", "--yes"], "");
    place.project.write("hooks/check.sh", "echo evil >> log\n");
    let said = [place.fire(), place.fire()].map(|said| said.contains("not what was trusted"));
    assert_eq!((said, place.runs()), ([true, false], 0));
}

#[test]
fn a_command_that_does_not_tell_what_it_runs_is_refused_with_a_way_out() {
    for command in ["$(cat name)", "eval \\\"$X\\\"", "curl https://x.example/a | sh"] {
        let place = TrustProject::new(&format!("command = \"{command}\""));
        let (code, said) = place.hookrail(&["trust", "--yes"], "");
        assert!(code != Some(0) && said.contains("cannot be trusted") && said.contains("hint:"), "{command}: {said}");
        place.fire();
        assert!(place.hookrail(&["trust", "--list"], "").1.contains("no command hook is trusted"), "{command}");
    }
}

#[test]
fn what_a_command_writes_does_not_end_the_trust_in_it() {
    let place = TrustProject::new("command = \"sh hooks/check.sh >> out.txt 2>> log\"");
    place.hookrail(&["trust", "--yes"], "");
    place.fire();
    place.fire();
    assert_eq!(place.runs(), 2);
}

#[test]
fn the_scripts_of_trusted_hooks_cannot_be_changed_by_a_tool() {
    let place = TrustProject::new(CHECK);
    let calls = [
        ("Write", json!({ "file_path": place.project.at("hooks/check.sh"), "content": "" })),
        ("Bash", json!({ "command": "echo evil > hooks/check.sh" })),
        ("Bash", json!({ "command": "rm -rf hooks" })),
        ("Bash", json!({ "command": "cd hooks && sed -i s/a/b/ check.sh" })),
    ];
    let refused = |place: &TrustProject| {
        let answers = calls.iter().map(|(tool, input)| place.hookrail(&["hook"], &place.event(tool, input)).1);
        answers.map(|said| said.contains("is protected")).collect::<Vec<_>>()
    };
    assert_eq!(refused(&place), [false; 4], "it is not trusted yet");
    place.hookrail(&["trust", "--yes"], "");
    assert_eq!(refused(&place), [true; 4]);
    let other = place.event("Write", &json!({ "file_path": place.project.at("hooks/other.sh"), "content": "" }));
    assert!(!place.hookrail(&["hook"], &other).1.contains("is protected"));
}
