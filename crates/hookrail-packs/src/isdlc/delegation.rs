//! Which calls of an agent hand a phase over.

use super::project::Project;
use super::state::{State, Workflow};
use super::words::{bare_name, first_line, position_of_phase, words};
use hookrail_core::{Event, HookError, ToolKind, World};
use serde_json::Value;

/// Agents without a trade of their own: what they are for stands in the prompt.
const GENERALISTS: [&str; 2] = ["", "general-purpose"];
/// Commands that prepare a project and belong to no phase.
const SETUP_COMMANDS: [&str; 8] =
    ["discover", "init", "setup", "install", "status", "configure", "constitution", "provider"];
/// What `phase` says of agents that belong to no phase.
const NO_PHASE: [&str; 2] = ["setup", "all"];

/// Whether a call starts an agent on behalf of the main conversation. One that comes from inside a subagent is that
/// agent's own affair (errata E3).
pub(super) fn is_orchestrators_call(event: &Event) -> bool {
    let starts_agent = event.tool.as_ref().is_some_and(|tool| matches!(tool.kind, ToolKind::Subagent { .. }));
    starts_agent && event.text("agent_id").is_none_or(str::is_empty)
}

/// A delegation, with the state it has to agree with.
#[derive(Debug)]
pub(super) struct Scene {
    pub project: Project,
    pub part: super::project::Part,
    pub state: State,
    /// The phase that is handed over.
    pub target: String,
}

impl Scene {
    /// `None` if no workflow is under way or the call hands no phase over.
    pub fn read(event: &Event, world: &dyn World) -> Result<Option<Self>, HookError> {
        let Some(ToolKind::Subagent { agent, prompt }) = event.tool.as_ref().map(|tool| &tool.kind) else {
            return Ok(None);
        };
        let Some(project) = Project::find(event, world)? else { return Ok(None) };
        let Some((part, state)) = project.read_state(event, world)? else { return Ok(None) };
        let target = match state.workflow()? {
            None => return Ok(None),
            Some(workflow) => {
                let manifest = Manifest::read(&project, world)?;
                manifest.target(agent, prompt, &workflow)
            }
        };
        Ok(target.map(|target| Self { project, part, state, target }))
    }
}

/// The agents there are and the phases they belong to.
#[derive(Debug, Default)]
struct Manifest {
    agents: Vec<(String, String)>,
}

impl Manifest {
    fn read(project: &Project, world: &dyn World) -> Result<Self, HookError> {
        let manifest = project.read_config("skills-manifest.json", world)?.unwrap_or_default();
        let ownership = manifest.get("ownership").and_then(Value::as_object).into_iter().flatten();
        let agents = ownership.filter_map(|(agent, entry)| {
            let phase = entry.get("phase")?.as_str()?;
            Some((agent.to_lowercase(), phase.to_owned()))
        });
        Ok(Self { agents: agents.collect() })
    }

    /// The phase a call hands over. The agent's name goes first; the prompt counts only where that says nothing
    /// (errata E6).
    fn target(&self, agent: &str, prompt: &str, workflow: &Workflow<'_>) -> Option<String> {
        let agent = bare_name(agent);
        if generates_plan(&agent, prompt) {
            return None;
        }
        let phases = self.phases(workflow);
        if !GENERALISTS.contains(&agent.as_str()) {
            return match self.agents.iter().find(|(name, _)| *name == agent) {
                Some((_, phase)) => (!NO_PHASE.contains(&phase.as_str())).then(|| phase.clone()),
                None => first_named(&words(&agent), &phases).map(|(_, phase)| phase.to_owned()),
            };
        }
        if is_setup(prompt) {
            return None;
        }
        let words = words(prompt);
        let by_agent = self.agents.iter().filter(|(_, phase)| !NO_PHASE.contains(&phase.as_str()));
        let by_agent = by_agent.filter_map(|(name, phase)| {
            let index = words.iter().position(|word| word == name)?;
            Some((index, phase.as_str()))
        });
        let named = first_named(&words, &phases).into_iter().chain(by_agent);
        named.min_by_key(|(index, _)| *index).map(|(_, phase)| phase.to_owned())
    }

    /// The names that count as phases, those of the workflow first (errata E5).
    fn phases<'a>(&'a self, workflow: &Workflow<'a>) -> Vec<&'a str> {
        let mut phases = workflow.phases.clone();
        let others = workflow.current.into_iter().chain(self.agents.iter().map(|(_, phase)| phase.as_str()));
        for phase in others.filter(|phase| !NO_PHASE.contains(phase)) {
            if !phases.contains(&phase) {
                phases.push(phase);
            }
        }
        phases
    }
}

/// The phase that is named first.
fn first_named<'a>(words: &[String], phases: &[&'a str]) -> Option<(usize, &'a str)> {
    let named = phases.iter().filter_map(|phase| Some((position_of_phase(words, phase)?, *phase)));
    named.min_by_key(|(index, _)| *index)
}

/// Whoever makes the plan must never be told that there is none (errata E8).
fn generates_plan(agent: &str, prompt: &str) -> bool {
    const NAMES: [&str; 2] = ["generate-plan", "plan-generator"];
    let line = words(first_line(prompt));
    let asked = line.first().is_some_and(|word| word == "generate") && line.iter().any(|word| word == "plan");
    let is_name = |word: &str| NAMES.contains(&word.trim_start_matches('/'));
    is_name(agent) || asked || line.iter().any(|word| is_name(word))
}

/// Whether a prompt is a setup command: its first word, or a word with a slash in its first line (errata E4).
fn is_setup(prompt: &str) -> bool {
    let words = words(first_line(prompt));
    let is_command = |word: &str| SETUP_COMMANDS.contains(&word);
    words.first().is_some_and(|word| is_command(word))
        || words.iter().any(|word| word.strip_prefix('/').is_some_and(is_command))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn manifest() -> Manifest {
        let agents = [
            ("requirements-analyst", "01-requirements"),
            ("software-developer", "06-implementation"),
            ("qa-engineer", "08-code-review"),
            ("behavior-analyst", "R1-behavior-extraction"),
            ("discover-orchestrator", "setup"),
            ("orchestrator", "all"),
        ];
        Manifest { agents: agents.map(|(agent, phase)| (agent.to_owned(), phase.to_owned())).to_vec() }
    }

    #[test]
    fn a_call_is_a_delegation_only_if_it_names_a_phase_that_exists() {
        let state =
            json!({"active_workflow": {"phases": ["01-requirements", "06-implementation", "R1-behavior-extraction"]}});
        let state = State::new(state).unwrap();
        let workflow = state.workflow().unwrap().unwrap();
        let implementation = Some("06-implementation");
        let cases = [
            // The agent's name decides.
            ("software-developer", "", implementation),
            ("isdlc:Software-Developer", "after 01-requirements", implementation),
            ("qa-engineer", "", Some("08-code-review")),
            ("06-implementation-agent", "", implementation),
            ("discover-orchestrator", "06-implementation", None),
            ("orchestrator", "phase 06", None),
            ("Explore", "look at 06-implementation", None),
            // The prompt, where it does not.
            ("", "Do phase 06", implementation),
            ("general-purpose", "Execute 06-implementation for the initial definition", implementation),
            ("general-purpose", "Execute 06-implementation.\nCheck the status, then install.", implementation),
            ("general-purpose", "You are the software-developer", implementation),
            ("general-purpose", "R1-behavior-extraction please", Some("R1-behavior-extraction")),
            ("general-purpose", "phase R1", Some("R1-behavior-extraction")),
            ("general-purpose", "Code review: 08-code-review", Some("08-code-review")),
            ("general-purpose", "release of 2026-02-abc, 12-foo, 08-feb", None),
            ("general-purpose", "phase 13", None),
            ("general-purpose", "orchestrator, what is next?", None),
            ("general-purpose", "Find where the parser is", None),
            ("", "", None),
            // Setup and planning.
            ("general-purpose", "/discover, then prepare 06-implementation", None),
            ("general-purpose", "setup the tools for 06-implementation", None),
            ("general-purpose", "\n\nRun /init first, phase 06 later", None),
            ("general-purpose", "Run the generate-plan skill for 06-implementation", None),
            ("general-purpose", "Generate the task plan up to phase 06", None),
            ("software-developer", "/generate-plan", None),
            ("software-developer", "Write code.\nSkip generate-plan.", implementation),
        ];
        for (agent, prompt, expected) in cases {
            assert_eq!(manifest().target(agent, prompt, &workflow).as_deref(), expected, "{agent}: {prompt}");
        }
    }
}
