//! Words of other agents, and what they are called in this one.

use hookrail_core::EventName;
use hookrail_dialects::{Agent, Hearing, ToolClass};
use hookrail_engine::registry::closest;

/// Who runs a script, and what it makes of the answer: an agent, or hookrail itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listener {
    pub name: &'static str,
    pub title: &'static str,
    pub hearing: Hearing,
    pub project_variables: &'static [&'static str],
}

/// hookrail itself, as the one that runs the command hooks of `hookrail.toml`.
pub(crate) const HOOKRAIL: Listener = Listener {
    name: "hookrail",
    title: "hookrail",
    hearing: Hearing {
        permission_decision: true,
        decisions: &["allow", "approve", "deny", "block", "ask"],
        silent_exit_two: true,
        reason_on_stdout: false,
        strict: false,
        cuts_endless_stop: false,
    },
    project_variables: &["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR"],
};

impl From<&Agent> for Listener {
    fn from(agent: &Agent) -> Self {
        let Agent { name, title, hearing, project_variables, .. } = *agent;
        Self { name, title, hearing, project_variables }
    }
}

/// What words of other agents mean to an agent.
pub(crate) trait OtherWords {
    /// What was probably meant by an event name this agent does not have: its own word for another agent's event,
    /// else the closest spelling.
    fn suggest_event(&self, name: &str) -> Option<&'static str>;

    /// This agent's tools for what another agent's tool of that name does.
    fn translate_tool(&self, name: &str) -> Vec<&'static str>;

    /// Whether another agent has a tool of this name.
    fn is_foreign_tool(&self, name: &str) -> bool;
}

impl OtherWords for Agent {
    fn suggest_event(&self, name: &str) -> Option<&'static str> {
        let own = self.dialect()?;
        let translated = hookrail_dialects::all()
            .iter()
            .filter_map(|other| other.event(name))
            .chain(EventName::known(name))
            .find_map(|event| own.native_event(&event));
        translated.or_else(|| closest(name, own.native_events()))
    }

    fn translate_tool(&self, name: &str) -> Vec<&'static str> {
        let Some(own) = self.dialect() else { return Vec::new() };
        let others = hookrail_dialects::all().iter().filter(|other| other.name() != self.name);
        let class = others.flat_map(|other| ToolClass::ALL.iter().map(move |class| (other, *class)));
        let class = class.into_iter().find(|(other, class)| other.tool_names(*class).contains(&name));
        let Some((_, class)) = class else { return same_purpose(self, name) };
        let tools = own.tool_names(class);
        // An agent without a tool for writing whole files writes them with the one for editing.
        if tools.is_empty() && class == ToolClass::Write { own.tool_names(ToolClass::Edit) } else { tools }
    }

    fn is_foreign_tool(&self, name: &str) -> bool {
        hookrail_dialects::agents().any(|other| other.name != self.name && other.tool_names().any(|tool| tool == name))
    }
}

/// Tools that decide nothing a dialect must know, but that matchers name.
fn same_purpose(agent: &Agent, name: &str) -> Vec<&'static str> {
    const ALIKE: [&[&str]; 5] = [
        &["Grep", "grep", "grep_search", "search_file_content", "ripgrep"],
        &["Glob", "glob"],
        &["LS", "ls", "list_directory"],
        &["WebSearch", "web_search", "google_web_search", "exa_web_search"],
        &["TodoWrite", "todo_write", "write_todos"],
    ];
    let alike = ALIKE.iter().find(|names| names.contains(&name)).copied().unwrap_or_default();
    agent.tool_names().filter(|tool| alike.contains(tool) && *tool != name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_dialects::agent;

    #[test]
    fn every_agent_has_a_dialect_that_agrees_with_its_facts() {
        for agent in hookrail_dialects::agents() {
            let dialect = agent.dialect().unwrap();
            for (event, _) in agent.targets {
                assert!(dialect.event(event).is_some(), "{}: {event}", agent.name);
            }
            for kind in agent.types {
                let events = kind.not_on.unwrap_or_default();
                assert!(events.iter().all(|event| dialect.event(event).is_some()), "{}", kind.name);
            }
        }
    }

    #[test]
    fn other_agents_words_are_translated() {
        let cases = [
            ("gemini", "PreToolUse", Some("BeforeTool")),
            ("claude", "BeforeTool", Some("PreToolUse")),
            ("claude", "pretooluse", Some("PreToolUse")),
            ("codex", "AfterAgent", Some("Stop")),
            ("llxprt", "UserPromptSubmit", Some("BeforeAgent")),
            ("gemini", "Zzzzzzzzzzzzzz", None),
        ];
        for (name, word, expected) in cases {
            assert_eq!(agent(name).unwrap().suggest_event(word), expected, "{name} {word}");
        }
        let cases: [(&str, &str, &[&str]); 5] = [
            ("gemini", "Write", &["write_file"]),
            ("gemini", "Bash", &["run_shell_command"]),
            ("codex", "write_file", &["apply_patch"]),
            ("gemini", "Grep", &["grep_search"]),
            ("claude", "nothing", &[]),
        ];
        for (name, word, expected) in cases {
            assert_eq!(agent(name).unwrap().translate_tool(word), expected, "{name} {word}");
        }
    }
}
