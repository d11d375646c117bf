//! How agents are told about hooks: facts for whoever writes or checks their configuration.

use crate::Env;
use hookrail_core::{EventName, MatcherStyle};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whose configuration a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The organisation's; users cannot change it.
    Managed,
    User,
    /// The project's, shared by all who work on it.
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

/// How much of a folder a location stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileExtent {
    File,
    /// Every `*.json` beside it as well; the file named is the one hookrail uses.
    Folder,
    /// Everything below the folder; no file is named.
    Tree,
}

/// What a file is to its agent, and to hookrail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// `install` writes here.
    Install,
    /// `install` writes here if the file holds hooks already and the one to install into does not exist: the agent reads
    /// this one only as long as there is no other.
    Fallback,
    /// The agent reads hooks here as well.
    Read,
    /// It holds no hooks, but decides whether they run: trust, approvals, extensions.
    Store,
}

/// One place an agent reads hooks from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookFile {
    pub scope: Scope,
    pub os: Os,
    pub base: Base,
    pub folder: &'static str,
    pub file: &'static str,
    /// The variable that, when set, takes the place of the base, and the folder below it.
    pub moved_by: Option<(&'static str, &'static str)>,
    pub reach: FileExtent,
    pub role: FileRole,
    /// The path of the events in this file, where it is not that of the agent's other files.
    pub hooks_at: Option<&'static [&'static str]>,
    /// The keys of a setting in this TOML file that `install` makes `true` beside entries of the same scope: without it a user
    /// could switch hooks off.
    pub switch: Option<&'static [&'static str]>,
    /// A variable of the user that names another file, which the agent reads in place of this one.
    pub replaced_by: Option<&'static str>,
}

impl HookFile {
    pub(crate) const fn new(scope: Scope, base: Base, folder: &'static str, file: &'static str) -> Self {
        let (os, reach, role) = (Os::Any, FileExtent::File, FileRole::Install);
        Self {
            scope,
            os,
            base,
            folder,
            file,
            moved_by: None,
            reach,
            role,
            hooks_at: None,
            switch: None,
            replaced_by: None,
        }
    }

    /// A folder of which everything counts.
    pub(crate) const fn tree(scope: Scope, base: Base, folder: &'static str) -> Self {
        let mut tree = Self::new(scope, base, folder, "");
        (tree.reach, tree.role) = (FileExtent::Tree, FileRole::Store);
        tree
    }

    pub(crate) const fn on(mut self, os: Os) -> Self {
        self.os = os;
        self
    }

    pub(crate) const fn moved_by(mut self, variable: &'static str) -> Self {
        self.moved_by = Some((variable, ""));
        self
    }

    pub(crate) const fn moved_into(mut self, variable: &'static str, folder: &'static str) -> Self {
        self.moved_by = Some((variable, folder));
        self
    }

    pub(crate) const fn only_read(mut self) -> Self {
        self.role = FileRole::Read;
        self
    }

    pub(crate) const fn fallback(mut self) -> Self {
        self.role = FileRole::Fallback;
        self
    }

    pub(crate) const fn store(mut self) -> Self {
        self.role = FileRole::Store;
        self
    }

    pub(crate) const fn hooks_at(mut self, path: &'static [&'static str]) -> Self {
        self.hooks_at = Some(path);
        self
    }

    pub(crate) const fn switch(mut self, keys: &'static [&'static str]) -> Self {
        self.switch = Some(keys);
        self
    }

    pub(crate) const fn replaced_by(mut self, variable: &'static str) -> Self {
        self.replaced_by = Some(variable);
        self
    }

    pub(crate) const fn among_others(mut self) -> Self {
        self.reach = FileExtent::Folder;
        self
    }

    /// Where the file is on this machine.
    #[must_use]
    pub fn locate(&self, home: &Path, project: &Path, env: Env<'_>) -> PathBuf {
        self.moved(env).unwrap_or_else(|| self.usual(home, project))
    }

    /// Where the file is unless a variable moves it.
    #[must_use]
    pub fn usual(&self, home: &Path, project: &Path) -> PathBuf {
        let base = match self.base {
            Base::Home => home,
            Base::Project => project,
            Base::Root => Path::new(""),
        };
        // One allocation and no parsing: every write of a session asks for all of these.
        let length = base.as_os_str().len() + self.folder.len() + self.file.len() + 2;
        let mut path = OsString::with_capacity(length);
        for part in [base.as_os_str(), OsStr::new(self.folder), OsStr::new(self.file)] {
            if !part.is_empty() && !path.is_empty() && path != "/" {
                path.push("/");
            }
            path.push(part);
        }
        PathBuf::from(path)
    }

    /// Where a variable moves the file, if it is set.
    #[must_use]
    pub fn moved(&self, env: Env<'_>) -> Option<PathBuf> {
        let (variable, below) = self.moved_by?;
        let folder = env(variable).filter(|folder| !folder.is_empty())?;
        Some(self.inside(if below.is_empty() { PathBuf::from(folder) } else { Path::new(&folder).join(below) }))
    }

    fn inside(&self, folder: PathBuf) -> PathBuf {
        if self.file.is_empty() { folder } else { folder.join(self.file) }
    }

    /// Whether the location is one of the system hookrail runs on.
    #[must_use]
    pub fn is_here(&self) -> bool {
        let here = if cfg!(windows) {
            Os::Windows
        } else if cfg!(target_os = "macos") {
            Os::MacOs
        } else {
            Os::Linux
        };
        self.os == Os::Any || self.os == here
    }
}

/// What a number in a `timeout` field counts (errata X4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutUnit {
    Seconds,
    Milliseconds,
    /// Seconds below a thousand, milliseconds from there on.
    SecondsOrMillis,
}

impl TimeoutUnit {
    #[must_use]
    pub fn read(self, number: u64) -> Duration {
        match self {
            Self::Seconds => Duration::from_secs(number),
            Self::SecondsOrMillis if number < 1000 => Duration::from_secs(number),
            Self::SecondsOrMillis => Duration::from_millis(number),
            Self::Milliseconds => Duration::from_millis(number),
        }
    }

    /// The number to write for a duration; never less time than wanted.
    #[must_use]
    pub fn write(self, duration: Duration) -> u64 {
        let unit = match self {
            Self::Seconds => 1_000_000_000,
            Self::SecondsOrMillis if duration < Duration::from_secs(1000) => 1_000_000_000,
            Self::SecondsOrMillis => 1_000_000,
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
    /// A glob, or a regular expression behind `re:`; either must match the whole name.
    Glob,
    /// Not at all: every hook of the event runs.
    Ignored,
}

impl MatcherSyntax {
    /// The reading of hookrail's own matchers that comes closest.
    #[must_use]
    pub fn style(self) -> MatcherStyle {
        match self {
            Self::Names => MatcherStyle::Names,
            Self::Pattern | Self::Anchored | Self::Glob | Self::Ignored => MatcherStyle::Pattern,
        }
    }
}

/// How hooks are written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Below an event's name: `[{"matcher": …, "hooks": [{"type": "command", …}]}]`
    Groups,
    /// Below an event's name: `[{"type": "command", …, "matcher": …}]`
    Flat,
    /// TOML: `[[hooks]]` tables that name their event themselves.
    Tables(TableKeys),
    /// One executable per event in the folder, named after the event.
    Scripts,
    /// A JavaScript module that hookrail writes whole.
    Module,
}

impl Layout {
    /// The key under which an entry names its event; empty where events are keys themselves.
    #[must_use]
    pub fn event_key(self) -> &'static str {
        match self {
            Self::Tables(keys) => keys.event,
            Self::Groups | Self::Flat | Self::Scripts | Self::Module => "",
        }
    }
}

/// The keys of a `[[hooks]]` table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableKeys {
    pub event: &'static str,
    pub matcher: &'static str,
    /// Each table needs a name of its own under this key.
    pub name: Option<&'static str>,
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
    /// Nothing: the agent runs what it finds.
    None,
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
    /// Root fields that the managed file must have so that a user's settings cannot switch its hooks off, as JSON. What an
    /// administrator wrote there stays.
    pub managed_fields: &'static [(&'static str, &'static str)],
    /// Root fields a file may have; `None` if others do no harm.
    pub root_allows: Option<&'static [&'static str]>,
    /// The field of an entry that holds the command line.
    pub command_key: &'static str,
    /// The field of an entry that limits its time; `None` if the agent has none.
    pub timeout_key: Option<&'static str>,
    /// Of command hooks.
    pub timeout_unit: TimeoutUnit,
    pub default_timeout: Duration,
    pub event_timeouts: &'static [EventTimeout],
    pub matcher: MatcherSyntax,
    pub unknown_event: UnknownEvent,
    pub gate: Gate,
}

impl HookFormat {
    /// What most agents have in common; a row says where its files are, what a matcher is and how long a hook may take.
    pub(crate) const PLAIN: Self = Self {
        files: &[],
        hooks_at: &["hooks"],
        layout: Layout::Groups,
        root_fields: &[],
        managed_fields: &[],
        root_allows: None,
        command_key: "command",
        timeout_key: Some("timeout"),
        timeout_unit: TimeoutUnit::Seconds,
        default_timeout: Duration::from_secs(60),
        event_timeouts: &[],
        matcher: MatcherSyntax::Names,
        unknown_event: UnknownEvent::Skipped,
        gate: Gate::None,
    };

    /// The locations that hold on this system.
    pub fn files_here(&self) -> impl Iterator<Item = &'static HookFile> {
        self.files.iter().filter(|file| file.is_here())
    }

    /// The path of the events in a file of this agent.
    #[must_use]
    pub fn hooks_in(&self, file: &Path) -> &'static [&'static str] {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let own = self.files.iter().find(|known| known.file == name && known.hooks_at.is_some());
        own.and_then(|file| file.hooks_at).unwrap_or(self.hooks_at)
    }

    /// How long a hook of an event may take when its entry does not say.
    #[must_use]
    pub fn timeout_of(&self, event: &EventName) -> Duration {
        self.event_timeouts.iter().find(|special| special.event == *event).map_or(self.default_timeout, |it| it.default)
    }
}
