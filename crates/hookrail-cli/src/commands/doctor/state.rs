//! The directory hookrail keeps its state in.

use super::item::{Area, Item};
use super::repair::Repair;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::screen::plural;
use hookrail_store::{RootError, StateRoot, Store};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// With less, records are soon lost.
#[cfg(unix)]
const LEAST_BYTES: u64 = 64 * 1024 * 1024;
/// A lock without a session that is younger may belong to one that just begins.
const LOCK_AGE: Duration = Duration::from_secs(60 * 60);
/// How long another process may hold the journal before it is reported.
const JOURNAL_PATIENCE: Duration = Duration::from_secs(5);

pub fn examine(place: &CurrentProject) -> Area {
    let items = match &place.state {
        Err(why) => vec![broken(why)],
        Ok(path) => directory(path, place),
    };
    Area { title: "State", items }
}

fn broken(error: &CliError) -> Item {
    let why = "Without a state directory hookrail keeps nothing: no journal, no budgets, no trust.";
    Item::failed(error, why, "set HOOKRAIL_STATE_DIR")
}

fn directory(path: &Path, place: &CurrentProject) -> Vec<Item> {
    if path.symlink_metadata().is_err() {
        let what = format!("{} does not exist yet", path.display());
        let item = Item::look(what, "The first event creates it.").fix("hookrail doctor --fix");
        return vec![item.repair(Repair::MakeState(path.to_path_buf()))];
    }
    if let Err(error) = StateRoot::at(path).check() {
        let item = broken(&CliError::machine(&error));
        return vec![match error {
            RootError::Writable { path, .. } => item.repair(Repair::Protect(path)),
            _ => item,
        }];
    }
    let mut items = Vec::new();
    items.extend(readable_by_others(path));
    items.extend(space(path));
    let entries = walk(path);
    items.extend(links(&entries));
    items.extend(set_aside(&entries));
    items.extend(locks(&path.join("sessions")));
    if items.is_empty() {
        items.push(Item::fine(format!("{}, accessible only to you", path.display())));
    }
    items.push(journal(place));
    items
}

#[cfg(unix)]
fn readable_by_others(path: &Path) -> Option<Item> {
    use std::os::unix::fs::PermissionsExt;
    let mode = path.metadata().ok()?.permissions().mode() & 0o777;
    let what = format!("{} can be read by others (mode {mode:03o})", path.display());
    let item = Item::look(what, "The journal holds commands and paths of your sessions.");
    (mode != 0o700)
        .then(|| item.fix(format!("chmod 700 '{}'", path.display())).repair(Repair::Protect(path.to_path_buf())))
}

#[cfg(not(unix))]
fn readable_by_others(_: &Path) -> Option<Item> {
    None
}

#[cfg(unix)]
fn space(path: &Path) -> Option<Item> {
    let disk = rustix::fs::statvfs(path).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let what = format!("only {} MiB are free for {}", free / (1024 * 1024), path.display());
    let why = "When the disk is full, nothing is recorded and guards that count forget.";
    (free < LEAST_BYTES).then(|| Item::wrong(what, why).fix("free space on that disk"))
}

#[cfg(not(unix))]
fn space(_: &Path) -> Option<Item> {
    None
}

/// Two levels are all there is.
fn walk(path: &Path) -> Vec<DirEntry> {
    let read = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().collect::<Vec<_>>();
    let mut entries = read(path);
    let folders: Vec<PathBuf> =
        entries.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(DirEntry::path).collect();
    entries.extend(folders.iter().flat_map(|folder| read(folder)));
    entries
}

fn links(entries: &[DirEntry]) -> Option<Item> {
    let link = entries.iter().find(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))?;
    let what = format!("{} is a symlink", link.path().display());
    let why = "hookrail never creates one here and does not write through it.";
    Some(Item::wrong(what, why).fix(format!("look where it points, then rm '{}'", link.path().display())))
}

fn set_aside(entries: &[DirEntry]) -> Option<Item> {
    let corrupt = |entry: &&DirEntry| entry.file_name().to_string_lossy().contains(".corrupt-");
    let files: Vec<&DirEntry> = entries.iter().filter(corrupt).collect();
    let first = files.first()?.path();
    let verb = if files.len() == 1 { "was" } else { "were" };
    let what = format!("{} damaged file{} {verb} set aside", files.len(), plural(files.len()));
    let why = "The settings in it do not apply.";
    Some(Item::look(what, why).fix(format!("look at '{}' and remove it", first.display())))
}

/// Locks are let go when their process ends; only their files can be left behind.
fn locks(sessions: &Path) -> Option<Item> {
    let entries = std::fs::read_dir(sessions).ok()?.flatten();
    let left = |path: &PathBuf| {
        let old = path.metadata().and_then(|found| found.modified()).is_ok_and(|time| age(time) > LOCK_AGE);
        path.extension().is_some_and(|it| it == "lock") && !path.with_extension("json").exists() && old
    };
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(left).collect();
    if files.is_empty() {
        return None;
    }
    let what = format!("{} lock{} without a session", files.len(), plural(files.len()));
    let item = Item::look(what, "They do no harm, but nothing else removes the locks of old sessions.");
    Some(item.fix("hookrail doctor --fix").repair(Repair::RemoveLocks(files)))
}

#[expect(clippy::disallowed_methods, reason = "how old a file is can only be told by the clock")]
fn age(time: SystemTime) -> Duration {
    SystemTime::now().duration_since(time).unwrap_or_default()
}

fn journal(place: &CurrentProject) -> Item {
    let report =
        place.store().and_then(|store| store.with_lock_patience(JOURNAL_PATIENCE).verify().map_err(CliError::machine));
    match report {
        Ok(report) if report.is_intact() => match report.sound {
            0 => Item::fine("journal: empty"),
            records => {
                Item::fine(format!("journal: {records} record{} verify", plural(usize::try_from(records).unwrap_or(2))))
            }
        },
        Ok(report) => {
            let first = report.problems.first().map(ToString::to_string).unwrap_or_default();
            let what = format!("journal: {first}");
            Item::wrong(what, "It was damaged, or changed by another program.").fix("hookrail log --verify")
        }
        Err(why) => {
            let held = "Another process holds the journal, or it cannot be read; hooks wait for it.";
            Item::failed(&why.while_doing("journal"), held, "hookrail log --verify")
        }
    }
}
