//! Hooks that are configured and that the agent does not ask, because its entries were installed before.

use super::machine::Machine;
use crate::commands::install::InstallRecord;
use crate::commands::install::coverage::uncovered;
use hookrail_core::{Event, EventName};
use hookrail_dialects::Dialect;
use hookrail_engine::layers::Settings;
use hookrail_store::SessionId;
use std::path::Path;

/// What the user is told about them, once a session. Only a session that starts and a configuration that changed are worth the
/// look: it reads the list of installations.
pub fn news(
    machine: &impl Machine,
    dialect: &'static dyn Dialect,
    event: &Event,
    project: &Path,
    settings: &Settings,
) -> Option<String> {
    if event.name != EventName::SessionStart && !settings.are_new() {
        return None;
    }
    let records = InstallRecord::read(machine.state().ok()?, machine.world()).ok()?;
    let gaps = uncovered(&records, dialect.name(), project, settings);
    if gaps.is_empty() {
        return None;
    }
    let gaps: Vec<String> = gaps.iter().map(ToString::to_string).collect();
    let gaps = gaps.join(", ");
    let mut is_first = false;
    let key = format!("not reached: {gaps}");
    let session = SessionId::new(&event.session_id, project);
    // Where nothing can be remembered it is better told twice than not at all.
    let kept = machine.store()?.update(&session, &mut |state| is_first = state.once.insert(key.clone()));
    let name = dialect.name();
    (is_first || kept.is_err()).then(|| {
        format!(
            "hookrail's entries in {} do not reach {gaps}, so hooks for that are not asked; run `hookrail install {name}`",
            dialect.agent().title
        )
    })
}
