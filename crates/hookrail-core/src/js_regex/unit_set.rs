//! Sets of UTF-16 code units: what one position of a text may be.

/// Inclusive ranges of units, sorted, neither overlapping nor touching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnitSet {
    ranges: Vec<(u16, u16)>,
}

/// `\d`.
pub(super) const DIGITS: &[(u16, u16)] = &[(0x30, 0x39)];

/// `\w`.
pub(super) const WORD: &[(u16, u16)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];

/// `\s`: white space and line ends.
pub(super) const SPACE: &[(u16, u16)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];

/// What `.` does not match.
pub(super) const LINE_ENDS: &[(u16, u16)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];

impl UnitSet {
    /// The set of everything in `ranges`, which may come in any order.
    pub(super) fn new(ranges: &[(u16, u16)]) -> UnitSet {
        let mut sorted = ranges.to_vec();
        sorted.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::with_capacity(sorted.len());
        for (start, end) in sorted {
            match merged.last_mut() {
                Some(last) if u32::from(start) <= u32::from(last.1) + 1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        UnitSet { ranges: merged }
    }

    pub(super) fn all() -> UnitSet {
        UnitSet { ranges: vec![(0, u16::MAX)] }
    }

    /// Everything that is not in this set.
    pub(super) fn complement(&self) -> UnitSet {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = Some(0);
        for &(start, end) in &self.ranges {
            if let Some(from) = next
                && from < start
            {
                ranges.push((from, start - 1));
            }
            next = end.checked_add(1);
        }
        if let Some(from) = next {
            ranges.push((from, u16::MAX));
        }
        UnitSet { ranges }
    }

    pub(super) fn ranges(&self) -> &[(u16, u16)] {
        &self.ranges
    }

    pub(super) fn units(&self) -> impl Iterator<Item = u16> {
        self.ranges.iter().flat_map(|&(start, end)| start..=end)
    }
}
