//! Model events: a later hook's field takes the place of an earlier one's. A field of the wrong type says nothing, so it
//! replaces nothing.

use super::{overlay, prevailing_reason};
use crate::{Extra, HookOutput};

pub(super) fn merge(outputs: &[&HookOutput]) -> HookOutput {
    HookOutput {
        reason: prevailing_reason(outputs),
        message: outputs.iter().rev().find_map(|output| output.message.clone()),
        context: outputs.iter().rev().find_map(|output| output.context.clone()),
        suppress: outputs.iter().rev().find_map(|output| output.suppress),
        extra: Extra {
            top: overlay(outputs, |output| &output.extra.top),
            specific: overlay(outputs, |output| &output.extra.specific),
        },
        ..HookOutput::default()
    }
}
