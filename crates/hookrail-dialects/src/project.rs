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
/// The home folder has folders of agents as well, and often a repository of dotfiles, but is nobody's project.
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
    let has = |folder: &Path, mark: &str| world.kind(&folder.join(mark)).ok().flatten().is_some();
    let folders = || cwd.ancestors().skip_while(|folder| folder.as_os_str().len() > LONGEST_PATH);
    let inner = || folders().filter(|folder| home.as_deref() != Some(*folder));
    folders()
        .find(|folder| has(folder, ".hookrail"))
        .or_else(|| inner().find(|folder| has(folder, ".git")))
        .or_else(|| {
            let marks: Vec<&str> = agent_folders().collect();
            inner().find(|folder| marks.iter().any(|mark| has(folder, mark)))
        })
        .unwrap_or(cwd)
        .to_owned()
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
