//! Every hook there is, and what became of it at one event.

#![expect(clippy::disallowed_methods, reason = "this is the one pipeline")]

use super::hooks::{Absence, HookSet};
use crate::layers::{CommandHook, LayerKind};
use hookrail_core::planner::create_execution_plan;
use hookrail_core::{
    Event, EventName, HookEntry, HookPack, HookRun, Mode, NativeHook, Occasion, Origin, Plan, RunStatus, Verdict,
};
use serde::Serialize;
use std::sync::Arc;

/// What became of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookDisposition {
    /// It was asked, and did its work.
    Ran,
    /// It was asked, and could not do its work.
    Failed,
    /// Planned, and not run.
    Skipped,
    /// Planned, and a hook before it ended the chain.
    NotReached,
    /// Its matcher does not match.
    NotMatched,
    /// Another hook runs the very same thing.
    Duplicate,
    /// It listens to such events, and says that this one is not its subject.
    NotConcerned,
    /// It does not listen to such events.
    OtherEvent,
    /// Its mode is `off`.
    Off,
    /// The caller named other hooks.
    NotAsked,
}

/// One hook at one event.
#[derive(Clone, Debug)]
pub struct Considered {
    /// What people call it.
    pub hook: String,
    /// What kind of action it is; see [`HookAction::kind`](hookrail_core::HookAction::kind).
    pub kind: &'static str,
    /// What became of it.
    pub fate: HookDisposition,
    /// Why, for a person; empty if it simply ran.
    pub why: String,
    /// How seriously it is taken.
    pub mode: Mode,
    /// Who configured it: a layer, `default`, or a place in a file.
    pub origin: Origin,
    /// How it went, if it was reached.
    pub run: Option<HookRun>,
}

/// All hooks: those of the plan in its order, then the others as the catalogue and the configuration have them.
pub(super) fn all(hooks: &HookSet, event: &Event, verdict: &Verdict) -> Vec<Considered> {
    let occasion = Occasion::of(event);
    let plan = create_execution_plan(&hooks.of_event(event), &occasion);
    let planned = plan.as_ref().map(Plan::hooks).unwrap_or_default();
    let mut found: Vec<Considered> =
        planned.iter().enumerate().map(|(index, hook)| ran(hook, verdict.runs().get(index))).collect();
    let known = |id: &str| planned.iter().any(|hook| hook.action.kind() == "native" && hook.id() == id);
    for pack in hooks.packs() {
        let rest = pack.hooks().iter().filter(|hook| !known(hook.id()));
        found.extend(rest.map(|hook| absent(hooks, *pack, *hook, event)));
    }
    let is_planned = |hook: &CommandHook| {
        planned.iter().any(|entry| entry.action.kind() == "command" && entry.origin == hook.origin)
    };
    let rest = hooks.commands().iter().filter(|hook| !is_planned(hook));
    found.extend(rest.map(|hook| absent_command(hooks, hook, event, planned)));
    found
}

fn ran(hook: &HookEntry, run: Option<&HookRun>) -> Considered {
    let (fate, why) = match run.map(|run| &run.status) {
        Some(RunStatus::Succeeded | RunStatus::Blocked) => (HookDisposition::Ran, String::new()),
        Some(RunStatus::Failed(failure)) => {
            (HookDisposition::Failed, format!("{failure}; its on_error is `{}`", hook.on_error))
        }
        Some(RunStatus::Skipped(why)) => (HookDisposition::Skipped, why.clone()),
        None => (HookDisposition::NotReached, "a hook before it refused, and these run one after the other".to_owned()),
    };
    Considered {
        hook: hook.id().to_owned(),
        kind: hook.action.kind(),
        fate,
        why,
        mode: hook.mode,
        origin: hook.origin.clone(),
        run: run.cloned(),
    }
}

fn absent(hooks: &HookSet, pack: &'static dyn HookPack, hook: &'static dyn NativeHook, event: &Event) -> Considered {
    let mode = hooks.mode(pack, hook);
    let source = mode.layer.map_or("default", LayerKind::as_str);
    let (fate, why) = match hooks.native(pack, hook, event).err() {
        Some(Absence::NotAsked) => (HookDisposition::NotAsked, "the command line asks for others".to_owned()),
        // Whoever switched a hook off does not care for which events.
        _ if mode.value == Mode::Off => (HookDisposition::Off, format!("mode off ({source})")),
        Some(Absence::OtherEvent) => {
            let events: Vec<&str> = hook.events().iter().map(EventName::as_str).collect();
            (HookDisposition::OtherEvent, format!("listens to {}", events.join(", ")))
        }
        Some(Absence::NotConcerned | Absence::Off) | None => {
            (HookDisposition::NotConcerned, format!("listens to {}, and this one does not concern it", event.name))
        }
    };
    Considered {
        hook: hook.id().to_owned(),
        kind: "native",
        fate,
        why,
        mode: mode.value,
        origin: Origin::new(source, None),
        run: None,
    }
}

fn absent_command(hooks: &HookSet, hook: &CommandHook, event: &Event, planned: &[Arc<HookEntry>]) -> Considered {
    let twin = planned.iter().find(|other| other.action.kind() == "command" && other.action.subject() == hook.command);
    let applies = || super::hooks::command(hook, &event.name).is_some_and(|entry| Occasion::of(event).concerns(&entry));
    let (fate, why) = if hooks.selection().is_exclusive() {
        (HookDisposition::NotAsked, "the command line asks for others".to_owned())
    } else if hook.mode == Mode::Off {
        (HookDisposition::Off, format!("mode off ({})", hook.layer.as_str()))
    } else if hook.event != event.name.as_str() {
        (HookDisposition::OtherEvent, format!("listens to {}", hook.event))
    } else if let Some(twin) = twin.filter(|_| applies()) {
        (HookDisposition::Duplicate, format!("`{}` runs the same command", twin.id()))
    } else {
        let (matcher, subject) = (hook.matcher.as_deref().unwrap_or("*"), event.match_subject().unwrap_or_default());
        (HookDisposition::NotMatched, format!("its matcher `{matcher}` does not match `{subject}`"))
    };
    Considered {
        hook: hook.name.clone(),
        kind: "command",
        fate,
        why,
        mode: hook.mode,
        origin: hook.origin.clone(),
        run: None,
    }
}
