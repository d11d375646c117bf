use crate::EventName;
use serde_json::{Map, Value};

/// What an output changes, by what its event lets it change. Every event has one shape; [`Rewrite::Nothing`] is the shape
/// of events at which nothing can be changed, and of a hook that does not want to.
///
/// Requests, responses and tool configurations are documents of the stable form ([`crate::llm`]) and stay JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Rewrite {
    /// The operation stays as it is.
    #[default]
    Nothing,
    /// BeforeTool: other arguments.
    ToolCall {
        /// What the tool runs with, if not with what the model asked for.
        input: Option<InputRewrite>,
    },
    /// PermissionRequest: other arguments, and rules that the agent is to remember.
    Permission {
        /// What the tool runs with, if not with what the model asked for.
        input: Option<InputRewrite>,
        /// Rules in the agent's own form (`updatedPermissions`).
        permissions: Option<Value>,
    },
    /// AfterTool: another result for the model, and a call that is to follow.
    ToolResult {
        /// The result of any tool (`updatedToolOutput`).
        output: Option<Value>,
        /// The result of a tool of an MCP server (`updatedMCPToolOutput`).
        mcp_output: Option<Value>,
        /// The call (`tailToolCallRequest`).
        tail_call: Option<Map<String, Value>>,
    },
    /// BeforeModel: changes to the request, or an answer in place of the model's.
    ModelRequest {
        /// The fields that change.
        request: Option<Map<String, Value>>,
        /// The answer.
        response: Option<Map<String, Value>>,
    },
    /// AfterModel: another response.
    ModelResponse {
        /// The response, whole.
        response: Option<Map<String, Value>>,
    },
    /// BeforeToolSelection: the tools that may be chosen.
    ToolSelection {
        /// A mode and names.
        config: Option<Map<String, Value>>,
    },
    /// AfterAgent: the conversation begins anew.
    TurnEnd {
        /// Whether it does.
        clear_context: bool,
    },
    /// Elicitation: an answer in place of the user's.
    Elicitation {
        /// What is done with the question.
        action: Option<ElicitationAction>,
        /// What an accepted question is answered with.
        content: Option<Value>,
    },
}

/// Other arguments for a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRewrite {
    /// Arguments by name.
    pub fields: Map<String, Value>,
    /// These are all the arguments (Claude Code's `updatedInput`); otherwise those not named stay as they are.
    pub whole: bool,
}

/// How a question of an MCP server is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElicitationAction {
    /// The question is answered, with the rewrite's content.
    Accept,
    /// The answer is no.
    Decline,
    /// The question is closed without an answer.
    Cancel,
}

impl ElicitationAction {
    /// Reads a hook's `action`; `None` for a word that is none.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "accept" => Some(Self::Accept),
            "decline" => Some(Self::Decline),
            "cancel" => Some(Self::Cancel),
            _ => None,
        }
    }

    /// The word for it in a hook's output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

impl InputRewrite {
    /// The arguments the tool really runs with.
    #[must_use]
    pub fn apply(&self, original: &Map<String, Value>) -> Map<String, Value> {
        let mut input = if self.whole { Map::new() } else { original.clone() };
        extend(&mut input, &self.fields);
        input
    }

    /// This change, and then another one.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self { fields: next.apply(&self.fields), whole: self.whole || next.whole }
    }
}

impl Rewrite {
    /// The shape of an event, without any change.
    #[must_use]
    pub fn of(event: &EventName) -> Self {
        match event {
            EventName::BeforeTool => Self::ToolCall { input: None },
            EventName::PermissionRequest => Self::Permission { input: None, permissions: None },
            EventName::AfterTool => Self::ToolResult { output: None, mcp_output: None, tail_call: None },
            EventName::BeforeModel => Self::ModelRequest { request: None, response: None },
            EventName::AfterModel => Self::ModelResponse { response: None },
            EventName::BeforeToolSelection => Self::ToolSelection { config: None },
            EventName::AfterAgent => Self::TurnEnd { clear_context: false },
            EventName::Other(name) if matches!(&**name, "Elicitation" | "ElicitationResult") => {
                Self::Elicitation { action: None, content: None }
            }
            EventName::SessionStart
            | EventName::SessionEnd
            | EventName::PreCompress
            | EventName::Notification
            | EventName::ToolFailed
            | EventName::PromptExpand
            | EventName::BeforeAgent
            | EventName::SubagentStart
            | EventName::SubagentStop
            | EventName::PostCompress
            | EventName::TaskCreated
            | EventName::TaskCompleted
            | EventName::TeammateIdle
            | EventName::Other(_) => Self::Nothing,
        }
    }

    /// Whether it changes anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::ToolCall { input } => input.is_none(),
            Self::Permission { input, permissions } => input.is_none() && permissions.is_none(),
            Self::ToolResult { output, mcp_output, tail_call } => {
                output.is_none() && mcp_output.is_none() && tail_call.is_none()
            }
            Self::ModelRequest { request, response } => request.is_none() && response.is_none(),
            Self::ModelResponse { response } => response.is_none(),
            Self::ToolSelection { config } => config.is_none(),
            Self::TurnEnd { clear_context } => !clear_context,
            Self::Elicitation { action, content } => action.is_none() && content.is_none(),
        }
    }

    /// Other arguments for the tool, on the two events that are about a call.
    #[must_use]
    pub fn tool_input(&self) -> Option<&InputRewrite> {
        match self {
            Self::ToolCall { input } | Self::Permission { input, .. } => input.as_ref(),
            _ => None,
        }
    }

    /// What BeforeModel hooks changed of the request.
    #[must_use]
    pub fn request(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::ModelRequest { request, .. } => request.as_ref(),
            _ => None,
        }
    }

    /// What stands in the place of the model's response.
    #[must_use]
    pub fn response(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::ModelRequest { response, .. } | Self::ModelResponse { response } => response.as_ref(),
            _ => None,
        }
    }

    /// The tools that may be chosen.
    #[must_use]
    pub fn tool_config(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::ToolSelection { config } => config.as_ref(),
            _ => None,
        }
    }

    /// This change, and where the next hook changes the same thing, its change instead. Arguments of a tool are merged key
    /// by key, and so is a request if `requests` says so.
    #[must_use]
    pub fn then(self, next: &Self, requests: Requests) -> Self {
        match (self, next) {
            (before, Self::Nothing) => before,
            (Self::ToolCall { input }, Self::ToolCall { input: next }) => {
                Self::ToolCall { input: chain(input, next.as_ref()) }
            }
            (
                Self::Permission { input, permissions },
                Self::Permission { input: next, permissions: next_permissions },
            ) => Self::Permission {
                input: chain(input, next.as_ref()),
                permissions: next_permissions.clone().or(permissions),
            },
            (
                Self::ToolResult { output, mcp_output, tail_call },
                Self::ToolResult { output: next_output, mcp_output: next_mcp, tail_call: next_call },
            ) => Self::ToolResult {
                output: next_output.clone().or(output),
                mcp_output: next_mcp.clone().or(mcp_output),
                tail_call: next_call.clone().or(tail_call),
            },
            (
                Self::ModelRequest { request, response },
                Self::ModelRequest { request: next_request, response: next_response },
            ) => Self::ModelRequest {
                request: requests.merge(request, next_request.as_ref()),
                response: next_response.clone().or(response),
            },
            (Self::ModelResponse { response }, Self::ModelResponse { response: next }) => {
                Self::ModelResponse { response: next.clone().or(response) }
            }
            (Self::ToolSelection { config }, Self::ToolSelection { config: next }) => {
                Self::ToolSelection { config: next.clone().or(config) }
            }
            (Self::TurnEnd { clear_context }, Self::TurnEnd { clear_context: next }) => {
                Self::TurnEnd { clear_context: clear_context || *next }
            }
            (
                Self::Elicitation { action, content },
                Self::Elicitation { action: next_action, content: next_content },
            ) => Self::Elicitation { action: next_action.or(action), content: next_content.clone().or(content) },
            // Hooks of one event have its shape or none.
            (_, next) => next.clone(),
        }
    }
}

/// How changes of two hooks to one request become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// The later one is the request.
    Replace,
    /// A sequential hook was shown its predecessor's changes and answers with its own only; together they are the request.
    Overlay,
}

impl Requests {
    fn merge(
        self,
        before: Option<Map<String, Value>>,
        next: Option<&Map<String, Value>>,
    ) -> Option<Map<String, Value>> {
        match (self, before, next) {
            (_, before, None) => before,
            (Self::Overlay, Some(mut before), Some(next)) => {
                extend(&mut before, next);
                Some(before)
            }
            (_, _, Some(next)) => Some(next.clone()),
        }
    }
}

fn chain(before: Option<InputRewrite>, next: Option<&InputRewrite>) -> Option<InputRewrite> {
    match (before, next) {
        (before, None) => before,
        (None, Some(next)) => Some(next.clone()),
        (Some(before), Some(next)) => Some(before.then(next)),
    }
}

fn extend(target: &mut Map<String, Value>, fields: &Map<String, Value>) {
    target.extend(fields.iter().map(|(key, value)| (key.clone(), value.clone())));
}
