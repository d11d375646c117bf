//! Everything there is to say about a call that was tried.

use super::agents::Agents;
use super::call::{AskedCall, CallOfAgent};
use crate::commands::explain::considered::{self, Considered, HookDisposition, HookReply, OutputTexts};
use crate::commands::explain::report::Bytes;
use crate::commands::understood::{MatchedRule, UnderstoodCall};
use crate::hook::rehearsal::NOT_STARTED;
use crate::hook::{Decided, PreparedEvent};
use hookrail_core::{Decision, EventName};
use hookrail_dialects::Dialect;
use hookrail_effects::json::{VERSION, kind_name};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Serialize)]
pub struct TryReport {
    pub version: u32,
    /// The strongest decision: `none`, `allow`, `ask`, `deny` or `stop`.
    pub verdict: &'static str,
    pub kind: &'static str,
    pub cwd: PathBuf,
    pub paths: Vec<String>,
    pub effects: Vec<Value>,
    pub gaps: Vec<Value>,
    /// What an allow would rest on.
    pub proof: Value,
    pub rules: Vec<MatchedRule>,
    /// No agent is installed here.
    pub assumed: bool,
    pub agents: Vec<AgentReport>,
}

/// What becomes of the call in one agent.
#[derive(Clone, Debug, Serialize)]
pub struct AgentReport {
    pub agent: &'static str,
    pub title: &'static str,
    /// The agent's name of the event.
    pub event: String,
    pub tool: String,
    pub input: Map<String, Value>,
    /// What the hooks decided together.
    pub decision: &'static str,
    /// What the agent does about it: not every agent can ask.
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(flatten)]
    pub texts: OutputTexts,
    /// What `hookrail hook` would write.
    pub answer: Option<Bytes>,
    /// The hooks that looked, or would have.
    pub hooks: Vec<HookRow>,
    /// What is wrong with the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<String>,
    #[serde(skip)]
    pub understood: Option<UnderstoodCall>,
}

/// A hook that looked at the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HookRow {
    pub hook: String,
    pub kind: &'static str,
    pub fate: HookDisposition,
    pub decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why it failed or was not run.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A decision in the words of the book.
pub fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::None => "none",
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Block => "deny",
        Decision::Stop => "stop",
    }
}

impl TryReport {
    pub fn new(call: &AskedCall, cwd: &Path, agents: &Agents) -> Self {
        Self {
            version: VERSION,
            verdict: word(Decision::None),
            kind: kind_name(call.tool(), &call.kind),
            cwd: cwd.to_owned(),
            paths: Vec::new(),
            effects: Vec::new(),
            gaps: Vec::new(),
            proof: Value::Null,
            rules: Vec::new(),
            assumed: agents.assumed,
            agents: Vec::new(),
        }
    }

    /// The same with what became of the call in each agent. Its effects are those that the first agent's hooks see.
    pub fn with(&self, agents: Vec<AgentReport>) -> Self {
        let strength = |report: &AgentReport| {
            ["none", "allow", "ask", "deny", "stop"].iter().position(|word| *word == report.decision)
        };
        let verdict =
            agents.iter().max_by_key(|report| strength(report)).map_or(self.verdict, |report| report.decision);
        let call = agents.iter().find_map(|report| report.understood.clone());
        let mut report = Self { verdict, agents, ..self.clone() };
        if let Some(call) = call {
            (report.paths, report.effects) = (call.paths, call.effects);
            (report.gaps, report.rules) = (call.gaps, call.rules);
            report.proof = call.proof;
        }
        report
    }

    /// What the call would do, for the page.
    pub fn understood(&self) -> Option<&UnderstoodCall> {
        self.agents.iter().find_map(|report| report.understood.as_ref())
    }
}

impl AgentReport {
    pub fn new(prepared: &PreparedEvent, spelled: &CallOfAgent, decided: &Decided) -> Self {
        let (verdict, answer) = (&decided.verdict, &decided.answer);
        let hooks = considered::all(prepared, verdict);
        let title = prepared.dialect.agent().title;
        let told = told(verdict.decision(), &prepared.event.name, &answer.stdout);
        let cannot_ask = verdict.decision() == Decision::Ask && told == word(Decision::Block);
        Self {
            agent: prepared.dialect.name(),
            title,
            event: prepared.event.native_name.clone(),
            tool: spelled.call.tool.clone(),
            input: spelled.call.input.clone(),
            decision: word(verdict.decision()),
            verdict: told,
            note: cannot_ask.then(|| format!("{title} cannot ask a person here, so the call is refused")),
            texts: OutputTexts::of(verdict.final_output()),
            answer: Some(Bytes {
                stdout: answer.stdout.clone(),
                stderr: answer.stderr.clone(),
                exit_code: answer.exit_code,
            }),
            hooks: hooks.iter().filter_map(HookRow::of).collect(),
            complaints: prepared.engine.diagnostics().iter().map(ToString::to_string).collect(),
            understood: UnderstoodCall::of(prepared, verdict),
        }
    }

    /// For an agent that cannot make such a call.
    pub fn without_call(agent: &dyn Dialect, why: String) -> Self {
        Self {
            agent: agent.name(),
            title: agent.agent().title,
            event: String::new(),
            tool: String::new(),
            input: Map::new(),
            decision: word(Decision::None),
            verdict: word(Decision::None),
            note: Some(why),
            texts: OutputTexts::default(),
            answer: None,
            hooks: Vec::new(),
            complaints: Vec::new(),
            understood: None,
        }
    }

    /// Command hooks that may decide otherwise.
    pub fn not_started(&self) -> impl Iterator<Item = &str> {
        self.hooks
            .iter()
            .filter(|row| row.fate == HookDisposition::Skipped && row.why == NOT_STARTED)
            .map(|row| row.hook.as_str())
    }
}

/// What the agent does with its answer. Where it cannot ask, a call that should be asked about is refused; at other events
/// than before a call there is nothing to refuse, or a person is there anyway.
fn told(decision: Decision, event: &EventName, stdout: &str) -> &'static str {
    let says = |wanted: &str| {
        let answer: Value = serde_json::from_str(stdout).unwrap_or_default();
        says_word(&answer, wanted)
    };
    match decision {
        Decision::Ask if *event == EventName::BeforeTool && !says("ask") => word(Decision::Block),
        Decision::Allow if !says("allow") => word(Decision::None),
        decision => word(decision),
    }
}

/// Whether one of the fields in which agents read a decision has this value. Answers are two levels deep.
fn says_word(answer: &Value, wanted: &str) -> bool {
    let fields = ["permissionDecision", "permission", "decision", "behavior", "permission_decision"];
    let here = |value: &Value| fields.iter().any(|field| value.get(*field).and_then(Value::as_str) == Some(wanted));
    here(answer) || answer.as_object().is_some_and(|inner| inner.values().any(here))
}

impl HookRow {
    /// `None` for a hook that the call does not concern.
    fn of(hook: &Considered) -> Option<Self> {
        let said: &HookReply = hook.run.as_ref()?;
        Some(Self {
            hook: hook.hook.clone(),
            kind: hook.kind,
            fate: hook.fate,
            decision: word(said.decision),
            reason: said.texts.reason.clone(),
            why: hook.why.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_does_not_ask_refuses() {
        use Decision::{Allow, Ask, Block, None};
        let asks = r#"{"hookSpecificOutput":{"permissionDecision":"ask"}}"#;
        for (decision, event, stdout, expected) in [
            (Ask, EventName::BeforeTool, asks, "ask"),
            (Ask, EventName::BeforeTool, r#"{"permission":"ask"}"#, "ask"),
            (Ask, EventName::BeforeTool, r#"{"decision":"deny"}"#, "deny"),
            (Ask, EventName::BeforeTool, "", "deny"),
            (Ask, EventName::PermissionRequest, "", "ask"),
            (Block, EventName::BeforeTool, "", "deny"),
            (Allow, EventName::BeforeTool, "", "none"),
            (None, EventName::BeforeTool, "", "none"),
        ] {
            assert_eq!(told(decision, &event, stdout), expected, "{decision:?} {event} {stdout}");
        }
    }
}
