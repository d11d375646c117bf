//! `hookrail verify` on agents that are made for it: small programs in the place of LLxprt Code.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A small agent with the hooks of its user's settings, which it has to be told to run. It speaks the Gemini API, which the
/// scripted model has as well.
const OBEDIENT: &str = r#"settings=$HOME/.config/llxprt-code/settings.json
sed -i 's/^{/{"enableHooks":true,/' "$settings"
exec hookrail demo -- --base-url "${4%/v1}" --settings "$settings" --obey "${13}""#;
/// The same without hooks.
const DEAF: &str = r#"exec hookrail demo -- --base-url "${4%/v1}" --obey "${13}""#;

/// A machine with one agent on it.
struct VerifyFixture {
    project: TempProject,
    home: TempProject,
}

impl VerifyFixture {
    /// The agent tells its version and otherwise runs this line of shell.
    fn with_agent(line: &str) -> Self {
        let machine = Self { project: TempProject::new(), home: TempProject::new() };
        machine.home.write("tmp/.keep", "");
        machine.install("1.2.3", line);
        machine
    }

    fn install(&self, version: &str, line: &str) {
        let script = format!("#!/bin/sh\nif [ \"$1\" = --version ]; then echo {version}; exit; fi\n{line}\n");
        self.home.write("bin/llxprt", &script);
        std::fs::set_permissions(self.home.at("bin/llxprt"), PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn hookrail(&self, args: &[&str]) -> Command {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        command.env("PATH", format!("{}:/usr/bin:/bin", self.home.at("bin").display()));
        command.env("TMPDIR", self.home.at("tmp")).env("OPENAI_API_KEY", "the user's own key").args(args);
        command
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        talk(&mut self.hookrail(args), "")
    }

    /// The throw-away homes that are left.
    fn left(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.home.at("tmp")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("hookrail-verify-")).collect()
    }
}

/// Surface, result and note of each line.
fn findings(json: &str) -> Vec<(String, String, String)> {
    let report: Value = serde_json::from_str(json).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let outcome = |it: &Value| (text(&it["surface"]), text(&it["result"]), text(&it["note"]));
    report["agents"][0]["surfaces"].as_array().unwrap().iter().map(outcome).collect()
}

#[test]
fn an_agent_that_does_what_hooks_say_is_found_to() {
    let machine = VerifyFixture::with_agent(OBEDIENT);
    let surfaces = ["shell", "write", "sub-agent", "prompt-context", "rewrite", "stop", "ask"];
    let mut args = vec!["verify", "llxprt", "--json"];
    args.extend(surfaces.iter().flat_map(|surface| ["--surface", surface]));
    let (code, out, err) = machine.run(&args);
    let expected = surfaces.map(|surface| {
        let (result, note) =
            if surface == "sub-agent" { ("absent", "sub-agents have to be defined first") } else { ("honoured", "") };
        (surface.to_owned(), result.to_owned(), note.to_owned())
    });
    assert_eq!(findings(&out), expected, "{err}");
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("LLxprt Code 1.2.3: shell honoured"), "{err}");
    assert_eq!(machine.left(), [""; 0]);
}

#[test]
fn an_agent_that_does_not_ask_hooks_is_found_not_to() {
    let machine = VerifyFixture::with_agent(DEAF);
    let (code, out, err) =
        machine.run(&["verify", "llxprt", "--surface", "shell", "--surface", "stop", "--surface", "prompt-context"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(out.starts_with("LLxprt Code 1.2.3 honours nothing\n"), "{out}");
    for line in
        ["hooks are not asked about it", "hooks are not asked at a prompt", "hooks are not asked at the end of a turn"]
    {
        assert!(out.split_whitespace().collect::<Vec<_>>().join(" ").contains(line), "{line}: {out}");
    }
}

#[test]
fn an_agent_that_does_not_start_or_end_is_not_tested_and_its_last_words_are_shown() {
    let cases = [
        ("echo cannot log in >&2; exit 1", "it did not ask the model anything; its last words: cannot log in"),
        ("sleep 600", "it did not end within 1 s"),
    ];
    for (line, note) in cases {
        let machine = VerifyFixture::with_agent(line);
        let (code, out, err) =
            machine.run(&["verify", "llxprt", "--json", "--timeout", "1", "--surface", "shell", "--surface", "stop"]);
        assert_eq!(code, Some(3), "{err}");
        for (surface, result, said) in findings(&out) {
            assert_eq!((result.as_str(), said.as_str()), ("untested", note), "{surface}");
        }
        assert_eq!(machine.left(), [""; 0]);
    }
}

#[test]
fn what_cannot_be_verified_is_said_plainly() {
    let machine = VerifyFixture::with_agent(OBEDIENT);
    let cases: [(&[&str], &str); 5] = [
        (&["verify", "llxpr"], "hint: did you mean `llxprt`?"),
        (&["verify", "codex"], "Codex is not installed: there is no program `codex` in PATH"),
        (&["verify", "vscode"], "VS Code cannot be verified: it runs inside an editor"),
        (&["verify", "llxprt", "--surface", "shel"], "hint: did you mean `shell`?"),
        (&["verify", "llxprt", "--timeout", "0"], "0 is not in 1..=3600"),
    ];
    for (args, message) in cases {
        let (code, out, err) = machine.run(args);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{args:?}");
        assert!(err.contains(message), "{args:?}: {err}");
    }
    std::fs::remove_file(machine.home.at("bin/llxprt")).unwrap();
    let (code, _, err) = machine.run(&["verify"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("PATH has no agent that can be run without a person"), "{err}");
}

#[test]
fn the_agent_sees_nothing_of_its_users() {
    let machine = VerifyFixture::with_agent("");
    let seen = machine.home.at("seen.txt");
    machine.install("1.2.3", &format!("env > '{}'; pwd >> '{0}'", seen.display()));
    machine.home.write(".config/llxprt-code/settings.json", r#"{"hooks": {}}"#);
    let before = std::fs::read(machine.home.at(".config/llxprt-code/settings.json")).unwrap();
    machine.run(&["verify", "llxprt", "--surface", "shell"]);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(!seen.contains("the user's own key"), "{seen}");
    let home = machine.home.path().display().to_string();
    let own =
        |line: &&str| line.contains(&home) && !line.starts_with("PATH=") && !line.contains("/tmp/hookrail-verify-");
    assert_eq!(seen.lines().filter(own).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(std::fs::read(machine.home.at(".config/llxprt-code/settings.json")).unwrap(), before);
}

#[test]
fn an_interrupt_ends_the_agent_and_removes_its_home() {
    let machine = VerifyFixture::with_agent("");
    let mark = machine.home.at("pid.txt");
    machine.install("1.2.3", &format!("setsid sleep 600 & echo $! > '{}'; wait", mark.display()));
    let mut command = machine.hookrail(&["verify", "llxprt"]);
    let child = command.stdin(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let pid = loop {
        let pid = std::fs::read_to_string(&mark).unwrap_or_default().trim().to_owned();
        if !pid.is_empty() {
            break pid;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "the agent was never started");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("interrupted; the agent was ended"), "{told}");
    assert_eq!(machine.left(), [""; 0]);
    // A process that has ended may stay in the table until its exit code is read.
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{pid} still runs: {state}");
}

#[test]
fn doctor_shows_the_last_result_and_says_when_the_agent_has_changed() {
    let machine = VerifyFixture::with_agent(OBEDIENT);
    let agents = |machine: &VerifyFixture| {
        let (_, out, _) = machine.run(&["doctor", "--json"]);
        let report: Value = serde_json::from_str(&out).unwrap();
        let area = report["areas"].as_array().unwrap().iter().find(|area| area["area"] == "Agents").unwrap().clone();
        let check = &area["checks"][0];
        [&check["state"], &check["what"], &check["fix"]].map(|it| it.as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(agents(&machine)[1], "LLxprt Code 1.2.3");
    machine.run(&["verify", "llxprt", "--surface", "shell"]);
    let [state, what, _] = agents(&machine);
    assert_eq!(state, "ok");
    assert!(what.starts_with("LLxprt Code 1.2.3, verified on 20") && what.ends_with(": honours shell"), "{what}");
    machine.install("1.2.4", OBEDIENT);
    let [state, what, fix] = agents(&machine);
    assert_eq!((state.as_str(), fix.as_str()), ("warning", "hookrail verify llxprt"));
    assert!(what.ends_with("it was 1.2.3 then"), "{what}");
    machine.install("1.2.3", &format!("true\n{OBEDIENT}"));
    assert!(agents(&machine)[1].ends_with("its program is another one since then"));
}
