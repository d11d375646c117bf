use super::error::FsmError;
use super::folders::Folders;
use super::registry::find_plugin;
use super::skill_name::SkillName;
use hookrail_core::World;
use std::path::{Path, PathBuf};

/// A skill's `fsm.json`.
#[derive(Clone, Debug)]
pub(super) struct FsmSource {
    pub path: PathBuf,
    pub content: Vec<u8>,
}

/// Looks in the plugin that the name says, then in the project, then among the user's skills. A plugin that is installed,
/// but has no such file, does not end the search, and no other installation of it is tried (errata A9).
pub(super) fn find(
    name: &SkillName<'_>,
    cwd: &Path,
    folders: &Folders,
    world: &dyn World,
) -> Result<Option<FsmSource>, FsmError> {
    let mut places = Vec::new();
    if let Some(plugin) = name.plugin
        && let Some(installed) = find_plugin(&folders.plugin_registry(world), plugin, cwd, world)?
    {
        places.extend([installed.join("skills"), installed.join("commands")]);
    }
    places.extend([cwd.join(".claude/skills"), folders.config.join("skills")]);
    let names = name.folders();
    for path in places.iter().flat_map(|place| names.iter().map(|name| place.join(name).join("fsm.json"))) {
        if let Some(content) = world.read(&path)? {
            return Ok(Some(FsmSource { path, content }));
        }
    }
    Ok(None)
}
