//! What kind of hook configuration a file is, from its path and its content.

use crate::agents::{Agent, agent, agents};
use crate::hooks::Role;
use crate::tree::{self, Node};
use std::path::Path;

/// A kind of hook configuration.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `hookrail.toml`.
    Hookrail,
    Agent {
        agent: &'static Agent,
        role: Role,
    },
}

impl Kind {
    /// As a person would call it.
    #[must_use]
    pub fn title(&self) -> &'static str {
        match self {
            Self::Hookrail => "hookrail",
            Self::Agent { agent, .. } => agent.title,
        }
    }

    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hookrail => "hookrail",
            Self::Agent { agent, .. } => agent.name,
        }
    }
}

/// The kind of a file whose agent is told.
#[must_use]
pub fn kind_of(agent: &'static Agent, path: &Path) -> Kind {
    let settings =
        path.extension().is_some_and(|extension| extension == "toml") || file_name(path).contains("settings");
    Kind::Agent { agent, role: if settings { Role::Settings } else { Role::HooksOnly } }
}

/// Recognises a file. `None` if it could be anything.
#[must_use]
pub fn recognise(path: &Path, text: &str) -> Option<Kind> {
    by_path(path).or_else(|| by_content(path, text))
}

fn by_path(path: &Path) -> Option<Kind> {
    let name = file_name(path);
    let folder = path.parent().map(file_name).unwrap_or_default();
    if name == "hookrail.toml" || (folder == ".hookrail" && name == "local.toml") {
        return Some(Kind::Hookrail);
    }
    let owner = match folder.as_str() {
        ".claude" | "claude-code" | "managed-settings.d" => "claude",
        ".gemini" | "gemini-cli" => "gemini",
        ".llxprt" | "llxprt-code" => "llxprt",
        ".codex" => "codex",
        "hooks" => return None,
        _ if name == "managed-settings.json" => "claude",
        _ => return None,
    };
    agent(owner).map(|agent| kind_of(agent, path))
}

/// By the names of its events. Where several agents know as many, the earlier one gets it: Codex took Claude Code's.
fn by_content(path: &Path, text: &str) -> Option<Kind> {
    let root = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => tree::read_toml(text).ok()?,
        _ => tree::read_json(text).ok()?.0,
    };
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    if is_toml {
        let ours = ["packs", "command", "core", "breaker", "dev_mode", "config"];
        if ours.iter().any(|key| root.member(key).is_some()) {
            return Some(Kind::Hookrail);
        }
    }
    let sections = root.get(&["hooks"]).unwrap_or(&root);
    let mut best: (usize, Option<&'static Agent>) = (0, None);
    for agent in agents().iter().copied().filter(|agent| !is_toml || agent.name == "codex") {
        let count = known_events(agent, sections);
        if count > best.0 {
            best = (count, Some(agent));
        }
    }
    best.1.map(|agent| kind_of(agent, path))
}

fn known_events(agent: &Agent, sections: &Node) -> usize {
    sections.members().iter().filter(|member| agent.event(&member.key).is_some()).count()
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_path_and_content() {
        let cases = [
            ("/p/.hookrail/hookrail.toml", "", "hookrail"),
            ("/p/.hookrail/local.toml", "", "hookrail"),
            ("/p/.claude/settings.local.json", "", "claude"),
            ("/etc/claude-code/managed-settings.json", "", "claude"),
            ("/p/.gemini/settings.json", "oops", "gemini"),
            ("/h/.config/llxprt-code/settings.json", "", "llxprt"),
            ("/p/.codex/hooks.json", "", "codex"),
            ("/p/.codex/config.toml", "", "codex"),
            ("/p/plugin/hooks/hooks.json", "{\"hooks\": {\"PreToolUse\": []}}", "claude"),
            ("/p/ext/hooks/hooks.json", "{\"hooks\": {\"BeforeTool\": []}}", "gemini"),
            ("/p/x.json", "{\"hooks\": {\"PreToolUse\": [], \"Interrupt\": []}}", "codex"),
            ("/p/x.json", "{\"PreToolUse\": []}", "claude"),
            ("/p/x.toml", "[packs.core]\nmode = \"off\"", "hookrail"),
            ("/p/x.toml", "[[hooks.Stop]]", "codex"),
            ("/p/package.json", "{\"name\": \"x\"}", "-"),
            ("/p/x.json", "oops", "-"),
        ];
        for (path, text, expected) in cases {
            let got = recognise(Path::new(path), text).map_or("-", |kind| kind.name());
            assert_eq!(got, expected, "{path} {text}");
        }
    }
}
