//! What a scenario is.

use super::expectation::Expectation;
use super::source::{Mistake, Piece, Source};
use super::table::Fields;
use crate::error::CliError;
use crate::hook::args;
use serde_json::{Map, Value};
use std::path::{Component, Path};
use std::sync::Arc;

/// A small story: a project, events one after the other, and what must come of each.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: String,
    pub source: Arc<Source>,
    /// Where it begins.
    pub at: usize,
    pub given: Given,
    pub steps: Vec<ScenarioStep>,
}

/// The world a scenario begins with.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Whose events these are.
    pub agents: Vec<String>,
    pub packs: Vec<String>,
    pub hook: Option<String>,
    pub contract: Option<String>,
    /// By path: in the project, or in the home folder behind `~/`.
    pub files: Vec<(String, String)>,
    pub env: Vec<(String, String)>,
    /// The session's state before the first event.
    pub session: Map<String, Value>,
    /// The branches of the project's repository, the current one first; everything that is given is committed. None is no
    /// repository.
    pub git: Vec<String>,
    /// The user said yes to the command hooks of the project.
    pub trust: bool,
    /// The configuration of the project that the scenario stands in counts.
    pub project: bool,
    /// The user's own configuration counts.
    pub user: bool,
}

/// One event, and what must come of it.
#[derive(Clone, Debug)]
pub struct ScenarioStep {
    pub event: Fields,
    pub expect: Expectation,
}

const KEYS: &[&str] = &[
    "agent", "agents", "pack", "packs", "hook", "contract", "config", "files", "env", "session", "git", "trust",
    "project", "user",
];

impl Given {
    /// Adds what a table says.
    pub fn read(&mut self, fields: &Fields) -> Result<(), Mistake> {
        fields.only(KEYS)?;
        for (one, many, list) in [("agent", "agents", &mut self.agents), ("pack", "packs", &mut self.packs)] {
            for key in [one, many] {
                let said = fields.texts(key)?;
                if !said.is_empty() {
                    *list = said;
                }
            }
        }
        let checks = [
            ("agent", self.agents.iter().find_map(|name| args::find_agent(name).err())),
            ("pack", self.packs.iter().find_map(|name| args::find_pack(name).err())),
        ];
        if let Some((key, Some(problem))) = checks.into_iter().find(|(_, problem)| problem.is_some()) {
            return Err(fields.mistake(&[key], problem.message).with_hints(&problem.hints));
        }
        if let Some(hook) = fields.text("hook")? {
            self.hook = Some(
                args::find_hook(hook)
                    .map_err(|problem| fields.mistake(&["hook"], problem.message).with_hints(&problem.hints))?,
            );
        }
        if let Some(contract) = fields.text("contract")? {
            if !matches!(contract, "agent" | "spec") {
                return Err(fields.mistake(&["contract"], "`contract` must be `agent` or `spec`"));
            }
            self.contract = Some(contract.to_owned());
        }
        if let Some(config) = fields.text("config")? {
            self.add_file(CONFIG, config);
        }
        for (path, content) in fields.table("files")? {
            let content =
                content.as_str().ok_or_else(|| fields.mistake(&["files", &path], "a file's content must be text"))?;
            check_given(&path).map_err(|problem| fields.mistake(&["files", &path], problem.message))?;
            self.add_file(&path, content);
        }
        for (name, value) in fields.table("env")? {
            let value =
                value.as_str().ok_or_else(|| fields.mistake(&["env", &name], "a variable's value must be text"))?;
            self.env.push((name, value.to_owned()));
        }
        self.session.extend(fields.table("session")?);
        if fields.values.contains_key("git") {
            self.git = fields.texts("git")?;
        }
        self.trust |= fields.flag("trust")?;
        self.project |= fields.flag("project")?;
        self.user |= fields.flag("user")?;
        Ok(())
    }

    /// Whether it says which hooks are asked.
    pub fn asks_for_hooks(&self) -> bool {
        self.hook.is_some() || !self.packs.is_empty()
    }

    /// Adds a file; the later of two counts.
    pub fn add_file(&mut self, path: &str, content: &str) {
        self.files.retain(|(known, _)| known != path);
        self.files.push((path.to_owned(), content.to_owned()));
    }
}

/// Where `hookrail.toml` of a scenario goes.
pub const CONFIG: &str = ".hookrail/hookrail.toml";

/// A scenario writes in its own folders only.
pub fn check_path(path: &str) -> Result<(), CliError> {
    let inner = path.strip_prefix("~/").unwrap_or(path);
    let tame = Path::new(inner).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if tame && !inner.is_empty() {
        Ok(())
    } else {
        Err(CliError::usage(format!("`{path}` must be a path in the project, or in the home folder behind `~/`")))
    }
}

/// A file that is given is not git's own: what git finds in its folder can name programs.
pub fn check_given(path: &str) -> Result<(), CliError> {
    if Path::new(path).components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git")) {
        return Err(CliError::usage(format!("`{path}` belongs to git; `git = [\"main\"]` makes a repository")));
    }
    check_path(path)
}

impl Scenario {
    pub fn new(name: &str, place: &Piece, given: Given) -> Self {
        Self {
            name: name.to_owned(),
            source: Arc::clone(&place.source),
            at: place.range.start,
            given,
            steps: Vec::new(),
        }
    }

    pub fn line(&self) -> usize {
        self.source.line(self.at)
    }
}
