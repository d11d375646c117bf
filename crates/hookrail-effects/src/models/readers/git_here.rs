//! The repository that a call of git is about, and what is checked out in it.

use super::Reading;
use crate::act::Act;
use crate::effect::Sure;
use crate::flow::Arg;
use crate::models::place;
use crate::object::{MovedBranch, Object};
use crate::paths::tidy;
use crate::repository::{Head, Repository};
use crate::shell::{Ending, Position};
use std::path::Path;

/// The working tree that a call of git is about.
pub(super) struct Here {
    pub repository: Option<Repository>,
    /// What may be checked out; `None` stands for no branch.
    pub branches: Vec<Option<String>>,
    /// Working trees that the shell may be in instead.
    others: Vec<Self>,
    /// The working tree is a folder that the call names, in which anything may differ from what git knows.
    pub elsewhere: bool,
}

impl Here {
    /// Finds it from the working directory, or from the folder that `--git-dir` or `GIT_DIR` names.
    pub(super) fn find(r: &Reading<'_, '_, '_>, named: Option<&Arg>) -> Self {
        let named = named.cloned().or_else(|| variable(r, "GIT_DIR")).filter(|named| !named.text.is_empty());
        let Some(cwd) = r.shell.cwd.as_deref() else { return Self::nowhere() };
        if let Some(named) = named {
            let repository = named.known().then(|| Repository::at(&tidy(cwd.join(&named.text)), r.analysis.machine));
            return repository.flatten().map_or_else(Self::nowhere, |repository| Self::of(r, repository));
        }
        let mut here = Self::around(r, cwd);
        here.others = r.shell.elsewhere.iter().map(|folder| Self::around(r, folder)).collect();
        here
    }

    fn nowhere() -> Self {
        Self { repository: None, branches: Vec::new(), others: Vec::new(), elsewhere: false }
    }

    fn around(r: &Reading<'_, '_, '_>, folder: &Path) -> Self {
        let found = Repository::around(folder, r.analysis.machine);
        // A working tree that this call has made is not there yet.
        let made = r.shell.heads.tree_around(folder).filter(|made| {
            let depth = |repository: &Repository| repository.root.as_ref().map_or(0, |root| root.components().count());
            found.as_ref().is_none_or(|found| depth(made) > depth(found))
        });
        let repository = made.cloned().or(found);
        repository.map_or_else(Self::nowhere, |repository| Self::of(r, repository))
    }

    fn of(r: &Reading<'_, '_, '_>, repository: Repository) -> Self {
        let positions = r.shell.heads.positions(&repository);
        let branches = positions.iter().map(|position| branch_at(r, &repository, position)).collect();
        Self { repository: Some(repository), branches, others: Vec::new(), elsewhere: false }
    }

    /// The files are in another folder: that of `--work-tree`. From outside of it git goes there.
    pub(super) fn work_in(&mut self, r: &mut Reading<'_, '_, '_>, folder: &Arg) {
        let Some(root) = crate::shell::folder(r.analysis, r.shell, folder) else { return };
        if !r.shell.cwd.as_deref().is_some_and(|cwd| cwd.starts_with(&root)) {
            r.shell.cwd = Some(root.clone());
        }
        if let Some(repository) = &mut self.repository {
            self.elsewhere = repository.root.as_ref() != Some(&root);
            repository.root = Some(root);
        }
    }

    /// The branch that is checked out, most likely.
    pub(super) fn branch(&self) -> Option<&str> {
        self.branches.first()?.as_deref()
    }

    /// Every repository with a branch that may be checked out.
    fn candidates(&self) -> Vec<(&Repository, &str)> {
        let own =
            self.branches.iter().flatten().filter_map(|branch| Some((self.repository.as_ref()?, branch.as_str())));
        own.chain(self.others.iter().flat_map(Self::candidates)).collect()
    }

    /// Adds an act that leaves the branch which is checked out at another commit.
    pub(super) fn lands(&self, r: &mut Reading<'_, '_, '_>, act: Act) {
        let candidates = self.candidates();
        let certain = candidates.len() == 1 && self.branches.len() == 1;
        let sure = if certain { Sure::Certain } else { Sure::Possible };
        if candidates.is_empty() {
            r.object(act, Object::default());
        }
        for (repository, branch) in candidates {
            moves(r, act, repository, branch, sure);
        }
    }

    /// Adds an act that leaves a branch at another commit.
    pub(super) fn moves(&self, r: &mut Reading<'_, '_, '_>, act: Act, branch: &str) {
        let branch = branch.trim_start_matches("refs/heads/");
        match &self.repository {
            Some(repository) => moves(r, act, repository, branch, Sure::Certain),
            None => r.object(act, Object { branch: Some(branch.into()), ..Object::default() }),
        }
    }

    /// Whether there is such a branch, also one that this call has made.
    pub(super) fn has_branch(&self, r: &Reading<'_, '_, '_>, name: &str) -> bool {
        let Some(repository) = &self.repository else { return false };
        r.shell.heads.has_made(repository, name) || repository.has_branch(name, r.analysis.machine)
    }

    /// Whether a name is a commit: a branch, a tag, a hash, or an expression of such.
    pub(super) fn is_commit(&self, r: &Reading<'_, '_, '_>, name: &str) -> bool {
        let Some(repository) = &self.repository else { return false };
        let base = name.split(['~', '^', '@', ':']).next().unwrap_or(name);
        let hash = base.len() >= 4 && base.bytes().all(|byte| byte.is_ascii_hexdigit());
        let has = |reference: String| repository.has(&reference, r.analysis.machine);
        hash || matches!(base, "" | "HEAD" | "FETCH_HEAD" | "ORIG_HEAD")
            || self.has_branch(r, base)
            || has(format!("refs/tags/{base}"))
            || has(format!("refs/remotes/{base}"))
            || has(format!("refs/{base}"))
            || base.starts_with("refs/") && has(base.to_owned())
    }

    /// The working tree is on this branch now, or on none; if git does not do that, it stays where it is.
    pub(super) fn switch(&self, r: &mut Reading<'_, '_, '_>, to: Position) {
        if let Some(repository) = &self.repository {
            let before = r.shell.state();
            r.shell.heads.switch(repository, to);
            r.shell.ending = Some(Ending::UsuallySucceeds);
            r.shell.if_failed = Some(Box::new(before));
        }
    }

    pub(super) fn make(&self, r: &mut Reading<'_, '_, '_>, branch: &str) {
        if let Some(repository) = &self.repository {
            r.shell.heads.make(repository, branch);
        }
    }

    /// What was checked out before the last switch.
    pub(super) fn previous(&self, r: &Reading<'_, '_, '_>) -> Option<String> {
        let repository = self.repository.as_ref()?;
        match r.shell.heads.previous(repository) {
            Some(position) => branch_at(r, repository, position),
            None => repository.previous(r.analysis.machine),
        }
    }
}

/// A variable that git reads: of this call, of the shell, or of the environment.
pub(super) fn variable(r: &Reading<'_, '_, '_>, name: &str) -> Option<Arg> {
    let environment = r.analysis.machine.env(name);
    let is_passed_on = environment.is_some() || r.shell.is_exported(name);
    let own = r.call.variable(name).or_else(|| r.shell.get(name).filter(|_| is_passed_on)?.first()).cloned();
    own.or_else(|| environment.map(|value| Arg::new(value, r.call.span)))
}

fn branch_at(r: &Reading<'_, '_, '_>, repository: &Repository, position: &Position) -> Option<String> {
    let head = match position {
        Position::OnDisk => match r.shell.written(&repository.git_folder.join("HEAD")) {
            Some(flow) => Head::read(flow.text.as_deref().unwrap_or_default()),
            None => repository.head(r.analysis.machine),
        },
        Position::Branch(name) => return Some(name.clone()),
        Position::Detached => Head::Detached,
    };
    match head {
        Head::Branch(name) => Some(name),
        Head::Detached | Head::Unknown => None,
    }
}

fn moves(r: &mut Reading<'_, '_, '_>, act: Act, repository: &Repository, branch: &str, sure: Sure) {
    let moved = MovedBranch { repository: repository.common.clone(), branch: branch.into() };
    let object = Object { branch: Some(branch.into()), moves: Some(Box::new(moved)), ..Object::default() };
    let at = place(r.analysis, r.shell);
    r.analysis.add(act, object, at, sure, r.call.span);
}
