//! The hooks that do not apply, on a terminal.

use super::considered::{Considered, HookDisposition};
use super::page::heading;
use super::report::Explanation;
use crate::screen::{Align, Table, one_line};
use hookrail_packs::CATALOGUE;
use owo_colors::OwoColorize;
use std::io::{self, Write};

/// Hooks that were considered and are not part of the plan, by why not.
pub fn write(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    const GROUPS: [(HookDisposition, &str); 6] = [
        (HookDisposition::NotMatched, "matcher says no"),
        (HookDisposition::Duplicate, "same command twice"),
        (HookDisposition::NotConcerned, "not concerned"),
        (HookDisposition::OtherEvent, "other events"),
        (HookDisposition::Off, "off"),
        (HookDisposition::NotAsked, "not asked for"),
    ];
    let mut table = Table::new([("", Align::Left); 2]);
    for (fate, name) in GROUPS {
        let hooks: Vec<&Considered> = explanation.hooks.iter().filter(|hook| hook.fate == fate).collect();
        if hooks.is_empty() {
            continue;
        }
        let names = match fate {
            HookDisposition::NotMatched | HookDisposition::Duplicate => {
                hooks.iter().map(|hook| format!("{}: {}", hook.hook, hook.why)).collect::<Vec<_>>().join("; ")
            }
            _ => shorten_packs(&hooks).join(", "),
        };
        table.row([format!("  {}", name.dimmed()), one_line(&names)]);
    }
    if table.is_empty() {
        return Ok(());
    }
    heading("others", "considered, and why they do not apply", out)?;
    table.write(out)
}

/// A pack all of whose hooks share a fate is named once.
fn shorten_packs(hooks: &[&Considered]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for hook in hooks {
        let pack = hook.hook.split_once('/').and_then(|(pack, _)| CATALOGUE.iter().find(|known| known.name == pack));
        let whole = pack.filter(|pack| {
            pack.hooks.iter().all(|own| hooks.iter().any(|hook| hook.hook == own.id() && hook.kind == "native"))
        });
        let source = if hook.fate == HookDisposition::Off && hook.source != "default" {
            format!(" ({})", hook.source)
        } else {
            String::new()
        };
        let name = whole.map_or_else(|| hook.hook.clone(), |pack| pack.name.to_owned());
        let name = format!("{name}{source}");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
