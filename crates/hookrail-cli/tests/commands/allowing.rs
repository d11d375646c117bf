//! `hookrail allow`, at a terminal and elsewhere.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::process::{Command, Output};

/// A terminal: runs what it is told and types the first argument when it is asked.
const TERMINAL: &str = r#"
import os, pty, sys
answer, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
os.write(terminal, (answer + "\n").encode())
shown = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
sys.stdout.write(shown.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

struct Fixture {
    project: TempProject,
    home: TempProject,
}

impl Fixture {
    fn new() -> Self {
        Self { project: TempProject::new().file("data/orders.csv", "a\n"), home: TempProject::new() }
    }

    fn hookrail(&self) -> Command {
        program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home)
    }

    /// What an agent is told about a command.
    fn decision(&self, event: &str, command: &str, call: &str) -> Value {
        let event = json!({
            "session_id": "s1", "cwd": self.project.path(), "hook_event_name": event,
            "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": call,
        });
        let answer = talk(self.hookrail().args(["hook", "--agent", "claude"]), event.to_string()).1;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        answer.pointer("/hookSpecificOutput/permissionDecision").cloned().unwrap_or_default()
    }

    fn asks(&self, command: &str) -> bool {
        self.decision("PreToolUse", command, "t") == "ask"
    }

    /// An answer is typed at a terminal; `None` where there is no python3 to make one.
    fn at_terminal(&self, answer: &str, args: &[&str]) -> Option<(i32, String)> {
        let command = self.hookrail();
        let environment: Vec<_> =
            command.get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned())).collect();
        let mut terminal = Command::new("python3");
        terminal.env_clear().envs(environment).env("PATH", std::env::var_os("PATH").unwrap()).env("NO_COLOR", "1");
        terminal.current_dir(self.project.path()).args(["-c", TERMINAL, answer]).arg(command.get_program()).args(args);
        let Ok(Output { status, stdout, .. }) = terminal.output() else {
            eprintln!("note: there is no python3, so nothing was tried");
            return None;
        };
        Some((status.code().unwrap(), String::from_utf8(stdout).unwrap()))
    }

    fn configuration(&self) -> String {
        std::fs::read_to_string(self.home.path().join(".config/hookrail/hookrail.toml")).unwrap_or_default()
    }
}

#[test]
fn an_exception_is_narrow_shown_first_and_loses_nothing() {
    let fixture = Fixture::new();
    fixture.home.write(".config/hookrail/hookrail.toml", "# mine\nprivacy = \"full\" # kept\n");
    assert!(fixture.asks("rm -rf data"));
    let Some((code, shown)) = fixture.at_terminal("n", &["allow", "last"]) else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("+ [[exception]]") && shown.contains("nothing changed"), "{shown}");
    assert_eq!(fixture.configuration(), "# mine\nprivacy = \"full\" # kept\n");

    let (code, shown) =
        fixture.at_terminal("y", &["allow", "last", "--until", "2999-12-31", "--reason", "old data"]).unwrap();
    assert_eq!(code, 0, "{shown}");
    let written = fixture.configuration();
    assert!(written.starts_with("# mine\nprivacy = \"full\" # kept\n\n[[exception]]\n"), "{written}");
    for part in ["effect = \"fs.delete\"", "/data\"", "until = \"2999-12-31\"", "reason = \"old data\""] {
        assert!(written.contains(part), "{part}: {written}");
    }
    assert!(!written.contains("rm -rf"), "never on text: {written}");
    assert!(!fixture.asks("rm -rf data") && !fixture.asks("cd data/.. && rm -r ./data"));
    fixture.project.write("src/a.rs", "");
    assert!(fixture.asks("rm -rf src"), "another folder is asked about as before");

    let (code, out, _) = talk(fixture.hookrail().arg("test"), "");
    assert_eq!(code, Some(0), "the scenario holds: {out}");
    let without = written.split("[[exception]]").next().unwrap();
    fixture.home.write(".config/hookrail/hookrail.toml", without);
    let (code, out, _) = talk(fixture.hookrail().arg("test"), "");
    assert_eq!(code, Some(3), "and does not without the exception: {out}");
}

#[test]
fn of_several_rules_that_refused_a_call_the_strictest_is_taken_and_the_others_are_named() {
    let fixture = Fixture::new();
    fixture.project.write(".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(fixture.decision("PreToolUse", "git push --force origin main", "t"), "deny");
    let Some((_, shown)) = fixture.at_terminal("n", &["allow", "last"]) else { return };
    assert!(shown.contains("rule = \"safety/force-push\""), "{shown}");
    assert!(shown.contains("has nothing against") && shown.contains("expect = { decision = \"ask\" }"), "{shown}");
    assert!(shown.contains("rule `safety/push-to-main` will still ask about this call"), "{shown}");
}

#[test]
fn what_is_allowed_once_is_used_up_by_one_call_and_its_own_question() {
    let fixture = Fixture::new();
    assert!(fixture.asks("rm -rf data"));
    let Some((code, shown)) = fixture.at_terminal("y", &["allow", "last", "--once"]) else { return };
    assert_eq!(code, 0, "{shown}");
    assert_eq!(fixture.configuration(), "", "nothing is written to a hookrail.toml");
    assert_eq!(fixture.decision("PreToolUse", "rm -rf data", "one"), Value::Null);
    assert_eq!(fixture.decision("PermissionRequest", "rm -rf data", "one"), Value::Null);
    assert_eq!(fixture.decision("PreToolUse", "rm -rf data", "two"), "ask");
}

#[test]
fn nobody_but_a_person_at_a_terminal_allows_anything() {
    let fixture = Fixture::new();
    assert!(fixture.asks("rm -rf data"));
    let (code, _, _) = talk(fixture.hookrail().args(["allow", "last"]), "y\n");
    assert_eq!(code, Some(1));
    for command in
        ["hookrail allow last", "yes | script -qc 'hookrail allow last' /dev/null", "hookrail rules import --write"]
    {
        assert_eq!(fixture.decision("PreToolUse", command, "t"), "deny", "{command}");
    }
    assert_eq!(fixture.decision("PreToolUse", "hookrail rules check", "t"), Value::Null);
    assert_eq!(fixture.configuration(), "");
}

#[test]
fn records_that_cannot_be_allowed_say_why() {
    let fixture = Fixture::new();
    fixture.home.write(".config/hookrail/hookrail.toml", "[packs.safety]\nmode = \"off\"\n");
    fixture
        .project
        .write(".hookrail/hookrail.toml", "[[rule]]\nid = \"no-eval\"\nwhen = { gap = true }\ndecide = \"ask\"\n");
    for (command, record, expected) in [
        ("ls", "last", "no rule has refused a call yet"),
        ("ls", "1", "is not a refusal by a rule"),
        ("ls", "99", "no record 99"),
        ("ls", "first", "is not the number of a record"),
        ("eval \"$X\"", "last", "no narrow exception"),
    ] {
        fixture.decision("PreToolUse", command, "t");
        let Some((code, shown)) = fixture.at_terminal("y", &["allow", record]) else { return };
        assert_eq!(code, 1, "{shown}");
        assert!(shown.contains(expected), "{record}: {shown}");
    }
}

#[test]
fn what_was_approved_three_times_is_proposed_and_not_granted() {
    let fixture = Fixture::new();
    fixture.home.write(".config/hookrail/hookrail.toml", "[hooks.\"core/event-log\"]\nmode = \"enforce\"\n");
    let rules = || talk(fixture.hookrail().arg("rules"), "").1;
    for number in 0..3 {
        assert!(!rules().contains("approved"), "after {number}");
        let call = format!("call-{number}");
        assert_eq!(fixture.decision("PreToolUse", "rm -rf data", &call), "ask");
        fixture.decision("PostToolUse", "rm -rf data", &call);
    }
    // Asked, and not approved.
    assert_eq!(fixture.decision("PreToolUse", "rm -rf data", "refused"), "ask");
    let listed = rules();
    assert!(listed.contains("approved 3 times: `data`"), "{listed}");
    assert!(fixture.asks("rm -rf data"), "nothing is granted");
}
