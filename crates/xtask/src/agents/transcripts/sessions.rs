//! What happens in the sessions that are recorded. No call touches anything outside of the throw-away home, and the network is
//! a port of loopback on which no program listens.

use hookrail_testkit::model_server::Turn;
use serde_json::{Value, json};
use std::io;
use std::path::Path;

/// One session of an agent.
pub(super) struct Session {
    pub agent: &'static str,
    pub about: &'static str,
    pub way: AgentInvocation,
    /// What the model does, in turns.
    pub calls: &'static [ModelTurn],
    /// What a sub-agent does, if one is started.
    pub subagent: Option<(&'static str, &'static str)>,
    /// How many results of calls the conversation begins with, where it goes on from another session.
    pub results_before: usize,
    /// An older version of the agent, which keeps its transcripts in another form.
    pub version: Option<&'static str>,
}

/// What most sessions have.
const SESSION: Session =
    Session { agent: "", about: "", way: USUAL, calls: &[], subagent: None, results_before: 0, version: None };

/// One turn of the model.
pub(super) enum ModelTurn {
    Tool(&'static str, &'static str),
    Say(&'static str),
}

/// How the agent is run.
pub(super) enum AgentInvocation {
    /// Without a person, with its usual arguments but for some.
    Headless { left_out: &'static [&'static str], added: &'static [&'static str] },
    /// On a terminal: what is waited for, and the keys that are pressed then.
    Terminal { arguments: &'static str, keys: &'static [(&'static str, &'static str)] },
}

use ModelTurn::{Say, Tool};

const USUAL: AgentInvocation = AgentInvocation::Headless { left_out: &[], added: &[] };

pub(super) const SESSIONS: &[Session] = &[
    Session {
        agent: "claude",
        about: "a person approves and refuses",
        way: AgentInvocation::Terminal {
            arguments: "--model claude-sonnet-4-5",
            keys: &[
                ("manual mode on", "do it"),
                ("do it", "\r"),
                ("Do you want to proceed?", "\r"),
                ("Do you want to proceed?", "\r"),
                ("Do you want to proceed?", "\x1b[B\x1b[B"),
                ("No", "\r"),
                ("What should Claude do instead?", "do it again"),
                ("do it again", "\r"),
                ("Do you want to", "\r"),
                ("all done", "/exit\r"),
            ],
        },
        calls: &[
            Tool("Bash", r#"{"command":"ls","description":"look"}"#),
            Tool("Bash", r#"{"command":"npm test","description":"test"}"#),
            Tool("Bash", r#"{"command":"git push --force origin main","description":"push"}"#),
            Tool("Bash", r#"{"command":"rm -rf ~/Pictures","description":"clean"}"#),
            Tool("Write", r#"{"file_path":"{project}/notes.md","content":"notes\n"}"#),
            Say("all done"),
        ],
        ..SESSION
    },
    Session {
        agent: "claude",
        about: "a sub-agent, and a fork of the session before",
        way: AgentInvocation::Headless { left_out: &[], added: &["--resume", "{last}", "--fork-session"] },
        calls: &[
            Tool("Agent", r#"{"description":"a look","subagent_type":"general-purpose","prompt":"SUBAGENT look"}"#),
            Tool("Bash", r#"{"command":"cat .env","description":"look"}"#),
            Say("done"),
        ],
        subagent: Some(("Bash", r#"{"command":"cat package.json","description":"look"}"#)),
        ..SESSION
    },
    Session {
        agent: "codex",
        about: "without a person",
        way: USUAL,
        calls: &[
            Tool("exec_command", r#"{"cmd":"ls"}"#),
            Tool("apply_patch", "*** Begin Patch\n*** Add File: notes.md\n+notes\n*** End Patch\n"),
            Tool("exec_command", r#"{"cmd":"npm test"}"#),
            Tool("exec_command", r#"{"cmd":"cat .env"}"#),
            Tool("multi_agent_v1/spawn_agent", r#"{"message":"SUBAGENT look"}"#),
            Say("done"),
        ],
        subagent: Some(("exec_command", r#"{"cmd":"cat package.json"}"#)),
        ..SESSION
    },
    Session {
        agent: "codex",
        about: "a person approves and refuses",
        way: AgentInvocation::Terminal {
            arguments: "--ask-for-approval on-request --sandbox workspace-write",
            keys: &[
                ("for shortcuts", "do it"),
                ("do it", "\r"),
                ("Would you like to run", "y"),
                ("Would you like to run", "\x1b"),
                ("canceled", "/quit\r"),
            ],
        },
        calls: &[
            Tool(
                "exec_command",
                r#"{"cmd":"touch approved.txt","sandbox_permissions":"require_escalated","justification":"to try"}"#,
            ),
            Tool(
                "exec_command",
                r#"{"cmd":"rm -rf ~/Pictures","sandbox_permissions":"require_escalated","justification":"to try"}"#,
            ),
            Say("all done"),
        ],
        ..SESSION
    },
    Session {
        agent: "codex",
        about: "the session before, resumed",
        way: AgentInvocation::Terminal {
            arguments: "resume --last --dangerously-bypass-approvals-and-sandbox",
            keys: &[("for shortcuts", "do it"), ("do it", "\r"), ("all done", "/quit\r")],
        },
        calls: &[Tool("exec_command", r#"{"cmd":"cat package.json"}"#), Say("all done")],
        results_before: 2,
        ..SESSION
    },
    Session {
        agent: "codex",
        about: "a fork of the session before",
        way: AgentInvocation::Terminal {
            arguments: "fork --last --dangerously-bypass-approvals-and-sandbox",
            keys: &[("for shortcuts", "do it"), ("do it", "\r"), ("all done", "/quit\r")],
        },
        calls: &[Tool("exec_command", r#"{"cmd":"git status"}"#), Say("all done")],
        results_before: 3,
        ..SESSION
    },
    Session {
        agent: "gemini",
        about: "a person approves and refuses",
        way: AgentInvocation::Terminal {
            arguments: "-m gemini-2.5-flash",
            keys: &[
                ("Type your message", "do it"),
                ("do it", "\r"),
                ("Allow execution", "\r"),
                ("Allow execution", "\x1b"),
                ("Request cancelled", "/quit\r"),
            ],
        },
        calls: &[
            Tool("run_shell_command", r#"{"command":"touch approved.txt","description":"touch"}"#),
            Tool("run_shell_command", r#"{"command":"rm -rf ~/Pictures","description":"clean"}"#),
            Say("all done"),
        ],
        ..SESSION
    },
    Session {
        agent: "gemini",
        about: "without a person",
        way: USUAL,
        calls: &[
            Tool("run_shell_command", r#"{"command":"ls","description":"look"}"#),
            Tool("write_file", r#"{"file_path":"{project}/notes.md","content":"notes\n"}"#),
            Tool("run_shell_command", r#"{"command":"npm test","description":"test"}"#),
            Tool("run_shell_command", r#"{"command":"cat .env","description":"look"}"#),
            Tool("invoke_agent", r#"{"agent_name":"generalist","prompt":"SUBAGENT look"}"#),
            Say("done"),
        ],
        subagent: Some(("run_shell_command", r#"{"command":"cat package.json","description":"look"}"#)),
        ..SESSION
    },
    Session {
        agent: "gemini",
        about: "the session before, resumed",
        way: AgentInvocation::Headless { left_out: &[], added: &["--resume", "latest"] },
        calls: &[Tool("run_shell_command", r#"{"command":"git status","description":"look"}"#), Say("done")],
        ..SESSION
    },
    Session {
        agent: "opencode",
        // Its question about the last call is answered with no, because there is no person.
        about: "a call that is refused",
        way: USUAL,
        calls: &[
            Tool("bash", r#"{"command":"ls","description":"look"}"#),
            Tool("write", r#"{"filePath":"{project}/notes.md","content":"notes\n"}"#),
            Tool("bash", r#"{"command":"npm test","description":"test"}"#),
            Tool("bash", r#"{"command":"cat .env","description":"look"}"#),
            Tool("task", r#"{"description":"a look","subagent_type":"general","prompt":"SUBAGENT look"}"#),
            Tool("bash", r#"{"command":"rm -rf ~/Pictures","description":"clean"}"#),
            Say("done"),
        ],
        subagent: Some(("bash", r#"{"command":"cat package.json","description":"look"}"#)),
        ..SESSION
    },
    Session {
        agent: "opencode",
        about: "a fork of the session before",
        way: AgentInvocation::Headless { left_out: &[], added: &["--continue", "--fork"] },
        calls: &[Tool("bash", r#"{"command":"git status","description":"look"}"#), Say("done")],
        ..SESSION
    },
    Session {
        agent: "opencode",
        about: "an older version, which wrote a file per part",
        way: USUAL,
        calls: &[
            Tool("bash", r#"{"command":"ls -la","description":"look"}"#),
            Tool("task", r#"{"description":"a look","subagent_type":"general","prompt":"SUBAGENT look"}"#),
            Say("done"),
        ],
        subagent: Some(("bash", r#"{"command":"cat package.json","description":"look"}"#)),
        version: Some("1.1.65"),
        ..SESSION
    },
];

/// How a sub-agent of an agent ends.
pub(super) fn end_of_subagent(agent: &str) -> Turn {
    match agent {
        "gemini" => Turn::tool_call("complete_task", json!({ "result": { "response": "looked" } })),
        _ => Turn::text("looked"),
    }
}

/// A small project under git, and a home with something to lose.
pub(super) fn furnish(home: &Path, project: &Path) -> io::Result<()> {
    let files = [
        (home.join("Pictures/cat.jpg"), "meow"),
        (project.join("package.json"), r#"{"name":"shop","scripts":{"test":"node -e 'process.exit(1)'"}}"#),
        (project.join(".env"), "API_KEY=not-a-key\n"),
        (project.join(".git/HEAD"), "ref: refs/heads/main\n"),
        (project.join(".git/config"), "[core]\n\trepositoryformatversion = 0\n"),
        (project.join(".git/refs/heads/.keep"), ""),
        (project.join(".git/objects/.keep"), ""),
    ];
    for (path, text) in files {
        std::fs::create_dir_all(path.parent().unwrap_or(home))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// What an agent must know to start on a terminal without questions.
pub(super) fn prepare(agent: &str, project: &Path, home: &Path) -> io::Result<()> {
    if agent == "codex" {
        let file = home.join(".codex/config.toml");
        let trusted = format!(
            "\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n[notice.model_migrations]\n\"gpt-5.5\" = \"gpt-6-sol\"\n",
            project.display()
        );
        return std::fs::write(&file, std::fs::read_to_string(&file)? + &trusted);
    }
    if agent == "opencode" {
        let file = home.join(".config/opencode/opencode.json");
        let mut settings: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
        if let Some(settings) = settings.as_object_mut() {
            settings.insert("permission".to_owned(), json!({ "bash": { "*": "allow", "rm *": "ask" } }));
        }
        return std::fs::write(file, settings.to_string());
    }
    if agent != "claude" {
        return Ok(());
    }
    let file = home.join(".claude.json");
    if file.exists() {
        return Ok(());
    }
    let known = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": { "approved": ["test-key"], "rejected": [] },
        "projects": { project.display().to_string(): { "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true } },
    });
    std::fs::write(file, known.to_string())
}
