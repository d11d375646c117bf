//! The project that the demo is played in.

use super::story::{BRANCH, skill};
use serde_json::{Value, json};

/// What the agent calls at each of its events.
const EVENTS: [&str; 8] = [
    "SessionStart",
    "UserPromptExpansion",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "PreCompact",
    "SessionEnd",
];

/// The packs that look after the agent; `core` does anyway.
pub const PACKS: [&str; 4] = ["fsm", "orchestrator", "planning", "isdlc"];

/// Every file of the project, for an agent that calls `hookrail`.
pub fn files(hookrail: &str) -> Vec<(&'static str, String)> {
    let json = |value: Value| format!("{value:#}\n");
    vec![
        (
            "src/api/mod.rs",
            "//! Takes orders.\n\npub fn order(tea: &str) -> String {\n    format!(\"one {tea}\")\n}\n".into(),
        ),
        ("src/web/page.html", "<h1>Tea</h1>\n".into()),
        (".hookrail/hookrail.toml", configuration()),
        (".claude/settings.json", json(settings(hookrail))),
        // Pack fsm: a skill that brings its tasks.
        (".claude/skills/ship/SKILL.md", concat!("---\nname: ship\n---\n", skill!(), "\n").into()),
        (".claude/skills/ship/fsm.json", json(tasks())),
        // Pack orchestrator: a plan, who works on it, and who may write where.
        (
            ".claude/project.yml",
            "hooks:\n  stop_guard: true\n  session_context: true\n  precompact_state: true\n".into(),
        ),
        (".claude/orchestrator-state.json", json(team())),
        (".claude/hooks/scopes/tea.json", json(json!({"agents": {"*": {"allow": ["src/api/", "docs/", "specs/"]}}}))),
        ("docs/plans/rate-limit.md", plan("in-progress")),
        // Pack planning: what was specified and decided.
        ("specs/rate-limit/spec.md", "# Rate limit\n\n60 orders a minute.\n".into()),
        ("specs/rate-limit/design.md", "# Design\n\nA token bucket.\n".into()),
        ("specs/rate-limit/plan.md", "# Plan\n\nWrite the limiter.\n".into()),
        ("specs/rate-limit/tasks.md", "# Tasks\n\n- T1 Write the limiter\n".into()),
        ("specs/rate-limit/test-plan.md", "# Tests\n\n- The 61st order waits\n".into()),
        ("specs/rate-limit/.planning-state.local.md", PLANNING_STATE.into()),
        ("specs/rate-limit/.planning.lock", json(json!({"user": "demo"}))),
        // Pack isdlc: the phases of the work and its branch.
        (".isdlc/state.json", json(workflow())),
        (".isdlc/config/skills-manifest.json", json(manifest())),
        ("docs/isdlc/tasks.md", "# Tasks\n\n1. Design\n2. Write\n".into()),
    ]
}

fn configuration() -> String {
    let packs = PACKS.iter().filter(|pack| hookrail_packs::find(pack).is_some());
    let packs: String = packs.map(|pack| format!("[packs.{pack}]\nmode = \"enforce\"\n\n")).collect();
    format!(
        "{packs}# Also records the events that no other hook looks at.\n[hooks.\"core/event-log\"]\nmode = \"enforce\"\n"
    )
}

/// The agent's own settings, in the form of Claude Code's.
fn settings(hookrail: &str) -> Value {
    let command = format!("{hookrail} hook --agent llxprt");
    let group = json!([{"hooks": [{"type": "command", "command": command, "timeout": 30}]}]);
    let hooks: Value = EVENTS.iter().map(|event| ((*event).to_owned(), group.clone())).collect();
    json!({ "hooks": hooks })
}

fn tasks() -> Value {
    json!([
        {"id": 1, "subject": "Design"},
        {"id": 2, "subject": "Write", "blockedBy": [1]},
        {"id": 3, "subject": "Test", "blockedBy": [2]},
        {"id": 4, "subject": "Commit", "blockedBy": [3]},
    ])
}

fn team() -> Value {
    json!({
        "active_plan": "docs/plans/rate-limit.md",
        "slug": "rate-limit",
        "team": "tea",
        "started": "2026-01-01T00:00:00Z",
        "worktrees": {},
    })
}

/// The plan of the team, whose last task has this status.
pub fn plan(status: &str) -> String {
    format!(
        "# Rate limit\n\n## Implementation Tasks\n\n| # | Task | Depends On | Status |\n|---|---|---|---|\n\
         | 1 | Specify | - | complete |\n| 2 | Write the limiter | 1 | {status} |\n"
    )
}

const PLANNING_STATE: &str = "---
phase: COMPLETION
mode: standard
user_decisions:
  rate_limit_store:
    question: Where do we store rate limit counters?
    answer: in Redis
---
";

fn workflow() -> Value {
    json!({
        "active_workflow": {
            "type": "feature",
            "phases": ["03-architecture", "06-implementation", "07-testing"],
            "current_phase": "03-architecture",
            "git_branch": {"name": BRANCH, "status": "active"},
        },
        "phases": {"03-architecture": {"status": "in_progress"}},
    })
}

fn manifest() -> Value {
    json!({"ownership": {
        "solution-architect": {"phase": "03-architecture"},
        "software-developer": {"phase": "06-implementation"},
    }})
}
