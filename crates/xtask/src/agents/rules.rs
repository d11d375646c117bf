//! Rules on real agents: a call that is denied, one that a person is asked about, one that is allowed, and what pack
//! `safety` says by itself.

use super::client::Client;
use super::program::{hookrail, texts_below};
use hookrail_dialects::Filling;
use hookrail_testkit::model_server::{ModelServer, Recorded, Script, Turn};
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

const RULES: &str = r#"
[[rule]]
id = "no-denied-file"
when = { effect = "fs.write", path = "denied.txt" }
decide = "deny"
say = "the rule about denied files holds for {path}."

[[rule]]
id = "ask-about-asked-file"
when = { effect = "fs.write", path = "asked.txt" }
decide = "ask"
say = "may {path} be written, asks a rule?"

[[rule]]
id = "spares-the-question"
when = { effect = "fs.write", path = "allowed.txt" }
decide = "allow"
"#;

/// How an agent is run so that a call needs a permission that no person can give.
struct Strictness {
    agent: &'static str,
    /// The tool for shell commands, and its input.
    call: (&'static str, &'static str),
    /// Of its usual arguments, those that permit everything.
    left_out: &'static [&'static str],
    added: &'static [&'static str],
    /// Whether a call that no rule allows is refused then.
    asks: bool,
}

const STRICT: [Strictness; 3] = [
    Strictness {
        agent: "claude",
        call: ("Bash", r#"{"command":"{command}","description":"a wish"}"#),
        left_out: &["--allowedTools", "Bash,Read,Write,Edit,Agent,Task,mcp__canary__note"],
        added: &[],
        asks: true,
    },
    // Its hooks cannot spare a question, and without a person it offers no tool that needs one.
    Strictness {
        agent: "gemini",
        call: ("run_shell_command", r#"{"command":"{command}","description":"a wish"}"#),
        left_out: &[],
        added: &[],
        asks: false,
    },
    Strictness {
        agent: "codex",
        call: (
            "exec_command",
            r#"{"cmd":"{command}","sandbox_permissions":"require_escalated","justification":"a wish"}"#,
        ),
        left_out: &["--dangerously-bypass-approvals-and-sandbox"],
        // Otherwise `exec` refuses by itself, without a question.
        added: &["--approve-for-me"],
        asks: true,
    },
];

/// What is left of a run.
struct FinishedRun {
    project: PathBuf,
    home: PathBuf,
    requests: Vec<Recorded>,
}

type RuleCheck = (&'static str, Result<(), String>);

/// What was not kept is tried once more: an agent may be too slow on a busy machine.
pub(super) fn play_twice(client: &Client) -> io::Result<Vec<RuleCheck>> {
    let promises = play(client)?;
    if promises.iter().all(|(_, kept)| kept.is_ok()) { Ok(promises) } else { play(client) }
}

/// Each promise and whether it was kept; nothing for agents that rules are not tried on.
fn play(client: &Client) -> io::Result<Vec<RuleCheck>> {
    let Some(strict) = STRICT.iter().find(|strict| strict.agent == client.agent.name) else { return Ok(Vec::new()) };
    let writes = |name: &str| format!("echo x > {name}.txt");
    // What is not allowed comes last: Codex has the model review it, which takes up the turns behind it.
    let commands =
        [writes("denied"), writes("asked"), "rm -rf ~/Pictures".to_owned(), writes("allowed"), writes("unasked")];
    let folders = (tempfile::tempdir()?, tempfile::tempdir()?);
    let played = run(client, strict, (folders.0.path(), folders.1.path()), &commands, &|_| Ok(()))?;
    let mut promises = vec![
        ("a rule that denies keeps a call from running, and the model reads its words", {
            played.refuses("denied.txt", "the rule about denied files holds for denied.txt")
        }),
        ("a rule that asks keeps a call from running where no person can answer, with the words of the question", {
            played.refuses("asked.txt", "may asked.txt be written, asks a rule?")
        }),
        ("pack safety keeps the files of the user's home", {
            played.keeps("Pictures/cat.jpg").and_then(|()| played.hears("safety/delete-outside"))
        }),
        ("a rule that allows lets a call run, and the journal names it", {
            played.ran("allowed.txt").and_then(|()| played.records("spares-the-question"))
        }),
    ];
    if strict.asks {
        promises.push(("without that rule the agent would have asked", played.did_not_run("unasked.txt")));
    }
    if client.agent.name == "claude" {
        promises.push(("a permission request alone is answered by the rule", asked_for_permission(client, strict)?));
    }
    Ok(promises)
}

/// hookrail hears only of permission requests: nothing was allowed before.
fn asked_for_permission(client: &Client, strict: &Strictness) -> io::Result<Result<(), String>> {
    let folders = (tempfile::tempdir()?, tempfile::tempdir()?);
    let only_permissions = |home: &Path| {
        let file = home.join(".claude/settings.json");
        let mut settings: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
        if let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) {
            hooks.retain(|event, _| event == "PermissionRequest");
        }
        std::fs::write(file, settings.to_string())
    };
    let commands = ["allowed", "unasked"].map(|name| format!("echo x > {name}.txt"));
    let played = run(client, strict, (folders.0.path(), folders.1.path()), &commands, &only_permissions)?;
    Ok(played.ran("allowed.txt").and_then(|()| played.did_not_run("unasked.txt")))
}

/// Runs the agent with a model that wants these commands, one after the other.
fn run(
    client: &Client,
    strict: &Strictness,
    (project, home): (&Path, &Path),
    commands: &[String],
    prepare: &dyn Fn(&Path) -> io::Result<()>,
) -> io::Result<FinishedRun> {
    let (project, home) = (project.canonicalize()?, home.canonicalize()?);
    for (file, text) in [(".config/hookrail/hookrail.toml", RULES), ("Pictures/cat.jpg", "meow")] {
        let path = home.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(&home))?;
        std::fs::write(path, text)?;
    }
    let (tool, input) = strict.call;
    let wish = |command: &String| Turn::tool_call(tool, Filling::new([("{command}", command.as_str())]).input(input));
    let end = [Turn::text("done"), Turn::text("done again")];
    let script = Script::new(commands.iter().map(wish).chain(end));
    let server = ModelServer::start(script.when(|request| request.tool_names().is_empty(), Turn::text("a title")));
    client.write_settings(&project, &home, &server.base_url())?;
    hookrail(&["install", client.agent.name, "--scope", "user"], &project, &home)?;
    prepare(&home)?;
    let added = strict.added.iter().map(|arg| (*arg).to_owned()).collect();
    client.run_without(strict.left_out, &project, &home, &server.base_url(), added)?;
    Ok(FinishedRun { requests: server.generations(), project, home })
}

impl FinishedRun {
    fn refuses(&self, file: &str, words: &str) -> Result<(), String> {
        self.did_not_run(file).and_then(|()| self.hears(words))
    }

    fn ran(&self, file: &str) -> Result<(), String> {
        if self.project.join(file).exists() { Ok(()) } else { Err(format!("`{file}` was not written{}", self.last())) }
    }

    fn did_not_run(&self, file: &str) -> Result<(), String> {
        if self.project.join(file).exists() { Err(format!("`{file}` was written")) } else { Ok(()) }
    }

    fn keeps(&self, file: &str) -> Result<(), String> {
        if self.home.join(file).exists() { Ok(()) } else { Err(format!("`~/{file}` is gone")) }
    }

    fn hears(&self, words: &str) -> Result<(), String> {
        let heard = self.requests.iter().any(|request| request.mentions(words));
        if heard { Ok(()) } else { Err(format!("the model never reads `{words}`{}", self.last())) }
    }

    fn records(&self, rule: &str) -> Result<(), String> {
        let found = texts_below(&self.home.join("state"), "jsonl").iter().any(|text| text.contains(rule));
        if found { Ok(()) } else { Err(format!("the journal does not name `{rule}`")) }
    }

    /// What the tools said, for whoever looks for the reason.
    fn last(&self) -> String {
        let results = self.requests.last().map(Recorded::tool_results).unwrap_or_default();
        results.iter().map(|result| format!("\n    {}", result.text)).collect()
    }
}
