//! The known name that is meant by an unknown one.

use std::cmp::Reverse;

/// More mistakes than this in one name, and a guess would only confuse.
const MOST_MISTAKES: usize = 3;

/// The candidate closest to `word`, if one is close. Of equally close ones, the one that begins most alike.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    let rated = candidates.map(|candidate| {
        let lowered = candidate.to_ascii_lowercase();
        (distance(&word, &lowered), Reverse(common_prefix(&word, &lowered)), candidate)
    });
    let limit = MOST_MISTAKES.min(word.chars().count() / 2);
    rated
        .filter(|(mistakes, ..)| *mistakes <= limit)
        .min_by_key(|(mistakes, prefix, _)| (*mistakes, *prefix))
        .map(|best| best.2)
}

/// The same as the end of an error message.
pub fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("\nhint: did you mean `{name}`?")).unwrap_or_default()
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// Characters to insert, delete or replace to turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (done, from) in a.chars().enumerate() {
        let mut diagonal = done;
        let mut left = done + 1;
        let mut next = vec![left];
        for (to, &above) in b.chars().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(from != to)).min(left + 1).min(above + 1);
            diagonal = above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_suggested_and_a_far_one_is_not() {
        let known = ["HOOK-010", "HOOK-016a", "HOOK-016b", "HOOK-107", "SCN-THS-1.1", "SCN-THS-1.2", "H01"];
        let cases = [
            ("HOOK-017", Some("HOOK-010")),
            ("HOOK-016", Some("HOOK-016a")),
            ("HOOK-016c", Some("HOOK-016a")),
            ("HOOK107", Some("HOOK-107")),
            ("hook-107", Some("HOOK-107")),
            ("HOOK-1007", Some("HOOK-107")),
            ("SCN-THS-1", Some("SCN-THS-1.1")),
            ("H1", Some("H01")),
            ("—", None),
            ("", None),
            ("something", None),
        ];
        for (word, expected) in cases {
            assert_eq!(nearest(word, known.into_iter()), expected, "{word}");
        }
    }

    #[test]
    fn distance_counts_single_changes() {
        for (a, b, expected) in
            [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "axc", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
