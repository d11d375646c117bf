//! The state file: which plan a team works on at the moment.

use super::project::{FOLDERS, Project, stays_inside};
use hookrail_core::display::{one_line, quoted};
use hookrail_core::{HookError, Relocation, World};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The state file's name in each of [`FOLDERS`].
const FILES: [&str; 2] = ["orchestrator-state.json", "state.json"];

/// An implementation that is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrchestratorState {
    /// As written: relative to the project, or absolute.
    pub active_plan: String,
    pub slug: String,
    pub team: String,
    /// RFC 3339
    pub started: String,
    /// By service; `_all` for a single one.
    pub worktrees: Vec<(String, PathBuf)>,
}

/// Why the state could not be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    #[error(
        "team {} has been working on {} since {}\nhint: wait for it, or run `hookrail orchestrator end` if it is gone",
        quoted(team),
        quoted(plan),
        one_line(started)
    )]
    Taken { team: String, plan: String, started: String },
    #[error("{} is there already and cannot be read\nhint: run `hookrail orchestrator end` to remove it", quoted(&.0.to_string_lossy()))]
    Unreadable(PathBuf),
    #[error("the active team is {}, not {}\nhint: see `hookrail orchestrator status`", quoted(active), quoted(asked))]
    OtherTeam { active: String, asked: String },
    #[error(transparent)]
    Machine(#[from] HookError),
}

impl OrchestratorState {
    /// `None` for what is no state: broken JSON, or no plan in it.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let active_plan = text("active_plan");
        let worktrees = fields.get("worktrees").map(worktrees).unwrap_or_default();
        let state = Self { active_plan, slug: text("slug"), team: text("team"), started: text("started"), worktrees };
        (!state.active_plan.is_empty()).then_some(state)
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        let worktrees: Map<String, Value> =
            self.worktrees.iter().map(|(service, path)| (service.clone(), json!(path))).collect();
        json!({
            "active_plan": self.active_plan,
            "slug": self.slug,
            "team": self.team,
            "started": self.started,
            "worktrees": worktrees,
        })
    }

    /// The plan's file: absolute, or relative without `..`; inside of the project or one of its worktrees (errata D16).
    #[must_use]
    pub fn plan_path(&self, project: &Project, world: &dyn World) -> Option<PathBuf> {
        let plan = Path::new(&self.active_plan);
        if plan.is_absolute() {
            let homes = project.roots().into_iter().chain(self.worktrees.iter().map(|(_, path)| path.as_path()));
            return homes.filter_map(|home| plan.strip_prefix(home).ok()).any(stays_inside).then(|| plan.to_owned());
        }
        let candidates = [project.main.join(plan), project.root.join(plan)];
        let there = |path: &&PathBuf| world.kind(path).ok().flatten().is_some();
        stays_inside(plan).then(|| candidates.iter().find(there).or(candidates.first()).cloned())?
    }
}

/// A map by service, or a lone path.
fn worktrees(value: &Value) -> Vec<(String, PathBuf)> {
    match value {
        Value::Object(services) => {
            services.iter().filter_map(|(name, path)| Some((name.clone(), path.as_str()?.into()))).collect()
        }
        Value::String(path) if !path.is_empty() => vec![("_all".to_owned(), path.into())],
        _ => Vec::new(),
    }
}

/// The state of a project, or of the repository it is a worktree of, and the file it was read from. A file that cannot be
/// understood is no state.
pub fn find_state(project: &Project, world: &dyn World) -> Result<Option<(PathBuf, OrchestratorState)>, HookError> {
    for root in project.roots() {
        for path in files(root) {
            if let Some(state) = world.read(&path)?.and_then(|bytes| OrchestratorState::parse(&bytes)) {
                return Ok(Some((path, state)));
            }
        }
    }
    Ok(None)
}

fn files(root: &Path) -> [PathBuf; 2] {
    let [(old, old_file), (new, new_file)] = [(FOLDERS[0], FILES[0]), (FOLDERS[1], FILES[1])];
    [root.join(old).join(old_file), root.join(new).join(new_file)]
}

/// Writes the state, whole and only if no other team has begun. Returns where it lies: always in the main repository.
pub fn begin(project: &Project, state: &OrchestratorState, world: &dyn World) -> Result<PathBuf, StateError> {
    refuse_second(project, world)?;
    let [old, new] = files(&project.main);
    let modern = world.kind(&project.main.join(FOLDERS[1]))?.is_some();
    let path = if modern { new } else { old };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.{}-{}.begin", std::process::id(), world.now_millis()));
    world.write(&draft, format!("{:#}\n", state.to_json()).as_bytes())?;
    // A file never replaces another by this, so of two that begin at once one finds the other's.
    let moved = world.relocate(&draft, &path);
    if moved != Ok(Relocation::Done) {
        world.remove(&draft)?;
    }
    match moved? {
        Relocation::Done => Ok(path),
        Relocation::Taken | Relocation::Gone => {
            refuse_second(project, world)?;
            Err(StateError::Unreadable(path))
        }
    }
}

fn refuse_second(project: &Project, world: &dyn World) -> Result<(), StateError> {
    if let Some((_, state)) = find_state(project, world)? {
        return Err(StateError::Taken { team: state.team, plan: state.active_plan, started: state.started });
    }
    for path in project.roots().into_iter().flat_map(files) {
        if world.kind(&path)?.is_some() {
            return Err(StateError::Unreadable(path));
        }
    }
    Ok(())
}

/// Removes the state, if it is this team's; whatever lies there if no team is named. Returns what was removed.
pub fn end(project: &Project, team: Option<&str>, world: &dyn World) -> Result<Vec<PathBuf>, StateError> {
    let active = find_state(project, world)?;
    if let (Some(asked), Some((_, state))) = (team, &active)
        && state.team != asked
    {
        return Err(StateError::OtherTeam { active: state.team.clone(), asked: asked.to_owned() });
    }
    let mut removed = Vec::new();
    for path in project.roots().into_iter().flat_map(files) {
        if world.kind(&path)?.is_some() {
            world.remove(&path)?;
            removed.push(path);
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    const OLD: &str = "/p/.claude/orchestrator-state.json";
    const NEW: &str = "/p/.project-orchestrator/state.json";

    fn project() -> Project {
        Project { root: "/p".into(), main: "/p".into() }
    }

    fn state(team: &str) -> OrchestratorState {
        OrchestratorState {
            active_plan: "docs/plan.md".to_owned(),
            team: team.to_owned(),
            ..OrchestratorState::default()
        }
    }

    #[test]
    fn what_is_no_state_is_none() {
        for (text, expected) in [
            (r#"{"active_plan": "a.md"}"#, true),
            (r#"{"active_plan": ""}"#, false),
            (r#"{"active_plan": 3}"#, false),
            (r#"{"active_pl"#, false),
            ("[]", false),
            ("", false),
        ] {
            assert_eq!(OrchestratorState::parse(text.as_bytes()).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn worktrees_come_by_service_or_alone() {
        for (value, expected) in [
            (json!({"api": "/w/api", "web": "/w/web"}), vec![("api", "/w/api"), ("web", "/w/web")]),
            (json!({"_all": "/w"}), vec![("_all", "/w")]),
            (json!("/w"), vec![("_all", "/w")]),
            (json!({}), vec![]),
            (json!({"api": 3}), vec![]),
            (Value::Null, vec![]),
        ] {
            let expected: Vec<(String, PathBuf)> =
                expected.iter().map(|(service, path)| ((*service).to_owned(), PathBuf::from(path))).collect();
            assert_eq!(worktrees(&value), expected, "{value}");
        }
    }

    #[test]
    fn a_plan_lies_inside_of_the_project() {
        let world = FakeWorld::new();
        for (plan, expected) in [
            ("docs/a.md", Some("/p/docs/a.md")),
            ("./docs/a.md", Some("/p/docs/a.md")),
            ("/p/docs/a.md", Some("/p/docs/a.md")),
            ("/w/api/a.md", Some("/w/api/a.md")),
            ("../a.md", None),
            ("docs/../../a.md", None),
            ("/p/../etc/passwd", None),
            ("/etc/passwd", None),
        ] {
            let state = OrchestratorState { worktrees: vec![("api".to_owned(), "/w/api".into())], ..state("t") };
            let state = OrchestratorState { active_plan: plan.to_owned(), ..state };
            assert_eq!(state.plan_path(&project(), &world), expected.map(PathBuf::from), "{plan}");
        }
    }

    #[test]
    fn a_second_team_is_refused_with_the_first_one_named() {
        let world = FakeWorld::new();
        assert_eq!(begin(&project(), &state("one"), &world), Ok(OLD.into()));
        let refused = begin(&project(), &state("two"), &world).unwrap_err().to_string();
        assert!(refused.starts_with("team `one` has been working on `docs/plan.md`"), "{refused}");
        assert!(end(&project(), Some("two"), &world).is_err());
        assert_eq!(end(&project(), Some("one"), &world), Ok(vec![OLD.into()]));
        assert_eq!(end(&project(), None, &world), Ok(vec![]));
    }

    #[test]
    fn the_state_lies_where_the_project_keeps_its_orchestration() {
        let world = FakeWorld::new().file("/p/.project-orchestrator/project.yml", "");
        assert_eq!(begin(&project(), &state("one"), &world), Ok(NEW.into()));
        let broken = FakeWorld::new().file(NEW, "{");
        assert_eq!(begin(&project(), &state("one"), &broken), Err(StateError::Unreadable(NEW.into())));
    }
}
