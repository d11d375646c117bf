//! A setting beside the entries, in a TOML file of its own, without which a user could switch the agent's hooks off.

use super::change::{ChangeError, content_error};
use super::record::hash;
use super::settings_file::{FileError, SettingsFile};
use super::table_entries::TableEntries;
use super::target::Target;
use hookrail_dialects::HookFile;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toml_edit::{Document, DocumentMut, Item, Table};

/// What becomes of the file of such a setting.
#[derive(Debug)]
pub struct SwitchChange {
    pub file: SettingsFile,
    /// The keys that lead to the setting, with dots between them.
    pub name: String,
    /// What the file will hold; `None` if there will be no file.
    pub after: Option<String>,
    /// Folders that go with the file.
    folders: Vec<PathBuf>,
    /// What is to be remembered; `None` if the setting goes.
    pub record: Option<RecordedSwitch>,
}

/// A setting that was made by install, or was there already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSwitch {
    pub file: PathBuf,
    pub keys: Vec<String>,
    /// Of the whole file as install left it.
    hash: String,
    /// What uninstall puts back; `None` if there was no file.
    before: Option<String>,
    /// Folders that were not there before.
    made_folders: Vec<PathBuf>,
}

impl RecordedSwitch {
    /// The setting in words if it is not as it was installed.
    pub fn loss(&self) -> Option<String> {
        let file = SettingsFile::read(&self.file).ok();
        let document = file.and_then(|file| TableEntries::parse(file.text()).ok());
        let is_on = document.is_some_and(|document| read(&document, &self.keys) == Some(true));
        (!is_on).then(|| format!("`{} = true` in {}", self.keys.join("."), self.file.display()))
    }
}

impl SwitchChange {
    /// What installing would do; `None` if the agent has no such setting for this scope.
    pub fn install(target: &Target, known: Option<&RecordedSwitch>) -> Result<Option<Self>, ChangeError> {
        let is_meant = |file: &&HookFile| file.scope == target.scope && file.switch.is_some();
        let Some(meant) = target.agent.format().files_here().find(is_meant) else { return Ok(None) };
        let keys: Vec<String> = meant.switch.iter().flat_map(|keys| keys.iter()).map(|key| (*key).to_owned()).collect();
        let path = meant.usual(Path::new(""), Path::new(""));
        let file = SettingsFile::read(&path)?;
        let mut document = parse(&file)?;
        let name = keys.join(".");
        match read(&document, &keys) {
            Some(true) => {}
            Some(false) => {
                let what = format!("`{name}` is `false`, which switches every hook off; `true` is needed");
                return Err(at_key(&file, &keys, what));
            }
            None => {
                set(&mut document, &keys).map_err(|key| at_key(&file, &keys, format!("`{key}` must be a table")))?;
                file.check_writable()?;
            }
        }
        let after = file.dress(&document.to_string());
        let is_as_left = |known: &&RecordedSwitch| file.content().is_some_and(|text| hash(text) == known.hash);
        let before = known.filter(is_as_left).map_or_else(|| file.content().map(str::to_owned), |it| it.before.clone());
        let made_folders = known.map(|known| known.made_folders.clone()).unwrap_or_default();
        let record = RecordedSwitch { file: path, keys, hash: hash(&after), before, made_folders };
        Ok(Some(Self { file, name, after: Some(after), folders: Vec::new(), record: Some(record) }))
    }

    /// What uninstalling would do. A setting that was there before stays.
    pub fn uninstall(known: &RecordedSwitch) -> Result<Self, ChangeError> {
        let file = SettingsFile::read(&known.file)?;
        let had_it = |text: &str| TableEntries::parse(text).is_ok_and(|it| read(&it, &known.keys).is_some());
        let after = match file.content() {
            None => None,
            Some(content) if hash(content) == known.hash => known.before.clone(),
            Some(content) if known.before.as_deref().is_some_and(had_it) => Some(content.to_owned()),
            Some(_) => {
                let mut document = parse(&file)?;
                clear(document.as_table_mut(), &known.keys);
                Some(file.dress(&document.to_string())).filter(|text| known.before.is_some() || !text.trim().is_empty())
            }
        };
        let (name, folders) = (known.keys.join("."), known.made_folders.clone());
        Ok(Self { file, name, after, folders, record: None })
    }

    pub fn changes_file(&self) -> bool {
        self.after.as_deref() != self.file.content()
    }

    /// Changes the file, and returns what is to be remembered of it.
    pub fn make(&mut self) -> Result<Option<RecordedSwitch>, FileError> {
        if self.changes_file() {
            match &self.after {
                Some(content) => {
                    let made = self.file.write(content)?;
                    if let Some(record) = &mut self.record {
                        record.made_folders.extend(made);
                    }
                }
                None => self.file.delete(&self.folders)?,
            }
        }
        Ok(self.record.take())
    }
}

fn parse(file: &SettingsFile) -> Result<DocumentMut, ChangeError> {
    TableEntries::parse(file.text()).map_err(|error| content_error(file, error.line, error.column, error.message))
}

fn read(table: &Table, keys: &[String]) -> Option<bool> {
    item(table, keys)?.as_bool()
}

fn item<'t>(table: &'t Table, keys: &[String]) -> Option<&'t Item> {
    let (first, rest) = keys.split_first()?;
    let mut item = table.get(first)?;
    for key in rest {
        item = item.as_table_like()?.get(key)?;
    }
    Some(item)
}

/// Sets it to `true`; fails with the key that is no table, or no switch.
fn set(table: &mut Table, keys: &[String]) -> Result<(), String> {
    let Some((last, path)) = keys.split_last() else { return Ok(()) };
    let mut place: &mut dyn toml_edit::TableLike = table;
    let mut is_inline = false;
    for key in path {
        let next = place.entry(key).or_insert_with(|| Item::Table(Table::new()));
        is_inline = next.is_inline_table();
        place = next.as_table_like_mut().ok_or_else(|| key.clone())?;
    }
    place.insert(last, toml_edit::value(true));
    // Otherwise the space before the closing brace would stand before the comma. Tables with comments are left alone.
    if is_inline {
        place.fmt();
    }
    Ok(())
}

/// Takes it out, and tables that are empty then.
fn clear(table: &mut dyn toml_edit::TableLike, keys: &[String]) {
    let Some((first, rest)) = keys.split_first() else { return };
    let is_empty = match table.get_mut(first).and_then(Item::as_table_like_mut) {
        Some(inner) if !rest.is_empty() => {
            clear(inner, rest);
            inner.is_empty()
        }
        _ => rest.is_empty(),
    };
    if is_empty {
        table.remove(first);
    }
}

/// An error at the place of the setting, or of the table that it belongs into.
fn at_key(file: &SettingsFile, keys: &[String], message: String) -> ChangeError {
    let text = file.text();
    let document = Document::parse(text).ok();
    let spans = (1..=keys.len()).rev().filter_map(|length| {
        let keys = keys.get(..length)?;
        item(document.as_ref()?.as_table(), keys)?.span()
    });
    let at = spans.into_iter().next().map_or(0, |span| span.start);
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    content_error(file, line, column, message)
}
