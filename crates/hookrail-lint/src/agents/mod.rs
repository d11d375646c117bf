//! What is known of each agent beyond its dialect: one file per agent.

mod claude;
mod codex;
mod gemini;
mod hookrail;
mod llxprt;

pub(crate) use hookrail::HOOKRAIL;

use hookrail_core::{EventName, MatcherStyle};
use hookrail_dialects::{Dialect, HookFormat, MatcherSyntax, ToolClass};
use hookrail_engine::registry::closest;

/// What an event's `matcher` is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The name of a tool.
    Tool,
    /// One of these words; a matcher may be a pattern over them.
    Words(&'static [&'static str]),
    /// One of these words, by equality.
    ExactWords(&'static [&'static str]),
    /// A name nobody can list, such as that of a subagent.
    Name,
    /// The agent does not look at it.
    Nothing,
}

/// A `type` of hook.
#[derive(Clone, Copy, Debug)]
pub struct HookType {
    pub name: &'static str,
    /// Fields it cannot do without; each is text.
    pub needs: &'static [&'static str],
    /// Further fields it may have.
    pub takes: &'static [&'static str],
    /// Events on which the agent does not run it. `None` means it never does.
    pub not_on: Option<&'static [&'static str]>,
}

/// What a file may have beyond plain JSON; measured on the real agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonStyle {
    pub comments: bool,
    pub trailing_commas: bool,
    pub byte_order_mark: bool,
}

/// How MCP tools are called: `mcp__server__tool` or `mcp_server_tool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpNames {
    pub separator: &'static str,
}

/// What a hook's answer means to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hearing {
    /// Whether `permissionDecision` inside `hookSpecificOutput` is read.
    pub permission_decision: bool,
    /// The words that a top-level `decision` may be.
    pub decisions: &'static [&'static str],
    /// Whether exit code 2 refuses although nothing was written.
    pub silent_exit_two: bool,
    /// Whether the reason of exit code 2 may stand on stdout.
    pub reason_on_stdout: bool,
    /// Whether an unknown or misplaced key makes the whole answer void.
    pub strict: bool,
    /// Whether an endless refusal to stop is cut at some point.
    pub cuts_endless_stop: bool,
}

/// An agent whose hook configuration can be checked.
#[derive(Debug)]
pub struct Agent {
    pub name: &'static str,
    /// As its makers call it.
    pub title: &'static str,
    pub json: JsonStyle,
    pub types: &'static [HookType],
    /// Fields every hook may have.
    pub hook_keys: &'static [&'static str],
    pub group_keys: &'static [&'static str],
    /// Keys in `hooks` that are no events.
    pub beside_events: &'static [&'static str],
    pub targets: &'static [(&'static str, Target)],
    /// Every built-in tool.
    pub tools: &'static [&'static str],
    /// Words that are no tool's name but that matchers understand, and the tool they select.
    pub tool_aliases: &'static [(&'static str, &'static str)],
    pub mcp: McpNames,
    /// Variables that name the project's folder for a hook.
    pub project_variables: &'static [&'static str],
    pub hearing: Hearing,
}

static ALL: [&Agent; 4] = [&claude::CLAUDE, &gemini::GEMINI, &llxprt::LLXPRT, &codex::CODEX];

/// Every agent whose configuration can be checked.
#[must_use]
pub fn agents() -> &'static [&'static Agent] {
    &ALL
}

/// The agent of this name.
#[must_use]
pub fn agent(name: &str) -> Option<&'static Agent> {
    ALL.iter().copied().find(|agent| agent.name == name)
}

impl Agent {
    /// The dialect is compiled in for every agent listed here; a test holds that.
    pub fn dialect(&self) -> Option<&'static dyn Dialect> {
        hookrail_dialects::dialect(self.name)
    }

    pub fn format(&self) -> Option<&'static HookFormat> {
        self.dialect().map(Dialect::format)
    }

    pub fn event(&self, native: &str) -> Option<EventName> {
        self.dialect()?.event(native)
    }

    pub fn target(&self, event: &str) -> Target {
        self.targets.iter().find(|(name, _)| *name == event).map_or(Target::Name, |(_, target)| *target)
    }

    pub fn matcher_style(&self) -> MatcherStyle {
        match self.format().map(|format| format.matcher) {
            Some(MatcherSyntax::Pattern | MatcherSyntax::Anchored | MatcherSyntax::Ignored) => MatcherStyle::Pattern,
            Some(MatcherSyntax::Names) | None => MatcherStyle::Names,
        }
    }

    pub fn hook_type(&self, name: &str) -> Option<&HookType> {
        self.types.iter().find(|kind| kind.name == name)
    }

    /// What somebody probably meant by an event name this agent does not have: its own word for another agent's event,
    /// else the closest spelling.
    pub fn suggest_event(&self, name: &str) -> Option<&'static str> {
        let own = self.dialect()?;
        let translated = hookrail_dialects::all()
            .iter()
            .filter_map(|other| other.event(name))
            .chain(EventName::known(name))
            .find_map(|event| own.native_event(&event));
        translated.or_else(|| closest(name, own.native_events()))
    }

    /// This agent's tools for what another agent's tool of that name does.
    pub fn translate_tool(&self, name: &str) -> Vec<&'static str> {
        const CLASSES: [ToolClass; 8] = [
            ToolClass::Shell,
            ToolClass::Write,
            ToolClass::Edit,
            ToolClass::Read,
            ToolClass::WebFetch,
            ToolClass::Subagent,
            ToolClass::Skill,
            ToolClass::AskUser,
        ];
        let Some(own) = self.dialect() else { return Vec::new() };
        let others = hookrail_dialects::all().iter().filter(|other| other.name() != self.name);
        let class = others.flat_map(|other| CLASSES.map(|class| (other, class)));
        let class = class.into_iter().find(|(other, class)| other.tool_names(*class).contains(&name));
        let Some((_, class)) = class else { return self.same_purpose(name) };
        let tools = own.tool_names(class);
        // An agent without a tool for writing whole files writes them with the one for editing.
        if tools.is_empty() && class == ToolClass::Write { own.tool_names(ToolClass::Edit) } else { tools }
    }

    /// Tools that decide nothing a dialect must know, but that matchers name.
    fn same_purpose(&self, name: &str) -> Vec<&'static str> {
        const ALIKE: [&[&str]; 5] = [
            &["Grep", "grep", "grep_search", "search_file_content", "ripgrep"],
            &["Glob", "glob"],
            &["LS", "ls", "list_directory"],
            &["WebSearch", "web_search", "google_web_search", "exa_web_search"],
            &["TodoWrite", "todo_write", "write_todos"],
        ];
        let alike = ALIKE.iter().find(|names| names.contains(&name)).copied().unwrap_or_default();
        self.tools.iter().copied().filter(|tool| alike.contains(tool) && *tool != name).collect()
    }

    /// Whether another agent has a tool of this name.
    pub fn is_foreign_tool(&self, name: &str) -> bool {
        ALL.iter().any(|other| other.name != self.name && other.tools.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_dialect_that_agrees_with_its_facts() {
        for agent in agents() {
            let dialect = agent.dialect().unwrap();
            for (event, _) in agent.targets {
                assert!(dialect.event(event).is_some(), "{}: {event}", agent.name);
            }
            for class in [ToolClass::Shell, ToolClass::Write, ToolClass::Edit, ToolClass::Read, ToolClass::WebFetch] {
                for tool in dialect.tool_names(class) {
                    assert!(agent.tools.contains(&tool), "{}: {tool}", agent.name);
                }
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
