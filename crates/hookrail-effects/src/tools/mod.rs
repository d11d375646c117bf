//! Tools other than the shell.

pub(crate) mod content;
mod inputs;
mod mcp;
pub(crate) mod patch;
mod people;
pub(crate) mod requests;
mod search;
mod tool_names;

use crate::act::Act;
use crate::analysis::{Analysis, Extent};
use crate::effect::{GapReason, Sure};
use crate::flow::{Arg, Flow};
use crate::location::Location;
use crate::models::host_of;
use crate::object::Object;
use crate::secrets::sends_secret;
use crate::shell::{Scope, Shell, run_text};
use hookrail_core::{ToolCall, ToolKind};
use hookrail_shell::ast::Span;
use serde_json::Value;
use std::path::Path;

/// Follows a call of any tool.
pub(crate) fn follow(analysis: &mut Analysis<'_>, call: &ToolCall, input: &Value) {
    let cwd = analysis.around.cwd.clone();
    if has_contract(call, input) {
        analysis.effects.proof.begin();
    }
    if let Some(field) = opens_sandbox(input) {
        analysis.add_target(Act::SandboxDisable, Some(field), Location::System, Span::default());
    }
    match &call.kind {
        ToolKind::Shell { command, cwd: folder } => {
            let folder = folder.as_ref().map_or_else(|| cwd.clone(), |folder| crate::paths::tidy(cwd.join(folder)));
            shell(analysis, &call.name, command, &folder);
            // A shell gets something to run, wherever it stands.
            if command.is_empty() {
                for text in inputs::texts(input) {
                    shell(analysis, &call.name, text, &folder);
                }
            }
        }
        ToolKind::Write { path, .. } | ToolKind::Read { path } if path.is_empty() => {
            other(analysis, &cwd, &call.name, input);
        }
        ToolKind::Edit { paths } if paths.is_empty() && patch_text(input).is_none() => {
            other(analysis, &cwd, &call.name, input);
        }
        ToolKind::Write { path, content } => write(analysis, &cwd, path, content),
        ToolKind::Edit { paths } => edit(analysis, &cwd, paths, input),
        ToolKind::Read { path } => {
            for path in path.split('\n').filter(|path| !path.is_empty()) {
                analysis.touch(Act::FsRead, &expanded(analysis, path), Some(&cwd), Extent::Single);
            }
        }
        ToolKind::WebFetch { url } => web(analysis, &cwd, url),
        ToolKind::Mcp { server, tool } => mcp::follow(analysis, &cwd, server, tool, input),
        ToolKind::Subagent { agent, .. } => {
            analysis.add_target(Act::AgentSpawn, Some(agent), place(analysis), Span::default());
        }
        ToolKind::Skill { name } => analysis.add_target(Act::AgentAsk, Some(name), place(analysis), Span::default()),
        ToolKind::AskUser { .. } => analysis.add_target(Act::AgentAsk, None, place(analysis), Span::default()),
        ToolKind::Other => other(analysis, &cwd, &call.name, input),
    }
}

/// Reports whether it is known what a tool does: its kind says so, and its input is complete. Of a shell each command must be
/// claimed by itself; what a server's tool does, and what one without a kind does, its name and its input do not tell.
fn has_contract(call: &ToolCall, input: &Value) -> bool {
    match &call.kind {
        ToolKind::Write { path, .. } | ToolKind::Read { path } => !path.is_empty(),
        ToolKind::Edit { paths } => !paths.is_empty() || patch_text(input).is_some(),
        ToolKind::WebFetch { .. } | ToolKind::Subagent { .. } | ToolKind::Skill { .. } | ToolKind::AskUser { .. } => {
            true
        }
        ToolKind::Other => {
            input.as_str().is_some_and(|_| patch_text(input).is_some())
                || ASKS.contains(&call.name.as_str())
                || search::is_search(&call.name)
        }
        ToolKind::Shell { command, .. } => !command.is_empty() && !is_power_shell(&call.name),
        ToolKind::Mcp { .. } => false,
    }
}

/// The field by which a call asks to run without the agent's sandbox.
fn opens_sandbox(input: &Value) -> Option<&'static str> {
    const FIELDS: &[&str] =
        &["dangerouslyDisableSandbox", "dangerously_disable_sandbox", "disable_sandbox", "no_sandbox"];
    let is_set = |field: &&&str| {
        matches!(input.get(**field), Some(Value::Bool(true))) || input.get(**field) == Some(&"true".into())
    };
    FIELDS.iter().find(is_set).copied()
}

fn place(analysis: &Analysis<'_>) -> Location {
    analysis.place_of(&analysis.around.cwd)
}

fn is_power_shell(tool: &str) -> bool {
    tool.eq_ignore_ascii_case("powershell") || tool.eq_ignore_ascii_case("pwsh")
}

pub(crate) fn shell(analysis: &mut Analysis<'_>, tool: &str, command: &str, cwd: &Path) {
    let mut shell = Shell::at(cwd);
    // Shells that read a script pass over these bytes.
    let plain;
    let command = if command.contains('\0') {
        plain = command.replace('\0', "");
        plain.as_str()
    } else {
        command
    };
    if is_power_shell(tool) {
        crate::windows::run_power_shell(analysis, &mut shell, command, None);
        return;
    }
    run_text(analysis, &mut shell, command, Scope::Same, None, &Flow::default());
}

/// A path as a tool is given it; some tools expand a tilde.
fn path_arg(path: &str) -> Arg {
    Arg::new(path, Span::default())
}

fn write(analysis: &mut Analysis<'_>, cwd: &Path, path: &str, content: &str) {
    let arg = expanded(analysis, path);
    analysis.overwrite(&arg, Some(cwd));
    content::inspect(analysis, Some(cwd), &arg, content);
}

fn expanded(analysis: &Analysis<'_>, path: &str) -> Arg {
    let address = path.strip_prefix("file://").map(|rest| rest.strip_prefix("localhost").unwrap_or(rest));
    let path = address.map_or_else(|| path.into(), |path| std::borrow::Cow::from(inputs::without_escapes(path)));
    match (path.strip_prefix('~'), &analysis.around.home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            path_arg(&format!("{}{rest}", home.to_string_lossy()))
        }
        _ => path_arg(&path),
    }
}

/// Fields of edits that hold new text.
const NEW_TEXT: &[&str] = &[
    "new_string",
    "new_str",
    "newString",
    "content",
    "new_text",
    "new_source",
    "text",
    "code_edit",
    "replacement",
    "insert_text",
];

fn edit(analysis: &mut Analysis<'_>, cwd: &Path, paths: &[String], input: &Value) {
    let patch = patch_text(input);
    if let Some(patch) = &patch {
        patch::apply(analysis, Some(cwd), patch, Span::default());
    }
    let mut texts = Vec::new();
    new_texts(input, &mut texts, 0);
    for path in paths {
        let arg = expanded(analysis, path);
        // What the patch says of a file is known better; a file that it does not name in so many words is written all the same.
        if !patch.as_deref().is_some_and(|patch| patch::names(patch, path)) {
            analysis.touch(Act::FsWrite, &arg, Some(cwd), Extent::Single);
        }
        for text in &texts {
            content::inspect(analysis, Some(cwd), &arg, text);
        }
    }
}

fn patch_text(input: &Value) -> Option<String> {
    let texts = ["command", "input", "patch", "patch_content", "patchText"];
    let found = |input: &Value| match input {
        Value::String(text) => Some(text.clone()),
        _ => texts.iter().find_map(|field| input.get(*field).and_then(Value::as_str)).map(str::to_owned),
    };
    let text = found(input)?;
    // Some agents wrap the input of a free-form tool once more: `{"input": "*** Begin Patch…"}`, as text.
    let wrapped = text.trim_start().starts_with('{').then(|| serde_json::from_str::<Value>(&text).ok()).flatten();
    let text = wrapped.as_ref().and_then(found).unwrap_or(text);
    Some(text).filter(|text| text.contains("*** ") && text.contains("File:"))
}

fn new_texts<'v>(value: &'v Value, found: &mut Vec<&'v str>, depth: usize) {
    if depth > 4 || found.len() > 64 {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if NEW_TEXT.contains(&name.as_str()) => found.push(text),
                    Value::Array(_) | Value::Object(_) => new_texts(value, found, depth + 1),
                    _ => {}
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| new_texts(item, found, depth + 1)),
        _ => {}
    }
}

/// A URL is fetched; a secret in it is sent.
fn web(analysis: &mut Analysis<'_>, cwd: &Path, text: &str) {
    let urls: Vec<&str> = text.split_whitespace().filter(|word| word.contains("://")).collect();
    let urls = if urls.is_empty() { vec![text] } else { urls };
    for url in urls {
        if url.starts_with("file://") {
            analysis.touch(Act::FsRead, &expanded(analysis, url), Some(cwd), Extent::Single);
        }
        let object = Object { host: host_of(url).map(Into::into), url: Some(url.into()), ..Object::default() };
        if sends_secret(url) {
            analysis.add(Act::SecretSend, object, Location::Remote, Sure::Certain, Span::default());
        } else {
            analysis.add(Act::NetFetch, object, Location::Remote, Sure::Certain, Span::default());
        }
    }
}

/// Tools that only ask or plan, by their names.
const ASKS: &[&str] = &[
    "TodoWrite",
    "todo_write",
    "TodoRead",
    "update_plan",
    "ExitPlanMode",
    "EnterPlanMode",
    "write_todos",
    "save_memory",
    "SlashCommand",
    "ToolSearch",
    "ListMcpResourcesTool",
    "ReadMcpResourceTool",
];

/// Whether a tool searches the web, by its name.
pub(crate) fn is_web_search(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("websearch") || name.contains("web_search")
}

fn other(analysis: &mut Analysis<'_>, cwd: &Path, name: &str, input: &Value) {
    if let Some(patch) = input.as_str().and_then(|_| patch_text(input)) {
        patch::apply(analysis, Some(cwd), &patch, Span::default());
        return;
    }
    if let Value::Array(calls) = input {
        for call in analysis.limited(calls.iter().filter(|call| call.is_object()), 64, Span::default()) {
            other(analysis, cwd, name, call);
        }
    }
    if search::follow(analysis, cwd, name, input) {
        return;
    }
    if ASKS.contains(&name) {
        analysis.add_target(Act::AgentAsk, None, place(analysis), Span::default());
        return;
    }
    if is_web_search(name) {
        analysis.add_target(
            Act::NetFetch,
            input.get("query").and_then(Value::as_str),
            Location::Remote,
            Span::default(),
        );
        return;
    }
    if matches!(name, "BashOutput" | "KillShell" | "KillBash" | "TaskOutput" | "TaskStop") {
        return;
    }
    let before = (analysis.effects.list.len(), analysis.effects.gaps.len());
    let (server, tool) = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).unwrap_or(("", name));
    mcp::follow(analysis, cwd, server, tool, input);
    if analysis.effects.list.len() == before.0 && analysis.effects.gaps.len() == before.1 {
        analysis.gap(GapReason::UnknownTool, Span::default());
    }
}
