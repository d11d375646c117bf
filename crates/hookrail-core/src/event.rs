use crate::MatcherStyle;
use crate::tool::ToolCall;
use serde_json::{Map, Value};
use std::fmt;
use std::path::PathBuf;

macro_rules! event_names {
    ($($(#[$doc:meta])* $variant:ident),+ $(,)?) => {
        /// The moments at which an agent asks its hooks. Agents spell them differently; these are hookrail's names.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum EventName {
            $($(#[$doc])* $variant,)+
            /// An event hookrail has no name for; hooks may still be registered for it.
            Other(Box<str>),
        }

        impl EventName {
            /// Every name hookrail knows.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant),+];

            /// The name as configuration files and hook inputs spell it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => stringify!($variant),)+
                    Self::Other(name) => name,
                }
            }

            /// The known event of exactly this name.
            #[must_use]
            pub fn known(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($variant) => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

event_names! {
    /// A tool is about to run. A deny keeps it from running, and the input may be rewritten.
    BeforeTool,
    /// A tool has run, and the model has not seen its result yet.
    AfterTool,
    /// A request to the model is complete and not sent yet.
    BeforeModel,
    /// The model's answer is complete.
    AfterModel,
    /// The model is about to choose among the tools that it is offered.
    BeforeToolSelection,
    /// A prompt was submitted.
    BeforeAgent,
    /// The agent is about to stop.
    AfterAgent,
    /// A session begins, or is taken up again.
    SessionStart,
    /// A session is over. What hooks decide has no effect any more.
    SessionEnd,
    /// The conversation is about to be replaced by a summary.
    PreCompress,
    /// The agent tells its user something, or waits for the user.
    Notification,
    /// A tool ran and failed.
    ToolFailed,
    /// The agent is about to ask its user whether a tool may run.
    PermissionRequest,
    /// A slash command was expanded into the prompt that it stands for.
    PromptExpand,
    /// Another agent was given a task.
    SubagentStart,
    /// An agent that was given a task is about to stop.
    SubagentStop,
    /// The conversation was replaced by a summary.
    PostCompress,
    /// A task was put on the agent's list.
    TaskCreated,
    /// A task of the list is about to count as done.
    TaskCompleted,
    /// An agent of a team has nothing left to do.
    TeammateIdle,
}

/// How a hook's matcher is compared on an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchTarget {
    /// As a pattern, against a tool or agent name.
    Name,
    /// Against the word that says why the event happened; see [`crate::Matcher::matches_trigger`].
    Trigger,
    /// Not at all: every hook of the event applies.
    Nothing,
}

/// How the outputs of several hooks become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeRule {
    /// Texts are joined in plan order; nothing a hook said is lost.
    Join,
    /// Later hooks replace earlier ones, field by field.
    Replace,
    /// Tool restrictions are united, the strictest mode wins.
    UniteTools,
    /// The later hook's fields win whole.
    Overwrite,
}

impl EventName {
    /// The eleven events of the hook protocol that settings files of LLxprt Code and Gemini CLI may name (HOOK-081).
    pub const PROTOCOL: [Self; 11] = [
        Self::BeforeTool,
        Self::AfterTool,
        Self::BeforeAgent,
        Self::AfterAgent,
        Self::BeforeModel,
        Self::AfterModel,
        Self::BeforeToolSelection,
        Self::SessionStart,
        Self::SessionEnd,
        Self::PreCompress,
        Self::Notification,
    ];

    /// Total: an unknown name is kept as [`EventName::Other`].
    #[must_use]
    pub fn parse(name: &str) -> Self {
        Self::known(name).unwrap_or_else(|| Self::Other(name.into()))
    }

    /// How the matcher of a hook is compared at this event, by the agent whose format its configuration has. The hook
    /// protocol knows matchers at fewer events than the others.
    #[must_use]
    pub fn match_target(&self, style: MatcherStyle) -> MatchTarget {
        match self {
            Self::BeforeTool
            | Self::AfterTool
            | Self::ToolFailed
            | Self::PermissionRequest
            | Self::SubagentStart
            | Self::SubagentStop => MatchTarget::Name,
            Self::SessionStart | Self::SessionEnd | Self::PreCompress | Self::PostCompress => MatchTarget::Trigger,
            Self::Notification | Self::PromptExpand if style != MatcherStyle::Pattern => MatchTarget::Trigger,
            Self::Other(name) if &**name == "PermissionDenied" => MatchTarget::Name,
            Self::Other(name) if subject_field(name).is_some() => MatchTarget::Trigger,
            Self::BeforeModel
            | Self::AfterModel
            | Self::BeforeToolSelection
            | Self::BeforeAgent
            | Self::AfterAgent
            | Self::Notification
            | Self::PromptExpand
            | Self::TaskCreated
            | Self::TaskCompleted
            | Self::TeammateIdle
            | Self::Other(_) => MatchTarget::Nothing,
        }
    }

    /// The field of the event that matchers are compared with.
    #[must_use]
    pub fn subject_in<'a>(&self, payload: &'a Map<String, Value>) -> Option<&'a str> {
        let field = match self {
            Self::BeforeTool | Self::AfterTool | Self::ToolFailed | Self::PermissionRequest => "tool_name",
            Self::SubagentStart | Self::SubagentStop => "agent_type",
            Self::SessionStart => "source",
            Self::SessionEnd => "reason",
            Self::PreCompress | Self::PostCompress => "trigger",
            Self::Notification => "notification_type",
            Self::PromptExpand => "command_name",
            Self::Other(name) => subject_field(name)?,
            Self::BeforeModel
            | Self::AfterModel
            | Self::BeforeToolSelection
            | Self::BeforeAgent
            | Self::AfterAgent
            | Self::TaskCreated
            | Self::TaskCompleted
            | Self::TeammateIdle => return None,
        };
        let subject = payload.get(field).and_then(Value::as_str)?;
        // A file that changed is known by its name, wherever it lies.
        let is_file = matches!(self, Self::Other(name) if &**name == "FileChanged");
        Some(if is_file { subject.rsplit(['/', '\\']).next().unwrap_or(subject) } else { subject })
    }

    /// How the outputs of several hooks of this event become one.
    #[must_use]
    pub fn merge_rule(&self) -> MergeRule {
        match self {
            Self::BeforeModel | Self::AfterModel => MergeRule::Replace,
            Self::BeforeToolSelection => MergeRule::UniteTools,
            Self::SessionEnd | Self::PreCompress | Self::PostCompress | Self::Notification => MergeRule::Overwrite,
            Self::BeforeTool
            | Self::AfterTool
            | Self::BeforeAgent
            | Self::AfterAgent
            | Self::SessionStart
            | Self::ToolFailed
            | Self::PermissionRequest
            | Self::PromptExpand
            | Self::SubagentStart
            | Self::SubagentStop
            | Self::TaskCreated
            | Self::TaskCompleted
            | Self::TeammateIdle
            | Self::Other(_) => MergeRule::Join,
        }
    }
}

/// What agents compare matchers with at events that hookrail has no name for.
fn subject_field(native: &str) -> Option<&'static str> {
    Some(match native {
        "PermissionDenied" => "tool_name",
        "StopFailure" => "error",
        "Setup" => "trigger",
        "PreModelSwitch" | "PostModelSwitch" => "to_model",
        "Elicitation" | "ElicitationResult" => "mcp_server_name",
        "ConfigChange" | "DirectoryAdded" => "source",
        "InstructionsLoaded" => "load_reason",
        "FileChanged" => "file_path",
        _ => return None,
    })
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Something that happened in an agent, as every hook sees it.
#[derive(Clone, Debug)]
pub struct Event {
    /// What happened.
    pub name: EventName,
    /// The agent's own name for it; empty where the agent uses hookrail's.
    pub native_name: String,
    /// As the agent gave it: text, never a path component.
    pub session_id: String,
    /// The directory in which the agent works. Relative paths of the event start here.
    pub cwd: PathBuf,
    /// ISO 8601, UTC, milliseconds.
    pub timestamp: String,
    /// The file in which the agent writes down its conversation; empty if it did not say.
    pub transcript_path: String,
    /// The tool concerned, on events that have one. Its input stands in `payload`.
    pub tool: Option<ToolCall>,
    /// The event's own fields, in the words of the hook protocol (`tool_name`, `tool_input`, `prompt`, …).
    pub payload: Map<String, Value>,
}

/// The fields every hook input has; an event's own fields never replace them.
pub(crate) const BASE_FIELDS: [&str; 6] =
    ["session_id", "transcript_path", "cwd", "hook_event_name", "timestamp", NATIVE_NAME_FIELD];

/// Where a hook finds [`Event::native_name`] in its input.
pub const NATIVE_NAME_FIELD: &str = "native_event_name";

impl Event {
    /// The JSON object a hook process reads on its stdin (HOOK-062).
    #[must_use]
    pub fn to_input(&self) -> Map<String, Value> {
        let mut input = Map::with_capacity(BASE_FIELDS.len() + self.payload.len());
        let base = [
            self.session_id.as_str(),
            self.transcript_path.as_str(),
            &self.cwd.to_string_lossy(),
            self.name.as_str(),
            self.timestamp.as_str(),
            self.native_name.as_str(),
        ];
        for (key, value) in BASE_FIELDS.iter().zip(base) {
            input.insert((*key).to_owned(), Value::from(value));
        }
        if self.native_name.is_empty() {
            input.shift_remove(NATIVE_NAME_FIELD);
        }
        for (key, value) in &self.payload {
            if !BASE_FIELDS.contains(&key.as_str()) {
                input.insert(key.clone(), value.clone());
            }
        }
        input
    }

    /// One of the event's own fields, if it is text.
    #[must_use]
    pub fn text(&self, field: &str) -> Option<&str> {
        self.payload.get(field).and_then(Value::as_str)
    }

    /// The arguments of the tool concerned, as the agent spelled them.
    #[must_use]
    pub fn tool_input(&self) -> Option<&Value> {
        self.payload.get("tool_input")
    }

    /// What matchers are compared with on this event, if it has such a thing.
    #[must_use]
    pub fn match_subject(&self) -> Option<&str> {
        self.name.subject_in(&self.payload)
    }
}
