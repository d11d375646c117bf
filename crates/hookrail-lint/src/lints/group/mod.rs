//! Lints of a group: its matcher and its keys.

pub(crate) mod duplicate_hook;
pub(crate) mod matcher_empty;
pub(crate) mod matcher_ignored;
pub(crate) mod matcher_never_matches;
pub(crate) mod matcher_regex;
pub(crate) mod matcher_unanchored;
pub(crate) mod matcher_unknown_tool;
pub(crate) mod unknown_key;

use crate::agents::OtherWords;
use crate::matcher::{Alternative, MatcherView};
use hookrail_dialects::McpNames;
use hookrail_engine::registry::closest;

/// What was probably meant by a name that no tool of this agent has.
fn tool_hint(view: &MatcherView<'_>, alternative: &Alternative<'_>) -> Option<String> {
    let (agent, name) = (view.agent, alternative.text);
    if !alternative.is_plain() {
        return None;
    }
    if let Some(rest) = name.strip_prefix("mcp_") {
        let rest = rest.trim_start_matches('_');
        return Some(match agent.mcp() {
            McpNames::Single => format!("mcp_{}", rest.replace("__", "_")),
            _ => format!("mcp__{}__.*", rest.trim_end_matches('_')),
        });
    }
    let names = || agent.tool_names().chain(agent.tool_aliases.iter().map(|(alias, _)| *alias));
    // `bash` for `Bash`, `WriteFile` for `write_file`.
    let bare = |name: &str| name.to_lowercase().replace('_', "");
    if let Some(same) = names().find(|tool| bare(tool) == bare(name)) {
        return Some(same.to_owned());
    }
    let translated = agent.translate_tool(name);
    if !translated.is_empty() {
        return Some(translated.join("|"));
    }
    closest(name, names()).filter(|guess| is_slip(name, guess)).map(str::to_owned)
}

/// Whether a name certainly is no tool of this agent: it is a slip, or another agent's tool.
fn is_hopeless(view: &MatcherView<'_>, alternative: &Alternative<'_>) -> bool {
    let explained = || tool_hint(view, alternative).is_some() || view.agent.is_foreign_tool(alternative.text);
    !view.may_be_tool(alternative) && explained()
}

/// Whether two words differ in one place only, by at most two letters. Agents get new tools whose names resemble old ones.
fn is_slip(word: &str, guess: &str) -> bool {
    let same = |(a, b): &(char, char)| a == b;
    let head = word.chars().zip(guess.chars()).take_while(same).count();
    let (short, long) = (word.len().min(guess.len()), word.len().max(guess.len()));
    let tail = word.chars().rev().zip(guess.chars().rev()).take_while(same).count().min(short - head);
    long > 3 && long - head - tail <= 2
}
