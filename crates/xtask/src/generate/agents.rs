//! Where each agent keeps hooks and what it takes to make it run them, made from the table of agents.

use super::Generated;
use hookrail_dialects::{Agent, Base, FileRole, Gate, HookFile, Layout, Os, Scope, TimeoutUnit, UnknownEvent};
use std::fmt::Write;

/// Agents with a page of their own.
const OWN_PAGES: [&str; 4] = ["claude", "gemini", "llxprt", "codex"];

const INTRODUCTION: &str = "`hookrail install AGENT` knows all agents on this page, besides Claude Code, Gemini CLI, LLxprt Code and Codex, which have pages
of their own. It writes the file that the agent reads, in the agent's form; what is in the file already stays. Afterwards start the agent and
ask for something that must be refused, such as a change of a file in `.hookrail/`.

`hookrail validate` checks these files, `hookrail doctor` says when they no longer fit the configuration, and no tool of any agent may change
them ([core/protected-paths](../packs/core.md)). What each agent does with a verdict is in [Compatibility](../reference/compatibility.md).
";

pub(super) fn page() -> Generated {
    let mut text = format!("{}\n\n# Other agents\n\n{INTRODUCTION}", super::WRITTEN_BY_GENERATE);
    text.push_str("\n| agent | `install` | file of a project | file of the user | form |\n|---|---|---|---|---|\n");
    for agent in others() {
        let (project, user) = (place(agent, Scope::Project), place(agent, Scope::User));
        let _ = writeln!(text, "| {} | `{}` | {project} | {user} | {} |", agent.title, agent.name, form(agent));
    }
    for agent in others() {
        describe(agent, &mut text);
    }
    Generated { path: "docs/src/agents/others.md".to_owned(), content: text }
}

fn others() -> impl Iterator<Item = &'static Agent> {
    hookrail_dialects::agents().filter(|agent| !OWN_PAGES.contains(&agent.name))
}

/// Where `install` writes.
fn place(agent: &Agent, scope: Scope) -> String {
    let files = agent.format.files.iter().filter(|file| file.scope == scope && file.role == FileRole::Install);
    let found = files.filter(|file| matches!(file.os, Os::Any | Os::Linux)).map(path).next();
    found.map_or_else(|| "·".to_owned(), |path| format!("`{path}`"))
}

fn path(file: &HookFile) -> String {
    let base = if file.base == Base::Home { "~/" } else { "" };
    let folder = if file.folder.is_empty() { String::new() } else { format!("{}/", file.folder) };
    format!("{base}{folder}{}", file.file)
}

fn form(agent: &Agent) -> &'static str {
    match agent.format.layout {
        Layout::Groups if agent.format.hooks_at.is_empty() => "JSON, events at the top level",
        Layout::Groups => "JSON, groups of hooks below each event",
        Layout::Flat => "JSON, hooks below each event",
        Layout::Tables(_) => "TOML, `[[hooks]]` tables",
        Layout::Scripts => "one executable per event",
        Layout::Module => "a JavaScript plugin",
    }
}

fn describe(agent: &Agent, text: &mut String) {
    let format = &agent.format;
    let _ = write!(text, "\n## {}\n\n", agent.title);
    if !agent.consent.is_empty() {
        let _ = writeln!(text, "{}\n", agent.consent.join(" "));
    }
    if format.timeout_key.is_some() {
        let unit = match format.timeout_unit {
            TimeoutUnit::Seconds => "seconds",
            TimeoutUnit::Milliseconds => "milliseconds",
            TimeoutUnit::SecondsOrMillis => "seconds, and from 1000 on milliseconds",
        };
        let _ = writeln!(text, "- Timeouts are in {unit}.");
    }
    if let Gate::Approval(command) = format.gate {
        let _ = writeln!(text, "- Approve the hooks in the agent with `{command}`, again after each change.");
    }
    if format.unknown_event == UnknownEvent::RejectsFile {
        text.push_str("- A misspelled event makes it ignore the whole file.\n");
    }
    if let Some((variable, _)) = format.files.iter().find_map(|file| file.moved_by) {
        let _ = writeln!(text, "- `{variable}` moves the file of the user.");
    }
    let fallback = format.files.iter().find(|file| file.role == FileRole::Fallback && file.scope == Scope::Project);
    if let Some(fallback) = fallback {
        let fallback = path(fallback);
        let _ = writeln!(
            text,
            "- If `{fallback}` has hooks and there is no hook file, `install` adds to `{fallback}`: a new hook file would make \
             the agent pass over it."
        );
    }
    let sharers: Vec<&str> = agent.sharers().map(|other| other.title).collect();
    if !sharers.is_empty() {
        let _ = writeln!(
            text,
            "- {} reads the same file, so the command does not name the agent: hookrail recognises it.",
            sharers.join(" and ")
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_row_and_a_section_or_a_page_of_its_own() {
        let page = page().content;
        for agent in hookrail_dialects::agents() {
            let own = OWN_PAGES.contains(&agent.name);
            assert_eq!(page.contains(&format!("| `{}` |", agent.name)), !own, "{}", agent.name);
            assert_eq!(page.contains(&format!("\n## {}\n", agent.title)), !own, "{}", agent.name);
        }
    }
}
