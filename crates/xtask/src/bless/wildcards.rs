//! Keeps `[..]` and `...` of a recorded session when it is recorded again: `TRYCMD=overwrite` replaces them by what this
//! run happened to print.

const IN_A_LINE: &str = "[..]";
const LINES: &str = "...";
/// Where the output of one command ends.
const FENCE: &str = "```";

pub(super) fn has_any(text: &str) -> bool {
    text.contains(IN_A_LINE) || text.lines().any(|line| line == LINES)
}

/// `now` with the lines of `before` wherever those still describe it.
pub(super) fn restored(before: &str, now: &str) -> String {
    let (before, now): (Vec<&str>, Vec<&str>) = (before.lines().collect(), now.lines().collect());
    let mut text = Alignment::of(&before, &now).lines().join("\n");
    text.push('\n');
    text
}

/// Which lines of two texts belong together: the longest common subsequence, where a line with wildcards is the same as
/// every line it matches.
struct Alignment<'a> {
    before: &'a [&'a str],
    now: &'a [&'a str],
    /// How many lines of `before[i..]` can be kept for `now[j..]`, at `i * (now.len() + 1) + j`.
    kept: Vec<usize>,
}

enum Move {
    /// The old line stands for the next `count` new lines.
    Keep {
        count: usize,
    },
    DropOld,
    TakeNew,
}

impl<'a> Alignment<'a> {
    fn of(before: &'a [&'a str], now: &'a [&'a str]) -> Self {
        let mut alignment = Self { before, now, kept: vec![0; (before.len() + 1) * (now.len() + 1)] };
        for i in (0..before.len()).rev() {
            for j in (0..=now.len()).rev() {
                let (_, score) = alignment.best(i, j);
                if let Some(cell) = alignment.kept.get_mut(i * (now.len() + 1) + j) {
                    *cell = score;
                }
            }
        }
        alignment
    }

    fn score(&self, i: usize, j: usize) -> usize {
        self.kept.get(i * (self.now.len() + 1) + j).copied().unwrap_or_default()
    }

    /// What to do with the line `before[i]` at `now[j]`, and how many lines are kept then.
    fn best(&self, i: usize, j: usize) -> (Move, usize) {
        let mut best = (Move::DropOld, self.score(i + 1, j));
        if j < self.now.len() && self.score(i, j + 1) > best.1 {
            best = (Move::TakeNew, self.score(i, j + 1));
        }
        if let Some(count) = self.covered(i, j) {
            let score = 1 + self.score(i + 1, j + count);
            if score >= best.1 {
                best = (Move::Keep { count }, score);
            }
        }
        best
    }

    /// How many new lines from `j` on the old line `i` describes.
    fn covered(&self, i: usize, j: usize) -> Option<usize> {
        let old = *self.before.get(i)?;
        if old != LINES {
            return self.now.get(j).is_some_and(|new| matches(old, new)).then_some(1);
        }
        let next = *self.before.get(i + 1)?;
        for (count, new) in self.now.get(j..)?.iter().enumerate() {
            if matches(next, new) {
                return (count > 0).then_some(count);
            }
            if new.starts_with(FENCE) {
                return None;
            }
        }
        None
    }

    fn lines(&self) -> Vec<&'a str> {
        let (mut i, mut j, mut lines) = (0, 0, Vec::new());
        while let Some(old) = self.before.get(i) {
            match self.best(i, j).0 {
                Move::Keep { count } => {
                    lines.push(*old);
                    (i, j) = (i + 1, j + count);
                }
                Move::DropOld => i += 1,
                Move::TakeNew => {
                    lines.extend(self.now.get(j));
                    j += 1;
                }
            }
        }
        lines.extend(self.now.get(j..).unwrap_or_default());
        lines
    }
}

/// Whether a recorded line describes a printed one.
fn matches(recorded: &str, printed: &str) -> bool {
    let mut parts = recorded.split(IN_A_LINE);
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_line_describes_what_its_wildcards_allow() {
        let cases = [
            ("took 3 ms", "took 3 ms", true),
            ("took 3 ms", "took 4 ms", false),
            ("took [..] ms", "took 17 ms", true),
            ("took [..] ms", "took 17 s", false),
            ("[..] of [..] at [..]", "1 of 2 at 10:15", true),
            ("[..] of [..] at [..]", "1 of 2", false),
            ("a[..]a", "a", false),
        ];
        for (recorded, printed, expected) in cases {
            assert_eq!(matches(recorded, printed), expected, "{recorded:?} against {printed:?}");
        }
    }

    #[test]
    fn wildcards_stay_where_they_still_hold() {
        let cases = [
            ("a line that holds is kept", "id [..]\nend\n", "id 7\nend\n", "id [..]\nend\n"),
            ("a line that no longer holds is replaced", "id [..]\nend\n", "name x\nend\n", "name x\nend\n"),
            ("new lines stand between kept ones", "id [..]\nend\n", "id 7\nmore\nend\n", "id [..]\nmore\nend\n"),
            ("old lines go", "id [..]\nold\nend\n", "id 7\nend\n", "id [..]\nend\n"),
            ("skipped lines stay skipped", "$ x\n...\nend\n```\n", "$ x\n1\n2\nend\n```\n", "$ x\n...\nend\n```\n"),
            ("skipped lines end with their command", "...\nend\n```\n", "1\n```\nend\n", "1\n```\nend\n"),
        ];
        for (name, before, now, expected) in cases {
            assert_eq!(restored(before, now), expected, "{name}");
        }
    }
}
