//! OpenCode: `permission` of its configuration.

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
    let user =
        set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config"))).map(|folder| folder.join("opencode"));
    let folders = user.into_iter().chain([place.project.clone(), place.project.join(".opencode")]);
    let files = folders.flat_map(|folder| ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name)));
    FoundPermissions::in_files(files.collect(), |file| of_file(file, place))
}

fn of_file(file: &Path, place: &CurrentProject) -> Result<Vec<Permission>, CliError> {
    let settings = settings(file, place)?;
    let Some(permission) = settings.get("permission") else { return Ok(Vec::new()) };
    Ok(entries(permission)
        .into_iter()
        .map(|(entry, decision, meaning)| Permission {
            agent: "opencode",
            file: file.to_owned(),
            decision,
            entry,
            meaning,
        })
        .collect())
}

/// Every entry: as it is written, what it decides, and what it is about.
fn entries(permission: &Value) -> Vec<(String, RuleDecision, Meaning)> {
    let unclear = |entry: &str, why: String| (entry.to_owned(), RuleDecision::Ask, Meaning::Unclear(why));
    let Some(fields) = permission.as_object() else {
        let why = "one word for every tool says nothing that a rule about calls could".to_owned();
        return vec![unclear("permission", why)];
    };
    let mut found = Vec::new();
    for (tool, value) in fields {
        match value {
            Value::String(word) => match decision(word) {
                Some(decision) => found.push((format!("{tool}: {word}"), decision, whole(tool))),
                None => found.push(unclear(tool, format!("`{word}` is no decision that is known"))),
            },
            Value::Object(patterns) => {
                for (pattern, word) in patterns {
                    let word = word.as_str().unwrap_or_default();
                    let entry = format!("{tool}({pattern}): {word}");
                    match decision(word) {
                        None => found.push(unclear(&entry, format!("`{word}` is no decision that is known"))),
                        Some(decision) => {
                            let weaker = patterns.values().filter_map(Value::as_str).filter_map(self::decision);
                            let overridden =
                                pattern == "*" && weaker.clone().any(|other| strength(other) < strength(decision));
                            let meaning = if overridden {
                                Meaning::Unclear(
                                    "entries behind it are weaker, and a rule never weakens another one".to_owned(),
                                )
                            } else {
                                about(tool, pattern)
                            };
                            found.push((entry, decision, meaning));
                        }
                    }
                }
            }
            _ => found.push(unclear(tool, "it is neither a word nor a list of patterns".to_owned())),
        }
    }
    found
}

fn decision(word: &str) -> Option<RuleDecision> {
    match word {
        "deny" => Some(RuleDecision::Deny),
        "ask" => Some(RuleDecision::Ask),
        "allow" => Some(RuleDecision::Allow),
        _ => None,
    }
}

fn strength(decision: RuleDecision) -> u8 {
    match decision {
        RuleDecision::Deny => 3,
        RuleDecision::Ask => 2,
        RuleDecision::Warn => 1,
        RuleDecision::Allow => 0,
    }
}

/// A tool of OpenCode as ours.
fn whole(tool: &str) -> Meaning {
    Meaning::Tool(
        match tool {
            "bash" => "shell",
            "webfetch" => "web",
            other => other,
        }
        .to_owned(),
    )
}

fn about(tool: &str, pattern: &str) -> Meaning {
    match (tool, pattern) {
        (_, "*") => whole(tool),
        ("bash", _) => commands(pattern),
        ("edit" | "write", _) => Meaning::Change(pattern.to_owned()),
        ("read", _) => Meaning::Read(pattern.to_owned()),
        _ => Meaning::Unclear(format!("rules have no word for a pattern of `{tool}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_and_patterns_are_read_with_their_decisions() {
        let permission = json!({
            "edit": "ask", "webfetch": "deny", "read": {".env": "deny"},
            "bash": {"*": "ask", "git status": "allow", "git push *": "deny", "rm -rf $X": "maybe"},
        });
        let found: Vec<String> = entries(&permission)
            .into_iter()
            .map(|(entry, decision, meaning)| format!("{entry} => {} {meaning:?}", decision.name()))
            .collect();
        for expected in [
            "edit: ask => ask Tool(\"edit\")",
            "webfetch: deny => deny Tool(\"web\")",
            "read(.env): deny => deny Read(\".env\")",
            "bash(git status): allow => allow Text([\"git status\"])",
            "bash(git push *): deny => deny Command([\"git\", \"push\"])",
        ] {
            assert!(found.iter().any(|line| line == expected), "{expected} in {found:#?}");
        }
        let unclear = found.iter().filter(|line| line.contains("Unclear")).count();
        assert_eq!(unclear, 2, "{found:#?}");
    }
}
