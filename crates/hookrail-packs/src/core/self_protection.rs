//! What turns hookrail against itself without writing to one of its files.

use hookrail_core::display::one_line;
use hookrail_core::{Event, World};
use hookrail_dialects::{ProtectedFile, agents};
use hookrail_effects::{Act, Effects, PathObject};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Variables by which hookrail and agents find their configuration and state, beside every `HOOKRAIL_…`, `XDG_…` and
/// `…_PROJECT_DIR`.
const VARIABLES: &[&str] = &["HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"];

/// The programs that agents and people start.
pub(super) const PROGRAMS: [&str; 2] = ["hookrail", "hookrail-hook"];

/// A command that changes what guards the session: of hookrail itself, or of an agent about its own plugins and hooks. The
/// hooks of Git are another matter.
pub(super) fn turned_against_guards(effects: &Effects) -> Option<&str> {
    let targets = effects.list.iter().filter(|effect| effect.is(Act::GuardChange));
    targets.filter_map(|effect| effect.on.target.as_deref()).find(|target| is_about_hooks(target))
}

/// `hookrail uninstall`, `claude plugin remove`, `claude without its hooks`.
fn is_about_hooks(target: &str) -> bool {
    let Some((program, _)) = target.split_once(' ') else { return false };
    program == "hookrail" || agents().any(|agent| agent.program == program)
}

/// A variable that a call writes to where later hooks get it from: a profile, or the file of the session's variables.
pub(super) fn set_for_later_hooks<'a>(effects: &Effects, event: &'a Event) -> Option<&'a str> {
    let texts = texts(event.tool_input()?);
    // Read by the shell of whoever enters the folder.
    let is_read = |path: &Path| {
        matches!(path.file_name().and_then(|name| name.to_str()), Some(".envrc" | ".mise.toml" | "mise.toml"))
    };
    let lasts = effects.has(Act::HostPersist)
        || texts.iter().any(|text| text.contains("CLAUDE_ENV_FILE"))
        || effects.changed_paths().any(|(_, path)| is_read(&path.resolved));
    if lasts { texts.into_iter().find_map(variable_set_in) } else { None }
}

/// Whether a change puts another program where agents find hookrail, which they start by its name.
pub(super) fn shadows_program(path: &PathObject, world: &dyn World) -> bool {
    let name = path.resolved.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let named = PROGRAMS.contains(&name.strip_suffix(".exe").unwrap_or(name));
    let Some(folder) = path.resolved.parent().filter(|_| named && !path.pattern) else { return false };
    world.env("PATH").is_some_and(|folders| std::env::split_paths(&folders).any(|known| known == folder))
}

/// Every text of a tool's input: commands, contents, edits.
fn texts(input: &Value) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), vec![input]);
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => found.push(text.as_str()),
            Value::Array(list) => rest.extend(list),
            Value::Object(table) => rest.extend(table.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

/// A variable of hookrail that a text sets, in the way of a shell (`NAME=`), of fish or of csh (`NAME value`).
fn variable_set_in(text: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let word = rest.get(start..).unwrap_or_default();
        let end = word.find(|c| !is_name(c)).unwrap_or(word.len());
        let (name, behind) = word.split_at(end);
        let is_read = rest.get(..start).is_some_and(|before| before.ends_with(['$', '{']));
        if !is_read && behind.starts_with(['=', ' ', '\t']) && is_of_hookrail(name) {
            return Some(name);
        }
        rest = behind;
    }
    None
}

fn is_of_hookrail(name: &str) -> bool {
    let prefixed = name.starts_with("HOOKRAIL_") || name.starts_with("XDG_");
    prefixed || name.ends_with("_PROJECT_DIR") || VARIABLES.contains(&name)
}

/// Whether a call names anything that guards the session: hookrail, or a file in which it or an agent is configured.
pub(super) fn mentions_guards(event: &Event, files: &[ProtectedFile]) -> bool {
    let hidden = |file: &ProtectedFile| {
        let mut parts = file.path.components().filter_map(|part| part.as_os_str().to_str().map(str::to_owned));
        parts.rfind(|part| part.starts_with('.') && part.len() > 1)
    };
    let names: BTreeSet<String> = files.iter().filter_map(hidden).chain(["hookrail".to_owned()]).collect();
    let texts = event.tool_input().map(texts).unwrap_or_default();
    texts.iter().any(|text| contains_any(text, &names))
}

/// Whether a text contains one of some names, in one pass: it may be long, and most bytes begin none of them.
fn contains_any(text: &str, names: &BTreeSet<String>) -> bool {
    // Those that begin with each byte.
    let mut by_first: [Vec<&[u8]>; 256] = [const { Vec::new() }; 256];
    for name in names.iter().map(String::as_bytes) {
        if let Some(alike) = name.first().and_then(|first| by_first.get_mut(usize::from(*first))) {
            alike.push(name);
        }
    }
    let text = text.as_bytes();
    text.iter().enumerate().any(|(at, byte)| {
        let alike = by_first.get(usize::from(*byte)).filter(|alike| !alike.is_empty());
        let Some((alike, rest)) = alike.zip(text.get(at..)) else { return false };
        alike.iter().any(|name| name.get(1) == rest.get(1) && rest.starts_with(name))
    })
}

pub(super) fn refused_command(command: &str) -> String {
    format!(
        "`{}` changes what guards this session, which is for a person to do. Do not try another way; if it is needed, tell \
         the user what to run",
        one_line(command)
    )
}

pub(super) fn refused_variable(variable: &str) -> String {
    format!(
        "`{}` would lead later hooks to other files, and must not be set by a tool where it lasts. Do not try another way; \
         if it is needed, tell the user what to write where",
        one_line(variable)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_contains_one_of_some_names_wherever_it_stands() {
        let names: BTreeSet<String> = [".claude", "hookrail", ".x"].map(str::to_owned).into();
        for text in
            ["", "a .claude", "hookrail x", "hookhookrail", "..x", ".", ".clau", ".claudehookrai", "ä.x", "n.claudn"]
        {
            let expected = names.iter().any(|name| text.contains(name.as_str()));
            assert_eq!(contains_any(text, &names), expected, "{text}");
        }
    }

    #[test]
    fn a_variable_is_set_in_the_way_of_every_shell_and_not_by_being_read() {
        for (text, expected) in [
            ("export HOOKRAIL_STATE_DIR=/tmp/x", Some("HOOKRAIL_STATE_DIR")),
            ("set -gx HOOKRAIL_STATE_DIR /tmp/x", Some("HOOKRAIL_STATE_DIR")),
            ("setenv XDG_CONFIG_HOME /tmp/x", Some("XDG_CONFIG_HOME")),
            ("HOME=/tmp", Some("HOME")),
            ("CLAUDE_PROJECT_DIR=/elsewhere", Some("CLAUDE_PROJECT_DIR")),
            ("export JAVA_HOME=/opt/java", None),
            ("export PATH=$HOME/bin:$PATH", None),
            ("cd $HOME && ls", None),
            ("alias h='ls ${XDG_CONFIG_HOME}'", None),
            ("", None),
        ] {
            assert_eq!(variable_set_in(text), expected, "{text}");
        }
    }
}
