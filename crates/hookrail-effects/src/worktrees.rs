//! Worktrees of one repository: which folders belong together, and what a session in one of them does to the others.

use crate::act::Act;
use crate::analysis::Analysis;
use crate::location::Location;
use crate::machine::ReadOnlyWorld;
use crate::object::Object;
use crate::paths::tidy;
use crate::repository::Repository;
use hookrail_core::FileKind;
use hookrail_core::tidy_path::is_within;
use std::path::{Path, PathBuf};

/// Folders above a path that are looked at.
const MAX_CLIMB: usize = 24;

/// Returns the top of the linked worktree that a path lies in, if its repository is the project's. Both sides must say so:
/// the worktree's `.git` names the repository, and the repository names the worktree.
pub(crate) fn linked_root(path: &Path, project: &Path, machine: &dyn ReadOnlyWorld) -> Option<PathBuf> {
    let is_top = |folder: &&Path| machine.kind(&folder.join(".git")) == Some(FileKind::File);
    let root = path.ancestors().take(MAX_CLIMB).find(is_top)?;
    let link = machine.read_small(&root.join(".git"))?;
    let folder = machine.resolve(&tidy(root.join(link.trim().strip_prefix("gitdir:")?.trim())));
    let own = Repository::around(project, machine)?;
    let registered = folder.parent()? == own.common.join("worktrees");
    let back = machine.read_small(&folder.join("gitdir"))?;
    let names_it = machine.resolve(Path::new(back.trim())) == machine.resolve(&root.join(".git"));
    (registered && names_it).then(|| root.to_owned())
}

/// The main checkout, if the project is a linked worktree.
fn main_checkout(project: &Path, machine: &dyn ReadOnlyWorld) -> Option<PathBuf> {
    let own = Repository::around(project, machine)?;
    (own.git_folder != own.common).then(|| own.common.parent().map(Path::to_owned)).flatten()
}

/// Adds what a session in a linked worktree does to the main checkout and to what all worktrees share.
pub(crate) fn note_reach(analysis: &mut Analysis<'_>) {
    let elsewhere = |effect: &crate::Effect| {
        effect.act.changes_path()
            && matches!(effect.place, Location::Outside | Location::Home | Location::Vcs | Location::Temp)
    };
    let stashes = |effect: &crate::Effect| effect.on.target.as_deref() == Some(STASH);
    if !analysis.effects.list.iter().any(|effect| elsewhere(effect) || stashes(effect)) {
        return;
    }
    let Some(main) = main_checkout(&analysis.around.project, analysis.machine) else { return };
    let project = analysis.around.project.clone();
    let is_in_main = |path: &Path| is_within(path, &main) && !is_within(path, &project);
    let reached: Vec<_> = analysis
        .effects
        .list
        .iter()
        .filter(|effect| {
            let path = effect.on.path.as_deref().map(crate::PathObject::real);
            stashes(effect) || effect.act.changes_path() && path.is_some_and(is_in_main)
        })
        .map(|effect| (effect.on.clone(), effect.place, effect.sure, effect.span))
        .collect();
    for (on, place, sure, span) in reached {
        let target = Some(on.target.unwrap_or_else(|| "main checkout".into()));
        analysis.add(Act::WorktreeReach, Object { target, ..on }, place, sure, span);
    }
}

/// The target of acts on the stash, which all worktrees of a repository share.
pub(crate) const STASH: &str = "stash";
