use hookrail_core::{Event, HookError, World};
use std::path::{Component, Path, PathBuf};

/// Where configuration and state may lie in a project. The first that has the file counts.
pub(super) const FOLDERS: [&str; 2] = [".claude", ".project-orchestrator"];

/// The folders an event belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub root: PathBuf,
    /// The repository that `root` is a worktree of; `root` itself if it is not one.
    pub main: PathBuf,
}

impl Project {
    pub fn of(event: &Event, world: &dyn World) -> Result<Self, HookError> {
        let named =
            ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR"].iter().find_map(|name| world.env(name));
        match named.filter(|folder| !folder.is_empty()) {
            Some(folder) => Self::at(Path::new(&folder), world),
            None => Self::around(&event.cwd, world),
        }
    }

    /// The project that a folder is in: the nearest one above it that has files of an agent, the orchestrator or git.
    pub fn around(folder: &Path, world: &dyn World) -> Result<Self, HookError> {
        for above in folder.ancestors() {
            for mark in FOLDERS.iter().chain(&[".git"]) {
                // The home folder has a `.claude` as well, but is not a project.
                let home = world.env("HOME").is_some_and(|home| Path::new(&home) == above);
                if !(home && *mark == ".claude") && world.kind(&above.join(mark))?.is_some() {
                    return Self::at(above, world);
                }
            }
        }
        Self::at(folder, world)
    }

    fn at(root: &Path, world: &dyn World) -> Result<Self, HookError> {
        let main = main_repository(root, world).unwrap_or_else(|| root.to_owned());
        Ok(Self { root: root.to_owned(), main })
    }

    /// The folders in which to look for a file, in this order.
    pub fn roots(&self) -> Vec<&Path> {
        let mut roots = vec![self.root.as_path()];
        if self.main != self.root {
            roots.push(&self.main);
        }
        roots
    }
}

/// The repository that a folder is a worktree of, read from the files that git leaves there (errata D17).
fn main_repository(root: &Path, world: &dyn World) -> Option<PathBuf> {
    let text = |path: &Path| Some(String::from_utf8_lossy(&world.read(path).ok()??).trim().to_owned());
    let link = text(&root.join(".git"))?;
    let git_folder = world.resolve(&root.join(link.strip_prefix("gitdir:")?.trim()));
    let common = world.resolve(&git_folder.join(text(&git_folder.join("commondir"))?));
    (common.file_name()? == ".git").then(|| common.parent().map(Path::to_owned))?
}

/// Whether a path, as it is written, stays below the folder it is joined to.
pub(super) fn stays_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    #[test]
    fn a_worktree_leads_to_its_repository() {
        let world = FakeWorld::new()
            .file("/repo/.git/HEAD", "")
            .file("/repo/.git/worktrees/w/commondir", "../..\n")
            .file("/w/.git", "gitdir: /repo/.git/worktrees/w\n")
            .file("/relative/.git", "gitdir: ../repo/.git/worktrees/w\n")
            .file("/submodule/.git", "gitdir: /repo/.git/modules/m\n")
            .file("/odd/.git", "nonsense")
            .file("/plain/.claude/project.yml", "")
            .file("/home/me/.claude/settings.json", "")
            .env("HOME", "/home/me");
        for (folder, root, main) in [
            ("/repo/src", "/repo", "/repo"),
            ("/w/src/deep", "/w", "/repo"),
            ("/relative", "/relative", "/repo"),
            ("/submodule", "/submodule", "/submodule"),
            ("/odd", "/odd", "/odd"),
            ("/plain/src", "/plain", "/plain"),
            ("/home/me/notes", "/home/me/notes", "/home/me/notes"),
            ("/none", "/none", "/none"),
        ] {
            let expected = Project { root: root.into(), main: main.into() };
            assert_eq!(Project::around(Path::new(folder), &world), Ok(expected), "{folder}");
        }
    }
}
