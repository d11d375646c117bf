//! The real configuration, for scenarios that are about it.

use super::scenario::Scenario;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::World;
use hookrail_engine::layers::{LayerFiles, LayerKind};
use std::path::Path;

/// Files of the project and of the user that a scenario is played with, by their place in the sandbox.
#[derive(Debug, Default)]
pub struct OwnConfiguration {
    pub files: Vec<(String, String)>,
}

impl OwnConfiguration {
    /// What `project = true` and `user = true` bring. The project is the one that the scenario file stands in.
    pub fn of(scenario: &Scenario) -> Result<Self, CliError> {
        let mut own = Self::default();
        if !scenario.given.project && !scenario.given.user {
            return Ok(own);
        }
        let here = CurrentProject::here()?;
        let folder = here.folder.join(&scenario.source.path);
        let folder = folder.parent().unwrap_or(&here.folder);
        // A scenario beside the user's configuration is about the project of the working directory.
        let place = if scenario.given.project { CurrentProject::at(folder) } else { here };
        for (kind, path) in LayerFiles::usual(&place.world, &place.project).iter() {
            let wanted = match kind {
                LayerKind::Managed => None,
                LayerKind::User => scenario.given.user.then_some("~/.config/hookrail/hookrail.toml"),
                LayerKind::Project => scenario.given.project.then_some(".hookrail/hookrail.toml"),
                LayerKind::Local => scenario.given.project.then_some(".hookrail/local.toml"),
            };
            let Some(wanted) = wanted else { continue };
            let text = place.world.read(path).map_err(CliError::machine)?;
            if let Some(text) = text {
                own.files.push((wanted.to_owned(), moved(&String::from_utf8_lossy(&text), &place)));
            }
        }
        if scenario.given.project && own.files.iter().all(|(path, _)| path.starts_with('~')) {
            let project = place.project.display();
            return Err(CliError::usage(format!("`{project}` has no configuration of its own"))
                .hint("`hookrail init` writes one"));
        }
        Ok(own)
    }
}

/// A configuration that names the folder of its project names that of the sandbox instead.
fn moved(text: &str, place: &CurrentProject) -> String {
    let project = place.project.display().to_string();
    let text = text.replace(&project, "{{project}}");
    let home = place.world.env("HOME").filter(|home| home.len() > 1);
    match home.and_then(|home| Path::new(&project).strip_prefix(home).ok().map(Path::to_owned)) {
        Some(inner) if !inner.as_os_str().is_empty() => text.replace(&format!("~/{}", inner.display()), "{{project}}"),
        _ => text,
    }
}
