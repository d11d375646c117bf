//! Texts that reach a model have a limit. What does not fit is cut, and the cut says so.

use hookrail_core::HookOutput;
use std::borrow::Cow;

/// How many characters of one text a model is shown.
pub const MODEL_TEXT_LIMIT: usize = 10_000;

/// Cuts a text to [`MODEL_TEXT_LIMIT`] characters, the mark at its end included. `whole` names the place where the whole
/// text can be read, if there is one.
#[must_use]
pub fn cap<'a>(text: &'a str, whole: Option<&str>) -> Cow<'a, str> {
    if is_longer(text, MODEL_TEXT_LIMIT) { Cow::Owned(cut(text, MODEL_TEXT_LIMIT, whole)) } else { Cow::Borrowed(text) }
}

/// Bytes are never fewer than characters, so most texts are not counted.
fn is_longer(text: &str, limit: usize) -> bool {
    text.len() > limit && text.chars().nth(limit).is_some()
}

fn cut(text: &str, limit: usize, whole: Option<&str>) -> String {
    let total = text.chars().count();
    let mark = match whole {
        Some(place) => format!("\n[cut: this text has {total} characters; all of it is in {place}]"),
        None => format!("\n[cut: this text has {total} characters]"),
    };
    let kept = limit.saturating_sub(mark.chars().count());
    text.chars().take(kept).chain(mark.chars()).take(limit).collect()
}

/// Caps the texts of an output that reach a model. `keep` is given each whole text that is too long and may put it somewhere
/// and say where.
pub fn cap_output(output: &mut HookOutput, limit: usize, keep: &mut dyn FnMut(&str) -> Option<String>) {
    let texts = [&mut output.reason, &mut output.stop_reason, &mut output.message];
    for text in texts {
        shorten(text, MODEL_TEXT_LIMIT, keep);
    }
    shorten(&mut output.context, limit.min(MODEL_TEXT_LIMIT), keep);
}

fn shorten(text: &mut Option<String>, limit: usize, keep: &mut dyn FnMut(&str) -> Option<String>) {
    if let Some(long) = text.as_deref().filter(|text| is_longer(text, limit)) {
        let whole = keep(long);
        *text = Some(cut(long, limit, whole.as_deref()));
    }
}
