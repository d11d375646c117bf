//! Events without an outcome to combine: the last word stands, stops and decisions excepted.

use super::replace;
use crate::HookOutput;

pub(super) fn merge(outputs: &[&HookOutput]) -> HookOutput {
    let mut merged = replace::merge(outputs);
    // What belongs to the event itself is the last hook's that has such a thing, whole.
    let last = outputs.iter().rev().find(|output| output.context.is_some() || !output.extra.specific.is_empty());
    if let Some(last) = last {
        merged.context.clone_from(&last.context);
        merged.extra.specific.clone_from(&last.extra.specific);
    }
    merged
}
