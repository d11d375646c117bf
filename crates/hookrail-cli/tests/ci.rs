//! The GitHub Action and the pre-commit hooks, run as a CI runner would.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const BINARY: &str = env!("CARGO_BIN_EXE_hookrail");
const GOOD: &str = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "hookrail hook --agent claude", "timeout": 15}]}]}}"#;
const WARNING: &str = r#"{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}]}}"#;
const ERROR: &str = r#"{"hooks": {"BeforeTool": []}}"#;
const PASSING: &str = "# A\n\n```toml event\nshell = \"rm -rf ~\"\n```\n\n```toml expect\ndecision = \"block\"\n```\n";
const FAILING: &str = "# A\n\n```toml event\nshell = \"ls\"\n```\n\n```toml expect\ndecision = \"block\"\n```\n";

fn yaml(file: &str) -> Value {
    let text = std::fs::read_to_string(format!("{ROOT}/{file}")).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

/// A machine on which nothing of a user is, with hookrail in its PATH.
fn run(disk: &TempProject, program: &str, args: &[&str], env: &[(&str, &str)]) -> Output {
    let folder = std::path::Path::new(BINARY).parent().unwrap();
    Command::new(program)
        .args(args)
        .current_dir(disk.path())
        .env_clear()
        .env("HOME", disk.at("home"))
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .envs(env.iter().copied())
        .output()
        .unwrap()
}

fn check(disk: &TempProject, env: &[(&str, &str)]) -> Output {
    run(disk, &format!("{ROOT}/ci/check"), &[], env)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}

#[test]
fn the_check_fails_exactly_where_a_step_does_and_names_it() {
    type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)], i32, &'static str);
    let cases: [Case; 7] = [
        (".claude/settings.json", GOOD, &[], 0, "no mistakes found"),
        (".claude/settings.json", WARNING, &[("VALIDATE_STRICT", "true")], 1, "failed: validate (exit code 3)"),
        (".claude/settings.json", ERROR, &[], 1, "failed: validate (exit code 3)"),
        (".hookrail/hookrail.toml", "[pack]\n", &[], 1, "doctor (exit code 3)"),
        (".hookrail/tests/a.md", FAILING, &[], 1, "failed: test"),
        (".claude/settings.json", GOOD, &[("HOOKRAIL", "/gone/hookrail")], 1, "hint: install hookrail"),
        (".claude/settings.json", GOOD, &[("BACKTEST_ARGS", "--no-such-option")], 1, "failed: backtest (exit code 1)"),
    ];
    for (file, content, env, expected, told) in cases {
        let disk = TempProject::new().file(file, content);
        let output = check(&disk, env);
        let text = text(&output);
        assert_eq!(output.status.code(), Some(expected), "{file} {env:?}: {text}");
        assert!(text.contains(told), "{file} {env:?}: {text}");
    }
}

#[test]
fn the_check_writes_sarif_although_validate_fails() {
    let disk = TempProject::new().file(".claude/settings.json", ERROR);
    let file = disk.at("out.sarif");
    let output = check(&disk, &[("SARIF_FILE", file.to_str().unwrap())]);
    assert_eq!(output.status.code(), Some(1));
    let log: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(location["uri"], ".claude/settings.json");
}

#[test]
fn doctor_of_a_project_passes_where_no_agent_and_no_state_is() {
    let disk = TempProject::new().file(".claude/settings.json", GOOD);
    let cases: [(&[&str], i32); 2] = [(&["doctor", "--strict", "--project"], 0), (&["doctor", "--strict"], 1)];
    for (args, expected) in cases {
        let output = run(&disk, BINARY, args, &[]);
        assert_eq!(output.status.code(), Some(expected), "{args:?}: {}", text(&output));
    }
    assert!(!disk.exists("home/.local"), "it only reads");
}

#[test]
fn the_action_hands_every_input_over_as_a_variable_that_the_scripts_read() {
    let action = yaml("action.yml");
    assert_eq!(action["runs"]["using"], "composite");
    let script: String = ["ci/check", "ci/install"]
        .iter()
        .map(|file| std::fs::read_to_string(format!("{ROOT}/{file}")).unwrap())
        .collect();
    let mut used = String::new();
    for step in action["runs"]["steps"].as_array().unwrap() {
        assert_eq!(step["shell"], "bash", "a composite step needs a shell");
        let command = step["run"].as_str().unwrap();
        // An expression in a script would let the text of an input run as code.
        assert!(!command.contains("${{"), "{command}");
        used.push_str(&step.to_string());
        for (name, _) in step["env"].as_object().unwrap() {
            assert!(command.contains(&format!("${name}")) || script.contains(name.as_str()), "{name} is not read");
        }
    }
    for (input, about) in action["inputs"].as_object().unwrap() {
        assert!(used.contains(&format!("inputs.{input}")), "the input {input} is not used");
        assert!(about["description"].is_string() && about["default"].is_string(), "{input}");
    }
    assert_eq!(action["inputs"]["version"]["default"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn pre_commit_hooks_run_and_tell_a_mistake_by_their_exit_code() {
    let has_backtest = run(&TempProject::new().file("keep", ""), BINARY, &["backtest", "--help"], &[]).status.success();
    for hook in yaml(".pre-commit-hooks.yaml").as_array().unwrap() {
        let (id, entry) = (hook["id"].as_str().unwrap(), hook["entry"].as_str().unwrap());
        assert_eq!(hook["pass_filenames"], false, "{id}");
        if entry == "hookrail backtest" && !has_backtest {
            continue;
        }
        let mut words = entry.split(' ');
        let program = match (hook["language"].as_str().unwrap(), words.next().unwrap()) {
            ("script", script) => format!("{ROOT}/{script}"),
            (_, program) => program.to_owned(),
        };
        let args: Vec<&str> = words.collect();
        if entry == "hookrail backtest" {
            assert!(run(&TempProject::new().file("keep", ""), &program, &["backtest", "--help"], &[]).status.success());
            continue;
        }
        let good = TempProject::new().file(".claude/settings.json", GOOD).file(".hookrail/tests/a.md", PASSING);
        let bad = TempProject::new()
            .file(".claude/settings.json", ERROR)
            .file(".hookrail/hookrail.toml", "[pack]\n")
            .file(".hookrail/tests/a.md", FAILING);
        let output = run(&good, &program, &args, &[]);
        assert!(output.status.success(), "{id}: {}", text(&output));
        assert!(!run(&bad, &program, &args, &[]).status.success(), "{id} overlooks mistakes");
    }
}

#[test]
fn an_archive_with_another_sum_is_not_installed() {
    let disk = TempProject::new().file("box/hookrail-x/hookrail", "#!/bin/sh\necho installed\n");
    let target = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "x86_64-unknown-linux-gnu",
        ("linux", "aarch64") => "aarch64-unknown-linux-gnu",
        ("macos", "x86_64") => "x86_64-apple-darwin",
        _ => "aarch64-apple-darwin",
    };
    let archive = format!("releases/v9.9.9/hookrail-{target}.tar.gz");
    std::fs::create_dir_all(disk.at("releases/v9.9.9")).unwrap();
    assert!(run(&disk, "tar", &["-czf", &archive, "-C", "box", "hookrail-x"], &[]).status.success());
    let sum = run(&disk, "sha256sum", &[&archive], &[]).stdout;
    let base = format!("file://{}/releases", disk.path().display());
    let install = || run(&disk, &format!("{ROOT}/ci/install"), &["9.9.9", "bin"], &[("HOOKRAIL_RELEASES", &base)]);
    for (sum, installed) in [("0000  other".into(), false), (String::from_utf8(sum).unwrap(), true)] {
        std::fs::write(disk.at(format!("{archive}.sha256")), &sum).unwrap();
        let output = install();
        assert_eq!(output.status.success(), installed, "{sum}: {}", text(&output));
        assert_eq!(disk.exists("bin/hookrail"), installed, "{sum}");
    }
}
