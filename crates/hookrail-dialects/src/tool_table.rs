//! What an agent's tools do, as data.

use crate::patch;
use hookrail_core::ToolKind;
use serde_json::Value;
use std::borrow::Cow;

/// The kinds of [`ToolKind`] without what a call holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolClass {
    Shell,
    Write,
    Edit,
    Read,
    WebFetch,
    Subagent,
    Skill,
    AskUser,
}

impl ToolClass {
    pub const ALL: &[Self] =
        &[Self::Shell, Self::Write, Self::Edit, Self::Read, Self::WebFetch, Self::Subagent, Self::Skill, Self::AskUser];
}

/// Names of input fields. `a[].b` stands for the `b` of every element of `a`.
///
/// Only fields the agent itself reads belong here. Were others believed, a model could show a guard one path and write to
/// another.
pub(crate) type Fields = &'static [&'static str];

/// Where in its input a tool keeps what matters.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputFields {
    Shell {
        command: Fields,
        cwd: Fields,
    },
    /// Several commands in one call, each run on its own.
    Commands {
        commands: Fields,
    },
    Write {
        path: Fields,
        content: Fields,
    },
    /// Paths stand in fields of their own, or in patch texts.
    Edit {
        paths: Fields,
        patches: Fields,
    },
    /// One tool whose `command` says whether it views, creates or changes `path`.
    Editor,
    Read {
        path: Fields,
    },
    WebFetch {
        url: Fields,
    },
    Subagent {
        agent: Fields,
        prompt: Fields,
    },
    Skill {
        name: Fields,
    },
    AskUser {
        questions: Fields,
    },
}

/// How an agent names the tools of MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpNames {
    /// `mcp__server__tool`
    Double,
    /// `mcp_server_tool` or `mcp__server__tool`; of the former, where the server's name ends is a guess unless the payload tells.
    Single,
    /// `server___tool`, and where a model takes it for another agent's, `mcp__server__tool`
    Triple,
    /// `MCP:tool`
    Colon,
    /// `mcp_server.tool`
    Dotted,
    /// `server-tool`, or `server/tool`; no tool of the agent's own has such a name.
    Joined,
    /// No pattern to go by.
    Unknown,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolTable {
    pub tools: &'static [(&'static str, InputFields)],
    pub mcp: McpNames,
}

impl ToolTable {
    pub(crate) fn classify(&self, name: &str, input: &Value) -> ToolKind {
        match self.tools.iter().find(|(known, _)| *known == name) {
            Some((_, reading)) => reading.apply(input),
            None => self.mcp.split(name).unwrap_or(ToolKind::Other),
        }
    }

    pub(crate) fn names(&self, class: ToolClass) -> Vec<&'static str> {
        self.tools.iter().filter(|(_, reading)| reading.class() == class).map(|(name, _)| *name).collect()
    }
}

impl McpNames {
    /// A regular expression for the names of all tools of MCP servers; `None` if they have no pattern.
    #[must_use]
    pub fn pattern(self) -> Option<&'static str> {
        match self {
            Self::Double => Some("mcp__.*"),
            Self::Single | Self::Dotted => Some("mcp_.*"),
            Self::Triple => Some("mcp__.*|.+___.+"),
            Self::Colon => Some("MCP:.*"),
            Self::Joined => Some(".+[-/].+"),
            Self::Unknown => None,
        }
    }

    pub(crate) fn split(self, name: &str) -> Option<ToolKind> {
        let (server, tool) = match self {
            Self::Double => name.strip_prefix("mcp__")?.split_once("__")?,
            // LLxprt Code writes two of them, with the same pattern.
            Self::Single => match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
                Some(parts) => parts,
                None => name.strip_prefix("mcp_")?.split_once('_')?,
            },
            Self::Triple => match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
                Some(parts) => parts,
                None => name.split_once("___")?,
            },
            Self::Colon => ("", name.strip_prefix("MCP:")?),
            Self::Dotted => name.strip_prefix("mcp_")?.split_once('.')?,
            Self::Joined => name.split_once(['-', '/'])?,
            Self::Unknown => return None,
        };
        Some(ToolKind::Mcp { server: server.to_owned(), tool: tool.to_owned() })
    }
}

impl InputFields {
    pub(crate) fn class(self) -> ToolClass {
        match self {
            Self::Shell { .. } | Self::Commands { .. } => ToolClass::Shell,
            Self::Write { .. } => ToolClass::Write,
            Self::Edit { .. } | Self::Editor => ToolClass::Edit,
            Self::Read { .. } => ToolClass::Read,
            Self::WebFetch { .. } => ToolClass::WebFetch,
            Self::Subagent { .. } => ToolClass::Subagent,
            Self::Skill { .. } => ToolClass::Skill,
            Self::AskUser { .. } => ToolClass::AskUser,
        }
    }

    fn apply(self, input: &Value) -> ToolKind {
        match self {
            Self::Shell { command, cwd } => {
                let own = first(input, cwd, " ");
                let cwd = if own.is_empty() { first(input, WORKING_FOLDERS, " ") } else { own };
                ToolKind::Shell { command: first(input, command, " "), cwd: (!cwd.is_empty()).then_some(cwd) }
            }
            Self::Commands { commands } => ToolKind::Shell { command: every(input, commands).join("\n"), cwd: None },
            Self::Write { path, content } => write(own_or_other(input, path), first(input, content, "\n")),
            Self::Edit { paths, patches } => {
                let found = edited(input, paths, patches);
                ToolKind::Edit { paths: if found.is_empty() { every(input, OTHER_PATHS) } else { found } }
            }
            Self::Editor => editor(input),
            Self::Read { path } => {
                let own = first(input, path, "\n");
                ToolKind::Read { path: if own.is_empty() { first(input, OTHER_PATHS, "\n") } else { own } }
            }
            Self::WebFetch { url } => ToolKind::WebFetch { url: first(input, url, "\n") },
            Self::Subagent { agent, prompt } => {
                ToolKind::Subagent { agent: first(input, agent, "\n"), prompt: first(input, prompt, "\n") }
            }
            Self::Skill { name } => ToolKind::Skill { name: first(input, name, "\n") },
            Self::AskUser { questions } => ToolKind::AskUser { questions: every(input, questions) },
        }
    }
}

/// What other versions of the same agents call a path. These count only where a call has none of the fields that its agent
/// is known to read.
const OTHER_PATHS: Fields = &["file_path", "absolute_path", "path", "filePath", "notebook_path", "paths"];

fn own_or_other(input: &Value, fields: Fields) -> Vec<String> {
    let own = every(input, fields);
    if own.is_empty() { every(input, OTHER_PATHS) } else { own }
}

/// A write with more than one path is one no agent should make; every path counts.
fn write(mut paths: Vec<String>, content: String) -> ToolKind {
    if paths.len() > 1 {
        return ToolKind::Edit { paths };
    }
    ToolKind::Write { path: paths.pop().unwrap_or_default(), content }
}

fn edited(input: &Value, fields: Fields, patches: Fields) -> Vec<String> {
    let mut paths = every(input, fields);
    let texts = match input {
        Value::String(text) if !patches.is_empty() => vec![text.clone()],
        _ => every(input, patches),
    };
    for path in texts.iter().flat_map(|text| patch::paths(&unwrapped(text, patches))) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// A patch that the agent wrapped once more: `{"input": "*** Begin Patch…"}`, as text.
fn unwrapped<'t>(text: &'t str, patches: Fields) -> Cow<'t, str> {
    if !text.trim_start().starts_with('{') {
        return Cow::Borrowed(text);
    }
    let inner = serde_json::from_str::<Value>(text).map(|inner| every(&inner, patches)).unwrap_or_default();
    if inner.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(inner.join("\n")) }
}

fn editor(input: &Value) -> ToolKind {
    let paths = every(input, &["path"]);
    match input.get("command").and_then(Value::as_str) {
        Some("view") => ToolKind::Read { path: paths.join("\n") },
        Some("create") => write(paths, first(input, &["file_text"], "\n")),
        _ => ToolKind::Edit { paths },
    }
}

/// The texts of the first field that has any, as one: most often there is just one, but agents send lists, too.
/// What agents and their versions call the folder that a command runs in.
const WORKING_FOLDERS: Fields =
    &["cwd", "workdir", "working_directory", "workingDirectory", "working_dir", "directory", "dir_path"];

fn first(input: &Value, fields: Fields, separator: &str) -> String {
    fields.iter().map(|field| texts(input, field)).find(|found| !found.is_empty()).unwrap_or_default().join(separator)
}

/// The texts of all fields, each once.
fn every(input: &Value, fields: Fields) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in fields.iter().flat_map(|field| texts(input, field)) {
        if !found.iter().any(|known| known == text) {
            found.push(text.to_owned());
        }
    }
    found
}

fn texts<'a>(input: &'a Value, field: &str) -> Vec<&'a str> {
    match field.split_once("[].") {
        None => strings(input.get(field)),
        Some((list, inner)) => {
            let items = input.get(list).and_then(Value::as_array);
            items.into_iter().flatten().flat_map(|item| strings(item.get(inner))).collect()
        }
    }
}

fn strings(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_of_servers_are_known_by_the_pattern_of_their_agent_and_found_by_its_matcher() {
        for (names, name, parts) in [
            (McpNames::Double, "mcp__files__write", Some(("files", "write"))),
            (McpNames::Double, "files___write", None),
            (McpNames::Triple, "files___write", Some(("files", "write"))),
            (McpNames::Triple, "mcp__files__write", Some(("files", "write"))),
            (McpNames::Triple, "Execute", None),
            (McpNames::Single, "mcp_files_write", Some(("files", "write"))),
            (McpNames::Dotted, "mcp_files.write", Some(("files", "write"))),
            (McpNames::Colon, "MCP:write", Some(("", "write"))),
            (McpNames::Joined, "files-write", Some(("files", "write"))),
            (McpNames::Unknown, "files-write", None),
        ] {
            let expected =
                parts.map(|(server, tool)| ToolKind::Mcp { server: server.to_owned(), tool: tool.to_owned() });
            assert_eq!(names.split(name), expected, "{names:?} {name}");
            let is_matched = names.pattern().is_some_and(|pattern| {
                let whole = format!("^(?:{pattern})$");
                hookrail_core::Matcher::compile(Some(&whole), hookrail_core::MatcherStyle::Pattern).0.matches_name(name)
            });
            assert_eq!(is_matched, expected.is_some(), "{names:?} {name}");
        }
    }

    #[test]
    fn the_path_of_another_version_counts_only_where_the_known_field_is_missing() {
        let table = ToolTable {
            tools: &[
                ("read", InputFields::Read { path: &["file_path"] }),
                ("write", InputFields::Write { path: &["file_path"], content: &["content"] }),
                ("edit", InputFields::Edit { paths: &["file_path"], patches: &[] }),
            ],
            mcp: McpNames::Unknown,
        };
        let read = |path: &str| ToolKind::Read { path: path.to_owned() };
        let write = |path: &str| ToolKind::Write { path: path.to_owned(), content: String::new() };
        let edit = |path: &str| ToolKind::Edit { paths: vec![path.to_owned()] };
        let cases = [
            ("read", json!({"file_path": "a", "absolute_path": "b"}), read("a")),
            ("read", json!({"absolute_path": "b"}), read("b")),
            ("read", json!({"limit": 3}), read("")),
            ("write", json!({"file_path": "a", "path": "b"}), write("a")),
            ("write", json!({"path": "b"}), write("b")),
            ("edit", json!({"file_path": "a", "filePath": "b"}), edit("a")),
            ("edit", json!({"filePath": "b"}), edit("b")),
        ];
        for (tool, input, expected) in cases {
            assert_eq!(table.classify(tool, &input), expected, "{tool} {input}");
        }
    }
}
