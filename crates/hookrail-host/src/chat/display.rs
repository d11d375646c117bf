use super::response::visible_text;
use crate::scheduler::{ToolCallOutcome, ToolCallRequest};
use serde_json::Value;

/// Where a person sees what happens. What hooks hide never gets here.
pub trait Display {
    /// A piece of the model's answer; pieces follow each other without a gap.
    fn text_chunk(&mut self, text: &str);

    /// The model's answer is over.
    fn response_done(&mut self) {}

    /// Instead of [`Display::response_done`]: the model answered, and a hook keeps the answer from the person. With
    /// [`DisplayTiming::Live`] it may have been shown already.
    fn response_hidden(&mut self) {}

    /// A tool starts.
    fn tool_call(&mut self, _call: &ToolCallRequest) {}

    /// A tool is done; not called for results that a hook hides.
    fn tool_result(&mut self, _outcome: &ToolCallOutcome) {}

    /// Something the person has to know: why a hook blocked or stopped the agent.
    fn notice(&mut self, _text: &str) {}
}

/// When an answer is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DisplayTiming {
    /// As it arrives while there are no AfterModel hooks. Where there are, after these have seen the whole answer, and
    /// then as they left it: only so can they hide or replace it.
    #[default]
    AfterHooks,
    /// As it arrives, always. What AfterModel hooks change is then in the conversation but not on the screen (HOOK-173),
    /// and what they hide has been seen.
    Live,
}

/// Lets an answer through to the display, or holds it back.
pub(super) struct HeldOutput<'a> {
    display: &'a mut dyn Display,
    state: DisplayState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DisplayState {
    /// Shown as it comes.
    Open,
    /// Shown when the last hook has spoken.
    Waiting,
    /// Not shown.
    Closed,
}

impl<'a> HeldOutput<'a> {
    pub fn open(display: &'a mut dyn Display) -> Self {
        Self { display, state: DisplayState::Open }
    }

    pub fn waiting(display: &'a mut dyn Display) -> Self {
        Self { display, state: DisplayState::Waiting }
    }

    /// A hook wants the answer hidden.
    pub fn close(&mut self) {
        self.state = DisplayState::Closed;
    }

    pub fn show_chunk(&mut self, chunk: &Value) {
        match self.state {
            DisplayState::Open => show(self.display, &visible_text(chunk)),
            DisplayState::Waiting | DisplayState::Closed => {}
        }
    }

    /// The answer is complete, and this is what the hooks left of it.
    pub fn finish(self, response: &Value) {
        match self.state {
            DisplayState::Open => {}
            DisplayState::Waiting => show(self.display, &visible_text(response)),
            DisplayState::Closed => return self.display.response_hidden(),
        }
        self.display.response_done();
    }

    /// The answer broke off, or a hook made it pointless: what has not been shown is not shown any more.
    pub fn drop_rest(self) {
        match self.state {
            DisplayState::Open => self.display.response_done(),
            DisplayState::Waiting | DisplayState::Closed => {}
        }
    }
}

fn show(display: &mut dyn Display, text: &str) {
    if !text.is_empty() {
        display.text_chunk(text);
    }
}
