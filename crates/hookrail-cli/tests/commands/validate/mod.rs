//! `hookrail validate` on files of every kind, with the real binary.

use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::process::{Command, Output};

const GOOD: &str =
    r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}"#;
const WARNING: &str = r#"{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}]}}"#;
const ERROR: &str = r#"{"hooks": {"BeforeTool": []}}"#;

fn validate(disk: &TempProject, args: &[&str]) -> Output {
    disk.command(env!("CARGO_BIN_EXE_hookrail")).arg("validate").args(args).output().unwrap()
}

fn codes(disk: &TempProject, args: &[&str]) -> Vec<String> {
    let output = validate(disk, &[args, &["--json"]].concat());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = json["files"].as_array().unwrap().iter().flat_map(|file| file["findings"].as_array().unwrap());
    findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_exit_code_tells_how_bad_it_is() {
    let disk = TempProject::new()
        .file("good/hooks.json", GOOD)
        .file("warning/hooks.json", WARNING)
        .file("error/hooks.json", ERROR)
        .file("other.json", "{}");
    let cases: [(&[&str], i32); 10] = [
        (&["--strict", "--ignore", "matcher-ignored", "warning/hooks.json"], 0),
        (&["--ignore", "matcher-ignord", "warning/hooks.json"], 1),
        (&["good/hooks.json"], 0),
        (&["warning/hooks.json"], 0),
        (&["--strict", "warning/hooks.json"], 3),
        (&["--agent", "claude", "error/hooks.json"], 3),
        (&["error/hooks.json"], 0), // Gemini CLI has that event.
        (&["other.json"], 1),
        (&["gone.json"], 1),
        (&["--agent", "claude", "error/hooks.json", "gone.json"], 1),
    ];
    for (args, expected) in cases {
        let output = validate(&disk, args);
        assert_eq!(output.status.code(), Some(expected), "{args:?}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn without_a_file_all_that_holds_here_is_checked() {
    let disk = TempProject::new()
        .file("home/.claude/settings.json", ERROR)
        .file("home/.config/llxprt-code/settings.json", ERROR)
        .file("home/.codex/config.toml", "[[hooks.BeforeTool]]\n")
        .file("home/.config/hookrail/hookrail.toml", "[pack]\n")
        .file(".claude/settings.local.json", ERROR)
        .file(".gemini/settings.json", GOOD)
        .file(".codex/hooks.json", ERROR)
        .file(".hookrail/local.toml", "[pack]\n")
        .file(".claude-plugin/plugin.json", "{}")
        .file("hooks/hooks.json", ERROR);
    let mut expected = vec!["hookrail-toml"; 2];
    expected.extend(["unknown-event"; 6]);
    assert_eq!(codes(&disk, &[]), expected);
    assert_eq!(codes(&disk, &["."]).len(), 5, "a folder stands for the files of its project only");
    assert_eq!(codes(&disk, &["--agent", "codex", "."]), ["unknown-event"; 2], "the plugin's file and Codex's own");
}

#[test]
fn in_the_home_folder_each_file_is_checked_once() {
    let disk = TempProject::new().file("home/.claude/settings.json", ERROR);
    let run = |home: Option<std::path::PathBuf>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookrail"));
        command.args(["validate", "--json"]).current_dir(disk.at("home")).env_clear().envs(home.map(|it| ("HOME", it)));
        let output = command.output().unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        json["files"].as_array().unwrap().len()
    };
    assert_eq!(run(Some(disk.at("home"))), 1);
    assert_eq!(run(None), 1, "without a home there is only the project");
}

#[test]
fn scripts_are_never_run() {
    let disk = TempProject::new()
        .script("hooks/x.sh", "#!/bin/sh\ntouch ran\n")
        .file(".claude/settings.json", &GOOD.replace("\"true\"", "\"hooks/x.sh && $(touch ran) `touch ran`\""));
    validate(&disk, &[]);
    assert!(!disk.exists("ran"));
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    let disk = TempProject::new().file(
        ".claude/settings.json",
        "{\"hooks\": {\"Pre\\u001b[31mTool\": [], \"Sto\u{202e}p\": [], \"a\u{1b}[2Jb\": []}}",
    );
    let output = validate(&disk, &[]);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(text.contains("unknown-event"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
}

#[test]
fn files_that_are_no_files_are_told_and_do_not_hold_it_up() {
    let disk = TempProject::new().file("keep", "");
    std::fs::create_dir(disk.at("empty")).unwrap();
    let pipe = Command::new("mkfifo").arg(disk.at("pipe.json")).status().unwrap();
    assert!(pipe.success());
    let file = std::fs::File::create(disk.at("large.json")).unwrap();
    file.set_len(64 * 1024 * 1024).unwrap();
    for (name, expected) in [("pipe.json", "not a file"), ("large.json", "too large")] {
        let output = validate(&disk, &["--agent", "claude", name]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && text.contains(expected), "{name}: {text}");
    }
    assert_eq!(validate(&disk, &["empty"]).status.code(), Some(0));
}

#[test]
fn the_plugins_of_this_repository_have_no_mistakes() {
    let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins");
    let files: Vec<String> = std::fs::read_dir(plugins)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("hooks/hooks.json"))
        .filter(|file| file.exists())
        .map(|file| file.display().to_string())
        .collect();
    assert!(!files.is_empty());
    let disk = TempProject::new().file("keep", "");
    let args: Vec<&str> = files.iter().map(String::as_str).collect();
    // The program itself need not be in the PATH of a test.
    let found: Vec<String> = codes(&disk, &args).into_iter().filter(|code| code != "command-not-found").collect();
    assert_eq!(found, [""; 0]);
}

fn sarif(disk: &TempProject, args: &[&str]) -> Value {
    let output = validate(disk, &[args, &["--format", "sarif"]].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What the schema of SARIF 2.1.0 requires of the objects that are used here, and the type of each.
const REQUIRED: [(&str, &[&str]); 9] = [
    ("", &["version", "runs"]),
    ("/runs/0", &["tool"]),
    ("/runs/0/tool", &["driver"]),
    ("/runs/0/tool/driver", &["name"]),
    ("/runs/0/tool/driver/rules/0", &["id"]),
    ("/runs/0/invocations/0", &["executionSuccessful"]),
    ("/runs/0/results/0", &["message"]),
    ("/runs/0/results/0/message", &["text"]),
    ("/runs/0/results/0/locations/0/physicalLocation", &["artifactLocation", "region"]),
];

#[test]
fn sarif_has_every_field_that_its_schema_requires() {
    let disk = TempProject::new().file("error/hooks.json", ERROR);
    let log = sarif(&disk, &["--agent", "claude", "error/hooks.json"]);
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().ends_with("/sarif-schema-2.1.0.json"));
    for (pointer, fields) in REQUIRED {
        let object = log.pointer(pointer).unwrap();
        for field in fields {
            assert!(object.get(field).is_some(), "{pointer} has no {field}: {object}");
        }
    }
}

#[test]
fn a_sarif_result_names_its_rule_its_file_and_its_region() {
    let disk = TempProject::new().file("pro ject/hooks.json", "{\n  \"hooks\": {\"BeforeTool\": []}\n}");
    let log = sarif(&disk, &["--agent", "claude", "pro ject/hooks.json"]);
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "unknown-event");
    assert_eq!(result["level"], "error");
    let rule = &run["tool"]["driver"]["rules"][usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
    assert_eq!(rule["id"], "unknown-event");
    for text in ["/shortDescription/text", "/fullDescription/text", "/help/text", "/help/markdown"] {
        assert!(!rule.pointer(text).unwrap().as_str().unwrap().is_empty(), "{text}");
    }
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        location["artifactLocation"],
        serde_json::json!({"uri": "pro%20ject/hooks.json", "uriBaseId": "SRCROOT"})
    );
    let region = serde_json::json!({"startLine": 2, "startColumn": 13, "endLine": 2, "endColumn": 25});
    assert_eq!(location["region"], region);
    assert!(run["originalUriBaseIds"]["SRCROOT"]["uri"].as_str().unwrap().ends_with('/'));
}

#[test]
fn a_file_that_cannot_be_read_makes_a_sarif_run_that_failed() {
    let disk = TempProject::new().file("good/hooks.json", GOOD);
    let cases: [(&str, bool, usize); 2] = [("good/hooks.json", true, 0), ("gone.json", false, 1)];
    for (file, successful, notifications) in cases {
        let log = sarif(&disk, &[file]);
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], successful, "{file}");
        assert_eq!(invocation["toolExecutionNotifications"].as_array().unwrap().len(), notifications, "{file}");
        assert_eq!(log["runs"][0]["results"], serde_json::json!([]), "{file}");
    }
}
