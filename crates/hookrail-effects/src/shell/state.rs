//! Where a shell stands: its folder, what is checked out, and how its last command ends.
//!
//! A shell takes one of several ways: `a && b` runs `b` only if `a` succeeds, `a || b` only if it fails. What a way changes
//! counts only on that way. So a command leaves two states, one for the case that it succeeds and one for the case that it
//! fails, and how likely each is.

use super::Shell;
use super::shared::Shared;
use crate::repository::Repository;
use std::path::{Path, PathBuf};

/// So many other folders a shell may be in.
const MAX_ELSEWHERE: usize = 4;
/// So many positions of one working tree are told apart.
const MAX_POSITIONS: usize = 8;

/// How a command ends, as far as the text and the machine tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    Succeeds,
    Fails,
    /// It fails only if something unusual happens.
    UsuallySucceeds,
    UsuallyFails,
    /// A condition that holds here and now.
    Holds,
    /// A condition that does not hold here and now: what stands behind it does not happen.
    DoesNotHold,
    /// Nothing tells.
    #[default]
    Open,
    /// It ends the shell.
    Exits,
}

impl Ending {
    pub(crate) fn of(succeeds: bool) -> Self {
        if succeeds { Self::UsuallySucceeds } else { Self::UsuallyFails }
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Succeeds => Self::Fails,
            Self::Fails => Self::Succeeds,
            Self::UsuallySucceeds => Self::UsuallyFails,
            Self::UsuallyFails => Self::UsuallySucceeds,
            Self::Holds => Self::DoesNotHold,
            Self::DoesNotHold => Self::Holds,
            Self::Open | Self::Exits => self,
        }
    }

    /// Whether it is taken to succeed, or to fail; `None` if both may happen.
    pub(crate) fn expected(self) -> Option<bool> {
        match self {
            Self::Succeeds | Self::UsuallySucceeds | Self::Holds => Some(true),
            Self::Fails | Self::UsuallyFails | Self::DoesNotHold => Some(false),
            Self::Open | Self::Exits => None,
        }
    }
}

impl Shell<'_> {
    /// Where the shell stands now.
    pub(crate) fn state(&self) -> ShellState {
        ShellState { cwd: self.cwd.clone(), elsewhere: self.elsewhere.clone(), heads: self.heads.clone() }
    }

    pub(crate) fn restore(&mut self, state: ShellState) {
        self.cwd = state.cwd;
        self.elsewhere = state.elsewhere;
        self.heads = state.heads;
    }

    /// A command begins: nothing is known of how it ends.
    pub(crate) fn begin(&mut self) {
        self.ending = None;
        self.if_failed = None;
    }

    /// Whatever comes next runs whether or not the last command succeeded.
    pub(crate) fn settle(&mut self) {
        let Some(failed) = self.if_failed.take() else { return };
        match self.ending.unwrap_or_default().expected() {
            Some(true) => {}
            Some(false) => self.restore(*failed),
            None => {
                let state = self.state().or(*failed);
                self.restore(state);
            }
        }
    }

    /// The state in the case that the last command failed.
    pub(crate) fn failed(&mut self) -> ShellState {
        self.if_failed.take().map_or_else(|| self.state(), |failed| *failed)
    }
}

/// What the ways of a script change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShellState {
    /// `None` when it is only known at run time.
    pub cwd: Option<PathBuf>,
    /// Other folders that the shell may be in.
    pub elsewhere: Vec<PathBuf>,
    pub heads: Heads,
}

impl ShellState {
    /// Either of two states.
    pub(crate) fn or(mut self, other: Self) -> Self {
        let folders = other.cwd.into_iter().chain(other.elsewhere);
        for folder in folders {
            let known = self.cwd.as_ref() == Some(&folder) || self.elsewhere.contains(&folder);
            if !known && self.elsewhere.len() < MAX_ELSEWHERE {
                self.elsewhere.push(folder);
            }
        }
        self.heads.join(&other.heads);
        self
    }
}

/// Where a working tree may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// Where its files say that it is.
    OnDisk,
    Branch(String),
    /// On no branch.
    Detached,
}

/// What a call has done to repositories so far. It outlives the shell that did it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heads {
    /// Where working trees may be now, by the folder of their `HEAD`.
    positions: Shared<(PathBuf, Vec<Position>)>,
    /// Where they were before the last switch.
    previous: Shared<(PathBuf, Position)>,
    /// Branches that were made, by their repository.
    made: Shared<(PathBuf, String)>,
    /// Working trees that were made, by their top folder.
    trees: Shared<(PathBuf, Repository)>,
    /// Aliases that were put into git's configuration.
    pub aliases: Shared<(String, String)>,
}

impl Heads {
    /// Where a working tree may be.
    pub(crate) fn positions(&self, repository: &Repository) -> Vec<Position> {
        let known = self.positions.iter().find(|(folder, _)| *folder == repository.git_folder);
        known.map_or_else(|| vec![Position::OnDisk], |(_, positions)| positions.clone())
    }

    /// Where a working tree was before the last switch of this call.
    pub(crate) fn previous(&self, repository: &Repository) -> Option<&Position> {
        self.previous.iter().find(|(folder, _)| *folder == repository.git_folder).map(|(_, position)| position)
    }

    pub(crate) fn switch(&mut self, repository: &Repository, to: Position) {
        let folder = &repository.git_folder;
        let before = self.positions(repository).into_iter().next().unwrap_or(Position::OnDisk);
        let previous = self.previous.change();
        previous.retain(|(known, _)| known != folder);
        previous.push((folder.clone(), before));
        let positions = self.positions.change();
        positions.retain(|(known, _)| known != folder);
        positions.push((folder.clone(), vec![to]));
    }

    pub(crate) fn make(&mut self, repository: &Repository, branch: &str) {
        self.made.change().push((repository.common.clone(), branch.to_owned()));
    }

    pub(crate) fn has_made(&self, repository: &Repository, branch: &str) -> bool {
        self.made.iter().any(|(common, made)| *common == repository.common && made == branch)
    }

    /// A working tree that this call has made, with what is checked out in it.
    pub(crate) fn make_tree(&mut self, root: &Path, common: &Path, git_folder: PathBuf, at: Position) {
        let repository = Repository { git_folder, common: common.to_owned(), root: Some(root.to_owned()) };
        self.switch(&repository, at);
        self.trees.change().push((root.to_owned(), repository));
    }

    /// The innermost working tree of this call that a folder is in.
    pub(crate) fn tree_around(&self, folder: &Path) -> Option<&Repository> {
        let around = self.trees.iter().filter(|(root, _)| folder.starts_with(root));
        around.max_by_key(|(root, _)| root.components().count()).map(|(_, repository)| repository)
    }

    /// Makes the positions those of either of two ways.
    fn join(&mut self, other: &Self) {
        if self == other {
            return;
        }
        let folders: Vec<PathBuf> =
            self.positions.iter().chain(other.positions.iter()).map(|(folder, _)| folder.clone()).collect();
        for folder in folders {
            let of = |heads: &Self| {
                let known = heads.positions.iter().find(|(known, _)| *known == folder);
                known.map_or_else(|| vec![Position::OnDisk], |(_, positions)| positions.clone())
            };
            let (mut all, more) = (of(self), of(other));
            all.extend(more);
            let mut positions: Vec<Position> = Vec::new();
            for position in all {
                if !positions.contains(&position) && positions.len() < MAX_POSITIONS {
                    positions.push(position);
                }
            }
            let all = self.positions.change();
            all.retain(|(known, _)| *known != folder);
            all.push((folder, positions));
        }
        add(&mut self.made, &other.made);
        add(&mut self.trees, &other.trees);
        add(&mut self.aliases, &other.aliases);
    }
}

/// Adds what a way has made that this one has not. Both begin alike, mostly: with what was made before they parted.
fn add<T: Clone + PartialEq>(list: &mut Shared<T>, more: &Shared<T>) {
    let alike = list.iter().zip(more.iter()).take_while(|(one, other)| one == other).count();
    let new: Vec<T> = more.iter().skip(alike).filter(|entry| !list.contains(entry)).cloned().collect();
    if !new.is_empty() {
        list.change().extend(new);
    }
}
