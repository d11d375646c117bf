//! Tool and agent events: nothing a hook said is lost.

use super::{join_texts, overlay};
use crate::{Extra, HookOutput};
use serde_json::Map;

pub(super) fn merge(outputs: &[&HookOutput]) -> HookOutput {
    HookOutput {
        reason: join_texts(outputs.iter().map(|output| output.reason())),
        message: join_texts(outputs.iter().map(|output| output.system_message())),
        context: join_texts(outputs.iter().map(|output| output.additional_context())),
        suppress: outputs.iter().any(|output| output.suppress == Some(true)).then_some(true),
        extra: Extra { top: Map::new(), specific: overlay(outputs, |output| &output.extra.specific) },
        ..HookOutput::default()
    }
}
