//! Timing, fairly.

use std::time::{Duration, Instant};

/// How long each contender takes: `rounds` rounds in which everyone runs once, medians of each.
pub(super) fn race<const N: usize>(rounds: usize, contenders: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::with_capacity(rounds));
    let mut contenders = contenders;
    for _ in 0..rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            contender();
            times.push(start.elapsed());
        }
    }
    times.map(median)
}

/// The time of one of `count` repetitions, for work too short to be timed alone.
pub(super) fn each(rounds: usize, count: u32, mut work: impl FnMut()) -> Duration {
    let [time] = race(rounds, [&mut || (0..count).for_each(|_| work())]);
    time / count
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
