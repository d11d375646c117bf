//! `planning-config.yaml`: limits, thresholds and switches of the workflow.

use super::config_file;
use super::feature::{Checkout, read_file};
use hookrail_core::{HookError, World};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where an installation keeps its configuration.
const FILE: &str = "config/planning-config.yaml";
/// The switch that every hook of the pack needs.
const MASTER: &str = "hooks_enforcement";
const DEV_MODE_FILE: &str = "hooks/.dev-mode";

/// The configuration that applies to an event. Without a file all hooks are on, and each has its own defaults.
#[derive(Clone, Debug)]
pub(super) struct Config {
    fields: Arc<Value>,
    /// The folder of the installation, which paths in the file are relative to.
    root: Option<PathBuf>,
    /// `None` without a file.
    path: Option<PathBuf>,
}

impl Config {
    /// The first that exists: the file that `config` in `[planning]` names, the plugin's, the project's.
    pub fn find(checkout: &Checkout, world: &dyn World) -> Result<Self, HookError> {
        for path in candidates(checkout, world) {
            if let Some(bytes) = read_file(&path, world)? {
                let root = root_of(&path);
                return Ok(Self { fields: config_file::read(&path, &bytes, world)?, root, path: Some(path) });
            }
        }
        Ok(Self { root: plugin_root(world), ..Self::without_file() })
    }

    /// Every file that configures the pack here, or would if it existed: with one of them a guard could be switched off.
    pub fn own_files(checkout: &Checkout, world: &dyn World) -> Vec<PathBuf> {
        let files = candidates(checkout, world);
        let dev_mode = files.iter().filter_map(|path| root_of(path)).map(|root| root.join(DEV_MODE_FILE));
        let dev_mode: Vec<PathBuf> = dev_mode.collect();
        let named = Self::find(checkout, world).ok().and_then(|config| config.dev_mode_file());
        files.into_iter().chain(dev_mode).chain(named).collect()
    }

    /// What applies when there is no file, or none that can be read.
    pub fn without_file() -> Self {
        Self { fields: Arc::new(Value::Null), root: None, path: None }
    }

    /// The file is part of the working tree, so whoever wrote the code wrote it.
    pub fn comes_with_project(&self, checkout: &Checkout, world: &dyn World) -> bool {
        self.path.as_ref().is_some_and(|path| world.resolve(path).starts_with(world.resolve(&checkout.root)))
    }

    /// Whether a hook with this switch is to work: it, the pack's own switch and all that it requires are on.
    pub fn is_on(&self, flag: Option<&str>) -> bool {
        let mut needed: Vec<&str> = flag.into_iter().chain([MASTER]).collect();
        let mut next = 0;
        while let Some(name) = needed.get(next).copied() {
            let flag = self.fields.get("feature_flags").and_then(|flags| flags.get(name));
            if flag.and_then(|flag| flag.get("enabled")).is_some_and(is_off) {
                return false;
            }
            let required = flag.and_then(|flag| flag.get("requires")).map(listed).unwrap_or_default();
            let new: Vec<&str> = required.into_iter().filter(|name| !needed.contains(name)).collect();
            needed.extend(new);
            next += 1;
        }
        true
    }

    /// Whether an optional check is asked for. Unlike hooks, these are off unless the file says otherwise.
    pub fn asks_for(&self, flag: &str) -> bool {
        let enabled = self.get(&format!("/feature_flags/{flag}/enabled"));
        enabled.is_some_and(is_true) && self.is_on(Some(flag))
    }

    /// Whether what a JSON pointer names is switched off.
    pub fn is_off(&self, pointer: &str) -> bool {
        self.get(pointer).is_some_and(is_off)
    }

    /// The value at a JSON pointer, such as `/research_mcp/budget/warn_at_percentage`.
    pub fn get(&self, pointer: &str) -> Option<&Value> {
        self.fields.pointer(pointer)
    }

    /// A whole number that is not negative; `None` for anything else (errata C14, C29).
    pub fn count(&self, pointer: &str) -> Option<u64> {
        match self.get(pointer)? {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.split_whitespace().next()?.parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// A share above 0 and up to 1; `None` for anything else.
    pub fn share(&self, pointer: &str) -> Option<f64> {
        let value = self.get(pointer)?;
        let share = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
        (share > 0.0 && share <= 1.0).then_some(share)
    }

    /// A text with something in it.
    pub fn text(&self, pointer: &str) -> Option<&str> {
        self.get(pointer)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// The texts of a list; `None` if there is no list.
    pub fn texts(&self, pointer: &str) -> Option<Vec<&str>> {
        self.get(pointer).filter(|value| value.is_array()).map(listed)
    }

    /// After how many failures in a row a hook of this pack rests; `None` if the file does not say.
    pub fn breaker_threshold(&self) -> Option<u32> {
        let count = self.count("/feature_flags/hooks_enforcement/circuit_breaker_threshold")?;
        u32::try_from(count).ok().filter(|count| *count > 0)
    }

    /// While this file exists no hook of the pack works; `None` without an installation.
    pub fn dev_mode_file(&self) -> Option<PathBuf> {
        let file = self.text("/feature_flags/hooks_enforcement/dev_mode_file").unwrap_or(DEV_MODE_FILE);
        self.root.as_ref().map(|root| root.join(file))
    }

    /// Where decisions are to be logged, `{session_id}` still in it.
    pub fn log_location(&self) -> Option<&str> {
        self.text("/feature_flags/hooks_enforcement/log_location")
    }
}

/// Where the configuration may be, the first that exists counts.
fn candidates(checkout: &Checkout, world: &dyn World) -> Vec<PathBuf> {
    let named = world.settings("planning").and_then(|settings| settings.get("config")?.as_str());
    let named = named.map(|path| checkout.root.join(path));
    let plugin = plugin_root(world).map(|root| root.join(FILE));
    named.into_iter().chain(plugin).chain([checkout.root.join(FILE)]).collect()
}

/// The plugin that runs hookrail, if one does: also a plugin of one's own.
fn plugin_root(world: &dyn World) -> Option<PathBuf> {
    world.env("CLAUDE_PLUGIN_ROOT").filter(|root| !root.is_empty()).map(PathBuf::from)
}

/// The folder of the installation that a configuration belongs to.
fn root_of(config: &Path) -> Option<PathBuf> {
    config.parent().and_then(Path::parent).map(Path::to_owned)
}

/// People write it in more ways than YAML 1.2 has.
fn is_off(value: &Value) -> bool {
    let word = |text: &str| matches!(text.trim().to_ascii_lowercase().as_str(), "false" | "off" | "no");
    value.as_bool() == Some(false) || value.as_str().is_some_and(word)
}

fn is_true(value: &Value) -> bool {
    let word = |text: &str| matches!(text.trim().to_ascii_lowercase().as_str(), "true" | "on" | "yes");
    value.as_bool() == Some(true) || value.as_str().is_some_and(word)
}

/// The texts of a list, or a lone one.
fn listed(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => vec![text.as_str()],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_testkit::world::FakeWorld;
    use serde_json::json;

    fn checkout() -> Checkout {
        Checkout { root: "/p".into(), branch: None }
    }

    fn config(yaml: &str) -> Config {
        Config::find(&checkout(), &FakeWorld::new().file("/p/config/planning-config.yaml", yaml)).unwrap()
    }

    #[test]
    fn the_first_file_that_exists_counts() {
        let world = |files: &[&str]| {
            let world = FakeWorld::new()
                .env("CLAUDE_PLUGIN_ROOT", "/plugin")
                .settings("planning", json!({"config": "conf/own.yaml"}));
            files.iter().fold(world, |world, file| world.file(file, &format!("state: {{from: {file}}}")))
        };
        let (own, plugin, project) =
            ("/p/conf/own.yaml", "/plugin/config/planning-config.yaml", "/p/config/planning-config.yaml");
        for (files, expected, root, comes_with_project) in [
            (vec![own, plugin, project], Some(own), "/p", true),
            (vec![plugin, project], Some(plugin), "/plugin", false),
            (vec![project], Some(project), "/p", true),
            (vec![], None, "/plugin", false),
        ] {
            let world = world(&files);
            let config = Config::find(&checkout(), &world).unwrap();
            assert_eq!(config.text("/state/from"), expected);
            assert_eq!(config.dev_mode_file(), Some(Path::new(root).join("hooks/.dev-mode")));
            assert_eq!(config.comes_with_project(&checkout(), &world), comes_with_project, "{files:?}");
        }
    }

    #[test]
    fn a_hook_works_if_its_switch_and_all_that_it_requires_are_on() {
        for (flags, expected) in [
            ("{}", true),
            ("{hooks_x: {enabled: true, requires: [hooks_enforcement]}}", true),
            ("{hooks_x: {enabled: false}}", false),
            ("{hooks_x: {enabled: off}}", false),
            ("{hooks_x: {enabled: maybe}}", true),
            ("{hooks_enforcement: {enabled: false}}", false),
            ("{hooks_x: {requires: [a]}, a: {requires: [b]}, b: {enabled: false}}", false),
            ("{hooks_x: {requires: a}, a: {enabled: 'no'}}", false),
            ("{hooks_x: {requires: [a]}, a: {requires: [hooks_x]}}", true),
            ("{hooks_x: {requires: [unknown]}}", true),
            ("{other: {enabled: false}}", true),
            ("none", true),
        ] {
            assert_eq!(config(&format!("feature_flags: {flags}")).is_on(Some("hooks_x")), expected, "{flags}");
        }
        assert!(!config("feature_flags: {hooks_enforcement: {enabled: false}}").is_on(None));
    }

    #[test]
    fn an_optional_check_is_asked_for() {
        for (flags, expected) in
            [("{}", false), ("{s1: {enabled: true}}", true), ("{s1: {enabled: yes}}", true), ("{s1: {}}", false)]
        {
            assert_eq!(config(&format!("feature_flags: {flags}")).asks_for("s1"), expected, "{flags}");
        }
    }

    #[test]
    fn a_number_that_makes_no_sense_is_none() {
        for (value, count, share) in [
            ("25", Some(25), None),
            ("0", Some(0), None),
            ("'25'", Some(25), None),
            ("25 calls", Some(25), None),
            ("1", Some(1), Some(1.0)),
            ("0.6", None, Some(0.6)),
            ("'0.6'", None, Some(0.6)),
            ("-5", None, None),
            ("1.5", None, None),
            ("~", None, None),
            ("true", None, None),
            ("[3]", None, None),
        ] {
            let config = config(&format!("state: {{a: {value}}}"));
            assert_eq!((config.count("/state/a"), config.share("/state/a")), (count, share), "{value}");
        }
    }

    #[test]
    fn a_file_nobody_can_read_is_an_error_and_a_missing_or_empty_one_is_not() {
        for (yaml, expected) in [("", true), ("# nothing\n", true), ("a: [", false), ("- a\n", false), ("word", false)]
        {
            let world = FakeWorld::new().file("/p/config/planning-config.yaml", yaml);
            assert_eq!(Config::find(&checkout(), &world).is_ok(), expected, "{}", yaml.len());
        }
        let world = FakeWorld::new().broken("/p/config/planning-config.yaml");
        assert!(Config::find(&checkout(), &world).is_err());
        let config = Config::find(&checkout(), &FakeWorld::new()).unwrap();
        assert_eq!((config.dev_mode_file(), config.log_location(), config.breaker_threshold()), (None, None, None));
    }
}
