//! How agents are told about hooks: facts for whoever writes or checks their configuration.

use crate::Env;
use hookrail_core::EventName;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whose configuration a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The organisation's; users cannot change it.
    Managed,
    User,
    /// The project's, shared by everybody who works on it.
    Project,
    /// The project's, but only for one user; not committed.
    Local,
}

/// The systems a location holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Os {
    Any,
    Linux,
    MacOs,
    Windows,
}

/// What a location is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Home,
    Project,
    Root,
}

/// Whether an agent reads one file of a folder or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    File,
    /// Every `*.json` beside it as well; the file named is the one hookrail uses.
    Folder,
}

/// One place an agent reads hooks from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookFile {
    pub scope: Scope,
    pub os: Os,
    pub base: Base,
    pub folder: &'static str,
    pub file: &'static str,
    /// The variable that, when set, takes the place of base and folder.
    pub moved_by: Option<&'static str>,
    pub reach: Reach,
}

impl HookFile {
    pub(crate) const fn new(scope: Scope, base: Base, folder: &'static str, file: &'static str) -> Self {
        Self { scope, os: Os::Any, base, folder, file, moved_by: None, reach: Reach::File }
    }

    pub(crate) const fn on(mut self, os: Os) -> Self {
        self.os = os;
        self
    }

    pub(crate) const fn moved_by(mut self, variable: &'static str) -> Self {
        self.moved_by = Some(variable);
        self
    }

    pub(crate) const fn among_others(mut self) -> Self {
        self.reach = Reach::Folder;
        self
    }

    /// Where the file is on this machine.
    #[must_use]
    pub fn locate(&self, home: &Path, project: &Path, env: Env<'_>) -> PathBuf {
        if let Some(folder) = self.moved_by.and_then(env).filter(|folder| !folder.is_empty()) {
            return Path::new(&folder).join(self.file);
        }
        let folder = match self.base {
            Base::Home => home.join(self.folder),
            Base::Project => project.join(self.folder),
            Base::Root => PathBuf::from(self.folder),
        };
        folder.join(self.file)
    }
}

/// What a number in a `timeout` field counts (errata X4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutUnit {
    Seconds,
    Milliseconds,
}

impl TimeoutUnit {
    #[must_use]
    pub fn read(self, number: u64) -> Duration {
        match self {
            Self::Seconds => Duration::from_secs(number),
            Self::Milliseconds => Duration::from_millis(number),
        }
    }

    /// The number to write for a duration; never less time than wanted.
    #[must_use]
    pub fn write(self, duration: Duration) -> u64 {
        let unit = match self {
            Self::Seconds => 1_000_000_000,
            Self::Milliseconds => 1_000_000,
        };
        u64::try_from(duration.as_nanos().div_ceil(unit)).unwrap_or(u64::MAX)
    }
}

/// How an agent reads a `matcher` (errata X6). Missing, empty and `*` match everything everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatcherSyntax {
    /// Names, or lists of names, are exact; anything else is an unanchored regular expression.
    Names,
    /// An unanchored regular expression, always.
    Pattern,
    /// A regular expression that must match the whole name.
    Anchored,
    /// Not at all: every hook of the event runs.
    Ignored,
}

/// How hooks are written below an event's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `[{"matcher": …, "hooks": [{"type": "command", …}]}]`
    Groups,
    /// `[{"type": "command", …, "matcher": …}]`
    Flat,
}

/// What an agent makes of an event name it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownEvent {
    Skipped,
    /// No hook of the file runs.
    RejectsFile,
}

/// An event whose hooks get another time limit than the agent's default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTimeout {
    pub event: EventName,
    pub default: Duration,
    /// More than this is not granted.
    pub at_most: Option<Duration>,
}

/// What has to happen before an agent runs hooks it finds in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The user trusts the folder, once.
    TrustedFolder,
    /// The user approves each hook in the agent with this command, again after each change.
    Approval(&'static str),
    /// The folder is trusted and this setting is `true`, which it is not by default.
    Setting(&'static [&'static str]),
}

/// One agent's hook configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFormat {
    /// From the most to the least general scope.
    pub files: &'static [HookFile],
    /// The path of the object that maps event names to hooks.
    pub hooks_at: &'static [&'static str],
    pub layout: Layout,
    /// Root fields a file must have, with their value.
    pub root_fields: &'static [(&'static str, u64)],
    /// Root fields a file may have; `None` if others do no harm.
    pub root_allows: Option<&'static [&'static str]>,
    /// The field of an entry that holds the command line.
    pub command_key: &'static str,
    /// The field of an entry that limits its time.
    pub timeout_key: &'static str,
    /// Of command hooks.
    pub timeout_unit: TimeoutUnit,
    pub default_timeout: Duration,
    pub event_timeouts: &'static [EventTimeout],
    pub matcher: MatcherSyntax,
    pub unknown_event: UnknownEvent,
    pub gate: Gate,
}

impl HookFormat {
    /// How long a hook of an event may take when its entry does not say.
    #[must_use]
    pub fn timeout_of(&self, event: &EventName) -> Duration {
        self.event_timeouts.iter().find(|special| special.event == *event).map_or(self.default_timeout, |it| it.default)
    }
}
