use hookrail_testkit::program::{inside, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

pub const STATE: &str = ".claude/orchestrator-state.json";
pub const CONFIG: &str = ".claude/project.yml";
pub const PLAN: &str = "docs/plans/2026-02-16-parser-design.md";
pub const TEAM: &str = "implement-parser";
pub const SESSION: &str = "session-1";

/// The example of the pack's document: comments with colons, and quotes.
pub const ALL_ON: &str = "# .claude/project.yml
hooks:
  task_verification: \"agent\"    # \"agent\" (default when enabled) | \"prompt\" | \"off\"
  stop_guard: true              # default: false (opt-in)
  session_context: true         # default: false (opt-in)
  precompact_state: true        # default: false (opt-in)
";

/// A plan as people write them: emphasis and emoji, five cells under four, a table in a fence, other tables.
pub const WILD_PLAN: &str = "**Status:** implementing

```markdown
# Not the title
## Implementation Tasks
| # | Task | Depends On | Status |
|---|------|------------|--------|
| 9 | sample | - | pending |
```

# Parser \"v2\"

| Risk | Status |
|------|--------|
| slow | pending |

## Implementation Tasks

| # | Task | Depends On | Status |
|---|------|------------|--------|
| 1 | Lexer | - | ✅ complete | impl-task-1 |
| 2 | Parse `a \\| b` | 1 | **Complete** | impl-task-2 |
| 3 | Printer | 1 | In_Progress | impl-task-3 |
| 4 | Docs | 2 | ⏳ pending | |
| 5 | Release | 4 | *blocked* | |
| 6 | Licence | - | 🚨 Escalated | |

### Acceptance criteria

- [ ] pending | pending |

## Review

| Finding | Status |
|---------|--------|
| typo | in-progress |
";

#[derive(Debug)]
pub struct TeamReply {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl TeamReply {
    #[track_caller]
    pub fn assert_silent(&self, about: &str) {
        assert_eq!((self.code, self.out.as_str(), self.err.as_str()), (Some(0), "", ""), "{about}");
    }

    /// The answer as JSON, given with exit code 0.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{self:?}");
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub fn message(&self) -> String {
        let answer = self.json();
        answer["systemMessage"].as_str().unwrap_or_else(|| panic!("no message in {answer}")).to_owned()
    }

    #[track_caller]
    pub fn context(&self) -> String {
        let answer = self.json();
        let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
        text.unwrap_or_else(|| panic!("no context in {answer}")).to_owned()
    }
}

#[track_caller]
pub fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

/// A project and a home folder.
pub struct TeamProject {
    pub project: TempProject,
    pub home: TempProject,
}

impl TeamProject {
    pub fn new() -> Self {
        Self { project: TempProject::new(), home: TempProject::new() }
    }

    /// A team at work on the plan, with everything enabled.
    pub fn busy() -> Self {
        Self::new().file(CONFIG, ALL_ON).file(PLAN, WILD_PLAN).file(STATE, &state().to_string())
    }

    pub fn file(self, path: &str, text: &str) -> Self {
        self.project.write(path, text);
        self
    }

    pub fn without(self, path: &str) -> Self {
        std::fs::remove_file(self.project.at(path)).unwrap();
        self
    }

    /// What the implementer wrote into the task's file.
    pub fn task(self, list: &str, id: &str, metadata: &Value) -> Self {
        let task = json!({"id": id, "subject": "Lexer", "status": "completed", "metadata": metadata});
        self.home.write(format!(".claude/tasks/{list}/{id}.json"), &task.to_string());
        self
    }

    pub fn command(&self, args: &[&str]) -> Command {
        self.dressed(Command::new(env!("CARGO_BIN_EXE_hookrail")), args)
    }

    /// A command that runs here, with a clean environment in which `hookrail` is found.
    pub fn dressed(&self, command: Command, args: &[&str]) -> Command {
        let binary = Path::new(env!("CARGO_BIN_EXE_hookrail")).parent().unwrap();
        let mut command = inside(command, &self.project, &self.home);
        command.args(args).env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", binary.display()));
        command
    }

    pub fn run(&self, args: &[&str]) -> TeamReply {
        finish(self.command(args), "")
    }

    pub fn event(&self, name: &str, fields: &Value) -> Value {
        let mut event = json!({
            "session_id": SESSION,
            "transcript_path": "/t.jsonl",
            "cwd": self.project.path(),
            "permission_mode": "default",
            "hook_event_name": name,
        });
        for (key, value) in fields.as_object().unwrap() {
            event[key] = value.clone();
        }
        event
    }

    /// Fires an event as the plugin does.
    pub fn fire(&self, name: &str, fields: &Value) -> TeamReply {
        let event = self.event(name, fields).to_string();
        finish(self.command(&["hook", "--pack", "orchestrator"]), &event)
    }

    /// The same, answered in the form of the pack's document.
    pub fn fire_spec(&self, name: &str, fields: &Value) -> TeamReply {
        let event = self.event(name, fields).to_string();
        finish(self.command(&["hook", "--pack", "orchestrator", "--contract", "spec"]), &event)
    }
}

pub fn state() -> Value {
    json!({
        "active_plan": PLAN,
        "slug": "parser",
        "team": TEAM,
        "started": "2026-02-16T10:00:00Z",
        "worktrees": {},
    })
}

pub fn finish(mut command: Command, stdin: &str) -> TeamReply {
    let (code, out, err) = talk(&mut command, stdin);
    TeamReply { code, out, err }
}
