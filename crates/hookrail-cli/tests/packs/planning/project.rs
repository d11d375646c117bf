use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

pub const SESSION: &str = "abc123";
/// The folder of the feature that is planned, in the project.
pub const FEATURE: &str = "specs/042-notify";
pub const STATE: &str = ".planning-state.local.md";
pub const LOCK: &str = ".planning.lock";

/// In which form an answer is asked for. Every table of the document is run in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contract {
    Spec,
    /// Claude Code's.
    Agent,
}

pub const BOTH: [Contract; 2] = [Contract::Spec, Contract::Agent];

/// A project on a feature branch, the plugin's folder and a home folder.
pub struct PlanningProject {
    pub project: TempProject,
    pub plugin: TempProject,
    pub home: TempProject,
    pub env: Vec<(String, String)>,
    /// A `hookrail-hook` that answers events in place of `hookrail hook`.
    pub small: Option<PathBuf>,
}

/// What an answer comes to, whatever its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerMeaning {
    /// Exit code 0 and not a word.
    Silent,
    /// Nothing is refused, and this is said.
    Told(String),
    /// This is why it must not happen.
    Refused(String),
}

#[derive(Debug)]
pub struct PlanningReply {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl AnswerMeaning {
    /// `silent`, `told` or `refused`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Told(_) => "told",
            Self::Refused(_) => "refused",
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Silent => "",
            Self::Told(text) | Self::Refused(text) => text,
        }
    }
}

impl PlanningReply {
    /// Reads an answer strictly: whatever is not one of its contract's forms fails.
    #[track_caller]
    pub fn ruling(&self, contract: Contract, case: &str) -> AnswerMeaning {
        match (contract, self.code) {
            (_, Some(0)) if self.out.is_empty() => AnswerMeaning::Silent,
            (Contract::Spec, Some(0)) => self.read_told(),
            (Contract::Spec, Some(2)) if self.out.is_empty() => self.read_denial(case),
            (Contract::Spec, Some(2)) => self.read_block(case),
            (Contract::Agent, Some(0)) => self.read_claude(case),
            _ => panic!("{case}: {self:?}"),
        }
    }

    fn read_told(&self) -> AnswerMeaning {
        let answer: Result<Map<String, Value>, _> = serde_json::from_str(&self.out);
        AnswerMeaning::Told(answer.map_or_else(
            |_| self.out.trim_end().to_owned(),
            |answer| {
                assert_eq!(answer.keys().collect::<Vec<_>>(), ["systemMessage"]);
                text(&answer["systemMessage"])
            },
        ))
    }

    /// §6.1: exit code 2 and JSON on stderr.
    fn read_denial(&self, case: &str) -> AnswerMeaning {
        let answer: Value = serde_json::from_str(&self.err).unwrap_or_else(|_| panic!("{case}: {self:?}"));
        assert_eq!(answer["hookSpecificOutput"], json!({"permissionDecision": "deny"}), "{case}");
        AnswerMeaning::Refused(text(&answer["systemMessage"]))
    }

    /// §6.3: JSON on stdout; the reason as text on stderr, and exit code 2.
    fn read_block(&self, case: &str) -> AnswerMeaning {
        let answer: Value = serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{case}: {self:?}"));
        let fields: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["decision", "reason", "systemMessage"], "{case}");
        assert_eq!(answer["decision"], "block", "{case}");
        assert_eq!(self.err.trim_end(), text(&answer["reason"]), "{case}");
        AnswerMeaning::Refused(text(&answer["reason"]))
    }

    fn read_claude(&self, case: &str) -> AnswerMeaning {
        let answer: Value = serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{case}: {self:?}"));
        let specific = &answer["hookSpecificOutput"];
        if answer["decision"] == "block" {
            return AnswerMeaning::Refused(text(&answer["reason"]));
        }
        match specific.get("permissionDecision") {
            Some(decision) => {
                assert_eq!(decision, "deny", "{case}: a guard allows by silence");
                AnswerMeaning::Refused(text(&specific["permissionDecisionReason"]))
            }
            None => {
                let [message, context] = [&answer["systemMessage"], &specific["additionalContext"]];
                AnswerMeaning::Told(text(if message.is_null() { context } else { message }))
            }
        }
    }
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text")).to_owned()
}

impl PlanningProject {
    /// No repository, no feature, no configuration.
    pub fn bare() -> Self {
        let [project, plugin, home] = std::array::from_fn(|_| TempProject::new());
        let root = ("CLAUDE_PLUGIN_ROOT".to_owned(), plugin.path().display().to_string());
        Self { project, plugin, home, env: vec![root], small: None }
    }

    /// A repository on the feature's branch.
    pub fn new() -> Self {
        Self::bare().branch("feature/042-notify")
    }

    pub fn branch(self, name: &str) -> Self {
        self.project.write(".git/HEAD", &format!("ref: refs/heads/{name}\n"));
        self
    }

    /// A state file with this front matter.
    pub fn state(self, yaml: &str) -> Self {
        self.file(STATE, &format!("---\n{yaml}\n---\n\n# Planning\n"))
    }

    /// A lock of this session.
    pub fn locked(self) -> Self {
        self.file(LOCK, &json!({"session_id": SESSION}).to_string())
    }

    /// A file in the feature's folder.
    pub fn file(self, name: &str, text: &str) -> Self {
        self.project.write(self.feature_path(name), text);
        self
    }

    /// The plugin's `planning-config.yaml`.
    pub fn config(self, yaml: &str) -> Self {
        self.plugin.write("config/planning-config.yaml", yaml);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        self.env.push((name.to_owned(), value.as_ref().display().to_string()));
        self
    }

    pub fn feature_path(&self, name: &str) -> PathBuf {
        Path::new(FEATURE).join(name)
    }

    /// Any command of the binary.
    pub fn hookrail(&self, args: &[&str], stdin: &str) -> PlanningReply {
        let small = self.small.as_ref().zip(args.split_first().filter(|(command, _)| **command == "hook"));
        let (path, args) = match small {
            Some((small, (_, args))) => (small.as_path(), args),
            None => (Path::new(env!("CARGO_BIN_EXE_hookrail")), args),
        };
        let mut command = program(path, &self.project, &self.home);
        // Nothing external is needed.
        command.args(args).env("PATH", "/nowhere").envs(self.env.iter().map(|(name, value)| (name, value)));
        let (code, out, err) = talk(&mut command, stdin);
        PlanningReply { code, out, err }
    }

    /// Fires an event at the whole pack, or at the hook of this name.
    pub fn fire(&self, contract: Contract, hook: Option<&str>, event: &Value) -> PlanningReply {
        let selected = hook.map_or_else(|| "--pack=planning".to_owned(), |hook| format!("planning/{hook}"));
        let form = match contract {
            Contract::Spec => "--contract=spec",
            Contract::Agent => "--contract=agent",
        };
        self.hookrail(&["hook", "--agent=claude", form, &selected], &event.to_string())
    }

    /// What the whole pack makes of an event.
    #[track_caller]
    pub fn ruling(&self, contract: Contract, event: &Value) -> AnswerMeaning {
        self.fire(contract, None, event).ruling(contract, &event.to_string())
    }

    pub fn event(&self, name: &str, fields: &Value) -> Value {
        let mut event = json!({
            "session_id": SESSION,
            "transcript_path": self.home.at("transcript.jsonl"),
            "cwd": self.project.path(),
            "hook_event_name": name,
        });
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event
    }

    pub fn call(&self, tool: &str, input: &Value) -> Value {
        self.event("PreToolUse", &json!({"tool_name": tool, "tool_input": input}))
    }

    pub fn ask(&self, questions: &[&str]) -> Value {
        let questions: Vec<Value> = questions.iter().map(|question| json!({"question": question})).collect();
        self.call("AskUserQuestion", &json!({"questions": questions}))
    }

    /// A `Write` that is about to happen. Relative paths are those of the project.
    pub fn write(&self, path: impl AsRef<Path>) -> Value {
        self.call("Write", &json!({"file_path": self.project.path().join(path), "content": "x"}))
    }

    pub fn edit(&self, path: impl AsRef<Path>) -> Value {
        let path = self.project.path().join(path);
        self.call("Edit", &json!({"file_path": path, "old_string": "a", "new_string": "b"}))
    }

    /// A `Write` that has happened.
    pub fn wrote(&self, path: impl AsRef<Path>) -> Value {
        let input = json!({"file_path": self.project.path().join(path), "content": "x"});
        let fields = json!({"tool_name": "Write", "tool_input": input, "tool_response": {"success": true}});
        self.event("PostToolUse", &fields)
    }

    /// A call of a research server that no other number makes.
    pub fn research(&self, tool: &str, number: usize) -> Value {
        self.call(tool, &json!({"query": format!("question {number}")}))
    }

    /// The decision log in its usual place; empty if there is none.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.home.at(format!("state/planning/hooks-{SESSION}.log"))).unwrap_or_default()
    }

    pub fn audit_log(&self) -> String {
        std::fs::read_to_string(self.project.at(self.feature_path(".planning-audit.log"))).unwrap_or_default()
    }

    /// What hookrail remembers of the session.
    pub fn session(&self) -> Value {
        let text = self.home.read(format!("state/sessions/{SESSION}.json"));
        serde_json::from_str(&text).unwrap()
    }
}
