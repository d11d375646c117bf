use super::chain::{Link, Tip};
use super::head::{self, Head};
use super::lines::Lines;
use super::segment::{self, Segment};
use super::witness::Witness;
use crate::dir::{Access, Dir};
use crate::error::StoreError;
use crate::lock::Lock;
use std::time::Duration;

/// How much of the journal is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep {
    /// Files whose newest record is older go.
    pub cutoff: i64,
    /// The oldest files go until the others have no more bytes than this.
    pub bytes: u64,
}

impl Keep {
    /// How many of the oldest files go. The last one is never among them.
    fn count_old(self, segments: &[Segment]) -> usize {
        let mut bytes: u64 = segments.iter().map(|segment| segment.bytes).sum();
        let before_last = segments.len().saturating_sub(1);
        let is_old = |segment: &&Segment| {
            let old = segment.modified < self.cutoff || bytes > self.bytes;
            bytes = bytes.saturating_sub(segment.bytes);
            old
        };
        segments.iter().take(before_last).take_while(is_old).count()
    }
}

/// Removes the oldest files that need not be kept, never the one that is written to. The head keeps what the oldest record
/// left follows, so a check knows that nothing is missing. Returns the names.
pub(crate) fn retire(root: &Dir, dir: &Dir, patience: Duration, keep: Keep) -> Result<Vec<String>, StoreError> {
    // Nearly always there is nothing to do, and no process has to wait for that.
    if keep.count_old(&segment::list(dir)?) == 0 {
        return Ok(Vec::new());
    }
    let path = dir.path_of(head::NAME);
    let lock = Lock::exclusive(dir, head::NAME, patience)?;
    let saved = head::read(&lock).map_err(|source| StoreError::io("read", &path, source))?;
    // A journal that is not in order keeps everything.
    let Some(mut head) = Head::decode(&saved) else { return Ok(Vec::new()) };
    let segments = segment::list(dir)?;
    let oldest = segments.iter().take(keep.count_old(&segments)).map(|segment| segment.first);
    let old: Vec<u64> = oldest.take_while(|first| *first < head.segment).collect();
    if old.is_empty() {
        return Ok(Vec::new());
    }
    let oldest_kept = segments.get(old.len()).map_or(head.segment, |segment| segment.first);
    let Some(base) = base_of(dir, oldest_kept, &head)? else { return Ok(Vec::new()) };
    head.base = base;
    // The head goes first: a file that is still there is not a fault, one that is gone unexplained is.
    head.save(&lock, &path)?;
    let mut witness = Witness::open(root, None)?;
    // One that knows a newer record must go on saying so.
    if witness.testimony.known().is_some_and(|witness| witness.tip.seq <= head.tip.seq) {
        witness.save(&head.encode());
    }
    let mut removed = Vec::with_capacity(old.len());
    for name in old.into_iter().map(segment::name) {
        dir.remove(&name)?;
        removed.push(name);
    }
    Ok(removed)
}

/// What the first record of a file follows; `None` if that record is not as it was written.
fn base_of(dir: &Dir, first: u64, head: &Head) -> Result<Option<Tip>, StoreError> {
    if first == head.segment && head.bytes == 0 {
        return Ok(Some(head.tip));
    }
    let name = segment::name(first);
    let Some(found) = dir.open(&name, Access::Read)? else { return Ok(None) };
    let failed = |source| StoreError::io("read", &dir.path_of(&name), source);
    let mut lines = Lines::new(found.file, 0, 0, found.len).map_err(failed)?;
    let line = lines.next().map_err(failed)?;
    let link = line.and_then(|line| Link::read(line.bytes)).filter(|link| link.is_sound() && link.seq == first);
    Ok(link.map(|link| link.before()))
}
