//! The agents on this machine, and what `hookrail verify` found of them.

use super::item::{Area, Item};
use super::versions::{find_all, version};
use crate::commands::verify::{Finding, Memory, Verified};
use crate::current_project::CurrentProject;
use hookrail_dialects::Agent;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

pub fn examine(place: &CurrentProject) -> Area {
    let found: Vec<(&Agent, PathBuf)> = hookrail_lint::agents()
        .filter(|agent| !agent.program.is_empty())
        .filter_map(|agent| Some((agent, find_all(agent.program, &place.world).into_iter().next()?)))
        .collect();
    // Asking takes as long as the slowest answers.
    let versions: Vec<Option<String>> = std::thread::scope(|scope| {
        let asked: Vec<_> = found.iter().map(|(_, program)| scope.spawn(|| version(program))).collect();
        asked.into_iter().map(|answer| answer.join().ok().flatten()).collect()
    });
    let memory = Memory::read(place);
    let told = found.iter().zip(versions);
    let mut items: Vec<Item> = told
        .map(|((agent, program), version)| describe(agent, program, version.as_deref(), memory.of(agent.name)))
        .collect();
    if items.is_empty() {
        let why =
            "Without an agent hookrail is never called. One that was installed as an application may still be there.";
        let what = "no agent in PATH (claude, gemini, codex and others)";
        items.push(Item::look(what, why).fix("start this command from the shell you start your agent from"));
    }
    Area { title: "Agents", items }
}

fn describe(agent: &Agent, program: &Path, version: Option<&str>, verified: Option<&Verified>) -> Item {
    let what = match version {
        Some(version) => format!("{} {version}", agent.title),
        None => format!("{} at {}, which does not tell its version", agent.title, program.display()),
    };
    let Some(verified) = verified else { return Item::fine(what) };
    let again = format!("hookrail verify {}", agent.name);
    if let Some(change) = verified.change(version, program) {
        let what = format!("{what} has changed since it was verified{}: {change}", day(verified));
        return Item::look(what, "What it does with the answers of hooks may have changed with it.").fix(again);
    }
    let ignored = verified.with(Finding::Ignored);
    if !ignored.is_empty() {
        let what = format!("{what}, verified{}, ignores hooks at {}", day(verified), ignored.join(", "));
        return Item::look(what, "What a hook refuses there happens all the same.").fix(again);
    }
    let honoured = verified.with(Finding::Honoured);
    let honoured = if honoured.is_empty() { "nothing that could be tried".to_owned() } else { honoured.join(", ") };
    Item::fine(format!("{what}, verified{}: honours {honoured}", day(verified)))
}

/// When that was.
fn day(verified: &Verified) -> String {
    let time = Timestamp::from_millisecond(verified.since).ok();
    time.map(|time| format!(" on {}", time.strftime("%Y-%m-%d"))).unwrap_or_default()
}
