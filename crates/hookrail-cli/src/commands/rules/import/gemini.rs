//! Gemini CLI: `tools.allowed` and `tools.exclude` of its settings.

use super::FoundPermissions;
use super::permission::{Meaning, Permission, prefix};
use super::settings_file::settings;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::World;
use hookrail_rules::RuleDecision;
use serde_json::Value;
use std::path::{Path, PathBuf};

pub fn read(place: &CurrentProject) -> FoundPermissions {
    let home = place.world.env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let folders = home.into_iter().chain([place.project.clone()]);
    let files: Vec<PathBuf> = folders.map(|folder| folder.join(".gemini/settings.json")).collect();
    FoundPermissions::in_files(files, |file| of_file(file, place))
}

/// The lists, under the names of today and of before.
const LISTS: &[(&[&str], RuleDecision)] = &[
    (&["tools", "exclude"], RuleDecision::Deny),
    (&["excludeTools"], RuleDecision::Deny),
    (&["tools", "allowed"], RuleDecision::Allow),
    (&["allowedTools"], RuleDecision::Allow),
];

fn of_file(file: &Path, place: &CurrentProject) -> Result<Vec<Permission>, CliError> {
    let settings = settings(file, place)?;
    let mut found = Vec::new();
    for (path, decision) in LISTS {
        let list = path.iter().try_fold(&settings, |value, key| value.get(key));
        for entry in list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            let (file, entry) = (file.to_owned(), entry.to_owned());
            found.push(Permission { agent: "gemini", file, decision: *decision, meaning: meaning(&entry), entry });
        }
    }
    Ok(found)
}

fn meaning(entry: &str) -> Meaning {
    let tool = |name: &str| Meaning::Tool(name.to_owned());
    match entry.split_once('(') {
        Some(("run_shell_command" | "ShellTool", rest)) => match rest.strip_suffix(')') {
            Some(command) => prefix(command),
            None => Meaning::Unclear("its bracket is not closed".to_owned()),
        },
        Some(_) => Meaning::Unclear("rules have no word for what stands in its brackets".to_owned()),
        None => match entry {
            "run_shell_command" | "ShellTool" => tool("shell"),
            "read_file" | "read_many_files" | "ReadFileTool" => tool("read"),
            "write_file" | "WriteFileTool" => tool("write"),
            "replace" | "EditTool" => tool("edit"),
            "web_fetch" | "WebFetchTool" => tool("web"),
            "" => Meaning::Unclear("it is empty".to_owned()),
            name => tool(name),
        },
    }
}
