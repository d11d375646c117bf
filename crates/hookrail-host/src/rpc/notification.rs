//! What the server says without having been asked, to those who want to know.

use super::answer::EventAnswer;
use super::output::Output;
use super::request::RequestId;
use super::run::RunWire;
use hookrail_core::{EventName, HookEntry, HookRun};
use hookrail_engine::HookObserver;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// What a session wants to be told beside its answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NotificationOptions {
    /// `hookStarted` and `hookFinished`.
    pub hooks: bool,
    /// `telemetry`.
    pub telemetry: bool,
}

#[derive(Serialize)]
struct NotificationWire<P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: P,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StartedWire<'a> {
    id: &'a RawValue,
    event: &'a str,
    hook: &'a str,
    kind: &'static str,
    source: &'static str,
    origin: String,
    status_message: Option<&'a str>,
}

#[derive(Serialize)]
struct FinishedWire<'a> {
    id: &'a RawValue,
    event: &'a str,
    run: RunWire,
}

/// Tells a client which hooks of one of its requests begin and end.
pub(super) struct RequestObserver {
    pub id: RequestId,
    pub output: Arc<Output>,
}

impl std::fmt::Debug for RequestObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestObserver").field("id", &self.id).finish_non_exhaustive()
    }
}

impl HookObserver for RequestObserver {
    fn started(&self, event: &EventName, hook: &HookEntry) {
        let params = StartedWire {
            id: self.id.as_json(),
            event: event.as_str(),
            hook: hook.id(),
            kind: hook.action.kind(),
            source: hook.source.as_str(),
            origin: hook.origin.to_string(),
            status_message: hook.status_message.as_deref(),
        };
        send(&self.output, "hookStarted", params);
        self.output.flush();
    }

    fn finished(&self, event: &EventName, run: &HookRun) {
        let params = FinishedWire { id: self.id.as_json(), event: event.as_str(), run: RunWire::new(run) };
        send(&self.output, "hookFinished", params);
    }
}

/// One line for every event, also for those that no hook looked at (HOOK-146).
pub(super) fn send_telemetry(output: &Output, event: &EventName, answer: &EventAnswer) {
    send(output, "telemetry", answer.telemetry(event));
}

fn send(output: &Output, method: &'static str, params: impl Serialize) {
    let notification = NotificationWire { jsonrpc: "2.0", method, params };
    // What cannot be written as JSON does not exist among these types.
    if let Ok(line) = serde_json::to_string(&notification) {
        output.write_line(&line);
    }
}
