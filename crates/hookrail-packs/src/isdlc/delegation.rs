//! Which calls of an agent hand a phase over.

use super::manifest::{Known, Manifest};
use super::phase_key::phase_key;
use super::project::{Project, ProjectPart};
use super::state::{Workflow, WorkflowState};
use super::words::{bare_name, first_line, words};
use hookrail_core::{Event, HookError, ToolKind, World};

/// Agents without a trade of their own: what they are for stands in the prompt.
const GENERALISTS: [&str; 2] = ["", "general-purpose"];
/// Commands that prepare a project and belong to no phase.
const SETUP_COMMANDS: [&str; 8] =
    ["discover", "init", "setup", "install", "status", "configure", "constitution", "provider"];

/// Whether a call starts an agent.
pub(super) fn starts_agent(event: &Event) -> bool {
    event.tool.as_ref().is_some_and(|tool| matches!(tool.kind, ToolKind::Subagent { .. }))
}

/// A delegation, with the state it has to agree with.
#[derive(Debug)]
pub(super) struct DelegationCheck {
    pub project: Project,
    pub part: ProjectPart,
    pub state: WorkflowState,
    /// The phase that is handed over.
    pub target: String,
    /// Whether the agent is to make the plan.
    pub makes_plan: bool,
}

/// A call that starts an agent.
struct SpawnCall<'a> {
    /// In small letters, without its plugin.
    agent: String,
    prompt: &'a str,
    /// The kind of agent that makes the call; `None` for the main conversation.
    caller: Option<String>,
}

impl DelegationCheck {
    /// `None` if no workflow is under way or the call hands no phase over.
    pub fn read(event: &Event, world: &dyn World) -> Result<Option<Self>, HookError> {
        let Some(call) = SpawnCall::read(event) else { return Ok(None) };
        let Some(project) = Project::find(event, world)? else { return Ok(None) };
        let Some((part, state)) = project.read_state(event, world)? else { return Ok(None) };
        let target = match state.workflow()? {
            None => return Ok(None),
            Some(workflow) => match phase_key(call.prompt, &workflow) {
                Some(phase) => Some(phase),
                None => call.target(&Manifest::read(&project, world)?, &workflow),
            },
        };
        let makes_plan = call.makes_plan();
        Ok(target.map(|target| Self { project, part, state, target, makes_plan }))
    }
}

impl<'a> SpawnCall<'a> {
    fn read(event: &'a Event) -> Option<Self> {
        let ToolKind::Subagent { agent, prompt } = &event.tool.as_ref()?.kind else { return None };
        let is_main = event.text("agent_id").is_none_or(str::is_empty);
        let caller = (!is_main).then(|| bare_name(event.text("agent_type").unwrap_or_default()));
        Some(Self { agent: bare_name(agent), prompt, caller })
    }

    /// The phase a call hands over that names none by a key. The agent goes first; the prompt counts only where that
    /// says nothing (errata E6). What an agent of a phase delegates is its own affair (errata E3), what the orchestrator
    /// delegates is the workflow's.
    fn target(&self, manifest: &Manifest, workflow: &Workflow<'_>) -> Option<String> {
        let is_own_affair = self.caller.as_ref().is_some_and(|caller| !manifest.is_orchestrator(caller));
        if is_own_affair || self.makes_plan() {
            return None;
        }
        if !GENERALISTS.contains(&self.agent.as_str()) {
            return match manifest.phase_of(&self.agent, workflow) {
                Known::Phase(phase) => Some(phase),
                Known::OfNoPhase => None,
                Known::No => manifest.named_phase(&words(&self.agent), workflow).map(|(_, phase)| phase),
            };
        }
        if is_setup(self.prompt) {
            return None;
        }
        manifest.named_in(&words(self.prompt), workflow)
    }

    /// Whoever makes the plan must never be told that there is none (errata E8).
    fn makes_plan(&self) -> bool {
        const NAMES: [&str; 2] = ["generate-plan", "plan-generator"];
        let line = words(first_line(self.prompt));
        let asked = line.first().is_some_and(|word| word == "generate") && line.iter().any(|word| word == "plan");
        let is_name = |word: &str| NAMES.contains(&word.trim_start_matches('/'));
        is_name(&self.agent) || asked || line.iter().any(|word| is_name(word))
    }
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
    use hookrail_core::{EventName, ToolCall};
    use hookrail_testkit::world::FakeWorld;
    use serde_json::{Value, json};

    const MANIFEST: &str = r#"{"ownership": {
        "requirements-analyst": {"phase": "01-requirements"},
        "software-developer": {"phase": "06-implementation"},
        "qa-engineer": {"phase": "08-code-review"},
        "behavior-analyst": {"phase": "R1-behavior-extraction"},
        "upgrade-engineer": {"phase": "15-upgrade"},
        "discover-orchestrator": {"phase": "setup"},
        "orchestrator": {"phase": "all"}
    }}"#;

    fn world(current: &str) -> FakeWorld {
        let phases =
            ["01-requirements", "06-implementation", "R1-behavior-extraction", "15-upgrade-plan", "15-upgrade-execute"];
        let state = json!({"active_workflow": {"phases": phases, "current_phase": current}});
        FakeWorld::new().file("/p/.isdlc/state.json", &state.to_string())
    }

    fn target(world: &FakeWorld, agent: &str, prompt: &str, caller: Option<&str>) -> Option<String> {
        let classify = |_: &str, input: &Value| {
            let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
            ToolKind::Subagent { agent: text("agent"), prompt: text("prompt") }
        };
        let payload = caller.map_or_else(|| json!({}), |caller| json!({"agent_id": "a1", "agent_type": caller}));
        let event = Event {
            name: EventName::BeforeTool,
            native_name: String::new(),
            session_id: String::new(),
            cwd: "/p".into(),
            timestamp: String::new(),
            transcript_path: String::new(),
            tool: Some(ToolCall::new("Task", &json!({"agent": agent, "prompt": prompt}), classify)),
            payload: payload.as_object().unwrap().clone(),
        };
        DelegationCheck::read(&event, world).unwrap().map(|scene| scene.target)
    }

    #[test]
    fn a_call_is_a_delegation_only_if_it_names_a_phase_that_exists() {
        let world = world("01-requirements").file("/p/.isdlc/config/skills-manifest.json", MANIFEST);
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
            // A key decides over everything.
            ("orchestrator", "MODE: single-phase PHASE: 06-implementation", implementation),
            ("discover-orchestrator", "/discover\nPhase key: 06-implementation", implementation),
            ("Explore", "Phase key: 06-implementation", implementation),
            ("software-developer", "Phase key: 01-requirements", Some("01-requirements")),
            ("general-purpose", "Use 08-code-review.\nPhase key: 06-implementation", implementation),
        ];
        for (agent, prompt, expected) in cases {
            assert_eq!(target(&world, agent, prompt, None).as_deref(), expected, "{agent}: {prompt}");
        }
    }

    #[test]
    fn a_call_of_an_agent_is_its_own_affair_unless_it_names_a_phase_or_runs_the_workflow() {
        let world = world("01-requirements").file("/p/.isdlc/config/skills-manifest.json", MANIFEST);
        let implementation = Some("06-implementation");
        for (caller, agent, prompt, expected) in [
            ("software-developer", "qa-engineer", "", None),
            ("software-developer", "general-purpose", "look at phase 06", None),
            ("", "software-developer", "", None),
            ("software-developer", "general-purpose", "PHASE: 06-implementation", implementation),
            ("", "software-developer", "Phase key: 06-implementation", implementation),
            ("sdlc-orchestrator", "software-developer", "", implementation),
            ("isdlc:sdlc-orchestrator", "general-purpose", "Do phase 06", implementation),
            ("orchestrator", "software-developer", "", implementation),
            ("discover-orchestrator", "software-developer", "", None),
        ] {
            let found = target(&world, agent, prompt, Some(caller));
            assert_eq!(found.as_deref(), expected, "{caller} calls {agent}: {prompt}");
        }
    }

    #[test]
    fn without_a_manifest_or_with_a_broken_one_a_key_still_counts() {
        for world in
            [world("01-requirements"), world("01-requirements").file("/p/.isdlc/config/skills-manifest.json", "{")]
        {
            let found = target(&world, "sdlc-orchestrator", "MODE: single-phase\nPHASE: 06-implementation", None);
            assert_eq!(found.as_deref(), Some("06-implementation"));
        }
        assert_eq!(target(&world("01-requirements"), "software-developer", "Go", None), None);
    }

    #[test]
    fn an_agent_of_several_phases_serves_the_current_one() {
        for current in ["15-upgrade-plan", "15-upgrade-execute"] {
            let world = world(current).file("/p/.isdlc/config/skills-manifest.json", MANIFEST);
            for (agent, prompt) in [
                ("upgrade-engineer", "Go"),
                ("general-purpose", "You are the upgrade-engineer"),
                ("general-purpose", "Phase 15 now"),
                ("upgrade-engineer", "Phase key: 15-upgrade"),
                ("sdlc-orchestrator", "MODE: single-phase PHASE: 15"),
            ] {
                assert_eq!(target(&world, agent, prompt, None).as_deref(), Some(current), "{agent}: {prompt}");
            }
        }
    }
}
