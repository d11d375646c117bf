//! From packs and configuration to the hooks of one event.

use super::args::Selection;
use super::config_check;
use hookrail_core::planner::create_execution_plan;
use hookrail_core::{
    ConfigSource, Event, EventName, HookAction, HookEntry, Matcher, MatcherStyle, Mode, NativeHook, Origin, World,
};
use hookrail_engine::layers::{CommandHook, LayerKind, Resolved, Settings};
use hookrail_engine::trust::{TrustList, identify};
use hookrail_packs::{CATALOGUE, Pack};
use hookrail_store::StateRoot;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Native hooks are quick or broken, unless they say otherwise.
pub const NATIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// The pack whose hooks a project cannot switch off.
const FIRM_PACK: &str = "core";
/// The same, as settings name it.
pub const FIRM: &[(&str, Mode)] = &[(FIRM_PACK, Mode::Enforce), ("core/protected-paths", Mode::Enforce)];

/// Why a native hook does not apply to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The command line asks for others.
    NotAsked,
    /// It does not listen to such events.
    OtherEvent,
    /// It listens to such events, and this one is none of its business.
    NotConcerned,
    Off,
}

/// The hooks that may apply to an event.
pub fn choose(selection: &Selection, settings: &Settings, event: &Event) -> Vec<Arc<HookEntry>> {
    let mut entries: Vec<HookEntry> = Vec::new();
    for pack in CATALOGUE {
        entries.extend(pack.hooks.iter().filter_map(|hook| native(pack, *hook, selection, settings, event).ok()));
    }
    if !selection.is_explicit() {
        entries.extend(commands(settings, event));
    }
    entries.extend(config_check::entry(settings, &event.name));
    entries.into_iter().map(Arc::new).collect()
}

/// A hook of a pack as it applies to an event.
pub fn native(
    pack: &Pack,
    hook: &'static dyn NativeHook,
    selection: &Selection,
    settings: &Settings,
    event: &Event,
) -> Result<HookEntry, Absence> {
    if !selection.includes(pack, hook.id()) {
        return Err(Absence::NotAsked);
    }
    if !hook.events().contains(&event.name) {
        return Err(Absence::OtherEvent);
    }
    if !hook.concerns(event) {
        return Err(Absence::NotConcerned);
    }
    let mode = mode(pack, hook, selection, settings);
    if mode.value == Mode::Off {
        return Err(Absence::Off);
    }
    let mut entry =
        HookEntry::new(event.name.clone(), HookAction::Native(Arc::new(Borrowed(hook))), ConfigSource::Runtime);
    entry.mode = mode.value;
    entry.on_error = settings.on_error(hook.id(), hook.on_error()).value;
    entry.timeout = settings.timeout(hook.id()).or(hook.timeout()).unwrap_or(NATIVE_TIMEOUT);
    entry.breaker = hook.has_breaker();
    entry.origin = Origin::new(mode.layer.map_or("default", LayerKind::as_str), None);
    Ok(entry)
}

/// How seriously a hook of a pack is taken, and who says so.
pub fn mode(pack: &Pack, hook: &dyn NativeHook, selection: &Selection, settings: &Settings) -> Resolved<Mode> {
    let (default, firm) = default_mode(pack, hook, selection);
    settings.mode(hook.id(), default, firm)
}

/// The mode that applies when no configuration mentions a hook, and whether a project must leave it alone.
pub fn default_mode(pack: &Pack, hook: &dyn NativeHook, selection: &Selection) -> (Mode, bool) {
    let asked_for = selection.is_explicit() && pack.default_mode == Mode::Off;
    let default = hook.default_mode().unwrap_or(if asked_for { Mode::Enforce } else { pack.default_mode });
    (default, pack.name == FIRM_PACK && default != Mode::Off)
}

/// The command hooks of an event. A command that a project repeats stays its user's: the planner keeps one of the two, and
/// the project's may be barred or weaker.
fn commands(settings: &Settings, event: &Event) -> Vec<HookEntry> {
    let mut entries: Vec<Arc<HookEntry>> =
        settings.commands().iter().filter_map(|hook| command(hook, &event.name)).map(Arc::new).collect();
    if entries.iter().any(|entry| entry.source == ConfigSource::Project) {
        let higher = entries.iter().filter(|entry| entry.source != ConfigSource::Project);
        let kept = create_execution_plan(higher, &event.name, event.match_subject()).map(|plan| plan.hooks);
        let kept = kept.unwrap_or_default();
        let repeats = |entry: &HookEntry| kept.iter().any(|known| known.action.subject() == entry.action.subject());
        entries.retain(|entry| entry.source != ConfigSource::Project || !repeats(entry));
    }
    entries.into_iter().map(Arc::unwrap_or_clone).collect()
}

/// Whether a command hook would run on an event if it were the only one.
pub fn applies(hook: &CommandHook, event: &Event) -> bool {
    let entry = command(hook, &event.name).map(Arc::new);
    create_execution_plan(&entry, &event.name, event.match_subject()).is_some()
}

fn command(hook: &CommandHook, event: &EventName) -> Option<HookEntry> {
    if EventName::parse(&hook.event) != *event {
        return None;
    }
    let action = HookAction::Command { command: hook.command.clone() };
    let mut entry = HookEntry::new(event.clone(), action, source(hook.layer));
    entry.name = Some(hook.name.clone());
    entry.matcher = Matcher::compile(hook.matcher.as_deref(), MatcherStyle::Pattern).0;
    entry.timeout = hook.timeout.unwrap_or(entry.timeout);
    entry.sequential = hook.sequential;
    entry.on_error = hook.on_error;
    entry.mode = hook.mode;
    entry.origin = hook.origin.clone();
    Some(entry)
}

fn source(layer: LayerKind) -> ConfigSource {
    match layer {
        LayerKind::Managed => ConfigSource::System,
        LayerKind::User => ConfigSource::User,
        LayerKind::Project | LayerKind::Local => ConfigSource::Project,
    }
}

/// Why command hooks of the project that nobody said yes to do not run.
pub fn untrusted(
    settings: &Settings,
    project: &Path,
    state_folder: &Path,
    world: &dyn World,
) -> HashMap<String, String> {
    let commands = settings.commands();
    let doubtful: Vec<&CommandHook> = commands.iter().filter(|hook| hook.layer.comes_with_project()).collect();
    if doubtful.is_empty() {
        return HashMap::new();
    }
    // Opening would make the folder; where there is none, nobody said yes to anything.
    let exists = world.kind(state_folder).ok().flatten().is_some();
    let list = exists.then(|| TrustList::open(&StateRoot::at(state_folder), world)).transpose();
    let verdict = |hook: &CommandHook| match &list {
        Ok(Some(list)) if list.trusts(&identify(hook, project, world)) => None,
        Ok(_) => Some(format!(
            "command hook `{}` ({}) comes with the project and is not trusted, so it does not run\n\
             hint: look at it, then run `hookrail trust`",
            hook.name, hook.origin
        )),
        Err(error) => Some(error.to_string()),
    };
    doubtful.into_iter().filter_map(|hook| Some((hook.name.clone(), verdict(hook)?))).collect()
}

/// A hook of the catalogue, which lives as long as the program.
#[derive(Debug)]
struct Borrowed(&'static dyn NativeHook);

impl NativeHook for Borrowed {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn events(&self) -> &[EventName] {
        self.0.events()
    }

    fn may_wait(&self) -> bool {
        self.0.may_wait()
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<hookrail_core::Outcome, hookrail_core::HookError> {
        self.0.check(event, world)
    }
}
