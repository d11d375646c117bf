//! hookrail's own configuration, all layers.

use super::item::{Area, Item};
use crate::commands::validate::Survey;
use crate::place::Place;
use crate::screen::plural;
use hookrail_core::World;
use hookrail_lint::{Kind, Severity};

pub fn examine(place: &Place, survey: &Survey) -> Area {
    let own: Vec<_> = survey.files.iter().filter(|file| matches!(file.kind, Some(Kind::Hookrail))).collect();
    let mut items = Vec::new();
    for file in &own {
        let path = place.shown(&file.path).display();
        let fix = format!("hookrail validate '{path}'");
        match &file.findings {
            Err(why) => items.push(Item::wrong(
                format!("{path} cannot be read: {why}"),
                "What it configures is not in force; `[config] on_error` decides.",
            )),
            Ok(findings) if findings.is_empty() => {}
            Ok(findings) => {
                let first = findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
                let mistakes = file.count(Severity::Error);
                let what = format!("{path}: {mistakes} mistake{}: {first}", plural(mistakes));
                items.push(Item::wrong(what, "What is wrong is left out; the rest is in force.").fix(fix));
            }
        }
    }
    if items.is_empty() {
        items.push(Item::fine(match own.len() {
            0 => "no hookrail.toml; the defaults of the packs hold".to_owned(),
            1 => format!(
                "{} is right",
                place.shown(&own.first().map(|file| file.path.clone()).unwrap_or_default()).display()
            ),
            count => format!("{count} layers of hookrail.toml are right"),
        }));
    }
    items.extend(resting(place));
    Area { title: "Configuration", items }
}

/// Development mode switches every hook off, and is easily forgotten.
fn resting(place: &Place) -> Option<Item> {
    let file = place.project.join(place.settings.dev_mode_file()?);
    place.world.kind(&file).ok().flatten()?;
    let what = format!("development mode: `{}` exists", place.shown(&file).display());
    Some(Item::look(what, "While it does, no hook runs.").fix(format!("rm '{}'", file.display())))
}
