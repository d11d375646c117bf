//! Hooks that ask another party over the network: a model (`prompt`) or a web service (`http`).

mod endpoint;
mod network;
mod policy;

pub use endpoint::{ApiKey, PromptEndpoint, Provider};
pub use network::{Network, NetworkQuestion, Recipient};
pub use policy::HttpPolicy;

use super::Prepared;
use super::lane::{HookAnswer, HookReply, Job};
use super::process::Stdin;
use crate::logger::{DebugLogger, Level, log};
use hookrail_core::process_result::{ProcessExit, ProcessResult, interpret};
use hookrail_core::{Event, EventName, Failure, HookEntry, HookError, HookOutput, HttpAction, PromptAction};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Whom the hooks of a session may ask. The default asks no model, and no web service on a private network.
#[derive(Clone, Debug, Default)]
pub struct AskingSettings {
    /// The model that prompt hooks ask. Without one they abstain.
    pub prompt_endpoint: Option<PromptEndpoint>,
    /// What HTTP hooks may reach.
    pub http: HttpPolicy,
    /// The way to them. Without one, hooks that ask fail.
    pub network: Option<Arc<dyn Network>>,
}

/// The failure of a hook that asks, where there is no network.
const NO_NETWORK: &str = "this program has no network for prompt and HTTP hooks";

fn ask(network: Option<&Arc<dyn Network>>, question: &NetworkQuestion) -> Result<String, Failure> {
    network.ok_or_else(|| Failure::NotStarted(NO_NETWORK.to_owned()))?.ask(question)
}

fn as_text(event: &[u8]) -> String {
    String::from_utf8_lossy(event).into_owned()
}

/// Puts a native hook's question about an event before a model; `None` if that asks for a key and there is none.
pub(crate) fn judge(
    network: Option<&Arc<dyn Network>>,
    endpoint: PromptEndpoint,
    prompt: &str,
    event: &Event,
    timeout: Duration,
) -> Result<Option<HookOutput>, HookError> {
    if endpoint.lacks_key() {
        return Ok(None);
    }
    let recipient = Recipient::Model { endpoint, prompt: prompt.to_owned(), model: None };
    let event_text = as_text(&serde_json::to_vec(&event.to_input()).unwrap_or_default());
    let question = NetworkQuestion { recipient, event: event_text, timeout };
    let answer = ask(network, &question).map_err(|failure| HookError::new(failure.to_string()))?;
    Ok(interpret(&event.name, &ProcessExit::Code(0), &answer, "").output)
}

/// What the asking hooks of a runner share.
#[derive(Debug)]
pub(super) struct Asking {
    settings: AskingSettings,
    logger: Arc<dyn DebugLogger>,
    /// Hooks that have already been told of in the log as abstaining.
    reported: Mutex<HashSet<String>>,
}

impl Asking {
    pub fn new(settings: AskingSettings, logger: Arc<dyn DebugLogger>) -> Self {
        Self { settings, logger, reported: Mutex::default() }
    }

    /// A question to the model, or an abstention if there is no model to ask.
    pub fn prompt(
        self: &Arc<Self>,
        hook: &HookEntry,
        action: &PromptAction,
        name: &EventName,
        event: Stdin,
    ) -> Prepared {
        let endpoint = match &self.settings.prompt_endpoint {
            None => return self.abstain(hook, "no model endpoint is configured; this prompt hook abstains"),
            Some(endpoint) if endpoint.lacks_key() => {
                return self.abstain(hook, "the model endpoint has no API key; this prompt hook abstains");
            }
            Some(endpoint) => endpoint.clone(),
        };
        let (asking, action, timeout, name) = (Arc::clone(self), action.clone(), hook.timeout, name.clone());
        Prepared::InProcess(Job::asking(hook, move || {
            let recipient = Recipient::Model { endpoint, prompt: action.prompt, model: action.model };
            let reply = asking.ask(recipient, &name, &event, timeout)?;
            // A model has no say beyond its answer: only that is recorded.
            Ok(reply.output.into())
        }))
    }

    /// The event, to a web service.
    pub fn http(self: &Arc<Self>, hook: &HookEntry, action: HttpAction, name: &EventName, event: Stdin) -> Prepared {
        let (asking, timeout, name) = (Arc::clone(self), hook.timeout, name.clone());
        Prepared::InProcess(Job::asking(hook, move || {
            let policy = asking.settings.http.clone();
            let recipient = Recipient::Service { policy, url: action.url, headers: action.headers };
            asking.ask(recipient, &name, &event, timeout)
        }))
    }

    fn ask(&self, recipient: Recipient, name: &EventName, event: &Stdin, timeout: Duration) -> HookAnswer {
        let question = NetworkQuestion { recipient, event: as_text(event.bytes()), timeout };
        let answer = ask(self.settings.network.as_ref(), &question)?;
        let ProcessResult { output, raw, misread, .. } = interpret(name, &ProcessExit::Code(0), &answer, "");
        Ok(HookReply { output, raw, misread, ..HookReply::default() })
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
