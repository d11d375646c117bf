//! The call that is tried, and how each agent would make it.

use crate::error::CliError;
use hookrail_backtest::FoundCall;
use hookrail_core::{Event, EventName, NATIVE_NAME_FIELD, ToolKind};
use hookrail_dialects::{Agent, Dialect, SpelledCall, agents, restore};
use hookrail_engine::registry::closest;
use serde_json::{Map, Value, json};
use std::io::Read;
use std::path::Path;

/// The session of calls that are not made.
const SESSION: &str = "hookrail-try";

/// A call as a person asked for it.
pub struct AskedCall {
    pub kind: ToolKind,
    /// For a tool that was named: its name, what it is given, and the agent whose tool it is.
    named: Option<(SpelledCall, &'static Agent)>,
}

impl AskedCall {
    /// The name of the tool, if one was named.
    pub fn tool(&self) -> &str {
        self.named.as_ref().map_or("", |(call, _)| &call.tool)
    }
}

pub fn command(text: &str) -> Result<AskedCall, CliError> {
    let command = if text == "-" { read_stdin()? } else { text.to_owned() };
    Ok(AskedCall { kind: ToolKind::Shell { command, cwd: None }, named: None })
}

pub fn url(url: &str) -> Result<AskedCall, CliError> {
    if !url.contains("://") {
        return Err(CliError::usage(format!("`{url}` has no scheme")).hint(format!("write `--url https://{url}`")));
    }
    Ok(AskedCall { kind: ToolKind::WebFetch { url: url.to_owned() }, named: None })
}

pub fn tool(name: &str, input: Option<&str>) -> Result<AskedCall, CliError> {
    let agent = agents().find(|agent| agent.has_tool(name)).ok_or_else(|| unknown_tool(name))?;
    let input = match input {
        None => Map::new(),
        Some("-") => parse(&read_stdin()?)?,
        Some(text) => parse(text)?,
    };
    let kind =
        agent.dialect().map_or(ToolKind::Other, |dialect| dialect.classify()(name, &Value::Object(input.clone())));
    Ok(AskedCall { kind, named: Some((SpelledCall { tool: name.to_owned(), input }, agent)) })
}

/// A call as its agent made it.
pub fn past(found: &FoundCall) -> Result<AskedCall, CliError> {
    let agent = hookrail_dialects::agent(found.agent).ok_or(CliError::unknown("agent", found.agent, []))?;
    let input = Value::Object(found.call.input.clone());
    let kind = agent.dialect().map_or(ToolKind::Other, |dialect| dialect.classify()(&found.call.tool, &input));
    let call = SpelledCall { tool: found.call.tool.clone(), input: found.call.input.clone() };
    Ok(AskedCall { kind, named: Some((call, agent)) })
}

fn unknown_tool(name: &str) -> CliError {
    let names: Vec<&str> = agents().flat_map(Agent::tool_names).collect();
    let same = names.iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
    let guess = same.or_else(|| closest(name, names.iter().copied()));
    let guess = guess.map_or_else(
        || "tools of an MCP server are called `mcp__SERVER__TOOL`".to_owned(),
        |guess| format!("did you mean `{guess}`?"),
    );
    CliError::usage(format!("no agent has a tool `{name}`")).hint(guess)
}

fn read_stdin() -> Result<String, CliError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::machine(format!("cannot read stdin: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn parse(text: &str) -> Result<Map<String, Value>, CliError> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(input)) => Ok(input),
        Ok(_) => {
            Err(CliError::input("`--input` is not a JSON object")
                .hint("write `--input '{\"file_path\": \"notes.md\"}'`"))
        }
        Err(error) => {
            let hint = "keys and strings are in double quotes, the whole in single quotes for the shell";
            Err(CliError::not_json("--input", text, &error, hint))
        }
    }
}

impl AskedCall {
    pub fn read(path: &str) -> Self {
        Self { kind: ToolKind::Read { path: path.to_owned() }, named: None }
    }

    pub fn write(path: &str, content: &str) -> Self {
        Self { kind: ToolKind::Write { path: path.to_owned(), content: content.to_owned() }, named: None }
    }

    /// How an agent would make this call; an error says why it cannot.
    pub fn spell(&self, dialect: &'static dyn Dialect) -> Result<CallOfAgent, CliError> {
        let agent = dialect.agent();
        let (server, call) = match &self.named {
            Some((call, owner)) if self.is_own(call, owner, agent) => (None, call.clone()),
            Some((call, _)) => (self.server(), self.translated(call, agent)),
            None => (
                None,
                agent
                    .spell(&self.kind)
                    .or_else(|| self.by_shell(agent))
                    .ok_or(CliError::usage("it has no tool for that"))?,
            ),
        };
        Ok(CallOfAgent { call, server })
    }

    /// Whether an agent has the tool that was named. Names of servers' tools that two agents spell differently look alike.
    fn is_own(&self, call: &SpelledCall, owner: &Agent, agent: &Agent) -> bool {
        let same_names = self.server().is_none() || owner.mcp() == agent.mcp();
        owner.name == agent.name || same_names && agent.has_tool(&call.tool)
    }

    /// The tool of another agent, in the words of this one. What only the other's tool is given stays beside them.
    fn translated(&self, named: &SpelledCall, agent: &Agent) -> SpelledCall {
        let Some(mut call) = agent.spell(&self.kind) else { return named.clone() };
        for (name, value) in &named.input {
            call.input.entry(name).or_insert_with(|| value.clone());
        }
        call
    }

    fn server(&self) -> Option<(String, String)> {
        match &self.kind {
            ToolKind::Mcp { server, tool } => Some((server.clone(), tool.clone())),
            _ => None,
        }
    }

    /// What an agent without a tool of its own does with its shell.
    fn by_shell(&self, agent: &Agent) -> Option<SpelledCall> {
        let command = match &self.kind {
            ToolKind::Read { path } => format!("cat -- {}", quoted(path)),
            ToolKind::Write { path, content } => format!("printf %s {} > {}", quoted(content), quoted(path)),
            ToolKind::WebFetch { url } => format!("curl -- {}", quoted(url)),
            _ => return None,
        };
        agent.spell(&ToolKind::Shell { command, cwd: None })
    }
}

/// A text as one word of a shell.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A call in the words of one agent.
#[derive(Clone)]
pub struct CallOfAgent {
    pub call: SpelledCall,
    /// The MCP server and its tool, where the agent's name for it does not tell.
    server: Option<(String, String)>,
}

impl CallOfAgent {
    /// The event at which the agent would ask about it.
    pub fn event(&self, dialect: &dyn Dialect, event: &EventName, native: &str, cwd: &Path) -> Event {
        let mut payload = Map::new();
        let mut set = |name: &str, value: Value| payload.insert(name.to_owned(), value);
        set("hook_event_name", json!(event.as_str()));
        set(NATIVE_NAME_FIELD, json!(native));
        set("session_id", json!(SESSION));
        set("cwd", json!(cwd.to_string_lossy()));
        set("tool_name", json!(self.call.tool));
        set("tool_input", Value::Object(self.call.input.clone()));
        if let Some((server, tool)) = &self.server {
            set("mcp_context", json!({ "server_name": server, "tool_name": tool }));
        }
        restore(payload, dialect)
    }
}
