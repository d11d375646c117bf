//! What it all came to.

use super::project::PACKS;
use super::script::DemoOutput;
use super::step::{DemoOutcome, DemoStep};
use std::io;
use std::time::Duration;

/// Counts what an output sees.
#[derive(Debug, Default)]
pub struct Summary {
    pub events: usize,
    pub runs: usize,
    pub refused: usize,
    pub sent_on: usize,
    /// How often hooks of each pack looked, and how often they objected.
    pub packs: Vec<PackCount>,
    /// How long a whole `hookrail hook` process takes on this machine, if it could be measured.
    pub process_time: Option<Duration>,
    times: Vec<Duration>,
}

#[derive(Debug)]
pub struct PackCount {
    pub pack: &'static str,
    pub looks: usize,
    pub objections: usize,
}

impl Summary {
    pub fn count(&mut self, step: &DemoStep) {
        let DemoStep::Event(demo_event) = step else { return };
        self.events += 1;
        self.runs += demo_event.looks.len();
        self.times.push(demo_event.time());
        match demo_event.outcome() {
            DemoOutcome::Refused => self.refused += 1,
            DemoOutcome::SentOn => self.sent_on += 1,
            DemoOutcome::Passed | DemoOutcome::Failed => {}
        }
        if self.packs.is_empty() {
            let empty = |pack| PackCount { pack, looks: 0, objections: 0 };
            self.packs = ["core", "safety"].into_iter().chain(PACKS).map(empty).collect();
        }
        for count in &mut self.packs {
            let looks = || demo_event.looks.iter().filter(|look| look.pack() == count.pack);
            count.looks += looks().count();
            count.objections += looks().filter(|look| look.refuses()).count();
        }
    }

    /// How long the hooks of an event took, in the middle of all events.
    pub fn median(&self) -> Duration {
        median(self.times.clone()).unwrap_or_default()
    }
}

/// The one in the middle.
pub fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

/// Counts beside showing.
pub struct Counted<'a, A: DemoOutput> {
    pub output: &'a mut A,
    pub summary: &'a mut Summary,
}

impl<A: DemoOutput> DemoOutput for Counted<'_, A> {
    fn see(&mut self, step: &DemoStep) -> io::Result<()> {
        self.summary.count(step);
        self.output.see(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let times = |micros: &[u64]| micros.iter().map(|micros| Duration::from_micros(*micros)).collect();
        assert_eq!(median(times(&[])), None);
        assert_eq!(median(times(&[9, 1, 5])), Some(Duration::from_micros(5)));
        assert_eq!(Summary::default().median(), Duration::ZERO);
    }
}
