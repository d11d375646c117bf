//! The walks through the packs' workflows.

use super::walk::Seen::{Delegated, Heard, Left, NotLeft, Recorded, Refused};
use super::walk::Step::{Calls, Delegates, Says};
use super::walk::{PageCheck, WorkflowWalk};

pub(super) const WALKS: &[WorkflowWalk] = &[
    WorkflowWalk {
        pack: "isdlc",
        files: &[(
            ".isdlc/state.json",
            r#"{"active_workflow": {"type": "feature", "phases": ["01-requirements", "06-implementation"],
                "current_phase": "01-requirements"}, "phases": {"01-requirements": {"status": "pending"}},
                "discovery_context": {"walkthrough_completed": false}}"#,
        )],
        commands: &[],
        runs: &[&[
            Delegates("/discover the project"),
            Delegates("Phase key: 06-implementation\nWrite the parser."),
            Delegates("Phase key: 01-requirements\nAsk what the parser must read."),
            Calls("TaskCreate", r#"{"subject": "Phase 01: gather wishes", "description": "Ask the user"}"#),
            Calls("TaskUpdate", r#"{"taskId": "1", "status": "in_progress"}"#),
            Delegates("Phase key: 01-requirements\nAsk what the parser must read."),
            Says("The phase is under way."),
        ]],
        refusals: &["Out-of-order phase delegation", "Phase 01: <what is done>"],
        promises: &[
            PageCheck {
                sentence: "a discovery that runs in the background is warned about when it ends",
                seen: &[Recorded("Discovery completed without constitution walkthrough")],
            },
            PageCheck {
                sentence: "its menu is looked at then",
                seen: &[Recorded("Discover presented incorrect menu")],
            },
            PageCheck {
                sentence: "a phase key that is not the current phase's is refused",
                seen: &[Refused("Out-of-order phase delegation. Current phase is 01-requirements", 1)],
            },
            PageCheck {
                sentence: "a phase that no task names is refused, and the refusal says how",
                seen: &[Heard("or `Phase 01: <what is done>`")],
            },
            PageCheck {
                sentence: "a task whose subject names the phase lets it be delegated",
                seen: &[Delegated("Phase key: 01-requirements")],
            },
        ],
    },
    WorkflowWalk {
        pack: "orchestrator",
        files: &[
            (
                "docs/plan.md",
                "# The parser\n\n## Implementation Tasks\n\n| # | Task | Status |\n|---|---|---|\n\
                 | 1 | Write the lexer | pending |\n| 2 | Write the parser | pending |\n",
            ),
            (
                ".claude/project.yml",
                "hooks:\n  task_verification: \"agent\"\n  stop_guard: true\n  session_context: true\n",
            ),
        ],
        commands: &[&["orchestrator", "begin", "--plan", "docs/plan.md", "--team", "t"]],
        runs: &[
            &[
                Calls("TaskCreate", r#"{"subject": "Write the lexer", "description": "As the plan says"}"#),
                Calls("TaskUpdate", r#"{"taskId": "1", "status": "completed"}"#),
                Calls("TaskUpdate", r#"{"taskId": "1", "status": "completed"}"#),
                Says("I am done."),
                Says("I have to stop."),
            ],
            &[Says("I go on."), Says("I have to stop.")],
        ],
        refusals: &["is not verified yet"],
        promises: &[
            PageCheck {
                sentence: "the first completion of a task is refused with the check list, which the model reads",
                seen: &[
                    Heard("is not verified yet"),
                    Heard("Verify this task completion against the design doc at docs/plan.md."),
                ],
            },
            PageCheck { sentence: "the second completion passes", seen: &[Refused("is not verified yet", 1)] },
            PageCheck {
                sentence: "the lead's first stop is refused while tasks are left",
                seen: &[Heard("2 tasks still incomplete in 'The parser'.")],
            },
            PageCheck {
                sentence: "after a resume the model is told what it is in the middle of",
                seen: &[Heard("Active implementation: The parser (docs/plan.md). Progress: 0/2 tasks complete")],
            },
        ],
    },
    WorkflowWalk {
        pack: "planning",
        files: &[
            (".git/HEAD", "ref: refs/heads/feature/notify\n"),
            (
                "specs/notify/.planning-state.local.md",
                "---\nphase: ARCHITECTURE\nmode: rapid\nuser_decisions: {Use Redis for caching: Yes}\n---\n",
            ),
        ],
        commands: &[],
        runs: &[&[
            Calls("Write", r#"{"file_path": "specs/notify/design.md", "content": "x"}"#),
            Calls("Bash", r#"{"command": "echo 'pid: 1' > specs/notify/.planning.lock", "description": "lock"}"#),
            Calls("Write", r#"{"file_path": "specs/notify/.planning.lock", "content": "pid: 1\n"}"#),
            Calls("Write", r#"{"file_path": "specs/notify/design.md", "content": "the first draft"}"#),
            Calls("Bash", r#"{"command": "echo 'a note' > specs/notify/research.md", "description": "note"}"#),
            Calls("Write", r#"{"file_path": "specs/notify/spec.md", "content": "x"}"#),
            Calls("Write", r#"{"file_path": "config/planning-config.yaml", "content": "x"}"#),
            Calls("Bash", r#"{"command": "mkdir -p hooks && touch hooks/.dev-mode", "description": "switch off"}"#),
            Says("I am done."),
            Says("I have to stop."),
        ]],
        refusals: &[
            "no planning lock acquired",
            "belongs to the planning workflow",
            "spec.md is immutable",
            "configures the guards of the planning workflow",
        ],
        promises: &[
            PageCheck {
                sentence: "the model is told where the workflow stands and which session it is",
                seen: &[Heard("phase: ARCHITECTURE"), Heard("this_session: ")],
            },
            PageCheck {
                sentence: "without the lock nothing is written into the feature's folder",
                seen: &[Refused("no planning lock acquired", 1)],
            },
            PageCheck {
                sentence: "the lock is taken with the agent's own tool, and then the folder is open",
                seen: &[
                    Refused("belongs to the planning workflow", 1),
                    Left("specs/notify", "pid: 1"),
                    Left("specs/notify", "the first draft"),
                    Left("specs/notify", "a note"),
                ],
            },
            PageCheck { sentence: "the specification stays as it is", seen: &[Heard("spec.md is immutable")] },
            PageCheck {
                sentence: "configuration and development mode of the guards are changed by no tool",
                seen: &[Refused("configures the guards of the planning workflow", 2)],
            },
            PageCheck {
                sentence: "the first stop without the artifacts is refused",
                seen: &[Heard("Missing required artifacts: ")],
            },
        ],
    },
    WorkflowWalk {
        pack: "fsm",
        files: &[
            (".claude/skills/ship/SKILL.md", "---\nname: ship\ndescription: how to ship\n---\n\nWork off the tasks.\n"),
            (
                ".claude/skills/ship/fsm.json",
                r#"[{"id": 1, "subject": "Build the release"}, {"id": 2, "subject": "Publish", "blockedBy": [1]}]"#,
            ),
            (
                ".claude/skills/broken/SKILL.md",
                "---\nname: broken\ndescription: how to fail\n---\n\nWork off the tasks.\n",
            ),
            (".claude/skills/broken/fsm.json", r#"[{"id": 1, "subject": "a", "blockedBy": [7]}]"#),
        ],
        commands: &[],
        runs: &[&[
            Calls("Skill", r#"{"skill": "ship"}"#),
            Calls("TaskList", "{}"),
            Calls("Skill", r#"{"skill": "broken"}"#),
            Calls("TaskUpdate", r#"{"taskId": "1", "status": "completed"}"#),
            Calls("TaskList", "{}"),
            Says("I am done."),
        ]],
        refusals: &["refers to 7, and no task has that id"],
        promises: &[
            PageCheck {
                sentence: "the tasks of an invoked skill are in the agent's list, with what they wait for",
                seen: &[Heard("Build the release"), Heard("blocked by #1")],
            },
            PageCheck {
                sentence: "a mistake in a skill's file reaches the model, and the list stays as it was",
                seen: &[Heard("refers to 7, and no task has that id"), Left("~/.claude/tasks", "Publish")],
            },
            PageCheck {
                sentence: "the files are as Claude Code writes them: both sides of a dependency, no empty fields",
                seen: &[
                    Left("~/.claude/tasks", "\"blocks\": [\n    \"2\"\n  ]"),
                    Left("~/.claude/tasks", "\"status\": \"completed\""),
                    NotLeft("~/.claude/tasks", "\"owner\": \"\""),
                ],
            },
        ],
    },
];
