//! Events without an outcome to combine: the last word stands, stops and decisions excepted.

use super::prevailing_reason;
use crate::{EventName, HookOutput};

pub(super) fn merge(event: &EventName, outputs: &[&HookOutput]) -> HookOutput {
    let mut merged = HookOutput::default();
    for (key, value) in outputs.iter().flat_map(|output| output.fields()) {
        if !value.is_null() {
            merged.set(key, value.clone());
        }
    }
    merged.remove("reason");
    if let Some(reason) = prevailing_reason(event, outputs) {
        merged.set_text("reason", reason);
    }
    merged
}
