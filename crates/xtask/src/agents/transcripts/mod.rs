//! `cargo xtask agents --transcripts`: real transcripts of real agents, for the tests of `hookrail backtest`.
//!
//! Each agent works through scripted sessions in a throw-away home, some of them on a terminal on which calls are approved and
//! refused as a person does. What it leaves on the disk becomes a fixture.

mod fixture;
mod sessions;
mod terminal;

use super::client::Client;
use hookrail_testkit::model_server::{ModelServer, Recorded, Script, ToolCall, Turn};
use serde_json::Value;
use sessions::{AgentInvocation, ModelTurn, SESSIONS, Session};
use std::io::{self, Write};
use std::path::Path;
use terminal::Terminal;

/// The agents whose transcripts are read.
pub(super) const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];
/// What the task of a sub-agent contains, so that the model knows whose turn it is.
const SUBAGENT: &str = "SUBAGENT";

/// Has an agent work through its sessions and keeps what it wrote.
pub(super) fn record(client: &Client, keep: bool, out: &mut dyn Write) -> io::Result<()> {
    let folder = tempfile::Builder::new().prefix("hookrail-transcripts-").tempdir()?;
    let root = folder.path().canonicalize()?;
    let (home, project) = (root.join("home"), root.join("shop"));
    sessions::furnish(&home, &project)?;
    for session in SESSIONS.iter().filter(|session| session.agent == client.agent.name) {
        writeln!(out, "{}: {}", client.agent.name, session.about)?;
        out.flush()?;
        let client = session.version.map_or(*client, |version| client.in_version(version));
        client.install(out)?.map_err(io::Error::other)?;
        play(&client, session, &project, &home)?;
    }
    fixture::keep(client.agent.name, &root, out)?;
    if keep {
        writeln!(out, "the home is left in {}", folder.keep().display())?;
    }
    Ok(())
}

fn play(client: &Client, session: &Session, project: &Path, home: &Path) -> io::Result<()> {
    let server = ModelServer::start(script(session, project));
    let url = server.base_url();
    client.write_settings(project, home, &url)?;
    sessions::prepare(session.agent, project, home)?;
    match session.way {
        AgentInvocation::Headless { left_out, added } => {
            let added = added.iter().map(|arg| filled(arg, project, home)).collect::<io::Result<_>>()?;
            client.run_without(left_out, project, home, &url, added)
        }
        AgentInvocation::Terminal { arguments, keys } => {
            let mut command = client.terminal(project, home, &url)?;
            let line = format!("{} {}", client.agent.program, filled(arguments, project, home)?);
            let mut terminal = Terminal::start(&mut command, &line)?;
            for (wait, press) in keys {
                terminal.wait_for(wait)?;
                terminal.press(press)?;
            }
            terminal.close()
        }
    }
}

/// An argument; `{last}` is the id of the session that was written last.
fn filled(text: &str, project: &Path, home: &Path) -> io::Result<String> {
    let mut text = text.replace("{project}", &project.display().to_string());
    if text.contains("{last}") {
        text = text.replace("{last}", &fixture::last_session(home)?);
    }
    Ok(text)
}

/// A sub-agent makes one call and is done; everything else is the session's own list.
fn script(session: &Session, project: &Path) -> Script {
    let turn = |call: &ModelTurn| match call {
        ModelTurn::Say(text) => Turn::text(*text),
        ModelTurn::Tool(name, input) => tool_turn(name, input, project),
    };
    let is_subagent = |request: &Recorded| request.mentions(SUBAGENT) && !request.mentions("do it");
    let begun = move |request: &Recorded| is_subagent(request) && request.tool_results().is_empty();
    let mut script = Script::new(session.calls.iter().map(turn))
        .when(|request| request.tool_names().is_empty(), Turn::text("a title"));
    if let Some((name, input)) = session.subagent {
        script = script
            .when(begun, tool_turn(name, input, project))
            .when(is_subagent, sessions::end_of_subagent(session.agent));
    }
    // Codex asks the model for more than the conversation, with the same tools: what has been done tells where it is.
    if session.agent == "codex" {
        for (done, call) in session.calls.iter().enumerate() {
            let done = done + session.results_before;
            script = script.when(move |request| request.tool_results().len() == done, turn(call));
        }
    }
    script
}

fn tool_turn(name: &str, input: &str, project: &Path) -> Turn {
    let input = input.replace("{project}", &project.display().to_string());
    let input: Value = serde_json::from_str(&input).unwrap_or(Value::String(input));
    Turn::tool_calls([match name.split_once('/') {
        Some((group, tool)) => ToolCall::new(tool, input).in_namespace(group),
        None => ToolCall::new(name, input),
    }])
}
