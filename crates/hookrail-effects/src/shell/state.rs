//! Where a shell stands: its folder, what is checked out, and how its last command ends.
//!
//! A shell takes one of several ways: `a && b` runs `b` only if `a` succeeds, `a || b` only if it fails. What a way changes
//! counts only on that way. So a command leaves two states, one for the case that it succeeds and one for the case that it
//! fails, and how likely each is.

use super::Shell;
use super::choices::{self, Choice, Choices, Join};
use super::shared::Shared;
use crate::flow::{Arg, Flow, Taint};
use crate::repository::Repository;
use hookrail_core::tidy_path::is_same;
use hookrail_shell::ast::Command;
use std::path::{Path, PathBuf};
use std::rc::Rc;

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

/// A variable of a function that is being called.
#[derive(Clone, Debug)]
pub(super) struct Local {
    name: Rc<str>,
    before: Option<Choice<Rc<[Arg]>>>,
    /// Whether it may not have become the function's own.
    perhaps: bool,
}

/// The body of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'s>(pub &'s Command<'s>);

impl PartialEq for Body<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Body<'_> {}

impl<'s> Shell<'s> {
    /// Where the shell stands now.
    pub(crate) fn state(&self) -> ShellState<'s> {
        ShellState {
            cwd: self.cwd.clone(),
            elsewhere: self.elsewhere.clone(),
            folders: self.folders.clone(),
            heads: self.heads.clone(),
            variables: self.variables.clone(),
            variables_size: self.variables_size,
            functions: self.functions.clone(),
            aliases: self.aliases.clone(),
            exported: self.exported.clone(),
            traps: self.traps.clone(),
            files: self.files.clone(),
            errexit: self.errexit,
        }
    }

    pub(crate) fn restore(&mut self, state: ShellState<'s>) {
        self.cwd = state.cwd;
        self.elsewhere = state.elsewhere;
        self.folders = state.folders;
        self.heads = state.heads;
        self.variables = state.variables;
        self.variables_size = state.variables_size;
        self.functions = state.functions;
        self.aliases = state.aliases;
        self.exported = state.exported;
        self.traps = state.traps;
        self.files = state.files;
        self.errexit = state.errexit;
    }

    /// Goes on in either of the present state and another.
    pub(crate) fn go_on_in(&mut self, either: ShellState<'s>) {
        self.has_choices = true;
        let joined = self.state().or(either);
        self.restore(joined);
    }

    /// Makes a variable the function's own until it ends.
    pub(super) fn make_local(&mut self, name: &str) {
        if !self.calling.is_empty() && !self.locals.iter().any(|local| *local.name == *name) {
            let before = choices::find(&self.variables, name).cloned();
            self.locals.push(Local { name: name.into(), before, perhaps: self.optional > 0 });
        }
    }

    /// Ends what `make_local` began.
    pub(super) fn give_back(&mut self, local: Local) {
        let now = choices::find(&self.variables, &local.name).filter(|_| local.perhaps).cloned();
        let before = match local.perhaps {
            true => choices::either(&local.name, now.as_ref(), local.before.as_ref(), &VARIABLES),
            false => local.before,
        };
        self.has_choices |= local.perhaps;
        choices::assign(&mut self.variables, &local.name, before);
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
            // What usually succeeds is taken to have gone where it goes; what else it changes counts on both ways.
            Some(true) if matches!(self.ending, Some(Ending::Succeeds | Ending::Holds)) => {}
            Some(true) => {
                let here = ShellState { heads: self.heads.clone(), ..self.state() };
                let (cwd, elsewhere, folders, heads) = (here.cwd, here.elsewhere, here.folders, here.heads);
                self.go_on_in(*failed);
                (self.cwd, self.elsewhere, self.folders, self.heads) = (cwd, elsewhere, folders, heads);
            }
            Some(false) if matches!(self.ending, Some(Ending::Fails | Ending::DoesNotHold)) => self.restore(*failed),
            Some(false) | None => self.go_on_in(*failed),
        }
    }

    /// The state in the case that the last command failed.
    pub(crate) fn failed(&mut self) -> ShellState<'s> {
        self.if_failed.take().map_or_else(|| self.state(), |failed| *failed)
    }
}

/// What the ways of a script change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShellState<'s> {
    /// `None` when it is only known at run time.
    pub cwd: Option<PathBuf>,
    /// Other folders that the shell may be in.
    pub elsewhere: Vec<PathBuf>,
    pub heads: Heads,
    /// What was written to files by this call.
    pub files: Shared<(Rc<Path>, Rc<Flow>)>,
    pub(super) folders: Shared<Option<PathBuf>>,
    pub(super) variables: Choices<Rc<[Arg]>>,
    pub(super) variables_size: usize,
    pub(super) functions: Choices<Body<'s>>,
    pub(super) aliases: Choices<Rc<str>>,
    pub(super) exported: Shared<Box<str>>,
    pub(super) traps: Shared<(Box<str>, Arg)>,
    pub(super) errexit: bool,
}

/// How values of variables are joined. Where the text is the same it does not matter where it was written.
const VARIABLES: Join<Rc<[Arg]>> = Join { same: same_values, stand_in: any_value };

fn same_values(one: &Rc<[Arg]>, other: &Rc<[Arg]>) -> Option<Rc<[Arg]>> {
    let alike = |(one, other): (&Arg, &Arg)| {
        (&one.text, one.hole, one.glob, &one.taint, &one.feed)
            == (&other.text, other.hole, other.glob, &other.taint, &other.feed)
    };
    if one.len() != other.len() || !one.iter().zip(other.iter()).all(alike) {
        return None;
    }
    let firm = one.iter().zip(other.iter()).all(|(one, other)| one.firm || !other.firm);
    Some(Rc::clone(if firm { other } else { one }))
}

/// A value of which only is known where it may come from.
fn any_value(name: &str, all: &[Option<Rc<[Arg]>>]) -> Option<Rc<[Arg]>> {
    let mut taint = Taint::NONE;
    let values = all.iter().flatten().flat_map(|values| values.iter());
    let span = values.clone().map(|value| value.span).next().unwrap_or_default();
    values.for_each(|value| taint.add(&value.taint));
    Some(Rc::new([Arg { taint, ..Arg::unknown(format!("${name}"), span) }]))
}

const ALIASES: Join<Rc<str>> = Join { same: |one, other| (one == other).then(|| Rc::clone(one)), stand_in: first_of };

fn first_of<V: Clone>(_: &str, all: &[Option<V>]) -> Option<V> {
    all.iter().flatten().next().cloned()
}

impl<'s> ShellState<'s> {
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
        if !self.variables.is_same(&other.variables) {
            self.variables = choices::join(&self.variables, &other.variables, &VARIABLES);
            let sizes = |choice: &Choice<Rc<[Arg]>>| {
                Choice::all(Some(choice)).iter().flatten().map(|values| super::size(values)).sum::<usize>()
            };
            self.variables_size = self.variables.iter().map(|(_, choice)| sizes(choice)).sum();
        }
        let functions = Join { same: |one: &Body<'s>, other| (one == other).then_some(*one), stand_in: first_of };
        self.functions = choices::join(&self.functions, &other.functions, &functions);
        self.aliases = choices::join(&self.aliases, &other.aliases, &ALIASES);
        add(&mut self.exported, &other.exported);
        add(&mut self.traps, &other.traps);
        if self.folders != other.folders {
            self.folders = Shared::default();
        }
        self.join_files(&other.files);
        // What may or may not run switches nothing on.
        self.errexit &= other.errexit;
        self
    }

    /// A file holds what either way has written to it: as a script, it may do both.
    fn join_files(&mut self, other: &Shared<(Rc<Path>, Rc<Flow>)>) {
        if self.files.is_same(other) {
            return;
        }
        let alike = self.files.iter().zip(other.iter()).take_while(|(one, other)| one == other).count();
        for (path, flow) in other.iter().skip(alike) {
            match self.files.iter().position(|(known, _)| is_same(known, path)) {
                None => self.files.change().push((Rc::clone(path), Rc::clone(flow))),
                Some(at) => {
                    if let Some((_, own)) = self.files.change().get_mut(at).filter(|(_, own)| own != flow) {
                        let mut both = (**own).clone();
                        both.append((**flow).clone());
                        both.firm = false;
                        *own = both.into();
                    }
                }
            }
        }
    }

    /// The same with other functions: those of a text that has ended are gone.
    pub(super) fn with_functions<'t>(self, functions: Choices<Body<'t>>) -> ShellState<'t> {
        ShellState {
            cwd: self.cwd,
            elsewhere: self.elsewhere,
            heads: self.heads,
            files: self.files,
            folders: self.folders,
            variables: self.variables,
            variables_size: self.variables_size,
            functions,
            aliases: self.aliases,
            exported: self.exported,
            traps: self.traps,
            errexit: self.errexit,
        }
    }

    /// Makes the variables that another state has otherwise unknown: a loop may change them again and again.
    pub(super) fn widen(&mut self, other: &Self) {
        if self.variables.is_same(&other.variables) {
            return;
        }
        let differs = |name: &str, choice: &Choice<Rc<[Arg]>>| choices::find(&other.variables, name) != Some(choice);
        for (name, choice) in self.variables.change() {
            if differs(name, choice) {
                let value = Rc::clone(choice.value());
                *choice = any_value(name, &[Some(value)]).map_or_else(|| choice.clone(), Choice::One);
            }
        }
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
