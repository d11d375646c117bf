//! `hookrail watch` on a pseudo-terminal.

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Command;

const TERMINAL: &str = include_str!("terminal.py");

struct Fixture {
    project: TempProject,
    home: TempProject,
}

impl Fixture {
    fn new() -> Self {
        Self { project: TempProject::new(), home: TempProject::new() }
    }

    fn hookrail(&self) -> Command {
        program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home)
    }

    fn event(&self, command: &str, more: &Value) -> String {
        let mut event = json!({
            "session_id": "s1", "cwd": self.project.path(), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": { "command": command },
        });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event.to_string()
    }

    fn happens(&self, command: &str, more: &Value) {
        talk(self.hookrail().args(["hook", "--agent", "claude"]), self.event(command, more));
    }

    /// The screens that were asked for, and the exit code; `None` where there is no python3 to make a terminal.
    fn at_terminal(&self, (rows, columns): (u16, u16), steps: &Value, args: &[&str]) -> Option<(i32, Vec<String>)> {
        let command = self.hookrail();
        let environment: Vec<_> =
            command.get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned())).collect();
        let mut terminal = Command::new("python3");
        terminal.env_clear().envs(environment).env("PATH", std::env::var_os("PATH").unwrap()).env("TERM", "xterm");
        terminal.current_dir(self.project.path()).args(["-c", TERMINAL, &rows.to_string(), &columns.to_string()]);
        terminal.arg(steps.to_string()).arg(command.get_program()).arg("watch").args(args);
        let Ok(output) = terminal.output() else {
            eprintln!("note: there is no python3, so nothing was tried");
            return None;
        };
        let text = String::from_utf8(output.stdout).unwrap();
        let code = output.status.code().unwrap();
        assert_ne!(code, 99, "{text}");
        assert!(!text.contains("the terminal was not restored"), "{text}");
        Some((code, text.split("========\n").map(str::to_owned).filter(|screen| !screen.trim().is_empty()).collect()))
    }
}

fn lines_with<'s>(screen: &'s str, part: &str) -> Vec<&'s str> {
    screen.lines().filter(|line| line.contains(part)).collect()
}

#[test]
fn events_appear_as_they_happen_in_lanes_and_a_list_and_everything_fits_80_by_24() {
    let fixture = Fixture::new();
    fixture.happens("ls", &json!({}));
    fixture.happens("cat notes", &json!({ "agent_id": "a1", "agent_type": "Explore" }));
    let steps = json!([
        { "wait": "cat notes" },
        { "run": [["hook", "--agent", "claude"], fixture.event("rm -rf ~/work", &json!({}))] },
        { "wait": "rm -rf ~/work" },
        { "show": true },
        { "keys": "q" },
    ]);
    for size in [(24, 80), (40, 120)] {
        let Some((code, screens)) = fixture.at_terminal(size, &steps, &[]) else { return };
        let screen = &screens[0];
        assert_eq!(code, 0, "{screen}");
        let denied = lines_with(screen, "rm -rf ~/work");
        assert!(denied[0].contains("deny") && denied[0].contains("Bash"), "{screen}");
        assert_eq!(lines_with(screen, "└ Explore").len(), 1, "{screen}");
        let lane = lines_with(screen, "claude ")[0];
        assert!(lane.contains('D'), "a refusal has a letter of its own: {lane}");
        assert!(screen.lines().next().unwrap().contains("1 denied") || screen.contains("2 denied"), "{screen}");
        assert!(screen.lines().last().unwrap().contains("q end"), "{screen}");
        assert!(screen.lines().all(|line| line.chars().count() <= usize::from(size.1)), "{screen}");
    }
}

#[test]
fn a_filter_narrows_the_list_and_escape_opens_it_again() {
    let fixture = Fixture::new();
    for command in ["ls", "git push --force origin main", "rm -rf ~/work"] {
        fixture.happens(command, &json!({}));
    }
    let steps = json!([
        { "wait": "rm -rf ~/work" },
        { "keys": "/FORCE\r" }, { "gone": "rm -rf ~/work" }, { "show": true },
        { "keys": "\u{1b}" }, { "wait": "rm -rf ~/work" },
        { "keys": "d" }, { "wait": "decision:deny,stop" }, { "gone": " ls " }, { "show": true },
        { "keys": "\u{1b}" }, { "wait": "3 of 3 events" }, { "keys": "/hook:delete-outside\r" }, { "gone": "git push" }, { "show": true },
        { "keys": "q" },
    ]);
    let Some((_, screens)) = fixture.at_terminal((24, 80), &steps, &[]) else { return };
    assert!(screens[0].contains("git push --force") && screens[0].contains("1 of 3 events"), "{}", screens[0]);
    assert!(screens[1].contains("2 of 3 events"), "{}", screens[1]);
    assert!(screens[2].contains("rm -rf ~/work"), "{}", screens[2]);
}

#[test]
fn an_event_opens_with_its_hooks_and_reasons_and_a_session_with_its_story() {
    let fixture = Fixture::new();
    fixture.happens("rm -rf ~/work", &json!({ "session_id": "other" }));
    fixture.happens("ls", &json!({}));
    let steps = json!([
        { "wait": "rm -rf ~/work" },
        { "keys": "j\r" }, { "wait": "hook run(s)" }, { "show": true },
        { "keys": "\u{1b}" }, { "gone": "hook run(s)" },
        { "keys": "\tj\r" }, { "wait": "story of" }, { "show": true },
        { "keys": "?" }, { "wait": "this list" }, { "keys": "\u{1b}q" },
    ]);
    let Some((_, screens)) = fixture.at_terminal((30, 100), &steps, &[]) else { return };
    for part in [
        "deny BeforeTool Bash",
        "safety/delete-outside",
        "safety/delete.toml",
        "outside of the project",
        "hookrail allow",
    ] {
        assert!(screens[0].contains(part), "{part}: {}", screens[0]);
    }
    assert!(screens[1].contains("1 of 2 events"), "{}", screens[1]);
}

#[test]
fn a_small_terminal_is_told_what_is_needed_and_a_larger_one_is_used() {
    let fixture = Fixture::new();
    fixture.happens("ls", &json!({}));
    let steps = json!([
        { "wait": "needs 80 × 24" },
        { "size": [24, 80] }, { "wait": "sessions" }, { "show": true },
        { "keys": "\u{3}" },
    ]);
    let Some((code, screens)) = fixture.at_terminal((20, 60), &steps, &[]) else { return };
    assert_eq!(code, 0);
    assert!(screens[0].contains("events"), "{}", screens[0]);
}

#[test]
fn control_characters_of_a_command_do_not_reach_the_terminal() {
    let fixture = Fixture::new();
    fixture.happens("echo \u{1b}]0;owned\u{7} \u{202e}abc", &json!({}));
    let steps = json!([{ "wait": "echo" }, { "show": true }, { "keys": "\r" }, { "wait": "hook run(s)" }, { "show": true }, { "keys": "q" }]);
    let Some((_, screens)) = fixture.at_terminal((24, 80), &steps, &[]) else { return };
    assert!(screens.iter().all(|screen| !screen.contains('\u{202e}') && !screen.contains('\u{7}')), "{screens:?}");
}

#[test]
fn without_a_terminal_it_says_so_and_prints_lines_of_json_if_asked() {
    let fixture = Fixture::new();
    let (code, _, said) = talk(fixture.hookrail().arg("watch"), "");
    assert_eq!(code, Some(1));
    assert!(said.contains("hint: `hookrail watch --json`"), "{said}");
    let (code, _, said) = talk(fixture.hookrail().args(["watch", "--decision", "no"]), "");
    assert!(code == Some(1) && said.contains("`no` is no decision"), "{said}");

    fixture.happens("ls before", &json!({}));
    let mut watch = fixture.hookrail().args(["watch", "--json", "--decision", "deny"]).spawn().unwrap();
    let mut out = BufReader::new(watch.stdout.take().unwrap());
    // It prints from when it has read what was there.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    for command in ["ls after", "rm -rf ~/work"] {
        fixture.happens(command, &json!({}));
    }
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let event: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&event["subject"], &event["verdict"]), (&json!("rm -rf ~/work"), &json!("deny")));
    watch.kill().unwrap();
    watch.wait().unwrap();
    let _ = std::io::stderr().flush();
}
