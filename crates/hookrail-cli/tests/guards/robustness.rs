//! `hookrail hook` on its worst day: whatever stands in the place of a file, whatever became of its streams and however large
//! its input is, it answers, and a guard that refuses is heard.

use hookrail_testkit::program::program;
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Against hanging only: every answer takes a small part of this, also on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A file that no tool may change.
const PROTECTED: &str = ".hookrail/hookrail.toml";

struct RobustnessFixture {
    project: TempProject,
    home: TempProject,
}

impl RobustnessFixture {
    fn new() -> Self {
        Self { project: TempProject::new(), home: TempProject::new() }
    }

    /// One with this configuration of its user.
    fn of_user(config: &str) -> Self {
        let machine = Self::new();
        machine.home.write(".config/hookrail/hookrail.toml", config);
        machine
    }

    fn hook(&self) -> Command {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        command.arg("hook");
        command
    }

    fn event(&self, tool: &str, input: &Value) -> String {
        let event = json!({
            "session_id": "s1",
            "transcript_path": self.project.at("transcript.jsonl"),
            "cwd": self.project.path(),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": input,
        });
        event.to_string()
    }

    fn write_to(&self, path: &str) -> String {
        self.event("Write", &json!({ "file_path": path, "content": "x" }))
    }

    fn shell(&self, command: &str) -> String {
        self.event("Bash", &json!({ "command": command }))
    }
}

/// Runs a command to its end. One that does not come to an end fails the test and is left behind.
fn answer(mut command: Command, stdin: String, case: &str) -> Output {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut child = command.spawn().unwrap();
        if let Some(mut input) = child.stdin.take() {
            // A program that does not read its input may be gone already.
            let _ = input.write_all(stdin.as_bytes());
        }
        let _ = sender.send(child.wait_with_output().unwrap());
    });
    let output = receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{case}: no answer"));
    assert!(output.status.code().is_some(), "{case}: {}", output.status);
    output
}

/// In the agent's form, or by exit code.
fn is_refusal(output: &Output) -> bool {
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    said.pointer("/hookSpecificOutput/permissionDecision") == Some(&json!("deny"))
        || output.status.code() == Some(2) && !output.stderr.is_empty()
}

/// What it is, and how it is made.
type Special = (&'static str, fn(&Path));

/// What can stand in the place of a file.
const SPECIAL: &[Special] = &[
    ("a pipe without a writer", make_pipe),
    ("a device without an end", |path| symlink("/dev/zero", path).unwrap()),
    ("a terminal that opening makes", |path| symlink("/dev/ptmx", path).unwrap()),
    ("a stream of our own", |path| symlink("/proc/self/fd/0", path).unwrap()),
    ("a directory", |path| fs::create_dir(path).unwrap()),
    ("a socket", make_socket),
    ("a link to itself", |path| symlink(path, path).unwrap()),
];

/// The name of a socket must be short when it is made.
fn make_socket(path: &Path) {
    let short = path.with_file_name("s");
    drop(UnixListener::bind(&short).unwrap());
    fs::rename(short, path).unwrap();
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn whatever_stands_in_the_place_of_a_file_a_guard_refuses() {
    let in_project =
        [PROTECTED, ".hookrail/local.toml", ".git/HEAD", ".git", "transcript.jsonl", ".claude/settings.json"];
    let in_home = [".config/hookrail/hookrail.toml", "state", "state/sessions", "state/journal", "state/trust.json"];
    for (what, make) in SPECIAL {
        for (path, home) in in_project.iter().map(|path| (path, false)).chain(in_home.iter().map(|path| (path, true))) {
            let machine = RobustnessFixture::new();
            let place = if home { machine.home.at(path) } else { machine.project.at(path) };
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            make(&place);
            let case = format!("{what} as `{path}`");
            let output = answer(machine.hook(), machine.write_to(PROTECTED), &case);
            assert!(is_refusal(&output), "{case}: {output:?}");
        }
    }
}

#[test]
fn state_that_was_exchanged_for_something_else_does_not_stop_a_guard() {
    for (what, make) in SPECIAL {
        let machine = RobustnessFixture::of_user("[packs.planning]\nenabled = true\n");
        answer(machine.hook(), machine.write_to("a.txt"), what);
        let folders =
            ["state", "state/journal", "state/cache"].map(|folder| fs::read_dir(machine.home.at(folder)).unwrap());
        let files = folders.into_iter().flatten().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
        let files: Vec<_> = files.collect();
        assert!(!files.is_empty(), "there is state");
        for file in files {
            fs::remove_file(&file).unwrap();
            make(&file);
        }
        let output = answer(machine.hook(), machine.write_to(PROTECTED), what);
        assert!(is_refusal(&output), "{what}: {output:?}");
    }
}

#[test]
fn a_refusal_is_heard_whatever_became_of_the_streams() {
    let cases = [
        ("stdout is full", "exec \"$0\" hook >/dev/full"),
        ("stdout is closed", "exec \"$0\" hook >&-"),
        ("stdout and stderr are closed", "exec \"$0\" hook >&- 2>&-"),
        ("stderr is closed", "exec \"$0\" hook 2>&-"),
        ("stderr is full", "exec \"$0\" hook 2>/dev/full"),
        ("stdout can only be read", "exec \"$0\" hook 1</dev/null"),
        ("no file may grow", "ulimit -f 0; exec \"$0\" hook"),
        ("no file may grow, and stdout is one", "ulimit -f 0; exec \"$0\" hook >answer"),
        // The loader of a binary that is not linked statically needs one itself.
        ("one file at a time", "ulimit -n 4; exec \"$0\" hook"),
    ];
    for (what, script) in cases {
        let machine = RobustnessFixture::new();
        let mut shell = program("/bin/sh", &machine.project, &machine.home);
        shell.args(["-c", script, env!("CARGO_BIN_EXE_hookrail")]);
        let output = answer(shell, machine.write_to(PROTECTED), what);
        let refused = is_refusal(&output) || what.contains("stderr") && output.status.code() == Some(2);
        assert!(refused, "{what}: {output:?}");
    }
}

#[test]
fn a_refusal_is_heard_when_nobody_reads_stdout() {
    let machine = RobustnessFixture::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = machine.hook();
    command.stdout(writer);
    let output = answer(command, machine.write_to(PROTECTED), "a pipe without a reader");
    assert!(output.status.code() == Some(2) && !output.stderr.is_empty(), "{output:?}");
}

#[test]
fn an_event_that_never_came_is_refused_by_a_guard_that_fails_closed() {
    let strict = "[hooks.\"core/protected-paths\"]\non_error = \"deny\"\n";
    for (what, script) in [("stdin is closed", "exec \"$0\" hook <&-"), ("stdin is a folder", "exec \"$0\" hook </")] {
        let machine = RobustnessFixture::of_user(strict);
        let mut shell = program("/bin/sh", &machine.project, &machine.home);
        shell.args(["-c", script, env!("CARGO_BIN_EXE_hookrail")]);
        let output = answer(shell, String::new(), what);
        assert!(is_refusal(&output), "{what}: {output:?}");
        assert!(!machine.project.exists("0"), "{what}");
    }
}

#[test]
fn deep_paths_are_judged() {
    for depth in [11_000, 40_000] {
        let (machine, deep) = (RobustnessFixture::new(), "a/".repeat(depth));
        let down_and_up = format!("{deep}{}{PROTECTED}", "../".repeat(depth));
        let cases = [
            ("a relative path", machine.write_to(&deep), false),
            ("an absolute path", machine.write_to(&format!("{}/{deep}", machine.project.path().display())), false),
            ("a path that comes back", machine.write_to(&down_and_up), true),
            ("a path that goes to and fro", machine.write_to(&("a/../".repeat(depth) + PROTECTED)), true),
            ("a path in a command", machine.shell(&format!("rm -rf {deep}")), false),
            ("a path that comes back in a command", machine.shell(&format!("rm -rf {down_and_up}")), true),
        ];
        for (what, event, refused) in cases {
            let output = answer(machine.hook(), event, what);
            assert_eq!(is_refusal(&output), refused, "{what}: {output:?}");
        }
        let mut event: Value = serde_json::from_str(&machine.write_to(&format!("{deep}{PROTECTED}"))).unwrap();
        event["cwd"] = json!(format!("/{deep}"));
        answer(machine.hook(), event.to_string(), "a deep working directory");
    }
}

#[test]
fn a_large_configuration_is_read_and_its_guards_stay() {
    let many = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let cases = [
        (
            "commands",
            many(8000, &|n| format!("[[command]]\nname = \"c{n}\"\nevent = \"AfterTool\"\ncommand = \"true\"\n")),
        ),
        ("commands of one name", "[[command]]\nname = \"c\"\nevent = \"AfterTool\"\ncommand = \"true\"\n".repeat(8000)),
        ("unknown keys", many(40_000, &|n| format!("k{n} = 1\n"))),
        ("unknown keys on one line", format!("core = {{ {}z = 1 }}\n", many(40_000, &|n| format!("k{n} = 1, ")))),
        ("unknown packs", many(8000, &|n| format!("[packs.k{n}]\nmode = \"off\"\n"))),
        ("a key without an end", "k".repeat(400_000) + " = 1\n"),
        ("spans", format!("[core]\nprotected = [\"{}z\"]\n", "**/".repeat(2000))),
        ("spans and names", format!("[core]\nprotected = [\"{}z\"]\n", "**/a/".repeat(500))),
        ("a pattern without an end", format!("[core]\nprotected = [\"{}\"]\n", "a/".repeat(20_000))),
    ];
    for (what, config) in cases {
        let machine = RobustnessFixture::of_user(&config);
        for path in [PROTECTED.to_owned(), "a/".repeat(1000) + "b"] {
            let output = answer(machine.hook(), machine.write_to(&path), what);
            assert_eq!(is_refusal(&output), path == PROTECTED, "{what}: {output:?}");
        }
    }
}

#[test]
fn a_long_command_is_answered() {
    for before in ["git branch z;", "rm a;", "rm a a a a a a;", "cd a; cd ..;", "x=$x$x;", "(", "$(", "{", "if "] {
        let machine = RobustnessFixture::new();
        answer(machine.hook(), machine.shell(&before.repeat(10_000)), before);
    }
}

#[test]
fn a_command_that_is_too_long_to_be_read_is_asked_about_or_refused_if_it_names_what_guards() {
    let heredoc = |bytes: usize| format!("cat > notes.txt <<'END'\n{}\nEND\n", "some words\n".repeat(bytes / 11));
    let cases = [
        ("a large text", heredoc(200 << 10), None),
        ("a large text and a protected file", heredoc(200 << 10) + "rm -f " + PROTECTED, Some("deny")),
        ("a larger text", heredoc(300 << 10), Some("ask")),
        ("a larger text and a protected file", heredoc(300 << 10) + "rm -f " + PROTECTED, Some("deny")),
        ("a larger text and hookrail", heredoc(300 << 10) + "hookrail uninstall", Some("deny")),
        ("many commands", "git branch z;".repeat(10_000), Some("ask")),
    ];
    for (what, command, expected) in cases {
        let machine = RobustnessFixture::new();
        let output = answer(machine.hook(), machine.shell(&command), what);
        let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let decision = said.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str);
        assert_eq!(decision, expected, "{what}: {output:?}");
    }
}

#[test]
fn a_long_command_does_not_hide_its_end() {
    for before in ["git branch z;", "rm a;", "cd a; cd ..;", "x=$x$x;"] {
        let machine = RobustnessFixture::new();
        let command = before.repeat(10_000) + "rm -f " + PROTECTED;
        let output = answer(machine.hook(), machine.shell(&command), before);
        assert!(is_refusal(&output), "{before}: {output:?}");
    }
}
