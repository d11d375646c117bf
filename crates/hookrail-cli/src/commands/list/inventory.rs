//! What there is, and how it is configured.

use super::shadow::{self, Shadow};
use crate::current_project::{CurrentProject, spelled};
use crate::hook::args::Selection;
use hookrail_core::{EventName, Mode, NativeHook, OnError, Origin, World};
use hookrail_dialects::Dialect;
use hookrail_engine::layers::{CommandHook, LayerFiles};
use hookrail_engine::trust::untrusted;
use hookrail_packs::{CATALOGUE, Pack};
use serde::Serialize;
use std::path::PathBuf;

/// The first sentence of each hook's documentation, by its id.
const ABOUTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/abouts.rs"));

#[derive(Clone, Debug, Serialize)]
pub struct Inventory {
    pub project: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<&'static str>,
    /// Why no hook runs at the moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    pub layers: Vec<LayerFile>,
    pub packs: Vec<PackRow>,
    pub commands: Vec<CommandRow>,
}

#[derive(Clone, Debug, Serialize)]
pub struct LayerFile {
    pub layer: &'static str,
    pub path: PathBuf,
    /// The path, as people write it.
    #[serde(skip)]
    pub shown: String,
    pub exists: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct PackRow {
    pub name: &'static str,
    pub about: &'static str,
    pub hooks: Vec<HookRow>,
}

#[derive(Clone, Debug, Serialize)]
pub struct HookRow {
    pub id: &'static str,
    pub about: &'static str,
    pub mode: Mode,
    /// `default`, or the layer that decided.
    pub layer: &'static str,
    /// Where it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    pub on_error: OnError,
    /// New, and off unless a configuration names the hook itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preview: bool,
    pub events: Vec<EventRow>,
    pub shadowed: Vec<Shadow>,
}

#[derive(Clone, Debug, Serialize)]
pub struct EventRow {
    pub name: String,
    /// The agent's word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native: Option<&'static str>,
    /// The agent that was asked for has no such event.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct CommandRow {
    pub name: String,
    pub event: EventRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    pub command: String,
    pub mode: Mode,
    pub layer: &'static str,
    pub place: String,
    pub on_error: OnError,
    /// Whether the user approved it; absent where no approval is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
    /// Why it does not run although it is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub barred: Option<String>,
    /// The hook of a higher layer that runs in its place where both match, because it runs the same command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
}

impl Inventory {
    pub fn take(place: &CurrentProject, agent: Option<&'static dyn Dialect>, packs: &[&str]) -> Self {
        let wanted = |pack: &&Pack| packs.is_empty() || packs.contains(&pack.name);
        let files = LayerFiles::usual(&place.world, &place.project);
        let layers = files.iter().map(|(kind, path)| LayerFile {
            layer: kind.as_str(),
            path: path.to_owned(),
            shown: spelled(&path.display().to_string(), &place.project, &place.world),
            exists: place.world.kind(path).ok().flatten().is_some(),
        });
        Self {
            project: place.project.clone(),
            agent: agent.map(Dialect::name),
            paused: place.settings.development_mode(&place.project, &place.world),
            layers: layers.collect(),
            packs: CATALOGUE.iter().filter(wanted).map(|pack| PackRow::of(pack, place, agent)).collect(),
            commands: if packs.is_empty() { commands(place, agent) } else { Vec::new() },
        }
    }
}

impl PackRow {
    fn of(pack: &'static Pack, place: &CurrentProject, agent: Option<&'static dyn Dialect>) -> Self {
        let hooks = pack.hooks.iter().map(|hook| HookRow::of(pack, *hook, place, agent));
        Self { name: pack.name, about: pack.about, hooks: hooks.collect() }
    }

    /// Settings that have no effect on several hooks, for the same reason.
    pub fn shared_shadows(&self) -> Vec<&Shadow> {
        let all = || self.hooks.iter().flat_map(|hook| &hook.shadowed);
        let mut shared: Vec<&Shadow> = Vec::new();
        for shadow in all() {
            if !shared.contains(&shadow) && all().filter(|other| *other == shadow).count() > 1 {
                shared.push(shadow);
            }
        }
        shared
    }

    pub fn is_off(&self) -> bool {
        // A pack of rules has no hooks; `hookrail rules` tells about it.
        !self.hooks.is_empty() && self.hooks.iter().all(|hook| hook.mode == Mode::Off)
    }
}

impl HookRow {
    fn of(
        pack: &Pack,
        hook: &'static dyn NativeHook,
        place: &CurrentProject,
        agent: Option<&'static dyn Dialect>,
    ) -> Self {
        let settings = &place.settings;
        let mode = hookrail_engine::mode(pack, hook, &Selection::default(), settings);
        let mut said = settings.statements(hook.id());
        // What is said of its pack is not about a preview.
        said.retain(|statement| !(hook.profile().is_preview && statement.of_pack));
        let decided = shadow::winner(&said, &mode);
        let on_error = settings.on_error(hook.id(), hook.profile().on_error);
        Self {
            id: hook.id(),
            about: ABOUTS.iter().find(|(id, _)| *id == hook.id()).map(|(_, about)| *about).unwrap_or_default(),
            mode: mode.value,
            layer: decided.map_or("default", |statement| statement.layer.as_str()),
            place: decided.map(|statement| spelled(&statement.origin.to_string(), &place.project, &place.world)),
            on_error: on_error.value,
            preview: hook.profile().is_preview,
            events: hook.events().iter().map(|event| EventRow::of(event, agent)).collect(),
            shadowed: shadow::cast(&said, &mode)
                .into_iter()
                .chain(shadow::cast_settings(hook.id(), &on_error, settings))
                .map(|shadow| Shadow { place: spelled(&shadow.place, &place.project, &place.world), ..shadow })
                .collect(),
        }
    }

    /// Its name without the pack's.
    pub fn name(&self) -> &str {
        self.id.split_once('/').map_or(self.id, |(_, name)| name)
    }

    /// Listens to everything there is.
    pub fn hears_all(&self) -> bool {
        self.events.len() == EventName::KNOWN.len()
    }
}

impl EventRow {
    fn of(event: &EventName, agent: Option<&'static dyn Dialect>) -> Self {
        let native = agent.and_then(|agent| agent.native_event(event));
        Self { name: event.to_string(), native, missing: agent.is_some() && native.is_none() }
    }
}

fn commands(place: &CurrentProject, agent: Option<&'static dyn Dialect>) -> Vec<CommandRow> {
    let commands = place.settings.commands();
    let state = place.state.as_deref().ok();
    let barred = untrusted(&place.settings, &place.project, state, &place.world);
    commands.iter().map(|hook| command(hook, &commands, &barred, place, agent)).collect()
}

fn command(
    hook: &CommandHook,
    all: &[CommandHook],
    barred: &[(Origin, String)],
    place: &CurrentProject,
    agent: Option<&'static dyn Dialect>,
) -> CommandRow {
    // What a project repeats stays its user's.
    let twin = all.iter().find(|other| {
        let same = other.command == hook.command && other.event == hook.event;
        same && hook.layer.comes_with_project() && !other.layer.comes_with_project()
    });
    let why_not = barred.iter().find(|(origin, _)| *origin == hook.origin).map(|(_, why)| why.clone());
    CommandRow {
        name: hook.name.clone(),
        event: EventRow::of(&EventName::parse(&hook.event), agent),
        matcher: hook.matcher.clone(),
        command: hook.command.clone(),
        mode: hook.mode,
        layer: hook.layer.as_str(),
        place: spelled(&hook.origin.to_string(), &place.project, &place.world),
        on_error: hook.on_error,
        trusted: hook.layer.comes_with_project().then_some(why_not.is_none()),
        barred: why_not,
        same_as: twin.map(|twin| twin.name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hook_says_in_one_sentence_what_it_is_for() {
        for hook in CATALOGUE.iter().flat_map(|pack| pack.hooks) {
            let about = ABOUTS.iter().find(|(id, _)| *id == hook.id()).map(|(_, about)| *about);
            assert!(about.is_some_and(|about| about.ends_with('.')), "{}: {about:?}", hook.id());
        }
    }
}
