//! How an agent is run without a person, against a model on loopback: what `hookrail verify` and the developers' runs
//! need to know beyond the agent's protocol.
//!
//! Everything is text with placeholders, so that a row stays data:
//!
//! | placeholder | stands for |
//! |---|---|
//! | `{url}` | the model's base URL, without a slash at the end |
//! | `{home}`, `{project}` | the throw-away folders of the run |
//! | `{hookrail}` | the path of hookrail itself, which is also the MCP server of the run |
//! | `{prompt}` | what the user asks for |
//! | `{path}`, `{name}` | the file a canary writes: absolute, and from the project |
//! | `{text}` | what the canary writes into it; hooks refuse by this text |
//! | `{command}` | a shell command that writes the text into the file |

use crate::Scope;
use serde_json::Value;

/// A way in which an agent acts, or in which hooks act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Shell commands are refused.
    Shell,
    /// New files are refused.
    Write,
    /// Changes of files are refused.
    Edit,
    /// Patches are refused.
    Patch,
    /// Calls of MCP tools are refused.
    Mcp,
    /// What a sub-agent wants to do is refused.
    Subagent,
    /// Context of a prompt hook reaches the model.
    PromptContext,
    /// A rewritten input is what runs.
    Rewrite,
    /// A refused stop makes the agent go on.
    Stop,
    /// What a hook wants a person to be asked about does not run where no person can answer.
    Ask,
}

impl Surface {
    /// In the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Shell,
        Self::Write,
        Self::Edit,
        Self::Patch,
        Self::Mcp,
        Self::Subagent,
        Self::PromptContext,
        Self::Rewrite,
        Self::Stop,
        Self::Ask,
    ];

    /// The word for it on the command line and in results.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Patch => "patch",
            Self::Mcp => "mcp",
            Self::Subagent => "sub-agent",
            Self::PromptContext => "prompt-context",
            Self::Rewrite => "rewrite",
            Self::Stop => "stop",
            Self::Ask => "ask",
        }
    }
}

/// Where an agent's program comes from; the version is the one its row was last tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    Npm {
        name: &'static str,
        version: &'static str,
        /// Further packages, such as a newer Node.
        beside: &'static [&'static str],
    },
    PyPi {
        name: &'static str,
        version: &'static str,
        python: &'static str,
        /// Packages that may have another version than it asks for.
        unpinned: &'static [&'static str],
    },
    /// Neither registry has it.
    Elsewhere,
}

/// Calls the model makes one after the other; `{text}` stands in the one that matters. A call is a tool's name,
/// with `group/` before it where the agent keeps tools in groups, and its input as JSON.
pub type Calls = &'static [(&'static str, &'static str)];

/// A file to write before the agent starts, with its text. Relative paths are below home.
pub type SetupFile = (&'static str, &'static str);

/// What a run has to bring for an MCP server, besides what every run has.
#[derive(Clone, Copy, Debug)]
pub struct McpSetup {
    pub args: &'static [&'static str],
    /// A file with the path of one of [`Headless::files`] takes its place.
    pub files: &'static [SetupFile],
    pub calls: Calls,
}

/// How a sub-agent is started.
#[derive(Clone, Copy, Debug)]
pub struct SubagentSetup {
    /// It is told `{text}`.
    pub calls: Calls,
    /// The call with which it has to end, where its last words are not enough.
    pub end: Option<(&'static str, &'static str)>,
}

impl SubagentSetup {
    /// A sub-agent that ends when its model has nothing more to say.
    pub(crate) const fn of(calls: Calls) -> Self {
        Self { calls, end: None }
    }
}

/// How one agent is run.
#[derive(Debug)]
pub struct Headless {
    pub package: Package,
    pub args: &'static [&'static str],
    pub variables: &'static [(&'static str, &'static str)],
    pub files: &'static [SetupFile],
    /// Where `install` puts hookrail.
    pub scope: Scope,
    pub shell: Calls,
    /// Here and below, an error says why the agent has no such surface.
    pub write: Result<Calls, &'static str>,
    /// The file exists, with the text `before`.
    pub edit: Result<Calls, &'static str>,
    pub patch: Result<Calls, &'static str>,
    pub mcp: Result<McpSetup, &'static str>,
    pub subagent: Result<SubagentSetup, &'static str>,
    /// Of the surfaces that take no tool of their own, those it lacks and why.
    pub lacks: &'static [(Surface, &'static str)],
}

/// What is written for placeholders.
#[derive(Clone, Debug, Default)]
pub struct Filling<'a>(Vec<(&'static str, &'a str)>);

impl<'a> Filling<'a> {
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = (&'static str, &'a str)>) -> Self {
        Self(values.into_iter().collect())
    }

    /// A text with every placeholder replaced. What is put in is not read again.
    #[must_use]
    pub fn text(&self, template: &str) -> String {
        let mut text = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            let (before, after) = rest.split_at(at);
            text.push_str(before);
            let found = self.0.iter().find_map(|(name, value)| Some((after.strip_prefix(name)?, *value)));
            let Some((tail, value)) = found else {
                text.push('{');
                rest = after.get(1..).unwrap_or_default();
                continue;
            };
            text.push_str(value);
            rest = tail;
        }
        text + rest
    }

    /// The same for a file: values are escaped as inside a JSON or TOML string, which is where they stand.
    #[must_use]
    pub fn quoted(&self, template: &str) -> String {
        let escaped: Vec<(&'static str, String)> = self.0.iter().map(|(name, value)| (*name, inner(value))).collect();
        Filling(escaped.iter().map(|(name, value)| (*name, value.as_str())).collect()).text(template)
    }

    /// The input of a call.
    #[must_use]
    pub fn input(&self, template: &str) -> Value {
        let text = self.quoted(template);
        serde_json::from_str(&text).unwrap_or(Value::String(text))
    }
}

/// A text as it stands between the quotes of JSON.
fn inner(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

impl Headless {
    /// What it takes to try a surface with a tool; `Ok(None)` if any shell command will do.
    pub fn calls(&self, surface: Surface) -> Result<Option<Calls>, &'static str> {
        if let Some((_, why)) = self.lacks.iter().find(|(lacked, _)| *lacked == surface) {
            return Err(why);
        }
        match surface {
            Surface::Shell => Ok(Some(self.shell)),
            Surface::Write => self.write.map(Some),
            Surface::Edit => self.edit.map(Some),
            Surface::Patch => self.patch.map(Some),
            Surface::Mcp => self.mcp.map(|mcp| Some(mcp.calls)),
            Surface::Subagent => self.subagent.map(|subagent| Some(subagent.calls)),
            Surface::PromptContext | Surface::Rewrite | Surface::Stop | Surface::Ask => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents;
    use serde_json::json;

    #[test]
    fn placeholders_are_replaced_once_and_quoted_where_they_stand_in_a_string() {
        let filling = Filling::new([("{path}", r"C:\a"), ("{text}", "{path} \"x\"")]);
        assert_eq!(filling.text("a {path} {text} {other} {"), "a C:\\a {path} \"x\" {other} {");
        assert_eq!(filling.input(r#"{"p":"{path}","t":"{text}"}"#), json!({"p": r"C:\a", "t": "{path} \"x\""}));
        assert_eq!(filling.input(r#""+{text}\n""#), json!("+{path} \"x\"\n"));
    }

    #[test]
    fn every_row_can_be_played() {
        let filling = Filling::new(
            ["{path}", "{name}", "{text}", "{command}", "{url}", "{home}", "{project}", "{hookrail}", "{prompt}"]
                .map(|name| (name, "x")),
        );
        for agent in agents() {
            let Ok(headless) = agent.headless else { continue };
            assert!(!agent.program.is_empty(), "{}", agent.name);
            assert!(headless.args.iter().any(|arg| arg.contains("{prompt}")), "{}", agent.name);
            for surface in Surface::ALL {
                for (tool, input) in headless.calls(surface).ok().flatten().into_iter().flatten() {
                    let filled = filling.quoted(input);
                    assert!(serde_json::from_str::<Value>(&filled).is_ok(), "{} {tool}: {filled}", agent.name);
                }
            }
            for (file, text) in headless.files.iter().chain(headless.mcp.iter().flat_map(|mcp| mcp.files)) {
                let filled = filling.quoted(text);
                let is_json = serde_json::from_str::<Value>(&filled).is_ok();
                assert!(is_json || !file.ends_with(".json"), "{} {file}: {filled}", agent.name);
            }
        }
    }
}
