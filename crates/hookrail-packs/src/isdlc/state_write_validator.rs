use super::project::{Project, read_json};
use super::state::{WorkflowState, claims};
use crate::changes::may_change_files;
use crate::limits::QUICK;
use hookrail_core::display::{one_line, quoted};
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};
use hookrail_effects::{Act, Effect};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// So many projects of a monorepo are looked at when a whole folder was written.
const MAX_PROJECTS: usize = 200;

/// Warns about state that claims progress which was not made.
///
/// **What it catches.** After any tool has written `.isdlc/state.json` or `.isdlc/projects/<id>/state.json`, be it an edit, a
/// shell command or a tool of an MCP server: a constitutional validation, an elicitation or a test iteration that is
/// completed although its counter is below the minimum or missing; and, in a monorepo, a write to the root's state, which
/// belongs to no project.
///
/// **Why.** Gates look at the state. A model that is in a hurry writes what the gate wants to read.
///
/// **Caught:** `{"phases": {"06-implementation": {"constitutional_validation": {"completed": true, "iterations_used": 0}}}}`.
/// **Not caught:** the same with `"iterations_used": 1`, or with `"completed": false`; `src/state.json`; a command that only
/// reads the state, such as `jq . .isdlc/state.json`.
#[derive(Debug)]
pub struct StateWriteValidator;

impl NativeHook for StateWriteValidator {
    fn id(&self) -> &'static str {
        "isdlc/state-write-validator"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::AfterTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), may_wait: false, has_breaker: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        may_change_files(event)
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let mut warnings = Vec::new();
        for path in written_files(event, world)? {
            if let Some(written) = Written::recognise(&path, world) {
                warnings.extend(written.examine(world)?);
            }
        }
        if warnings.is_empty() {
            return Ok(Outcome::silent());
        }
        let text = warnings.join("\n");
        let advice =
            format!("{text}\nDo the missing work or correct the state; do not raise a counter for work not done.");
        Ok(Outcome::silent().with_message(&text).with_context(&advice))
    }
}

/// What a call has written: the files that it names, and the state files in folders that it wrote as a whole.
fn written_files(event: &Event, world: &dyn World) -> Result<BTreeSet<PathBuf>, HookError> {
    let Some(effects) = hookrail_effects::of(event, world) else { return Ok(BTreeSet::new()) };
    let writes: Vec<&Effect> = effects.list.iter().filter(|effect| brings_content(effect)).collect();
    let named = writes.iter().filter_map(|effect| effect.on.path.as_deref()).filter(|path| !path.pattern);
    let mut files: BTreeSet<PathBuf> = named.map(|path| path.real().to_owned()).collect();
    if !writes.is_empty()
        && let Some(project) = Project::find(event, world)?
    {
        let known = state_files(&project, world)?.into_iter().filter(|file| !matches!(world.kind(file), Ok(None)));
        files.extend(known.filter(|file| writes.iter().any(|effect| effect.touches(file))));
    }
    Ok(files)
}

/// What was deleted or moved away claims nothing.
fn brings_content(effect: &Effect) -> bool {
    matches!(effect.act, Act::FsWrite | Act::FsLink | Act::HostPersist)
}

/// Where a project keeps its state, links followed.
fn state_files(project: &Project, world: &dyn World) -> Result<Vec<PathBuf>, HookError> {
    let folder = project.root.join(".isdlc");
    let projects = folder.join("projects");
    let names = world.list(&projects)?.unwrap_or_default();
    let parts = names.into_iter().take(MAX_PROJECTS).map(|name| projects.join(name).join("state.json"));
    Ok(parts.chain([folder.join("state.json")]).map(|file| world.resolve(&file)).collect())
}

/// A state file that was written.
struct Written {
    path: PathBuf,
    project: Project,
    whose: StateOwner,
}

#[derive(PartialEq, Eq)]
enum StateOwner {
    Root,
    PartOfMonorepo,
}

impl Written {
    fn recognise(path: &Path, world: &dyn World) -> Option<Self> {
        let path = world.resolve(path);
        let names: Vec<_> = path.components().rev().take(4).map(|part| part.as_os_str().to_str()).collect();
        let (whose, above) = match names.as_slice() {
            [Some("state.json"), Some(".isdlc"), ..] => (StateOwner::Root, 2),
            [Some("state.json"), Some(_), Some("projects"), Some(".isdlc")] => (StateOwner::PartOfMonorepo, 4),
            _ => return None,
        };
        let root = path.ancestors().nth(above)?.to_owned();
        Some(Self { path, project: Project { root }, whose })
    }

    fn examine(&self, world: &dyn World) -> Result<Vec<String>, HookError> {
        let mut warnings = Vec::new();
        if self.whose == StateOwner::Root && world.kind(&self.project.monorepo_file())?.is_some() {
            warnings.push(format!(
                "State of a monorepo was written to {}; it belongs in .isdlc/projects/<project>/state.json",
                quoted(&self.path.to_string_lossy())
            ));
        }
        let Some(value) = read_json(&self.path, world)? else { return Ok(warnings) };
        let state = WorkflowState::new(value)?;
        let mut requirements = None;
        for (phase, record) in state.phases() {
            let inner = record.get("iteration_requirements");
            let within = |key: &str| inner.and_then(|inner| inner.get(key));
            check(
                &mut warnings,
                phase,
                "constitutional_validation",
                "iterations_used",
                record.get("constitutional_validation"),
                1.0,
            );
            check(&mut warnings, phase, "test_iteration", "current_iteration", within("test_iteration"), 1.0);
            if let Some(elicitation) = within("interactive_elicitation") {
                let requirements = match &mut requirements {
                    Some(read) => read,
                    none => none.insert(self.project.read_config("iteration-requirements.json", world)),
                };
                // Requirements that cannot be read ask for the least.
                let least =
                    requirements.as_ref().ok().and_then(Option::as_ref).map_or(1.0, |value| minimum(value, phase));
                check(&mut warnings, phase, "interactive_elicitation", "menu_interactions", Some(elicitation), least);
            }
        }
        Ok(warnings)
    }
}

fn check(warnings: &mut Vec<String>, phase: &str, what: &str, counter: &str, record: Option<&Value>, least: f64) {
    let Some(record) = record.filter(|record| record.get("completed").is_some_and(claims)) else { return };
    let value = record.get(counter);
    if value.and_then(count).is_some_and(|count| count >= least) {
        return;
    }
    let shown = value.map_or_else(|| "missing".to_owned(), shown);
    let phase = quoted(phase);
    warnings.push(format!("Phase {phase}: {what} is completed, but {counter} is {shown}; at least {least} is needed"));
}

/// A counter as it stands in the file, if it is short enough to be one.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 40;
    let text = value.to_string();
    if text.chars().count() > LONGEST { "not a number".to_owned() } else { one_line(&text).into_owned() }
}

/// A counter as models write it: a number, or one in quotes.
fn count(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn minimum(requirements: &Value, phase: &str) -> f64 {
    let elicitation =
        requirements.get("phase_requirements").and_then(|phases| phases.get(phase)?.get("interactive_elicitation"));
    elicitation.and_then(|elicitation| elicitation.get("min_menu_interactions")?.as_f64()).unwrap_or(1.0)
}

#[cfg(test)]
#[path = "state_write_validator_tests.rs"]
mod tests;
