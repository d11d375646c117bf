//! Which files there are to check.

use super::plugins;
use crate::current_project::CurrentProject;
use hookrail_core::World;
use hookrail_dialects::{Base, FileExtent, FileRole, HookFile, Layout};
use hookrail_engine::layers::LayerFiles;
use hookrail_lint::{Agent, Kind, agents, kind_of};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A file to check.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    pub path: PathBuf,
    /// `None`: to be recognised.
    pub kind: Option<Kind>,
}

/// Every configuration that holds for this user in this project, as far as it exists.
pub fn usual_files(place: &CurrentProject) -> Vec<ConfigFile> {
    let layers = LayerFiles::usual(&place.world, &place.project);
    let own = layers.iter().map(|(_, path)| ConfigFile { path: path.to_path_buf(), kind: Some(Kind::Hookrail) });
    let mut files: Vec<ConfigFile> = own.collect();
    files.extend(agents().flat_map(|agent| agent_files(agent, place, &|_| true)));
    files.extend(plugin_files(&place.project));
    files.extend(plugins::installed(place));
    existing(files)
}

/// The files that were named. A folder stands for the files of the project in it.
pub fn named(paths: &[PathBuf], agent: Option<&'static Agent>, place: &CurrentProject) -> Vec<ConfigFile> {
    let mut files = Vec::new();
    for path in paths.iter().map(|path| place.folder.join(path)) {
        if path.is_dir() {
            files.extend(project_files(&path, agent));
        } else {
            files.push(ConfigFile { kind: agent.map(|agent| kind_of(agent, &path)), path });
        }
    }
    files
}

fn project_files(folder: &Path, agent: Option<&'static Agent>) -> Vec<ConfigFile> {
    let there = CurrentProject { project: folder.to_path_buf(), ..CurrentProject::at(folder) };
    let in_project = |file: &HookFile| file.base == Base::Project;
    let own = ["hookrail.toml", "local.toml"]
        .map(|name| ConfigFile { path: folder.join(".hookrail").join(name), kind: Some(Kind::Hookrail) });
    let mut files: Vec<ConfigFile> = own.into_iter().filter(|_| agent.is_none()).collect();
    let wanted = |candidate: &&'static Agent| agent.is_none_or(|agent| agent.name == candidate.name);
    for agent in agents().filter(wanted) {
        files.extend(agent_files(agent, &there, &in_project));
    }
    files.extend(plugin_files(folder));
    existing(files)
}

/// Where an agent keeps hooks on this machine.
fn agent_files(agent: &'static Agent, place: &CurrentProject, wanted: &dyn Fn(&HookFile) -> bool) -> Vec<ConfigFile> {
    let home = place.world.env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let mut files = Vec::new();
    let holds_hooks = |file: &&HookFile| {
        let readable = matches!(agent.format.layout, Layout::Groups | Layout::Flat | Layout::Tables(_));
        file.role != FileRole::Store && readable
    };
    for file in agent.format.files_here().filter(holds_hooks).filter(|file| wanted(file)) {
        let path = file.locate(home.as_deref().unwrap_or(Path::new("")), &place.project, &|name| place.world.env(name));
        // Without a home its files are nowhere.
        if !path.is_absolute() {
            continue;
        }
        let paths = match (file.reach, path.parent()) {
            (FileExtent::Folder, Some(folder)) => parts(folder),
            _ => vec![path],
        };
        files.extend(paths.into_iter().map(|path| ConfigFile { kind: Some(kind_of(agent, &path)), path }));
    }
    files
}

fn parts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut parts: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|it| it == "json")).collect();
    parts.sort();
    parts
}

/// A project that is a plugin itself.
fn plugin_files(project: &Path) -> Option<ConfigFile> {
    let path = project.join("hooks/hooks.json");
    let owner = if project.join(".claude-plugin").is_dir() {
        "claude"
    } else if project.join("gemini-extension.json").is_file() {
        "gemini"
    } else {
        return None;
    };
    let kind = hookrail_lint::agent(owner).map(|agent| kind_of(agent, &path));
    Some(ConfigFile { path, kind })
}

/// Each file that is there, once: in the home folder the user's settings are the project's as well.
fn existing(mut files: Vec<ConfigFile>) -> Vec<ConfigFile> {
    let mut seen = HashSet::new();
    files.retain(|file| file.path.symlink_metadata().is_ok() && seen.insert(file.path.clone()));
    files
}
