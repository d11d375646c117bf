//! All layers together, and what they mean for a hook.

use super::commands::CommandTable;
use super::fleet::FleetSettings;
use super::model::ModelSettings;
use super::reader::{MAX_DIAGNOSTICS, PLACE};
use super::spec::{self, Kind};
use crate::registry::Diagnostic;
use hookrail_core::display::quoted;
use hookrail_core::spelling;
use hookrail_core::{Mode, OnError, Origin, World};
use hookrail_rules::{Level, RuleSet, safety};
use hookrail_store::Retention;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long sessions are kept after their last use, unless configured.
const SESSION_DAYS: u64 = 30;
/// How long files of the journal are kept, unless configured.
const JOURNAL_DAYS: u64 = 180;
/// How large the journal gets, unless configured: about a million records.
const JOURNAL_MEGABYTES: u64 = 512;
/// What is made anew when it is needed (parsed configuration, what rules counted on one day), and logs of packs.
const EPHEMERAL_FOLDERS: &[&str] = &["cache", "planning", "planning/claims", "rules"];

/// Whose configuration a layer is; the order is that of authority, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerKind {
    /// The machine's administrator, in `/etc/hookrail`.
    Managed,
    /// The person who runs the agent, in the user's configuration folder.
    User,
    /// The repository, in `.hookrail` of the project.
    Project,
    /// A person's own changes to a project; not committed.
    Local,
}

impl LayerKind {
    /// The word for it in listings and in the journal.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }

    /// The same layer, as rules know it.
    #[must_use]
    pub fn of_rules(self) -> hookrail_rules::Layer {
        match self {
            Self::Managed => hookrail_rules::Layer::Managed,
            Self::User => hookrail_rules::Layer::User,
            Self::Project => hookrail_rules::Layer::Project,
            Self::Local => hookrail_rules::Layer::Local,
        }
    }

    /// Whether the layer comes with the project, and with it from whoever wrote that.
    #[must_use]
    pub fn comes_with_project(self) -> bool {
        match self {
            Self::Managed | Self::User => false,
            Self::Project | Self::Local => true,
        }
    }
}

/// What the journal keeps of the events that hooks looked at. The order is that of strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Privacy {
    /// The event without its secrets, of limited size, so that it can be replayed.
    #[default]
    Full,
    /// Nothing that an event brought but the names of the session, the agent, the event and the tool.
    Minimal,
}

impl Privacy {
    /// Reads the word of a configuration file; `None` for any other word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "full" => Some(Self::Full),
            "minimal" => Some(Self::Minimal),
            _ => None,
        }
    }
}

/// One file, read.
#[derive(Clone, Debug)]
pub(super) struct SettingsLayer {
    pub kind: LayerKind,
    pub place: String,
    pub value: Map<String, Value>,
    pub unreadable: bool,
}

/// A command hook from `hookrail.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandHook {
    /// What people call it.
    pub name: String,
    /// The event it runs on, in hookrail's own spelling.
    pub event: String,
    /// Which tools or triggers it runs on; all of them if not given.
    pub matcher: Option<String>,
    /// Text for a shell.
    pub command: String,
    /// How long it may take, if the entry says so.
    pub timeout: Option<Duration>,
    /// Hooks of its event run one after the other.
    pub sequential: bool,
    /// What its failure decides.
    pub on_error: OnError,
    /// How seriously it is taken.
    pub mode: Mode,
    /// Whose file it stands in.
    pub layer: LayerKind,
    /// The file, and the place in it.
    pub origin: Origin,
}

/// A value and the layer that has the last word on it; no layer means the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved<T> {
    /// What applies.
    pub value: T,
    /// Who says so.
    pub layer: Option<LayerKind>,
}

/// Every layer, ready to be asked.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Highest authority first.
    pub(super) layers: Vec<SettingsLayer>,
    /// The command hooks of all layers.
    pub(super) commands: CommandTable,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) new: bool,
    /// The rules and exceptions of all layers.
    pub(super) rules: Arc<RuleSet>,
    /// What is doubtful about rules, though not wrong.
    pub(super) warnings: Vec<Diagnostic>,
    /// What trusted command hooks of the project run.
    pub(crate) trusted_scripts: Vec<String>,
}

impl Settings {
    /// Whether the files changed since the last look, as far as the cache knows.
    #[must_use]
    pub fn are_new(&self) -> bool {
        self.new
    }

    /// What is wrong with the files.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The rules and exceptions of all layers.
    #[must_use]
    pub fn rules(&self) -> &Arc<RuleSet> {
        &self.rules
    }

    /// What is doubtful about rules: they do what is written, which may not be what was meant.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Whether a question that no person can answer means no.
    #[must_use]
    pub fn refuses_unanswered(&self) -> bool {
        let said = |layer: &SettingsLayer| {
            layer.value.get("rules")?.get("ask_when_nobody_can_answer")?.as_str().map(str::to_owned)
        };
        let trusted = self.layers.iter().filter(|layer| !layer.kind.comes_with_project());
        trusted.filter_map(said).next().is_none_or(|word| word != "allow")
    }

    /// Files that cannot be read, and of which no version is known that could; their settings are unknown.
    pub fn unreadable(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().filter(|layer| layer.unreadable).map(|layer| layer.place.as_str())
    }

    /// Adds a complaint about every table for a pack or hook that does not exist. `known` are the names that do, the rules of
    /// pack `safety` not counted.
    pub fn check_names(&mut self, group: &str, known: fn() -> Vec<&'static str>) {
        // Most configurations name none.
        if !self.layers.iter().any(|layer| layer.value.contains_key(group)) {
            return;
        }
        let known = known();
        let mut complaints = Vec::new();
        let rules = OnceCell::new();
        let rules = || rules.get_or_init(|| safety::rules().rules().map(|rule| rule.id).collect::<Vec<String>>());
        for layer in &self.layers {
            for (name, table) in layer.value.get(group).and_then(Value::as_object).into_iter().flatten() {
                if known.contains(&name.as_str()) || (name.contains('/') && rules().contains(name)) {
                    continue;
                }
                if complaints.len() == MAX_DIAGNOSTICS {
                    break;
                }
                let origin = Origin::new(&layer.place, place(table));
                let complaint = Diagnostic::new(origin, format!("there is no {} in `{group}`", quoted(name)));
                let more = if name.contains('/') { rules().as_slice() } else { &[] };
                let known = known.iter().copied().chain(more.iter().map(String::as_str));
                complaints.push(spelling::hint(name, known).into_iter().fold(complaint, Diagnostic::hint));
            }
        }
        self.diagnostics.extend(complaints);
    }

    /// The mode of a native hook. What a layer says about a hook goes before what it says about the pack; between layers,
    /// a lower one may only be stricter.
    ///
    /// `default` applies when no layer says anything. `firm` defaults cannot be weakened by what comes with the project.
    #[must_use]
    pub fn mode(&self, hook: &str, default: Mode, firm: bool) -> Resolved<Mode> {
        let pack = hook.split('/').next().unwrap_or_default();
        let firm_default = firm.then_some((LayerKind::User, default));
        self.resolve(default, firm_default, |layer| {
            let own = layer_mode(layer.table("hooks", hook)).map(|mode| (mode, layer.overridable("hooks", hook)));
            let of_pack = || {
                let overridable = layer.overridable("hooks", hook) || layer.overridable("packs", pack);
                layer_mode(layer.table("packs", pack)).map(|mode| (mode, overridable))
            };
            own.or_else(of_pack)
        })
    }

    /// The mode of a hook that is a preview: only what is configured for the hook itself counts, and nothing for its pack.
    #[must_use]
    pub fn mode_of_preview(&self, hook: &str, default: Mode) -> Resolved<Mode> {
        self.resolve(default, None, |layer| {
            layer_mode(layer.table("hooks", hook)).map(|mode| (mode, layer.overridable("hooks", hook)))
        })
    }

    /// What a native hook that fails decides. A project cannot weaken the default: a guard that fails is one that can be made
    /// to fail.
    #[must_use]
    pub fn on_error(&self, hook: &str, default: OnError) -> Resolved<OnError> {
        self.resolve(default, Some((LayerKind::User, default)), |layer| {
            let word = layer.table("hooks", hook)?.get("on_error")?.as_str()?;
            Some((OnError::parse(word)?, layer.overridable("hooks", hook)))
        })
    }

    /// How long a native hook may take. The first layer that says so decides; what comes with a project may give a hook more
    /// time than usual and never less, or it could let its user's guard run out of time.
    #[must_use]
    pub fn timeout(&self, hook: &str, usual: Duration) -> Duration {
        self.configured_timeout(hook, usual).unwrap_or(usual)
    }

    /// The same; `None` if no layer says anything.
    #[must_use]
    pub fn configured_timeout(&self, hook: &str, usual: Duration) -> Option<Duration> {
        let millis = |layer: &SettingsLayer| layer.table("hooks", hook)?.get("timeout")?.as_u64();
        let said = |ours: bool| {
            let layers = self.layers.iter().filter(|layer| layer.kind.comes_with_project() != ours);
            layers.filter_map(millis).next().map(Duration::from_millis)
        };
        said(true).or_else(|| said(false).map(|longer| longer.max(usual)))
    }

    /// What decides when a configuration file is unreadable, and who says so. What stood in the file may have been a guard, so
    /// the default is the strictest, and a project cannot weaken it.
    #[must_use]
    pub fn config_on_error(&self) -> Resolved<OnError> {
        self.resolve(OnError::Deny, Some((LayerKind::User, OnError::Deny)), |layer| {
            let word = layer.value.get("config")?.get("on_error")?.as_str()?;
            Some((OnError::parse(word)?, false))
        })
    }

    /// After how many failures in a row a hook rests. Only a layer that does not come with the project may raise or lower
    /// it.
    #[must_use]
    pub fn breaker_threshold(&self) -> u32 {
        let threshold = |layer: &SettingsLayer| layer.value.get("breaker")?.get("threshold")?.as_u64();
        let trusted = self.layers.iter().filter(|layer| !layer.kind.comes_with_project());
        trusted.filter_map(threshold).find_map(|threshold| u32::try_from(threshold).ok()).unwrap_or(3)
    }

    /// What is kept for how long, as a layer says that did not come with a project.
    #[must_use]
    pub fn retention(&self) -> Retention {
        let said = |key: &str| {
            let count = |layer: &SettingsLayer| layer.value.get("retention")?.get(key)?.as_u64();
            let trusted = self.layers.iter().filter(|layer| !layer.kind.comes_with_project());
            trusted.filter_map(count).next()
        };
        let days = |count: u64| Duration::from_secs(count.saturating_mul(24 * 60 * 60));
        Retention {
            sessions: days(said("session_days").unwrap_or(SESSION_DAYS)),
            journal: Some(days(said("journal_days").unwrap_or(JOURNAL_DAYS))),
            journal_bytes: Some(said("journal_megabytes").unwrap_or(JOURNAL_MEGABYTES).saturating_mul(1 << 20)),
            folders: EPHEMERAL_FOLDERS,
        }
    }

    /// How much longer than the event a hook's answer may be, if a layer says so that did not come with a project: a shorter
    /// limit makes answers fail.
    #[must_use]
    pub fn answer_limit(&self) -> Option<usize> {
        let limit = |layer: &SettingsLayer| layer.value.get("answers")?.get("limit_bytes")?.as_u64();
        let trusted = self.layers.iter().filter(|layer| !layer.kind.comes_with_project());
        trusted.filter_map(limit).find_map(|limit| usize::try_from(limit).ok())
    }

    /// What the journal keeps of events. A lower layer may only ask for less; a file that cannot be read may have.
    #[must_use]
    pub fn privacy(&self) -> Privacy {
        let said = |layer: &SettingsLayer| {
            if layer.unreadable {
                Some(Privacy::Minimal)
            } else {
                Privacy::parse(layer.value.get("privacy")?.as_str()?)
            }
        };
        self.layers.iter().filter_map(said).max().unwrap_or_default()
    }

    /// While this file exists no hook runs. A project cannot name one: that would switch off its user's guards.
    #[must_use]
    pub fn dev_mode_file(&self) -> Option<&str> {
        let trusted = self.layers.iter().filter(|layer| !layer.kind.comes_with_project());
        trusted.map(|layer| &layer.value).find_map(|value| value.get("dev_mode")?.get("file")?.as_str())
    }

    /// Why no hook runs at the moment, if that is so.
    #[must_use]
    pub fn development_mode(&self, project: &Path, world: &dyn World) -> Option<String> {
        let file = project.join(self.dev_mode_file()?);
        let exists = world.kind(&file).ok().flatten().is_some();
        exists.then(|| format!("development mode: `{}` exists", file.display()))
    }

    /// The model that hooks may ask: the highest layer's, whole. A project cannot name one, because the user's key would
    /// go there.
    #[must_use]
    pub fn model(&self) -> Option<ModelSettings> {
        let trusted = self.layers.iter().filter(|layer| !layer.kind.comes_with_project());
        trusted.filter_map(|layer| layer.value.get("model")).find_map(ModelSettings::read)
    }

    /// Where the journal of this machine goes: the highest layer's `[fleet]`, whole. A project cannot name one, because the
    /// journal of other projects would go there.
    #[must_use]
    pub fn fleet(&self) -> Option<FleetSettings> {
        let trusted = self.layers.iter().filter(|layer| !layer.kind.comes_with_project());
        trusted.filter_map(|layer| layer.value.get("fleet")).find_map(FleetSettings::read)
    }

    /// Every command hook of every layer, the highest layer first.
    #[must_use]
    pub fn commands(&self) -> Vec<CommandHook> {
        self.commands.all()
    }

    /// Whether any command hook comes with the project.
    #[must_use]
    pub fn has_commands_of_project(&self) -> bool {
        self.commands.comes_with_project()
    }

    /// Those of an event, but the ones whose matcher `may_match` rules out.
    #[must_use]
    pub fn commands_of(&self, event: &str, may_match: &dyn Fn(&str) -> bool) -> Vec<CommandHook> {
        self.commands.of_event(event, may_match)
    }

    /// Whether an event has command hooks.
    #[must_use]
    pub fn has_commands_of(&self, event: &str) -> bool {
        self.commands.listens(event)
    }

    /// The packs' own tables, all layers together: lists are united, of other values the highest layer's counts. Patterns
    /// stay a list for each layer that has some, because an exception of one must not undo what another protects.
    #[must_use]
    pub fn sections(&self) -> Map<String, Value> {
        const SHARED: [&str; 13] = [
            "packs",
            "hooks",
            "command",
            "config",
            "breaker",
            "answers",
            "dev_mode",
            "model",
            "privacy",
            "rules",
            "safety",
            "retention",
            "fleet",
        ];
        let mut sections = Map::new();
        for layer in &self.layers {
            for (name, value) in layer.value.iter().filter(|(name, _)| !SHARED.contains(&name.as_str())) {
                add_up(sections.entry(name.clone()).or_insert(Value::Null), &with_patterns_apart(name, value));
            }
        }
        // Whoever makes this file switches every hook off, so the guard of protected files must know it. Whoever changes a
        // trusted script makes its hook fail.
        let dev_mode = self.dev_mode_file().map(|file| ("dev_mode_file", Value::from(file)));
        let scripts = Some(&self.trusted_scripts).filter(|scripts| !scripts.is_empty());
        let scripts = scripts.map(|scripts| ("trusted_scripts", Value::from(scripts.clone())));
        let folders = Some(self.personal_list("folders")).filter(|folders| !folders.is_empty());
        let folders = folders.map(|folders| ("folders", Value::from(folders)));
        for (key, value) in dev_mode.into_iter().chain(scripts).chain(folders) {
            let core = sections.entry("core").or_insert_with(|| Value::Object(Map::new()));
            if let Some(core) = core.as_object_mut() {
                core.insert(key.to_owned(), value);
            }
        }
        sections
    }

    /// Goes down the layers: the first one that says something sets the value, a lower one may make it stricter, or
    /// weaker if the one that set it allows that. No layer gets below one that does not allow it, whatever
    /// stands in between.
    pub(super) fn resolve<T: Strictness>(
        &self,
        default: T,
        firm: Option<(LayerKind, T)>,
        said: impl Fn(&SettingsLayer) -> Option<(T, bool)>,
    ) -> Resolved<T> {
        let mut resolved: Option<Resolved<T>> = None;
        let mut floor = 0;
        for layer in &self.layers {
            if let (None, Some((level, value))) = (&resolved, firm)
                && layer.kind > level
            {
                resolved = Some(Resolved { value, layer: None });
                floor = value.strictness();
            }
            let Some((value, overridable)) = said(layer) else { continue };
            let strictness = value.strictness();
            if strictness < floor {
                continue;
            }
            if resolved.is_none_or(|current| strictness != current.value.strictness() || floor < strictness) {
                resolved = Some(Resolved { value, layer: Some(layer.kind) });
            }
            if !overridable {
                floor = strictness;
            }
        }
        resolved.unwrap_or(Resolved { value: default, layer: None })
    }
}

/// Values of which one can be stricter than another.
pub(super) trait Strictness: Copy {
    fn strictness(self) -> u8;
}

impl Strictness for Mode {
    fn strictness(self) -> u8 {
        self as u8
    }
}

impl Strictness for Level {
    fn strictness(self) -> u8 {
        self as u8
    }
}

impl Strictness for OnError {
    fn strictness(self) -> u8 {
        self as u8
    }
}

/// What a table says about running: `enabled = false` is off, `enabled = true` alone promises enforcement.
pub(super) fn layer_mode(table: Option<&Value>) -> Option<Mode> {
    let table = table?;
    let enabled = table.get("enabled").and_then(Value::as_bool);
    let mode = table.get("mode").and_then(Value::as_str).and_then(Mode::parse);
    match (enabled, mode) {
        (Some(false), _) => Some(Mode::Off),
        (_, Some(mode)) => Some(mode),
        (Some(true), None) => Some(Mode::Enforce),
        (None, None) => None,
    }
}

impl SettingsLayer {
    fn table(&self, group: &str, name: &str) -> Option<&Value> {
        self.value.get(group)?.get(name)
    }

    pub(super) fn overridable(&self, group: &str, name: &str) -> bool {
        self.table(group, name).and_then(|table| table.get("overridable")) == Some(&Value::Bool(true))
    }

    /// The command hooks, which are kept in a form of their own.
    pub(super) fn take_commands(&mut self) -> Vec<CommandHook> {
        let entries = self.value.remove("command");
        let entries = entries.as_ref().and_then(Value::as_array).into_iter().flatten();
        entries.filter_map(|entry| self.command(entry)).collect()
    }

    fn command(&self, entry: &Value) -> Option<CommandHook> {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(CommandHook {
            name: text("name")?,
            event: text("event")?,
            matcher: text("matcher"),
            command: text("command")?,
            timeout: entry.get("timeout").and_then(Value::as_u64).map(Duration::from_millis),
            sequential: entry.get("sequential") == Some(&Value::Bool(true)),
            on_error: text("on_error").and_then(|word| OnError::parse(&word)).unwrap_or_default(),
            mode: text("mode").and_then(|word| Mode::parse(&word)).unwrap_or_default(),
            layer: self.kind,
            origin: Origin::new(&self.place, place(entry)),
        })
    }
}

/// Where a table or an entry stands, line and column.
pub(super) fn place(table: &Value) -> Option<(u32, u32)> {
    let number = |index: usize| table.get(PLACE)?.get(index)?.as_u64().and_then(|number| u32::try_from(number).ok());
    number(0).zip(number(1))
}

/// A section with its lists of patterns as lists in a list.
fn with_patterns_apart(section: &str, value: &Value) -> Value {
    let mut value = value.clone();
    let (Some(fields), Some(table)) = (spec::table(section), value.as_object_mut()) else { return value };
    for field in fields.iter().filter(|field| matches!(field.kind, Kind::Patterns)) {
        if let Some(list) = table.get_mut(field.name) {
            *list = Value::Array(vec![list.take()]);
        }
    }
    value
}

/// Adds a lower layer's value to what higher layers said.
fn add_up(higher: &mut Value, lower: &Value) {
    match (higher, lower) {
        (higher @ Value::Null, lower) => *higher = lower.clone(),
        (Value::Object(higher), Value::Object(lower)) => {
            for (key, value) in lower {
                add_up(higher.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (Value::Array(higher), Value::Array(lower)) => {
            for item in lower {
                if !higher.contains(item) {
                    higher.push(item.clone());
                }
            }
        }
        _ => {}
    }
}
