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
    /// What only a person may change: agents' hook files and what belongs to hookrail.
    pub guarded: Cow<'static, [Guarded]>,
}

impl Surroundings {
    /// Finds home and project around the working directory of an event. The default list of agents' files is guarded.
    #[must_use]
    pub fn find(cwd: &Path, world: &dyn World) -> Self {
        let home = world.env("HOME").filter(|home| home.starts_with('/')).map(|home| tidy(Path::new(&home)));
        let project = tidy(project_root(world, cwd));
        Self { cwd: tidy(cwd), home, project, guarded: Cow::Borrowed(DEFAULT_GUARDED) }
    }

    /// Surroundings of which nothing is known but the folder.
    #[must_use]
    pub fn unknown(cwd: &Path) -> Self {
        Self { cwd: tidy(cwd), home: None, project: tidy(cwd), guarded: Cow::Borrowed(DEFAULT_GUARDED) }
    }
}
