use super::anchor::Anchor;
use super::chain::Tip;
use super::head::{self, Head};
use super::lines::Lines;
use super::report::{Fault, Note, Report};
use super::walk::{ChainWalk, Spot, place};
use super::witness::{Witness, WitnessedHead};
use super::{DIRECTORY, segment};
use crate::dir::{Access, CORRUPT, Dir};
use crate::error::StoreError;
use crate::lock::Lock;
use std::time::Duration;

/// Checks every line of every file, and that the records of `anchors` are among them. The journal is locked only for a moment
/// at the start; what is appended later is not looked at.
pub(crate) fn verify(root: &Dir, patience: Duration, anchors: &[Anchor]) -> Result<Report, StoreError> {
    let dir = root.find_dir(DIRECTORY)?;
    let Snapshot { head, testimony, files } = Snapshot::take(root, dir.as_ref(), patience)?;
    let witness = testimony.known();
    // Whoever knows the newer record is right: the other one was put back, or is gone.
    let known = match (head.known(), witness) {
        (Some(head), Some(witness)) if witness.tip.contradicts(&head.tip) => Some(witness),
        (head, witness) => head.or(witness),
    };
    let mut walk = ChainWalk::new(known, witness, anchors);
    blame_ends(&mut walk, &head, &testimony, !files.is_empty());
    let mut notes = Vec::new();
    if let Some(dir) = &dir {
        for file in &files {
            if !check_file(dir, file, &mut walk, &mut notes)? {
                // Gone since the start: because of its age, or because it was removed by hand.
                let now = Snapshot::take(root, Some(dir), patience)?.head;
                now.known().into_iter().for_each(|now| walk.skip_to(now.base));
            }
        }
        notes.extend(list_set_aside(dir)?);
    }
    let has_last_file = known.is_none_or(|head| head.bytes == 0 || files.iter().any(|file| file.first == head.segment));
    let mut report = walk.finish(known, has_last_file);
    report.notes.append(&mut notes);
    Ok(report)
}

/// Says what is wrong with the head and the witness themselves.
fn blame_ends(walk: &mut ChainWalk, head: &SavedHead, testimony: &WitnessedHead, has_files: bool) {
    match (head, testimony) {
        (SavedHead::Good(head), WitnessedHead::Good(witness)) if witness.tip.contradicts(&head.tip) => {
            walk.blame_head(Fault::RolledBack { head: head.tip.seq, witness: witness.tip.seq });
        }
        (SavedHead::Good(head), WitnessedHead::Missing | WitnessedHead::Damaged) if head.witnessed => {
            walk.blame_head(Fault::WitnessLost);
        }
        (SavedHead::Good(_), _) => {}
        (SavedHead::Damaged, _) => walk.blame_head(Fault::HeadDamaged),
        (SavedHead::Missing, WitnessedHead::Good(_)) => walk.blame_head(Fault::HeadReplaced),
        (SavedHead::Missing, WitnessedHead::Missing | WitnessedHead::Damaged) if has_files => {
            walk.blame_head(Fault::HeadMissing);
        }
        (SavedHead::Missing, WitnessedHead::Missing | WitnessedHead::Damaged) => {}
    }
}

/// The newest record that the head knows; `None` if there is none, or if the head cannot be believed.
pub(crate) fn newest(root: &Dir, patience: Duration) -> Result<Option<Anchor>, StoreError> {
    let dir = root.find_dir(DIRECTORY)?;
    let Snapshot { head, .. } = Snapshot::take(root, dir.as_ref(), patience)?;
    Ok(head.known().map(|head| head.tip).filter(|tip| *tip != Tip::NOTHING).map(Anchor::from))
}

/// What the journal consists of at one moment.
#[derive(Debug)]
struct Snapshot {
    head: SavedHead,
    testimony: WitnessedHead,
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
    fn take(root: &Dir, dir: Option<&Dir>, patience: Duration) -> Result<Self, StoreError> {
        let Some(dir) = dir else {
            return Ok(Self { head: SavedHead::Missing, testimony: Witness::ask(root)?, files: Vec::new() });
        };
        let lock = Lock::shared(dir, head::NAME, patience)?;
        let head = match &lock {
            Some(lock) => {
                SavedHead::read(lock).map_err(|source| StoreError::io("read", &dir.path_of(head::NAME), source))?
            }
            None => SavedHead::Missing,
        };
        let testimony = Witness::ask(root)?;
        let known = head.known().or(testimony.known());
        let segments = segment::list(dir)?;
        let newest = segments.last().map(|newest| newest.first);
        let mut files = Vec::with_capacity(segments.len());
        for first in segments.into_iter().map(|segment| segment.first) {
            // A file with records up to the base is about to be removed, or was when the remover died.
            if known.is_some_and(|head| first <= head.base.seq) {
                continue;
            }
            let is_newest = newest == Some(first);
            let limit = if is_newest { length(dir, first)? } else { u64::MAX };
            files.push(Extent { first, limit, confirmed: confirmed(known, first, is_newest) });
        }
        Ok(Self { head, testimony, files })
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
}

fn confirmed(known: Option<&Head>, first: u64, is_newest: bool) -> u64 {
    match known {
        Some(head) if head.segment == first => head.bytes,
        Some(head) if head.segment < first => 0,
        None if is_newest => 0,
        Some(_) | None => u64::MAX,
    }
}

fn length(dir: &Dir, first: u64) -> Result<u64, StoreError> {
    Ok(dir.open(&segment::name(first), Access::Read)?.map_or(0, |found| found.len))
}

/// Walks along a file's lines; false if there is no such file.
fn check_file(dir: &Dir, extent: &Extent, walk: &mut ChainWalk, notes: &mut Vec<Note>) -> Result<bool, StoreError> {
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
