//! Several files of one session, read side by side: what sub-agents did is judged between what the session did before and after.
//!
//! A file is opened when the session gets to the time at which it begins and closed at its end, so that only the files of
//! sub-agents that worked at the same time are open at once.

use super::{SessionFile, Sink, Source, Step, TranscriptProblem};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::Path;

pub(super) fn read<'f>(
    files: &'f [SessionFile],
    open: fn(&'f SessionFile) -> Box<dyn Source + 'f>,
    sink: &mut dyn Sink,
) -> ControlFlow<()> {
    let mut waiting: Vec<&SessionFile> = files.iter().collect();
    // The next one is the last; among those that begin at the same time it is the first that was given.
    waiting.sort_by_key(|file| file.begun.unwrap_or(i64::MIN));
    waiting.reverse();
    let mut reading: Vec<OpenTranscript<'f>> = Vec::new();
    loop {
        for file in &mut reading {
            file.read_ahead(sink)?;
        }
        reading.retain(|file| !file.steps.is_empty());
        let next =
            reading.iter().enumerate().min_by_key(|(_, file)| file.clock).map(|(index, file)| (index, file.clock));
        let begins = |file: &&&SessionFile| next.is_none_or(|(_, clock)| file.begun.is_none_or(|begun| begun <= clock));
        if let Some(file) = waiting.last().filter(begins) {
            reading.push(OpenTranscript { source: open(file), steps: VecDeque::new(), clock: 0, more: true });
            waiting.pop();
            continue;
        }
        let Some((index, _)) = next else { return ControlFlow::Continue(()) };
        if let Some(file) = reading.get_mut(index)
            && let Some(step) = file.next()
        {
            sink.step(step);
        }
    }
}

struct OpenTranscript<'f> {
    source: Box<dyn Source + 'f>,
    /// What was read and not yet given.
    steps: VecDeque<Step>,
    /// When the next of them happened. A step without a time happened with the one before it.
    clock: i64,
    more: bool,
}

impl OpenTranscript<'_> {
    fn read_ahead(&mut self, sink: &mut dyn Sink) -> ControlFlow<()> {
        let fresh = self.steps.is_empty();
        while self.steps.is_empty() && self.more {
            self.more = self.source.read_on(&mut Ahead { steps: &mut self.steps, sink })?;
        }
        if fresh {
            self.look();
        }
        ControlFlow::Continue(())
    }

    fn next(&mut self) -> Option<Step> {
        let step = self.steps.pop_front();
        self.look();
        step
    }

    fn look(&mut self) {
        self.clock = self.steps.front().map_or(self.clock, |step| self.clock.max(step.millis()));
    }
}

/// Keeps steps, and passes on everything else.
struct Ahead<'a> {
    steps: &'a mut VecDeque<Step>,
    sink: &'a mut dyn Sink,
}

impl Sink for Ahead<'_> {
    fn step(&mut self, step: Step) {
        self.steps.push_back(step);
    }

    fn trouble(&mut self, file: &Path, trouble: TranscriptProblem) {
        self.sink.trouble(file, trouble);
    }

    fn advance(&mut self, bytes: u64) -> ControlFlow<()> {
        self.sink.advance(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps that are given one at a time.
    struct Script(VecDeque<i64>);

    impl Source for Script {
        fn read_on(&mut self, sink: &mut dyn Sink) -> ControlFlow<(), bool> {
            let Some(millis) = self.0.pop_front() else { return ControlFlow::Continue(false) };
            sink.step(Step::Prompt { session: String::new(), millis });
            ControlFlow::Continue(true)
        }
    }

    fn open(file: &SessionFile) -> Box<dyn Source + '_> {
        let times = file.path.to_str().unwrap().split(' ').map(|time| time.parse().unwrap());
        Box::new(Script(times.collect()))
    }

    #[derive(Default)]
    struct Taken(Vec<i64>);

    impl Sink for Taken {
        fn step(&mut self, step: Step) {
            self.0.push(step.millis());
        }
        fn trouble(&mut self, _: &Path, _: TranscriptProblem) {}
        fn advance(&mut self, _: u64) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn steps_of_several_files_come_in_the_order_of_time() {
        /// The times in a file, and when it begins.
        type Times = (&'static str, Option<i64>);
        let cases: [(&[Times], &[i64]); 5] = [
            (&[("1 4 9", None), ("2 3 5", Some(2))], &[1, 2, 3, 4, 5, 9]),
            (&[("1 4 9", None), ("2 3", None), ("10 11", Some(10))], &[1, 2, 3, 4, 9, 10, 11]),
            // Files are in order by themselves, whatever their times are.
            (&[("5 3 8", None), ("6", Some(6))], &[5, 3, 6, 8]),
            (&[("5 0 7", None), ("6", Some(6))], &[5, 0, 6, 7]),
            (&[("5", None), ("1", Some(1)), ("1", Some(1))], &[1, 1, 5]),
        ];
        for (files, expected) in cases {
            let file = |(times, begun): &Times| SessionFile {
                path: (*times).into(),
                bytes: 0,
                written: 0,
                parent: None,
                begun: *begun,
            };
            let files: Vec<SessionFile> = files.iter().map(file).collect();
            let mut times = Taken::default();
            assert!(read(&files, open, &mut times).is_continue());
            assert_eq!(times.0, expected);
        }
    }
}
