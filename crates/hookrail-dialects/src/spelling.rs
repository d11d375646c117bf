//! From a kind of call to the words in which an agent's model would make it.

use crate::tool_table::{Fields, InputFields, McpNames};
use crate::{Agent, ToolClass};
use hookrail_core::ToolKind;
use serde_json::{Map, Value, json};

/// A call of a tool in the words of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpelledCall {
    /// The agent's name of the tool.
    pub tool: String,
    /// What the agent gives the tool.
    pub input: Map<String, Value>,
}

impl Agent {
    /// Whether a tool of this agent, or of an MCP server as this agent names them, is called so.
    #[must_use]
    pub fn has_tool(&self, name: &str) -> bool {
        self.tool_names().any(|known| known == name) || self.mcp().split(name).is_some()
    }

    /// How this agent would make a call of this kind, by the first of its tools that can. `None` if it has no such tool.
    /// What the kind does not hold, such as the text that an edit replaces, is not in the input.
    #[must_use]
    pub fn spell(&self, kind: &ToolKind) -> Option<SpelledCall> {
        if let ToolKind::Mcp { server, tool } = kind {
            return Some(SpelledCall { tool: self.mcp().join(server, tool), input: Map::new() });
        }
        let class = ToolClass::of(kind)?;
        let of_class = self.tools.tools.iter().find(|(_, reading)| reading.class() == class);
        // A new file can be written by a patch where there is no tool for whole files.
        let patch = || self.tools.tools.iter().find(|(_, reading)| class == ToolClass::Write && reading.takes_patch());
        let (tool, reading) = of_class.or_else(patch)?;
        Some(SpelledCall { tool: (*tool).to_owned(), input: reading.spell(kind) })
    }
}

impl ToolClass {
    /// The class of a call. `None` for calls of MCP servers and of unknown tools.
    #[must_use]
    pub fn of(kind: &ToolKind) -> Option<Self> {
        Some(match kind {
            ToolKind::Shell { .. } => Self::Shell,
            ToolKind::Write { .. } => Self::Write,
            ToolKind::Edit { .. } => Self::Edit,
            ToolKind::Read { .. } => Self::Read,
            ToolKind::WebFetch { .. } => Self::WebFetch,
            ToolKind::Subagent { .. } => Self::Subagent,
            ToolKind::Skill { .. } => Self::Skill,
            ToolKind::AskUser { .. } => Self::AskUser,
            ToolKind::Mcp { .. } | ToolKind::Other => return None,
        })
    }
}

impl McpNames {
    /// The agent's name for a tool of an MCP server. Where there is no pattern to go by it is that of most agents.
    fn join(self, server: &str, tool: &str) -> String {
        match self {
            Self::Double | Self::Unknown => format!("mcp__{server}__{tool}"),
            Self::Single => format!("mcp_{server}_{tool}"),
            Self::Triple => format!("{server}___{tool}"),
            Self::Colon => format!("MCP:{tool}"),
            Self::Dotted => format!("mcp_{server}.{tool}"),
            Self::Joined => format!("{server}-{tool}"),
        }
    }
}

impl InputFields {
    fn takes_patch(self) -> bool {
        matches!(self, Self::Edit { patches: [_, ..], .. })
    }

    /// An input from which this reading reads that kind.
    fn spell(self, kind: &ToolKind) -> Map<String, Value> {
        let mut input = Map::new();
        match (self, kind) {
            (Self::Shell { command: field, cwd: folder }, ToolKind::Shell { command, cwd }) => {
                put(&mut input, field, json!(command));
                if let Some(cwd) = cwd {
                    put(&mut input, folder, json!(cwd));
                }
            }
            (Self::Commands { commands }, ToolKind::Shell { command, .. }) => {
                put(&mut input, commands, json!([command]));
            }
            (Self::Write { path: field, content: text }, ToolKind::Write { path, content }) => {
                put(&mut input, field, json!(path));
                put(&mut input, text, json!(content));
            }
            (Self::Editor, ToolKind::Write { path, content }) => {
                input.extend(object(json!({ "command": "create", "path": path, "file_text": content })));
            }
            (Self::Editor, ToolKind::Edit { paths }) => {
                input.extend(object(json!({ "command": "str_replace", "path": paths })));
            }
            (Self::Edit { patches, .. }, ToolKind::Write { path, content }) => {
                let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
                put(&mut input, patches, json!(patch(&[format!("*** Add File: {path}\n{lines}")])));
            }
            (Self::Edit { paths: [], patches }, ToolKind::Edit { paths }) => {
                let files: Vec<String> = paths.iter().map(|path| format!("*** Update File: {path}\n")).collect();
                put(&mut input, patches, json!(patch(&files)));
            }
            (Self::Edit { paths: field, .. }, ToolKind::Edit { paths }) => put(&mut input, field, few(paths)),
            (Self::Read { path: field }, ToolKind::Read { path }) => put(&mut input, field, json!(path)),
            (Self::WebFetch { url: field }, ToolKind::WebFetch { url }) => put(&mut input, field, json!(url)),
            (Self::Subagent { agent: field, prompt: text }, ToolKind::Subagent { agent, prompt }) => {
                put(&mut input, field, json!(agent));
                put(&mut input, text, json!(prompt));
            }
            (Self::Skill { name: field }, ToolKind::Skill { name }) => put(&mut input, field, json!(name)),
            (Self::AskUser { questions: field }, ToolKind::AskUser { questions }) => {
                put(&mut input, field, few(questions));
            }
            _ => {}
        }
        input
    }
}

/// Puts a value where the first of these fields is read; one in a list becomes a list of objects.
fn put(input: &mut Map<String, Value>, fields: Fields, value: Value) {
    let Some(field) = fields.first() else { return };
    match field.split_once("[].") {
        None => input.insert((*field).to_owned(), value),
        Some((list, inner)) => {
            let values = if let Value::Array(values) = value { values } else { vec![value] };
            let objects: Vec<Value> =
                values.into_iter().map(|value| Value::Object(Map::from_iter([(inner.to_owned(), value)]))).collect();
            input.insert(list.to_owned(), Value::Array(objects))
        }
    };
}

fn few(texts: &[String]) -> Value {
    match texts {
        [one] => json!(one),
        several => json!(several),
    }
}

fn patch(files: &[String]) -> String {
    format!("*** Begin Patch\n{}*** End Patch\n", files.concat())
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{agents, dialect};

    fn kinds() -> Vec<ToolKind> {
        let text = str::to_owned;
        vec![
            ToolKind::Shell { command: text("ls -l"), cwd: None },
            ToolKind::Write { path: text("a/b.md"), content: text("x") },
            ToolKind::Edit { paths: vec![text("a/b.md")] },
            ToolKind::Read { path: text("a/b.md") },
            ToolKind::WebFetch { url: text("https://example.com/x") },
            ToolKind::Subagent { agent: text("reviewer"), prompt: text("look") },
            ToolKind::Skill { name: text("deploy") },
            ToolKind::AskUser { questions: vec![text("why?")] },
        ]
    }

    #[test]
    fn what_an_agent_is_made_to_say_is_read_as_what_was_meant() {
        for agent in agents() {
            let classify = agent.dialect().unwrap().classify();
            for kind in kinds() {
                let Some(call) = agent.spell(&kind) else { continue };
                assert!(agent.has_tool(&call.tool), "{}: {}", agent.name, call.tool);
                let read = classify(&call.tool, &Value::Object(call.input.clone()));
                let written_by_patch = matches!((&kind, &read), (ToolKind::Write { path, .. }, ToolKind::Edit { paths }) if *paths == [path.clone()]);
                // Some agents call subagents without a name.
                let nameless = matches!((&kind, &read), (ToolKind::Subagent { .. }, ToolKind::Subagent { .. }));
                assert!(read == kind || written_by_patch || nameless, "{}: {call:?} is read as {read:?}", agent.name);
            }
            assert!(agent.spell(&kinds()[0]).is_some(), "{} has no shell", agent.name);
        }
    }

    #[test]
    fn tools_of_servers_have_the_name_that_the_agent_would_give_them() {
        let kind = ToolKind::Mcp { server: "files".to_owned(), tool: "write".to_owned() };
        for (agent, expected) in
            [("claude", "mcp__files__write"), ("gemini", "mcp_files_write"), ("cursor", "MCP:write")]
        {
            let agent = dialect(agent).unwrap().agent();
            let call = agent.spell(&kind).unwrap();
            assert_eq!(call.tool, expected);
            assert!(agent.has_tool(expected));
        }
        assert!(!dialect("claude").unwrap().agent().has_tool("Wirte"));
    }
}
