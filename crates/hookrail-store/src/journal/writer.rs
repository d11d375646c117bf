use super::chain::LINK_MAX;
use super::encoding::encode;
use super::head::{self, Head};
use super::recovery::Recovery;
use super::repair::Repair;
use super::witness::Witness;
use super::{MAX_BATCH, segment};
use crate::dir::Dir;
use crate::error::StoreError;
use crate::lock::Lock;
use std::fs::File;
use std::io::Write;
use std::time::Duration;

/// The journal, locked for appending.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    dir: &'a Dir,
    lock: Lock,
    witness: Witness,
    head: Head,
    segment: File,
    /// A file gets no more than this, unless a single batch is larger.
    segment_bytes: u64,
    now: i64,
    repair: Repair<'a>,
    /// How many of the repair's findings are in the journal.
    reported: usize,
}

impl<'a> Writer<'a> {
    /// Waits for the journal and puts its end in order if a writer died or the files were changed.
    pub fn open(
        root: &Dir,
        dir: &'a Dir,
        patience: Duration,
        segment_bytes: u64,
        now: i64,
    ) -> Result<Self, StoreError> {
        let lock = Lock::exclusive(dir, head::NAME, patience)?;
        let mut repair = Repair::new(dir, now);
        let (mut head, witness) = repair.load_head(&lock, root)?;
        let segment = repair.attach(&mut head)?;
        Ok(Self { dir, lock, witness, head, segment, segment_bytes, now, repair, reported: 0 })
    }

    /// Adds encoded records. Returns the last one's number and what had to be recovered.
    pub fn append(mut self, records: &[Vec<u8>]) -> Result<(u64, Vec<Recovery>), StoreError> {
        for batch in records.chunks(MAX_BATCH) {
            self.rotate_for(batch)?;
            self.report_recoveries()?;
            self.write(batch)?;
        }
        Ok((self.head.tip.seq, self.repair.found))
    }

    /// Starts a new file if the batch does not fit into this one.
    fn rotate_for(&mut self, batch: &[Vec<u8>]) -> Result<(), StoreError> {
        if self.head.bytes == 0 || self.head.bytes + room_for(batch) as u64 <= self.segment_bytes {
            return Ok(());
        }
        self.head.segment = self.head.tip.seq + 1;
        self.head.bytes = 0;
        // The head goes first: otherwise a process that dies here leaves a newer file that no head leads to.
        self.head.save(&self.lock, &self.dir.path_of(head::NAME))?;
        self.segment = self.repair.attach(&mut self.head)?;
        Ok(())
    }

    fn report_recoveries(&mut self) -> Result<(), StoreError> {
        let news = self.repair.found.iter().skip(self.reported).map(|found| encode(&found.record(self.now)));
        let news = news.collect::<Result<Vec<_>, _>>()?;
        self.reported = self.repair.found.len();
        if news.is_empty() { Ok(()) } else { self.write(&news) }
    }

    fn write(&mut self, batch: &[Vec<u8>]) -> Result<(), StoreError> {
        let mut lines = Vec::with_capacity(room_for(batch));
        let tip = batch.iter().fold(self.head.tip, |tip, record| tip.extend(&mut lines, record));
        if let Err(source) = self.segment.write_all(&lines) {
            // A full disk may have taken a part. If that cannot be undone, it is a torn line for the next append.
            let _ = self.segment.set_len(self.head.bytes);
            let path = self.dir.path_of(&segment::name(self.head.segment));
            return Err(StoreError::io("append to", &path, source));
        }
        self.head.tip = tip;
        self.head.bytes += lines.len() as u64;
        let head = self.head.encode();
        let failed = |source| StoreError::io("write", &self.dir.path_of(head::NAME), source);
        head::write_whole(self.lock.file(), &head).map_err(failed)?;
        self.witness.save(&head);
        Ok(())
    }
}

fn room_for(batch: &[Vec<u8>]) -> usize {
    batch.iter().map(|record| record.len() + LINK_MAX).sum()
}
