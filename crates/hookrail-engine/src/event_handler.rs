use crate::clock::timestamp;
use crate::logger::{DebugLogger, Level, log};
use crate::overflow::{Overflow, cap_texts};
use crate::registry::HookRegistry;
use crate::runner::HookRunner;
use crate::runner::process::CancelToken;
use hookrail_core::planner::create_execution_plan;
use hookrail_core::{Event, EventName, MatchTarget, ToolCall, Translator, Verdict, aggregator};
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

/// What every event of a session has in common.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub id: String,
    pub cwd: PathBuf,
}

/// Answers events: plan, run, aggregate. It never fails towards its caller; what goes wrong inside is logged, and the
/// answer is that of an event without hooks.
#[derive(Clone, Debug)]
pub struct HookEventHandler {
    registry: Arc<HookRegistry>,
    runner: Arc<HookRunner>,
    session: Session,
    logger: Arc<dyn DebugLogger>,
    cancel: CancelToken,
    overflow: Option<Arc<dyn Overflow>>,
}

impl HookEventHandler {
    pub(crate) fn new(
        registry: Arc<HookRegistry>,
        runner: Arc<HookRunner>,
        session: Session,
        logger: Arc<dyn DebugLogger>,
        cancel: CancelToken,
        overflow: Option<Arc<dyn Overflow>>,
    ) -> Self {
        Self { registry, runner, session, logger, cancel, overflow }
    }

    /// The same hooks under another token: for a host that ends the hooks of one event and leaves its other ones alone.
    #[must_use]
    pub fn with_cancel_token(&self, cancel: CancelToken) -> Self {
        Self { cancel, ..self.clone() }
    }

    /// A tool is about to run. `mcp_context` describes the server of an MCP tool.
    #[must_use]
    pub fn fire_before_tool_event(
        &self,
        tool_name: &str,
        tool_input: &Map<String, Value>,
        mcp_context: Option<&Value>,
    ) -> Verdict {
        self.fire_tool(EventName::BeforeTool, tool_name, &|| {
            let mut payload = tool_payload(tool_name, tool_input);
            if let Some(context) = mcp_context {
                payload.insert("mcp_context".to_owned(), context.clone());
            }
            payload
        })
    }

    /// A tool has run, and the model has not seen its result yet.
    #[must_use]
    pub fn fire_after_tool_event(
        &self,
        tool_name: &str,
        tool_input: &Map<String, Value>,
        tool_response: &Value,
    ) -> Verdict {
        self.fire_tool(EventName::AfterTool, tool_name, &|| {
            let mut payload = tool_payload(tool_name, tool_input);
            payload.insert("tool_response".to_owned(), tool_response.clone());
            payload
        })
    }

    /// A request to the model is complete and not sent yet.
    #[must_use]
    pub fn fire_before_model_event(&self, request: &Value, translator: &dyn Translator) -> Verdict {
        self.fire_model(EventName::BeforeModel, &|| model_payload(request, None, translator))
    }

    /// The model's answer is complete.
    #[must_use]
    pub fn fire_after_model_event(&self, request: &Value, response: &Value, translator: &dyn Translator) -> Verdict {
        self.fire_model(EventName::AfterModel, &|| model_payload(request, Some(response), translator))
    }

    /// The model is about to choose among tools.
    #[must_use]
    pub fn fire_before_tool_selection_event(&self, request: &Value, translator: &dyn Translator) -> Verdict {
        self.fire_model(EventName::BeforeToolSelection, &|| model_payload(request, None, translator))
    }

    /// Any other event, with its fields in the words of the hook protocol.
    #[must_use]
    pub fn fire_event(&self, name: EventName, payload: &Map<String, Value>) -> Verdict {
        let subject = name.subject_in(payload);
        self.fire(name, subject, &|| payload.clone())
    }

    fn fire_tool(&self, name: EventName, tool_name: &str, payload: &dyn Fn() -> Map<String, Value>) -> Verdict {
        self.fire(name, Some(tool_name), payload)
    }

    fn fire_model(&self, name: EventName, payload: &dyn Fn() -> Map<String, Value>) -> Verdict {
        self.fire(name, None, payload)
    }

    /// Plans first and builds the payload only for hooks that want it (errata B25).
    fn fire(&self, name: EventName, subject: Option<&str>, payload: &dyn Fn() -> Map<String, Value>) -> Verdict {
        let attempt = AssertUnwindSafe(|| {
            let plan = self.registry.with_hooks(&name, |hooks| create_execution_plan(hooks, &name, subject))?;
            let event = self.event(name.clone(), payload());
            let runs = self.runner.execute(&plan, &event, &self.cancel);
            let mut verdict = aggregator::aggregate_results(&name, runs, plan.order);
            cap_texts(&mut verdict, self.overflow.as_deref());
            Some(verdict)
        });
        let verdict = match catch_unwind(attempt) {
            Ok(Some(verdict)) => verdict,
            Ok(None) => Verdict::empty(name),
            Err(_) => {
                log(&*self.logger, Level::Warn, || {
                    format!("firing {name} failed inside the hook engine; no hook was applied")
                });
                Verdict::empty(name)
            }
        };
        self.report(&verdict);
        verdict
    }

    fn report(&self, verdict: &Verdict) {
        log(&*self.logger, Level::Debug, || {
            format!(
                "{}: {} hooks, {} ms, {}, decision {}",
                verdict.event,
                verdict.runs.len(),
                verdict.total_duration().as_millis(),
                if verdict.success { "success" } else { "failure" },
                verdict.decision
            )
        });
        for conflict in &verdict.conflicts {
            log(&*self.logger, Level::Warn, || {
                format!("hooks {} all rewrote {}; the last one won", conflict.hooks.join(", "), conflict.field)
            });
        }
    }

    fn event(&self, name: EventName, payload: Map<String, Value>) -> Event {
        let tool = match name.match_target() {
            MatchTarget::Name => payload.get("tool_name").and_then(Value::as_str).map(ToolCall::opaque),
            MatchTarget::Trigger | MatchTarget::Nothing => None,
        };
        Event {
            name,
            session_id: self.session.id.clone(),
            cwd: self.session.cwd.clone(),
            timestamp: timestamp(),
            transcript_path: String::new(),
            tool,
            payload,
        }
    }
}

fn tool_payload(tool_name: &str, tool_input: &Map<String, Value>) -> Map<String, Value> {
    Map::from_iter([
        ("tool_name".to_owned(), Value::from(tool_name)),
        ("tool_input".to_owned(), Value::Object(tool_input.clone())),
    ])
}

fn model_payload(request: &Value, response: Option<&Value>, translator: &dyn Translator) -> Map<String, Value> {
    let mut payload = Map::from_iter([("llm_request".to_owned(), translator.to_hook_request(request))]);
    if let Some(response) = response {
        payload.insert("llm_response".to_owned(), translator.to_hook_response(response));
    }
    payload
}
