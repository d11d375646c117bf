use super::arguments::{self, Arguments};
use crate::conversation::last_answer;
use crate::gemini::GeminiClient;
use hookrail_engine::{CancelToken, Config};
use hookrail_host::{ChatOptions, ChatSession, Display, Tool, ToolError, ToolResult, ToolScheduler, TurnEnd};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// Hands work to another agent: a conversation of its own, under the same hooks, with the same tools but this one.
pub struct Subagents {
    client: GeminiClient,
    config: Arc<Config>,
    tools: Vec<Arc<dyn Tool>>,
    options: ChatOptions,
}

impl Subagents {
    pub fn new(client: GeminiClient, config: Arc<Config>, tools: Vec<Arc<dyn Tool>>, options: ChatOptions) -> Self {
        Self { client, config, tools, options }
    }

    fn work(&self, args: &Arguments, cancel: &CancelToken) -> Result<String, String> {
        let name = arguments::text(args, "subagent_name")?;
        let goal = arguments::text(args, "goal_prompt")?;
        let instruction = format!("You are the agent `{name}`. Do what you are asked to and say what came of it.");
        let options = ChatOptions { system_instruction: Some(instruction), ..self.options.clone() };
        let scheduler = ToolScheduler::new(Arc::clone(&self.config), self.tools.clone()).cancel_token(cancel.clone());
        let mut chat = ChatSession::new(Box::new(self.client.clone()), scheduler, options);
        match chat.send(goal, &mut Unseen) {
            Ok(TurnEnd::Completed) => Ok(last_answer(&chat)),
            Ok(TurnEnd::Blocked { reason } | TurnEnd::Stopped { reason }) => Err(reason),
            Ok(TurnEnd::TurnLimit) => Err(format!("`{name}` did not come to an end")),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl fmt::Debug for Subagents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subagents").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Tool for Subagents {
    fn name(&self) -> &str {
        "task"
    }

    fn declaration(&self) -> Value {
        json!({
            "name": self.name(),
            "description": "Hands a piece of work to another agent and returns what came of it.",
            "parameters": {
                "type": "object",
                "properties": {
                    "subagent_name": {"type": "string", "description": "its trade, such as `software-developer`"},
                    "goal_prompt": {"type": "string", "description": "everything it has to know"},
                },
                "required": ["subagent_name", "goal_prompt"],
            },
        })
    }

    fn validate(&self, args: &Arguments) -> Result<(), ToolError> {
        arguments::text(args, "subagent_name")?;
        arguments::text(args, "goal_prompt")?;
        arguments::only(args, &["subagent_name", "goal_prompt"]).map_err(ToolError)
    }

    fn execute(&self, args: &Arguments, cancel: &CancelToken) -> ToolResult {
        match self.work(args, cancel) {
            Ok(answer) => ToolResult::text(&answer),
            Err(why) => ToolResult::failed(&why),
        }
    }
}

/// What it does is its own affair; its result is shown.
struct Unseen;

impl Display for Unseen {
    fn text_chunk(&mut self, _: &str) {}
}
