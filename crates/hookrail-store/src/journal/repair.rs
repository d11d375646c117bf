use super::chain::{Link, Tip};
use super::head::{self, Head};
use super::lines::Lines;
use super::recovery::Recovery;
use super::witness::{Witness, WitnessedHead};
use super::{MAX_BATCH, segment};
use crate::dir::{Access, Dir, OpenFile};
use crate::error::StoreError;
use crate::lock::Lock;
use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Puts the end of a locked journal in order before something is appended. Nothing is ever removed but an unfinished
/// last line, and that is kept in a file of its own.
#[derive(Debug)]
pub(super) struct Repair<'a> {
    dir: &'a Dir,
    now: i64,
    pub found: Vec<Recovery>,
}

impl<'a> Repair<'a> {
    pub fn new(dir: &'a Dir, now: i64) -> Self {
        Self { dir, now, found: Vec::new() }
    }

    /// The head as saved, or what the witness knows, or the best guess if there is neither; and the witness.
    pub fn load_head(&mut self, lock: &Lock, root: &Dir) -> Result<(Head, Witness), StoreError> {
        let failed = |source| StoreError::io("read", &self.dir.path_of(head::NAME), source);
        let bytes = head::read(lock).map_err(failed)?;
        let saved = Head::decode(&bytes);
        let witness = Witness::open(root, saved.as_ref().map(|head| (&*bytes, head)))?;
        let testimony = &witness.testimony;
        let mut head = match saved {
            Some(head) => self.compare_with_witness(head, testimony),
            None => self.restore_head(lock, &bytes, testimony)?,
        };
        // From the second record on, so that a process which dies before it has written the witness is no suspect.
        head.witnessed = testimony.known().is_some();
        Ok((head, witness))
    }

    fn compare_with_witness(&mut self, head: Head, testimony: &WitnessedHead) -> Head {
        match testimony {
            // The chain goes on from the record that the witness knows, so that the gap shows.
            WitnessedHead::Good(witness) if witness.tip.contradicts(&head.tip) => {
                self.found.push(Recovery::RolledBack { head: head.tip.seq, witness: witness.tip.seq });
                witness.clone()
            }
            WitnessedHead::Missing | WitnessedHead::Damaged if head.witnessed => {
                self.found.push(Recovery::WitnessLost);
                head
            }
            WitnessedHead::Good(_) | WitnessedHead::Missing | WitnessedHead::Damaged => head,
        }
    }

    fn restore_head(&mut self, lock: &Lock, mut bytes: &[u8], testimony: &WitnessedHead) -> Result<Head, StoreError> {
        let path = self.dir.path_of(head::NAME);
        let guess = guess_head(self.dir)?;
        if bytes.is_empty() && guess == Head::EMPTY && testimony.known().is_none() {
            // The journal's first record. Saved now, so that an empty head with records beside it is always a lost one.
            guess.save(lock, &path)?;
            return Ok(guess);
        }
        let set_aside = if bytes.is_empty() { None } else { Some(self.set_aside(head::NAME, &mut bytes)?) };
        // A head never gets shorter by itself, and until a good one is saved this one counts as lost.
        lock.file().set_len(0).map_err(|source| StoreError::io("clear", &path, source))?;
        Ok(match testimony.known() {
            Some(witness) => {
                self.found.push(Recovery::HeadRestored { set_aside });
                // A process that died may have written more than the witness knows, and another process may have left less.
                if guess.tip.seq < witness.tip.seq { witness.clone() } else { Head { base: witness.base, ..guess } }
            }
            None => {
                self.found.push(Recovery::HeadLost { set_aside });
                guess
            }
        })
    }

    /// Opens the file that the head names and makes the two agree.
    pub fn attach(&mut self, head: &mut Head) -> Result<File, StoreError> {
        let name = segment::name(head.segment);
        let OpenFile { file, len } = match self.dir.open(&name, Access::Append)? {
            Some(found) => found,
            None if head.bytes == 0 => self.dir.open_or_create(&name, Access::Append)?,
            None => {
                self.found.push(Recovery::FileGone { file: name });
                head.segment = head.tip.seq + 1;
                head.bytes = 0;
                return self.attach(head);
            }
        };
        let settled = match len.cmp(&head.bytes) {
            Ordering::Equal => Ok(()),
            Ordering::Less => self.accept_loss(head, &name, &file, len),
            Ordering::Greater => self.accept_rest(head, &name, &file, len),
        };
        settled.map_err(|source| StoreError::io("repair", &self.dir.path_of(&name), source))?;
        Ok(file)
    }

    /// The chain goes on from the record that the head knows, so that the gap shows.
    fn accept_loss(&mut self, head: &mut Head, name: &str, file: &File, len: u64) -> io::Result<()> {
        self.found.push(Recovery::Shortened { file: name.to_owned(), expected: head.bytes, found: len });
        head.bytes = end_last_line(file, len)?;
        Ok(())
    }

    /// Looks at what stands after the last record that the head knows.
    fn accept_rest(&mut self, head: &mut Head, name: &str, file: &File, len: u64) -> io::Result<()> {
        if !ends_with(file, head.bytes, &head.tip)? {
            self.found.push(Recovery::Edited { file: name.to_owned() });
            head.bytes = end_last_line(file, len)?;
            return Ok(());
        }
        let (mut ahead, mut foreign, mut torn) = (0, 0, None);
        let mut lines = Lines::new(file.try_clone()?, head.bytes, 0, len)?;
        while let Some(line) = lines.next()? {
            if !line.complete {
                torn = Some(line.end - line.start);
                break;
            }
            match Link::read(line.bytes) {
                Some(link) if link.is_sound() && link.follows(&head.tip) => {
                    head.tip = link.tip();
                    ahead += 1;
                }
                Some(_) | None => foreign += 1,
            }
            head.bytes = line.end;
        }
        if ahead > MAX_BATCH as u64 {
            self.found.push(Recovery::Ahead { file: name.to_owned(), lines: ahead });
        }
        if foreign > 0 {
            self.found.push(Recovery::Foreign { file: name.to_owned(), lines: foreign });
        }
        torn.map_or(Ok(()), |bytes| self.cut_off(name, file, head.bytes, bytes))
    }

    fn cut_off(&mut self, name: &str, mut file: &File, at: u64, bytes: u64) -> io::Result<()> {
        file.seek(SeekFrom::Start(at))?;
        let set_aside = self.set_aside(name, &mut file.take(bytes)).map_err(io::Error::other)?;
        file.set_len(at)?;
        self.found.push(Recovery::Torn { file: name.to_owned(), bytes, set_aside });
        Ok(())
    }

    /// Copies something unusable to a file of its own and returns its name.
    fn set_aside(&self, name: &str, content: &mut dyn Read) -> Result<String, StoreError> {
        let aside = self.dir.name_aside(name, self.now)?;
        let mut file = self.dir.open_or_create(&aside, Access::ReadWrite)?.file;
        io::copy(content, &mut file).map_err(|source| StoreError::io("write", &self.dir.path_of(&aside), source))?;
        Ok(aside)
    }
}

/// Whether the line that ends at `end` is the record `tip`.
fn ends_with(mut file: &File, end: u64, tip: &Tip) -> io::Result<bool> {
    if end == 0 {
        return Ok(true);
    }
    let expected = format!("{}\"}}\n", tip.hash.as_str());
    let Some(start) = end.checked_sub(expected.len() as u64) else { return Ok(false) };
    file.seek(SeekFrom::Start(start))?;
    let mut found = Vec::with_capacity(expected.len());
    file.take(expected.len() as u64).read_to_end(&mut found)?;
    Ok(found == expected.as_bytes())
}

/// Makes sure that the next record begins on a line of its own; returns the file's length.
fn end_last_line(mut file: &File, len: u64) -> io::Result<u64> {
    let Some(last) = len.checked_sub(1) else { return Ok(0) };
    file.seek(SeekFrom::Start(last))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    if byte == *b"\n" {
        return Ok(len);
    }
    file.write_all(b"\n")?;
    Ok(len + 1)
}

/// What the head must have been, judged by the files alone.
fn guess_head(dir: &Dir) -> Result<Head, StoreError> {
    let segments = segment::list(dir)?;
    let Some(newest) = segments.last() else { return Ok(Head::EMPTY) };
    let bytes = survey(dir, newest.first)?.end;
    let mut base = None;
    for segment in &segments {
        base = base.or(survey(dir, segment.first)?.first);
        if base.is_some() {
            break;
        }
    }
    let mut tip = None;
    for segment in segments.iter().rev() {
        tip = survey(dir, segment.first)?.last;
        if tip.is_some() {
            break;
        }
    }
    let base = base.map_or(Tip::NOTHING, |link| link.before());
    Ok(Head { tip: tip.map_or(base, |link| link.tip()), segment: newest.first, bytes, base, witnessed: false })
}

/// The sound records at both ends of a file, and where its last complete line ends.
#[derive(Debug, Default)]
struct FileSurvey {
    first: Option<Link>,
    last: Option<Link>,
    end: u64,
}

fn survey(dir: &Dir, first: u64) -> Result<FileSurvey, StoreError> {
    let mut survey = FileSurvey::default();
    let name = segment::name(first);
    let Some(found) = dir.open(&name, Access::Read)? else { return Ok(survey) };
    let failed = |source| StoreError::io("read", &dir.path_of(&name), source);
    let mut lines = Lines::new(found.file, 0, 0, found.len).map_err(failed)?;
    while let Some(line) = lines.next().map_err(failed)? {
        if !line.complete {
            break;
        }
        survey.end = line.end;
        if let Some(link) = Link::read(line.bytes).filter(Link::is_sound) {
            survey.first.get_or_insert(link);
            survey.last = Some(link);
        }
    }
    Ok(survey)
}
