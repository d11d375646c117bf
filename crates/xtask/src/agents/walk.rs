//! A workflow of a pack from an empty project to its end, on a real agent, as the pack's page says.

use super::client::{Client, Way, programs};
use hookrail_testkit::model_server::{ModelServer, Recorded, Script, Turn};
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// One workflow.
pub(super) struct Walk {
    pub pack: &'static str,
    /// Makes the project what the page asks for.
    prepare: fn(&Path, &Path) -> io::Result<()>,
    /// What the model does, one list per start of the agent.
    runs: fn() -> Vec<Vec<Turn>>,
    /// What the page promises.
    promises: &'static [Promise],
}

/// A sentence of the page and whether it held.
struct Promise {
    sentence: &'static str,
    holds: fn(&Walked) -> Result<(), String>,
}

/// What is left of a walk.
struct Walked {
    requests: Vec<Recorded>,
    journal: String,
}

pub(super) const WALKS: &[Walk] = &[
    Walk { pack: "isdlc", prepare: prepare_isdlc, runs: isdlc_runs, promises: ISDLC },
    Walk { pack: "orchestrator", prepare: prepare_orchestrator, runs: orchestrator_runs, promises: ORCHESTRATOR },
    Walk { pack: "planning", prepare: prepare_planning, runs: planning_runs, promises: PLANNING },
    Walk { pack: "fsm", prepare: prepare_fsm, runs: fsm_runs, promises: FSM },
];

const PLANNING: &[Promise] = &[
    Promise {
        sentence: "the model is told where the workflow stands and which session it is",
        holds: |walked| {
            walked.heard("phase: ARCHITECTURE")?;
            walked.heard("this_session: ")
        },
    },
    Promise {
        sentence: "without the lock nothing is written into the feature's folder",
        holds: |walked| walked.heard("no planning lock acquired"),
    },
    Promise { sentence: "with the lock it is", holds: |walked| walked.refusals("no planning lock acquired", 1) },
    Promise { sentence: "the specification stays as it is", holds: |walked| walked.heard("spec.md is immutable") },
    Promise {
        sentence: "the configuration of the guards is written by no tool",
        holds: |walked| walked.heard("configures the guards of the planning workflow"),
    },
    Promise {
        sentence: "the first stop without the artifacts is refused",
        holds: |walked| walked.heard("Missing required artifacts: "),
    },
];

const FSM: &[Promise] = &[
    Promise {
        sentence: "the tasks of an invoked skill are in the agent's list, with what they wait for",
        holds: |walked| {
            walked.heard("Build the release")?;
            walked.heard("blocked by #1")
        },
    },
    Promise {
        sentence: "a mistake in a skill's file reaches the model",
        holds: |walked| walked.heard("refers to 7, and no task has that id"),
    },
];

const ISDLC: &[Promise] = &[
    Promise {
        sentence: "a discovery that runs in the background is warned about when it ends",
        holds: |walked| walked.recorded("Discovery completed without constitution walkthrough"),
    },
    Promise {
        sentence: "its menu is looked at then",
        holds: |walked| walked.recorded("Discover presented incorrect menu"),
    },
    Promise {
        sentence: "a phase key that is not the current phase's is refused",
        holds: |walked| walked.heard("Out-of-order phase delegation. Current phase is 01-requirements"),
    },
    Promise {
        sentence: "a phase that no task names is refused, and the refusal says how",
        holds: |walked| walked.heard("or `Phase 01: <what is done>`"),
    },
    Promise {
        sentence: "a task whose subject names the phase lets it be delegated",
        holds: |walked| walked.subagent_heard("Phase key: 01-requirements"),
    },
];

const ORCHESTRATOR: &[Promise] = &[
    Promise {
        sentence: "the first completion of a task is refused with the check list, which the model reads",
        holds: |walked| {
            walked.heard("is not verified yet")?;
            walked.heard("Verify this task completion against the design doc at docs/plan.md.")
        },
    },
    Promise { sentence: "the second completion passes", holds: |walked| walked.refusals("is not verified yet", 1) },
    Promise {
        sentence: "the lead's first stop is refused while tasks are left",
        holds: |walked| walked.heard("2 tasks still incomplete in 'The parser'."),
    },
    Promise {
        sentence: "after a resume the model is told what it is in the middle of",
        holds: |walked| walked.heard("Active implementation: The parser (docs/plan.md). Progress: 0/2 tasks complete"),
    },
];

impl Walk {
    /// Each promise and whether it was kept; the outer error is a walk that could not be made.
    pub fn take(&self, client: &Client) -> io::Result<Vec<(&'static str, Result<(), String>)>> {
        let (project, home) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let (project, home) = (project.path().canonicalize()?, home.path().canonicalize()?);
        (self.prepare)(&project, &home)?;
        let mut requests = Vec::new();
        for (index, turns) in (self.runs)().into_iter().enumerate() {
            let server = ModelServer::start(script(turns));
            let mut flags = client.register(Way::Plugin, self.pack, &project, &home, &server.base_url())?;
            flags.extend((index > 0).then(|| "--continue".to_owned()));
            client.run(&project, &home, &server.base_url(), flags)?;
            requests.extend(server.generations());
        }
        let walked = Walked { requests, journal: journal(&home.join("state")) };
        Ok(self.promises.iter().map(|promise| (promise.sentence, (promise.holds)(&walked))).collect())
    }
}

/// The main conversation follows the script. Agents that it starts say one sentence, and so does everything beside them.
fn script(turns: Vec<Turn>) -> Script {
    let is_main = |request: &Recorded| request.texts().iter().any(|text| text.contains("do it"));
    let discovers = |request: &Recorded| request.texts().iter().any(|text| text.contains("/discover"));
    Script::new(turns)
        .when(|request| request.tool_names().is_empty(), Turn::text("a title"))
        .when(move |request| !is_main(request) && discovers(request), Turn::text(OLD_MENU))
        .when(move |request| !is_main(request), Turn::text("The agent has done its part."))
        .otherwise(Turn::text("Nothing more to do."))
}

const OLD_MENU: &str = "Choose:\n\n1. New Project\n2. Existing Project\n3. Scoped Analysis\n4. Auto-detect\n";

impl Walked {
    fn heard(&self, text: &str) -> Result<(), String> {
        let heard = self.requests.iter().any(|request| request.mentions(text));
        if heard { Ok(()) } else { Err(format!("the model never heard `{text}`")) }
    }

    /// How many results of tools say this in the end.
    fn refusals(&self, text: &str, expected: usize) -> Result<(), String> {
        let count = |request: &Recorded| {
            request.tool_results().iter().filter(|result| format!("{result:?}").contains(text)).count()
        };
        let found = self.requests.iter().map(count).max().unwrap_or_default();
        if found == expected { Ok(()) } else { Err(format!("`{text}` was said {found} times, not {expected}")) }
    }

    fn subagent_heard(&self, text: &str) -> Result<(), String> {
        let is_sub = |request: &&Recorded| !request.texts().iter().any(|text| text.contains("do it"));
        let heard = self.requests.iter().filter(is_sub).any(|request| request.mentions(text));
        if heard { Ok(()) } else { Err(format!("no agent was started with `{text}`")) }
    }

    fn recorded(&self, text: &str) -> Result<(), String> {
        if self.journal.contains(text) { Ok(()) } else { Err(format!("the journal does not have `{text}`")) }
    }
}

fn write(project: &Path, file: &str, text: &str) -> io::Result<()> {
    let path = project.join(file);
    std::fs::create_dir_all(path.parent().unwrap_or(project))?;
    std::fs::write(path, text)
}

fn allow_tools(project: &Path) -> io::Result<()> {
    let settings = json!({"permissions": {"allow": ["Agent", "Task", "TaskCreate", "TaskUpdate", "TaskList", "Skill", "Write", "Bash"]}});
    write(project, ".claude/settings.json", &settings.to_string())
}

fn prepare_isdlc(project: &Path, _home: &Path) -> io::Result<()> {
    allow_tools(project)?;
    let state = json!({
        "active_workflow": {
            "type": "feature",
            "phases": ["01-requirements", "06-implementation"],
            "current_phase": "01-requirements",
        },
        "phases": {"01-requirements": {"status": "pending"}},
        "discovery_context": {"walkthrough_completed": false},
    });
    write(project, ".isdlc/state.json", &state.to_string())
}

fn agent(prompt: &str) -> Turn {
    call("Agent", json!({"subagent_type": "general-purpose", "description": "a step", "prompt": prompt}))
}

fn call(tool: &str, input: Value) -> Turn {
    Turn::tool_call(tool, input)
}

fn isdlc_runs() -> Vec<Vec<Turn>> {
    vec![vec![
        agent("/discover the project"),
        agent("Phase key: 06-implementation\nWrite the parser."),
        agent("Phase key: 01-requirements\nAsk what the parser must read."),
        call("TaskCreate", json!({"subject": "Phase 01: gather wishes", "description": "Ask the user"})),
        call("TaskUpdate", json!({"taskId": "1", "status": "in_progress"})),
        agent("Phase key: 01-requirements\nAsk what the parser must read."),
        Turn::text("The phase is under way."),
    ]]
}

fn prepare_orchestrator(project: &Path, home: &Path) -> io::Result<()> {
    allow_tools(project)?;
    let plan = "# The parser\n\n## Implementation Tasks\n\n| # | Task | Status |\n|---|---|---|\n\
                | 1 | Write the lexer | pending |\n| 2 | Write the parser | pending |\n";
    write(project, "docs/plan.md", plan)?;
    let switches = "hooks:\n  task_verification: \"agent\"\n  stop_guard: true\n  session_context: true\n";
    write(project, ".claude/project.yml", switches)?;
    let mut command = Command::new(programs()?.join("hookrail"));
    command.args(["orchestrator", "begin", "--plan", "docs/plan.md", "--team", "t"]).current_dir(project).env_clear();
    command.env("HOME", home).env("HOOKRAIL_STATE_DIR", home.join("state"));
    let output = command.stdin(Stdio::null()).output()?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() && told.is_empty() { Ok(()) } else { Err(io::Error::other(told)) }
}

fn orchestrator_runs() -> Vec<Vec<Turn>> {
    let complete = || call("TaskUpdate", json!({"taskId": "1", "status": "completed"}));
    vec![
        vec![
            call("TaskCreate", json!({"subject": "Write the lexer", "description": "As the plan says"})),
            complete(),
            complete(),
            Turn::text("I am done."),
            Turn::text("I have to stop."),
        ],
        vec![Turn::text("I go on."), Turn::text("I have to stop.")],
    ]
}

fn prepare_planning(project: &Path, _home: &Path) -> io::Result<()> {
    allow_tools(project)?;
    write(project, ".git/HEAD", "ref: refs/heads/feature/notify\n")?;
    let state = "---\nphase: ARCHITECTURE\nmode: rapid\nuser_decisions: {Use Redis for caching: Yes}\n---\n";
    write(project, "specs/notify/.planning-state.local.md", state)
}

fn planning_runs() -> Vec<Vec<Turn>> {
    let file = |path: &str| call("Write", json!({"file_path": path, "content": "x"}));
    vec![vec![
        file("specs/notify/design.md"),
        call("Write", json!({"file_path": "specs/notify/.planning.lock", "content": "pid: 1\n"})),
        file("specs/notify/design.md"),
        file("specs/notify/spec.md"),
        file("config/planning-config.yaml"),
        Turn::text("I am done."),
        Turn::text("I have to stop."),
    ]]
}

fn prepare_fsm(project: &Path, _home: &Path) -> io::Result<()> {
    allow_tools(project)?;
    for (skill, tasks) in [
        ("ship", r#"[{"id": 1, "subject": "Build the release"}, {"id": 2, "subject": "Publish", "blockedBy": [1]}]"#),
        ("broken", r#"[{"id": 1, "subject": "a", "blockedBy": [7]}]"#),
    ] {
        let text = format!("---\nname: {skill}\ndescription: how to {skill}\n---\n\nWork off the tasks.\n");
        write(project, &format!(".claude/skills/{skill}/SKILL.md"), &text)?;
        write(project, &format!(".claude/skills/{skill}/fsm.json"), tasks)?;
    }
    Ok(())
}

fn fsm_runs() -> Vec<Vec<Turn>> {
    let skill = |name: &str| call("Skill", json!({"skill": name}));
    vec![vec![skill("ship"), call("TaskList", json!({})), skill("broken"), Turn::text("I am done.")]]
}

/// Everything that was recorded, as text.
fn journal(folder: &Path) -> String {
    let mut text = String::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                text.push_str(&std::fs::read_to_string(path).unwrap_or_default());
            }
        }
    }
    text
}
