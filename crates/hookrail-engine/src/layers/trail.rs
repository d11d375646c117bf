//! Who said what about a hook, for people who wonder why it is as it is.

use super::settings::{LayerKind, Settings, SettingsLayer, layer_mode, place};
use hookrail_core::{Mode, Origin};

/// One layer's word on the mode of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub layer: LayerKind,
    pub origin: Origin,
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
}
