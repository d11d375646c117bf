use super::discovery::{Finished, is_end_of_agent};
use super::menu::{is_agreed, menus};
use crate::limits::QUICK;
use hookrail_core::{Event, EventName, HookError, HookProfile, NativeHook, Outcome, World};

/// Points out a discovery that offers another menu than the agreed one.
///
/// **What it catches.** Options in what a discovery answered that are not exactly three: a new project, an existing one, and
/// chat. They may be marked by numbers, letters, bullets, "Option 1:", keycaps or rows of a table. A list is a menu if it
/// offers these or removed options, or if a line beside it asks for a choice (errata E20). A discovery in the background
/// is looked at when it ends.
///
/// **Why.** Options that were removed lead into flows that are gone.
///
/// **Caught:** `1. New Project`, `2. Existing Project`, `3. Scoped Analysis`, `4. Auto-detect`.
/// **Not caught:** `1. New Project`, `2. Existing Project`, `3. Chat / Explore`; a summary in numbered steps.
#[derive(Debug)]
pub struct DiscoverMenuGuard;

const WARNING: &str =
    "Discover presented incorrect menu. Expected 3 options: New Project, Existing Project, Chat/Explore";

impl NativeHook for DiscoverMenuGuard {
    fn id(&self) -> &'static str {
        "isdlc/discover-menu-guard"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::AfterTool, EventName::SubagentStop]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { timeout: Some(QUICK), may_wait: false, has_breaker: false, ..HookProfile::DEFAULT }
    }

    fn concerns(&self, event: &Event) -> bool {
        is_end_of_agent(event)
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        let Some(discovery) = Finished::discovery(event, world) else { return Ok(Outcome::silent()) };
        let wrong = menus(&discovery.answer).iter().any(|menu| !is_agreed(menu));
        Ok(if wrong { discovery.warn(self.id(), WARNING, world) } else { Outcome::silent() })
    }
}
