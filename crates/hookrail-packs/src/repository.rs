//! What a git repository's own files say, without starting git.

use hookrail_core::{FileKind, HookError, World};
use std::path::{Path, PathBuf};

/// A working tree's repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// Where this working tree's `HEAD` is.
    pub git_dir: PathBuf,
    /// Where branches and configuration are; all worktrees of a repository share it.
    pub common_dir: PathBuf,
    /// The top of the working tree, if it was found from within one.
    pub root: Option<PathBuf>,
}

impl Repository {
    /// The repository around a folder.
    pub fn around(folder: &Path, world: &dyn World) -> Result<Option<Self>, HookError> {
        let folder = world.resolve(folder);
        for folder in folder.ancestors() {
            let entry = folder.join(".git");
            let git_dir = match world.kind(&entry)? {
                Some(FileKind::Folder | FileKind::Link) => entry,
                Some(FileKind::File) => {
                    let text = read_text(&entry, world)?.unwrap_or_default();
                    let Some(target) = text.trim().strip_prefix("gitdir:") else {
                        return Err(HookError::new(format!(
                            "`{}` does not say where the repository is",
                            entry.display()
                        )));
                    };
                    folder.join(target.trim())
                }
                Some(FileKind::Other) | None => continue,
            };
            let root = Some(folder.to_owned());
            return Ok(Self::at(&git_dir, world)?.map(|repository| Self { root, ..repository }));
        }
        Ok(None)
    }

    /// The repository in a folder that is a `.git` itself.
    pub fn at(git_dir: &Path, world: &dyn World) -> Result<Option<Self>, HookError> {
        let git_dir = world.resolve(git_dir);
        if world.kind(&git_dir.join("HEAD"))?.is_none() {
            return Ok(None);
        }
        let common = read_text(&git_dir.join("commondir"), world)?;
        let common_dir = common.map_or_else(|| git_dir.clone(), |path| world.resolve(&git_dir.join(path.trim())));
        Ok(Some(Self { git_dir, common_dir, root: None }))
    }

    /// The branch a commit would go to; `None` if it would go to none.
    pub fn branch(&self, world: &dyn World) -> Result<Option<String>, HookError> {
        let head = read_text(&self.git_dir.join("HEAD"), world)?.unwrap_or_default();
        let reference = head.trim().strip_prefix("ref:").map(str::trim);
        Ok(reference.and_then(|reference| reference.strip_prefix("refs/heads/")).map(str::to_owned))
    }

    /// Whether there is such a branch. Its name is only ever compared and joined below `refs`.
    pub fn has_branch(&self, name: &str, world: &dyn World) -> Result<bool, HookError> {
        self.has_reference(&format!("refs/heads/{name}"), world)
    }

    /// Whether a remote has such a branch, from which git would make a local one.
    pub fn has_remote_branch(&self, name: &str, world: &dyn World) -> Result<bool, HookError> {
        let remotes = world.list(&self.common_dir.join("refs/remotes"))?.unwrap_or_default();
        for remote in remotes.iter().map(String::as_str).chain(["origin"]) {
            if self.has_reference(&format!("refs/remotes/{remote}/{name}"), world)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub fn has_tag(&self, name: &str, world: &dyn World) -> Result<bool, HookError> {
        self.has_reference(&format!("refs/tags/{name}"), world)
    }

    fn has_reference(&self, reference: &str, world: &dyn World) -> Result<bool, HookError> {
        if reference.split('/').any(|part| part.is_empty() || part == "..") {
            return Ok(false);
        }
        if world.kind(&self.common_dir.join(reference))? == Some(FileKind::File) {
            return Ok(true);
        }
        let packed = read_text(&self.common_dir.join("packed-refs"), world)?.unwrap_or_default();
        Ok(packed.lines().any(|line| line.split_once(' ').is_some_and(|(_, name)| name.trim() == reference)))
    }
}

fn read_text(path: &Path, world: &dyn World) -> Result<Option<String>, HookError> {
    Ok(world.read(path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}
