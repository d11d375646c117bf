//! Which tools hooks are asked about, translated from the names of one agent to those of another.

use crate::agents::FALLBACK;
use crate::{Dialect, MatcherSyntax, ToolClass};

/// The tools of an agent that hooks want to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolReach {
    Every,
    /// These, by the agent's own names. None at all if the agent has no such tools.
    Named(Vec<String>),
}

impl ToolReach {
    /// What a matcher that is written for Claude Code reaches in another agent.
    ///
    /// A name that stands for no tool hookrail knows (an MCP tool, a pattern, the source of a session) may stand for
    /// anything in the other agent: then every tool is reached, because a guard that is asked too often only costs time.
    #[must_use]
    pub fn translate(matcher: Option<&str>, agent: &dyn Dialect) -> Self {
        let Some(matcher) = matcher else { return Self::Every };
        let names: Vec<&str> = matcher.split('|').collect();
        if agent.name() == FALLBACK.name() {
            return Self::Named(names.into_iter().map(str::to_owned).collect());
        }
        let mut reach = Self::Named(Vec::new());
        for name in names {
            let class = ToolClass::ALL.iter().find(|class| FALLBACK.tool_names(**class).contains(&name));
            let Some(class) = class else { return Self::Every };
            reach = reach.and(Self::Named(agent.tool_names(*class).into_iter().map(str::to_owned).collect()));
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

    /// How an agent is told so. `None` if there is nothing to tell: all tools are meant, or the agent does not listen.
    #[must_use]
    pub fn matcher(&self, syntax: MatcherSyntax) -> Option<String> {
        let Self::Named(names) = self else { return None };
        let list = names.join("|");
        match syntax {
            MatcherSyntax::Names | MatcherSyntax::Anchored => Some(list),
            // Else `replace` would also reach `replace_all` of somebody's MCP server.
            MatcherSyntax::Pattern => Some(format!("^({list})$")),
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
            ("claude", Some("Task|Bash|Skill"), Some("Task|Bash|Skill")),
            ("claude", Some("clear|resume"), Some("clear|resume")),
            ("claude", None, None),
            ("gemini", Some("Bash|Write|Edit|MultiEdit"), Some("^(run_shell_command|write_file|replace)$")),
            ("gemini", Some("Task|Agent"), Some("^(invoke_agent)$")),
            ("llxprt", Some("Edit"), Some("^(replace|insert_at_line|delete_line_range|ast_edit|apply_patch)$")),
            ("codex", Some("Bash|Write|Edit"), Some("Bash|apply_patch")),
            ("codex", Some("Skill"), Some("")),
            ("codex", Some("Write|mcp__files__.*"), None),
            ("gemini", Some("clear|resume"), None),
            ("gemini", None, None),
            ("vscode", Some("Bash"), None),
        ];
        for (agent, matcher, expected) in cases {
            let agent = dialect(agent).unwrap();
            let reach = ToolReach::translate(matcher, agent);
            assert_eq!(reach.matcher(agent.format().matcher).as_deref(), expected, "{}: {matcher:?}", agent.name());
            assert_eq!(reach.is_nothing(), expected == Some(""), "{}: {matcher:?}", agent.name());
        }
    }
}
