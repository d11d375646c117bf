use serde_json::Value;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What a tool call does, whatever the agent calls the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// Runs a command line.
    Shell {
        /// The command line, whole.
        command: String,
        /// The directory it runs in, if the call names one.
        cwd: Option<String>,
    },
    /// Writes a file whole, whether or not it exists.
    Write {
        /// As the agent spelled it.
        path: String,
        /// What the file will hold.
        content: String,
    },
    /// Changes files in place; a patch may name several.
    Edit {
        /// As the agent spelled them, in the order of the call.
        paths: Vec<String>,
    },
    /// Reads a file.
    Read {
        /// As the agent spelled it.
        path: String,
    },
    /// Fetches a web page.
    WebFetch {
        /// As the agent spelled it.
        url: String,
    },
    /// Calls a tool of an MCP server.
    Mcp {
        /// The server's name in the agent's configuration.
        server: String,
        /// The tool's name at its server.
        tool: String,
    },
    /// Gives a task to another agent.
    Subagent {
        /// The kind of agent that is asked for.
        agent: String,
        /// The task.
        prompt: String,
    },
    /// Runs a skill of the user or the project.
    Skill {
        /// Which one.
        name: String,
    },
    /// Asks the user.
    AskUser {
        /// The texts that the user is shown.
        questions: Vec<String>,
    },
    /// A tool of which only the name is known. Hooks that guard paths or commands see neither.
    Other,
}

/// Reads what a call does from the agent's name for the tool and its input.
#[derive(Clone)]
pub enum ToolClassifier {
    /// An agent that hookrail knows.
    Known(fn(&str, &Value) -> ToolKind),
    /// Tools that were described.
    Described(Arc<Description>),
}

/// What is known about a tool, by its name and its input.
type Description = dyn Fn(&str, &Value) -> ToolKind + Send + Sync;

impl ToolClassifier {
    /// For unknown tools.
    pub const OPAQUE: Self = Self::Known(|_, _| ToolKind::Other);

    /// What a call of the tool `name` with this input does.
    #[must_use]
    pub fn classify(&self, name: &str, input: &Value) -> ToolKind {
        match self {
            Self::Known(classify) => classify(name, input),
            Self::Described(classify) => classify(name, input),
        }
    }
}

impl From<fn(&str, &Value) -> ToolKind> for ToolClassifier {
    fn from(classify: fn(&str, &Value) -> ToolKind) -> Self {
        Self::Known(classify)
    }
}

impl fmt::Debug for ToolClassifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolClassifier")
    }
}

/// One call of a tool: the agent's own spelling next to what hookrail understood of it.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// As the agent spells it.
    pub name: String,
    /// What it does. [`ToolCall::with_input`] reads it anew; whoever changes it by hand knows more than the tool's
    /// name tells.
    pub kind: ToolKind,
    /// How this agent's tools are read; kept because a hook may rewrite the input, and the kind must follow.
    classifier: ToolClassifier,
    understanding: Understanding,
}

/// What was worked out about a call. A copy starts without it: it may be given to an event elsewhere on the machine.
#[derive(Default)]
struct Understanding(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Clone for Understanding {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Understanding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "Understanding" } else { "None" })
    }
}

impl ToolCall {
    /// A call of a tool whose agent can be read with `classify`.
    #[must_use]
    pub fn new(name: impl Into<String>, input: &Value, classify: fn(&str, &Value) -> ToolKind) -> Self {
        Self::read(name, input, &ToolClassifier::Known(classify))
    }

    /// A call of a tool that `classifier` can read.
    #[must_use]
    pub fn read(name: impl Into<String>, input: &Value, classifier: &ToolClassifier) -> Self {
        let name = name.into();
        let kind = classifier.classify(&name, input);
        Self { name, kind, classifier: classifier.clone(), understanding: Understanding::default() }
    }

    /// A call of a tool hookrail knows nothing about.
    #[must_use]
    pub fn opaque(name: impl Into<String>) -> Self {
        Self::read(name, &Value::Null, &ToolClassifier::OPAQUE)
    }

    /// The same call with another input.
    #[must_use]
    pub fn with_input(&self, input: &Value) -> Self {
        let kind = match &self.kind {
            // Told by the event, not by the tool's name.
            kind @ ToolKind::Mcp { .. } => kind.clone(),
            _ => self.classifier.classify(&self.name, input),
        };
        Self {
            name: self.name.clone(),
            kind,
            classifier: self.classifier.clone(),
            understanding: Understanding::default(),
        }
    }

    /// What `work` makes of this call, worked out once however many hooks ask. A call with another input is another call.
    #[must_use]
    pub fn understood<T: Any + Send + Sync>(&self, work: impl Fn() -> T) -> Arc<T> {
        let known = Arc::clone(self.understanding.0.get_or_init(|| Arc::new(work())));
        // Two kinds of understanding are not kept side by side; the second to ask works its own out.
        known.downcast().unwrap_or_else(|_| Arc::new(work()))
    }

    /// The files this call writes or changes, as the agent spelled them. The one way to ask for paths.
    #[must_use]
    pub fn touched_paths(&self) -> &[String] {
        match &self.kind {
            ToolKind::Write { path, .. } => std::slice::from_ref(path),
            ToolKind::Edit { paths } => paths,
            ToolKind::Shell { .. }
            | ToolKind::Read { .. }
            | ToolKind::WebFetch { .. }
            | ToolKind::Mcp { .. }
            | ToolKind::Subagent { .. }
            | ToolKind::Skill { .. }
            | ToolKind::AskUser { .. }
            | ToolKind::Other => &[],
        }
    }
}

impl ToolKind {
    /// What Claude Code calls its tool of this kind. Hooks that were written for it look for these names.
    #[must_use]
    pub fn claude_name(&self) -> Option<&'static str> {
        Some(match self {
            Self::Shell { .. } => "Bash",
            Self::Write { .. } => "Write",
            Self::Edit { .. } => "Edit",
            Self::Read { .. } => "Read",
            Self::WebFetch { .. } => "WebFetch",
            Self::Subagent { .. } => "Agent",
            Self::Skill { .. } => "Skill",
            Self::AskUser { .. } => "AskUserQuestion",
            Self::Mcp { .. } | Self::Other => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_call_is_understood_once_and_a_copy_or_another_input_anew() {
        let call = ToolCall::opaque("x");
        let count = Cell::new(0);
        let understand = |call: &ToolCall| {
            call.understood(|| {
                count.set(count.get() + 1);
                count.get()
            })
        };
        assert_eq!((*understand(&call), *understand(&call)), (1, 1));
        assert_eq!(*understand(&call.clone()), 2, "a copy may be used elsewhere on the machine");
        assert_eq!(*understand(&call.with_input(&Value::Null)), 3, "another input is another call");
        assert_eq!(*understand(&call), 1);
    }
}
