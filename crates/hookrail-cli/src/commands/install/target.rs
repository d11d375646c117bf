//! Whose file is meant.

use super::record::scope_word;
use super::settings_file::SettingsFile;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::hook::args::{find_agent, find_pack};
use crate::jsonc::Jsonc;
use hookrail_core::World;
use hookrail_dialects::{Dialect, FileRole, HookFile, Layout, Scope};
use std::path::{Path, PathBuf};

/// A file of an agent.
#[derive(Clone, Debug)]
pub struct Target {
    pub agent: &'static dyn Dialect,
    pub scope: Scope,
    pub file: PathBuf,
    /// The one event a file is for, where each has its own.
    pub event: Option<&'static str>,
}

/// Which of an agent's files, on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ScopeArg {
    /// All your projects
    User,
    /// This project, for all who work on it
    Project,
    /// This project, for you alone (not every agent has that)
    Local,
    /// Everyone on this machine; users cannot remove it (administrators only, not every agent has that)
    Managed,
}

impl From<ScopeArg> for Scope {
    fn from(arg: ScopeArg) -> Self {
        match arg {
            ScopeArg::User => Self::User,
            ScopeArg::Project => Self::Project,
            ScopeArg::Local => Self::Local,
            ScopeArg::Managed => Self::Managed,
        }
    }
}

/// The agents of these names, each once.
pub fn find_agents(names: &[String]) -> Result<Vec<&'static dyn Dialect>, CliError> {
    let mut agents: Vec<&'static dyn Dialect> = Vec::new();
    for name in names {
        let agent = installed_as(find_agent(name)?);
        if !agents.iter().any(|known| known.name() == agent.name()) {
            agents.push(agent);
        }
    }
    Ok(agents)
}

/// Of agents that read the same file, the first: there is one set of entries for all of them.
fn installed_as(agent: &'static dyn Dialect) -> &'static dyn Dialect {
    let names: Vec<&str> = agent.agent().sharers().map(|other| other.name).collect();
    let first = hookrail_dialects::all().iter().find(|it| it.name() == agent.name() || names.contains(&it.name()));
    first.copied().unwrap_or(agent)
}

/// The packs of these names, each once.
pub fn find_packs(names: &[String]) -> Result<Vec<&'static str>, CliError> {
    let mut packs = Vec::new();
    for name in names {
        let pack = find_pack(name)?;
        if !packs.contains(&pack) {
            packs.push(pack);
        }
    }
    Ok(packs)
}

impl Target {
    /// An agent's files for a scope: one, unless each event has its own.
    pub fn find(agent: &'static dyn Dialect, scope: Scope, place: &CurrentProject) -> Result<Vec<Self>, CliError> {
        let home = home(place)?;
        let locate = |file: &HookFile| file.locate(&home, &place.project, &|name| place.world.env(name));
        let of_scope =
            |role: FileRole| agent.format().files_here().find(move |it| it.scope == scope && it.role == role);
        let Some(chosen) = of_scope(FileRole::Install) else {
            let scopes: Vec<&str> = writable_scopes(agent).into_iter().map(scope_word).collect();
            return Err(CliError::usage(format!("{} has no hooks of scope `{}`", agent.name(), scope_word(scope)))
                .hint(format!("its scopes are {}", scopes.join(" and "))));
        };
        let mut file = locate(chosen);
        if !file.is_absolute() {
            return Err(CliError::machine(format!(
                "{} would read `{}`, which is not an absolute path",
                agent.name(),
                file.display()
            ))
            .hint("check `HOME` and the variables that move the agent's configuration"));
        }
        if let Some(fallback) = of_scope(FileRole::Fallback).map(locate).filter(|it| !file.exists() && has_hooks(it)) {
            file = fallback;
        }
        if agent.format().layout != Layout::Scripts {
            return Ok(vec![Self { agent, scope, file, event: None }]);
        }
        let target = |event| Self { agent, scope, file: file.with_file_name(event), event: Some(event) };
        Ok(agent.native_events().into_iter().map(target).collect())
    }

    /// Every file of an agent a person may write to, from here; where one stands in for another, both.
    pub fn all(agent: &'static dyn Dialect, place: &CurrentProject) -> Result<Vec<Self>, CliError> {
        let mut targets = Vec::new();
        for scope in writable_scopes(agent) {
            targets.extend(Self::find(agent, scope, place)?);
        }
        let home = home(place)?;
        for file in agent.format().files_here().filter(|file| file.role == FileRole::Fallback) {
            let scope = file.scope;
            let file = file.locate(&home, &place.project, &|name| place.world.env(name));
            if !targets.iter().any(|target| target.file == file) {
                targets.push(Self { agent, scope, file, event: None });
            }
        }
        Ok(targets)
    }

    /// The project a file belongs to.
    pub fn project(&self, place: &CurrentProject) -> Option<PathBuf> {
        match self.scope {
            Scope::Project | Scope::Local => Some(place.project.clone()),
            Scope::Managed | Scope::User => None,
        }
    }
}

/// Whether a settings file has hooks: an agent that reads them only for want of another file would lose them.
fn has_hooks(file: &Path) -> bool {
    let text = SettingsFile::read(file).ok().and_then(|file| Jsonc::parse(file.text()).ok());
    let hooks = text.and_then(|text| text.value().get("hooks").cloned());
    hooks.is_some_and(|hooks| hooks.as_object().is_some_and(|events| !events.is_empty()))
}

fn writable_scopes(agent: &'static dyn Dialect) -> Vec<Scope> {
    let files = agent.format().files_here().filter(|file| file.role == FileRole::Install);
    files.map(|file| file.scope).filter(|scope| *scope != Scope::Managed).collect()
}

fn home(place: &CurrentProject) -> Result<PathBuf, CliError> {
    let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let home = place.world.env(variable).filter(|home| !home.is_empty()).map(PathBuf::from);
    home.ok_or_else(|| CliError::machine(format!("cannot determine the home directory: `{variable}` is not set")))
}
