//! Which tools hooks are asked about, translated from the names of one agent to those of another.

use crate::agents::FALLBACK;
use crate::{Agent, Dialect, MatcherSyntax, Target, ToolClass};

/// The tools of an agent that hooks want to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolReach {
    Every,
    /// These, by the agent's own names. None at all if the agent has no such tools.
    Named(Vec<String>),
}

impl ToolReach {
    /// What a matcher that is written for Claude Code means in an agent: all tools that do the same as those it names, so
    /// that `Bash` means every shell.
    ///
    /// A name that stands for no tool hookrail knows (an MCP tool, a pattern, the source of a session) may stand for
    /// anything in another agent: then every tool is reached, because a guard that is asked too often only costs time.
    #[must_use]
    pub fn translate(matcher: Option<&str>, agent: &dyn Dialect) -> Self {
        let Some(matcher) = matcher else { return Self::Every };
        let is_claude = agent.name() == FALLBACK.name();
        let mut reach = Self::Named(Vec::new());
        for name in matcher.split('|') {
            let class = ToolClass::ALL.iter().find(|class| FALLBACK.tool_names(**class).contains(&name));
            if class.is_none() && !is_claude {
                return Self::Every;
            }
            let own = is_claude.then(|| name.to_owned());
            let same = class.map(|class| agent.tool_names(*class)).unwrap_or_default();
            reach = reach.and(Self::Named(own.into_iter().chain(same.into_iter().map(str::to_owned)).collect()));
        }
        reach
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let (Self::Named(mut names), Self::Named(others)) = (self, other) else { return Self::Every };
        for name in others {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Self::Named(names)
    }

    #[must_use]
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Named(names) if names.is_empty())
    }

    /// How an agent is told so at one of its events. `None` if there is nothing to tell: all tools are meant, or the agent
    /// does not listen.
    ///
    /// The tools of MCP servers are always among those: what they do is not known by their names, so a guard that is not
    /// asked about them can be passed through any server that writes files or runs commands.
    #[must_use]
    pub fn matcher(&self, agent: &Agent, event: &str) -> Option<String> {
        let Self::Named(names) = self else { return None };
        let tools = agent.target(event) == Target::Tool;
        let mcp = if tools { Some(agent.mcp().pattern()?) } else { None };
        let list = names.iter().map(String::as_str).chain(mcp).collect::<Vec<_>>().join("|");
        match agent.format.matcher {
            // With a pattern among them the names are no list of names any more, and `Write` would reach `TodoWrite`.
            MatcherSyntax::Names if mcp.is_none() => Some(list),
            MatcherSyntax::Anchored if mcp.is_none() => Some(list),
            // Else `replace` would also reach `replace_all` of an MCP server.
            MatcherSyntax::Names | MatcherSyntax::Anchored | MatcherSyntax::Pattern => Some(format!("^({list})$")),
            MatcherSyntax::Glob => Some(format!("re:^({list})$")),
            MatcherSyntax::Ignored => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect;

    #[test]
    fn matchers_written_for_claude_code_reach_the_same_tools_of_other_agents() {
        let cases = [
            ("claude", "PreToolUse", Some("Task|Bash|Skill"), Some("^(Task|Agent|Bash|PowerShell|Skill|mcp__.*)$")),
            ("claude", "PreToolUse", Some("WebSearch|Edit"), Some("^(WebSearch|Edit|MultiEdit|NotebookEdit|mcp__.*)$")),
            ("claude", "SessionStart", Some("clear|resume"), Some("clear|resume")),
            ("claude", "PreToolUse", None, None),
            (
                "gemini",
                "BeforeTool",
                Some("Bash|Write|Edit|MultiEdit"),
                Some("^(run_shell_command|write_file|replace|mcp_.*)$"),
            ),
            ("gemini", "AfterTool", Some("Task|Agent"), Some("^(invoke_agent|mcp_.*)$")),
            (
                "llxprt",
                "BeforeTool",
                Some("Edit"),
                Some("^(replace|insert_at_line|delete_line_range|ast_edit|apply_patch|mcp_.*)$"),
            ),
            ("codex", "PreToolUse", Some("Bash|Write|Edit"), Some("^(Bash|apply_patch|mcp__.*)$")),
            ("codex", "PreToolUse", Some("Write|mcp__files__.*"), None),
            ("cursor", "preToolUse", Some("Bash"), Some("^(Shell|MCP:.*)$")),
            ("gemini", "SessionStart", Some("clear|resume"), None),
            ("gemini", "BeforeTool", None, None),
            ("vscode", "PreToolUse", Some("Bash"), None),
        ];
        for (agent, event, matcher, expected) in cases {
            let agent = dialect(agent).unwrap();
            let reach = ToolReach::translate(matcher, agent);
            assert_eq!(reach.matcher(agent.agent(), event).as_deref(), expected, "{}: {matcher:?}", agent.name());
        }
        assert!(ToolReach::translate(Some("Skill"), dialect("codex").unwrap()).is_nothing());
    }
}
