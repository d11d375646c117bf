use super::event::{EventRow, Verdict, sub_agent};
use super::names::{Name, Names};
use hookrail_store::JournalRecord;
use serde::Serialize;
use std::collections::VecDeque;

/// So many of the newest events are drawn in a lane.
const MARKS: usize = 60;

/// One session of an agent, with its sub-agents.
#[derive(Clone, Debug)]
pub struct SessionRow {
    pub id: Name,
    pub agent: Name,
    pub project: Name,
    pub first: i64,
    pub last: i64,
    pub events: u64,
    pub counts: Counts,
    /// The main agent first, without an id.
    pub lanes: Vec<LaneRow>,
    /// The agent said that the session is over.
    pub ended: bool,
}

/// The main agent of a session, or one of its sub-agents.
#[derive(Clone, Debug)]
pub struct LaneRow {
    pub id: Name,
    /// What kind of sub-agent it is.
    pub title: Name,
    pub events: u64,
    pub first: i64,
    pub last: i64,
    pub ended: bool,
    pub marks: VecDeque<(u64, Verdict)>,
}

/// How many events came to which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub none: u64,
    pub failed: u64,
    pub warned: u64,
    pub allow: u64,
    pub ask: u64,
    pub deny: u64,
    pub stop: u64,
}

impl Counts {
    pub fn add(&mut self, verdict: Verdict) {
        self.add_many(verdict, 1);
    }

    pub fn add_many(&mut self, verdict: Verdict, events: u64) {
        *self.of(verdict) += events;
    }

    /// The event turned out to be more severe than it was when it was counted.
    pub fn change(&mut self, from: Verdict, to: Verdict) {
        *self.of(from) = self.of(from).saturating_sub(1);
        self.add(to);
    }

    fn of(&mut self, verdict: Verdict) -> &mut u64 {
        match verdict {
            Verdict::None => &mut self.none,
            Verdict::Failed => &mut self.failed,
            Verdict::Warned => &mut self.warned,
            Verdict::Allow => &mut self.allow,
            Verdict::Ask => &mut self.ask,
            Verdict::Deny => &mut self.deny,
            Verdict::Stop => &mut self.stop,
        }
    }
}

impl SessionRow {
    pub fn begin(row: &EventRow) -> Self {
        let lane = LaneRow::begin(Name::NONE, row.millis);
        Self {
            id: row.session,
            agent: row.agent,
            project: row.project,
            first: row.millis,
            last: row.millis,
            events: 0,
            counts: Counts::default(),
            lanes: vec![lane],
            ended: false,
        }
    }

    /// A new event of the session; its runs are told by [`Self::grow`].
    pub fn enter(&mut self, row: &EventRow, record: &JournalRecord, names: &mut Names) {
        self.events += 1;
        self.last = self.last.max(row.millis);
        self.counts.add(Verdict::None);
        self.ended = record.event == "SessionEnd";
        if self.project == Name::NONE {
            self.project = row.project;
        }
        let title = names.intern(sub_agent(record, "agent_type").unwrap_or_default());
        let lane = self.lane(row.lane, row.millis);
        lane.events += 1;
        lane.last = lane.last.max(row.millis);
        lane.ended = record.event == "SubagentStop" && row.lane != Name::NONE;
        if title != Name::NONE {
            lane.title = title;
        }
        if lane.marks.len() == MARKS {
            lane.marks.pop_front();
        }
        lane.marks.push_back((row.seq, Verdict::None));
    }

    /// The newest event of the session became more severe by a further run.
    pub fn grow(&mut self, row: &EventRow, before: Verdict) {
        if before == row.verdict {
            return;
        }
        self.counts.change(before, row.verdict);
        if let Some(mark) = self.lane(row.lane, row.millis).marks.back_mut().filter(|mark| mark.0 == row.seq) {
            mark.1 = row.verdict;
        }
    }

    fn lane(&mut self, id: Name, millis: i64) -> &mut LaneRow {
        let known = self.lanes.iter().position(|lane| lane.id == id);
        let at = known.unwrap_or_else(|| {
            self.lanes.push(LaneRow::begin(id, millis));
            self.lanes.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the place was found or made a line above")]
        &mut self.lanes[at]
    }

    pub fn shown(&self, names: &Names) -> ShownSession {
        let lane = |lane: &LaneRow| ShownLane {
            id: names.text(lane.id).to_owned(),
            title: names.text(lane.title).to_owned(),
            events: lane.events,
            first: lane.first,
            last: lane.last,
            ended: lane.ended,
            marks: lane.marks.iter().copied().collect(),
        };
        ShownSession {
            id: names.text(self.id).to_owned(),
            agent: names.text(self.agent).to_owned(),
            project: names.text(self.project).to_owned(),
            first: self.first,
            last: self.last,
            events: self.events,
            counts: self.counts,
            ended: self.ended,
            lanes: self.lanes.iter().map(lane).collect(),
        }
    }
}

impl LaneRow {
    fn begin(id: Name, millis: i64) -> Self {
        let (first, last) = (millis, millis);
        Self { id, title: Name::NONE, events: 0, first, last, ended: false, marks: VecDeque::new() }
    }
}

/// A session as it is sent to the page.
#[derive(Clone, Debug, Serialize)]
pub struct ShownSession {
    pub id: String,
    pub agent: String,
    pub project: String,
    pub first: i64,
    pub last: i64,
    pub events: u64,
    pub counts: Counts,
    pub ended: bool,
    pub lanes: Vec<ShownLane>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ShownLane {
    pub id: String,
    pub title: String,
    pub events: u64,
    pub first: i64,
    pub last: i64,
    pub ended: bool,
    /// The newest events: the number of the first record and the verdict.
    pub marks: Vec<(u64, Verdict)>,
}
