//! The agents on this machine.

use super::item::{Area, Item};
use super::versions::{find_all, version};
use crate::place::Place;
use std::path::PathBuf;

pub fn examine(place: &Place) -> Area {
    let found: Vec<(&str, PathBuf)> = hookrail_lint::agents()
        .filter(|agent| !agent.program.is_empty())
        .filter_map(|agent| Some((agent.title, find_all(agent.program, &place.world).into_iter().next()?)))
        .collect();
    // Asking takes as long as the slowest answers.
    let versions: Vec<Option<String>> = std::thread::scope(|scope| {
        let asked: Vec<_> = found.iter().map(|(_, program)| scope.spawn(|| version(program))).collect();
        asked.into_iter().map(|answer| answer.join().ok().flatten()).collect()
    });
    let mut items: Vec<Item> = found
        .iter()
        .zip(versions)
        .map(|((title, program), version)| match version {
            Some(version) => Item::fine(format!("{title} {version}")),
            None => Item::fine(format!("{title} at {}, which does not tell its version", program.display())),
        })
        .collect();
    if items.is_empty() {
        let why =
            "Without an agent nobody calls hookrail. One that was installed as an application may still be there.";
        let what = "no agent in PATH (claude, gemini, codex and others)";
        items.push(Item::look(what, why).fix("start this command from the shell you start your agent from"));
    }
    Area { title: "Agents", items }
}
