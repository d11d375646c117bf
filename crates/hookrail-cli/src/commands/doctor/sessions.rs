//! Hooks that rest because they failed too often.

use super::item::{Area, Item};
use crate::current_project::{CurrentProject, now_millis};
use hookrail_core::World;
use hookrail_store::SessionState;

/// A session that was not used for longer is over.
const RECENT_MILLIS: i64 = 24 * 60 * 60 * 1000;

pub fn examine(place: &CurrentProject) -> Area {
    let mut items: Vec<Item> = sessions(place)
        .into_iter()
        .filter(|(_, state)| now_millis() - state.updated_at < RECENT_MILLIS)
        .flat_map(|(session, state)| {
            let open = state.breakers.into_iter().filter(|(_, breaker)| breaker.open);
            open.map(move |(hook, breaker)| disabled_hook(&session, &hook, breaker.consecutive_failures))
                .collect::<Vec<_>>()
        })
        .collect();
    if items.is_empty() {
        items.push(Item::fine("no hooks disabled today"));
    }
    Area { title: "Sessions", items }
}

fn disabled_hook(session: &str, hook: &str, failures: u32) -> Item {
    let what = format!("{hook} is disabled in session {session}: it failed {failures} times in a row");
    let why = "It does not run again in that session, so what it guards is not guarded there.";
    Item::look(what, why).fix(format!("hookrail log --session {session} --hook {hook}"))
}

fn sessions(place: &CurrentProject) -> Vec<(String, SessionState)> {
    let Ok(folder) = place.state.as_ref().map(|state| state.join("sessions")) else { return Vec::new() };
    let names = place.world.list(&folder).ok().flatten().unwrap_or_default();
    let read = |name: &String| {
        let session = name.strip_suffix(".json")?;
        let bytes = place.world.read(&folder.join(name)).ok()??;
        Some((session.to_owned(), serde_json::from_slice(&bytes).ok()?))
    };
    names.iter().filter_map(read).collect()
}
