//! Which project an agent works in.

use crate::{Base, agents};
use hookrail_core::World;
use std::path::{Path, PathBuf};

/// No system opens a path that has more bytes than this.
const LONGEST_PATH: usize = 4096;

/// The folder of the project: the one the agent names in a variable of its own, else the nearest folder above `cwd` that
/// is one. `.hookrail` makes a folder a project, then a repository does, then the folder of an agent; where there is none
/// of these, `cwd` is all that is known.
///
/// The home folder has folders of agents as well, and often a repository of dotfiles, but is not a project.
#[must_use]
pub fn project_root(world: &dyn World, cwd: &Path) -> PathBuf {
    world.project_around(cwd, &|| find(world, cwd))
}

fn find(world: &dyn World, cwd: &Path) -> PathBuf {
    let variables = agents().flat_map(|agent| agent.project_variables);
    let named = variables.filter_map(|name| world.env(name)).map(PathBuf::from).find(|folder| folder.is_absolute());
    if let Some(named) = named {
        return named;
    }
    let home = world.env("HOME").map(PathBuf::from);
    let Some(start) = cwd.ancestors().find(|folder| folder.as_os_str().len() <= LONGEST_PATH) else {
        return cwd.to_owned();
    };
    if let Some(marked) = nearest(world, start, &[".hookrail"]) {
        return marked.to_owned();
    }
    // The home folder may have such marks as well, and what is above it may, too.
    let inner = |marks: &[&str]| match nearest(world, start, marks)? {
        found if home.as_deref() == Some(found) => nearest(world, found.parent()?, marks).map(Path::to_owned),
        found => Some(found.to_owned()),
    };
    let inner_of_agents = || inner(&agent_folders().collect::<Vec<_>>());
    inner(&[".git"]).or_else(inner_of_agents).unwrap_or_else(|| cwd.to_owned())
}

/// The nearest folder, this one or one above it, that has one of these marks.
fn nearest<'a>(world: &dyn World, folder: &'a Path, marks: &[&str]) -> Option<&'a Path> {
    folder.ancestors().nth(world.nearest_with(folder, marks)?)
}

/// The folders that agents keep in projects, each once.
fn agent_folders() -> impl Iterator<Item = &'static str> {
    let files = agents().flat_map(|agent| agent.format.files);
    let folders = files.filter(|file| file.base == Base::Project).filter_map(|file| file.folder.split('/').next());
    let mut seen: Vec<&str> = Vec::new();
    folders.filter(move |folder| {
        // `.github` is in many folders that have nothing to do with agents.
        let new = !folder.is_empty() && *folder != ".github" && !seen.contains(folder);
        if new {
            seen.push(folder);
        }
        new
    })
}
