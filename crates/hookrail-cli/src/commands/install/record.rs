//! What was installed where.

use super::change::{ours, settings_for};
use super::merge::{KeyPath, Merger};
use super::settings_file::SettingsFile;
use super::switch::RecordedSwitch;
use super::target::Target;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::{Held, World};
use hookrail_dialects::{Dialect, Env, Scope};
use hookrail_engine::layers::Settings;
use hookrail_lint::Source;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One installation of hookrail into a file of an agent, kept in the state directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallRecord {
    pub agent: String,
    /// As [`scope_word`] has it.
    pub scope: String,
    /// The file in which the agent looks.
    pub file: PathBuf,
    /// For the scopes `project` and `local`.
    pub project: Option<PathBuf>,
    /// What the agent runs.
    pub command: String,
    /// The file behind that command when it was installed; `None` if it was not on the `PATH` then.
    pub binary: Option<PathBuf>,
    /// Packs that were asked for; empty for what `hookrail.toml` enables.
    pub packs: Vec<String>,
    /// Which model of the agent verifies tasks in place of hookrail, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<String>,
    /// What was written.
    pub entries: Vec<RecordedEntry>,
    /// Of the whole file as install left it.
    pub hash: String,
    /// What uninstall puts back; `None` if there was no file.
    pub before: Option<String>,
    /// Places in the file that were not there before.
    pub made: Vec<KeyPath>,
    /// Folders that were not there before.
    pub made_folders: Vec<PathBuf>,
    /// The setting beside the entries, where the agent has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch: Option<RecordedSwitch>,
    /// Milliseconds since 1970.
    pub since: i64,
    /// The hookrail that did it.
    pub version: String,
}

/// A group of handlers below an event, as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedEntry {
    pub event: String,
    pub group: Value,
}

/// What became of the entries of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryState {
    /// All there, as they were written; whatever else changed in the file.
    Unaltered,
    /// All there, but the agent drops the whole file, for this reason.
    Unread(String),
    /// At these events they were changed or removed.
    Altered { changed: Vec<String>, missing: Vec<String> },
    /// The file is gone.
    Gone,
    /// The file cannot be read any more.
    Unreadable(String),
    /// All there, but this variable is set, so that the agent reads another file.
    Replaced(&'static str),
}

impl InstallRecord {
    /// Every installation that is known on this machine: the administrator's, which every user sees, and this user's.
    pub fn all(place: &CurrentProject) -> Result<Vec<Self>, CliError> {
        let mut all = Self::read_list(Path::new(MACHINE_LIST), &place.world)?;
        for own in Self::read(&place.state.clone()?, &place.world)? {
            if !all.iter().any(|known| known.agent == own.agent && known.file == own.file) {
                all.push(own);
            }
        }
        Ok(all)
    }

    /// Every installation that a state directory knows.
    pub fn read(state: &Path, world: &dyn World) -> Result<Vec<Self>, CliError> {
        Self::read_list(&state.join(FOLDER).join(LIST), world)
    }

    fn read_list(file: &Path, world: &dyn World) -> Result<Vec<Self>, CliError> {
        match world.read(file).map_err(CliError::machine)? {
            None => Ok(Vec::new()),
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                CliError::machine(format!("the list of installations `{}` cannot be read: {error}", file.display()))
                    .hint("move it away and install again")
            }),
        }
    }

    /// Compares what is in force with what was written. The environment is that of the agent's user.
    pub fn entry_state(&self, env: Env<'_>) -> EntryState {
        match (self.file_state(), &self.switch) {
            (EntryState::Unaltered, switch) => {
                match (switch.as_ref().and_then(RecordedSwitch::loss), self.replaced(env)) {
                    (Some(loss), _) => EntryState::Altered { changed: Vec::new(), missing: vec![loss] },
                    (None, Some(variable)) => EntryState::Replaced(variable),
                    (None, None) => EntryState::Unaltered,
                }
            }
            (state, _) => state,
        }
    }

    /// The variable that makes the agent read another file.
    fn replaced(&self, env: Env<'_>) -> Option<&'static str> {
        let files = self.dialect()?.format().files_here();
        let own = files.filter(|file| file.usual(Path::new(""), Path::new("")) == self.file);
        let is_elsewhere =
            |variable: &&str| env(variable).is_some_and(|path| !path.is_empty() && Path::new(&path) != self.file);
        own.filter_map(|file| file.replaced_by).find(is_elsewhere)
    }

    /// Compares the file with what was written into it.
    fn file_state(&self) -> EntryState {
        let file = match SettingsFile::read(&self.file) {
            Ok(file) if file.exists() => file,
            Ok(_) => return EntryState::Gone,
            Err(error) => return EntryState::Unreadable(error.to_string()),
        };
        let Some(agent) = self.dialect() else {
            return EntryState::Unreadable(format!("there is no agent `{}`", self.agent));
        };
        let is_ours = ours(&self.agent, Some(self));
        let merger = Merger { agent, file: &self.file, is_ours: &is_ours };
        let document = match merger.parse(file.text()) {
            Ok(document) => document,
            Err(error) => {
                let place = format!("{}:{}:{}", self.file.display(), error.line, error.column);
                return EntryState::Unreadable(format!("{place}: {}", error.message));
            }
        };
        let found = merger.find(&document);
        let (mut changed, mut missing) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            let mut there = found.iter().filter(|own| own.event == entry.event).peekable();
            if there.peek().is_none() {
                missing.push(entry.event.clone());
            } else if !there.any(|own| own.value == entry.group) {
                changed.push(entry.event.clone());
            }
        }
        if changed.is_empty() && missing.is_empty() {
            let source = Source { path: self.file.clone(), text: file.content().unwrap_or_default().to_owned() };
            let unread = hookrail_lint::unread(agent.agent(), &Arc::new(source)).into_iter().next();
            unread.map_or(EntryState::Unaltered, |finding| {
                let place = finding.place();
                EntryState::Unread(format!("{}:{}: {}", place.line, place.column, finding.message))
            })
        } else {
            EntryState::Altered { changed, missing }
        }
    }

    /// The settings that count for the file.
    pub fn settings(&self, place: &CurrentProject) -> Settings {
        let scope = if self.project.is_some() { Scope::Project } else { Scope::User };
        settings_for(scope, place)
    }

    pub fn dialect(&self) -> Option<&'static dyn Dialect> {
        hookrail_dialects::dialect(&self.agent)
    }
}

/// Managed installations: what the administrator installed, every user can compare.
const MACHINE_LIST: &str = "/etc/hookrail/installed.json";
const FOLDER: &str = "install";
const LIST: &str = "records.json";
const BACKUPS: &str = "backups";
/// How many backups are kept of each agent's files.
const MOST_BACKUPS: usize = 20;

/// The installations of this machine, held against other processes while they change.
pub struct Ledger<'a> {
    place: &'a CurrentProject,
    folder: PathBuf,
    records: Vec<InstallRecord>,
    _held: Option<Held>,
}

/// Whether a ledger will be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    Look,
    Change,
}

impl<'a> Ledger<'a> {
    pub fn open(place: &'a CurrentProject, intent: Intent) -> Result<Self, CliError> {
        let root = place.state_root()?;
        let folder = root.path().join(FOLDER);
        let held = match intent {
            Intent::Look => None,
            Intent::Change => {
                root.check().map_err(CliError::machine)?;
                place.world.make_folder(&folder).map_err(CliError::machine)?;
                Some(place.world.lock(&folder).map_err(CliError::machine)?)
            }
        };
        Ok(Self { place, folder, records: InstallRecord::all(place)?, _held: held })
    }

    pub fn find(&self, agent: &str, file: &Path) -> Option<&InstallRecord> {
        self.records.iter().find(|record| record.agent == agent && record.file == file)
    }

    /// Files with other installations of these agents.
    pub fn elsewhere(&self, targets: &[Target]) -> Vec<PathBuf> {
        let is_meant = |record: &InstallRecord| targets.iter().any(|target| target.agent.name() == record.agent);
        let is_target = |record: &InstallRecord| targets.iter().any(|target| target.file == record.file);
        let others =
            self.records.iter().filter(|record| is_meant(record) && !is_target(record) && record.file.exists());
        others.map(|record| record.file.clone()).collect()
    }

    /// Takes note of an installation, instead of an earlier one in the same file.
    pub fn put(&mut self, record: InstallRecord) -> Result<(), CliError> {
        if self.records.contains(&record) {
            return Ok(());
        }
        self.records.retain(|known| known.agent != record.agent || known.file != record.file);
        self.records.push(record);
        self.save()
    }

    /// Forgets an installation. A folder that was made for it, and that another one uses by now, is then that one's to
    /// remove.
    pub fn forget(&mut self, agent: &str, file: &Path) -> Result<(), CliError> {
        let Some(index) = self.records.iter().position(|known| known.agent == agent && known.file == file) else {
            return Ok(());
        };
        let gone = self.records.remove(index);
        for folder in gone.made_folders.into_iter().filter(|folder| folder.exists()) {
            if let Some(heir) = self.records.iter_mut().find(|known| known.file.starts_with(&folder)) {
                heir.made_folders.push(folder);
            }
        }
        self.save()
    }

    /// Keeps a copy of a file's content, away from the project, and says where.
    pub fn back_up(&self, agent: &str, scope: Scope, content: &str) -> Result<PathBuf, CliError> {
        let folder = self.folder.join(BACKUPS);
        let world = &self.place.world;
        let start = format!("{agent}-{}-", scope_word(scope));
        let names = world.list(&folder).map_err(CliError::machine)?.unwrap_or_default();
        let older: Vec<&String> = names.iter().filter(|name| name.starts_with(&start)).collect();
        for name in older.iter().take((older.len() + 1).saturating_sub(MOST_BACKUPS)) {
            world.remove(&folder.join(name)).map_err(CliError::machine)?;
        }
        let file = folder.join(format!("{start}{}.json", world.now_millis()));
        world.write(&file, content.as_bytes()).map_err(CliError::machine)?;
        Ok(file)
    }

    fn save(&self) -> Result<(), CliError> {
        let (managed, own): (Vec<_>, Vec<_>) =
            self.records.iter().partition(|record| record.scope == scope_word(Scope::Managed));
        let known = InstallRecord::read_list(Path::new(MACHINE_LIST), &self.place.world)?;
        if !known.iter().eq(managed.iter().copied()) {
            save_for_all(&managed)?;
        }
        let text = serde_json::to_vec_pretty(&own).map_err(CliError::machine)?;
        self.place.world.write(&self.folder.join(LIST), &text).map_err(CliError::machine)
    }
}

/// Writes the list of managed installations, which others may read; no file if there are none.
fn save_for_all(managed: &[&InstallRecord]) -> Result<(), CliError> {
    let file = SettingsFile::read(Path::new(MACHINE_LIST)).map_err(CliError::machine)?;
    let text = serde_json::to_string_pretty(managed).map_err(CliError::machine)?;
    let saved = if managed.is_empty() {
        file.delete(&[Path::new(MACHINE_LIST).parent().map(Path::to_owned).unwrap_or_default()])
    } else {
        file.write(&text).map(drop)
    };
    saved.map_err(CliError::machine)
}

/// How a scope is called on the command line.
pub fn scope_word(scope: Scope) -> &'static str {
    match scope {
        Scope::Managed => "managed",
        Scope::User => "user",
        Scope::Project => "project",
        Scope::Local => "local",
    }
}

/// Of a file's content.
pub fn hash(content: &str) -> String {
    blake3::hash(content.as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_record_knows_whether_its_entries_are_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        let group = |timeout: u32| {
            let handler = json!({ "type": "command", "command": "hookrail hook --agent claude", "timeout": timeout });
            json!({ "hooks": [handler] })
        };
        let record = InstallRecord {
            agent: "claude".to_owned(),
            scope: "project".to_owned(),
            file: file.clone(),
            project: None,
            command: "hookrail hook --agent claude".to_owned(),
            binary: None,
            packs: Vec::new(),
            verifier: None,
            entries: ["PreToolUse", "Stop"].map(|it| RecordedEntry { event: it.to_owned(), group: group(15) }).into(),
            hash: String::new(),
            before: None,
            made: Vec::new(),
            made_folders: Vec::new(),
            switch: None,
            since: 0,
            version: String::new(),
        };
        assert_eq!(record.entry_state(&|_| None), EntryState::Gone);
        let altered = |changed: &[&str], missing: &[&str]| {
            let owned = |events: &[&str]| events.iter().map(|event| (*event).to_owned()).collect();
            EntryState::Altered { changed: owned(changed), missing: owned(missing) }
        };
        let other = json!({ "hooks": [{ "type": "command", "command": "other" }] });
        let cases = [
            (json!({ "PreToolUse": [group(15)], "Stop": [other, group(15)], "Other": [] }), EntryState::Unaltered),
            (json!({ "PreToolUse": [group(14)], "Stop": [group(15)] }), altered(&["PreToolUse"], &[])),
            (json!({ "PreToolUse": [other], "Stop": [group(15)] }), altered(&[], &["PreToolUse"])),
            (json!({}), altered(&[], &["PreToolUse", "Stop"])),
        ];
        for (hooks, expected) in cases {
            std::fs::write(&file, json!({ "hooks": hooks }).to_string()).unwrap();
            assert_eq!(record.entry_state(&|_| None), expected, "{hooks}");
        }
        let entries = json!({ "PreToolUse": [group(15)], "Stop": [group(15)] });
        std::fs::write(&file, format!("// mine\n{}", json!({ "hooks": entries }))).unwrap();
        assert!(matches!(record.entry_state(&|_| None), EntryState::Unread(why) if why.contains("comments")));
        std::fs::write(&file, "{").unwrap();
        assert!(
            matches!(record.entry_state(&|_| None), EntryState::Unreadable(why) if why.contains("settings.json:1:"))
        );
    }
}
