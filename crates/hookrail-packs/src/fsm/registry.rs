//! Claude Code's list of installed plugins, in all its known shapes (errata A6).

use super::error::FsmError;
use hookrail_core::World;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How specific an installation is; the greatest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PluginScope {
    User,
    Project,
    Local,
}

/// Where a plugin is installed for work in `cwd`; `None` if it is not.
pub(super) fn find_plugin(
    registry: &Path,
    plugin: &str,
    cwd: &Path,
    world: &dyn World,
) -> Result<Option<PathBuf>, FsmError> {
    let Some(bytes) = world.read(registry)? else { return Ok(None) };
    let unusable = |why: String| FsmError::Registry { path: registry.to_owned(), why };
    let root: Value =
        serde_json::from_slice(&bytes).map_err(|error| unusable(format!("it is not valid JSON: {error}")))?;
    let entries = entries_of(&root, plugin).ok_or_else(|| unusable("it has no known form".to_owned()))?;
    let cwd = world.resolve(cwd);
    // Of equals the first counts, as it stands in the file.
    let fitting = entries.into_iter().filter_map(|entry| rank(entry, &cwd, world)).rev();
    Ok(fitting.max_by_key(|(rank, _)| *rank).map(|(_, folder)| folder))
}

/// The installations of a plugin: of all marketplaces, whether the file lists entries that have names, or has an entry or
/// several per id. `None` if it does neither.
fn entries_of<'a>(root: &'a Value, plugin: &str) -> Option<Vec<&'a Value>> {
    match root.get("plugins").unwrap_or(root) {
        Value::Array(entries) => {
            let named = |entry: &&Value| entry.get("name").and_then(Value::as_str).is_some_and(|id| is_of(id, plugin));
            Some(entries.iter().filter(named).collect())
        }
        Value::Object(by_id) if root.get("plugins").is_some() => {
            let ours = by_id.iter().filter(|(id, _)| is_of(id, plugin)).map(|(_, entries)| entries);
            Some(
                ours.flat_map(|entries| entries.as_array().map_or(vec![entries], |list| list.iter().collect()))
                    .collect(),
            )
        }
        _ => None,
    }
}

/// Ids are `plugin@marketplace` or `plugin@version`.
fn is_of(id: &str, plugin: &str) -> bool {
    id.split('@').next() == Some(plugin)
}

/// How well an installation fits, and its folder; `None` if it does not apply here. An unknown scope is not used
/// (errata A9); the old format has none, and its plugins were the user's.
fn rank(entry: &Value, cwd: &Path, world: &dyn World) -> Option<((PluginScope, usize), PathBuf)> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let folder = text("installPath").map(PathBuf::from).filter(|folder| folder.is_absolute())?;
    let scope = match entry.get("scope") {
        None | Some(Value::Null) => PluginScope::User,
        Some(scope) => match scope.as_str()? {
            "local" => PluginScope::Local,
            "project" => PluginScope::Project,
            "user" => PluginScope::User,
            _ => return None,
        },
    };
    if scope == PluginScope::User {
        return Some(((scope, 0), folder));
    }
    // `Path` compares whole components: `/a/b` is not above `/a/bc` (errata A8).
    let project = world.resolve(Path::new(text("projectPath").filter(|path| !path.is_empty())?));
    cwd.starts_with(&project).then(|| ((scope, project.components().count()), folder))
}
