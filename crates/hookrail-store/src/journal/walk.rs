use super::anchor::Anchor;
use super::chain::{Digest, Link, Tip};
use super::head::{self, Head};
use super::recovery::fault_in;
use super::report::{Fault, Note, Problem, RecordPosition, Report};
use super::{MAX_BATCH, segment};

/// More problems than this are only counted: a file of something else has one in every line.
const MAX_PROBLEMS: usize = 1000;

/// A place before it has a name: the first record of the file, 0 for the head, and the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub segment: u64,
    pub line: u64,
}

const HEAD: Spot = Spot { segment: 0, line: 1 };

/// Goes along the chain, line by line, and finds out where it breaks.
#[derive(Debug, Default)]
pub(super) struct ChainWalk {
    /// The last record in order. `None` at a beginning of which nothing is known.
    tip: Option<Tip>,
    tip_spot: Option<Spot>,
    /// The line looked at last; line 0 at the beginning of a file.
    last: Spot,
    suspects: SuspectLines,
    gaps: Vec<Gap>,
    /// What the head says is the newest record.
    newest: Option<Tip>,
    /// A record that the witness knows, and how it must look.
    witnessed: Option<Tip>,
    /// Records that are known from elsewhere and that were not met yet.
    anchors: Vec<Anchor>,
    unconfirmed: u64,
    files: u64,
    lines: u64,
    sound: u64,
    problems: Vec<(Spot, Fault)>,
    more_problems: u64,
}

/// Lines since the tip that are blamed already. Each may be what is left of a record, or something inserted.
#[derive(Debug, Default)]
struct SuspectLines {
    lines: u64,
    /// The hashes by which the next record may know the last of them: the one it carries and the one it has.
    hashes: Option<[Digest; 2]>,
}

/// Records that did not come where they should have.
#[derive(Debug)]
struct Gap {
    from: u64,
    to: u64,
    spot: Spot,
}

impl ChainWalk {
    pub fn new(head: Option<&Head>, witness: Option<&Head>, anchors: &[Anchor]) -> Self {
        Self {
            tip: head.map(|head| head.base),
            newest: head.map(|head| head.tip),
            witnessed: witness.map(|witness| witness.tip).filter(|tip| *tip != Tip::NOTHING),
            anchors: anchors.to_vec(),
            ..Self::default()
        }
    }

    pub fn blame_head(&mut self, fault: Fault) {
        self.blame(HEAD, fault);
    }

    pub fn enter_file(&mut self, segment: u64) {
        self.files += 1;
        self.last = Spot { segment, line: 0 };
    }

    /// Everything up to `base` was removed on purpose since the check began.
    pub fn skip_to(&mut self, base: Tip) {
        if self.tip.is_none_or(|tip| tip.seq < base.seq) {
            self.tip = Some(base);
            self.tip_spot = None;
            self.suspects = SuspectLines::default();
        }
    }

    /// Looks at the next line.
    pub fn visit(&mut self, spot: Spot, line: &[u8]) {
        self.lines += 1;
        self.last = spot;
        match Link::read(line) {
            None => self.distrust(spot, Fault::Unreadable, None),
            Some(link) if !link.is_sound() => self.distrust(spot, Fault::Changed, Some([link.hash, link.actual])),
            Some(link) => {
                self.place(spot, &link);
                fault_in(line).into_iter().for_each(|fault| self.blame(spot, fault));
            }
        }
    }

    /// Looks at a last line that should have a line break and has none.
    pub fn visit_unfinished(&mut self, spot: Spot, line: &[u8]) {
        let sound = self.sound;
        self.visit(spot, line);
        if self.sound > sound {
            self.blame(spot, Fault::Unfinished);
        }
    }

    pub fn finish(mut self, head: Option<&Head>, has_last_file: bool) -> Report {
        for gap in std::mem::take(&mut self.gaps) {
            let Gap { from, to, spot } = gap;
            // Only between two files can a file be missing, and not one that is there without its beginning.
            let fault = if spot.line == 1 && spot.segment != from {
                Fault::FileMissing { file: segment::name(from), from, to }
            } else {
                Fault::Missing { from, to }
            };
            self.blame(spot, fault);
        }
        if let Some(head) = head {
            self.compare_end(head, has_last_file);
        }
        let mut notes = self.notes(head);
        self.judge_anchors(head, &mut notes);
        self.problems.sort_by_key(|(spot, _)| *spot);
        let problems = self.problems.into_iter().map(|(spot, fault)| Problem { place: place(spot), fault }).collect();
        let Self { files, lines, sound, more_problems, .. } = self;
        Report { files, lines, sound, problems, more_problems, notes }
    }

    /// Finds the place of a record that is sound in itself.
    fn place(&mut self, spot: Spot, link: &Link) {
        let Some(tip) = self.tip else { return self.advance(spot, link) };
        let follows_suspect = self.suspects.hashes.is_some_and(|hashes| hashes.contains(&link.prev));
        if link.follows(&tip) || follows_suspect {
            return self.advance(spot, link);
        }
        if link.seq <= tip.seq {
            let seq = link.seq;
            let fault = if self.fill_gap(seq) { Fault::OutOfOrder { seq } } else { Fault::Repeated { seq } };
            return self.blame(spot, fault);
        }
        let next = tip.seq.saturating_add(1);
        let from = next.saturating_add(self.suspects.lines);
        if link.seq > from {
            self.gaps.push(Gap { from, to: link.seq - 1, spot });
        } else if link.seq == next {
            self.blame(self.tip_spot.unwrap_or(spot), Fault::Replaced);
        }
        self.advance(spot, link);
    }

    fn advance(&mut self, spot: Spot, link: &Link) {
        self.sound += 1;
        if let Some(newest) = self.newest {
            if link.seq == newest.seq && link.hash != newest.hash {
                self.blame(spot, Fault::Replaced);
            }
            if link.seq > newest.seq {
                self.unconfirmed += 1;
            }
        }
        if self
            .witnessed
            .is_some_and(|known| known.seq == link.seq && known.hash != link.hash && self.newest != Some(known))
        {
            self.blame(spot, Fault::Replaced);
        }
        self.meet_anchors(spot, link);
        self.tip = Some(link.tip());
        self.tip_spot = Some(spot);
        self.suspects = SuspectLines::default();
    }

    fn distrust(&mut self, spot: Spot, fault: Fault, hashes: Option<[Digest; 2]>) {
        self.blame(spot, fault);
        self.suspects.lines += 1;
        self.suspects.hashes = hashes;
    }

    /// Takes a record out of the gap that it left.
    fn fill_gap(&mut self, seq: u64) -> bool {
        let Some(index) = self.gaps.iter().position(|gap| (gap.from..=gap.to).contains(&seq)) else { return false };
        let Gap { from, to, spot } = self.gaps.swap_remove(index);
        if from < seq {
            self.gaps.push(Gap { from, to: seq - 1, spot });
        }
        if seq < to {
            self.gaps.push(Gap { from: seq + 1, to, spot });
        }
        true
    }

    /// Compares the end of the chain with the head.
    fn compare_end(&mut self, head: &Head, has_last_file: bool) {
        if self.unconfirmed > MAX_BATCH as u64 {
            self.blame(self.last, Fault::Ahead { records: self.unconfirmed });
        }
        let from = self.tip.map_or(0, |tip| tip.seq).saturating_add(1).saturating_add(self.suspects.lines);
        let to = head.tip.seq;
        let ends_in_suspects = self.suspects.hashes.is_some_and(|hashes| hashes.contains(&head.tip.hash));
        if from > to || ends_in_suspects {
            return;
        }
        if has_last_file {
            self.blame(Spot { line: self.last.line + 1, ..self.last }, Fault::CutOff { from, to });
        } else {
            let file = segment::name(head.segment);
            self.blame(Spot { segment: head.segment, line: 1 }, Fault::FileMissing { file, from, to });
        }
    }

    /// Compares a record with the anchors that name it.
    fn meet_anchors(&mut self, spot: Spot, link: &Link) {
        let met = |anchor: &Anchor| anchor.seq().map_or(anchor.digest() == link.hash, |seq| seq == link.seq);
        for anchor in self.anchors.extract_if(.., |anchor| met(anchor)).collect::<Vec<_>>() {
            if anchor.digest() != link.hash {
                self.blame(spot, Fault::NotTheAnchor(anchor));
            }
        }
    }

    /// Anchors that no record answered to.
    fn judge_anchors(&mut self, head: Option<&Head>, notes: &mut Vec<Note>) {
        let base = head.map_or(0, |head| head.base.seq);
        for anchor in std::mem::take(&mut self.anchors) {
            if anchor.seq().is_some_and(|seq| seq <= base) {
                notes.push(Note::AnchorPruned(anchor));
            } else {
                self.blame(Spot { line: self.last.line + 1, ..self.last }, Fault::AnchorMissing(anchor));
            }
        }
    }

    fn notes(&self, head: Option<&Head>) -> Vec<Note> {
        let mut notes = Vec::new();
        if let Some(base) = head.map(|head| head.base).filter(|base| *base != Tip::NOTHING) {
            notes.push(Note::Pruned { last: base.seq });
        }
        if (1..=MAX_BATCH as u64).contains(&self.unconfirmed) {
            notes.push(Note::Unconfirmed { records: self.unconfirmed });
        }
        notes
    }

    fn blame(&mut self, spot: Spot, fault: Fault) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push((spot, fault));
        } else {
            self.more_problems += 1;
        }
    }
}

pub(super) fn place(spot: Spot) -> RecordPosition {
    let file = if spot.segment == HEAD.segment { head::NAME.to_owned() } else { segment::name(spot.segment) };
    RecordPosition { file, line: spot.line }
}
