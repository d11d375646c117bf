use super::client::{ModelClient, ModelError};
use super::conversation::Conversation;
use super::display::Display;
use super::event_queue::EventQueue;
use super::model_call::{ModelAnswer, ModelCall};
use super::options::ChatOptions;
use super::response::{calls_of, content_of, finish_reason, spoken_text};
use crate::scheduler::{ToolCallStatus, ToolCallUpdate, ToolScheduler};
use hookrail_core::EventName;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;

/// An agent's conversation with a model.
pub struct ChatSession {
    client: Box<dyn ModelClient>,
    scheduler: ToolScheduler,
    options: ChatOptions,
    conversation: Conversation,
    events: EventQueue,
}

/// How the agent's loop ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// The model had nothing more to do.
    Completed,
    /// A hook did not let the model be asked, and did not answer for it: there is no output (HOOK-202).
    Blocked {
        /// What the hook said; never empty.
        reason: String,
    },
    /// A hook stopped the agent.
    Stopped {
        /// What the hook said; never empty.
        reason: String,
    },
    /// The model went on and on; see [`ChatOptions::max_turns`].
    TurnLimit,
}

/// Why a prompt could not be worked on to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The model could not be asked, or its answer did not arrive.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The provider ended an empty answer, for this reason of its own.
    #[error("the model ended its answer (`{0}`) without saying anything")]
    NoAnswer(String),
    /// The user cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl fmt::Debug for ChatSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatSession")
            .field("scheduler", &self.scheduler)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl ChatSession {
    /// The session's hooks are those of the scheduler's [`Config`](hookrail_engine::Config).
    #[must_use]
    pub fn new(client: Box<dyn ModelClient>, scheduler: ToolScheduler, options: ChatOptions) -> Self {
        let events = EventQueue::new(Arc::clone(scheduler.config()));
        Self { client, scheduler, options, conversation: Conversation::default(), events }
    }

    /// The conversation so far, as Gemini contents.
    #[must_use]
    pub fn history(&self) -> &[Value] {
        self.conversation.contents()
    }

    /// Tells hooks that the session begins; `source` is `startup`, `resume` or `clear`.
    pub fn start(&mut self, source: &str) {
        self.events.fire(EventName::SessionStart, || fields(&[("source", source.into())]));
    }

    /// Tells hooks that the session is over, and waits for those that still run; `reason` is `exit`, `clear`, `logout`,
    /// `prompt_input_exit` or `other`.
    pub fn end(mut self, reason: &str) {
        self.events.fire(EventName::SessionEnd, || fields(&[("reason", reason.into())]));
    }

    /// Fires an event that does not change what the agent does, such as `PreCompress` or `Notification`, without waiting
    /// for its hooks (HOOK-203).
    pub fn fire_event(&mut self, event: EventName, payload: Map<String, Value>) {
        self.events.fire(event, || payload);
    }

    /// Gives the model a prompt and does what it asks for until it is done or a hook ends it.
    pub fn send(&mut self, prompt: &str, display: &mut dyn Display) -> Result<TurnEnd, ChatError> {
        self.events.fire(EventName::BeforeAgent, || fields(&[("prompt", prompt.into())]));
        self.conversation.prompt(prompt);
        let end = self.converse(display);
        self.conversation.withdraw_unanswered();
        let end = end?;
        match &end {
            TurnEnd::Blocked { reason } => {
                display.notice(&format!("a hook blocked the request to the model: {reason}"));
            }
            TurnEnd::Stopped { reason } => display.notice(&format!("a hook stopped the agent: {reason}")),
            TurnEnd::Completed | TurnEnd::TurnLimit => {}
        }
        let contents = self.conversation.contents();
        self.events.fire(EventName::AfterAgent, || report(prompt, contents));
        Ok(end)
    }

    fn converse(&mut self, display: &mut dyn Display) -> Result<TurnEnd, ChatError> {
        for _ in 0..self.options.max_turns {
            if let Some(end) = self.take_turn(display)? {
                return Ok(end);
            }
        }
        Ok(TurnEnd::TurnLimit)
    }

    /// One answer of the model and the tools it calls.
    fn take_turn(&mut self, display: &mut dyn Display) -> Result<Option<TurnEnd>, ChatError> {
        let ModelAnswer { response, restriction, blocked, stop, notes } = self.call_model(display)?;
        notes.into_iter().for_each(|note| self.conversation.note(note));
        let Some(content) = content_of(&response) else {
            return match (stop, blocked) {
                (Some(reason), _) => Ok(Some(TurnEnd::Stopped { reason })),
                (None, Some(reason)) => Ok(Some(TurnEnd::Blocked { reason })),
                (None, None) => Err(ChatError::NoAnswer(finish_reason(&response).to_owned())),
            };
        };
        let calls = calls_of(content);
        self.conversation.answer(content.clone());
        if let Some(reason) = stop {
            return Ok(Some(TurnEnd::Stopped { reason }));
        }
        if calls.is_empty() {
            return Ok(Some(TurnEnd::Completed));
        }
        let outcomes = self.scheduler.schedule(&calls, &restriction, &mut |update| show_update(display, update));
        self.conversation.respond(&outcomes);
        let reasons: Vec<String> = outcomes.into_iter().filter_map(|outcome| outcome.stop).collect();
        Ok((!reasons.is_empty()).then(|| TurnEnd::Stopped { reason: reasons.join("\n") }))
    }

    fn call_model(&self, display: &mut dyn Display) -> Result<ModelAnswer, ChatError> {
        let call = ModelCall {
            config: self.scheduler.config(),
            client: &*self.client,
            cancel: self.scheduler.cancel(),
            timing: self.options.display,
        };
        call.run(self.request(), display)
    }

    /// The whole request, as it would be sent if there were no hooks.
    fn request(&self) -> Value {
        let mut config = self.options.config.clone();
        if let Some(text) = &self.options.system_instruction {
            config.insert("systemInstruction".to_owned(), json!({"parts": [{"text": text}]}));
        }
        let declarations = self.scheduler.declarations();
        if !declarations.is_empty() {
            let own = json!({ "functionDeclarations": declarations });
            match config.get_mut("tools") {
                Some(Value::Array(tools)) => tools.push(own),
                _ => drop(config.insert("tools".to_owned(), json!([own]))),
            }
        }
        json!({"model": self.options.model, "contents": self.history(), "config": config})
    }
}

fn report(prompt: &str, contents: &[Value]) -> Map<String, Value> {
    let answer = contents.last().filter(|content| content.get("role").is_some_and(|role| role == "model"));
    let answer = answer.map(spoken_text).unwrap_or_default();
    fields(&[("prompt", prompt.into()), ("prompt_response", answer.into()), ("stop_hook_active", false.into())])
}

fn show_update(display: &mut dyn Display, update: ToolCallUpdate<'_>) {
    match update {
        ToolCallUpdate::Status { call, status: ToolCallStatus::Executing } => display.tool_call(call),
        ToolCallUpdate::Status { status: ToolCallStatus::Validating | ToolCallStatus::Idle, .. } => {}
        ToolCallUpdate::Published(outcome) if outcome.result.suppress_display => {}
        ToolCallUpdate::Published(outcome) => display.tool_result(outcome),
    }
}

fn fields(pairs: &[(&str, Value)]) -> Map<String, Value> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}
