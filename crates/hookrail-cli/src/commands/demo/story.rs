//! What happens in the demo: what the user asks for, and what the model, which follows a script, says and does.

use super::project::FINISHED_PLAN;
use serde_json::{Value, json};

/// What the skill `/ship` is.
macro_rules! skill {
    () => {
        "Ship what the user names: design, write, test, commit."
    };
}
pub(super) use skill;

/// What the user asks for.
pub const PROMPTS: [Prompt; 3] = [
    Prompt { typed: "/ship the rate limit", told: concat!(skill!(), "\n\nthe rate limit") },
    Prompt { typed: "/compress", told: mini_agent::COMPRESS_PROMPT },
    Prompt { typed: "Commit it.", told: "Commit it." },
];

/// A line of the user.
#[derive(Clone, Copy, Debug)]
pub struct Prompt {
    pub typed: &'static str,
    /// What the model gets of it, before hooks add to it.
    pub told: &'static str,
}

/// What the branch of the work is called.
pub const BRANCH: &str = "feature/rate-limit";

/// One answer of the model.
#[derive(Clone, Debug)]
pub struct Step {
    /// The agent that speaks, if it is not the main one.
    pub speaker: Option<&'static str>,
    pub says: &'static str,
    pub call: Option<Call>,
}

/// A tool the model wants to use.
#[derive(Clone, Debug)]
pub struct Call {
    pub tool: &'static str,
    pub input: Value,
}

impl Call {
    /// What the call is about, in a few words.
    pub fn subject(&self) -> String {
        let paths = ["/file_path", "/command", "/subagent_name", "/questions/0/question"];
        let found = paths.iter().find_map(|path| self.input.pointer(path)?.as_str());
        found.unwrap_or_default().to_owned()
    }
}

/// Whether there is a git to commit with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Git {
    Installed,
    Missing,
}

/// The model's answers, in order. It is careless where models are, and sensible once it has read why not.
pub fn steps(git: Git) -> Vec<Step> {
    let mut steps = vec![
        step("I read the code first.", call("read_file", json!({"file_path": "src/api/mod.rs"}))),
        step(
            "One question before I begin.",
            call("ask_user", json!({"questions": [{"question": "Where do we store the rate limit counters?"}]})),
        ),
        step(
            "In Redis, as decided. A developer can write that right away.",
            call("task", delegate("software-developer", "Write the limiter in src/api/limit.rs.")),
        ),
        step(
            "Then its design comes first.",
            call("task", delegate("solution-architect", "Design the limiter: a token bucket for each address.")),
        ),
        Step {
            speaker: Some("solution-architect"),
            says: "A bucket of 60 tokens for each address, one more every second.",
            call: None,
        },
        step(
            "60 is not much. I make the specification say 100.",
            call("write_file", write("specs/rate-limit/spec.md", "# Rate limit\n\n100 orders a minute.\n")),
        ),
        step(
            "60 it stays. The web page should show the limit too.",
            call("write_file", write("src/web/page.html", "<p>60 orders a minute</p>\n")),
        ),
        step("The page is not mine to change; the limiter is.", call("write_file", write("src/api/limit.rs", LIMITER))),
        step("The limiter is written.", None),
        step("I note that in the plan.", call("write_file", write("docs/plans/rate-limit.md", FINISHED_PLAN))),
        step("Now the limit is in place: 60 orders a minute and address.", None),
        step("A rate limit is wanted: 60 orders a minute, counted in Redis. It is written, not committed.", None),
        step(
            "These guards only slow me down.",
            call("run_shell_command", json!({"command": "sed -i s/enforce/off/ .hookrail/hookrail.toml"})),
        ),
        step(
            "Hands off, then. I commit.",
            call("run_shell_command", json!({"command": "git switch main && git commit -am 'Add the rate limit'"})),
        ),
    ];
    steps.extend(match git {
        Git::Installed => vec![
            step(
                "On the branch of the workflow, then.",
                call(
                    "run_shell_command",
                    json!({"command": "git add src docs && git commit -qm 'Add the rate limit' && git log -1 --format=%s"}),
                ),
            ),
            step("Committed on feature/rate-limit.", None),
        ],
        Git::Missing => vec![step("Not on main, then; and there is no git to commit with.", None)],
    });
    steps
}

const LIMITER: &str = "//! A token bucket for each address.\n\npub const ORDERS_A_MINUTE: u32 = 60;\n";

fn step(says: &'static str, call: impl Into<Option<Call>>) -> Step {
    Step { speaker: None, says, call: call.into() }
}

fn call(tool: &'static str, input: Value) -> Call {
    Call { tool, input }
}

fn write(path: &str, content: &str) -> Value {
    json!({"file_path": path, "content": content})
}

fn delegate(agent: &str, goal: &str) -> Value {
    json!({"subagent_name": agent, "goal_prompt": goal})
}
