//! What an effect is about.

use std::path::{Path, PathBuf};

/// What an effect is about. Only what matters for its act is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// The program that does it, without its folder.
    pub program: Option<Box<str>>,
    /// The file or folder.
    pub path: Option<Box<PathObject>>,
    /// The other machine.
    pub host: Option<Box<str>>,
    /// The whole address, where there is one.
    pub url: Option<Box<str>>,
    /// The branch of a repository.
    pub branch: Option<Box<str>>,
    /// The repository's name for another one, such as `origin`.
    pub remote: Option<Box<str>>,
    /// What is installed or published.
    pub package: Option<Box<str>>,
    /// The context, cluster, database, account, bucket, variable or process that is meant.
    pub target: Option<Box<str>>,
    /// What is sent, of something that is sent.
    pub data: Option<Data>,
    /// The branch that is at another commit afterwards, by a commit, a merge, a reset or whatever else moves branches.
    pub moves: Option<Box<MovedBranch>>,
}

/// What a call sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Data {
    /// Nothing but what stands in the call.
    Typed,
    /// The content of files, or what commands print.
    Local,
    /// A secret, perhaps encoded.
    Secret,
}

impl Data {
    /// Every kind, in the order of the book.
    pub const ALL: &[Self] = &[Self::Typed, Self::Local, Self::Secret];

    /// The name used in rules.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Local => "local",
            Self::Secret => "secret",
        }
    }
}

/// The target of an act of git that puts files back which differ from what git knows: `git stash`, `git reset --hard`.
pub const CHANGED_FILES: &str = "changed files";

/// A branch that an effect leaves at another commit, or that it deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedBranch {
    /// The repository, as the folder that all its worktrees share.
    pub repository: PathBuf,
    /// The branch's name without `refs/heads/`; `*` for any of them.
    pub branch: Box<str>,
}

/// A path in the forms that a rule may ask about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathObject {
    /// As the call spells it, quotes removed.
    pub written: Box<str>,
    /// Absolute, without `.` and `..`, by its text alone. It may hold pattern characters if `pattern` is set.
    pub resolved: PathBuf,
    /// Where links lead, if that is somewhere else.
    pub through: Option<PathBuf>,
    /// Whether `resolved` is a pattern: a glob that was not expanded, or a part that is only known at run time (`*`).
    pub pattern: bool,
    /// Whether everything below the path is meant, too.
    pub recursive: bool,
    /// How closely something that is read is looked at.
    pub look: ReadDepth,
}

/// How closely something that is read is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadDepth {
    /// Its content.
    #[default]
    Content,
    /// The content of what a search finds, which leaves out what git ignores and, mostly, hidden files.
    Search {
        /// Whether hidden files are searched, too.
        hidden: bool,
    },
    /// The content of the files in a folder that git knows.
    Tracked,
    /// Its name, size or kind alone.
    Name,
}

impl PathObject {
    /// Where the path really leads.
    #[must_use]
    pub fn real(&self) -> &Path {
        self.through.as_deref().unwrap_or(&self.resolved)
    }
}

impl Object {
    /// The most telling attribute, for a person.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        let path = self.path.as_ref().map(|path| &*path.written);
        let texts = [&self.url, &self.host, &self.target, &self.package, &self.branch, &self.remote, &self.program];
        path.or_else(|| texts.into_iter().find_map(|text| text.as_deref()))
    }
}
