//! What a git repository's own files say, without starting git.

use crate::machine::ReadOnlyWorld;
use crate::packed_refs;
use crate::paths::tidy;
use crate::reftable::{self, Value};
use hookrail_core::FileKind;
use std::path::{Path, PathBuf};

/// So many folders upwards a repository is looked for.
const MAX_CLIMB: usize = 64;
/// So many worktrees of a repository are looked at.
const MAX_WORKTREES: usize = 64;

/// A working tree's repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Where this working tree's `HEAD` is.
    pub git_folder: PathBuf,
    /// Where branches and configuration are; all worktrees of a repository share it.
    pub common: PathBuf,
    /// The top of the working tree, if it was found from within one.
    pub root: Option<PathBuf>,
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch, which need not have a commit yet.
    Branch(String),
    /// A commit, and no branch.
    Detached,
    /// The files do not tell.
    Unknown,
}

impl Repository {
    /// The repository around a folder.
    #[must_use]
    pub fn around(folder: &Path, machine: &dyn ReadOnlyWorld) -> Option<Self> {
        let folder = machine.resolve(folder);
        let nearest = machine.nearest_with(&folder, ".git").unwrap_or(MAX_CLIMB);
        for folder in folder.ancestors().take(MAX_CLIMB).skip(nearest) {
            let entry = folder.join(".git");
            let git_folder = match machine.kind(&entry) {
                Some(FileKind::Folder | FileKind::Link) => entry,
                // A worktree or a submodule: a file that names the folder.
                Some(FileKind::File) => {
                    let text = machine.read_small(&entry)?;
                    folder.join(text.trim().strip_prefix("gitdir:")?.trim())
                }
                Some(FileKind::Other) | None => continue,
            };
            return Some(Self { root: Some(folder.to_owned()), ..Self::at(&git_folder, machine)? });
        }
        // A repository without a working tree.
        let nearest = machine.nearest_with(&folder, "objects").unwrap_or(MAX_CLIMB);
        folder.ancestors().take(MAX_CLIMB).skip(nearest).find_map(|folder| {
            let bare = machine.kind(&folder.join("objects")) == Some(FileKind::Folder)
                && machine.kind(&folder.join("refs")) == Some(FileKind::Folder);
            bare.then(|| Self::at(folder, machine)).flatten()
        })
    }

    /// The repository in a folder that is a `.git` itself.
    #[must_use]
    pub fn at(git_folder: &Path, machine: &dyn ReadOnlyWorld) -> Option<Self> {
        let git_folder = machine.resolve(&tidy(git_folder));
        machine.kind(&git_folder.join("HEAD"))?;
        let common = machine.read_small(&git_folder.join("commondir"));
        let common = common.map(|path| machine.resolve(&tidy(git_folder.join(path.trim()))));
        Some(Self { common: common.unwrap_or_else(|| git_folder.clone()), git_folder, root: None })
    }

    /// What is checked out.
    #[must_use]
    pub fn head(&self, machine: &dyn ReadOnlyWorld) -> Head {
        let Some(text) = machine.read_small(&self.git_folder.join("HEAD")) else { return Head::Unknown };
        let head = Head::read(&text);
        // With reftable the file names a branch that cannot exist.
        if head != Head::Branch(".invalid".to_owned()) {
            return head;
        }
        match reftable::find(&self.git_folder.join("reftable"), "HEAD", machine) {
            Some(Value::Symbolic(target)) => Head::read(&format!("ref: {target}")),
            Some(Value::Commit) => Head::Detached,
            None => Head::Unknown,
        }
    }

    /// Whether there is such a reference. Its name is only ever compared and joined below the repository.
    #[must_use]
    pub fn has(&self, reference: &str, machine: &dyn ReadOnlyWorld) -> bool {
        if reference.split('/').any(|part| part.is_empty() || part == "..") {
            return false;
        }
        if machine.kind(&self.common.join(reference)) == Some(FileKind::File) {
            return true;
        }
        packed_refs::contains(&self.common.join("packed-refs"), reference, machine)
            || reftable::find(&self.common.join("reftable"), reference, machine).is_some()
    }

    /// Whether there is such a branch.
    #[must_use]
    pub fn has_branch(&self, name: &str, machine: &dyn ReadOnlyWorld) -> bool {
        self.has(&format!("refs/heads/{name}"), machine)
    }

    /// Whether a remote has such a branch, from which git would make a local one.
    #[must_use]
    pub fn has_remote_branch(&self, name: &str, machine: &dyn ReadOnlyWorld) -> bool {
        let remotes = machine.list(&self.common.join("refs/remotes")).unwrap_or_default();
        let names = remotes.iter().map(String::as_str).chain(["origin", "upstream"]);
        names.into_iter().any(|remote| self.has(&format!("refs/remotes/{remote}/{name}"), machine))
    }

    /// Whether another worktree has a branch checked out, so that git does not check it out here.
    #[must_use]
    pub fn is_used_elsewhere(&self, branch: &str, machine: &dyn ReadOnlyWorld) -> bool {
        let folder = self.common.join("worktrees");
        let linked = machine.list(&folder).unwrap_or_default().into_iter().take(MAX_WORKTREES);
        let all = linked.map(|name| folder.join(name)).chain([self.common.clone()]);
        let mut others = all.filter(|git_folder| *git_folder != self.git_folder);
        others.any(|git_folder| Self { git_folder, ..self.clone() }.head(machine) == Head::Branch(branch.to_owned()))
    }

    /// What git knows of a file of the working tree: when it was changed and how large it was, when git last looked. `None`
    /// if git does not know it, or keeps its index in a form that is not read here.
    #[must_use]
    pub fn known_file(&self, file: &Path, machine: &dyn ReadOnlyWorld) -> Option<KnownFile> {
        let name = file.strip_prefix(self.root.as_ref()?).ok()?;
        find_entry(&machine.read_bytes(&self.git_folder.join("index"))?, name.to_str()?)
    }

    /// The branch that a rebase which is not finished will move, and the branch before the last switch: git writes both down.
    #[must_use]
    pub(crate) fn rebased_branch(&self, machine: &dyn ReadOnlyWorld) -> Option<String> {
        let name = |folder: &str| machine.read_small(&self.git_folder.join(folder).join("head-name"));
        let name = name("rebase-merge").or_else(|| name("rebase-apply"))?;
        name.trim().strip_prefix("refs/heads/").map(str::to_owned)
    }

    /// What was checked out before the last switch.
    #[must_use]
    pub(crate) fn previous(&self, machine: &dyn ReadOnlyWorld) -> Option<String> {
        let log = machine.read_bytes(&self.git_folder.join("logs/HEAD"))?;
        let log = String::from_utf8_lossy(&log);
        let last = log.lines().rev().find_map(|line| line.split_once("\tcheckout: moving from "))?.1;
        last.split_once(" to ").map(|(from, _)| from.to_owned())
    }
}

/// A file as git's index knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Seconds since 1970.
    pub modified: u32,
    /// Bytes, as far as they fit.
    pub size: u32,
}

/// An entry of git's index, in versions 2 and 3: fixed fields, the name, and zeros up to a multiple of eight.
fn find_entry(index: &[u8], name: &str) -> Option<KnownFile> {
    let number = |at: usize| {
        let bytes = index.get(at..at + 4)?;
        Some(bytes.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte)))
    };
    let version = number(4).filter(|_| index.get(..4) == Some(b"DIRC"))?;
    if !matches!(version, 2 | 3) {
        return None;
    }
    let mut at = 12;
    for _ in 0..number(8)? {
        let extended = version == 3 && index.get(at + 60)? & 0x40 != 0;
        let start = at + if extended { 64 } else { 62 };
        let rest = index.get(start..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        if rest.get(..length) == Some(name.as_bytes()) {
            return Some(KnownFile { modified: number(at + 8)?, size: number(at + 36)? });
        }
        at += (start - at + length + 8) / 8 * 8;
    }
    None
}

impl Head {
    /// What a file `HEAD` says.
    pub(crate) fn read(text: &str) -> Self {
        let text = text.trim();
        match text.strip_prefix("ref:").map(str::trim) {
            Some(reference) => match reference.strip_prefix("refs/heads/") {
                Some(branch) => Self::Branch(branch.to_owned()),
                None => Self::Unknown,
            },
            None if text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) => Self::Detached,
            None => Self::Unknown,
        }
    }
}
