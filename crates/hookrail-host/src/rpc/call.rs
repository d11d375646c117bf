//! The requests that ask hooks.

use super::answer::{EventAnswer, Particulars};
use super::params::{Params, ParamsError};
use crate::results::{AfterModelHookResult, BeforeModelHookResult, BeforeToolSelectionHookResult};
use crate::translate::{Provider, ProviderError};
use crate::triggers;
use hookrail_core::{DefaultHookOutput, EventName, Verdict};
use hookrail_engine::{CancelToken, Config, HookEventHandler, HookObserver};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

type Object = Map<String, Value>;

/// A question to the hooks of a session, complete.
#[derive(Debug)]
pub(super) enum RpcCall {
    BeforeTool { tool_name: String, tool_input: Object, mcp_context: Option<Value> },
    AfterTool { tool_name: String, tool_input: Object, tool_response: Value, mcp_context: Option<Value> },
    BeforeModel { request: Value, provider: Provider },
    AfterModel { request: Value, sent: Option<Value>, response: Value, provider: Provider },
    BeforeToolSelection { request: Value, provider: Provider },
    Fire { event: EventName, input: Object },
}

type FieldReader = fn(&mut Params) -> Result<RpcCall, ParamsError>;

impl RpcCall {
    /// The methods that ask hooks, each with what reads its parameters.
    pub const METHODS: [(&str, FieldReader); 6] = [
        ("beforeTool", Self::read_before_tool),
        ("afterTool", Self::read_after_tool),
        ("beforeModel", Self::read_before_model),
        ("afterModel", Self::read_after_model),
        ("beforeToolSelection", Self::read_before_tool_selection),
        ("fire", Self::read_fire),
    ];

    fn read_before_tool(params: &mut Params) -> Result<Self, ParamsError> {
        // Tools are the same with every provider; a client may name it on every call.
        read_provider(params)?;
        Ok(Self::BeforeTool {
            tool_name: params.text("toolName")?,
            tool_input: params.object("toolInput")?,
            mcp_context: params.optional("mcpContext"),
        })
    }

    fn read_after_tool(params: &mut Params) -> Result<Self, ParamsError> {
        read_provider(params)?;
        Ok(Self::AfterTool {
            tool_name: params.text("toolName")?,
            tool_input: params.object("toolInput")?,
            tool_response: params.value("toolResponse")?,
            mcp_context: params.optional("mcpContext"),
        })
    }

    fn read_before_model(params: &mut Params) -> Result<Self, ParamsError> {
        Ok(Self::BeforeModel { provider: read_provider(params)?, request: read_object(params, "request")? })
    }

    fn read_after_model(params: &mut Params) -> Result<Self, ParamsError> {
        Ok(Self::AfterModel {
            provider: read_provider(params)?,
            request: read_object(params, "request")?,
            sent: params.optional_object("sentRequest")?.map(Value::Object),
            response: read_object(params, "response")?,
        })
    }

    fn read_before_tool_selection(params: &mut Params) -> Result<Self, ParamsError> {
        Ok(Self::BeforeToolSelection { provider: read_provider(params)?, request: read_object(params, "request")? })
    }

    fn read_fire(params: &mut Params) -> Result<Self, ParamsError> {
        let name = params.text("event")?;
        let event = known_event(&name).map_err(|problem| params.invalid("event", &problem))?;
        Ok(Self::Fire { event, input: params.optional_object("input")?.unwrap_or_default() })
    }

    pub fn event(&self) -> EventName {
        match self {
            Self::BeforeTool { .. } => EventName::BeforeTool,
            Self::AfterTool { .. } => EventName::AfterTool,
            Self::BeforeModel { .. } => EventName::BeforeModel,
            Self::AfterModel { .. } => EventName::AfterModel,
            Self::BeforeToolSelection { .. } => EventName::BeforeToolSelection,
            Self::Fire { event, .. } => event.clone(),
        }
    }

    /// What matchers are compared with.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::BeforeTool { tool_name, .. } | Self::AfterTool { tool_name, .. } => Some(tool_name),
            Self::BeforeModel { .. } | Self::AfterModel { .. } | Self::BeforeToolSelection { .. } => None,
            Self::Fire { event, input } => event.subject_in(input),
        }
    }

    /// Runs the hooks that this call concerns.
    pub fn ask(
        &self,
        config: &Config,
        cancel: &CancelToken,
        observer: Option<Arc<dyn HookObserver>>,
    ) -> Option<Verdict> {
        triggers::ask(config, |handler| {
            let handler = handler.with_cancel_token(cancel.clone());
            match observer {
                Some(observer) => self.fire(&handler.with_observer(observer)),
                None => self.fire(&handler),
            }
        })
    }

    fn fire(&self, handler: &HookEventHandler) -> Verdict {
        match self {
            Self::BeforeTool { tool_name, tool_input, mcp_context } => {
                handler.fire_before_tool_event(tool_name, tool_input, mcp_context.as_ref())
            }
            Self::AfterTool { tool_name, tool_input, tool_response, mcp_context } => {
                handler.fire_after_mcp_tool_event(tool_name, tool_input, tool_response, mcp_context.as_ref())
            }
            Self::BeforeModel { request, provider } => {
                handler.fire_before_model_event(request, provider.for_request(request))
            }
            Self::AfterModel { request, sent, response, provider } => {
                let translator = provider.for_request(request);
                handler.fire_after_model_sent_event(request, sent.as_ref(), response, translator)
            }
            Self::BeforeToolSelection { request, provider } => {
                handler.fire_before_tool_selection_event(request, provider.for_request(request))
            }
            Self::Fire { event, input } => handler.fire_event(event.clone(), input),
        }
    }

    /// What the caller is told. Without a verdict, no hook decided anything.
    pub fn answer(self, verdict: Option<Verdict>) -> EventAnswer {
        let verdict = verdict.unwrap_or_else(|| Verdict::empty(self.event()));
        EventAnswer::new(verdict, |output| self.into_particulars(output))
    }

    fn into_particulars(self, output: Option<&DefaultHookOutput>) -> Particulars {
        match self {
            Self::BeforeTool { tool_input, .. } => {
                let changed = output.map(|output| output.apply_tool_input(&tool_input));
                Particulars::BeforeTool { tool_input: changed.unwrap_or(tool_input) }
            }
            Self::BeforeModel { request, provider } => {
                let translator = provider.for_request(&request);
                let result = BeforeModelHookResult::new(output, &request, translator);
                let blocked_response = result.blocked.then(|| result.blocked_response(translator));
                Particulars::BeforeModel {
                    modified_request: result.modified_request,
                    synthetic_response: result.synthetic_response,
                    blocked_response,
                }
            }
            Self::AfterModel { request, response, provider, .. } => {
                let result = AfterModelHookResult::new(output, &response, provider.for_request(&request));
                let changed = match result.response {
                    Cow::Owned(changed) => Some(changed),
                    Cow::Borrowed(_) => None,
                };
                Particulars::AfterModel { response: changed.unwrap_or(response) }
            }
            Self::BeforeToolSelection { request, provider } => {
                let translator = provider.for_request(&request);
                let result = BeforeToolSelectionHookResult::new(output, &request, translator);
                let modified_request = result.restricted(&request, translator);
                Particulars::BeforeToolSelection { tool_config: result.tool_config, modified_request }
            }
            Self::Fire { event: EventName::AfterAgent, .. } => {
                let clear_context = output.is_some_and(DefaultHookOutput::should_clear_context);
                Particulars::AfterAgent { clear_context }
            }
            Self::AfterTool { .. } | Self::Fire { .. } => Particulars::None {},
        }
    }
}

fn read_provider(params: &mut Params) -> Result<Provider, ParamsError> {
    match params.optional_text("provider")? {
        None => Ok(Provider::GenAi),
        Some(name) => name.parse().map_err(|error: ProviderError| params.invalid("provider", &error.to_string())),
    }
}

fn read_object(params: &mut Params, field: &'static str) -> Result<Value, ParamsError> {
    params.object(field).map(Value::Object)
}

/// An event for `fire`, by hookrail's name or by any agent's.
fn known_event(name: &str) -> Result<EventName, String> {
    match hookrail_dialects::find_event(name) {
        Some(EventName::BeforeTool) => Err(own_method(name, "beforeTool")),
        Some(EventName::AfterTool) => Err(own_method(name, "afterTool")),
        Some(EventName::BeforeModel) => Err(own_method(name, "beforeModel")),
        Some(EventName::AfterModel) => Err(own_method(name, "afterModel")),
        Some(EventName::BeforeToolSelection) => Err(own_method(name, "beforeToolSelection")),
        Some(event) => Ok(event),
        None => {
            let names = EventName::KNOWN.iter().map(EventName::as_str).chain(hookrail_dialects::event_names());
            let suggestion = hookrail_engine::registry::closest(name, names);
            Err(format!("unknown event `{name}`{}", super::error::did_you_mean(suggestion)))
        }
    }
}

fn own_method(event: &str, method: &str) -> String {
    format!("`{event}` has a method of its own\nhint: call `{method}`")
}
