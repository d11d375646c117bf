//! The settings of pack `safety`.

use super::settings::{LayerKind, Resolved, Settings, SettingsLayer};
use hookrail_rules::Level;
use serde_json::Value;

impl Settings {
    /// How strict the rules of pack `safety` are. What comes with a project may only make them stricter.
    #[must_use]
    pub fn safety_level(&self) -> Resolved<Level> {
        self.resolve(Level::default(), Some((LayerKind::User, Level::default())), |layer| {
            let word = layer.value.get("safety")?.get("level")?.as_str()?;
            Some((Level::parse(word)?, false))
        })
    }

    /// Reports whether a setting of `[safety]` switches a hook on that is off by default. Any layer may: the hook only hides.
    #[must_use]
    pub fn switches_on(&self, hook: &str) -> bool {
        let redacts = |layer: &SettingsLayer| layer.value.get("safety")?.get("redact")?.as_bool();
        hook == "core/redact-output" && self.layers.iter().any(|layer| redacts(layer) == Some(true))
    }

    /// The hosts of `[safety] hosts`, to which project data may be sent.
    #[must_use]
    pub fn own_hosts(&self) -> Vec<String> {
        self.personal_list("hosts")
    }

    /// A list of `[safety]`, united over the layers that do not come with a project.
    pub(super) fn personal_list(&self, key: &str) -> Vec<String> {
        let trusted = self.layers.iter().filter(|layer| !layer.kind.comes_with_project());
        let lists = trusted.filter_map(|layer| layer.value.get("safety")?.get(key)?.as_array());
        lists.flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}
