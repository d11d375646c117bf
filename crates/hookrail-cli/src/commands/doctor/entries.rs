//! hookrail's own entries in the configuration of agents.

use super::hooks::{AgentHook, Survey};
use super::item::{Area, Item};
use super::repair::Repair;
use crate::commands::install::{EntryState, InstallRecord};
use crate::current_project::CurrentProject;
use crate::screen::plural;
use hookrail_core::World;

/// More gaps of one installation are counted, not shown.
const SHOWN_GAPS: usize = 4;

pub fn examine(place: &CurrentProject, survey: &Survey) -> Area {
    let mut items = Vec::new();
    let records = match InstallRecord::all(place) {
        Ok(records) => records,
        Err(why) => {
            let unknown = "It is unknown whether the entries are as they were installed.";
            items.push(Item::failed(&why, unknown, "move it away and install again"));
            Vec::new()
        }
    };
    let here = |record: &&InstallRecord| record.project.as_ref().is_none_or(|project| *project == place.project);
    let records: Vec<&InstallRecord> = records.iter().filter(here).collect();
    items.extend(records.iter().map(|record| installed(record, place)));
    let own: Vec<&AgentHook> = survey.hooks.iter().filter(|hook| hook.is_ours()).collect();
    items.extend(by_hand(&own, &records, place));
    items.extend(own.iter().filter_map(|hook| wrong_agent(hook, place)));
    items.extend(twice(&own, place));
    if items.is_empty() {
        let why = "No agent calls hookrail in this project, so it decides nothing.";
        items.push(Item::look("hookrail is in no agent's configuration", why).fix("hookrail install claude"));
    }
    Area { title: "Hook entries", items }
}

fn installed(record: &InstallRecord, place: &CurrentProject) -> Item {
    let title = hookrail_lint::agent(&record.agent).map_or(record.agent.as_str(), |agent| agent.title);
    let file = place.shown(&record.file).display();
    let who = format!("{title} ({})", record.scope);
    let packs: String = record.packs.iter().map(|pack| format!(" --pack {pack}")).collect();
    let verifier = record.verifier.as_ref().map(|it| format!(" --verifier {it}")).unwrap_or_default();
    let who_may = if record.scope == "managed" { "sudo " } else { "" };
    let again = format!("{who_may}hookrail install {} --scope {}{packs}{verifier}", record.agent, record.scope);
    let repair = Repair::Install {
        agent: record.agent.clone(),
        scope: record.scope.clone(),
        packs: record.packs.clone(),
        verifier: record.verifier.clone(),
        project: record.project.clone(),
    };
    match record.entry_state(&|name| place.world.env(name)) {
        EntryState::Unread(why) => {
            let what = format!("{who}: {title} does not read {file}: {why}");
            let item = Item::wrong(what, "None of its hooks run, those of others included.");
            match hookrail_lint::agent(&record.agent).map(|agent| agent.json) {
                Some(granted) => {
                    item.fix("hookrail doctor --fix").repair(Repair::PlainJson { file: record.file.clone(), granted })
                }
                None => item.fix(format!("hookrail validate '{file}'")),
            }
        }
        EntryState::Unaltered => match drift(record, place) {
            Some(what) => {
                let why = "Hooks that were enabled or changed since `install` are never asked there.";
                Item::wrong(format!("{who}: {what}"), why).fix(again).repair(repair)
            }
            None => {
                let mut events: Vec<&str> = record.entries.iter().map(|entry| entry.event.as_str()).collect();
                events.dedup();
                Item::fine(format!("{who}: {} event{}, as installed", events.len(), plural(events.len())))
            }
        },
        EntryState::Altered { changed, missing } => {
            let parts = [("changed", changed), ("removed", missing)];
            let parts: Vec<String> = parts
                .iter()
                .filter(|(_, events)| !events.is_empty())
                .map(|(word, events)| format!("{word}: {}", events.join(", ")))
                .collect();
            let what = format!("{who}: {file} is not as installed; {}", parts.join("; "));
            Item::wrong(what, "What was changed may not guard any more.").fix(again).repair(repair)
        }
        EntryState::Replaced(variable) => {
            let what = format!("{who}: `{variable}` is set, so {title} does not read {file}");
            Item::wrong(what, "The managed entries are not asked in sessions of this environment.")
                .fix(format!("unset {variable}"))
        }
        EntryState::Gone => {
            let what = format!("{who}: {file} is gone");
            Item::wrong(what, "The agent does not call hookrail any more.").fix(again).repair(repair)
        }
        EntryState::Unreadable(why) => {
            let what = format!("{who}: {file} cannot be read: {why}");
            Item::wrong(what, "The agent cannot read it either, so none of its hooks run.")
                .fix(format!("hookrail validate '{file}'"))
        }
    }
}

/// What the configuration needs and the entries do not reach.
fn drift(record: &InstallRecord, place: &CurrentProject) -> Option<String> {
    let gaps = record.gaps(&record.settings(place));
    let list: Vec<String> = gaps.iter().take(SHOWN_GAPS).map(ToString::to_string).collect();
    let more = gaps.len().saturating_sub(SHOWN_GAPS);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!gaps.is_empty()).then(|| format!("the entries do not reach what is enabled now: {}{more}", list.join(", ")))
}

/// Entries that were not made by `install`.
fn by_hand(own: &[&AgentHook], records: &[&InstallRecord], place: &CurrentProject) -> Vec<Item> {
    let mut items = Vec::new();
    let mut files: Vec<_> = own.iter().map(|hook| (hook.agent, &hook.file)).collect();
    files.dedup_by_key(|(_, file)| *file);
    for (agent, file) in files {
        let known = |record: &&&InstallRecord| record.agent == agent.name && record.file == *file;
        if !records.iter().any(|record| known(&record)) {
            let mut events: Vec<&str> =
                own.iter().filter(|hook| hook.file == *file).map(|hook| hook.hook.event.as_str()).collect();
            events.dedup();
            let file = place.shown(file).display();
            let count = events.len();
            items.push(Item::fine(format!(
                "{}: {count} event{} in {file}, written by hand",
                agent.title,
                plural(count)
            )));
        }
    }
    items
}

/// An entry that makes hookrail answer in another agent's words.
fn wrong_agent(hook: &AgentHook, place: &CurrentProject) -> Option<Item> {
    let mut words = hook.hook.command.split_whitespace().skip_while(|word| !word.starts_with("--agent"));
    let first = words.next()?;
    let named = first.strip_prefix("--agent=").or_else(|| words.next())?;
    if named == hook.agent.name {
        return None;
    }
    let at = hook.hook.place;
    let file = place.shown(&hook.file).display();
    let what = format!("{file}:{}:{} says `--agent {named}` to {}", at.line, at.column, hook.agent.title);
    let why = format!("hookrail answers in the words of `{named}`, which {} does not hear.", hook.agent.title);
    Some(Item::wrong(what, why).fix(format!("write `--agent {}`", hook.agent.name)))
}

/// Two entries that ask for the same decision.
fn twice(own: &[&AgentHook], place: &CurrentProject) -> Vec<Item> {
    let mut items = Vec::new();
    for (index, hook) in own.iter().enumerate() {
        let earlier = own.iter().take(index).find(|earlier| earlier.meets(hook) && share_packs(earlier, hook));
        if let Some(earlier) = earlier {
            let show = |hook: &AgentHook| format!("{}:{}", place.shown(&hook.file).display(), hook.hook.place.line);
            let what = format!("`{}` asks hookrail twice: {} and {}", hook.hook.event, show(earlier), show(hook));
            let why = "Each event is decided, counted and recorded twice.";
            items.push(Item::look(what, why).fix("remove one of the two"));
        }
    }
    items
}

fn share_packs(one: &AgentHook, other: &AgentHook) -> bool {
    let packs = |hook: &AgentHook| {
        let words: Vec<String> = hook.hook.command.split_whitespace().map(str::to_owned).collect();
        let named = words.iter().zip(words.iter().skip(1)).filter(|(flag, _)| *flag == "--pack");
        named.map(|(_, pack)| pack.clone()).collect::<Vec<_>>()
    };
    let (one, other) = (packs(one), packs(other));
    // `install` gives such a pack an entry of its own beside the one for all.
    let is_alone = |packs: &[String]| {
        let own = |pack: &String| hookrail_packs::find(pack).is_some_and(|pack| pack.contract.has_own_entry());
        !packs.is_empty() && packs.iter().all(own)
    };
    match (one.is_empty(), other.is_empty()) {
        (true, true) => true,
        (true, false) => !is_alone(&other),
        (false, true) => !is_alone(&one),
        (false, false) => one.iter().any(|pack| other.contains(pack)),
    }
}
