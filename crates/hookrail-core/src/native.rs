//! Hooks that are code of this process, and [`World`], through which alone they see the machine.

use crate::{Decision, Event, EventName, Failure, HookOutput, InputRewrite, Mode, OnError, Rewrite};
use serde_json::{Map, Value};
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A hook written in Rust. It decides from the event and the [`World`] alone, so it can be tested without a machine.
pub trait NativeHook: Debug + Send + Sync {
    /// `pack/name`, unique.
    fn id(&self) -> &str;

    /// The events it wants to see.
    fn events(&self) -> &[EventName];

    /// Looks at an event. An `Err` is not an opinion: [`HookProfile::on_error`] decides.
    fn check(&self, event: &Event, world: &dyn World) -> Result<Outcome, HookError>;

    /// Whether it applies to an event. Where it does not, it is not even planned.
    fn concerns(&self, _event: &Event) -> bool {
        true
    }

    /// Whether the configuration leaves it anything to look for at an event that concerns it. Where it does not, it is not
    /// planned, and leaves no record.
    fn has_work(&self, _event: &Event, _world: &dyn World) -> bool {
        true
    }

    /// What the engine has to know about it besides its name and its events.
    fn profile(&self) -> HookProfile {
        HookProfile::DEFAULT
    }
}

/// How the engine runs a native hook, unless configuration says otherwise. A hook states what differs from
/// [`HookProfile::DEFAULT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookProfile {
    /// Whether it may have to wait for others, for a lock, a process or a model, so that a clock must run meanwhile. A hook
    /// that looks at the event and reads files has nothing to wait for.
    pub may_wait: bool,
    /// Whether all it ever waits for are locks. That ends by itself before the hook's deadline, so no clock has to run meanwhile.
    pub waits_for_locks_only: bool,
    /// How long it may take when no configuration says so, if it is one that waits for others. Most are quick or broken.
    pub timeout: Option<Duration>,
    /// The mode that applies when no configuration mentions the hook, if it is not its pack's.
    pub default_mode: Option<Mode>,
    /// Whether it is a preview: new, and off unless a configuration or a command line names the hook itself. Enabling its pack
    /// does not enable it, so that it can be added without a change to what users have.
    pub is_preview: bool,
    /// Whether it is disabled for the rest of the session when it keeps failing, and its user is told so. A hook that promises
    /// silence whatever is broken says no, and is asked again every time.
    pub has_breaker: bool,
    /// What happens when [`NativeHook::check`] fails, panics or takes too long, unless configuration says otherwise.
    pub on_error: OnError,
}

impl HookProfile {
    /// May wait, for as long as any native hook may; in the mode of its pack, with a breaker, and without an opinion when it
    /// fails.
    pub const DEFAULT: Self = Self {
        may_wait: true,
        waits_for_locks_only: false,
        timeout: None,
        default_mode: None,
        is_preview: false,
        has_breaker: true,
        on_error: OnError::Allow,
    };
}

/// Why a native hook could not decide, for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct HookError {
    text: String,
    blames_machine: bool,
}

impl HookError {
    /// The hook could not do its work.
    #[must_use]
    pub fn new(why: impl Into<String>) -> Self {
        Self { text: why.into(), blames_machine: false }
    }

    /// The machine was in the way and not the hook: a full disk, or another process that held a lock for too long. It is
    /// followed by the hook's `on_error` like any other, but says nothing about the hook.
    #[must_use]
    pub fn of_machine(why: impl Into<String>) -> Self {
        Self { text: why.into(), blames_machine: true }
    }

    /// Why it could not decide.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the machine was in the way, and not the hook.
    #[must_use]
    pub fn blames_machine(&self) -> bool {
        self.blames_machine
    }

    /// The same error in other words.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self }
    }
}

/// What the engine makes of a hook that could not decide.
impl From<HookError> for Failure {
    fn from(error: HookError) -> Self {
        if error.blames_machine { Self::Machine(error.text) } else { Self::Error(error.text) }
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// Anything else: a socket, a pipe, a device.
    Other,
}

/// What became of a file that was to get another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relocation {
    /// The file has its new name, and only that.
    Done,
    /// Something stands at the new name already; nothing changed.
    Taken,
    /// There is no such file; nothing changed.
    Gone,
}

/// What tells a file from what it was before, without reading it. A file that was written to has another one, unless both
/// happened in the same moment of the file system's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileStamp {
    /// There is no such file.
    Absent,
    /// There is one.
    Present {
        /// Which file it is.
        identity: (u64, u64),
        /// How many bytes it has.
        size: u64,
        /// When it was last written to, in nanoseconds since 1970.
        modified: i64,
        /// When it was last changed in any way, which cannot be set, in nanoseconds since 1970.
        changed: i64,
    },
}

/// What looks at the lines of a file, until it has seen enough.
pub type SeeLine<'a> = dyn FnMut(&[u8]) -> ControlFlow<()> + 'a;

/// Something held until it is dropped.
pub type Held = Box<dyn Send>;

/// The machine, as native hooks may see it: the only access to files, environment, clock, configuration and memory. Paths
/// are absolute; a hook joins relative ones with the event's directory.
pub trait World: Send + Sync {
    /// An event begins. A world that lasts for many events forgets where links led before.
    fn begin_event(&self) {}

    /// A file's bytes; `None` if there is no such file.
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError>;

    /// A part of a file, as much of it as there is, and how large the file is; `None` if there is no such file. For files that
    /// are too large to be read for one line of them.
    fn read_part(&self, path: &Path, start: u64, length: usize) -> Result<Option<(Vec<u8>, u64)>, HookError> {
        let Some(bytes) = self.read(path)? else { return Ok(None) };
        let part = bytes.iter().skip(usize::try_from(start).unwrap_or(usize::MAX)).take(length).copied().collect();
        Ok(Some((part, bytes.len() as u64)))
    }

    /// Shows the lines of a file, the last one first and without their line breaks, until `see` wants no more or the last `most`
    /// bytes were shown. `false` if there is no such file. For files that grow for as long as a session lasts.
    fn lines_from_end(&self, path: &Path, most: u64, see: &mut SeeLine<'_>) -> Result<bool, HookError> {
        let Some(bytes) = self.read(path)? else { return Ok(false) };
        let first = bytes.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
        let shown = bytes.get(first..).unwrap_or_default();
        // The first one may be the end of a line.
        let lines: Vec<&[u8]> = shown.split(|byte| *byte == b'\n').skip(usize::from(first > 0)).collect();
        let _ = lines.into_iter().rev().try_for_each(see);
        Ok(true)
    }

    /// What stands at a path itself, links not followed; `None` if there is nothing.
    fn kind(&self, path: &Path) -> Result<Option<FileKind>, HookError>;

    /// The same as it was when this event first looked at the path: whoever follows a call asks more than once.
    fn kind_when_seen(&self, path: &Path) -> Option<FileKind> {
        self.kind(path).ok().flatten()
    }

    /// How many folders above `folder` the nearest one is in which something of one of these names stands; 0 is `folder` itself.
    fn nearest_with(&self, folder: &Path, names: &[&str]) -> Option<usize> {
        let has = |folder: &Path, name: &str| self.kind(&folder.join(name)).ok().flatten().is_some();
        folder.ancestors().position(|folder| names.iter().any(|name| has(folder, name)))
    }

    /// The names in a folder, sorted; `None` if there is no such folder.
    fn list(&self, folder: &Path) -> Result<Option<Vec<String>>, HookError>;

    /// The names in a folder with what stands there, links not followed. A world that learns both at once says so at once.
    fn list_kinds(&self, folder: &Path) -> Result<Option<Vec<(String, FileKind)>>, HookError> {
        let Some(names) = self.list(folder)? else { return Ok(None) };
        let kind = |name: String| {
            let kind = self.kind(&folder.join(&name)).ok().flatten().unwrap_or(FileKind::Other);
            (name, kind)
        };
        Ok(Some(names.into_iter().map(kind).collect()))
    }

    /// When a file was last changed, in milliseconds since 1970.
    fn modified_millis(&self, path: &Path) -> Result<Option<i64>, HookError>;

    /// What tells whether a file changed since it was last looked at, links followed; `None` if this world cannot tell.
    fn stamp(&self, _path: &Path) -> Option<FileStamp> {
        None
    }

    /// Replaces a file's content whole or not at all, making folders as needed. A link in its place is refused.
    fn write(&self, path: &Path, content: &[u8]) -> Result<(), HookError>;

    /// Writes a new file that others may read, as agents write theirs, and does not wait for the disk. It is not there whole or
    /// not at all: it is for drafts that are moved to their place afterwards.
    fn write_draft(&self, path: &Path, content: &[u8]) -> Result<(), HookError> {
        self.write(path, content)
    }

    /// Adds to the end of a file, making it and its folders as needed. A link in its place is refused.
    fn append(&self, path: &Path, text: &str) -> Result<(), HookError>;

    /// Removes a file; fine if there is none.
    fn remove(&self, path: &Path) -> Result<(), HookError>;

    /// Gives a file another name on the same disk, whole or not at all. What stands there already is never replaced.
    fn relocate(&self, from: &Path, to: &Path) -> Result<Relocation, HookError>;

    /// Makes a folder and those above it; fine if it is there.
    fn make_folder(&self, folder: &Path) -> Result<(), HookError>;

    /// Removes an empty folder; fine if there is none.
    fn remove_folder(&self, folder: &Path) -> Result<(), HookError>;

    /// Waits, for a bounded time, until no other process holds an existing file or folder in this way, and then holds it.
    fn lock(&self, path: &Path) -> Result<Held, HookError>;

    /// A path with symlinks and `..` resolved as far as it exists; the rest is kept literally.
    fn resolve(&self, path: &Path) -> PathBuf;

    /// The project around a folder, which `find` looks for. A world of one event looks once.
    fn project_around(&self, _folder: &Path, find: &dyn Fn() -> PathBuf) -> PathBuf {
        find()
    }

    /// Which file it is, for a regular file that has several names (hard links); `None` for every other.
    fn shared_identity(&self, _path: &Path) -> Option<(u64, u64)> {
        None
    }

    /// A variable of the environment that the agent gave its hooks; `None` if it is not set or not text.
    fn env(&self, name: &str) -> Option<String>;

    /// What git prints when it is asked in a folder, without a shell and for a bounded time; `None` if it exits with an
    /// error. Only for questions: hooks change no repository.
    fn git(&self, _folder: &Path, _args: &[&str]) -> Result<Option<String>, HookError> {
        Err(HookError::new("git cannot be asked here".to_owned()))
    }

    /// What the user's model thinks of an event; `None` if there is none to ask.
    fn ask_model(&self, _prompt: &str, _event: &Event) -> Result<Option<HookOutput>, HookError> {
        Ok(None)
    }

    /// Milliseconds since 1970, UTC.
    fn now_millis(&self) -> i64;

    /// The local date, as `2026-12-31`. If the time zone is unknown, that of UTC.
    fn today(&self) -> String {
        utc_date(self.now_millis())
    }

    /// A table of the user's configuration, such as `[isdlc]`.
    fn settings(&self, section: &str) -> Option<&Value>;

    /// The program that this is, if hooks of an agent depend on it.
    fn own_program(&self) -> Option<PathBuf>;

    /// Where hookrail keeps what it remembers, for hooks with files of their own.
    fn state_folder(&self) -> Option<PathBuf>;

    /// What a hook remembers of this session under `key`.
    fn recall(&self, key: &str) -> Result<Option<Value>, HookError>;

    /// Changes what a hook remembers of this session, undisturbed by others who do the same, and returns the new value.
    /// `None` forgets it.
    fn remember(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Option<Value>,
    ) -> Result<Option<Value>, HookError>;
}

/// What a native hook thinks, built up piece by piece. The default is silence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    output: Option<HookOutput>,
    record: Map<String, Value>,
}

impl From<HookOutput> for Outcome {
    fn from(output: HookOutput) -> Self {
        Self { output: Some(output), record: Map::new() }
    }
}

impl Outcome {
    /// No opinion.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// The operation must not happen.
    #[must_use]
    pub fn deny(reason: &str) -> Self {
        HookOutput::decide(Decision::Block, reason).into()
    }

    /// A person should confirm.
    #[must_use]
    pub fn ask(reason: &str) -> Self {
        HookOutput::decide(Decision::Ask, reason).into()
    }

    /// No confirmation is needed. Only the answer of a hook that may approve reaches the agent.
    #[must_use]
    pub fn allow(reason: &str) -> Self {
        HookOutput::decide(Decision::Allow, reason).into()
    }

    /// The agent must not go on.
    #[must_use]
    pub fn stop(reason: &str) -> Self {
        HookOutput::decide(Decision::Stop, reason).into()
    }

    /// Adds text for the model.
    #[must_use]
    pub fn with_context(self, text: &str) -> Self {
        self.with(|output| output.context = Some(text.to_owned()))
    }

    /// Adds text for the user.
    #[must_use]
    pub fn with_message(self, text: &str) -> Self {
        self.with(|output| output.message = (!text.is_empty()).then(|| text.to_owned()))
    }

    /// Changes these arguments of the tool call.
    #[must_use]
    pub fn with_tool_input(self, changes: Map<String, Value>) -> Self {
        let input = InputRewrite { fields: changes, whole: false };
        self.with(|output| output.rewrite = Rewrite::ToolCall { input: Some(input) })
    }

    /// Gives the model another output of the tool.
    #[must_use]
    pub fn with_tool_output(self, output: Value) -> Self {
        self.with(|said| {
            said.rewrite = Rewrite::ToolResult { output: Some(output), mcp_output: None, tail_call: None };
        })
    }

    /// Adds fields for the journal.
    #[must_use]
    pub fn with_record(mut self, record: Map<String, Value>) -> Self {
        self.record = record;
        self
    }

    fn with(mut self, change: impl FnOnce(&mut HookOutput)) -> Self {
        change(self.output.get_or_insert_default());
        self
    }

    /// What is merged with the outputs of other hooks; `None` if the hook has nothing to say.
    #[must_use]
    pub fn into_output(self) -> Option<HookOutput> {
        self.output
    }

    /// What was said, and what the journal is told beside it.
    #[must_use]
    pub fn into_parts(self) -> (Option<HookOutput>, Map<String, Value>) {
        (self.output, self.record)
    }
}

/// The date in UTC of a time in milliseconds since 1970.
fn utc_date(millis: i64) -> String {
    // Years are counted from March, so that a leap day is the last one; 400 years have 146,097 days.
    let days = millis.div_euclid(86_400_000) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Native hooks that belong together and are switched on together.
pub trait HookPack: Debug + Sync {
    /// The word before the slash in the ids of its hooks.
    fn name(&self) -> &'static str;

    /// The mode that applies when no configuration mentions the pack.
    fn default_mode(&self) -> Mode;

    /// Its hooks, in the order in which they are planned.
    fn hooks(&self) -> &'static [&'static dyn NativeHook];

    /// Whether what comes with a project must leave its hooks as they are.
    fn is_firm(&self) -> bool {
        false
    }

    /// After how many failures in a row its hooks are disabled for the session, if its own configuration says so. Asked when
    /// one has failed.
    fn breaker_threshold(&self, _event: &Event, _world: &dyn World) -> Option<u32> {
        None
    }

    /// Finishes what an earlier process of the session left half done. Called at every event of every session, whatever is
    /// selected or switched off, before anything else happens: if there is nothing to finish it must cost next to nothing.
    fn recover(&self, _event: &Event, _world: &dyn World) -> Result<(), HookError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::utc_date;

    #[test]
    fn a_time_has_its_date() {
        for (millis, date) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400_000, "2000-02-29"),
            (1_798_761_599_999, "2026-12-31"),
            (1_798_761_600_000, "2027-01-01"),
        ] {
            assert_eq!(utc_date(millis), date);
        }
    }
}
