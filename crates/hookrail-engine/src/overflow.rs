//! Texts of hooks that are too long for a model.

use hookrail_core::Verdict;
use hookrail_dialects::{cap, cap_verdict};
use std::borrow::Cow;
use std::fmt::Debug;

/// Keeps whole what a model is shown only in part.
pub trait Overflow: Debug + Send + Sync {
    /// Where the text can be read from now on; `None` if it cannot be kept.
    fn keep(&self, text: &str) -> Option<String>;
}

/// Cuts what a host's model would be told to a length it can bear. A host gives system messages to the model too.
pub(crate) fn cap_texts(verdict: &mut Verdict, overflow: Option<&dyn Overflow>) {
    let keep = |text: &str| overflow.and_then(|overflow| overflow.keep(text));
    cap_verdict(verdict, &mut |text| keep(text));
    let message = verdict.final_output.as_ref().and_then(|output| output.output().system_message());
    let Some(message) = message.filter(|text| matches!(cap(text, None), Cow::Owned(_))) else { return };
    let capped = cap(message, keep(message).as_deref()).into_owned();
    verdict.set_message(&capped);
}
