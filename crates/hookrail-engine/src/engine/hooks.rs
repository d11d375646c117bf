//! Every hook an engine may run: of settings files, of the program, of packs, of `hookrail.toml`. One registry, in which a
//! hook is known by (layer, file, name).

use super::consider::Considered;
use crate::layers::{CommandHook, LayerKind, Resolved, Settings};
use crate::registry::{Diagnostic, HookRegistry};
use crate::trust::{Cleared, Distrust, TrustGate};
use hookrail_core::{
    ConfigSource, Event, EventName, HookAction, HookEntry, HookError, HookPack, HookProfile, MatchTarget, Matcher,
    MatcherStyle, Mode, NativeHook, Occasion, OnError, Origin, Outcome, Verdict, World, display,
};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Native hooks are quick or broken, unless they say otherwise.
pub const NATIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// The id under which broken configuration is reported.
const BROKEN_CONFIGURATION: &str = "hookrail/config";

/// Which hooks of packs are asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Enabled, whatever their pack's default is.
    pub packs: Vec<&'static str>,
    /// The one hook that is asked, by its id.
    pub hook: Option<String>,
    /// Packs that an entry of their own calls.
    pub without: Vec<&'static str>,
    /// Packs are named beside what the configuration enables, not in its place.
    pub beside_configuration: bool,
}

impl Selection {
    /// Whether what to run is named, so that nothing else runs.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        (!self.packs.is_empty() || self.hook.is_some()) && !self.beside_configuration
    }

    /// The packs or the hook that are named, for the journal.
    #[must_use]
    pub fn named(&self) -> Vec<String> {
        let packs = self.packs.iter().map(|pack| (*pack).to_owned());
        packs.chain(self.hook.clone()).collect()
    }

    /// Whether a hook of this pack is among those to ask.
    #[must_use]
    pub fn includes(&self, pack: &dyn HookPack, hook: &str) -> bool {
        match &self.hook {
            _ if self.without.contains(&pack.name()) => false,
            _ if !self.is_exclusive() => true,
            Some(chosen) => chosen == hook,
            None => self.packs.contains(&pack.name()),
        }
    }

    /// Whether this pack or hook was asked for by name.
    fn names(&self, pack: &dyn HookPack, hook: &str) -> bool {
        self.packs.contains(&pack.name()) || self.hook.as_deref() == Some(hook)
    }
}

/// Why a native hook does not apply to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// The caller asks for others.
    NotAsked,
    /// It does not listen to such events.
    OtherEvent,
    /// It listens to such events, and this one does not concern it.
    NotConcerned,
    Off,
}

/// The hooks of an engine.
pub struct HookSet {
    registry: HookRegistry,
    packs: Vec<&'static dyn HookPack>,
    selection: Selection,
    settings: Settings,
    commands: OnceLock<Vec<CommandHook>>,
    gate: TrustGate,
    world: Arc<dyn World>,
    agent: &'static str,
}

impl std::fmt::Debug for HookSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HookSet")
            .field("packs", &self.packs)
            .field("selection", &self.selection)
            .finish_non_exhaustive()
    }
}

impl HookSet {
    pub(crate) fn new(
        registry: HookRegistry,
        packs: Vec<&'static dyn HookPack>,
        selection: Selection,
        settings: Settings,
        gate: TrustGate,
        (world, agent): (Arc<dyn World>, &'static str),
    ) -> Self {
        Self { registry, packs, selection, settings, commands: OnceLock::new(), gate, world, agent }
    }

    pub(super) fn world(&self) -> &dyn World {
        &*self.world
    }

    /// Who may let commands run and rules allow.
    pub(super) fn gate(&self) -> &TrustGate {
        &self.gate
    }

    /// Whose session it is.
    pub(super) fn agent(&self) -> &'static str {
        self.agent
    }

    pub(crate) fn registry(&self) -> &HookRegistry {
        &self.registry
    }

    /// How many hooks are registered, those that are not enabled included.
    #[must_use]
    pub fn len(&self) -> usize {
        let enabled = |pack: &&'static dyn HookPack| {
            let hooks = pack.hooks().iter().filter(|hook| self.selection.includes(*pack, hook.id()));
            hooks.filter(|hook| self.mode(*pack, **hook).value != Mode::Off).count()
        };
        let commands = if self.selection.is_exclusive() { 0 } else { self.commands().len() };
        self.registry.len() + self.packs.iter().map(enabled).sum::<usize>() + commands
    }

    /// Whether no hook is registered and enabled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The packs that may be asked.
    #[must_use]
    pub fn packs(&self) -> &[&'static dyn HookPack] {
        &self.packs
    }

    /// Which of their hooks are.
    #[must_use]
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// What `hookrail.toml` says, all layers together.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What every hook there is has to do with an event that was decided.
    #[must_use]
    pub fn consider(&self, event: &Event, verdict: &Verdict) -> Vec<Considered> {
        super::consider::all(self, event, verdict)
    }

    /// The hooks that may apply to an event.
    pub(crate) fn of_event(&self, event: &Event) -> Vec<Arc<HookEntry>> {
        let mut entries: Vec<Arc<HookEntry>> = self.registry.with_hooks(&event.name, |hooks| {
            hooks.iter().filter(|entry| is_concerned(entry, event, self.world())).cloned().collect()
        });
        for pack in &self.packs {
            let hooks = pack.hooks().iter().filter_map(|hook| self.native(*pack, *hook, event).ok());
            entries.extend(hooks.map(Arc::new));
        }
        entries.extend(self.rules_of(event).into_iter().map(Arc::new));
        entries.extend(self.commands_of(event).map(Arc::new));
        entries.extend(self.broken_configuration(&event.name).map(Arc::new));
        entries
    }

    /// What the strictest of the hooks that listen to an event wants in case of failure.
    pub(crate) fn strictest(&self, event: &EventName) -> OnError {
        let registered = self.registry.with_hooks(event, |hooks| {
            let enforced = hooks.iter().filter(|hook| hook.enabled && hook.mode == Mode::Enforce);
            enforced.fold(OnError::Allow, |strictest, hook| strictest.stricter(hook.on_error))
        });
        let natives = self.packs.iter().flat_map(|pack| pack.hooks().iter().map(move |hook| (*pack, *hook)));
        let natives = natives.filter(|(pack, hook)| {
            hook.events().contains(event)
                && self.selection.includes(*pack, hook.id())
                && self.mode(*pack, *hook).value == Mode::Enforce
        });
        let natives = natives.map(|(_, hook)| self.settings.on_error(hook.id(), hook.profile().on_error).value);
        let commands = if self.selection.is_exclusive() { &[] } else { self.commands() };
        let commands = commands.iter().filter(|hook| hook.event == event.as_str() && hook.mode == Mode::Enforce);
        let broken = self.has_unreadable().then(|| self.on_broken_configuration(event));
        natives.chain(commands.map(|hook| hook.on_error)).chain(broken).fold(registered, OnError::stricter)
    }

    /// Whether an event of this name may have hooks; a maybe is a yes.
    pub(crate) fn may_concern(&self, event: &EventName, subject: Option<&str>) -> bool {
        let occasion = Occasion::new(event, subject);
        let registered = self.registry.with_hooks(event, |hooks| hooks.iter().any(|hook| occasion.may_concern(hook)));
        registered
            || self.packs.iter().any(|pack| self.listens(*pack, event))
            || (!self.selection.is_exclusive() && self.settings.has_commands_of(event.as_str()))
            || self.has_rules_for(event)
            || self.has_unreadable()
    }

    /// Whether no hook that an event may have ever waits for anything, whatever is enabled meanwhile.
    pub(crate) fn never_waits(&self, event: &EventName) -> bool {
        let registered = self.registry.with_hooks(event, |hooks| hooks.iter().all(|hook| is_prompt_native(hook)));
        let listening = self.packs.iter().flat_map(|pack| pack.hooks().iter().map(move |hook| (*pack, *hook)));
        let mut listening =
            listening.filter(|(pack, hook)| hook.events().contains(event) && self.selection.includes(*pack, hook.id()));
        let has_commands = !self.selection.is_exclusive() && self.settings.has_commands_of(event.as_str());
        registered && listening.all(|(_, hook)| !hook.profile().may_wait) && !has_commands && !self.remembers()
    }

    pub(super) fn has_unreadable(&self) -> bool {
        self.settings.unreadable().next().is_some()
    }

    fn listens(&self, pack: &'static dyn HookPack, event: &EventName) -> bool {
        pack.hooks().iter().any(|hook| {
            hook.events().contains(event)
                && self.selection.includes(pack, hook.id())
                && self.mode(pack, *hook).value != Mode::Off
        })
    }

    /// A hook of a pack as it applies to an event.
    pub(crate) fn native(
        &self,
        pack: &'static dyn HookPack,
        hook: &'static dyn NativeHook,
        event: &Event,
    ) -> Result<HookEntry, Absence> {
        if !self.selection.includes(pack, hook.id()) {
            return Err(Absence::NotAsked);
        }
        if !hook.events().contains(&event.name) {
            return Err(Absence::OtherEvent);
        }
        if !hook.concerns(event) || !hook.has_work(event, self.world()) {
            return Err(Absence::NotConcerned);
        }
        let entry = self.native_entry(pack, hook, event.name.clone());
        if entry.mode == Mode::Off { Err(Absence::Off) } else { Ok(entry) }
    }

    /// A hook of a pack with what the configuration says about it.
    pub(super) fn native_entry(
        &self,
        pack: &'static dyn HookPack,
        hook: &'static dyn NativeHook,
        event: EventName,
    ) -> HookEntry {
        let mode = self.mode(pack, hook);
        let action = HookAction::Native(Arc::new(Borrowed(hook)));
        let mut entry = HookEntry::new(event, action, ConfigSource::Runtime);
        entry.mode = mode.value;
        entry.on_error = self.settings.on_error(hook.id(), hook.profile().on_error).value;
        entry.timeout = self.settings.timeout(hook.id(), hook.profile().timeout.unwrap_or(NATIVE_TIMEOUT));
        entry.breaker = hook.profile().has_breaker;
        entry.origin = Origin::new(mode.layer.map_or("default", LayerKind::as_str), None);
        entry
    }

    /// How seriously a hook of a pack is taken, and who says so.
    #[must_use]
    pub fn mode(&self, pack: &dyn HookPack, hook: &dyn NativeHook) -> Resolved<Mode> {
        mode(pack, hook, &self.selection, &self.settings)
    }

    pub(crate) fn commands(&self) -> &[CommandHook] {
        self.commands.get_or_init(|| self.settings.commands())
    }

    /// The command hooks of an event. Those whose matcher is a word that does not occur are not even made.
    fn commands_of(&self, event: &Event) -> impl Iterator<Item = HookEntry> {
        let subject = match event.name.match_target(MatcherStyle::Own) {
            MatchTarget::Name | MatchTarget::Trigger => event.match_subject(),
            MatchTarget::Nothing => None,
        };
        let may_match = |matcher: &str| subject.is_none_or(|subject| !Matcher::rules_out(matcher, subject));
        let exclusive = self.selection.is_exclusive();
        let hooks = if exclusive { Vec::new() } else { self.settings.commands_of(event.name.as_str(), &may_match) };
        hooks.into_iter().filter_map(|hook| command(&hook, &event.name))
    }

    /// After how many failures in a row a hook is disabled for the session.
    pub(crate) fn breaker_threshold(&self, hook: &str, event: &Event, world: &dyn World) -> u32 {
        let pack = self.packs.iter().find(|pack| pack.hooks().iter().any(|known| known.id() == hook));
        let own = pack.and_then(|pack| pack.breaker_threshold(event, world));
        own.unwrap_or_else(|| self.settings.breaker_threshold())
    }

    /// Whether a hook that comes with the project may run, and as what; `None` for one that needs no approval.
    pub(crate) fn clear(
        &self,
        source: ConfigSource,
        origin: &Origin,
        [project, cwd]: [&Path; 2],
        world: &dyn World,
    ) -> Result<Option<Cleared>, Distrust> {
        if source != ConfigSource::Project {
            return Ok(None);
        }
        match self.commands().iter().find(|command| command.origin == *origin) {
            Some(command) => self.gate.clear(command, project, cwd, world),
            None => Ok(None),
        }
    }

    /// What is wrong with any configuration.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.registry.diagnostics().into_iter().chain(self.settings.diagnostics().iter().cloned()).collect()
    }

    pub(crate) fn has_complaints(&self) -> bool {
        !self.settings.diagnostics().is_empty()
    }

    /// What the user is told once a session about the state of `hookrail.toml`.
    pub(crate) fn complaint(&self) -> Option<String> {
        let Some(first) = self.settings.diagnostics().first() else { return self.without_effect() };
        let more = match self.settings.diagnostics().len() - 1 {
            0 => String::new(),
            more => format!("\n(and {more} more)"),
        };
        let until_then = match self.settings.config_on_error().value {
            OnError::Ask if self.has_unreadable() => "\nuntil it is repaired you are asked about every tool call",
            OnError::Deny if self.has_unreadable() => "\nuntil it is repaired no tool may be used",
            OnError::Allow | OnError::Ask | OnError::Deny => "",
        };
        Some(format!("hookrail's configuration has a mistake: {first}{more}{until_then}"))
    }

    /// A setting without effect is not a mistake that anything depends on, but a surprise to its author.
    fn without_effect(&self) -> Option<String> {
        let found = self.settings.without_effect(&firm_names(self.packs.iter().copied()));
        let more = match found.len() {
            0 | 1 => String::new(),
            count => format!("\n(and {} more; see `hookrail list`)", count - 1),
        };
        found.first().map(|first| format!("hookrail's configuration: {first}{more}"))
    }

    /// The hook that stands for unreadable files; `None` if all can be read.
    fn broken_configuration(&self, event: &EventName) -> Option<HookEntry> {
        let files: Vec<&str> = self.settings.unreadable().collect();
        if files.is_empty() {
            return None;
        }
        let files: Vec<String> = files.into_iter().map(display::quoted).collect();
        let what = format!("{} cannot be read, so what it configures is not in force", files.join(", "));
        let hook = Arc::new(BrokenConfiguration { events: [event.clone()], what });
        let mut entry = HookEntry::new(event.clone(), HookAction::Native(hook), ConfigSource::Runtime);
        entry.on_error = self.on_broken_configuration(event);
        entry.origin = Origin::new("hookrail", None);
        Some(entry)
    }

    /// What a layer says counts at every event. Where none says anything, what guards may have stood in the file decides: no
    /// tool is used, and everything else is only told.
    fn on_broken_configuration(&self, event: &EventName) -> OnError {
        let said = self.settings.config_on_error();
        let before_tool = matches!(event, EventName::BeforeTool | EventName::PermissionRequest);
        if said.layer.is_some() || before_tool { said.value } else { OnError::Allow }
    }
}

/// The mode of a hook under a selection, and who says so.
#[must_use]
pub fn mode(pack: &dyn HookPack, hook: &dyn NativeHook, selection: &Selection, settings: &Settings) -> Resolved<Mode> {
    if hook.profile().is_preview {
        let named = selection.hook.as_deref() == Some(hook.id());
        return settings.mode_of_preview(hook.id(), if named { Mode::Enforce } else { Mode::Off });
    }
    let asked_for = selection.names(pack, hook.id()) && pack.default_mode() == Mode::Off;
    if settings.switches_on(hook.id()) {
        return settings.mode(hook.id(), Mode::Enforce, false);
    }
    let default = hook.profile().default_mode.unwrap_or(if asked_for { Mode::Enforce } else { pack.default_mode() });
    settings.mode(hook.id(), default, pack.is_firm() && default != Mode::Off)
}

/// The packs and hooks whose defaults a project cannot weaken, with their mode.
#[must_use]
pub fn firm_names(packs: impl Iterator<Item = &'static dyn HookPack>) -> Vec<(&'static str, Mode)> {
    let firm = packs.filter(|pack| pack.is_firm()).flat_map(|pack| {
        let hooks = pack
            .hooks()
            .iter()
            .filter(|hook| hook.profile().default_mode.is_none() && !hook.profile().is_preview)
            .map(|hook| hook.id());
        std::iter::once(pack.name()).chain(hooks).map(move |name| (name, pack.default_mode()))
    });
    firm.collect()
}

fn is_concerned(entry: &HookEntry, event: &Event, world: &dyn World) -> bool {
    match &entry.action {
        HookAction::Native(hook) => hook.concerns(event) && hook.has_work(event, world),
        HookAction::Command { .. } | HookAction::Prompt(_) | HookAction::Http(_) | HookAction::Plugin { .. } => true,
    }
}

/// Whether a hook is code of this process that waits for nothing.
fn is_prompt_native(entry: &HookEntry) -> bool {
    matches!(&entry.action, HookAction::Native(hook) if !hook.profile().may_wait)
}

/// A command hook of `hookrail.toml`, if it listens to the event.
pub(crate) fn command(hook: &CommandHook, event: &EventName) -> Option<HookEntry> {
    if hook.event != event.as_str() {
        return None;
    }
    let action = HookAction::Command { command: hook.command.clone() };
    let mut entry = HookEntry::new(event.clone(), action, source(hook.layer));
    entry.name = Some(hook.name.clone());
    entry.matcher = Matcher::compile(hook.matcher.as_deref(), MatcherStyle::Own).0;
    entry.timeout = hook.timeout.unwrap_or(entry.timeout);
    entry.sequential = hook.sequential;
    entry.on_error = hook.on_error;
    entry.mode = hook.mode;
    entry.origin = hook.origin.clone();
    entry.approves = !hook.layer.comes_with_project();
    Some(entry)
}

pub(super) fn source(layer: LayerKind) -> ConfigSource {
    match layer {
        LayerKind::Managed => ConfigSource::System,
        LayerKind::User => ConfigSource::User,
        LayerKind::Project | LayerKind::Local => ConfigSource::Project,
    }
}

/// A hook of a pack, which lives as long as the program.
#[derive(Debug)]
struct Borrowed(&'static dyn NativeHook);

impl NativeHook for Borrowed {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn events(&self) -> &[EventName] {
        self.0.events()
    }

    fn profile(&self) -> HookProfile {
        let HookProfile { may_wait, waits_for_locks_only, .. } = self.0.profile();
        HookProfile { may_wait, waits_for_locks_only, ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError> {
        self.0.check(event, world)
    }
}

/// Fails on every event, because some configuration cannot be read and no version of it is known that could. Its `on_error`
/// decides what that means. What could be read is in force all the same.
#[derive(Debug)]
struct BrokenConfiguration {
    events: [EventName; 1],
    what: String,
}

impl NativeHook for BrokenConfiguration {
    fn id(&self) -> &'static str {
        BROKEN_CONFIGURATION
    }

    fn events(&self) -> &[EventName] {
        &self.events
    }

    fn check(&self, _: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        Err(HookError::new(self.what.clone()))
    }
}
