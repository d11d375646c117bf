//! Settings that have no effect, because a higher layer is stricter and does not let itself be weakened.

use super::settings::{Settings, SettingsLayer, layer_mode, place};
use crate::registry::Diagnostic;
use hookrail_core::display::quoted;
use hookrail_core::{Mode, OnError, Origin};
use hookrail_rules::Level;
use serde_json::Value;

/// What a layer says about one key of a hook or pack: how strict it is, in a word for people.
struct Word {
    strictness: u8,
    text: &'static str,
    overridable: bool,
}

impl Settings {
    /// Every mode and every `on_error` of a lower layer that is weaker than what counts. Whoever wrote it expects something
    /// else than what happens. `firm` are the packs and hooks whose defaults a project cannot weaken,
    /// with their mode.
    #[must_use]
    pub fn without_effect(&self, firm: &[(&str, Mode)]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (index, layer) in self.layers.iter().enumerate() {
            let higher = self.layers.get(..index).unwrap_or_default();
            for group in ["packs", "hooks"] {
                for (name, table) in layer.value.get(group).and_then(Value::as_object).into_iter().flatten() {
                    let reasons = KEYS.iter().filter_map(|key| key.reason(higher, layer, group, name, firm));
                    let origin = Origin::new(&layer.place, place(table));
                    found.extend(reasons.map(|(what, hint)| Diagnostic::new(origin.clone(), what).hint(hint)));
                }
            }
            found.extend(self.overruled_level(layer));
        }
        found
    }

    /// A level of pack `safety` that is below the one in force.
    fn overruled_level(&self, layer: &SettingsLayer) -> Option<Diagnostic> {
        let section = layer.value.get("safety")?;
        let own = Level::parse(section.get("level")?.as_str()?)?;
        let level = self.safety_level();
        if own >= level.value {
            return None;
        }
        let what = format!(
            "`level = \"{}\"` of `safety` has no effect: `{}` is in force, and a lower layer may only be stricter",
            own.name(),
            level.value.name()
        );
        let hint = "put it into your own `hookrail.toml`: `hookrail init --scope user`";
        Some(Diagnostic::new(Origin::new(&layer.place, place(section)), what).hint(hint))
    }
}

/// A key whose values can be compared by strictness.
struct Key {
    name: &'static str,
    read: StatementReader,
}

const KEYS: [Key; 2] = [Key { name: "mode", read: mode_word }, Key { name: "on_error", read: on_error_word }];

impl Key {
    /// Why what a layer says has no effect, and what to do about it; `None` if it has one, or if it says nothing.
    fn reason(
        &self,
        higher: &[SettingsLayer],
        layer: &SettingsLayer,
        group: &str,
        name: &str,
        firm: &[(&str, Mode)],
    ) -> Option<(String, &'static str)> {
        let own = (self.read)(layer, group, name)?;
        let what = format!("`{} = \"{}\"` of {} has no effect", self.name, own.text, quoted(name));
        let decided = decided_above(higher, group, name, self.read);
        if let Some((place, above)) =
            decided.filter(|(_, above)| !above.overridable && own.strictness < above.strictness)
        {
            let why = format!("{} says `{}`, and a lower layer may only be stricter", quoted(place), above.text);
            return Some((format!("{what}: {why}"), "write `overridable = true` there, or take it out here"));
        }
        let guard = weakened_guard(layer, name, firm, &own).filter(|_| self.name == "mode")?;
        let why = format!("hookrail's own guard is `{guard}`, and what comes with a project cannot weaken it");
        Some((format!("{what}: {why}"), "put it into your own `hookrail.toml`"))
    }
}

type StatementReader = fn(&SettingsLayer, &str, &str) -> Option<Word>;

fn mode_word(layer: &SettingsLayer, group: &str, name: &str) -> Option<Word> {
    let mode = layer_mode(layer.value.get(group)?.get(name))?;
    Some(Word { strictness: mode as u8, text: mode.as_str(), overridable: layer.overridable(group, name) })
}

fn on_error_word(layer: &SettingsLayer, group: &str, name: &str) -> Option<Word> {
    let word = layer.value.get(group)?.get(name)?.get("on_error")?.as_str()?;
    let on_error = OnError::parse(word).filter(|_| group == "hooks")?;
    Some(Word { strictness: on_error as u8, text: on_error.as_str(), overridable: layer.overridable(group, name) })
}

/// What the layers above have settled, and where: the highest that speaks, or a stricter one below it. What is said of a
/// pack is said of its hooks.
fn decided_above<'a>(
    higher: &'a [SettingsLayer],
    group: &str,
    name: &str,
    read: StatementReader,
) -> Option<(&'a str, Word)> {
    let pack = name.split('/').next().unwrap_or_default();
    let mut decided: Option<(&str, Word)> = None;
    for layer in higher {
        let of_pack = || if group == "hooks" { read(layer, "packs", pack) } else { None };
        let Some(word) = read(layer, group, name).or_else(of_pack) else { continue };
        if decided.as_ref().is_none_or(|(_, known)| known.overridable || word.strictness > known.strictness) {
            decided = Some((layer.place.as_str(), word));
        }
    }
    decided
}

/// The mode of a guard that a layer of the project tries to weaken.
fn weakened_guard(layer: &SettingsLayer, name: &str, firm: &[(&str, Mode)], own: &Word) -> Option<Mode> {
    let (_, mode) = firm.iter().find(|(firm, _)| *firm == name)?;
    (layer.kind.comes_with_project() && own.strictness < *mode as u8).then_some(*mode)
}

#[cfg(test)]
mod tests {
    use super::super::{ConfigCache, LayerFiles, LayerKind};
    use super::*;
    use hookrail_testkit::world::FakeWorld;

    #[test]
    fn a_weaker_word_of_a_lower_layer_is_told_with_the_place_that_decides() {
        let on = "[packs.isdlc]\nenabled = true\n";
        let warn = "[packs.isdlc]\nmode = \"warn\"\n";
        let guard_off = "[hooks.\"isdlc/plan-surfacer\"]\nmode = \"off\"\n";
        let yielding = "[packs.isdlc]\nenabled = true\noverridable = true\n";
        let closed = "[hooks.\"isdlc/plan-surfacer\"]\non_error = \"deny\"\n";
        let open = "[hooks.\"isdlc/plan-surfacer\"]\non_error = \"allow\"\n";
        let core_off = "[packs.core]\nenabled = false\n";
        for (user, project, expected) in [
            (on, warn, &["`mode = \"warn\"` of `isdlc` has no effect: `/u.toml` says `enforce`"][..]),
            (on, guard_off, &["`mode = \"off\"` of `isdlc/plan-surfacer` has no effect"]),
            (closed, open, &["`on_error = \"allow\"` of `isdlc/plan-surfacer` has no effect: `/u.toml` says `deny`"]),
            (
                "",
                "[safety]\nlevel = \"relaxed\"",
                &["`level = \"relaxed\"` of `safety` has no effect: `balanced` is in force"],
            ),
            ("[safety]\nlevel = \"relaxed\"", "[safety]\nlevel = \"relaxed\"", &[]),
            ("", core_off, &["`mode = \"off\"` of `core` has no effect: hookrail's own guard is `enforce`"]),
            (core_off, "", &[]),
            (warn, on, &[]),
            (on, on, &[]),
            (yielding, warn, &[]),
            ("", warn, &[]),
        ] {
            let world = FakeWorld::new().file("/u.toml", user).file("/p.toml", project);
            let files = [(LayerKind::User, "/u.toml".into()), (LayerKind::Project, "/p.toml".into())];
            let settings = ConfigCache::in_state(None).load(&LayerFiles::new(files.to_vec()), &world);
            let found = settings.without_effect(&[("core", Mode::Enforce)]);
            assert_eq!(found.len(), expected.len(), "{user} {project}: {found:?}");
            for (diagnostic, part) in found.iter().zip(expected) {
                assert!(diagnostic.message.contains(part), "{diagnostic}");
                assert!(diagnostic.origin.to_string().starts_with("/p.toml"), "{diagnostic}");
            }
        }
    }
}
