//! Conditions of hooks, in the syntax of agents' permission rules: `Bash(git push:*)`, `Edit(src/**)`, `WebFetch`.

use crate::{EventName, ToolCall, ToolKind};
use hookrail_shell::Node;
use hookrail_shell::ast::CommandKind;

/// Which calls a hook is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The tool, by its own name or by Claude Code's for its kind.
    tool: String,
    /// What the call must be about; `None` is any call of the tool.
    pattern: Option<String>,
}

impl Condition {
    /// Reads a rule; `None` if it is none.
    #[must_use]
    pub fn parse(rule: &str) -> Option<Self> {
        let rule = rule.trim();
        let (tool, pattern) = match rule.split_once('(') {
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')')?.trim())),
            None => (rule, None),
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '*');
        let pattern = pattern.filter(|pattern| !matches!(*pattern, "" | "*" | ":*")).map(str::to_owned);
        (!tool.is_empty() && tool.chars().all(is_name)).then(|| Self { tool: tool.to_owned(), pattern })
    }

    /// Whether a hook with this condition applies. At events that are not about a call it never does, as in Claude Code. A
    /// command that is too involved to be cut into its parts with certainty counts as a match: a guard that cannot tell must
    /// run.
    #[must_use]
    pub fn holds(&self, event: &EventName, tool: Option<&ToolCall>) -> bool {
        let about_a_call = match event {
            EventName::BeforeTool | EventName::AfterTool | EventName::ToolFailed | EventName::PermissionRequest => true,
            EventName::Other(name) => &**name == "PermissionDenied",
            _ => false,
        };
        let Some(tool) = tool.filter(|_| about_a_call) else { return false };
        let named =
            wildcard(&self.tool, &tool.name) || tool.kind.claude_name().is_some_and(|name| wildcard(&self.tool, name));
        named && self.pattern.as_deref().is_none_or(|pattern| is_about(pattern, tool))
    }
}

fn is_about(pattern: &str, tool: &ToolCall) -> bool {
    match &tool.kind {
        ToolKind::Shell { command, .. } => is_about_command(pattern, command),
        ToolKind::Read { path } => matches_path(pattern, path),
        ToolKind::Write { .. } | ToolKind::Edit { .. } => {
            tool.touched_paths().iter().any(|path| matches_path(pattern, path))
        }
        ToolKind::WebFetch { url } => match pattern.strip_prefix("domain:") {
            Some(domain) => wildcard(domain, host(url)),
            None => wildcard(pattern, url),
        },
        ToolKind::Subagent { agent, .. } => wildcard(pattern, agent),
        ToolKind::Skill { name } => wildcard(pattern, name),
        // What the rule speaks of cannot be seen in such a call.
        ToolKind::Mcp { .. } | ToolKind::AskUser { .. } | ToolKind::Other => true,
    }
}

/// Whether a line, or any command in it, is what a pattern describes. A line that cannot be read to its end counts.
fn is_about_command(pattern: &str, line: &str) -> bool {
    let script = hookrail_shell::parse(line);
    let mut found = matches_command(pattern, line.trim());
    script.for_each(|node| {
        found |= match node {
            Node::Command(command) => {
                // Assignments before a program do not make it another one.
                let words = match &command.kind {
                    CommandKind::Simple(simple) => simple.words.first(),
                    _ => None,
                };
                let start = words.map_or(command.span.start, |word| word.span.start);
                let text = line.get(start..command.span.end).unwrap_or_default();
                matches_command(pattern, command.span.of(line)) || matches_command(pattern, text)
            }
            Node::Unknown(..) => true,
            _ => false,
        };
    });
    found
}

/// `git push:*` is every command that begins with these words; a `*` elsewhere stands for any text.
fn matches_command(pattern: &str, command: &str) -> bool {
    match pattern.strip_suffix(":*") {
        Some(prefix) => {
            command.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        }
        None => wildcard(pattern, command),
    }
}

/// A path that is spelled relative to somewhere matches at any folder.
fn matches_path(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./").trim_start_matches("//");
    let anywhere = format!("*/{}", pattern.trim_start_matches('/'));
    wildcard(pattern, path) || wildcard(&anywhere, path)
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    host.split(':').next().unwrap_or(host)
}

/// `*` and `**` stand for any text. Linear in the text for each star of the pattern.
fn wildcard(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn classify(name: &str, input: &Value) -> ToolKind {
        let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
        match name {
            "Bash" | "run_shell_command" => ToolKind::Shell { command: text("command"), cwd: None },
            "Write" => ToolKind::Write { path: text("path"), content: String::new() },
            "WebFetch" => ToolKind::WebFetch { url: text("url") },
            _ => ToolKind::Other,
        }
    }

    #[test]
    fn rules_describe_calls() {
        let bash = |command: &str| ("Bash", json!({ "command": command }));
        let cases = [
            ("Bash", bash("ls"), true),
            ("Bash(*)", bash("ls"), true),
            ("Write", bash("ls"), false),
            ("Bash(git push:*)", bash("git push origin"), true),
            ("Bash(git push:*)", bash("git push"), true),
            ("Bash(git push:*)", bash("git pushx"), false),
            ("Bash(git push:*)", bash("cd x && git push -f"), true),
            ("Bash(git push:*)", bash("echo \"$(git push)\""), true),
            ("Bash(git push:*)", bash("A=1 git push"), true),
            ("Bash(git push:*)", bash("echo 'x; git push'"), false),
            ("Bash(git push:*)", bash("echo 'unclosed"), true),
            ("Bash(git *)", bash("git status"), true),
            ("Bash(git *)", bash("echo git status"), false),
            ("Bash(* --force)", bash("git push --force"), true),
            ("Bash(rm:*)", ("run_shell_command", json!({"command": "rm x"})), true),
            ("Write(src/**)", ("Write", json!({"path": "/p/src/a.rs"})), true),
            ("Write(src/**)", ("Write", json!({"path": "/p/docs/a.rs"})), false),
            ("WebFetch(domain:example.com)", ("WebFetch", json!({"url": "https://example.com:8080/x"})), true),
            ("WebFetch(domain:*.example.com)", ("WebFetch", json!({"url": "https://evil.org/?example.com"})), false),
        ];
        for (rule, (name, input), expected) in cases {
            let call = ToolCall::new(name, &input, classify);
            let condition = Condition::parse(rule).unwrap();
            assert_eq!(condition.holds(&EventName::BeforeTool, Some(&call)), expected, "{rule} {input}");
            assert!(!condition.holds(&EventName::AfterAgent, Some(&call)), "{rule}: not about a call");
        }
        for nonsense in ["", "(x)", "Bash(git", "not a rule"] {
            assert_eq!(Condition::parse(nonsense), None, "{nonsense}");
        }
    }
}
