//! Where a call happens, and what is guarded there.

use crate::guarded::{DEFAULT_GUARDED, Guarded};
use crate::paths::tidy;
use hookrail_core::World;
use hookrail_dialects::project_root;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Where a call happens.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    /// The user's folder, if it is known: what `~` stands for.
    pub home: Option<PathBuf>,
    /// The root of the project.
    pub project: PathBuf,
    /// Folders that the user counts as part of every project.
    pub beside: Vec<PathBuf>,
    /// What only a person may change: agents' hook files and what belongs to hookrail.
    pub guarded: Cow<'static, [Guarded]>,
}

impl Surroundings {
    /// Finds home and project around the working directory of an event. The default list of agents' files is guarded.
    #[must_use]
    pub fn find(cwd: &Path, world: &dyn World) -> Self {
        let home = world.env("HOME").filter(|home| home.starts_with('/')).map(|home| tidy(Path::new(&home)));
        let project = tidy(project_root(world, cwd));
        let beside = listed_folders(home.as_deref(), world);
        Self { cwd: tidy(cwd), home, project, beside, guarded: Cow::Borrowed(DEFAULT_GUARDED) }
    }

    /// Surroundings of which nothing is known but the folder.
    #[must_use]
    pub fn unknown(cwd: &Path) -> Self {
        Self {
            cwd: tidy(cwd),
            home: None,
            project: tidy(cwd),
            beside: Vec::new(),
            guarded: Cow::Borrowed(DEFAULT_GUARDED),
        }
    }
}

/// The folders of `[safety] folders`: absolute, or below `~`. The home folder itself, or one above it, is none.
fn listed_folders(home: Option<&Path>, world: &dyn World) -> Vec<PathBuf> {
    let listed = world.settings("core").and_then(|core| core.get("folders")?.as_array());
    let folder = |text: &str| match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => Some(tidy(home.join(rest))),
        (Some(_), None) => None,
        (None, _) => Some(tidy(Path::new(text))).filter(|path| path.is_absolute()),
    };
    let folders = listed.into_iter().flatten().filter_map(|text| folder(text.as_str()?));
    folders.filter(|folder| !home.is_some_and(|home| home.starts_with(folder))).collect()
}
