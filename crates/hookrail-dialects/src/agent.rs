//! One row per agent: everything hookrail knows about it besides how it speaks.
//!
//! `install`, `validate`, `doctor`, the guard of protected files and the book read these rows, so that a fact about an
//! agent stands in one place: the agent's file below `agents/`.

use crate::agents::{agents, dialect};
use crate::headless::Headless;
use crate::tool_table::{McpNames, ToolTable};
use crate::{Dialect, FileRole, HookFormat, Scope, ToolClass};
use hookrail_core::{EventName, MatcherStyle};

/// What an event's `matcher` is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The name of a tool.
    Tool,
    /// One of these words; a matcher may be a pattern over them.
    Words(&'static [&'static str]),
    /// One of these words, by equality.
    ExactWords(&'static [&'static str]),
    /// A name that cannot be listed, such as that of a subagent.
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

impl HookType {
    /// A command line, and nothing else.
    const COMMAND: Self = Self { name: "command", needs: &["command"], takes: &[], not_on: Some(&[]) };
}

/// What a file may have beyond plain JSON; measured on the real agents where they could be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JsonStyle {
    pub comments: bool,
    pub trailing_commas: bool,
    pub byte_order_mark: bool,
}

impl JsonStyle {
    /// Nothing but JSON.
    pub(crate) const PLAIN: Self = Self { comments: false, trailing_commas: false, byte_order_mark: false };
    /// Comments, but not the rest.
    pub(crate) const COMMENTED: Self = Self { comments: true, ..Self::PLAIN };
    /// Everything that is commonly called JSONC.
    pub(crate) const LOOSE: Self = Self { comments: true, trailing_commas: true, byte_order_mark: true };
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

impl Hearing {
    /// Only exit code 2, with a reason on stderr.
    pub(crate) const NOTHING: Self = Self {
        permission_decision: false,
        decisions: &[],
        silent_exit_two: false,
        reason_on_stdout: false,
        strict: false,
        cuts_endless_stop: false,
    };
}

/// What an agent says about the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// `stop_hook_active` is true when a stop was refused before.
    Told,
    /// It does not say whether a stop was refused before.
    Untold,
    /// Nor does it say whether it is the end: the event comes after every answer of the model, also while tool calls wait.
    EveryAnswer,
}

/// The row of an agent.
#[derive(Debug)]
pub struct Agent {
    /// What `--agent` calls it.
    pub name: &'static str,
    /// Other names people give it on a command line.
    pub aliases: &'static [&'static str],
    /// As its makers call it.
    pub title: &'static str,
    /// The program it is started with; empty for one that lives in an editor.
    pub program: &'static str,
    pub format: HookFormat,
    pub json: JsonStyle,
    /// Its kinds of hooks; the first is the one a hook without `type` has, where `type` may be left out.
    pub types: &'static [HookType],
    /// Whether a hook may leave out its `type`.
    pub type_optional: bool,
    /// Fields every hook may have.
    pub hook_keys: &'static [&'static str],
    pub group_keys: &'static [&'static str],
    /// Keys beside the events that are no events.
    pub beside_events: &'static [&'static str],
    pub targets: &'static [(&'static str, Target)],
    pub(crate) tools: &'static ToolTable,
    /// Built-in tools whose calls tell nothing that a guard must know.
    pub other_tools: &'static [&'static str],
    /// Words that are no tool's name but that matchers understand, and the tool they select.
    pub tool_aliases: &'static [(&'static str, &'static str)],
    /// Variables that name the project's folder for a hook.
    pub project_variables: &'static [&'static str],
    pub hearing: Hearing,
    pub turn_end: TurnEnd,
    /// How it is run without a person; an error says why that cannot be done.
    pub headless: Result<&'static Headless, &'static str>,
    /// What a person has to do before the agent runs hooks, in whole sentences.
    pub consent: &'static [&'static str],
}

impl Agent {
    /// What most agents have in common. A row names itself, its files and its tools over it, and what is different.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        aliases: &[],
        title: "",
        program: "",
        format: HookFormat::PLAIN,
        json: JsonStyle::PLAIN,
        types: &[HookType::COMMAND],
        type_optional: false,
        hook_keys: &["type", "timeout"],
        group_keys: &["matcher", "hooks"],
        beside_events: &[],
        targets: &[],
        tools: &ToolTable { tools: &[], mcp: McpNames::Unknown },
        other_tools: &[],
        tool_aliases: &[],
        project_variables: &[],
        hearing: Hearing::NOTHING,
        turn_end: TurnEnd::Told,
        headless: Err("hookrail does not know yet how to lead it to a scripted model"),
        consent: &[],
    };

    /// The dialect of this agent. Every row is reached through its dialect, so there always is one.
    #[must_use]
    pub fn dialect(&self) -> Option<&'static dyn Dialect> {
        dialect(self.name)
    }

    /// hookrail's name for what the agent calls `native`.
    #[must_use]
    pub fn event(&self, native: &str) -> Option<EventName> {
        self.dialect()?.event(native)
    }

    #[must_use]
    pub fn target(&self, event: &str) -> Target {
        self.targets.iter().find(|(name, _)| *name == event).map_or(Target::Name, |(_, target)| *target)
    }

    /// Every built-in tool.
    pub fn tool_names(&self) -> impl Iterator<Item = &'static str> {
        self.tools.tools.iter().map(|(name, _)| *name).chain(self.other_tools.iter().copied())
    }

    /// The tools of one class.
    #[must_use]
    pub fn tools_of(&self, class: ToolClass) -> Vec<&'static str> {
        self.tools.names(class)
    }

    #[must_use]
    pub fn mcp(&self) -> McpNames {
        self.tools.mcp
    }

    #[must_use]
    pub fn matcher_style(&self) -> MatcherStyle {
        self.format.matcher.style()
    }

    #[must_use]
    pub fn hook_type(&self, name: &str) -> Option<&HookType> {
        self.types.iter().find(|kind| kind.name == name)
    }

    /// Other agents that read the very file `install` writes for this one.
    pub fn sharers(&self) -> impl Iterator<Item = &'static Self> {
        let files = |agent: &Self| {
            let own = agent.format.files.iter().filter(|file| file.role == FileRole::Install);
            own.filter(|file| file.scope == Scope::Project).map(|file| (file.folder, file.file)).collect::<Vec<_>>()
        };
        let (own, name) = (files(self), self.name);
        agents().filter(move |other| other.name != name && files(other).iter().any(|file| own.contains(file)))
    }

    /// What tells where a turn begins and whether it goes on, if the event of its end does not.
    pub(crate) fn turn_companions(&self, event: &EventName) -> &'static [EventName] {
        match (event, self.turn_end) {
            (EventName::AfterAgent, TurnEnd::EveryAnswer) => &[EventName::BeforeAgent, EventName::AfterModel],
            (EventName::AfterAgent, TurnEnd::Untold) => &[EventName::BeforeAgent],
            _ => &[],
        }
    }

    /// Whether a person means this agent by a name.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}
