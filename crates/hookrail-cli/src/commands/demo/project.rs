//! The project that the demo is played in.

use super::story::skill;
use serde_json::{Value, json};

/// What the agent calls hookrail at.
const EVENTS: [&str; 7] =
    ["SessionStart", "UserPromptExpansion", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

/// The packs that look after the agent; `core` and `safety` do anyway.
pub const PACKS: [&str; 4] = ["fsm", "orchestrator", "planning", "isdlc"];

/// The plan of the team, up to its last task.
macro_rules! plan {
    () => {
        "# Rate limit\n\n## Implementation Tasks\n\n| # | Task | Depends On | Status |\n|---|---|---|---|\n| 1 | Specify | - | complete |\n"
    };
}

/// The agent's own settings, in the form of Claude Code's, for an agent that calls `hookrail`.
pub fn settings(hookrail: &str) -> String {
    let command = format!("{hookrail} hook --agent claude");
    let group = json!([{"hooks": [{"type": "command", "command": command, "timeout": 30}]}]);
    let hooks: Value = EVENTS.iter().map(|event| ((*event).to_owned(), group.clone())).collect();
    format!("{:#}\n", json!({ "hooks": hooks }))
}

/// Every other file of the project.
pub const FILES: [(&str, &str); 22] = [
    ("src/api/mod.rs", "//! Takes orders.\n\npub fn order(tea: &str) -> String {\n    format!(\"one {tea}\")\n}\n"),
    ("src/web/page.html", "<h1>Tea</h1>\n"),
    ("dist/app.js", "// built\n"),
    (".env.example", "REDIS_URL=\n"),
    ("scripts/setup.sh", "echo ready\n"),
    (".hookrail/hookrail.toml", CONFIGURATION),
    // Pack fsm: a skill that brings its tasks.
    (".claude/skills/ship/SKILL.md", concat!("---\nname: ship\n---\n", skill!(), "\n")),
    (".claude/skills/ship/fsm.json", TASKS),
    // Pack orchestrator: a plan, who works on it, and who may write where.
    (".claude/project.yml", "hooks:\n  stop_guard: true\n  session_context: true\n"),
    (".claude/orchestrator-state.json", TEAM),
    (".claude/hooks/scopes/tea.json", r#"{"agents": {"*": {"allow": ["src/api/", "docs/", "specs/", "dist/"]}}}"#),
    ("docs/plans/rate-limit.md", concat!(plan!(), "| 2 | Write the limiter | 1 | in-progress |\n")),
    // Pack planning: what was specified and decided.
    ("specs/rate-limit/spec.md", "# Rate limit\n\n60 orders a minute.\n"),
    ("specs/rate-limit/design.md", "# Design\n\nA token bucket.\n"),
    ("specs/rate-limit/plan.md", "# Plan\n\nWrite the limiter.\n"),
    ("specs/rate-limit/tasks.md", "# Tasks\n\n- T1 Write the limiter\n"),
    ("specs/rate-limit/test-plan.md", "# Tests\n\n- The 61st order waits\n"),
    ("specs/rate-limit/.planning-state.local.md", PLANNING_STATE),
    ("specs/rate-limit/.planning.lock", r#"{"user": "demo"}"#),
    // Pack isdlc: the phases of the work and its branch.
    (".isdlc/state.json", WORKFLOW),
    (".isdlc/config/skills-manifest.json", MANIFEST),
    ("docs/isdlc/tasks.md", "# Tasks\n\n1. Design\n2. Write\n"),
];

/// The plan when the work is done.
pub const FINISHED_PLAN: &str = concat!(plan!(), "| 2 | Write the limiter | 1 | complete |\n");

const CONFIGURATION: &str = r#"[packs.fsm]
mode = "enforce"

[packs.orchestrator]
mode = "enforce"

[packs.planning]
mode = "enforce"

[packs.isdlc]
mode = "enforce"

# Also records the events that no other hook looks at.
[hooks."core/event-log"]
mode = "enforce"
"#;

const TASKS: &str = r#"[
  {"id": 1, "subject": "Design"},
  {"id": 2, "subject": "Write", "blockedBy": [1]},
  {"id": 3, "subject": "Test", "blockedBy": [2]},
  {"id": 4, "subject": "Commit", "blockedBy": [3]}
]
"#;

const TEAM: &str = r#"{
  "active_plan": "docs/plans/rate-limit.md",
  "slug": "rate-limit",
  "team": "tea",
  "started": "2026-01-01T00:00:00Z",
  "worktrees": {}
}
"#;

const PLANNING_STATE: &str = "---
phase: COMPLETION
mode: standard
user_decisions:
  rate_limit_store:
    question: Where do we store rate limit counters?
    answer: in Redis
---
";

const WORKFLOW: &str = r#"{
  "active_workflow": {
    "type": "feature",
    "phases": ["03-architecture", "06-implementation", "07-testing"],
    "current_phase": "03-architecture",
    "git_branch": {"name": "feature/rate-limit", "status": "active"}
  },
  "phases": {"03-architecture": {"status": "in_progress"}}
}
"#;

const MANIFEST: &str = r#"{
  "ownership": {
    "solution-architect": {"phase": "03-architecture"},
    "software-developer": {"phase": "06-implementation"}
  }
}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::demo::story::BRANCH;

    #[test]
    fn the_project_is_what_the_packs_read() {
        let file = |name: &str| FILES.iter().find(|(path, _)| *path == name).map(|(_, content)| *content).unwrap();
        for (path, content) in FILES.iter().filter(|(path, _)| path.ends_with(".json") || path.ends_with(".lock")) {
            assert!(serde_json::from_str::<Value>(content).is_ok(), "{path}");
        }
        let state: Value = serde_json::from_str(file(".isdlc/state.json")).unwrap();
        assert_eq!(state["active_workflow"]["git_branch"]["name"], BRANCH);
        for pack in PACKS {
            assert!(file(".hookrail/hookrail.toml").contains(&format!("[packs.{pack}]")), "{pack}");
            assert!(hookrail_packs::find(pack).is_some(), "{pack}");
        }
        assert!(settings("'a b'").contains("'a b' hook --agent claude"));
    }
}
