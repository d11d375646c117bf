//! How a host's tools are read: as those of an agent that hookrail knows, or as the host describes them.

use super::params::{Params, ParamsError};
use hookrail_core::{ToolClassifier, ToolKind};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Where a described tool keeps what matters, by the names of its input's fields.
#[derive(Clone, Debug)]
enum ToolShape {
    Shell { command: String, cwd: Option<String> },
    Write { path: String, content: String },
    Edit { path: String },
    Read { path: String },
    Web { url: String },
    Subagent { agent: String, prompt: String },
    Skill { name: String },
    Ask { question: String },
}

/// `tools`: the name of an agent, or a table of tools. Without one it is unknown what the tools do.
pub(super) fn read_tools(params: &mut Params) -> Result<ToolClassifier, ParamsError> {
    match params.optional("tools") {
        None => Ok(ToolClassifier::OPAQUE),
        Some(Value::String(agent)) => match hookrail_dialects::dialect(&agent) {
            Some(dialect) => Ok(ToolClassifier::Known(dialect.classify())),
            None => {
                let known: Vec<&str> = hookrail_dialects::all().iter().map(|dialect| dialect.name()).collect();
                let problem = format!("unknown agent `{agent}`\nhint: the agents are {}", known.join(", "));
                Err(params.invalid("tools", &problem))
            }
        },
        Some(Value::Object(table)) => {
            let read = |(name, tool): (String, Value)| {
                let place = format!("tools.{name}");
                Ok((name, read_tool(Params::from_value(&place, tool)?)?))
            };
            let table = table.into_iter().map(read).collect::<Result<HashMap<String, ToolShape>, ParamsError>>()?;
            Ok(ToolClassifier::Described(Arc::new(move |name, input| classify(&table, name, input))))
        }
        Some(_) => Err(params.mistyped("tools", "the name of an agent or a table of tools")),
    }
}

fn read_tool(mut params: Params) -> Result<ToolShape, ParamsError> {
    let kind = params.text("kind")?;
    let mut field = |name: &'static str| Ok(params.optional_text(name)?.unwrap_or_else(|| name.to_owned()));
    let shape = match kind.as_str() {
        "shell" => ToolShape::Shell { command: field("command")?, cwd: params.optional_text("cwd")? },
        "write" => ToolShape::Write { path: field("path")?, content: field("content")? },
        "edit" => ToolShape::Edit { path: field("path")? },
        "read" => ToolShape::Read { path: field("path")? },
        "web" => ToolShape::Web { url: field("url")? },
        "subagent" => ToolShape::Subagent { agent: field("agent")?, prompt: field("prompt")? },
        "skill" => ToolShape::Skill { name: field("name")? },
        "ask" => ToolShape::Ask { question: field("question")? },
        other => {
            let kinds = "`shell`, `write`, `edit`, `read`, `web`, `subagent`, `skill` or `ask`";
            return Err(params.invalid("kind", &format!("unknown kind `{other}`\nhint: use {kinds}")));
        }
    };
    params.finish().map(|()| shape)
}

fn classify(table: &HashMap<String, ToolShape>, name: &str, input: &Value) -> ToolKind {
    let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    match table.get(name) {
        Some(ToolShape::Shell { command, cwd }) => {
            let cwd = cwd.as_deref().map(text).filter(|cwd| !cwd.is_empty());
            ToolKind::Shell { command: text(command), cwd }
        }
        Some(ToolShape::Write { path, content }) => ToolKind::Write { path: text(path), content: text(content) },
        Some(ToolShape::Edit { path }) => ToolKind::Edit { paths: texts(input.get(path)) },
        Some(ToolShape::Read { path }) => ToolKind::Read { path: text(path) },
        Some(ToolShape::Web { url }) => ToolKind::WebFetch { url: text(url) },
        Some(ToolShape::Subagent { agent, prompt }) => ToolKind::Subagent { agent: text(agent), prompt: text(prompt) },
        Some(ToolShape::Skill { name }) => ToolKind::Skill { name: text(name) },
        Some(ToolShape::Ask { question }) => ToolKind::AskUser { questions: texts(input.get(question)) },
        None => match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, tool)) => ToolKind::Mcp { server: server.to_owned(), tool: tool.to_owned() },
            None => ToolKind::Other,
        },
    }
}

/// One text, or a list of them.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
