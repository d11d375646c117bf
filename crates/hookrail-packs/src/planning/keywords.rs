//! What a question is about, as a set of words.

use std::collections::BTreeSet;

/// Words that say nothing about the subject, question words among them (errata C18).
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "may", "might", "must",
    "my", "of", "on", "or", "our", "shall", "should", "so", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "to", "us", "use", "used", "using", "was", "we", "were", "what", "when", "where", "which",
    "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// The words of a text that matter, lowercase, each once, plurals as singulars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Keywords(BTreeSet<String>);

/// How much two texts have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overlap {
    pub common: usize,
    pub of: usize,
}

impl Keywords {
    /// Punctuation parts words: `real-time` is two, and so is a short name like `notification_channels` (errata C20).
    pub fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        Self(words.filter(|word| !STOP_WORDS.contains(word)).map(singular).collect())
    }

    /// What share of `decided` stands in this question, or of this question in `decided`, whichever is greater: a short
    /// question about a decided subject asks for it again even if the decision says more (errata C18).
    pub fn overlap(&self, decided: &Self) -> Option<Overlap> {
        let common = self.0.intersection(&decided.0).count();
        let of = self.0.len().min(decided.0.len());
        (common > 0).then_some(Overlap { common, of })
    }
}

impl Overlap {
    pub fn reaches(self, threshold: f64) -> bool {
        self.common as f64 >= threshold * self.of as f64 - 1e-9
    }
}

/// Without the `s` of a plural.
fn singular(word: &str) -> String {
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']));
    let Some(stem) = stem else { return word.to_owned() };
    match stem.strip_suffix("ie") {
        Some(root) if root.len() > 2 => format!("{root}y"),
        _ => stem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Keywords::of(text).0.into_iter().collect()
    }

    #[test]
    fn a_text_becomes_the_set_of_its_words_that_matter() {
        for (text, expected) in [
            ("Should we use Redis for session caching?", vec!["caching", "redis", "session"]),
            ("What caching strategy for sessions?", vec!["caching", "session", "strategy"]),
            ("notification_channels", vec!["channel", "notification"]),
            ("real-time (REAL TIME) real.time", vec!["real", "time"]),
            ("policies, caches, status, analysis, class, is", vec!["analysis", "cache", "class", "policy", "status"]),
            ("Größe der Straße", vec!["der", "größe", "straße"]),
            ("What is it?", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn the_overlap_is_counted_against_the_shorter_of_two_texts() {
        for (question, decided, expected) in [
            ("What caching strategy for sessions?", "Should we use Redis for session caching?", Some((2, 3))),
            ("What caching to use?", "Use Redis for caching", Some((1, 1))),
            ("Is Redis good?", "Use Redis for session caching in production", Some((1, 2))),
            ("What color for the button?", "Use Redis for caching", None),
            ("What is it?", "Use it?", None),
        ] {
            let overlap = Keywords::of(question).overlap(&Keywords::of(decided));
            assert_eq!(overlap.map(|overlap| (overlap.common, overlap.of)), expected, "{question}");
        }
    }

    #[test]
    fn a_threshold_is_reached_exactly() {
        for (common, of, threshold, expected) in
            [(3, 5, 0.6, true), (2, 3, 0.6, true), (1, 2, 0.6, false), (1, 2, 0.5, true), (2, 3, 1.0, false)]
        {
            assert_eq!(Overlap { common, of }.reaches(threshold), expected, "{common}/{of} {threshold}");
        }
    }
}
