//! From one prompt to the end of the work on it.

use crate::skill::Skill;
use crate::turn_hooks::{TurnHooks, TurnVerdict};
use hookrail_core::EventName;
use hookrail_host::{ChatError, ChatSession, Display, TurnEnd};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// How often hooks may send the agent on before it stops all the same.
const MOST_CONTINUATIONS: usize = 3;
/// What a user types to have a long conversation replaced by its summary.
const COMPRESS: &str = "/compress";
/// What the model is asked for then.
pub const COMPRESS_PROMPT: &str = "Sum up this conversation for a reader who has to continue it: what is wanted, what was decided, \
     what is done and what is left.";

/// Opens a conversation that goes on after this summary.
pub type Opener = Box<dyn Fn(Option<&str>) -> ChatSession>;

pub struct Conversation {
    pub open: Opener,
    pub chat: ChatSession,
    /// Those that are obeyed; `None` leaves it to the chat to tell them.
    pub turn_hooks: Option<TurnHooks>,
    pub root: PathBuf,
    /// What hooks said when the session started, until there is a prompt to say it with.
    pub opening: Option<String>,
}

impl Conversation {
    /// `source` is why there is a new session: `startup` or `compress`.
    pub fn start(&mut self, source: &str) {
        match &self.turn_hooks {
            Some(hooks) => self.opening = hooks.ask(EventName::SessionStart, &[("source", source.into())]).context,
            None => self.chat.start(source),
        }
    }

    pub fn end(self) {
        match &self.turn_hooks {
            Some(hooks) => drop(hooks.ask(EventName::SessionEnd, &[("reason", "exit".into())])),
            None => self.chat.end("exit"),
        }
    }

    /// Works on a prompt until the model is done or a hook ends it.
    pub fn work_on(&mut self, prompt: &str, display: &mut dyn Display) -> Result<TurnEnd, ChatError> {
        if prompt == COMPRESS {
            return self.compress(display);
        }
        let skill = Skill::find(prompt, &self.root);
        let text = skill.as_ref().map_or(prompt, |skill| skill.text.as_str());
        let Some(hooks) = &self.turn_hooks else { return self.chat.send(text, display) };
        let mut told = vec![text.to_owned()];
        told.extend(self.opening.take());
        let expanded = skill.as_ref().map(|skill| ask_about(skill, prompt, hooks));
        let before = hooks.ask(EventName::BeforeAgent, &[("prompt", text.into())]);
        for said in expanded.into_iter().chain([before]) {
            if let Some(end) = said.refusal() {
                display.notice(&format!("a hook refused the prompt: {}", reason(&end)));
                return Ok(end);
            }
            told.extend(said.context);
        }
        self.converse(text, told.join("\n\n"), display)
    }

    /// Goes on with nothing but a summary of what was said.
    fn compress(&mut self, display: &mut dyn Display) -> Result<TurnEnd, ChatError> {
        let mut told = vec![COMPRESS_PROMPT.to_owned()];
        match &self.turn_hooks {
            Some(hooks) => told.extend(hooks.ask(EventName::PreCompress, &[("trigger", "manual".into())]).context),
            None => {
                let payload = Map::from_iter([("trigger".to_owned(), "manual".into())]);
                self.chat.fire_event(EventName::PreCompress, payload);
            }
        }
        let end = self.chat.send(&told.join("\n\n"), display)?;
        if end == TurnEnd::Completed {
            self.chat = (self.open)(Some(&last_answer(&self.chat)));
            self.start(COMPRESS.trim_start_matches('/'));
        }
        Ok(end)
    }

    /// Sends `message` and whatever hooks want said when the model thinks it is done.
    fn converse(&mut self, prompt: &str, mut message: String, display: &mut dyn Display) -> Result<TurnEnd, ChatError> {
        for continuation in 0.. {
            let end = self.chat.send(&message, display)?;
            let (TurnEnd::Completed, Some(hooks)) = (&end, &self.turn_hooks) else { return Ok(end) };
            let fields = [
                ("prompt", prompt.into()),
                ("prompt_response", last_answer(&self.chat).into()),
                ("stop_hook_active", (continuation > 0).into()),
            ];
            match hooks.ask(EventName::AfterAgent, &fields) {
                TurnVerdict { stop: Some(reason), .. } => return Ok(TurnEnd::Stopped { reason }),
                TurnVerdict { objection: Some(reason), .. } if continuation < MOST_CONTINUATIONS => {
                    display.notice(&format!("a hook sends the agent on: {reason}"));
                    message = reason;
                }
                TurnVerdict { .. } => return Ok(end),
            }
        }
        Ok(TurnEnd::TurnLimit)
    }
}

fn ask_about(skill: &Skill, prompt: &str, hooks: &TurnHooks) -> TurnVerdict {
    let fields = [
        ("expansion_type", "slash_command".into()),
        ("command_name", skill.name.as_str().into()),
        ("command_args", skill.args.as_str().into()),
        ("prompt", prompt.into()),
    ];
    hooks.ask(EventName::PromptExpand, &fields)
}

fn reason(end: &TurnEnd) -> &str {
    match end {
        TurnEnd::Blocked { reason } | TurnEnd::Stopped { reason } => reason,
        TurnEnd::Completed | TurnEnd::TurnLimit => "",
    }
}

/// What the model said last.
pub fn last_answer(chat: &ChatSession) -> String {
    let parts = chat.history().last().filter(|content| content.get("role").is_some_and(|role| role == "model"));
    let parts = parts.and_then(|content| content.get("parts")?.as_array()).into_iter().flatten();
    let spoken = parts.filter(|part| part.get("thought") != Some(&Value::Bool(true)));
    spoken.filter_map(|part| part.get("text")?.as_str()).collect()
}
