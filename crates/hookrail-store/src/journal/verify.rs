use super::head::{self, Head};
use super::lines::Lines;
use super::report::{Fault, Note, Report};
use super::segment;
use super::walk::{Spot, Walk, place};
use crate::dir::{Access, CORRUPT, Dir};
use crate::error::StoreError;
use crate::lock::Lock;
use std::time::Duration;

/// Checks every line of every file. The journal is locked only for a moment at the start; what is appended later is
/// not looked at.
pub(crate) fn verify(dir: &Dir, patience: Duration) -> Result<Report, StoreError> {
    let Snapshot { head, files } = Snapshot::take(dir, patience)?;
    let known = head.known();
    let mut walk = Walk::new(known);
    match head {
        SavedHead::Missing if !files.is_empty() => walk.blame_head(Fault::HeadMissing),
        SavedHead::Damaged => walk.blame_head(Fault::HeadDamaged),
        SavedHead::Missing | SavedHead::Good(_) => {}
    }
    let mut notes = Vec::new();
    for file in &files {
        if !check_file(dir, file, &mut walk, &mut notes)? {
            // Gone since the start: because of its age, or by somebody who had no business to remove it.
            let now = Snapshot::take(dir, patience)?.head;
            now.known().into_iter().for_each(|now| walk.skip_to(now.base));
        }
    }
    let has_last_file = known.is_none_or(|head| head.bytes == 0 || files.iter().any(|file| file.first == head.segment));
    let mut report = walk.finish(known, has_last_file);
    report.notes.append(&mut notes);
    report.notes.extend(list_set_aside(dir)?);
    Ok(report)
}

/// What the journal consists of at one moment.
#[derive(Debug)]
struct Snapshot {
    head: SavedHead,
    files: Vec<Extent>,
}

#[derive(Debug)]
enum SavedHead {
    Missing,
    Damaged,
    Good(Head),
}

/// The part of a file that is to be checked.
#[derive(Debug)]
struct Extent {
    first: u64,
    limit: u64,
    /// Up to here, the head vouches that it was written completely.
    confirmed: u64,
}

impl Snapshot {
    fn take(dir: &Dir, patience: Duration) -> Result<Self, StoreError> {
        let lock = Lock::shared(dir, head::NAME, patience)?;
        let head = match &lock {
            Some(lock) => {
                SavedHead::read(lock).map_err(|source| StoreError::io("read", &dir.path_of(head::NAME), source))?
            }
            None => SavedHead::Missing,
        };
        let segments = segment::list(dir)?;
        let newest = segments.last().map(|newest| newest.first);
        let mut files = Vec::with_capacity(segments.len());
        for first in segments.into_iter().map(|segment| segment.first) {
            // A file with records up to the base is about to be removed, or was when the remover died.
            if head.known().is_some_and(|head| first <= head.base.seq) {
                continue;
            }
            let is_newest = newest == Some(first);
            let limit = if is_newest { length(dir, first)? } else { u64::MAX };
            files.push(Extent { first, limit, confirmed: head.confirmed(first, is_newest) });
        }
        Ok(Self { head, files })
    }
}

impl SavedHead {
    fn read(lock: &Lock) -> std::io::Result<Self> {
        let bytes = head::read(lock)?;
        // A process that died just after making the file leaves an empty one.
        Ok(match Head::decode(&bytes) {
            Some(head) => Self::Good(head),
            None if bytes.is_empty() => Self::Missing,
            None => Self::Damaged,
        })
    }

    fn known(&self) -> Option<&Head> {
        match self {
            Self::Good(head) => Some(head),
            Self::Missing | Self::Damaged => None,
        }
    }

    fn confirmed(&self, first: u64, is_newest: bool) -> u64 {
        match self.known() {
            Some(head) if head.segment == first => head.bytes,
            Some(head) if head.segment < first => 0,
            None if is_newest => 0,
            Some(_) | None => u64::MAX,
        }
    }
}

fn length(dir: &Dir, first: u64) -> Result<u64, StoreError> {
    Ok(dir.open(&segment::name(first), Access::Read)?.map_or(0, |found| found.len))
}

/// Walks along a file's lines; false if there is no such file.
fn check_file(dir: &Dir, extent: &Extent, walk: &mut Walk, notes: &mut Vec<Note>) -> Result<bool, StoreError> {
    let name = segment::name(extent.first);
    let Some(found) = dir.open(&name, Access::Read)? else { return Ok(false) };
    let failed = |source| StoreError::io("read", &dir.path_of(&name), source);
    walk.enter_file(extent.first);
    let mut lines = Lines::new(found.file, 0, 0, extent.limit).map_err(failed)?;
    while let Some(line) = lines.next().map_err(failed)? {
        let spot = Spot { segment: extent.first, line: line.number };
        if line.complete {
            walk.visit(spot, line.bytes);
        } else if line.start < extent.confirmed {
            walk.visit_unfinished(spot, line.bytes);
        } else {
            notes.push(Note::Torn { place: place(spot), bytes: line.end - line.start });
        }
    }
    Ok(true)
}

fn list_set_aside(dir: &Dir) -> Result<Vec<Note>, StoreError> {
    let mut names: Vec<String> =
        dir.entries()?.into_iter().map(|entry| entry.name).filter(|name| name.contains(CORRUPT)).collect();
    names.sort_unstable();
    Ok(names.into_iter().map(|file| Note::SetAside { file }).collect())
}
