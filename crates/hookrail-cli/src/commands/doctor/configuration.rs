//! hookrail's own configuration, all layers.

use super::hooks::mistakes;
use super::item::{Area, Item};
use crate::commands::validate::Survey;
use crate::current_project::CurrentProject;
use hookrail_core::World;
use hookrail_lint::Kind;

pub fn examine(place: &CurrentProject, survey: &Survey) -> Area {
    let own: Vec<_> = survey.files.iter().filter(|file| matches!(file.kind, Some(Kind::Hookrail))).collect();
    let mut items = Vec::new();
    for file in &own {
        let path = place.shown(&file.path).display().to_string();
        match &file.findings {
            Err(why) => {
                let reason = "The last version that could be read applies; if there is none, no tool may be used.";
                items.push(Item::wrong(format!("{path} cannot be read: {why}"), reason));
            }
            Ok(findings) => items.extend(mistakes(&path, findings, place)),
        }
    }
    if items.is_empty() {
        items.push(Item::fine(match own.len() {
            0 => "no hookrail.toml; the defaults of the packs apply".to_owned(),
            1 => format!(
                "{} is valid",
                place.shown(&own.first().map(|file| file.path.clone()).unwrap_or_default()).display()
            ),
            count => format!("{count} layers of hookrail.toml are valid"),
        }));
    }
    items.extend(misplaced(place));
    items.extend(dev_mode_active(place));
    items.extend(missing_model_key(place));
    Area { title: "Configuration", items }
}

/// A model whose key is not there is not asked, and nothing fails that would show it.
fn missing_model_key(place: &CurrentProject) -> Option<Item> {
    let model = place.settings.model()?;
    let name = model.key_variable()?;
    let has_key = place.world.env(name).is_some_and(|key| !key.trim().is_empty());
    let why = "Hooks that would ask it decide by their own rules.";
    let fix = format!("set `{name}` where the agent starts");
    (!has_key).then(|| Item::look(format!("the model of `[model]` has no key: `{name}` is not set here"), why).fix(fix))
}

/// People put the file where other tools have theirs, and wonder.
fn misplaced(place: &CurrentProject) -> Option<Item> {
    let what = misplaced_file(place)?;
    let why = "Its settings do not apply.";
    Some(Item::look(what, why).fix("mkdir -p .hookrail && mv hookrail.toml .hookrail/hookrail.toml"))
}

/// What to say about a `hookrail.toml` in the project's root, if there is one.
pub fn misplaced_file(place: &CurrentProject) -> Option<String> {
    let file = place.project.join("hookrail.toml");
    let is_there = place.world.kind(&file).ok().flatten().is_some();
    is_there.then(|| "`hookrail.toml` is not read; did you mean `.hookrail/hookrail.toml`?".to_owned())
}

/// Development mode switches every hook off, and is easily forgotten.
fn dev_mode_active(place: &CurrentProject) -> Option<Item> {
    let file = place.project.join(place.settings.dev_mode_file()?);
    place.world.kind(&file).ok().flatten()?;
    let what = format!("development mode: `{}` exists", place.shown(&file).display());
    Some(Item::look(what, "While it does, no hook runs.").fix(format!("rm '{}'", file.display())))
}
