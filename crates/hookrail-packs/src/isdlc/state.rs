//! What `state.json` says.

use hookrail_core::HookError;
use serde_json::{Map, Value};

/// The content of a `state.json`.
#[derive(Clone, Debug)]
pub(super) struct WorkflowState(Map<String, Value>);

/// The workflow that is under way.
#[derive(Clone, Debug)]
pub(super) struct Workflow<'a> {
    fields: &'a Map<String, Value>,
    /// In the order in which they are to be done, which is not that of their numbers.
    pub phases: Vec<&'a str>,
    pub current: Option<&'a str>,
}

/// The branch a workflow works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WorkflowBranch<'a> {
    pub name: &'a str,
}

impl WorkflowState {
    pub fn new(value: Value) -> Result<Self, HookError> {
        match value {
            Value::Object(fields) => Ok(Self(fields)),
            _ => Err(HookError::new("the state is not a JSON object".to_owned())),
        }
    }

    /// `None` if no workflow is under way.
    pub fn workflow(&self) -> Result<Option<Workflow<'_>>, HookError> {
        let fields = match self.0.get("active_workflow") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Object(fields)) => fields,
            Some(_) => return Err(HookError::new("`active_workflow` in the state is not an object".to_owned())),
        };
        let phases = match fields.get("phases") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(phases)) => phases.iter().filter_map(Value::as_str).collect(),
            Some(_) => return Err(HookError::new("`active_workflow.phases` in the state is not a list".to_owned())),
        };
        let current = match fields.get("current_phase") {
            None | Some(Value::Null) => None,
            Some(Value::String(phase)) => Some(phase.as_str()),
            Some(_) => {
                return Err(HookError::new("`active_workflow.current_phase` in the state is not a text".to_owned()));
            }
        };
        Ok(Some(Workflow { fields, phases, current }))
    }

    /// The phases' own records.
    pub fn phases(&self) -> impl Iterator<Item = (&str, &Value)> {
        let phases = self.0.get("phases").and_then(Value::as_object);
        phases.into_iter().flatten().map(|(name, phase)| (name.as_str(), phase))
    }

    /// Whether the state itself says that work on a phase has begun (errata E2).
    pub fn has_begun(&self, workflow: &Workflow<'_>, phase: &str) -> bool {
        let in_workflow = workflow.fields.get("phase_status").and_then(|status| status.get(phase));
        let in_phase = self.0.get("phases").and_then(|phases| phases.get(phase)?.get("status"));
        let begun = |status: &Value| matches!(status.as_str(), Some("in_progress" | "completed"));
        in_workflow.is_some_and(begun) || in_phase.is_some_and(begun)
    }

    /// Whether the constitution was walked through; `None` if nothing was discovered yet. Only `true` says so: a text that
    /// reads "true" was written by an agent that did not follow the format, and perhaps not the walkthrough either.
    pub fn walkthrough_completed(&self) -> Option<bool> {
        let context = self.0.get("discovery_context").filter(|context| !context.is_null())?;
        Some(context.get("walkthrough_completed") == Some(&Value::Bool(true)))
    }
}

impl<'a> Workflow<'a> {
    /// The workflow's branch, while it is active.
    pub fn active_branch(&self) -> Option<WorkflowBranch<'a>> {
        let branch = self.fields.get("git_branch")?;
        let active = branch.get("status").and_then(Value::as_str) == Some("active");
        let name = branch.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())?;
        active.then_some(WorkflowBranch { name })
    }
}

/// Whether a flag claims something. State is written by language models; a claim in quotes is one as well.
pub(super) fn claims(value: &Value) -> bool {
    matches!(value, Value::Bool(true)) || value.as_str() == Some("true")
}
