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
