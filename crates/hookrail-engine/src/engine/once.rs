//! Calls that a person allowed once.
//!
//! `hookrail allow --once` writes an exception into a file of the state directory. The first call that it lets through uses
//! it up. An agent that asks for permission after that asks about the same call, which the session remembers.

use hookrail_core::{Event, EventName, HookError, World};
use hookrail_rules::{Call, Exception, Hit, Layer, Match, RuleDecision, Sense, Source, call_id, holds_on, read};
use serde_json::Value;
use std::path::Path;
use toml_edit::{ArrayOfTables, Document, DocumentMut, Item};

/// The file with what is allowed once, in the state directory.
pub const ALLOWED_ONCE: &str = "allow-once.toml";
/// What a session remembers of it.
const KEY: &str = "rules-allowed-once";
/// So many calls are remembered.
const MOST_CALLS: usize = 16;

/// The matches that are left. What lets a call through is used up.
pub(super) fn without_allowed(
    matches: Vec<Match>,
    event: &Event,
    call: &Call<'_>,
    world: &dyn World,
) -> Result<Vec<Match>, HookError> {
    let refuses = |found: &Match| matches!(found.decision, RuleDecision::Deny | RuleDecision::Ask);
    let Some(file) = world.state_folder().map(|folder| folder.join(ALLOWED_ONCE)) else { return Ok(matches) };
    if !matches.iter().any(refuses) {
        return Ok(matches);
    }
    let (kept, gone): (Vec<Match>, Vec<Match>) = if event.name == EventName::PermissionRequest {
        let allowed = remembered(world)?;
        matches.into_iter().partition(|found| !allowed.contains(&name(found, event)))
    } else {
        use_up(matches, &file, call, world)?
    };
    if event.name == EventName::BeforeTool && !gone.is_empty() {
        let names: Vec<String> = gone.iter().map(|found| name(found, event)).collect();
        remember(&names, world)?;
    }
    Ok(kept)
}

/// Takes out the matches that exceptions of the file cover as a whole, and these exceptions out of the file.
fn use_up(
    matches: Vec<Match>,
    file: &Path,
    call: &Call<'_>,
    world: &dyn World,
) -> Result<(Vec<Match>, Vec<Match>), HookError> {
    if world.read(file)?.is_none() {
        return Ok((matches, Vec::new()));
    }
    let _lock = world.lock(file)?;
    let text = world.read(file)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let exceptions = exceptions(&text);
    let today = || world.today();
    let mut used: Vec<usize> = Vec::new();
    let mut is_allowed = |found: &Match| {
        let mut left = found.hits.clone();
        let mut taken = Vec::new();
        for (index, exception) in exceptions.iter().enumerate() {
            let counts = exception.reaches(&found.rule) && holds_on(exception.until.as_deref(), &today);
            if !counts || used.contains(&index) {
                continue;
            }
            let covered: Vec<Hit> = call.hits(&exception.when, Sense::Permits);
            let before = left.len();
            left.retain(|hit| !covered.contains(hit));
            if left.len() < before {
                taken.push(index);
            }
        }
        if left.is_empty() {
            used.extend(taken);
        }
        left.is_empty()
    };
    let (gone, kept): (Vec<Match>, Vec<Match>) = matches.into_iter().partition(|found| is_allowed(found));
    if !used.is_empty() {
        // A permission that cannot be taken back does not count.
        world.write(file, without(&text, &used).as_bytes())?;
    }
    Ok((kept, gone))
}

fn exceptions(text: &str) -> Vec<Exception> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let position = |_: usize| (1, 1);
    let source = Source { layer: Layer::User, place: ALLOWED_ONCE, position: &position, agents: &[], pack: None };
    let file = read(None, document.get("exception"), &source);
    // If one of them is not read, their numbers are not those of the tables.
    let tables = document.get("exception").and_then(Item::as_array_of_tables).map_or(0, ArrayOfTables::len);
    if file.exceptions.len() == tables { file.exceptions } else { Vec::new() }
}

fn without(text: &str, used: &[usize]) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return String::new() };
    if let Some(tables) = document.get_mut("exception").and_then(Item::as_array_of_tables_mut) {
        let mut sorted = used.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        for index in sorted.iter().rev() {
            tables.remove(*index);
        }
    }
    document.to_string()
}

/// A rule and the call that it let through.
fn name(found: &Match, event: &Event) -> String {
    format!("{} {}", found.rule.hook_id(), call_id(event))
}

fn remembered(world: &dyn World) -> Result<Vec<String>, HookError> {
    let value = world.recall(KEY)?;
    let list = value.as_ref().and_then(Value::as_array).into_iter().flatten();
    Ok(list.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn remember(names: &[String], world: &dyn World) -> Result<(), HookError> {
    world.remember(KEY, &mut |value| {
        let before = value.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
        let all: Vec<Value> = before.into_iter().chain(names.iter().map(|name| Value::from(name.as_str()))).collect();
        let newest = all.len().saturating_sub(MOST_CALLS);
        Some(Value::Array(all.into_iter().skip(newest).collect()))
    })?;
    Ok(())
}
