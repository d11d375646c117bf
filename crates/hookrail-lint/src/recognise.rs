//! What kind of hook configuration a file is, from its path and its content.

use crate::hooks::Role;
use crate::tree::{self, Node};
use hookrail_dialects::{Agent, FileRole, HookFile, agents};
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
    agents()
        .find(|agent| agent.format.files.iter().any(|file| is_at(file, path, &folder)))
        .map(|agent| kind_of(agent, path))
}

/// Whether a path is one of an agent's locations, in whichever home or project, or another file in a folder of its own.
fn is_at(file: &HookFile, path: &Path, folder: &str) -> bool {
    if file.role == FileRole::Store || file.folder.is_empty() {
        return false;
    }
    let place = Path::new(file.folder.trim_start_matches('/'));
    let own_folder = place.file_name().is_some_and(|name| name == folder && !SHARED_FOLDERS.contains(&folder));
    own_folder || path.parent().is_some_and(|parent| parent.ends_with(place))
}

/// Folders whose name says nothing about whose they are.
const SHARED_FOLDERS: [&str; 2] = ["hooks", "plugins"];

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
    let mut best: (usize, Option<&'static Agent>) = (0, None);
    let reads_toml = |agent: &&Agent| agent.format.files.iter().any(|file| file.file.ends_with(".toml"));
    for agent in agents().filter(|agent| !is_toml || reads_toml(agent)) {
        let root = tree::canonical(root.clone(), agent, path);
        let count = known_events(agent, root.get(&["hooks"]).unwrap_or(&root));
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
