//! Where the workflow's files are.

use super::state::WorkflowState;
use hookrail_core::display::quoted;
use hookrail_core::{Event, HookError, World};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The folders in which an installation keeps its configuration, whichever exists.
const CONFIG_FOLDERS: [&str; 2] = [".claude/hooks/config", ".isdlc/config"];

/// A folder with `.isdlc` in it.
#[derive(Clone, Debug)]
pub(super) struct Project {
    pub root: PathBuf,
}

/// The part of a project that an event is about: all of it, or one project of a monorepo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProjectPart {
    pub state_file: PathBuf,
    /// Where the part's own files are.
    pub folder: PathBuf,
}

impl Project {
    /// The project the agent was started in, else the nearest one around the working directory (errata E24).
    pub fn find(event: &Event, world: &dyn World) -> Result<Option<Self>, HookError> {
        let named = world.env("CLAUDE_PROJECT_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let around = event.cwd.ancestors().map(Path::to_owned);
        for root in named.into_iter().chain(around) {
            if world.kind(&root.join(".isdlc"))?.is_some() {
                return Ok(Some(Self { root }));
            }
        }
        Ok(None)
    }

    /// The state an event belongs to, read once; `None` if there is none.
    pub fn read_state(
        &self,
        event: &Event,
        world: &dyn World,
    ) -> Result<Option<(ProjectPart, WorkflowState)>, HookError> {
        let Some(part) = self.part(event, world)? else { return Ok(None) };
        let Some(value) = read_json(&part.state_file, world)? else { return Ok(None) };
        Ok(Some((part, WorkflowState::new(value)?)))
    }

    /// In a monorepo: the project `$ISDLC_PROJECT` names, else the one whose folder is the nearest around the working
    /// directory, else the default one (errata E24).
    fn part(&self, event: &Event, world: &dyn World) -> Result<Option<ProjectPart>, HookError> {
        let Some(monorepo) = read_json(&self.monorepo_file(), world)? else {
            return Ok(Some(ProjectPart {
                state_file: self.root.join(".isdlc/state.json"),
                folder: self.root.clone(),
            }));
        };
        let projects = monorepo.get("projects").and_then(Value::as_object);
        let path_of = |id: &str| projects?.get(id)?.get("path")?.as_str();
        let here = world.resolve(&event.cwd);
        let surrounding = projects.into_iter().flatten().filter_map(|(id, project)| {
            let folder = world.resolve(&self.root.join(project.get("path")?.as_str()?));
            here.starts_with(&folder).then(|| (folder.components().count(), id.clone()))
        });
        let id = world
            .env("ISDLC_PROJECT")
            .filter(|id| !id.is_empty())
            .or_else(|| surrounding.max().map(|(_, id)| id))
            .or_else(|| monorepo.get("default_project")?.as_str().map(str::to_owned));
        let Some(id) = id else { return Ok(None) };
        if !is_plain_name(&id) {
            return Err(HookError::new(format!("{} is not the name of a project", quoted(&id))));
        }
        let state_file = self.root.join(".isdlc/projects").join(&id).join("state.json");
        let folder = path_of(&id).map_or_else(|| self.root.clone(), |path| self.root.join(path));
        Ok(Some(ProjectPart { state_file, folder }))
    }

    pub fn monorepo_file(&self) -> PathBuf {
        self.root.join(".isdlc/monorepo.json")
    }

    /// A file of the installation's configuration.
    pub fn read_config(&self, name: &str, world: &dyn World) -> Result<Option<Value>, HookError> {
        for folder in CONFIG_FOLDERS {
            if let Some(value) = read_json(&self.root.join(folder).join(name), world)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }
}

/// A project's id becomes a folder's name; it must not lead elsewhere.
fn is_plain_name(id: &str) -> bool {
    let mut components = Path::new(id).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(name)), None) if name == id)
}

/// A JSON file; `None` if there is no such file.
pub(super) fn read_json(path: &Path, world: &dyn World) -> Result<Option<Value>, HookError> {
    let Some(bytes) = world.read(path)? else { return Ok(None) };
    // Editors on Windows may begin a file with a byte order mark.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let value = serde_json::from_slice(text);
    value.map(Some).map_err(|error| HookError::new(format!("{} is not JSON: {error}", quoted(&path.to_string_lossy()))))
}
