use super::plan::Plan;
use super::project::Project;
use super::state::{OrchestratorState, find_state};
use hookrail_core::display::one_line;
use hookrail_core::{Event, HookError, World};
use std::path::PathBuf;

/// The plan a team works on, as far as it is written down.
#[derive(Clone, Debug)]
pub struct ActivePlan {
    pub project: Project,
    pub state: OrchestratorState,
    /// The plan's file.
    pub path: PathBuf,
    /// `None` if the file is gone.
    pub plan: Option<Plan>,
}

impl ActivePlan {
    /// `None` if no plan is being implemented.
    pub fn find(event: &Event, world: &dyn World) -> Result<Option<Self>, HookError> {
        Self::of(Project::of(event, world)?, world)
    }

    pub fn of(project: Project, world: &dyn World) -> Result<Option<Self>, HookError> {
        let Some((_, state)) = find_state(&project, world)? else { return Ok(None) };
        let Some(path) = state.plan_path(&project, world) else { return Ok(None) };
        let plan = world.read(&path)?.map(|bytes| Plan::read(&String::from_utf8_lossy(&bytes)));
        Ok(Some(Self { project, state, path, plan }))
    }

    /// What to call the plan, and its path, each on one line.
    #[must_use]
    pub fn name_and_path(&self) -> Option<(String, String)> {
        let name = self.plan.as_ref()?.name(&self.path);
        Some((one_line(&name).into_owned(), one_line(&self.state.active_plan).into_owned()))
    }

    /// How far it is, in the document's words: `2/6 tasks complete, 1 in-progress, 1 pending. 1 blocked.` A plan in which
    /// no task can be read says so.
    #[must_use]
    pub fn progress(&self) -> Option<String> {
        let plan = self.plan.as_ref()?;
        let tasks = &plan.tasks;
        let mut text = format!(
            "{}/{} tasks complete, {} in-progress, {} pending.",
            tasks.complete,
            tasks.total(),
            tasks.in_progress,
            tasks.pending,
        );
        if tasks.blocked > 0 {
            text.push_str(&format!(" {} blocked.", tasks.blocked));
        }
        if tasks.escalated > 0 {
            text.push_str(&format!(" {} escalated (needs human).", tasks.escalated));
        }
        if let Some(problem) = plan.problem() {
            text.push_str(&format!(" ({problem})"));
        }
        Some(text)
    }

    /// Team, slug and worktrees: what the document does not ask for, but an agent without memory needs.
    #[must_use]
    pub fn team(&self) -> String {
        let state = &self.state;
        let mut parts = Vec::new();
        for (label, value) in [("Team", &state.team), ("Slug", &state.slug)] {
            if !value.is_empty() {
                parts.push(format!("{label}: {}.", one_line(value)));
            }
        }
        if !state.worktrees.is_empty() {
            let named = state.worktrees.iter().map(|(service, path)| {
                let path = path.to_string_lossy();
                match service.as_str() {
                    "_all" => one_line(&path).into_owned(),
                    service => format!("{} = {}", one_line(service), one_line(&path)),
                }
            });
            parts.push(format!("Worktrees: {}.", named.collect::<Vec<_>>().join(", ")));
        }
        parts.join(" ")
    }

    /// All of it on one line, for a person; `None` if there is no plan to sum up.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let (name, path) = self.name_and_path()?;
        Some(format!("Plan: {name} ({path}). {} Progress: {}", self.team(), self.progress()?))
    }
}
