use serde_json::Value;

/// What a tool call does, whatever the agent calls the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolKind {
    Shell {
        command: String,
        cwd: Option<String>,
    },
    Write {
        path: String,
        content: String,
    },
    /// Changes files in place; a patch may name several.
    Edit {
        paths: Vec<String>,
    },
    Read {
        path: String,
    },
    WebFetch {
        url: String,
    },
    Mcp {
        server: String,
        tool: String,
    },
    Subagent {
        agent: String,
        prompt: String,
    },
    Skill {
        name: String,
    },
    AskUser {
        questions: Vec<String>,
    },
    Other,
}

/// One call of a tool: the agent's own spelling next to what hookrail understood of it.
#[derive(Clone, Debug)]
pub struct ToolCall {
    pub name: String,
    pub kind: ToolKind,
    /// How this agent's tools are read; kept because a hook may rewrite the input, and the kind must follow.
    classify: fn(&str, &Value) -> ToolKind,
}

impl ToolCall {
    /// A call of a tool whose agent can be read with `classify`.
    #[must_use]
    pub fn new(name: impl Into<String>, input: &Value, classify: fn(&str, &Value) -> ToolKind) -> Self {
        let name = name.into();
        let kind = classify(&name, input);
        Self { name, kind, classify }
    }

    /// A call of a tool hookrail knows nothing about.
    #[must_use]
    pub fn opaque(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: ToolKind::Other, classify: |_, _| ToolKind::Other }
    }

    /// The same call with another input.
    #[must_use]
    pub fn with_input(&self, input: &Value) -> Self {
        Self { name: self.name.clone(), kind: (self.classify)(&self.name, input), classify: self.classify }
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
