use super::project::{Project, stays_inside};
use super::scope::Scope;
use super::state::{OrchestratorState, find_state};
use crate::changes::{FolderSearch, question_about_unread};
use hookrail_core::display::{one_line, quoted};
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, ToolKind, World};
use hookrail_effects::{Effect, Location, PathObject};
use std::path::{Path, PathBuf};

/// Where a team's scope file lies in a project.
const FOLDER: &str = ".claude/hooks/scopes";
/// What names the agent that wants to write, the most exact first.
const NAMES: [&str; 4] = ["teammate_name", "agent_name", "agent_type", "agent_id"];

/// Keeps each agent of a team in its part of the project.
///
/// **What it catches.** Whatever would write, delete, move or link a path that the team's scope file does not leave to this
/// agent, by any tool and however the path is spelled: relative, through `..`, through a link, in a worktree, after `cd`.
///
/// **Why.** Agents that work side by side must not overwrite each other.
///
/// **Caught:** `Edit src/web/app.ts` by `api-dev`, whose entry is `{"allow": ["src/api/"]}`.
/// **Not caught:** `Edit src/api/users.rs` by the same; everything while no plan is active or the team has no scope file.
#[derive(Debug)]
pub struct ScopeProtection;

impl NativeHook for ScopeProtection {
    fn id(&self) -> &'static str {
        "orchestrator/scope-protection"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool, EventName::PermissionRequest]
    }

    fn concerns(&self, event: &Event) -> bool {
        event.tool.as_ref().is_some_and(|tool| match &tool.kind {
            ToolKind::Shell { .. } | ToolKind::Mcp { .. } => true,
            _ => !tool.touched_paths().is_empty(),
        })
    }

    fn profile(&self) -> HookProfile {
        HookProfile { may_wait: false, ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let project = Project::of(event, world)?;
        let Some((_, state)) = find_state(&project, world)? else { return Ok(Outcome::silent()) };
        let Some((name, file)) = scope_file(&project, &state, world)? else { return Ok(Outcome::silent()) };
        let names: Vec<&str> = NAMES.iter().filter_map(|name| event.text(name)).collect();
        let scope = match Scope::find(&file, &names) {
            Ok(Some(scope)) => scope,
            Ok(None) => return Ok(Outcome::silent()),
            Err(error) => {
                let message = format!("{} protects nothing: {}", quoted(&name), one_line(&error));
                return Ok(Outcome::silent().with_message(&message));
            }
        };
        let roots = roots(&project, &state, world);
        let Some(effects) = hookrail_effects::of(event, world) else { return Ok(Outcome::silent()) };
        // What is only known at run time is in no agent's part.
        let known = effects.changed_paths().filter(|(effect, _)| effect.place != Location::Unknown);
        for (effect, path) in known {
            if !permits(&scope, effect, path, &roots, world) {
                let agent = names.first().copied().unwrap_or("this agent");
                return Ok(Outcome::deny(&format!(
                    "{} is outside the scope of {} in team {} ({}). Do not try another way: change only files of your \
                     scope, and ask the lead if this one has to change",
                    quoted(&path.written),
                    one_line(agent),
                    quoted(&state.team),
                    quoted(&name)
                )));
            }
        }
        Ok(question_about_unread(&effects, "files outside of this agent's scope").unwrap_or_else(Outcome::silent))
    }
}

/// The team's scope file: its name for people, and its content.
fn scope_file(
    project: &Project,
    state: &OrchestratorState,
    world: &dyn World,
) -> Result<Option<(String, Vec<u8>)>, HookError> {
    let team = Path::new(&state.team);
    if !stays_inside(team) || team.components().count() != 1 {
        return Ok(None);
    }
    let name = format!("{FOLDER}/{}.json", state.team);
    for root in project.roots() {
        if let Some(content) = world.read(&root.join(&name))? {
            return Ok(Some((name, content)));
        }
    }
    Ok(None)
}

/// Whether a scope leaves a change to its agent: the path itself, and what is denied below it.
fn permits(scope: &Scope, effect: &Effect, path: &PathObject, roots: &[PathBuf], world: &dyn World) -> bool {
    if !scope.permits(relative(path.real(), roots).as_deref()) {
        return false;
    }
    let reaches = path.recursive || path.pattern || effect.act.reaches_below();
    let denied = |entry: &Path| scope.denies(relative(entry, roots).as_deref()) && effect.touches(entry);
    !(reaches && scope.has_denied() && FolderSearch::default().find_below(path.real(), world, denied).is_possible())
}

/// The folders that patterns are relative to.
fn roots(project: &Project, state: &OrchestratorState, world: &dyn World) -> Vec<PathBuf> {
    let worktrees = state.worktrees.iter().map(|(_, path)| path.as_path());
    project.roots().into_iter().chain(worktrees).map(|root| world.resolve(root)).collect()
}

/// A path within the innermost of the roots it is in: a worktree may lie in its repository.
fn relative(path: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    roots
        .iter()
        .filter_map(|root| path.strip_prefix(root).ok())
        .min_by_key(|rest| rest.components().count())
        .map(Path::to_owned)
}
