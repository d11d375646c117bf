//! Texts that reach a model have a limit. What does not fit is cut, and the cut says so.

use hookrail_core::{DefaultHookOutput, Verdict};
use std::borrow::Cow;

/// How many characters of one text a model is shown.
pub const MODEL_TEXT_LIMIT: usize = 10_000;

/// Cuts a text to [`MODEL_TEXT_LIMIT`] characters, the mark at its end included. `whole` names the place where the whole
/// text can be read, if there is one.
#[must_use]
pub fn cap<'a>(text: &'a str, whole: Option<&str>) -> Cow<'a, str> {
    // Bytes are never fewer than characters, so most texts are not counted.
    if text.len() <= MODEL_TEXT_LIMIT {
        return Cow::Borrowed(text);
    }
    let total = text.chars().count();
    if total <= MODEL_TEXT_LIMIT {
        return Cow::Borrowed(text);
    }
    let mark = match whole {
        Some(place) => format!("\n[cut: this text has {total} characters; all of it is in {place}]"),
        None => format!("\n[cut: this text has {total} characters]"),
    };
    let kept = MODEL_TEXT_LIMIT.saturating_sub(mark.chars().count());
    Cow::Owned(text.chars().take(kept).chain(mark.chars()).take(MODEL_TEXT_LIMIT).collect())
}

/// Caps the texts of a verdict that reach a model, before it is encoded. `spill` is given each whole text that is too long
/// and may put it somewhere and say where. Without this call [`crate::Dialect::encode`] cuts just as short, but what was
/// cut is lost.
pub fn cap_verdict(verdict: &mut Verdict, spill: &mut dyn FnMut(&str) -> Option<String>) {
    let Some(merged) = &verdict.final_output else { return };
    let mut output = merged.output().clone();
    let mut shorten = |text: Option<&str>| {
        let text = text.filter(|text| matches!(cap(text, None), Cow::Owned(_)))?;
        let place = spill(text);
        Some(cap(text, place.as_deref()).into_owned())
    };
    let reason = shorten(output.reason());
    let stop_reason = shorten(output.stop_reason());
    let context = shorten(output.additional_context());
    if let Some(text) = reason {
        output.set("reason", text);
    }
    if let Some(text) = stop_reason {
        output.set("stopReason", text);
    }
    if let Some(text) = context {
        output.set_specific("additionalContext", text);
    }
    verdict.final_output = Some(DefaultHookOutput::new(merged.class(), output));
}
