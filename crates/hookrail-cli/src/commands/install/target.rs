//! Whose file is meant.

use super::record::scope_word;
use crate::hook::args::find_pack;
use crate::place::Place;
use hookrail_core::World;
use hookrail_dialects::{Dialect, HookFile, Os, Scope};
use hookrail_engine::registry::closest;
use hookrail_packs::CATALOGUE;
use std::path::PathBuf;

/// The agents hookrail can put itself into.
pub const AGENTS: [&str; 4] = ["claude", "gemini", "llxprt", "codex"];

/// A file of an agent.
#[derive(Clone, Debug)]
pub struct Target {
    pub agent: &'static dyn Dialect,
    pub scope: Scope,
    pub file: PathBuf,
}

/// Which of an agent's files, on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ScopeArg {
    /// All your projects
    User,
    /// This project, for everybody who works on it
    Project,
    /// This project, for you alone (Claude Code only)
    Local,
}

impl From<ScopeArg> for Scope {
    fn from(arg: ScopeArg) -> Self {
        match arg {
            ScopeArg::User => Self::User,
            ScopeArg::Project => Self::Project,
            ScopeArg::Local => Self::Local,
        }
    }
}

/// The agents of these names, each once.
pub fn find_agents(names: &[String]) -> Result<Vec<&'static dyn Dialect>, String> {
    let mut agents: Vec<&'static dyn Dialect> = Vec::new();
    for name in names {
        let agent = find_agent(name)?;
        if !agents.iter().any(|known| known.name() == agent.name()) {
            agents.push(agent);
        }
    }
    Ok(agents)
}

fn find_agent(name: &str) -> Result<&'static dyn Dialect, String> {
    let list = AGENTS.join(", ");
    match hookrail_dialects::dialect(name) {
        Some(agent) if AGENTS.contains(&name) => Ok(agent),
        Some(_) => Err(format!(
            "`{name}` is an agent hookrail understands, but not one it can put itself into; those are {list}\n\
             hint: write the command `hookrail hook --agent {name}` into its hook configuration by hand"
        )),
        None => {
            let guess = closest(name, AGENTS).map(|guess| format!("\nhint: did you mean `{guess}`?"));
            Err(format!("there is no agent `{name}`; the agents are {list}{}", guess.unwrap_or_default()))
        }
    }
}

/// The packs of these names, each once.
pub fn find_packs(names: &[String]) -> Result<Vec<&'static str>, String> {
    let mut packs = Vec::new();
    for name in names {
        let pack = find_pack(name).map_err(|message| {
            let guess = closest(name, CATALOGUE.iter().map(|pack| pack.name));
            format!("{message}{}", guess.map(|guess| format!("\nhint: did you mean `{guess}`?")).unwrap_or_default())
        })?;
        if !packs.contains(&pack) {
            packs.push(pack);
        }
    }
    Ok(packs)
}

impl Target {
    /// An agent's file for a scope.
    pub fn find(agent: &'static dyn Dialect, scope: Scope, place: &Place) -> Result<Self, String> {
        let Some(file) = files(agent).find(|file| file.scope == scope) else {
            let scopes: Vec<&str> = writable_scopes(agent).into_iter().map(scope_word).collect();
            return Err(format!(
                "{} has no hooks of scope `{}`; its scopes are {}",
                agent.name(),
                scope_word(scope),
                scopes.join(" and ")
            ));
        };
        let home = home(place)?;
        let file = file.locate(&home, &place.project, &|name| place.world.env(name));
        if !file.is_absolute() {
            return Err(format!(
                "`{}` is where {} would look, and that is no absolute path",
                file.display(),
                agent.name()
            ));
        }
        Ok(Self { agent, scope, file })
    }

    /// Every file of an agent a person may write to, from here.
    pub fn all(agent: &'static dyn Dialect, place: &Place) -> Result<Vec<Self>, String> {
        writable_scopes(agent).into_iter().map(|scope| Self::find(agent, scope, place)).collect()
    }

    /// The project a file belongs to.
    pub fn project(&self, place: &Place) -> Option<PathBuf> {
        match self.scope {
            Scope::Project | Scope::Local => Some(place.project.clone()),
            Scope::Managed | Scope::User => None,
        }
    }
}

/// Where an agent looks for hooks on this system.
pub fn files(agent: &'static dyn Dialect) -> impl Iterator<Item = &'static HookFile> {
    let here = if cfg!(windows) {
        Os::Windows
    } else if cfg!(target_os = "macos") {
        Os::MacOs
    } else {
        Os::Linux
    };
    agent.format().files.iter().filter(move |file| file.os == Os::Any || file.os == here)
}

fn writable_scopes(agent: &'static dyn Dialect) -> Vec<Scope> {
    files(agent).map(|file| file.scope).filter(|scope| *scope != Scope::Managed).collect()
}

fn home(place: &Place) -> Result<PathBuf, String> {
    let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let home = place.world.env(variable).filter(|home| !home.is_empty()).map(PathBuf::from);
    home.ok_or_else(|| format!("where your home is cannot be told: `{variable}` is not set"))
}
