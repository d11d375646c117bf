//! The program itself, as agents would find it.

use super::hooks::{AgentHook, Survey};
use super::item::{Area, Item};
use super::versions::{find_all, version};
use crate::commands::install::{HookCommand, InstallRecord};
use crate::commands::self_command::Installation;
use crate::commands::validate::is_program;
use crate::current_project::CurrentProject;
use crate::sibling::{self, HOOK};
use std::path::Path;

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub fn examine(place: &CurrentProject, survey: &Survey) -> Area {
    let mut items = Vec::new();
    let here = std::env::current_exe().and_then(|here| here.canonicalize()).unwrap_or_default();
    let found = find_all("hookrail", &place.world);
    match found.split_first() {
        None => {
            let by_name = |hook: &&AgentHook| HookCommand::is_by_name(&hook.hook.command);
            items.push(missing(&here, survey.hooks.iter().find(by_name)));
        }
        Some((first, others)) => {
            items.push(if first.canonicalize().is_ok_and(|first| first == here) {
                Item::fine(format!("hookrail {VERSION} at {}", first.display()))
            } else {
                other(first, &here)
            });
            if !others.is_empty() {
                items.push(several(others));
            }
        }
    }
    items.extend(small_program(&here, place));
    items.extend(gone(place));
    Area { title: "Program", items }
}

/// `hookrail-hook`, without which agents start the large program.
fn small_program(here: &Path, place: &CurrentProject) -> Option<Item> {
    let what = match sibling::beside(here, HOOK) {
        None => "`hookrail-hook` is missing beside it".to_owned(),
        Some(small) => match version(&small) {
            Some(version) if version == VERSION => return None,
            Some(version) => format!("`hookrail-hook` beside it is {version}"),
            None => "`hookrail-hook` beside it does not start".to_owned(),
        },
    };
    let why =
        "Agents start it at every event; without it, `install` names `hookrail hook`, which is larger and slower.";
    Some(Item::look(what, why).fix(Installation::of(here, &place.world).update()))
}

fn missing(here: &Path, caller: Option<&AgentHook>) -> Item {
    let what = format!("hookrail {VERSION} is not in PATH");
    let item = match caller {
        Some(hook) => {
            let how = match HookCommand::without_check(&hook.hook.command).1 {
                true => "calls it by name if it is there, so it goes on without it and says nothing",
                false => "calls it by name, cannot start it, and goes on without it",
            };
            Item::wrong(what, format!("{} {how}.", hook.agent.title))
        }
        None => Item::look(what, "The hook entries of a project call it by name."),
    };
    item.fix(format!("export PATH=\"{}:$PATH\"", here.parent().unwrap_or(here).display()))
}

fn other(first: &Path, here: &Path) -> Item {
    let theirs = version(first).unwrap_or_else(|| "of unknown version".to_owned());
    let what = format!("agents find hookrail {theirs} at {}, and this is {VERSION}", first.display());
    let why = "What this command tells is about another program than the one agents run.";
    Item::look(what, why).fix(format!("remove one of them; this one is {}", here.display()))
}

fn several(others: &[std::path::PathBuf]) -> Item {
    let list: Vec<String> = others
        .iter()
        .map(|path| format!("{} ({})", path.display(), version(path).unwrap_or_else(|| "version unknown".to_owned())))
        .collect();
    let why = "An agent with another PATH runs one of these.";
    Item::look(format!("later in PATH: {}", list.join(", ")), why).fix("remove those that are not needed")
}

/// Entries that call a program by its path, which may have moved since.
fn gone(place: &CurrentProject) -> Vec<Item> {
    let mut items = Vec::new();
    for record in InstallRecord::all(place).unwrap_or_default() {
        let Some(binary) = record.binary.filter(|binary| record.command.contains('/') && !is_program(binary)) else {
            continue;
        };
        let what = format!("{} ({}) runs `{}`, which is gone", record.agent, record.scope, binary.display());
        let why =
            "The agent cannot start the hook, and goes on without it, in silence where the entry looks for it first.";
        items.push(Item::wrong(what, why).fix(format!("hookrail install {} --scope {}", record.agent, record.scope)));
    }
    items
}
