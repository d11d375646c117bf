//! What the reading thread does with each line.

use super::PROTOCOL_VERSION;
use super::administration::{Descriptions, HookList, Switched};
use super::answer::EventAnswer;
use super::call::RpcCall;
use super::error::RpcError;
use super::lines::{Line, LineReader};
use super::notification::{RequestObserver, send_telemetry};
use super::params::{Params, ParamsError};
use super::reply::{Batch, Destination, RpcReply};
use super::request::{Message, Parsed, Request};
use super::running::Ticket;
use super::server::Shared;
use super::session::{Equipment, Greeting, Session};
use hookrail_core::EventName;
use hookrail_engine::HookObserver;
use hookrail_engine::registry::closest;
use serde::Serialize;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Longer lines are refused.
const LINE_BYTES: usize = 64 << 20;

const CONTROL_METHODS: [&str; 8] =
    ["initialize", "reload", "status", "list", "describe", "setEnabled", "cancel", "shutdown"];

/// Reads requests in their order, answers what needs no hook at once and hands on the rest.
pub(super) struct Dispatcher {
    shared: Arc<Shared>,
    equipment: Equipment,
    session: Option<Arc<Session>>,
    /// The parameters of the session, to open it again.
    opened_with: Option<Params>,
    /// What was switched since, in order.
    switches: Vec<(String, bool)>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusWire {
    protocol_version: u32,
    initialized: bool,
    session_id: Option<String>,
    enabled: bool,
    total_hooks: usize,
    running: usize,
}

#[derive(Serialize)]
struct CancelWire {
    cancelled: bool,
}

impl Dispatcher {
    pub fn new(shared: Arc<Shared>, equipment: Equipment) -> Self {
        Self { shared, equipment, session: None, opened_with: None, switches: Vec::new() }
    }

    /// Serves until the input ends or the output is closed.
    pub fn serve(&mut self, input: impl Read) {
        let mut lines = LineReader::new(input, LINE_BYTES);
        // Answers wait for each other while there is more to read, which saves most of the writing.
        while let Ok(Some(line)) = lines.next(|| self.shared.flush()) {
            match line {
                Line::Bytes(bytes) if bytes.trim_ascii().is_empty() => {}
                Line::Bytes(bytes) => self.handle(Message::parse(bytes)),
                Line::TooLong => {
                    let problem = format!("it is longer than {LINE_BYTES} bytes");
                    self.handle(Message::refuse(RpcError::NotJson(problem)));
                }
            }
            if self.shared.output.is_broken() {
                return;
            }
        }
    }

    fn handle(&mut self, message: Message<'_>) {
        let output = Arc::clone(&self.shared.output);
        match message {
            Message::Single(parsed) => self.handle_parsed(parsed, Destination::Line(output)),
            Message::Batch(items) => {
                let batch = Destination::Batch(Arc::new(Batch::new(output)));
                items.into_iter().for_each(|parsed| self.handle_parsed(parsed, batch.clone()));
            }
        }
    }

    fn handle_parsed(&mut self, parsed: Parsed<'_>, to: Destination) {
        match parsed {
            Ok(request) => {
                let reply = RpcReply::new(request.id.clone(), to);
                self.handle_request(&request, reply);
            }
            Err(refusal) => RpcReply::new(Some(refusal.id), to).refuse(refusal.error),
        }
    }

    fn handle_request(&mut self, request: &Request<'_>, reply: RpcReply) {
        let params = Params::read(request.params);
        match &*request.method {
            "initialize" => reply.send(self.initialize(params)),
            "reload" => reply.send(self.reload(params)),
            "status" => reply.send(self.status(params)),
            "list" => reply.send(self.list(params)),
            "describe" => reply.send(self.describe(params)),
            "setEnabled" => reply.send(self.set_enabled(params)),
            "cancel" => reply.send(self.cancel(params)),
            "shutdown" => self.shutdown(params, reply),
            method => match self.read_call(method, params) {
                Ok((call, session)) => self.ask(call, session, reply),
                Err(error) => reply.refuse(error),
            },
        }
    }

    /// Requests that are still at work go on with the hooks they began with.
    fn initialize(&mut self, params: Result<Params, ParamsError>) -> Result<Greeting, RpcError> {
        if !self.shared.running.is_accepting() {
            return Err(RpcError::ShuttingDown);
        }
        let params = params?;
        let (session, greeting) = Session::open(params.clone(), &self.equipment)?;
        self.session = Some(Arc::new(session));
        self.opened_with = Some(params);
        self.switches.clear();
        Ok(greeting)
    }

    /// Reads the settings of the session again. What was switched by hand stays switched.
    fn reload(&mut self, params: Result<Params, ParamsError>) -> Result<Greeting, RpcError> {
        params?.finish()?;
        let Some(opened_with) = self.opened_with.clone() else { return Err(RpcError::NotInitialized) };
        if !self.shared.running.is_accepting() {
            return Err(RpcError::ShuttingDown);
        }
        let (session, mut greeting) = Session::open(opened_with, &self.equipment)?;
        for (hook, enabled) in &self.switches {
            greeting.events = session.set_enabled(hook, *enabled).events;
        }
        self.session = Some(Arc::new(session));
        Ok(greeting)
    }

    fn session(&self) -> Result<&Session, RpcError> {
        self.session.as_deref().ok_or(RpcError::NotInitialized)
    }

    fn list(&self, params: Result<Params, ParamsError>) -> Result<HookList, RpcError> {
        params?.finish()?;
        Ok(HookList { hooks: self.session()?.hooks() })
    }

    fn describe(&self, params: Result<Params, ParamsError>) -> Result<Descriptions, RpcError> {
        let mut params = params?;
        let name = params.text("hook")?;
        params.finish()?;
        let session = self.session()?;
        let hooks = session.hooks().into_iter().filter(|hook| hook.hook == name);
        Ok(Descriptions { hooks: hooks.map(|hook| session.statistics().describe(hook)).collect() })
    }

    fn set_enabled(&mut self, params: Result<Params, ParamsError>) -> Result<Switched, RpcError> {
        let mut params = params?;
        let (hook, enabled) = (params.text("hook")?, params.flag("enabled")?);
        params.finish()?;
        let switched = self.session()?.set_enabled(&hook, enabled);
        self.switches.push((hook, enabled));
        Ok(switched)
    }

    fn status(&self, params: Result<Params, ParamsError>) -> Result<StatusWire, RpcError> {
        params?.finish()?;
        let session = self.session.as_ref();
        Ok(StatusWire {
            protocol_version: PROTOCOL_VERSION,
            initialized: session.is_some(),
            session_id: session.map(|session| session.config.get_session_id().to_owned()),
            enabled: session.is_some_and(|session| session.config.get_enable_hooks()),
            total_hooks: session.map_or(0, |session| session.total_hooks()),
            running: self.shared.running.len(),
        })
    }

    fn cancel(&self, params: Result<Params, ParamsError>) -> Result<CancelWire, RpcError> {
        let mut params = params?;
        let id = params.value("id")?;
        params.finish()?;
        let cancelled = self.shared.running.cancel(&id);
        // What was waiting for its turn has nothing left to do but to say that it was cancelled.
        let waiting = cancelled.iter().filter_map(|number| self.shared.pool.take_back(*number));
        waiting.for_each(|task| task());
        Ok(CancelWire { cancelled: !cancelled.is_empty() })
    }

    fn shutdown(&self, params: Result<Params, ParamsError>, reply: RpcReply) {
        let refusal = match params.and_then(Params::finish) {
            Ok(()) => self.shared.running.close(reply).map_err(|reply| (reply, RpcError::ShuttingDown)),
            Err(error) => Err((reply, RpcError::from(error))),
        };
        if let Err((reply, error)) = refusal {
            reply.refuse(error);
        }
    }

    fn read_call(
        &self,
        method: &str,
        params: Result<Params, ParamsError>,
    ) -> Result<(RpcCall, Arc<Session>), RpcError> {
        let Some((_, read)) = RpcCall::METHODS.into_iter().find(|(name, _)| *name == method) else {
            return Err(unknown_method(method));
        };
        if !self.shared.running.is_accepting() {
            return Err(RpcError::ShuttingDown);
        }
        let Some(session) = &self.session else { return Err(RpcError::NotInitialized) };
        let mut params = params?;
        let call = read(&mut params)?;
        params.finish()?;
        Ok((call, Arc::clone(session)))
    }

    fn ask(&self, call: RpcCall, session: Arc<Session>, reply: RpcReply) {
        if session.has_nothing_for(&call) {
            let (event, answer) = (call.event(), call.answer(None));
            self.tell(&session, &event, &answer);
            return reply.send(Ok(answer));
        }
        let Some(ticket) = self.shared.running.accept(reply.id()) else {
            return reply.refuse(RpcError::ShuttingDown);
        };
        // Waking another thread takes longer than hooks that wait for nothing. The answer is sent when there is nothing to read.
        if session.answers_at_once(&call) {
            return work(&self.shared, call, &session, reply, ticket, Flush::Later);
        }
        let shared = Arc::clone(&self.shared);
        let number = ticket.number;
        self.shared.pool.submit(number, Box::new(move || work(&shared, call, &session, reply, ticket, Flush::Now)));
    }
}

impl Dispatcher {
    fn tell(&self, session: &Session, event: &EventName, answer: &EventAnswer) {
        if session.wishes.telemetry {
            send_telemetry(&self.shared.output, event, answer);
        }
    }
}

fn unknown_method(name: &str) -> RpcError {
    let methods = RpcCall::METHODS.into_iter().map(|(method, _)| method).chain(CONTROL_METHODS);
    RpcError::UnknownMethod { name: name.to_owned(), suggestion: closest(name, methods).map(str::to_owned) }
}

/// When an answer is sent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flush {
    Now,
    /// Another thread does it soon.
    Later,
}

/// Asks the hooks about a call and answers it.
fn work(shared: &Shared, call: RpcCall, session: &Session, reply: RpcReply, ticket: Ticket, flush: Flush) {
    let event = call.event();
    let answer = catch_unwind(AssertUnwindSafe(|| {
        let verdict = call.ask(&session.config, &ticket.cancel, observer(shared, session, &reply));
        session.count(verdict.as_ref());
        call.answer(verdict)
    }));
    ticket.finish();
    if let (true, Ok(answer)) = (session.wishes.telemetry, &answer) {
        send_telemetry(&shared.output, &event, answer);
    }
    reply.send(answer.map_err(|_| RpcError::Internal));
    if flush == Flush::Now {
        shared.flush();
    }
    // Only now: whoever waits for the end leaves when there is no ticket any more.
    drop(ticket);
}

/// Tells the client of the hooks of its request, if it wants to know. A notification has no name by which to tell it.
fn observer(shared: &Shared, session: &Session, reply: &RpcReply) -> Option<Arc<dyn HookObserver>> {
    let id = reply.id().filter(|_| session.wishes.hooks)?.clone();
    Some(Arc::new(RequestObserver { id, output: Arc::clone(&shared.output) }))
}
