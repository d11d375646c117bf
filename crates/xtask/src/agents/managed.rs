//! Entries of `hookrail install --scope managed` on real agents: what a user's or a project's settings can do about them.
//!
//! Managed files stand below `/etc`. Install and agent run with a copy of it mounted there, each in a mount namespace of its own,
//! so that the machine stays as it is.

use super::client::Client;
use super::program;
use hookrail_dialects::Filling;
use hookrail_testkit::model_server::{ModelServer, Script, Turn};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

const RULE: &str = r#"
[[rule]]
id = "no-denied-file"
when = { effect = "fs.write", path = "denied.txt" }
decide = "deny"
say = "the rule about denied files holds for {path}."
"#;

/// What becomes of the managed entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Holds,
    /// The agent lets its user switch it off. Known and told in the book; if it changes, the book changes.
    IsLost,
}

use Expected::{Holds, IsLost};

/// A way to get rid of the entry.
struct Attempt {
    agent: &'static str,
    name: &'static str,
    /// Files below the home (`~/`) or the project. What they say comes after what the agent needs to start.
    files: &'static [(&'static str, &'static str)],
    args: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    expected: Expected,
}

const fn attempt(agent: &'static str, name: &'static str, expected: Expected) -> Attempt {
    Attempt { agent, name, files: &[], args: &[], variables: &[], expected }
}

const GEMINI_AUTH: &str = r#""security":{"auth":{"selectedType":"gemini-api-key"}}"#;

const ATTEMPTS: &[Attempt] = &[
    attempt("claude", "nothing is tried", Holds),
    Attempt {
        files: &[("~/.claude/settings.json", r#"{"disableAllHooks":true}"#)],
        ..attempt("claude", "the user's settings have `disableAllHooks`", Holds)
    },
    Attempt {
        files: &[
            (".claude/settings.json", r#"{"disableAllHooks":true,"hooks":{}}"#),
            (".claude/settings.local.json", r#"{"disableAllHooks":true,"hooks":{"PreToolUse":[]}}"#),
        ],
        ..attempt("claude", "the project's settings have `disableAllHooks` and hooks of their own", Holds)
    },
    Attempt {
        args: &["--settings", r#"{"disableAllHooks":true,"hooks":{}}"#],
        ..attempt("claude", "`--settings` has `disableAllHooks`", Holds)
    },
    Attempt { args: &["--setting-sources", "user"], ..attempt("claude", "`--setting-sources user`", Holds) },
    attempt("gemini", "nothing is tried", Holds),
    Attempt {
        files: &[("~/.gemini/settings.json", r#"{AUTH,"hooks":{"BeforeTool":[]}}"#)],
        ..attempt("gemini", "the user's settings have hooks of their own", Holds)
    },
    Attempt {
        files: &[("~/.gemini/settings.json", r#"{AUTH,"hooksConfig":{"enabled":false}}"#)],
        ..attempt("gemini", "the user's settings have `hooksConfig.enabled = false`", Holds)
    },
    Attempt {
        files: &[(".gemini/settings.json", r#"{"tools":{"enableHooks":false},"hooksConfig":{"enabled":false}}"#)],
        ..attempt("gemini", "the project's settings switch hooks off", Holds)
    },
    Attempt {
        variables: &[("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/nonexistent/settings.json")],
        ..attempt("gemini", "GEMINI_CLI_SYSTEM_SETTINGS_PATH names another file", IsLost)
    },
    attempt("codex", "nothing is tried", Holds),
    Attempt {
        files: &[("~/.codex/hooks.json", r#"{"hooks":{"PreToolUse":[]}}"#)],
        ..attempt("codex", "the user has hooks of their own", Holds)
    },
    Attempt { args: &["-c", "features.hooks=false"], ..attempt("codex", "`-c features.hooks=false`", Holds) },
    Attempt {
        files: &[("~/.codex/hooks.json", r#"{"hooks":{}}"#)],
        args: &["-c", "features.codex_hooks=false"],
        ..attempt("codex", "`-c features.codex_hooks=false` and empty hooks of the user", Holds)
    },
    Attempt { args: &["--disable", "hooks"], ..attempt("codex", "`--disable hooks`", Holds) },
    Attempt {
        files: &[(".codex/config.toml", "[features]\nhooks = false\n")],
        ..attempt("codex", "the project's config.toml switches hooks off", Holds)
    },
];

/// How a call is made in an agent, and which of its usual arguments would prove too little.
fn call(agent: &str) -> (&'static str, &'static str, &'static [&'static str]) {
    match agent {
        "claude" => ("Bash", r#"{"command":"{command}","description":"a wish"}"#, &[]),
        "gemini" => ("run_shell_command", r#"{"command":"{command}","description":"a wish"}"#, &[]),
        // Entries of a user need approval; those of the machine do not.
        _ => ("exec_command", r#"{"cmd":"{command}"}"#, &["--dangerously-bypass-hook-trust"]),
    }
}

/// What was promised of an attempt, and how it came out otherwise.
type AttemptResult = (String, Result<(), String>);

/// Each attempt and whether it came out as expected; `None` where no file system can be mounted, or for an agent without managed
/// entries.
pub(super) fn play(client: &Client) -> io::Result<Option<Vec<AttemptResult>>> {
    let attempts: Vec<&Attempt> = ATTEMPTS.iter().filter(|attempt| attempt.agent == client.agent.name).collect();
    if attempts.is_empty() || !can_mount()? {
        return Ok(None);
    }
    let mut kept = Vec::new();
    for attempt in attempts {
        let holds = holds(client, attempt)?;
        let found = if holds { Holds } else { IsLost };
        let promise = match attempt.expected {
            Holds => format!("the managed entry holds: {}", attempt.name),
            IsLost => format!("the managed entry is lost, as the book tells: {}", attempt.name),
        };
        let unexpected = || format!("it {}", if holds { "holds" } else { "is lost" });
        kept.push((promise, if found == attempt.expected { Ok(()) } else { Err(unexpected()) }));
    }
    Ok(Some(kept))
}

/// Whether a call that a rule denies is kept from running.
fn holds(client: &Client, attempt: &Attempt) -> io::Result<bool> {
    let (project, home, etc) = (tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?);
    let (project, home) = (project.path().canonicalize()?, home.path().canonicalize()?);
    let etc = etc.path().join("etc");
    if !Command::new("cp").arg("-a").arg("/etc").arg(&etc).status()?.success() {
        return Err(io::Error::other("/etc cannot be copied"));
    }
    write(&home.join(".config/hookrail/hookrail.toml"), RULE)?;
    install(client, &etc, &project, &home)?;
    let (tool, input, left_out) = call(client.agent.name);
    let wish = |name: &str| {
        let command = format!("echo x > {name}.txt");
        Turn::tool_call(tool, Filling::new([("{command}", command.as_str())]).input(input))
    };
    let script = Script::new([wish("denied"), wish("fine"), Turn::text("done"), Turn::text("done again")]);
    let server = ModelServer::start(script.when(|request| request.tool_names().is_empty(), Turn::text("a title")));
    client.write_settings(&project, &home, &server.base_url())?;
    for (file, text) in attempt.files {
        let path = file.strip_prefix("~/").map_or_else(|| project.join(file), |file| home.join(file));
        write(&path, &text.replace("AUTH", GEMINI_AUTH))?;
    }
    let flags = attempt.args.iter().map(|arg| (*arg).to_owned()).collect();
    client.run_with_etc(&etc, left_out, attempt.variables, &project, &home, &server.base_url(), flags)?;
    if !project.join("fine.txt").exists() {
        return Err(io::Error::other(format!("{}: {}: the agent ran no call at all", client.agent.name, attempt.name)));
    }
    Ok(!project.join("denied.txt").exists())
}

fn install(client: &Client, etc: &Path, project: &Path, home: &Path) -> io::Result<()> {
    let hookrail = program::hookrail_folder()?.join("hookrail");
    let mut command = with_etc(etc, &hookrail);
    command.args(["install", client.agent.name, "--scope", "managed"]).current_dir(project).env_clear();
    command
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", home)
        .env("HOOKRAIL_STATE_DIR", home.join("state"));
    let output = command.stdin(Stdio::null()).output()?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(io::Error::other(told)) }
}

/// A program that sees another folder in the place of `/etc`; nothing else does.
pub(super) fn with_etc(etc: &Path, program: &Path) -> Command {
    let mut command = Command::new("/usr/bin/unshare");
    command.args(["-m", "--propagation", "private", "/bin/sh", "-c", r#"/bin/mount --bind "$0" /etc && exec "$@""#]);
    command.arg(etc).arg(program);
    command
}

fn can_mount() -> io::Result<bool> {
    let etc = tempfile::tempdir()?;
    Ok(with_etc(etc.path(), Path::new("/bin/true")).output().is_ok_and(|output| output.status.success()))
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    std::fs::write(path, text)
}
