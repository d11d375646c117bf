//! Hooks that ask another party over the network: a model (`prompt`) or a web service (`http`).

mod address;
mod answer;
mod endpoint;
mod error;
mod guard;
mod host_names;
mod http;
mod prompt;
mod question;
mod web;
mod wire;

pub use endpoint::{ApiKey, PromptEndpoint, Provider};
pub use guard::HttpPolicy;

use super::Prepared;
use super::lane::Job;
use super::process::Stdin;
use crate::logger::{DebugLogger, Level, log};
use hookrail_core::{Event, EventName, HookEntry, HookError, HookOutput, HttpAction, PromptAction};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use web::Web;

/// Whom the hooks of a session may ask. The default asks no model, and no web service on a private network.
#[derive(Clone, Debug, Default)]
pub struct AskingSettings {
    /// The model that prompt hooks ask. Without one they abstain.
    pub prompt_endpoint: Option<PromptEndpoint>,
    /// What HTTP hooks may reach.
    pub http: HttpPolicy,
}

/// Puts a native hook's question about an event before a model; `None` if that asks for a key and there is none.
pub(crate) fn judge(
    endpoint: &PromptEndpoint,
    prompt: &str,
    event: &Event,
    timeout: Duration,
) -> Result<Option<HookOutput>, HookError> {
    if endpoint.lacks_key() {
        return Ok(None);
    }
    let action = PromptAction { prompt: prompt.to_owned(), model: None };
    let event = serde_json::to_vec(&event.to_input()).unwrap_or_default();
    let answer = prompt::ask(&Web::default(), endpoint, &action, &event, timeout);
    answer.map(Some).map_err(|error| HookError::new(error.into_failure(timeout).to_string()))
}

/// What the asking hooks of a runner share. Making one costs nothing; the network is prepared for at the first question.
#[derive(Debug)]
pub(super) struct Asking {
    settings: AskingSettings,
    web: Web,
    logger: Arc<dyn DebugLogger>,
    /// Hooks that have already been told of in the log as abstaining.
    reported: Mutex<HashSet<String>>,
}

impl Asking {
    pub fn new(settings: AskingSettings, logger: Arc<dyn DebugLogger>) -> Self {
        Self { settings, web: Web::default(), logger, reported: Mutex::default() }
    }

    /// A question to the model, or an abstention if there is no model to ask.
    pub fn prompt(self: &Arc<Self>, hook: &HookEntry, action: &PromptAction, event: Stdin) -> Prepared {
        let endpoint = match &self.settings.prompt_endpoint {
            None => return self.abstain(hook, "no model endpoint is configured; this prompt hook abstains"),
            Some(endpoint) if endpoint.lacks_key() => {
                return self.abstain(hook, "the model endpoint has no API key; this prompt hook abstains");
            }
            Some(endpoint) => endpoint.clone(),
        };
        let (asking, action, timeout) = (Arc::clone(self), action.clone(), hook.timeout);
        Prepared::InProcess(Job::asking(hook, move || {
            let answer = prompt::ask(&asking.web, &endpoint, &action, event.bytes(), timeout);
            answer.map(|output| Some(output).into()).map_err(|error| error.into_failure(timeout))
        }))
    }

    /// The event, to a web service.
    pub fn http(self: &Arc<Self>, hook: &HookEntry, action: &HttpAction, name: &EventName, event: Stdin) -> Prepared {
        let (asking, action, timeout, name) = (Arc::clone(self), action.clone(), hook.timeout, name.clone());
        Prepared::InProcess(Job::asking(hook, move || {
            let answer = http::ask(&asking.web, &asking.settings.http, &action, &name, event.bytes(), timeout);
            answer.map_err(|error| error.into_failure(timeout))
        }))
    }

    fn abstain(&self, hook: &HookEntry, why: &str) -> Prepared {
        let first_time =
            self.reported.lock().unwrap_or_else(PoisonError::into_inner).insert(hook.action.subject().to_owned());
        if first_time {
            log(&*self.logger, Level::Warn, || format!("hook `{}` ({}): {why}", hook.id(), hook.origin));
        }
        Prepared::Abstained(why.to_owned())
    }
}
