//! A hook is known by (layer, file, name), never by its name: whatever a lower layer writes, with whatever name, a guard of a
//! higher one keeps refusing. A case for every pair of places where hooks are configured and every way to get at another's
//! hook, behind both ways of asking the engine.

use hookrail_core::{
    ConfigSource, Decision, Event, EventName, HookError, HookPack, HookProfile, Mode, NativeHook, OnError, Outcome,
    ToolCall, ToolClassifier, World,
};
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind};
use hookrail_engine::{Config, Document, Engine, HookFormat, Layer, RealWorld};
use hookrail_store::{FileStore, StateRoot, Store};
use hookrail_testkit::project::TempProject;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Where a hook can be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// A native hook of a pack that a project must leave alone.
    Pack,
    /// A `hookrail.toml`.
    Toml(LayerKind),
    /// Settings of an agent.
    Settings(ConfigSource),
}

const PACK: Home = Home::Pack;
const MANAGED: Home = Home::Toml(LayerKind::Managed);
const USER: Home = Home::Toml(LayerKind::User);
const PROJECT: Home = Home::Toml(LayerKind::Project);
const LOCAL: Home = Home::Toml(LayerKind::Local);
const USER_SETTINGS: Home = Home::Settings(ConfigSource::User);
const PROJECT_SETTINGS: Home = Home::Settings(ConfigSource::Project);

/// Whose hook is attacked, and from where.
const PAIRS: &[(Home, Home)] = &[
    (PACK, USER),
    (PACK, PROJECT),
    (PACK, LOCAL),
    (PACK, USER_SETTINGS),
    (PACK, PROJECT_SETTINGS),
    (MANAGED, USER),
    (MANAGED, PROJECT),
    (MANAGED, LOCAL),
    (MANAGED, USER_SETTINGS),
    (MANAGED, PROJECT_SETTINGS),
    (USER, PROJECT),
    (USER, LOCAL),
    (USER, PROJECT_SETTINGS),
    (PROJECT, LOCAL),
    (USER_SETTINGS, PROJECT),
    (USER_SETTINGS, LOCAL),
    (USER_SETTINGS, PROJECT_SETTINGS),
];

/// What the guard does, and what another layer configures for a hook of the same name.
struct Mechanism {
    name: &'static str,
    guard: Guard,
    entry: Entry,
    /// Tables about the guard by its name. The user may weaken a pack, so these are tried from a project alone.
    tables: &'static str,
    approved: bool,
}

/// How the guard comes to its refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    Refuses,
    /// It needs a moment, which must not be taken from it.
    RefusesSlowly,
    /// It cannot do its work, and its `on_error` is `deny`.
    Fails,
}

impl Guard {
    fn command(self) -> &'static str {
        match self {
            Self::Refuses => "echo no >&2; exit 2",
            Self::RefusesSlowly => "sleep 0.2; echo no >&2; exit 2",
            Self::Fails => "exit 1",
        }
    }
}

/// The other hook of the guard's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    None,
    /// With this command.
    Other(&'static str),
    /// With the guard's own command, so that both look the same, and these keys.
    Same(&'static [(&'static str, &'static str)]),
}

const MECHANISMS: &[Mechanism] = &[
    Mechanism { name: "trust", guard: Guard::Refuses, entry: Entry::Other("true"), tables: "", approved: false },
    Mechanism { name: "name", guard: Guard::Refuses, entry: Entry::Other("true"), tables: "", approved: true },
    Mechanism {
        name: "an answer",
        guard: Guard::Refuses,
        entry: Entry::Other("echo '{\"decision\": \"allow\", \"continue\": true}'"),
        tables: "",
        approved: true,
    },
    Mechanism { name: "deduplication", guard: Guard::Refuses, entry: Entry::Same(&[]), tables: "", approved: true },
    Mechanism {
        name: "deduplication with what is not trusted",
        guard: Guard::Refuses,
        entry: Entry::Same(&[]),
        tables: "",
        approved: false,
    },
    Mechanism {
        name: "mode",
        guard: Guard::Refuses,
        entry: Entry::Same(&[("mode", "\"warn\"")]),
        tables: "[hooks.\"test/guard\"]\nmode = \"off\"\n[packs.test]\nenabled = false\n",
        approved: true,
    },
    Mechanism {
        name: "mode off",
        guard: Guard::Refuses,
        entry: Entry::Same(&[("mode", "\"off\"")]),
        tables: "[hooks.\"test/guard\"]\nenabled = false\noverridable = true\n",
        approved: true,
    },
    Mechanism {
        name: "timeout",
        guard: Guard::RefusesSlowly,
        entry: Entry::Same(&[("timeout", "\"1ms\"")]),
        tables: "[hooks.\"test/guard\"]\ntimeout = \"1ms\"\n",
        approved: true,
    },
    Mechanism {
        name: "on_error",
        guard: Guard::Fails,
        entry: Entry::Same(&[("on_error", "\"allow\"")]),
        tables: "[hooks.\"test/guard\"]\non_error = \"allow\"\n",
        approved: true,
    },
    Mechanism { name: "breaker", guard: Guard::Refuses, entry: Entry::Other("exit 1"), tables: "", approved: true },
    Mechanism {
        name: "breaker of a guard that fails",
        guard: Guard::Fails,
        entry: Entry::Other("exit 1"),
        tables: "[breaker]\nthreshold = 1\n",
        approved: true,
    },
    Mechanism {
        name: "order",
        guard: Guard::Refuses,
        entry: Entry::Same(&[("sequential", "true")]),
        tables: "[dev_mode]\nfile = \".\"\n",
        approved: true,
    },
    Mechanism { name: "disabled list", guard: Guard::Refuses, entry: Entry::None, tables: "", approved: true },
];

/// More than it takes to open a breaker.
const EVENTS: usize = 4;

#[derive(Debug)]
struct TestGuard(Guard);

const BEFORE_TOOL: &[EventName] = &[EventName::BeforeTool];

impl NativeHook for TestGuard {
    fn id(&self) -> &'static str {
        match self.0 {
            Guard::Refuses => "test/guard",
            Guard::RefusesSlowly => "slow/guard",
            Guard::Fails => "failing/guard",
        }
    }

    fn events(&self) -> &[EventName] {
        BEFORE_TOOL
    }

    fn profile(&self) -> HookProfile {
        HookProfile { on_error: OnError::Deny, ..HookProfile::DEFAULT }
    }

    fn check(&self, _: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        match self.0 {
            Guard::Refuses => Ok(Outcome::deny("no")),
            Guard::RefusesSlowly => {
                std::thread::sleep(std::time::Duration::from_millis(200));
                Ok(Outcome::deny("no"))
            }
            Guard::Fails => Err(HookError::new("broken")),
        }
    }
}

/// A pack for each kind of guard, of the same name as its hook.
#[derive(Debug)]
struct PackOf(&'static str, &'static [&'static dyn NativeHook]);

impl HookPack for PackOf {
    fn name(&self) -> &'static str {
        self.0
    }

    fn default_mode(&self) -> Mode {
        Mode::Enforce
    }

    fn hooks(&self) -> &'static [&'static dyn NativeHook] {
        self.1
    }

    fn is_firm(&self) -> bool {
        true
    }
}

static REFUSES: PackOf = PackOf("test", &[&TestGuard(Guard::Refuses)]);
static SLOW: PackOf = PackOf("slow", &[&TestGuard(Guard::RefusesSlowly)]);
static FAILS: PackOf = PackOf("failing", &[&TestGuard(Guard::Fails)]);

fn pack(guard: Guard) -> &'static PackOf {
    match guard {
        Guard::Refuses => &REFUSES,
        Guard::RefusesSlowly => &SLOW,
        Guard::Fails => &FAILS,
    }
}

/// One project with both hooks in it.
struct Case<'a> {
    project: TempProject,
    mechanism: &'a Mechanism,
    guard: Home,
    other: Home,
}

impl Case<'_> {
    /// The name both have: a native hook's id for one of a pack.
    fn name(&self) -> &'static str {
        if self.guard == PACK { pack(self.mechanism.guard).hooks().first().unwrap().id() } else { "guard" }
    }

    fn file(&self, layer: LayerKind) -> PathBuf {
        self.project.at(format!("{}.toml", layer.as_str()))
    }

    fn config(&self) -> Config {
        let mut config = Config::new("s", self.project.path()).project(self.project.path());
        let failing = [("on_error", "\"deny\"")];
        let own: &[(&str, &str)] = if self.mechanism.guard == Guard::Fails { &failing } else { &[] };
        match self.guard {
            Home::Pack => config = config.packs([pack(self.mechanism.guard) as &dyn HookPack]),
            home => config = self.add(config, home, self.mechanism.guard.command(), own),
        }
        let from_project = matches!(self.other, PROJECT | LOCAL);
        let tables = if from_project {
            self.mechanism.tables.replace("test", pack(self.mechanism.guard).0)
        } else {
            String::new()
        };
        match self.mechanism.entry {
            Entry::None => {}
            Entry::Other(command) => config = self.add(config, self.other, command, &[]),
            Entry::Same(keys) => config = self.add(config, self.other, self.mechanism.guard.command(), keys),
        }
        if let Home::Toml(layer) = self.other {
            self.append(layer, &tables);
        }
        let source = match self.other {
            Home::Settings(source) => source,
            Home::Toml(LayerKind::Managed) => ConfigSource::System,
            Home::Toml(LayerKind::User) => ConfigSource::User,
            Home::Toml(LayerKind::Project | LayerKind::Local) | Home::Pack => ConfigSource::Project,
        };
        let names = [self.name().to_owned(), self.mechanism.guard.command().to_owned()];
        if self.mechanism.entry == Entry::None {
            config = config.disable_for(source, names);
        }
        let approved: Vec<LayerKind> = [self.guard, self.other]
            .into_iter()
            .filter(|home| self.mechanism.approved || *home != self.other)
            .filter_map(|home| if let Home::Toml(layer) = home { Some(layer) } else { None })
            .collect();
        config = approved.into_iter().fold(config, |config, layer| config.vouch_for(&self.file(layer)));
        let files = [LayerKind::Managed, LayerKind::User, LayerKind::Project, LayerKind::Local];
        let files = LayerFiles::new(files.map(|layer| (layer, self.file(layer))).to_vec());
        let settings = ConfigCache::in_state(None).load(&files, &RealWorld::default());
        let state = self.project.at("state");
        let store = Arc::new(FileStore::new(StateRoot::at(&state), || 0));
        config.settings(settings).store(store as Arc<dyn Store>, state)
    }

    fn append(&self, layer: LayerKind, text: &str) {
        let file = format!("{}.toml", layer.as_str());
        let before = if self.project.exists(&file) { self.project.read(&file) } else { String::new() };
        self.project.write(&file, &(before + text));
    }

    /// Adds a command hook of the guard's name.
    fn add(&self, config: Config, home: Home, command: &str, keys: &[(&str, &str)]) -> Config {
        match home {
            Home::Toml(layer) => {
                let keys: String = keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
                let entry = format!(
                    "[[command]]\nname = \"{}\"\nevent = \"BeforeTool\"\ncommand = '''{command}'''\n{keys}",
                    self.name()
                );
                self.append(layer, &entry);
                config
            }
            Home::Settings(source) => {
                let mut hook = json!({ "type": "command", "name": self.name(), "command": command });
                let hook_keys = hook.as_object_mut().unwrap();
                for (key, value) in keys {
                    let value: Value = serde_json::from_str(value).unwrap();
                    let value = if *key == "timeout" { json!(1) } else { value };
                    hook_keys.insert((*key).to_owned(), value);
                }
                let hooks = json!({ "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
                let document = Document::value(&format!("{source:?} settings"), hooks);
                config.source(Layer::new(source, HookFormat::Protocol, vec![document]))
            }
            Home::Pack => config,
        }
    }

    fn event(&self) -> Event {
        let payload = json!({ "tool_name": "shell", "tool_input": { "command": "ls" } });
        let payload: Map<String, Value> = payload.as_object().cloned().unwrap();
        Event {
            name: EventName::BeforeTool,
            native_name: String::new(),
            session_id: "s".to_owned(),
            cwd: self.project.path().to_owned(),
            timestamp: String::new(),
            transcript_path: String::new(),
            tool: Some(ToolCall::read("shell", &json!({ "command": "ls" }), &ToolClassifier::OPAQUE)),
            payload,
        }
    }
}

#[test]
fn a_guard_refuses_whatever_a_lower_layer_says_under_its_name() {
    let mut wrong = Vec::new();
    for mechanism in MECHANISMS {
        for (guard, other) in PAIRS {
            let case = Case { project: TempProject::new(), mechanism, guard: *guard, other: *other };
            let engine = Engine::open(&case.config()).unwrap();
            for round in 0..EVENTS {
                let event = Arc::new(case.event());
                let (way, verdict) = match round % 2 {
                    0 => ("a host", engine.decide(case.event())),
                    _ => ("a process per event", engine.decide_or_end(&event, |_| ())),
                };
                if verdict.decision() < Decision::Block {
                    wrong.push(format!("{}: {guard:?} against {other:?}, event {round}, {way}", mechanism.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "these let the call pass:\n{}", wrong.join("\n"));
}

/// A layer's word on a hook: how strict it is, and whether lower layers may weaken it.
type LayerStatement = Option<(&'static str, bool)>;

#[test]
fn what_may_be_weakened_goes_no_further_than_whoever_does_not_allow_it() {
    const OPEN: bool = true;
    const FIRM: bool = false;
    // (managed, user, project, local, what counts)
    let modes: &[([LayerStatement; 4], Mode)] = &[
        ([Some(("warn", FIRM)), Some(("enforce", OPEN)), Some(("off", FIRM)), None], Mode::Enforce),
        ([Some(("warn", FIRM)), Some(("enforce", OPEN)), Some(("warn", FIRM)), Some(("off", FIRM))], Mode::Warn),
        ([Some(("enforce", OPEN)), None, Some(("off", FIRM)), None], Mode::Off),
        ([Some(("enforce", OPEN)), Some(("enforce", FIRM)), Some(("off", FIRM)), None], Mode::Enforce),
        ([Some(("enforce", FIRM)), Some(("warn", OPEN)), Some(("off", FIRM)), None], Mode::Enforce),
        ([Some(("enforce", FIRM)), Some(("enforce", OPEN)), Some(("off", FIRM)), None], Mode::Enforce),
        ([Some(("warn", OPEN)), Some(("enforce", OPEN)), Some(("off", FIRM)), None], Mode::Off),
        ([None, Some(("enforce", FIRM)), Some(("enforce", OPEN)), Some(("off", FIRM))], Mode::Enforce),
        ([None, Some(("enforce", OPEN)), Some(("warn", OPEN)), Some(("off", FIRM))], Mode::Off),
        ([None, Some(("enforce", OPEN)), Some(("warn", FIRM)), Some(("off", FIRM))], Mode::Warn),
    ];
    for (said, expected) in modes {
        for group in ["hooks.\"p/h\"", "packs.p"] {
            let settings =
                settings(said, &|(word, open)| format!("[{group}]\nmode = \"{word}\"\noverridable = {open}\n"));
            assert_eq!(settings.mode("p/h", Mode::Off, false).value, *expected, "{group} {said:?}");
        }
    }
    let policies: &[([LayerStatement; 4], OnError)] = &[
        ([Some(("ask", FIRM)), Some(("deny", OPEN)), Some(("allow", FIRM)), None], OnError::Deny),
        ([Some(("deny", OPEN)), None, Some(("allow", FIRM)), None], OnError::Allow),
        ([Some(("deny", FIRM)), Some(("deny", OPEN)), Some(("allow", FIRM)), None], OnError::Deny),
        ([None, None, Some(("allow", OPEN)), None], OnError::Deny),
        ([None, None, None, Some(("ask", FIRM))], OnError::Deny),
        ([None, Some(("allow", FIRM)), Some(("ask", FIRM)), None], OnError::Ask),
    ];
    for (said, expected) in policies {
        let text =
            |(word, open): (&str, bool)| format!("[hooks.\"p/h\"]\non_error = \"{word}\"\noverridable = {open}\n");
        assert_eq!(settings(said, &text).on_error("p/h", OnError::Deny).value, *expected, "{said:?}");
    }
}

/// The settings of four layers.
fn settings(said: &[LayerStatement; 4], text: &dyn Fn((&str, bool)) -> String) -> hookrail_engine::layers::Settings {
    let project = TempProject::new();
    let layers = [LayerKind::Managed, LayerKind::User, LayerKind::Project, LayerKind::Local];
    let mut files = Vec::new();
    for (layer, said) in layers.iter().zip(said) {
        let name = format!("{}.toml", layer.as_str());
        if let Some(said) = said {
            project.write(&name, &text(*said));
        }
        files.push((*layer, project.at(&name)));
    }
    ConfigCache::in_state(None).load(&LayerFiles::new(files), &RealWorld::default())
}

#[test]
fn what_a_pack_lets_be_weakened_is_not_what_the_same_layer_says_of_one_hook() {
    let project = TempProject::new()
        .file("user.toml", "[packs.p]\nmode = \"warn\"\noverridable = true\n[hooks.\"p/h\"]\nmode = \"enforce\"\n")
        .file("project.toml", "[hooks.\"p/h\"]\nmode = \"off\"\n[hooks.\"p/other\"]\nmode = \"off\"\n");
    let files = [(LayerKind::User, project.at("user.toml")), (LayerKind::Project, project.at("project.toml"))];
    let settings = ConfigCache::in_state(None).load(&LayerFiles::new(files.to_vec()), &RealWorld::default());
    assert_eq!(settings.mode("p/h", Mode::Off, false).value, Mode::Enforce);
    assert_eq!(settings.mode("p/other", Mode::Off, false).value, Mode::Off);
}
