//! Where a call happens, and what is guarded there.

use crate::guarded::{DEFAULT_GUARDED, Guarded};
use crate::machine::Machine;
use crate::paths::tidy;
use std::path::{Path, PathBuf};

/// Where a call happens.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    pub home: Option<PathBuf>,
    /// The root of the project.
    pub project: PathBuf,
    /// What only a person may change: agents' hook files and what belongs to hookrail.
    pub guarded: Vec<Guarded>,
}

/// Variables in which agents name the project.
const PROJECT_VARIABLES: [&str; 3] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR"];
/// So many folders upwards a repository is looked for.
const MAX_CLIMB: usize = 24;

impl Surroundings {
    /// Finds home and project around a working directory: the project is what the agent names, else the repository, else
    /// the working directory. The default list of agents' files is guarded.
    #[must_use]
    pub fn find(cwd: &Path, machine: &dyn Machine) -> Self {
        let home = machine.env("HOME").filter(|home| home.starts_with('/')).map(|home| tidy(Path::new(&home)));
        let named = PROJECT_VARIABLES.iter().find_map(|name| machine.env(name)).filter(|path| path.starts_with('/'));
        let cwd = tidy(cwd);
        let project =
            named.map_or_else(|| repository_of(&cwd, home.as_deref(), machine), |path| tidy(Path::new(&path)));
        Self { cwd, home, project, guarded: DEFAULT_GUARDED.to_vec() }
    }
}

fn repository_of(cwd: &Path, home: Option<&Path>, machine: &dyn Machine) -> PathBuf {
    let above = cwd.ancestors().take(MAX_CLIMB).take_while(|folder| Some(*folder) != home);
    above.into_iter().find(|folder| machine.kind(&folder.join(".git")).is_some()).unwrap_or(cwd).to_owned()
}
