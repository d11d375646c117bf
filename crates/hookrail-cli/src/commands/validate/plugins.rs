//! Plugins of Claude Code, whose hooks hold beside those of the settings.

use super::files::ConfigFile;
use crate::current_project::CurrentProject;
use hookrail_core::World;
use hookrail_lint::kind_of;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The hooks of every plugin that is installed and switched on here.
pub fn installed(place: &CurrentProject) -> Vec<ConfigFile> {
    let Some(claude) = hookrail_lint::agent("claude") else { return Vec::new() };
    let folder = config_folder(place);
    let list = read(&folder.join("plugins/installed_plugins.json"), place);
    let settings = [
        folder.join("settings.json"),
        place.project.join(".claude/settings.json"),
        place.project.join(".claude/settings.local.json"),
    ];
    let settings: Vec<Value> = settings.iter().map(|file| read(file, place)).collect();
    let enabled = |id: &str| {
        settings
            .iter()
            .any(|settings| settings.pointer("/enabledPlugins").and_then(|it| it.get(id)) == Some(&true.into()))
    };
    let plugins = list.get("plugins").and_then(Value::as_object).into_iter().flatten();
    let entries = plugins.filter(|(id, _)| enabled(id)).flat_map(|(_, entry)| match entry {
        Value::Array(entries) => entries.iter().collect::<Vec<_>>(),
        entry => vec![entry],
    });
    let here = |entry: &&Value| {
        let project = entry.get("projectPath").and_then(Value::as_str);
        project.is_none_or(|project| Path::new(project) == place.project)
    };
    let file = |entry: &Value| {
        let path = Path::new(entry.get("installPath")?.as_str()?).join("hooks/hooks.json");
        Some(ConfigFile { kind: Some(kind_of(claude, &path)), path })
    };
    entries.filter(here).filter_map(file).collect()
}

fn config_folder(place: &CurrentProject) -> PathBuf {
    let set = |name: &str| place.world.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CLAUDE_CONFIG_DIR").unwrap_or_else(|| set("HOME").unwrap_or_default().join(".claude"))
}

/// What cannot be read says nothing here; it is told where it is checked itself.
fn read(path: &Path, place: &CurrentProject) -> Value {
    let bytes = place.world.read(path).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}
