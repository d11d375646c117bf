use crate::native::NativeHook;
use crate::{Condition, EventName, HookRef, Matcher, Mode, OnError};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long a hook may take when its configuration does not say (HOOK-120).
pub const DEFAULT_TIMEOUT: Duration = Duration::from_millis(60_000);

/// Who configured a hook. The order of the variants is the order in which hooks are planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigSource {
    /// Registered by the program that embeds the engine.
    Runtime,
    /// The settings of the folder the agent works in. They come with the repository, so they have the least authority.
    Project,
    /// The settings of the person who runs the agent.
    User,
    /// The settings of the machine, made by its administrator.
    System,
    /// Hooks that an installed extension or plugin brings along.
    Extensions,
}

impl ConfigSource {
    /// Whose word counts for more. What a lower authority says cannot weaken what a higher one wants.
    #[must_use]
    pub fn authority(self) -> u8 {
        match self {
            Self::Project => 0,
            Self::Extensions => 1,
            Self::User => 2,
            Self::System => 3,
            Self::Runtime => 4,
        }
    }

    /// The word for it in results, in the journal and in a hook's [`key`](HookRef::key).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runtime => "runtime",
            Self::Project => "project",
            Self::User => "user",
            Self::System => "system",
            Self::Extensions => "extensions",
        }
    }
}

/// Where exactly a hook is configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// A file, an extension's name, or a word for where else it came from.
    pub place: Arc<str>,
    /// 1-based line and column, when it was read from text.
    pub position: Option<(u32, u32)>,
}

impl Origin {
    /// A place, with the line and column in it if it was read from text.
    #[must_use]
    pub fn new(place: &str, position: Option<(u32, u32)>) -> Self {
        Self { place: place.into(), position }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        self.position.into_iter().flat_map(|(line, column)| [line, column]).try_for_each(|number| {
            f.write_str(":")?;
            f.write_str(&number.to_string())
        })
    }
}

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptAction {
    /// `$ARGUMENTS` in it stands for the event.
    pub prompt: String,
    /// Overrides the configured endpoint's model.
    pub model: Option<String>,
}

/// A web service that is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpAction {
    /// Where the event is sent, by POST.
    pub url: String,
    /// Names and values; values may refer to [`HttpAction::allowed_env`].
    pub headers: Vec<(String, String)>,
    /// Environment variables that may stand in headers (`$NAME`); no other one is sent.
    pub allowed_env: Vec<String>,
}

/// How a command is started, beyond its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CommandStart {
    /// The command is a program, and these are its arguments: no shell reads either.
    pub args: Option<Vec<String>>,
    /// What reads the command's text when there are no [`CommandStart::args`].
    pub shell: Shell,
    /// Variables for this command alone.
    pub env: Vec<(String, String)>,
}

/// Who reads the text of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shell {
    /// The system's usual one.
    #[default]
    System,
    /// `bash`, on every system.
    Bash,
    /// PowerShell, on every system.
    PowerShell,
}

/// In whose words a hook is told of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wording {
    /// The hook protocol's names of events, and the agent's own names of tools.
    #[default]
    Protocol,
    /// Claude Code's names of both.
    Claude,
}

/// What a hook does when its event happens.
#[derive(Clone, Debug)]
pub enum HookAction {
    /// A shell command that reads the event on stdin.
    Command {
        /// What the shell is given, or the program's name if there are [`CommandStart::args`].
        command: String,
    },
    /// Code of this process.
    Native(Arc<dyn NativeHook>),
    /// A model judges the event.
    Prompt(PromptAction),
    /// A web service judges the event.
    Http(HttpAction),
    /// Accepted in configuration files for a future that has not come; running it fails (HOOK-195). What it names is
    /// kept, because it may be enabled and disabled by it.
    Plugin {
        /// What the entry names in place of a command.
        command: String,
    },
}

impl HookAction {
    /// The word for the kind of hook, as configuration files spell it in `type`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Command { .. } => "command",
            Self::Native(_) => "native",
            Self::Prompt(_) => "prompt",
            Self::Http(_) => "http",
            Self::Plugin { .. } => "plugin",
        }
    }

    /// What makes two hooks the same hook: what they run, nothing else (HOOK-091).
    #[must_use]
    pub fn subject(&self) -> &str {
        match self {
            Self::Command { command } | Self::Plugin { command } => command,
            Self::Native(hook) => hook.id(),
            Self::Prompt(action) => &action.prompt,
            Self::Http(action) => &action.url,
        }
    }
}

/// One hook as it was configured for one event.
#[derive(Clone, Debug)]
pub struct HookEntry {
    /// The event it is asked about. A hook for several events has an entry for each.
    pub event: EventName,
    /// Which tools or triggers of the event it applies to.
    pub matcher: Matcher,
    /// What is done.
    pub action: HookAction,
    /// The name its author gave it, by which it is enabled and disabled.
    pub name: Option<String>,
    /// Who configured it, and so what it may weaken and what may weaken it.
    pub source: ConfigSource,
    /// Where it was configured, for diagnostics and for telling hooks of one name apart.
    pub origin: Origin,
    /// How long it may take. What runs longer is ended, and has failed.
    pub timeout: Duration,
    /// Hooks of the event run one after the other, each seeing what the one before it changed.
    pub sequential: bool,
    /// A disabled hook is registered and listed, and never planned.
    pub enabled: bool,
    /// What its failure decides.
    pub on_error: OnError,
    /// How seriously it is taken.
    pub mode: Mode,
    /// Is disabled for the rest of a session in which it keeps failing.
    pub breaker: bool,
    /// Applies only to calls that this describes.
    pub condition: Option<Condition>,
    /// Started and not waited for; it cannot decide anything.
    pub background: bool,
    /// Runs at most once a session.
    pub once: bool,
    /// How the command is started, if it is one.
    pub start: CommandStart,
    /// The names of events and tools it is told.
    pub wording: Wording,
    /// What an agent shows while the hook runs.
    pub status_message: Option<String>,
    /// At most so many characters of its context reach a model, if that is less than usual.
    pub context_limit: Option<usize>,
    /// Whether its allow is an approval that the agent is told of. Every other allow is no objection.
    pub approves: bool,
}

impl HookEntry {
    /// An enabled hook with every default.
    #[must_use]
    pub fn new(event: EventName, action: HookAction, source: ConfigSource) -> Self {
        Self {
            event,
            matcher: Matcher::all(),
            action,
            name: None,
            source,
            origin: Origin::new(source.as_str(), None),
            timeout: DEFAULT_TIMEOUT,
            sequential: false,
            enabled: true,
            on_error: OnError::default(),
            mode: Mode::default(),
            breaker: true,
            condition: None,
            background: false,
            once: false,
            start: CommandStart::default(),
            wording: Wording::default(),
            status_message: None,
            context_limit: None,
            approves: false,
        }
    }

    /// What people call this hook: its name, else what it runs.
    #[must_use]
    pub fn id(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.action.subject())
    }

    /// How this hook is named in results.
    #[must_use]
    pub fn reference(&self) -> HookRef {
        HookRef {
            id: self.id().into(),
            kind: self.action.kind(),
            source: self.source,
            origin: self.origin.clone(),
            on_error: self.on_error,
            mode: self.mode,
            breaker: self.breaker,
            context_limit: self.context_limit,
            approves: self.approves,
        }
    }

    /// What it does, and when beyond its matcher. Two hooks that agree in all of it are one hook configured twice.
    pub(crate) fn deed(&self) -> (&'static str, &str, &CommandStart, Option<&Condition>) {
        (self.action.kind(), self.action.subject(), &self.start, self.condition.as_ref())
    }

    /// Lays the stricter of two settings for failures and mode over this one.
    pub(crate) fn tighten(&mut self, other: &Self) {
        self.mode = self.mode.max(other.mode);
        self.on_error = self.on_error.stricter(other.on_error);
    }
}
