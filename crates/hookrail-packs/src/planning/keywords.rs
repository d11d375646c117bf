//! Texts as sets of words.

use super::stem::stem;
use super::vocabulary::{base, is_light, is_stop_word};
use std::collections::{BTreeMap, BTreeSet};

/// Two words for one: `sign in`, and `log in` with what may follow it. A log that is kept *in* something is another thing.
const SIGN_IN: [&str; 3] = ["sign", "signed", "signing"];
const LOG_IN: [&str; 3] = ["log", "logged", "logging"];
const AFTER_LOG_IN: [&str; 10] = ["and", "as", "at", "by", "from", "or", "through", "to", "using", "with"];

/// The words of a text that matter, each once, by their stems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Keywords {
    /// With whether the word is light: it matters only if the other side has it too.
    words: BTreeMap<String, Weight>,
}

/// How much a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Light,
    Full,
}

impl Keywords {
    /// Punctuation parts words: `real-time` is two, and so is a short name like `notification_channels` (errata C20).
    pub fn of(text: &str) -> Self {
        let mut words = BTreeMap::new();
        // Each word is looked at once, however often a long text repeats it.
        let spellings: BTreeSet<String> = split(text).into_iter().collect();
        for word in spellings.iter().filter(|word| matters(word)) {
            let weight = if is_light(base(word)) { Weight::Light } else { Weight::Full };
            let known = words.entry(stem(word)).or_insert(weight);
            *known = weight.max(*known);
        }
        Self { words }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn contains(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// The words that count where the other side has `others`.
    pub fn counted<'a>(&'a self, others: &'a Self) -> impl Iterator<Item = &'a str> {
        let counts = |word: &str, weight: &Weight| *weight == Weight::Full || others.contains(word);
        self.words.iter().filter(move |(word, weight)| counts(word, weight)).map(|(word, _)| word.as_str())
    }

    /// How many words both have.
    pub fn common(&self, other: &Self) -> usize {
        self.words.keys().filter(|word| other.contains(word)).count()
    }

    pub fn without(&self, other: &Self) -> Self {
        self.without_any(|word| other.contains(word))
    }

    pub fn without_all(&self, others: &BTreeSet<String>) -> Self {
        self.without_any(|word| others.contains(word))
    }

    fn without_any(&self, is_out: impl Fn(&str) -> bool) -> Self {
        let kept = self.words.iter().filter(|(word, _)| !is_out(word));
        Self { words: kept.map(|(word, weight)| (word.clone(), *weight)).collect() }
    }
}

/// The words of a text in small letters, grammar included.
pub(super) fn split(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1 || word.parse::<u8>().is_ok())
        .collect();
    let is_log_in = |at: usize| {
        let word = |offset: usize| words.get(at + offset).copied();
        let follows = || word(2).is_none_or(|next| AFTER_LOG_IN.contains(&next));
        let is_verb = word(0).is_some_and(|word| SIGN_IN.contains(&word) || LOG_IN.contains(&word) && follows());
        is_verb && matches!(word(1), Some("in" | "on"))
    };
    let one = |(at, word): (usize, &&str)| if is_log_in(at) { "login".to_owned() } else { (*word).to_owned() };
    words.iter().enumerate().map(one).collect()
}

/// Whether a word may say what a text is about.
pub(super) fn matters(word: &str) -> bool {
    !is_stop_word(base(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_the_set_of_its_words_that_matter() {
        for (text, expected) in [
            ("Should we use Redis for session caching?", "cach redis sess"),
            ("What caching strategy for sessions?", "cach sess strateg"),
            ("notification_channels", "channel notif"),
            ("real-time (REAL TIME) real.time", "real tim"),
            ("What is it?", ""),
            ("How do users log in?", "authent user"),
            ("Do we log in JSON?", "json log"),
            ("", ""),
        ] {
            let words: Vec<String> = Keywords::of(text).words.into_keys().collect();
            assert_eq!(words.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_light_word_counts_only_if_the_other_side_has_it() {
        let question = Keywords::of("Which caching strategy do we implement?");
        for (other, expected) in [("caching", "cach"), ("caching strategy", "cach strateg"), ("redis", "cach")] {
            let other = Keywords::of(other);
            let counted: Vec<&str> = question.counted(&other).collect();
            assert_eq!(counted.join(" "), expected, "{other:?}");
        }
    }
}
