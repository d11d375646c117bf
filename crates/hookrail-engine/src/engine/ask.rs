//! The events of a session, in the words of a program that is an agent.

use super::Engine;
use crate::logger::{Level, log};
use hookrail_core::{Decision, EventName, HookOutput, Translator, Verdict};
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicU32, Ordering};

/// After this many refused stops in a row the agent may stop: hooks that never let go would keep it working for ever.
const REFUSED_STOPS: u32 = 8;

/// Refused stops in a row, of one session.
#[derive(Debug, Default)]
pub(crate) struct RefusedStops(AtomicU32);

impl RefusedStops {
    fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Counts one more; false if there were too many already.
    fn add(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) < REFUSED_STOPS
    }
}

/// What hooks make of a prompt.
#[derive(Clone, Debug)]
#[must_use = "a refused prompt must not reach the model"]
pub enum TurnStart {
    /// The turn begins, with this text beside the prompt.
    Go {
        /// For the model.
        context: Option<String>,
        /// What every hook said.
        verdict: Verdict,
    },
    /// The prompt must not reach the model. [`Verdict::should_stop`] says whether the agent is to end as well.
    Refused {
        /// Why; never empty.
        reason: String,
        /// What every hook said.
        verdict: Verdict,
    },
}

/// What hooks make of an agent that wants to stop.
#[derive(Clone, Debug)]
#[must_use = "an agent whose stop was refused goes on"]
pub enum StopAnswer {
    /// The agent stops: no hook objects, one wants exactly that, or hooks objected too often in a row.
    Stop {
        /// The conversation begins anew after this.
        clear_context: bool,
        /// What every hook said.
        verdict: Verdict,
    },
    /// The agent goes on, and the model is told why.
    GoOn {
        /// What the model is told; never empty.
        reason: String,
        /// What every hook said.
        verdict: Verdict,
    },
}

impl Engine {
    /// A tool is about to run.
    pub fn before_tool(&self, tool_name: &str, tool_input: &Map<String, Value>) -> Verdict {
        self.before_tool_of(tool_name, tool_input, None)
    }

    /// [`Engine::before_tool`] for a tool of an MCP server, which `mcp_context` describes.
    pub fn before_tool_of(
        &self,
        tool_name: &str,
        tool_input: &Map<String, Value>,
        mcp_context: Option<&Value>,
    ) -> Verdict {
        self.fire(EventName::BeforeTool, Some(tool_name), &|| tool_payload(tool_name, tool_input, mcp_context))
    }

    /// A tool has run, and the model has not seen its result yet.
    pub fn after_tool(&self, tool_name: &str, tool_input: &Map<String, Value>, tool_response: &Value) -> Verdict {
        self.after_tool_of(tool_name, tool_input, tool_response, None)
    }

    /// [`Engine::after_tool`] for a tool of an MCP server, which `mcp_context` describes.
    pub fn after_tool_of(
        &self,
        tool_name: &str,
        tool_input: &Map<String, Value>,
        tool_response: &Value,
        mcp_context: Option<&Value>,
    ) -> Verdict {
        self.fire(EventName::AfterTool, Some(tool_name), &|| {
            let mut payload = tool_payload(tool_name, tool_input, mcp_context);
            payload.insert("tool_response".to_owned(), tool_response.clone());
            payload
        })
    }

    /// A request to the model is complete and not sent yet.
    pub fn before_model(&self, request: &Value, translator: &dyn Translator) -> Verdict {
        self.fire(EventName::BeforeModel, None, &|| model_payload(request, translator))
    }

    /// The model's answer is complete.
    pub fn after_model(&self, request: &Value, response: &Value, translator: &dyn Translator) -> Verdict {
        self.after_model_sent(request, None, response, translator)
    }

    /// [`Engine::after_model`] for a request that hooks changed before it was sent. Hooks are shown the original one (HOOK-044)
    /// and, beside it as `llm_request_sent`, the one that the model answered.
    pub fn after_model_sent(
        &self,
        request: &Value,
        sent: Option<&Value>,
        response: &Value,
        translator: &dyn Translator,
    ) -> Verdict {
        self.fire(EventName::AfterModel, None, &|| {
            let mut payload = model_payload(request, translator);
            if let Some(sent) = sent.filter(|sent| *sent != request) {
                payload.insert("llm_request_sent".to_owned(), translator.to_hook_request(sent));
            }
            payload.insert("llm_response".to_owned(), translator.to_hook_response(response));
            payload
        })
    }

    /// The model is about to choose among tools.
    pub fn before_tool_selection(&self, request: &Value, translator: &dyn Translator) -> Verdict {
        self.fire(EventName::BeforeToolSelection, None, &|| model_payload(request, translator))
    }

    /// A prompt was submitted.
    pub fn before_agent(&self, prompt: &str) -> TurnStart {
        self.parts.refused_stops.reset();
        let verdict =
            self.fire(EventName::BeforeAgent, None, &|| Map::from_iter([("prompt".to_owned(), Value::from(prompt))]));
        match verdict.refusal().map(str::to_owned) {
            Some(reason) => TurnStart::Refused { reason, verdict },
            None => {
                let output = verdict.final_output();
                let context = output.and_then(HookOutput::additional_context).map(str::to_owned);
                TurnStart::Go { context, verdict }
            }
        }
    }

    /// The agent is about to stop, after this prompt and this last answer. Hooks may refuse that a few times in a row.
    pub fn after_agent(&self, prompt: &str, response: &str, stop_hook_active: bool) -> StopAnswer {
        let mut verdict = self.fire(EventName::AfterAgent, None, &|| {
            Map::from_iter([
                ("prompt".to_owned(), Value::from(prompt)),
                ("prompt_response".to_owned(), Value::from(response)),
                ("stop_hook_active".to_owned(), Value::from(stop_hook_active)),
            ])
        });
        let refused = verdict.is_blocking() && !verdict.should_stop();
        if refused && self.parts.refused_stops.add() {
            let reason = verdict.refusal().unwrap_or_default().to_owned();
            return StopAnswer::GoOn { reason, verdict };
        }
        if refused {
            verdict.add_notices([format!("hooks refused to stop {REFUSED_STOPS} times in a row; the agent stops")]);
        }
        self.parts.refused_stops.reset();
        let clear_context = verdict.final_output().is_some_and(HookOutput::should_clear_context);
        StopAnswer::Stop { clear_context, verdict }
    }

    /// Any event, with its fields in the words of the hook protocol.
    pub fn fire_event(&self, name: EventName, payload: &Map<String, Value>) -> Verdict {
        let subject = name.subject_in(payload);
        self.fire(name, subject, &|| payload.clone())
    }

    /// Builds the payload only for hooks that want it (errata B25).
    fn fire(&self, name: EventName, subject: Option<&str>, payload: &dyn Fn() -> Map<String, Value>) -> Verdict {
        if !self.wants(&name, subject) && name != EventName::SessionStart {
            let verdict = Verdict::empty(name);
            // Every firing leaves a line for those who debug (HOOK-146); without a debug log it costs nothing.
            self.report(&verdict);
            return verdict;
        }
        let build = std::panic::AssertUnwindSafe(|| self.parts.event(name.clone(), payload()));
        match std::panic::catch_unwind(build) {
            Ok(event) => self.decide(event),
            Err(_) => self.undescribed(name),
        }
    }

    /// Code of the program, a translator or what reads its tools, panicked, so no hook can be shown the event. If the hooks
    /// that listen to such events let failures pass, it is as if there were none (HOOK-115).
    pub(super) fn undescribed(&self, name: EventName) -> Verdict {
        let why = format!("firing {name} failed inside the hook engine");
        let mut verdict = self.fail(name.clone(), &why);
        if verdict.decision() < Decision::Ask {
            verdict = Verdict::empty(name);
            verdict.add_notices([format!("{why}; no hook was applied")]);
        }
        log(&*self.parts.logger, Level::Warn, || why.clone());
        verdict
    }
}

fn tool_payload(tool_name: &str, tool_input: &Map<String, Value>, mcp_context: Option<&Value>) -> Map<String, Value> {
    let mut payload = Map::from_iter([
        ("tool_name".to_owned(), Value::from(tool_name)),
        ("tool_input".to_owned(), Value::Object(tool_input.clone())),
    ]);
    if let Some(context) = mcp_context {
        payload.insert("mcp_context".to_owned(), context.clone());
    }
    payload
}

fn model_payload(request: &Value, translator: &dyn Translator) -> Map<String, Value> {
    Map::from_iter([("llm_request".to_owned(), translator.to_hook_request(request))])
}
