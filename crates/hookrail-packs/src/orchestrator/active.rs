use super::plan::Plan;
use super::project::Project;
use super::state::{State, find_state};
use hookrail_core::{Event, HookError, World};
use std::path::PathBuf;

/// The plan a team works on, as far as it is written down.
#[derive(Clone, Debug)]
pub struct ActivePlan {
    pub project: Project,
    pub state: State,
    /// The plan's file.
    pub path: PathBuf,
    /// `None` if the file is gone.
    pub plan: Option<Plan>,
}

impl ActivePlan {
    /// `None` if nobody implements anything.
    pub fn find(event: &Event, world: &dyn World) -> Result<Option<Self>, HookError> {
        Self::of(Project::of(event, world)?, world)
    }

    pub fn of(project: Project, world: &dyn World) -> Result<Option<Self>, HookError> {
        let Some((_, state)) = find_state(&project, world)? else { return Ok(None) };
        let Some(path) = state.plan_path(&project, world) else { return Ok(None) };
        let plan = world.read(&path)?.map(|bytes| Plan::read(&String::from_utf8_lossy(&bytes)));
        Ok(Some(Self { project, state, path, plan }))
    }

    /// Title, progress, team and worktrees in sentences; `None` if there is no plan to sum up.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let plan = self.plan.as_ref()?;
        let (state, tasks) = (&self.state, &plan.tasks);
        let mut text = format!("Plan: {} ({}).", plan.name(&self.path), state.active_plan);
        for (label, value) in [("Team", &state.team), ("Slug", &state.slug)] {
            if !value.is_empty() {
                text.push_str(&format!(" {label}: {value}."));
            }
        }
        text.push_str(&format!(
            " Progress: {}/{} tasks complete, {} in-progress, {} pending, {} blocked, {} escalated{}.",
            tasks.complete,
            tasks.total(),
            tasks.in_progress,
            tasks.pending,
            tasks.blocked,
            tasks.escalated,
            if tasks.escalated > 0 { " (a person has to decide)" } else { "" },
        ));
        if !state.worktrees.is_empty() {
            let named = state.worktrees.iter().map(|(service, path)| match service.as_str() {
                "_all" => path.display().to_string(),
                service => format!("{service} = {}", path.display()),
            });
            text.push_str(&format!(" Worktrees: {}.", named.collect::<Vec<_>>().join(", ")));
        } else if plan.describes_worktrees {
            text.push_str(" The plan's section about worktrees says where to work.");
        }
        Some(text)
    }
}
