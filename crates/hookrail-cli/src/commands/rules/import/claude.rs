//! Claude Code: `permissions.allow`, `ask` and `deny` of its settings.

use super::FoundPermissions;
use super::permission::{Meaning, Permission, commands};
use super::settings_file::settings;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::World;
use hookrail_rules::RuleDecision;
use serde_json::Value;
use std::path::{Path, PathBuf};

pub fn read(place: &CurrentProject) -> FoundPermissions {
    let set = |name: &str| place.world.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = set("CLAUDE_CONFIG_DIR").or_else(|| Some(set("HOME")?.join(".claude")));
    let project = place.project.join(".claude");
    let user = user.map(|folder| folder.join("settings.json"));
    let files = user.into_iter().chain(["settings.json", "settings.local.json"].map(|name| project.join(name)));
    let files: Vec<PathBuf> = files.collect();
    FoundPermissions::in_files(files, |file| of_file(file, place))
}

fn of_file(file: &Path, place: &CurrentProject) -> Result<Vec<Permission>, CliError> {
    let settings = settings(file, place)?;
    let list = |decision: RuleDecision| {
        let entries = settings.get("permissions").and_then(|permissions| permissions.get(decision.name()));
        let entries = entries.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        entries
            .map(|entry| Permission {
                agent: "claude",
                file: file.to_owned(),
                decision,
                entry: entry.to_owned(),
                meaning: meaning(entry),
            })
            .collect::<Vec<_>>()
    };
    Ok([RuleDecision::Deny, RuleDecision::Ask, RuleDecision::Allow].into_iter().flat_map(list).collect())
}

/// What an entry such as `Bash(git push:*)` or `Read(.env)` is about.
fn meaning(entry: &str) -> Meaning {
    let (tool, about) = match entry.split_once('(') {
        Some((tool, rest)) => match rest.strip_suffix(')') {
            Some(about) => (tool.trim(), Some(about)),
            None => return Meaning::Unclear("its bracket is not closed".to_owned()),
        },
        None => (entry.trim(), None),
    };
    match (tool, about) {
        ("Bash", Some(command)) => commands(command),
        ("Read" | "Grep" | "Glob" | "LS", Some(pattern)) => path(pattern).map_or_else(|why| why, Meaning::Read),
        ("Edit" | "Write" | "MultiEdit" | "NotebookEdit", Some(pattern)) => {
            path(pattern).map_or_else(|why| why, Meaning::Change)
        }
        ("WebFetch", Some(about)) => match about.strip_prefix("domain:") {
            Some(host) => Meaning::Host(host.trim().to_owned()),
            None => Meaning::Unclear("only `domain:` is known inside of `WebFetch(…)`".to_owned()),
        },
        ("Bash", None) => Meaning::Tool("shell".to_owned()),
        ("Read", None) => Meaning::Tool("read".to_owned()),
        ("Write", None) => Meaning::Tool("write".to_owned()),
        ("Edit", None) => Meaning::Tool("edit".to_owned()),
        ("WebFetch" | "WebSearch", None) => Meaning::Tool(tool.to_owned()),
        (_, None | Some("*")) if tool.starts_with("mcp__") => {
            let whole_server = tool.matches("__").count() == 1;
            Meaning::Tool(if whole_server { format!("{tool}__*") } else { tool.to_owned() })
        }
        (_, None) if !tool.is_empty() && tool.chars().all(char::is_alphanumeric) => Meaning::Tool(tool.to_owned()),
        _ => Meaning::Unclear(format!("rules have no word for what `{tool}(…)` says here")),
    }
}

/// A pattern of Claude Code as ours: `//x` is absolute, `/x` and `./x` are the project's.
fn path(pattern: &str) -> Result<String, Meaning> {
    let pattern = pattern.trim();
    let ours = match pattern {
        "" | "*" | "**" | "./**" => return Ok("**".to_owned()),
        _ if pattern.starts_with('!') => return Err(Meaning::Unclear("it is an exception of its own".to_owned())),
        _ if pattern.starts_with("//") => pattern.trim_start_matches('/').to_owned(),
        _ => pattern.trim_start_matches("./").trim_start_matches('/').to_owned(),
    };
    Ok(if pattern.starts_with("//") {
        format!("/{ours}")
    } else if pattern.starts_with('/') && !ours.contains('/') {
        // A bare name would match in every folder.
        format!("./{ours}")
    } else {
        ours
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_mean_what_claude_code_says_they_do() {
        let command = |words: &[&str]| Meaning::Command(words.iter().map(|word| (*word).to_owned()).collect());
        let tool = |name: &str| Meaning::Tool(name.to_owned());
        for (entry, expected) in [
            ("Bash(git push:*)", command(&["git", "push"])),
            ("Bash(git push *)", command(&["git", "push"])),
            ("Bash(npm run test:*)", command(&["npm", "run", "test"])),
            ("Bash(npm publish)", Meaning::Text(vec!["npm publish".to_owned()])),
            ("Bash(git * main)", Meaning::Text(vec!["git * main".to_owned()])),
            ("Bash(*)", tool("shell")),
            ("Bash", tool("shell")),
            ("Read(.env)", Meaning::Read(".env".to_owned())),
            ("Read(./secrets/**)", Meaning::Read("secrets/**".to_owned())),
            ("Read(//etc/passwd)", Meaning::Read("/etc/passwd".to_owned())),
            ("Read(/config)", Meaning::Read("./config".to_owned())),
            ("Read(~/.zshrc)", Meaning::Read("~/.zshrc".to_owned())),
            ("Edit(docs/**)", Meaning::Change("docs/**".to_owned())),
            ("WebFetch(domain:example.com)", Meaning::Host("example.com".to_owned())),
            ("mcp__github__create_issue", tool("mcp__github__create_issue")),
            ("mcp__github", tool("mcp__github__*")),
        ] {
            assert_eq!(meaning(entry), expected, "{entry}");
        }
        for entry in ["Bash(git push", "Bash(echo \"$X\")", "WebFetch(x)", "Agent(reviewer)", ""] {
            assert!(matches!(meaning(entry), Meaning::Unclear(_)), "{entry}");
        }
    }
}
