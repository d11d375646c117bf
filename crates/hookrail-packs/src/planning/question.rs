//! What a question asks, and for what kind of answer.

use super::keywords::{Keywords, matters, split};
use super::stem::stem;
use super::vocabulary::{base, is_light};
use std::collections::BTreeSet;

/// Words after which a question asks for a thing by name.
const ASKS_FOR: [&str; 2] = ["what", "which"];
/// After `how`: what is asked for is a quantity.
const MEASURES: [&str; 13] =
    ["big", "deep", "far", "fast", "heavy", "high", "large", "long", "many", "much", "often", "old", "small"];
/// Nouns for quantities.
const QUANTITIES: [&str; 13] = [
    "amount",
    "budget",
    "count",
    "duration",
    "length",
    "limit",
    "maximum",
    "minimum",
    "number",
    "percentage",
    "period",
    "quota",
    "size",
];
/// Numbers and the like in words.
const NUMBERS: [&str; 19] = [
    "daily",
    "eight",
    "five",
    "four",
    "hundred",
    "monthly",
    "nine",
    "none",
    "once",
    "seven",
    "six",
    "ten",
    "thirty",
    "thousand",
    "three",
    "twice",
    "two",
    "unlimited",
    "weekly",
];
/// Words in answers that say when.
const TIMES: [&str; 9] = ["after", "before", "day", "hour", "minute", "month", "until", "week", "year"];
/// How many words an alternative has at most.
const PHRASE: usize = 2;
/// How many words the name of a thing has at most.
const HEAD: usize = 8;

/// A question as it is compared.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub words: Keywords,
    /// What it asks for by name, word by word: `which Redis version` asks for a Redis version.
    head: Vec<Head>,
    /// What can be chosen: each `or` joins alternatives, which a list may have many of.
    alternatives: Vec<Vec<Vec<String>>>,
    pub kind: Kind,
}

/// A word of what is asked for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    stem: String,
    is_light: bool,
}

/// What kind of answer a question wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One of several things, or yes or no.
    Choice,
    /// A number or a duration.
    Amount,
    Time,
    Reason,
    Place,
    Person,
    Manner,
}

impl Question {
    pub fn read(text: &str) -> Self {
        let text = asked(text);
        let words = split(text);
        Self {
            words: Keywords::of(text),
            head: head(&words),
            alternatives: text.split(['.', '?', '!', ';', ':', '—']).filter_map(alternatives).collect(),
            kind: Kind::of(&words),
        }
    }

    /// The last word of what it asks for by name.
    fn head_word(&self) -> Option<&str> {
        self.head.last().map(|head| head.stem.as_str())
    }

    /// Whether it asks by name for one of these words.
    pub fn asks_for_known(&self, known: &Keywords) -> bool {
        self.head_word().is_some_and(|head| known.contains(head))
    }

    /// Whether both ask for something by name, and not for the same.
    pub fn asks_for_other_head(&self, decided: &Self) -> bool {
        matches!((self.head_word(), decided.head_word()), (Some(asked), Some(known)) if asked != known)
    }

    /// Whether it asks by name for something that the other only mentions: `which partners send data` after `what data format do
    /// partners send`.
    pub fn asks_for_mention(&self, decided: &Self) -> bool {
        let shared = self.head.iter().any(|word| decided.head.iter().any(|other| other.stem == word.stem));
        let mentioned = self.head.iter().any(|word| !word.is_light && decided.words.contains(&word.stem));
        !decided.head.is_empty() && mentioned && !shared
    }

    /// How many of its words count beside these, and how many of those are new. The alternative to a word that is known is not
    /// new: `Redis or Memcached`.
    pub fn new_words(&self, known: &Keywords) -> (usize, usize) {
        let alternatives = self.known_alternatives(known);
        let is_new = |word: &&str| !known.contains(word) && !alternatives.contains(*word);
        (self.words.counted(known).count(), self.words.counted(known).filter(is_new).count())
    }

    /// The words of lists of alternatives of which one is known.
    fn known_alternatives(&self, known: &Keywords) -> BTreeSet<String> {
        let is_known = |list: &&Vec<Vec<String>>| {
            // Before the first `or` stands the rest of the sentence; only the word next to it is sure to be an alternative.
            let first = list.first().and_then(|phrase| phrase.first());
            first.into_iter().chain(list.iter().skip(1).flatten()).any(|word| known.contains(word))
        };
        self.alternatives.iter().filter(is_known).flatten().flatten().cloned().collect()
    }

    /// What can be chosen, as opposed to what it is chosen for.
    pub fn choices(&self) -> BTreeSet<String> {
        self.alternatives.iter().flatten().flatten().cloned().collect()
    }
}

impl Kind {
    fn of(words: &[String]) -> Self {
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).map(String::as_str);
            match word.as_str() {
                "why" => return Self::Reason,
                "when" if at == 0 => return Self::Time,
                "deadline" | "due" => return Self::Time,
                "how" if next.is_some_and(|next| MEASURES.contains(&next)) => return Self::Amount,
                _ => {}
            }
        }
        if words.iter().any(|word| QUANTITIES.contains(&base(word))) {
            return Self::Amount;
        }
        match words.first().map(String::as_str) {
            Some("where") => Self::Place,
            Some("who") => Self::Person,
            Some("how") => Self::Manner,
            _ => Self::Choice,
        }
    }
}

/// Whether a text has a number in it.
pub(super) fn has_number(text: &str) -> bool {
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit()) || NUMBERS.contains(&word.as_str());
    split(text).iter().any(is_number)
}

/// Whether a text says when or for how long.
pub(super) fn has_time(text: &str) -> bool {
    let is_time =
        |word: &String| TIMES.contains(&word.strip_suffix('s').unwrap_or(word)) || TIMES.contains(&word.as_str());
    has_number(text) || split(text).iter().any(is_time)
}

/// The part of a text that asks: its last sentence with a question mark, without what leads up to it (`Before I go on: …`).
fn asked(text: &str) -> &str {
    let text = text.trim();
    let Some(end) = text.rfind('?') else { return text };
    let sentence = text.get(..=end).unwrap_or(text);
    let body = sentence.trim_end_matches('?');
    // A point within a word, as in `Next.js`, ends nothing.
    let ends = |(at, mark): &(usize, &str)| {
        *mark == "\n" || body.get(at + mark.len()..).is_some_and(|rest| rest.starts_with(char::is_whitespace))
    };
    let start = body.rmatch_indices(['.', '!', '?', '\n']).find(ends).map_or(0, |(at, mark)| at + mark.len());
    let sentence = sentence.get(start..).unwrap_or(sentence);
    match sentence.rsplit_once(": ") {
        Some((before, rest)) if !is_question(before) && split(rest).len() > 2 => rest,
        _ => sentence,
    }
}

fn is_question(text: &str) -> bool {
    let asks = |word: &String| {
        matches!(
            word.as_str(),
            "which" | "what" | "how" | "where" | "who" | "when" | "should" | "do" | "does" | "is" | "are"
        )
    };
    split(text).iter().any(asks)
}

/// The words that matter right after `which` or `what`.
fn head(words: &[String]) -> Vec<Head> {
    let after = words.iter().skip_while(|word| !ASKS_FOR.contains(&word.as_str())).skip(1);
    let phrase = after.take_while(|word| matters(word)).take(HEAD);
    phrase.map(|word| Head { stem: stem(word), is_light: is_light(base(word)) }).collect()
}

/// The alternatives of a sentence: what its commas and its `or` part; `None` without an `or`.
fn alternatives(sentence: &str) -> Option<Vec<Vec<String>>> {
    let sentence = sentence.to_lowercase().replace(" - ", " , ");
    if !sentence.contains(" or ") {
        return None;
    }
    let parts = sentence.split([',', '/']).flat_map(|part| part.split(" or "));
    let parts: Vec<Vec<String>> = parts.map(split).filter(|part| !part.is_empty()).collect();
    let (first, others) = parts.split_first()?;
    let first = phrase(first.iter().rev());
    Some(std::iter::once(first).chain(others.iter().map(|part| phrase(part.iter()))).collect())
}

/// The first words that matter, past two that do not at most.
fn phrase<'a>(words: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut words = words.peekable();
    for _ in 0..2 {
        words.next_if(|word| !matters(word));
    }
    words.take_while(|word| matters(word)).take(PHRASE).map(|word| stem(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_knows_what_it_asks_for() {
        for (text, head, kind) in [
            ("Which Redis version do we run?", Some("vers"), Kind::Choice),
            ("What caching strategy for sessions?", Some("strateg"), Kind::Choice),
            ("What should we use for caching?", None, Kind::Choice),
            ("How long do sessions live?", None, Kind::Amount),
            ("For how many days?", None, Kind::Amount),
            ("What is the maximum size of a file?", None, Kind::Amount),
            ("When do we release?", None, Kind::Time),
            ("Why Redis?", None, Kind::Reason),
            ("Where are logs kept?", None, Kind::Place),
            ("Who may read logs?", None, Kind::Person),
            ("How are logs read?", None, Kind::Manner),
        ] {
            let question = Question::read(text);
            assert_eq!((question.head_word(), question.kind), (head, kind), "{text}");
        }
    }

    #[test]
    fn the_alternative_to_something_known_is_not_new() {
        let known = Keywords::of("Redis for session caching");
        for (text, expected) in [
            ("Redis or Memcached for session caching?", 0),
            ("Redis, Memcached or Hazelcast for session caching?", 0),
            ("Google Memorystore or Redis for session caching?", 0),
            ("Memcached for session caching?", 1),
            ("Cookies or tokens for sessions?", 2),
        ] {
            assert_eq!(Question::read(text).new_words(&known).1, expected, "{text}");
        }
    }

    #[test]
    fn only_the_sentence_that_asks_is_compared() {
        for (text, expected) in [
            ("Which cache?", "Which cache?"),
            ("The pages are slow. Which cache?", " Which cache?"),
            ("Before I go on: which cache do we use?", "which cache do we use?"),
            ("Which cache: Redis or Memcached?", "Which cache: Redis or Memcached?"),
            ("Use Redis for caching", "Use Redis for caching"),
            ("Do we use Next.js here?", "Do we use Next.js here?"),
            ("", ""),
            ("?", "?"),
        ] {
            assert_eq!(asked(text), expected, "{text}");
        }
    }
}
