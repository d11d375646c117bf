//! Drift is seen: what the configuration needs and what an agent's file has are compared, and the command that is named
//! mends it.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Agents, each with its file in a project, and its event before a tool.
const AGENTS: [(&str, &str, &str); 4] = [
    ("claude", ".claude/settings.json", "PreToolUse"),
    ("gemini", ".gemini/settings.json", "BeforeTool"),
    ("codex", ".codex/hooks.json", "PreToolUse"),
    ("qwen", ".qwen/settings.json", "PreToolUse"),
];

struct DriftFixture {
    project: TempProject,
    home: TempProject,
}

impl DriftFixture {
    /// With hookrail installed into an agent, without the pack that looks at every tool.
    fn with(agent: &str) -> Self {
        let machine = Self { project: TempProject::new(), home: TempProject::new() };
        machine.configure("");
        let (code, out, err) = machine.hookrail(&["install", agent], "");
        assert_eq!(code, Some(0), "{agent}: {out}{err}");
        machine
    }

    fn configure(&self, more: &str) {
        let config = format!("[packs.safety]\nenabled = false\n{more}");
        self.home.write(".config/hookrail/hookrail.toml", &config);
    }

    fn hookrail(&self, args: &[&str], stdin: &str) -> (Option<i32>, String, String) {
        let binary = Path::new(env!("CARGO_BIN_EXE_hookrail"));
        // As after an installation: by name it is this one.
        let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
        talk(program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home).env("PATH", path).args(args), stdin)
    }

    /// The checks of hookrail's own entries: state, what, and the command that mends it.
    fn entries(&self) -> Vec<(String, String, String)> {
        let (_, out, err) = self.hookrail(&["doctor", "--json"], "");
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
        let areas = report["areas"].as_array().unwrap();
        let area = areas.iter().find(|area| area["area"] == "Hook entries").unwrap();
        let text = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
        let checks = area["checks"].as_array().unwrap().iter();
        checks.map(|check| (text(check, "state"), text(check, "what"), text(check, "fix"))).collect()
    }
}

/// What happens to an agent's file or to the configuration after `install`; `None` where it does not apply.
type Change = fn(&str, &str) -> Option<String>;

const CHANGES: &[(&str, Change, &str)] = &[
    ("an event is gone", |text, event| Some(text.replace(&format!("\"{event}\""), "\"Nothing\"")), ""),
    ("the command is another one", |text, _| Some(text.replace("hookrail-hook", "true #")), ""),
    (
        "a matcher is narrower",
        |text, _| {
            let mut file: Value = serde_json::from_str(text).ok()?;
            narrow(&mut file).then(|| file.to_string())
        },
        "",
    ),
    ("everything is gone", |_, _| Some("{}\n".to_owned()), ""),
    ("it is no JSON", |_, _| Some("{ \"hooks\": ".to_owned()), "hookrail validate"),
];

/// Makes the first matcher match one tool alone.
fn narrow(value: &mut Value) -> bool {
    match value {
        Value::Object(table) if table.contains_key("matcher") => {
            table.insert("matcher".to_owned(), json!("OnlyThisTool"));
            true
        }
        Value::Object(table) => table.values_mut().any(narrow),
        Value::Array(list) => list.iter_mut().any(narrow),
        _ => false,
    }
}

/// Runs the command that a check names.
fn mend(machine: &DriftFixture, command: &str) {
    let words: Vec<&str> = command.strip_prefix("hookrail ").unwrap().split(' ').collect();
    let (code, out, err) = machine.hookrail(&words, "");
    assert!(matches!(code, Some(0 | 3)), "{command}: {out}{err}");
}

#[test]
fn whatever_happens_to_the_entries_is_an_error_and_the_command_that_is_named_mends_it() {
    for (agent, file, event) in AGENTS {
        for (what, change, unmendable) in CHANGES {
            let machine = DriftFixture::with(agent);
            let path = machine.project.at(file);
            let installed = fs::read_to_string(&path).unwrap();
            let Some(changed) = change(&installed, event) else {
                assert!(!installed.contains("matcher"), "{agent}: {what} does not apply");
                continue;
            };
            assert_ne!(changed, installed, "{agent}: {what}");
            fs::write(&path, changed).unwrap();
            assert_eq!(machine.hookrail(&["doctor"], "").0, Some(3), "{agent}: {what}");
            let wrong = machine.entries().into_iter().find(|(state, ..)| state == "error").unwrap();
            let fix = wrong.2;
            assert!(fix.starts_with("hookrail "), "{agent}: {what}: {fix}");
            if !unmendable.is_empty() {
                assert!(fix.starts_with(unmendable), "{agent}: {what}: {fix}");
                continue;
            }
            mend(&machine, &fix);
            let left: Vec<_> = machine.entries().into_iter().filter(|(state, ..)| state == "error").collect();
            assert!(left.is_empty(), "{agent}: {what}, then `{fix}`: {left:?}");
        }
    }
}

#[test]
fn a_file_that_its_agent_will_not_read_is_an_error_is_not_installed_into_and_can_be_mended() {
    // (what, the change, agents that read such a file)
    type Case = (&'static str, fn(&str) -> String, &'static [&'static str]);
    let cases: [Case; 3] = [
        ("a comment", |text| format!("// mine\n{text}"), &["gemini", "qwen"]),
        ("a trailing comma", |text| text.trim_end().trim_end_matches('}').trim_end().to_owned() + ",\n}\n", &[]),
        ("a byte order mark", |text| format!("\u{feff}{text}"), &["claude"]),
    ];
    for (agent, file, _) in AGENTS {
        for (what, change, readers) in &cases {
            let machine = DriftFixture::with(agent);
            let path = machine.project.at(file);
            let changed = change(&fs::read_to_string(&path).unwrap());
            fs::write(&path, &changed).unwrap();
            let wrong = machine.entries().into_iter().find(|(state, ..)| state == "error");
            let (code, out, err) = machine.hookrail(&["install", agent], "");
            let Some((_, told, fix)) = wrong else {
                assert!(readers.contains(&agent), "{agent} does not read {what}, and no warning says so");
                assert_eq!(code, Some(0), "{agent}: {what}: {out}{err}");
                continue;
            };
            assert!(!readers.contains(&agent), "{agent} reads {what}: {told}");
            assert!(told.contains("does not read"), "{agent}: {what}: {told}");
            assert!(code == Some(1) && !out.contains("installed"), "{agent}: {what}: {out}{err}");
            assert_eq!(fs::read_to_string(&path).unwrap(), changed, "{agent}: {what}: nothing was changed");
            mend(&machine, &fix);
            let left: Vec<_> = machine.entries().into_iter().filter(|(state, ..)| state == "error").collect();
            assert!(left.is_empty(), "{agent}: {what}, then `{fix}`: {left:?}");
            let kept = fs::read_to_string(machine.project.at(format!("{file}.before-fix"))).unwrap();
            assert_eq!(kept, changed, "{agent}: {what}: as it was, it is still there");
        }
    }
}

#[test]
fn a_hook_that_the_entries_do_not_reach_is_told_by_the_doctor_and_at_the_next_event() {
    // (what is added, what the doctor says it does not reach)
    let cases = [
        ("[[command]]\nname = \"log\"\nevent = \"SessionEnd\"\ncommand = \"true\"\n", "SessionEnd"),
        ("[[command]]\nname = \"log\"\nevent = \"BeforeTool\"\ncommand = \"true\"\n", "PreToolUse"),
        (
            "[[command]]\nname = \"log\"\nevent = \"BeforeTool\"\nmatcher = \"TodoWrite\"\ncommand = \"true\"\n",
            "PreToolUse",
        ),
        ("[packs.planning]\nenabled = true\n", "PostToolUse"),
    ];
    for (added, part) in cases {
        let machine = DriftFixture::with("claude");
        machine.configure(added);
        let (state, what, fix) = machine.entries().remove(0);
        assert!(state == "error" && what.contains(part), "{added}: {what}");
        let event = json!({
            "session_id": "s", "transcript_path": "", "cwd": machine.project.path(), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": { "command": "ls" },
        });
        let (code, out, err) = machine.hookrail(&["hook"], &event.to_string());
        let said = format!("{out}{err}");
        assert!(code == Some(0) && said.contains("do not reach") && said.contains("hookrail"), "{added}: {said}");
        mend(&machine, &fix);
        assert_eq!(machine.entries().remove(0).0, "ok", "{added}, then `{fix}`");
        let (_, out, err) = machine.hookrail(&["hook"], &event.to_string());
        assert!(!format!("{out}{err}").contains("do not reach"), "{added}: {out}{err}");
    }
}

#[test]
fn strict_fails_for_whatever_is_only_to_be_looked_at() {
    type Warning = (&'static str, fn(&DriftFixture));
    let warnings: [Warning; 2] = [
        ("development mode", |machine| {
            machine.configure("[dev_mode]\nfile = \".off\"\n");
            machine.project.write(".off", "");
        }),
        ("a file in the wrong place", |machine| machine.project.write("hookrail.toml", "")),
    ];
    for (what, make) in warnings {
        let machine = DriftFixture::with("claude");
        make(&machine);
        assert_eq!(machine.hookrail(&["doctor"], "").0, Some(0), "{what}");
        assert_eq!(machine.hookrail(&["doctor", "--strict"], "").0, Some(1), "{what}");
    }
}
