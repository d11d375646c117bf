use super::display::DisplayTiming;
use serde_json::{Map, Value};

/// How a [`ChatSession`](super::ChatSession) talks to its model.
#[derive(Clone, Debug)]
pub struct ChatOptions {
    pub model: String,
    pub system_instruction: Option<String>,
    /// More of the request's `config`: `temperature`, `safetySettings`, `tools` that the provider runs itself, a
    /// `toolConfig` of the agent's own, …
    pub config: Map<String, Value>,
    /// How often the model may be asked for one prompt before the agent gives up.
    pub max_turns: usize,
    pub display: DisplayTiming,
}

impl ChatOptions {
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
