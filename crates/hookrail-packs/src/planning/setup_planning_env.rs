use super::feature::kind_behind;
use super::input::{Finding, HookSwitch, PlanningInput, decide};
use super::lock::Lock;
use super::log::one_line;
use crate::limits::THOROUGH;
use hookrail_core::{Event, EventName, FileKind, HookError, HookProfile, NativeHook, Outcome, World};
use std::path::Path;

const PART: HookSwitch = HookSwitch { log_name: "H13_env_setup", flag: None };

/// H13: finds out at the start of a session what is planned where.
///
/// **Why:** branch, folder and prerequisites can be read off the project; a model that looks for them itself takes longer and
/// errs.
///
/// **Catches:** every start of a session. The model is told branch, feature folder, specification, constitution, state, phase
/// and the session id that a planner has to write into its lock; shell commands of the session find them as `PLANNING_…` variables, where the agent has a file for that
/// (`CLAUDE_ENV_FILE`). Every value is quoted: a branch may be called `$(rm -rf ~)`.
///
/// **Leaves alone:** whatever else is in that file. Other hooks look for themselves, so nothing grows old when the branch
/// changes (errata C16).
#[derive(Debug)]
pub struct SetupPlanningEnv;

impl NativeHook for SetupPlanningEnv {
    fn id(&self) -> &'static str {
        "planning/setup-planning-env"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::SessionStart]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(THOROUGH), ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        decide(&PART, event, world, look)
    }
}

/// What was found; texts are empty where there is nothing.
#[derive(Default)]
struct Environment {
    branch: String,
    feature_folder: String,
    has_specification: bool,
    has_constitution: bool,
    has_state: bool,
    phase: String,
    mode: String,
    /// What a planner has to write into the lock, unless it stands there already.
    session: String,
}

fn look(scene: &PlanningInput<'_>) -> Result<Finding, HookError> {
    let mut found = Environment::default();
    let explored = explore(scene, &mut found);
    // Whatever could be found out is worth having, even if something could not.
    if let Some(file) = scene.world.env("CLAUDE_ENV_FILE").filter(|file| !file.trim().is_empty()) {
        scene.world.append(&scene.event.cwd.join(file), &found.to_shell())?;
    }
    explored?;
    let summary = found.summary();
    Ok(Finding::new("SETUP", summary.clone(), Outcome::silent().with_context(&summary)))
}

fn explore(scene: &PlanningInput<'_>, found: &mut Environment) -> Result<(), HookError> {
    let world = scene.world;
    "unknown".clone_into(&mut found.branch);
    let checkout = scene.checkout()?;
    if let Some(branch) = &checkout.branch {
        branch.clone_into(&mut found.branch);
    }
    found.has_constitution = is_file(&checkout.root.join("specs/constitution.md"), world)?;
    let Some(feature) = checkout.feature(world) else { return Ok(()) };
    found.feature_folder = feature.folder.display().to_string();
    found.has_specification = is_file(&feature.specification(), world)?;
    found.has_state = world.kind(&feature.state_file())?.is_some();
    if !Lock::of(&feature, world)?.is_some_and(|lock| lock.names(&scene.event.session_id)) {
        found.session.clone_from(&scene.event.session_id);
    }
    if let Some(state) = feature.read_state(world)? {
        found.phase = state.phase().map(|phase| phase.to_string()).unwrap_or_default();
        found.mode = state.mode();
    }
    Ok(())
}

fn is_file(path: &Path, world: &dyn World) -> Result<bool, HookError> {
    Ok(kind_behind(path, world)? == Some(FileKind::File))
}

impl Environment {
    /// Lines for a POSIX shell.
    fn to_shell(&self) -> String {
        let variables = [
            ("BRANCH", self.branch.as_str()),
            ("FEATURE_DIR", &self.feature_folder),
            ("SPEC_EXISTS", word(self.has_specification)),
            ("CONSTITUTION_EXISTS", word(self.has_constitution)),
            ("STATE_EXISTS", word(self.has_state)),
            ("CURRENT_PHASE", &self.phase),
            ("CURRENT_MODE", &self.mode),
        ];
        variables.iter().map(|(name, value)| format!("export PLANNING_{name}={}\n", shell_quoted(value))).collect()
    }

    fn summary(&self) -> String {
        let shown = |text: &str| match text {
            "" => "none".to_owned(),
            text => one_line(text, 300),
        };
        let mut summary = format!(
            "Planning environment detected: branch={}, feature_dir={}, state={}, phase={}, spec={}, constitution={}",
            shown(&self.branch),
            shown(&self.feature_folder),
            word(self.has_state),
            shown(&self.phase),
            word(self.has_specification),
            word(self.has_constitution),
        );
        if !self.session.is_empty() {
            summary.push_str(&format!(
                ", session={} (write it into `.planning.lock` as `session_id`)",
                shown(&self.session)
            ));
        }
        summary
    }
}

fn word(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// A word that no shell looks into (errata C60).
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\0', "").replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::super::test_events::event;
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    fn start(world: &FakeWorld) -> Result<String, HookError> {
        let output = SetupPlanningEnv.check(&event("/p"), world)?.into_output().unwrap_or_default();
        Ok(output.additional_context().unwrap_or_default().to_owned())
    }

    fn world(head: &str) -> FakeWorld {
        FakeWorld::new().file("/p/.git/HEAD", head).env("CLAUDE_ENV_FILE", "/env.sh").file("/env.sh", "export A=1\n")
    }

    #[test]
    fn what_is_planned_where_is_found_and_told() {
        // covers: H13
        let world = world("ref: refs/heads/feature/x\n")
            .file("/p/specs/x/spec.md", "")
            .file("/p/specs/constitution.md", "")
            .file("/p/specs/x/.planning-state.local.md", "---\nphase: RESEARCH\nmode: complete\n---\n");
        let told = "Planning environment detected: branch=feature/x, feature_dir=/p/specs/x, state=true, phase=RESEARCH, \
                    spec=true, constitution=true, session=abc (write it into `.planning.lock` as `session_id`)";
        assert_eq!(start(&world).as_deref(), Ok(told));
        let lines = "export A=1\nexport PLANNING_BRANCH='feature/x'\nexport PLANNING_FEATURE_DIR='/p/specs/x'\n\
                     export PLANNING_SPEC_EXISTS='true'\nexport PLANNING_CONSTITUTION_EXISTS='true'\n\
                     export PLANNING_STATE_EXISTS='true'\nexport PLANNING_CURRENT_PHASE='RESEARCH'\n\
                     export PLANNING_CURRENT_MODE='complete'\n";
        assert_eq!(world.text("/env.sh"), lines);
    }

    #[test]
    fn without_a_repository_or_an_environment_file_it_goes_on() {
        // covers: H13
        let told = "Planning environment detected: branch=unknown, feature_dir=none, state=false, phase=none, spec=false, \
                    constitution=false";
        assert_eq!(start(&FakeWorld::new()).as_deref(), Ok(told));
        let detached = world("0123456789abcdef\n");
        assert_eq!(start(&detached).as_deref(), Ok(told));
        assert!(detached.text("/env.sh").contains("PLANNING_BRANCH='unknown'\nexport PLANNING_FEATURE_DIR=''\n"));
    }

    #[test]
    fn a_broken_state_is_an_error_and_the_rest_is_written_all_the_same() {
        // covers: H13
        let world = world("ref: refs/heads/feature/x\n").file("/p/specs/x/.planning-state.local.md", "nothing");
        assert!(start(&world).is_err());
        assert!(world.text("/env.sh").contains("PLANNING_STATE_EXISTS='true'\nexport PLANNING_CURRENT_PHASE=''\n"));
        let linked = FakeWorld::new().env("CLAUDE_ENV_FILE", "/env.sh").link("/env.sh", "/home/.bashrc");
        assert!(start(&linked).is_err(), "a link is not followed");
    }

    #[test]
    fn a_value_is_one_word_for_a_shell() {
        // covers: H13
        for (text, expected) in [
            ("", "''"),
            ("feature/x", "'feature/x'"),
            ("$(touch x)`y`\"z\"", "'$(touch x)`y`\"z\"'"),
            ("it's", r"'it'\''s'"),
            ("a\nb", "'a\nb'"),
            ("a\0b", "'ab'"),
        ] {
            assert_eq!(shell_quoted(text), expected);
        }
    }
}
