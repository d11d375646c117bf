//! From packs and configuration to the hooks of one event.

use super::args::Selection;
use super::config_check;
use hookrail_core::{
    ConfigSource, Event, EventName, HookAction, HookEntry, Matcher, MatcherStyle, Mode, NativeHook, Origin, World,
};
use hookrail_engine::layers::{CommandHook, LayerKind, Settings};
use hookrail_engine::trust::{TrustList, identify};
use hookrail_packs::{CATALOGUE, Pack};
use hookrail_store::StateRoot;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Native hooks are quick or broken.
const NATIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// The pack whose hooks a project cannot switch off.
const FIRM_PACK: &str = "core";

/// The hooks that may apply to an event.
pub fn choose(selection: &Selection, settings: &Settings, event: &Event) -> Vec<Arc<HookEntry>> {
    let mut entries: Vec<HookEntry> = Vec::new();
    for pack in CATALOGUE {
        let hooks = pack.hooks.iter().filter(|hook| selection.includes(pack, hook.id()));
        entries.extend(hooks.filter_map(|hook| native(pack, *hook, selection, settings, event)));
    }
    if !selection.is_explicit() {
        entries.extend(settings.commands().iter().filter_map(|hook| command(hook, &event.name)));
    }
    entries.extend(config_check::entry(settings, &event.name));
    entries.into_iter().map(Arc::new).collect()
}

fn native(
    pack: &Pack,
    hook: &'static dyn NativeHook,
    selection: &Selection,
    settings: &Settings,
    event: &Event,
) -> Option<HookEntry> {
    if !hook.events().contains(&event.name) || !hook.concerns(event) {
        return None;
    }
    let asked_for = selection.is_explicit() && pack.default_mode == Mode::Off;
    let default = hook.default_mode().unwrap_or(if asked_for { Mode::Enforce } else { pack.default_mode });
    let firm = pack.name == FIRM_PACK && default != Mode::Off;
    let mode = settings.mode(hook.id(), default, firm);
    if mode.value == Mode::Off {
        return None;
    }
    let mut entry =
        HookEntry::new(event.name.clone(), HookAction::Native(Arc::new(Borrowed(hook))), ConfigSource::Runtime);
    entry.mode = mode.value;
    entry.on_error = settings.on_error(hook.id(), hook.on_error()).value;
    entry.timeout = settings.timeout(hook.id()).unwrap_or(NATIVE_TIMEOUT);
    entry.breaker = hook.has_breaker();
    entry.origin = Origin::new(mode.layer.map_or("default", LayerKind::as_str), None);
    Some(entry)
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
    let list = TrustList::open(&StateRoot::at(state_folder), world);
    let verdict = |hook: &CommandHook| match &list {
        Ok(list) if list.trusts(&identify(hook, project, world)) => None,
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
