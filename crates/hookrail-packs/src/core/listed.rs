//! Paths that `[core]` lists, as in `.gitignore`, relative to the project.

use crate::changes::{FolderSearch, Search};
use crate::pattern::{PathPattern, any_matches};
use hookrail_core::{HookError, World};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A list for each layer: an exception of one does not undo what another lists.
pub(super) struct Listed {
    lists: Vec<Vec<PathPattern>>,
    project: PathBuf,
    /// Where the project really is.
    real_project: PathBuf,
    walk: FolderSearch,
}

impl Listed {
    /// What `[core] KEY` lists.
    pub fn read(key: &str, project: &Path, world: &dyn World) -> Result<Self, HookError> {
        let lists = world.settings("core").and_then(|core| core.get(key));
        let patterns = |list: &Value| {
            let list = list.as_array()?;
            Some(list.iter().filter_map(Value::as_str).filter_map(PathPattern::parse).collect())
        };
        let lists = lists.map_or(Some(Vec::new()), |lists| lists.as_array()?.iter().map(patterns).collect());
        let lists = lists.ok_or_else(|| HookError::new(format!("`[core] {key}` must be a list of patterns")))?;
        let real_project = if lists.is_empty() { PathBuf::new() } else { world.resolve(project) };
        Ok(Self { lists, project: project.to_owned(), real_project, walk: FolderSearch::default() })
    }

    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Whether a path is listed, or below something that is.
    pub fn covers(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.project).or_else(|_| path.strip_prefix(&self.real_project));
        let relative = inside.unwrap_or(path);
        self.lists.iter().any(|patterns| any_matches(patterns, relative))
    }

    /// Something listed that is in a folder, or in the folder that a pattern starts from, and that `reached` says yes to.
    pub fn find_in(&self, start: &Path, world: &dyn World, reached: impl Fn(&Path) -> bool) -> Search {
        if self.lists.is_empty() {
            return Search::Nothing;
        }
        let wanted = |entry: &Path| self.covers(entry) && reached(entry);
        let from = start.ancestors().find(|folder| !folder.to_string_lossy().contains(['*', '?', '[', '$']));
        let is_above = from.is_some_and(|from| self.project.starts_with(from) && self.project != from);
        if !is_above {
            return self.walk.find_below(start, world, wanted);
        }
        // What is listed is in the project, mostly; the whole disk is more than one call is worth.
        match self.walk.find_below(&self.project, world, wanted) {
            Search::Nothing => FolderSearch::short().find_below(start, world, wanted),
            found => found,
        }
    }
}
