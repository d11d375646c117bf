//! The known word that is meant by an unknown one.

/// The closest spelling that is close enough to be a slip.
#[must_use]
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let length = lower.chars().count();
    candidates
        .into_iter()
        // As many changes as the lengths differ by are needed in any case.
        .filter(|candidate| length.abs_diff(candidate.chars().count()) <= candidate.len() / 2)
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance <= candidate.len() / 2)
        .map(|(_, candidate)| candidate)
}

/// How many characters to insert, remove, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, right) in b.iter().enumerate() {
            let cost = |row: &[usize], column: usize, more: usize| row.get(column).map_or(usize::MAX, |it| it + more);
            let substituted = cost(&last, j, usize::from(left != right));
            let swaps = i > 0 && j > 0 && a.get(i - 1) == Some(right) && b.get(j - 1) == Some(left);
            let swapped = if swaps { cost(&before_last, j - 1, 1) } else { usize::MAX };
            row.push(substituted.min(swapped).min(cost(&last, j + 1, 1)).min(cost(&row, j, 1)));
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edit_distance_counts_changes() {
        for (a, b, expected) in [
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abc", 0),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            ("lgo", "log", 1),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
