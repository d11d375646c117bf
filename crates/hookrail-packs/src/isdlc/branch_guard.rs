use super::project::Project;
use crate::changes::{may_change_files, question_about_unread};
use crate::limits::THOROUGH;
use hookrail_core::display::one_line;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};
use hookrail_effects::{Effect, Effects, GapReason, Head, Repository, WorldReader};
use serde_json::Value;
use std::path::PathBuf;

/// Keeps commits off the main branch while a workflow has a branch of its own.
///
/// **What it catches.** Whatever would leave `main` or `master` (or what `[isdlc] protected_branches` lists) of the workflow's
/// repository at another commit: `commit`, `merge`, `cherry-pick`, `revert`, `am`, `rebase`, `pull`, `reset`, `update-ref`,
/// `branch -f`, a fetch or push of another branch to that name, and writes to git's own files, by any tool and however it is
/// written: after `cd`, with `-C`, `--git-dir` or `GIT_DIR`, through an alias, in a worktree, in a script of the project. The
/// branch is the one that is checked out then: a `switch` before counts if it happens.
///
/// **Why.** What is on the main branch has not gone through the workflow's gates.
///
/// **Caught:** `git add -A && git commit -m x` on `main`; `git switch feature/x || git commit -m x`, which commits where the
/// switch fails.
/// **Not caught:** `git switch feature/x && git commit -m x`, `echo "git commit"`, `git commit --dry-run`, `git push origin
/// main`.
#[derive(Debug)]
pub struct BranchGuard;

const PROTECTED: [&str; 2] = ["main", "master"];

impl NativeHook for BranchGuard {
    fn id(&self) -> &'static str {
        "isdlc/branch-guard"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(THOROUGH), may_wait: false, has_breaker: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        // A tool that writes files moves a branch only in git's own.
        let written = event.tool.as_ref().map_or(&[][..], |tool| tool.touched_paths());
        may_change_files(event) && (written.is_empty() || written.iter().any(|path| path.contains(".git")))
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let Some(effects) = hookrail_effects::of(event, world) else { return Ok(Outcome::silent()) };
        // Most calls have nothing to do with branches.
        if !concerns_git(&effects) {
            return Ok(Outcome::silent());
        }
        let Some(project) = Project::find(event, world)? else { return Ok(Outcome::silent()) };
        let Some((_, state)) = project.read_state(event, world)? else { return Ok(Outcome::silent()) };
        let workflow = state.workflow()?;
        let Some(own) = workflow.and_then(|workflow| workflow.active_branch()) else { return Ok(Outcome::silent()) };
        let machine = WorldReader(world);
        let Some(repository) = Repository::around(&project.root, &machine) else { return Ok(Outcome::silent()) };
        // A branch that was merged and deleted cannot be switched to (errata E12).
        if !repository.has_branch(own.name, &machine) {
            return Ok(Outcome::silent());
        }
        let mut protected = protected_branches(world);
        protected.retain(|name| name != own.name);
        if let Some(branch) = protected.iter().find(|branch| lands_on(&effects, &repository, branch)) {
            return Ok(Outcome::deny(&refusal(branch, own.name)));
        }
        if let Some(question) = question_about_unread(&effects, "a protected branch") {
            return Ok(question);
        }
        let current = match repository.head(&machine) {
            Head::Branch(name) => protected.into_iter().find(|branch| *branch == name),
            Head::Detached | Head::Unknown => None,
        };
        let unclear = current.filter(|_| is_unclear(&effects));
        Ok(unclear.map_or_else(Outcome::silent, |branch| Outcome::ask(&question(&branch, own.name))))
    }
}

/// Whether a call does anything to branches, or to files of git.
fn concerns_git(effects: &Effects) -> bool {
    let moves = effects.list.iter().any(|effect| effect.on.moves.is_some() && !effect.unmet);
    moves
        || effects.over_limit()
        || is_unclear(effects)
        || effects.changed_paths().any(|(_, path)| {
            path.recursive || path.pattern || path.real().components().any(|part| part.as_os_str() == ".git")
        })
}

/// Whether a call of git does something that only its run time tells.
fn is_unclear(effects: &Effects) -> bool {
    effects.gaps.iter().any(|gap| gap.why == GapReason::DynamicCode && &*gap.program == "git")
}

/// Whether a call leaves a branch of a repository at another commit: through git, or in the files that say where it is.
fn lands_on(effects: &Effects, repository: &Repository, branch: &str) -> bool {
    let mut moved = effects.list.iter().filter(|effect| !effect.unmet).filter_map(|effect| effect.on.moves.as_deref());
    if moved.any(|moved| {
        moved.repository == repository.common && matches!(&*moved.branch, name if name == branch || name == "*")
    }) {
        return true;
    }
    let files: [PathBuf; 2] =
        [repository.common.join("refs/heads").join(branch), repository.common.join("packed-refs")];
    // A pattern of any depth is about the files of the project, unless it says otherwise.
    let means_git = |effect: &Effect| {
        effect.on.path.as_deref().is_some_and(|path| {
            let text = path.resolved.to_string_lossy();
            !(path.pattern && text.contains("**")) || text.contains("/.git/")
        })
    };
    files.iter().any(|file| effects.touching(file).any(means_git))
}

/// What is asked where the text does not tell what git does.
fn question(branch: &str, own: &str) -> String {
    let (branch, own) = (one_line(branch), one_line(own));
    format!(
        "This runs git with a command that is only known at run time, on {branch}, to which nothing may be committed while \
         the workflow is on {own}. If it commits nothing, a person may allow it; else write the command out"
    )
}

/// The document's sentence and the way out. A name in which a shell would read more than a name is not put into a command.
fn refusal(branch: &str, own: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '#' | '+' | '@');
    let how = if own.chars().all(plain) { format!("run `git switch {own}`, then") } else { "switch, then".to_owned() };
    let (branch, own) = (one_line(branch), one_line(own));
    format!(
        "Cannot commit to {branch} during active workflow. Switch to branch {own} first.\n\
         Do not retry on {branch}: {how} commit there."
    )
}

/// The configured list, else the usual two.
fn protected_branches(world: &dyn World) -> Vec<String> {
    let configured =
        world.settings("isdlc").and_then(|table| table.get("protected_branches")).and_then(Value::as_array);
    configured.map_or_else(
        || PROTECTED.map(str::to_owned).to_vec(),
        |names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    )
}
