use super::commits::find_commits;
use super::project::Project;
use crate::limits::THOROUGH;
use crate::repository::Repository;
use hookrail_core::display::one_line;
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, ToolKind, World};
use serde_json::Value;
use std::time::Duration;

/// Keeps commits off the main branch while a workflow has a branch of its own.
///
/// **What it catches.** A shell command that would commit to `main` or `master` (or what `[isdlc] protected_branches`
/// lists) in the repository of the workflow, however the commit is written: after `cd`, with `-C` or `--git-dir`, through
/// an alias, in a subshell. The branch is the one the commit would land on, after a `checkout` or `switch` before it.
///
/// **Why.** What is on the main branch has not gone through the workflow's gates.
///
/// **Caught:** `git add -A && git commit -m x` on `main`.
/// **Not caught:** `git switch feature/x && git commit -m x`, `echo "git commit"`, `git commit --dry-run`.
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

    fn timeout(&self) -> Option<Duration> {
        Some(THOROUGH)
    }

    fn concerns(&self, event: &Event) -> bool {
        let Some(ToolKind::Shell { command, .. }) = event.tool.as_ref().map(|tool| &tool.kind) else { return false };
        // As the shell sees it, `g\it` and `"git"` are git.
        let bare: String = command.chars().filter(|c| !matches!(c, '\\' | '\'' | '"')).collect();
        bare.contains("git")
    }

    fn has_breaker(&self) -> bool {
        false
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let Some(ToolKind::Shell { command, cwd }) = event.tool.as_ref().map(|tool| &tool.kind) else {
            return Ok(Outcome::silent());
        };
        let cwd = cwd.as_deref().map_or_else(|| event.cwd.clone(), |cwd| event.cwd.join(cwd));
        let commits = find_commits(command, &cwd, world)?;
        if commits.is_empty() {
            return Ok(Outcome::silent());
        }
        let Some(project) = Project::find(event, world)? else { return Ok(Outcome::silent()) };
        let Some((_, state)) = project.read_state(event, world)? else { return Ok(Outcome::silent()) };
        let workflow = state.workflow()?;
        let Some(own) = workflow.and_then(|workflow| workflow.active_branch()) else { return Ok(Outcome::silent()) };
        let Some(repository) = Repository::around(&project.root, world)? else { return Ok(Outcome::silent()) };
        // A branch that was merged and deleted cannot be switched to (errata E12).
        if !repository.has_branch(own.name, world)? {
            return Ok(Outcome::silent());
        }
        let protected = protected_branches(world);
        // Other repositories are nobody's business here.
        let landing = commits.iter().filter(|commit| commit.repository.common_dir == repository.common_dir);
        let mut branches = landing.filter_map(|commit| commit.branch.as_deref());
        let hit = branches.find(|branch| *branch != own.name && protected.iter().any(|name| name == branch));
        Ok(hit.map_or_else(Outcome::silent, |branch| Outcome::deny(&refusal(branch, own.name))))
    }
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
