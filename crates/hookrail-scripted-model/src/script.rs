//! What the model will say: turns, and the order in which requests receive them.

use crate::recorded::Recorded;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One answer of the model, the same for every provider.
///
/// A turn cannot say which wire format it is sent in: that is the request's choice, as is streaming.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub(crate) delay: Duration,
    pub(crate) outcome: TurnOutcome,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TurnOutcome {
    Speak(ScriptedReply, StreamEnd),
    Fail { status: u16, message: String },
}

/// What the model says; at least one of the two is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptedReply {
    pub text: Option<String>,
    pub calls: Vec<ToolCall>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum StreamEnd {
    Complete,
    Cut,
}

/// A tool the model wants to use.
///
/// Arguments are an object. A string instead is the input of a free-form tool, such as Codex's `apply_patch`, in the
/// formats that have them; the others receive it as `{"input": …}`.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    pub name: String,
    pub args: Value,
    /// The group the tool belongs to, in the one format that has groups (OpenAI Responses).
    pub namespace: Option<String>,
}

impl ToolCall {
    /// A call of the tool `name`.
    pub fn new(name: impl Into<String>, args: Value) -> Self {
        Self { name: name.into(), args, namespace: None }
    }

    /// A call of a tool in a group. Codex keeps its sub-agent and MCP tools in groups and finds them only so, whether
    /// or not it has told the model about them.
    #[must_use]
    pub fn in_namespace(self, namespace: impl Into<String>) -> Self {
        Self { namespace: Some(namespace.into()), ..self }
    }
}

impl<N: Into<String>> From<(N, Value)> for ToolCall {
    fn from((name, args): (N, Value)) -> Self {
        Self::new(name, args)
    }
}

impl Turn {
    /// The model says `text` and is done.
    pub fn text(text: impl Into<String>) -> Self {
        Self::speak(Some(text.into()), Vec::new(), StreamEnd::Complete)
    }

    /// The model calls one tool.
    pub fn tool_call(name: impl Into<String>, args: Value) -> Self {
        Self::tool_calls([ToolCall::new(name, args)])
    }

    /// The model calls several tools at once, given as [`ToolCall`]s or as `(name, arguments)`.
    ///
    /// # Panics
    ///
    /// When there is no call: that would be a turn that says nothing.
    pub fn tool_calls<C: Into<ToolCall>>(calls: impl IntoIterator<Item = C>) -> Self {
        let calls: Vec<_> = calls.into_iter().map(Into::into).collect();
        assert!(!calls.is_empty(), "a turn of tool calls needs at least one");
        Self::speak(None, calls, StreamEnd::Complete)
    }

    /// The model says `text`, then calls tools.
    pub fn text_and_calls<C: Into<ToolCall>>(text: impl Into<String>, calls: impl IntoIterator<Item = C>) -> Self {
        Self::speak(Some(text.into()), calls.into_iter().map(Into::into).collect(), StreamEnd::Complete)
    }

    /// The provider answers with an HTTP error in its own form. Real clients try again after 429 and 5xx, and the
    /// new attempt takes the next turn.
    ///
    /// # Panics
    ///
    /// When `status` is not an error (400 to 599).
    pub fn error(status: u16, message: impl Into<String>) -> Self {
        assert!((400..600).contains(&status), "`{status}` is not the status of an error");
        Self { delay: Duration::ZERO, outcome: TurnOutcome::Fail { status, message: message.into() } }
    }

    /// The connection breaks: a stream ends right after `text` without any closing event, a plain answer in the
    /// middle of its body.
    pub fn abort_after(text: impl Into<String>) -> Self {
        Self::speak(Some(text.into()), Vec::new(), StreamEnd::Cut)
    }

    /// The same as `turn`, but only after `duration`. Dropping the server cuts the wait short.
    pub fn delay(duration: Duration, turn: impl Into<Box<Turn>>) -> Self {
        let turn = *turn.into();
        Self { delay: turn.delay + duration, ..turn }
    }

    fn speak(text: Option<String>, calls: Vec<ToolCall>, ending: StreamEnd) -> Self {
        Self { delay: Duration::ZERO, outcome: TurnOutcome::Speak(ScriptedReply { text, calls }, ending) }
    }
}

/// Which request gets which [`Turn`].
///
/// A request is first shown to the [rules](Script::when), in the order they were added; the turn of the first that
/// matches answers it, however often that happens. All other requests take the ordered turns one by one, and when
/// those are used up, the [last resort](Script::otherwise).
#[derive(Clone)]
pub struct Script {
    pub(crate) turns: Vec<Turn>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) otherwise: Turn,
    pub(crate) piece_length: usize,
    watcher: Option<Watcher>,
}

type Watcher = Arc<dyn Fn(&Recorded) + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Rule {
    matches: Arc<dyn Fn(&Recorded) -> bool + Send + Sync>,
    turn: Turn,
}

impl Default for Script {
    fn default() -> Self {
        Self { turns: Vec::new(), rules: Vec::new(), otherwise: Turn::text("done"), piece_length: 5, watcher: None }
    }
}

impl Script {
    /// A script of ordered turns.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { turns: turns.into_iter().collect(), ..Self::default() }
    }

    /// Answers every request that `matches` with `turn`, leaving the ordered turns alone. Agents make requests on
    /// the side, to name the session for example, which would otherwise eat turns meant for the conversation.
    #[must_use]
    pub fn when(mut self, matches: impl Fn(&Recorded) -> bool + Send + Sync + 'static, turn: Turn) -> Self {
        self.rules.push(Rule { matches: Arc::new(matches), turn });
        self
    }

    /// What requests get when the ordered turns are used up, instead of the text `done`.
    #[must_use]
    pub fn otherwise(mut self, turn: Turn) -> Self {
        self.otherwise = turn;
        self
    }

    /// Streams text, and arguments where the format streams those, in pieces of so many characters instead of 5.
    /// Pieces end where they end, also within a word.
    ///
    /// # Panics
    ///
    /// When `characters` is 0.
    #[must_use]
    pub fn piece_length(mut self, characters: usize) -> Self {
        assert!(characters > 0, "a piece has at least one character");
        self.piece_length = characters;
        self
    }

    /// Shows `watcher` every request that asks the model to say something, in order, before it is answered. The answer
    /// waits for it.
    #[must_use]
    pub fn watch(mut self, watcher: impl Fn(&Recorded) + Send + Sync + 'static) -> Self {
        self.watcher = Some(Arc::new(watcher));
        self
    }

    pub(crate) fn show(&self, request: &Recorded) {
        if let Some(watcher) = &self.watcher {
            watcher(request);
        }
    }

    pub(crate) fn rule_for(&self, request: &Recorded) -> Option<Turn> {
        self.rules.iter().find(|rule| (rule.matches)(request)).map(|rule| rule.turn.clone())
    }
}

impl From<Vec<Turn>> for Script {
    fn from(turns: Vec<Turn>) -> Self {
        Self::new(turns)
    }
}

impl<const N: usize> From<[Turn; N]> for Script {
    fn from(turns: [Turn; N]) -> Self {
        Self::new(turns)
    }
}

impl From<Turn> for Script {
    fn from(turn: Turn) -> Self {
        Self::new([turn])
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Script")
            .field("turns", &self.turns)
            .field("rules", &self.rules.iter().map(|rule| &rule.turn).collect::<Vec<_>>())
            .field("otherwise", &self.otherwise)
            .field("piece_length", &self.piece_length)
            .finish()
    }
}
