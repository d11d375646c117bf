//! Who said what about a hook, for people who wonder why it is as it is.

use super::settings::{LayerKind, Settings, SettingsLayer, layer_mode, place};
use hookrail_core::{Mode, Origin};
use serde_json::Value;

/// One layer's word on the mode of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Whose word it is.
    pub layer: LayerKind,
    /// Where it stands.
    pub origin: Origin,
    /// What it says.
    pub mode: Mode,
    /// Said of the whole pack, not of the hook.
    pub of_pack: bool,
    /// Lower layers may weaken it.
    pub overridable: bool,
}

impl Settings {
    /// Everything any layer says about the mode of a native hook, the highest layer first, and in a layer what it says of
    /// the hook before what it says of the pack.
    #[must_use]
    pub fn statements(&self, hook: &str) -> Vec<Statement> {
        let pack = hook.split('/').next().unwrap_or_default();
        let of = |layer: &SettingsLayer, group: &str, name: &str| {
            let table = layer.value.get(group)?.get(name)?;
            Some(Statement {
                layer: layer.kind,
                origin: Origin::new(&layer.place, place(table)),
                mode: layer_mode(Some(table))?,
                of_pack: group == "packs",
                overridable: layer.overridable(group, name),
            })
        };
        let both = |layer| [of(layer, "hooks", hook), of(layer, "packs", pack)];
        self.layers.iter().flat_map(both).flatten().collect()
    }
}

/// One layer's word on another setting of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingStatement {
    /// Whose word it is.
    pub layer: LayerKind,
    /// Where it stands.
    pub origin: Origin,
    /// As JSON has it; times are milliseconds.
    pub value: Value,
}

impl Settings {
    /// Everything any layer says about `on_error` or `timeout` of a native hook, the highest layer first.
    #[must_use]
    pub fn setting_statements(&self, hook: &str, key: &str) -> Vec<SettingStatement> {
        let of = |layer: &SettingsLayer| {
            let table = layer.value.get("hooks")?.get(hook)?;
            let origin = Origin::new(&layer.place, place(table));
            Some(SettingStatement { layer: layer.kind, origin, value: table.get(key)?.clone() })
        };
        self.layers.iter().filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::{ConfigCache, LayerFiles};
    use hookrail_testkit::world::FakeWorld;

    #[test]
    fn every_word_on_a_hook_is_found_with_its_place() {
        let world = FakeWorld::new()
            .file("/u.toml", "[packs.fsm]\nmode = \"warn\"\noverridable = true\n[packs.core]\nmode = \"off\"\n")
            .file("/p.toml", "[packs.fsm]\nenabled = true\n[hooks.\"fsm/hydrate-tasks\"]\nmode = \"off\"\n");
        let files = [(LayerKind::User, "/u.toml".into()), (LayerKind::Project, "/p.toml".into())];
        let settings = ConfigCache::in_state(None).load(&LayerFiles::new(files.to_vec()), &world);
        let found: Vec<_> = settings
            .statements("fsm/hydrate-tasks")
            .into_iter()
            .map(|said| (said.origin.to_string(), said.mode, said.of_pack, said.overridable))
            .collect();
        let expected = [
            ("/u.toml:1:8".to_owned(), Mode::Warn, true, true),
            ("/p.toml:3:8".to_owned(), Mode::Off, false, false),
            ("/p.toml:1:8".to_owned(), Mode::Enforce, true, false),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn other_settings_are_found_too() {
        let world = FakeWorld::new()
            .file("/u.toml", "[hooks.\"core/event-log\"]\non_error = \"deny\"\ntimeout = \"5s\"\n")
            .file("/p.toml", "[hooks.\"core/event-log\"]\non_error = \"allow\"\n");
        let files = [(LayerKind::User, "/u.toml".into()), (LayerKind::Project, "/p.toml".into())];
        let settings = ConfigCache::in_state(None).load(&LayerFiles::new(files.to_vec()), &world);
        let said = |key: &str| -> Vec<String> {
            let found = settings.setting_statements("core/event-log", key);
            found.into_iter().map(|said| format!("{} {}", said.origin, said.value)).collect()
        };
        assert_eq!(said("on_error"), ["/u.toml:1:8 \"deny\"", "/p.toml:1:8 \"allow\""]);
        assert_eq!(said("timeout"), ["/u.toml:1:8 5000"]);
    }
}
