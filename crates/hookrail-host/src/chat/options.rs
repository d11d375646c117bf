use super::display::DisplayTiming;
use serde_json::{Map, Value};

/// How a [`ChatSession`](super::ChatSession) talks to its model.
#[derive(Clone, Debug)]
pub struct ChatOptions {
    /// As its provider spells it.
    pub model: String,
    /// What the model is told before every conversation.
    pub system_instruction: Option<String>,
    /// More of the request's `config`: `temperature`, `safetySettings`, `tools` that the provider runs itself, a
    /// `toolConfig` of the agent's own, …
    pub config: Map<String, Value>,
    /// How often the model may be asked for one prompt before the agent gives up.
    pub max_turns: usize,
    /// When an answer reaches the screen.
    pub display: DisplayTiming,
}

impl ChatOptions {
    /// A model by its provider's name for it, and every default.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            system_instruction: None,
            config: Map::new(),
            max_turns: 100,
            display: DisplayTiming::default(),
        }
    }
}
