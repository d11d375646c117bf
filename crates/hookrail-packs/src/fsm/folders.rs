use super::error::FsmError;
use hookrail_core::World;
use std::path::PathBuf;

/// Where Claude Code keeps things.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    /// `~/.claude`, unless moved.
    pub config: PathBuf,
}

impl Folders {
    pub fn find(world: &dyn World) -> Result<Self, FsmError> {
        let folder = |name: &str| world.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let config = folder("CLAUDE_CONFIG_DIR").or_else(|| folder("HOME").map(|home| home.join(".claude")));
        config.map(|config| Self { config }).ok_or(FsmError::NoHome)
    }

    /// The folder of the session's task list (errata A16).
    pub fn task_list(&self, session_id: &str, world: &dyn World) -> PathBuf {
        let chosen = world.env("CLAUDE_CODE_TASK_LIST_ID").filter(|id| !id.is_empty());
        self.config.join("tasks").join(folder_name(chosen.as_deref().unwrap_or(session_id)))
    }

    pub fn plugin_registry(&self, world: &dyn World) -> PathBuf {
        let moved = world.env("CLAUDE_CODE_PLUGIN_CACHE_DIR").filter(|folder| !folder.is_empty());
        moved.map_or_else(|| self.config.join("plugins"), PathBuf::from).join("installed_plugins.json")
    }
}

/// As Claude Code itself makes a folder's name of an id, so that `../x` leads nowhere (errata A15).
fn folder_name(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' }).collect()
}
