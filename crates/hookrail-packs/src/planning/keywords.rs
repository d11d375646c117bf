//! What a question is about, as a set of words.

use super::stem::stem;
use std::collections::BTreeSet;

/// Words that say nothing about the subject: grammar and question words, words for asking and deciding, and words for kinds of
/// things, which ask for the choice itself (`which caching strategy`, `what kind of cache`).
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    // grammar
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being",
    "but", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "here", "i", "if",
    "in", "into", "is", "it", "its", "may", "me", "might", "must", "my", "no", "not", "now", "of", "on",
    "one", "or", "our", "out", "own", "per", "shall", "should", "so", "some", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "up", "us", "via", "was", "we", "were",
    "will", "with", "would", "yes", "you", "your",
    // questions
    "how", "long", "many", "much", "often", "what", "when", "where", "which", "who", "whom", "whose", "why",
    // asking and deciding
    "again", "agree", "best", "better", "choose", "chosen", "confirm", "consider", "decide", "decided",
    "decision", "final", "finally", "fine", "go", "going", "good", "happy", "have", "instead", "keep",
    "kept", "let", "like", "need", "needed", "needs", "offer", "offered", "ok", "okay", "pick", "plan",
    "please", "prefer", "preferred", "preference", "proceed", "really", "recommend", "remind", "require",
    "required", "requires", "select", "still", "suggest", "think", "use", "used", "uses", "using", "want",
    "wanted", "wants",
    // doing something with it, whatever it is
    "add", "apply", "build", "built", "do", "done", "get", "gets", "give", "handle", "handled", "hold",
    "holds", "implement", "implemented", "include", "included", "including", "introduce", "involve", "make",
    "part", "provide", "put", "run", "runs", "send", "sent", "set", "support", "supported", "supports",
    "work", "works",
    // kinds of things
    "approach", "choice", "engine", "framework", "kind", "layer", "library", "mechanism", "method", "option",
    "options", "platform", "product", "solution", "sort", "strategy", "style", "system", "target",
    "technique", "technology", "tool", "type", "way",
];

/// Words after which a question asks for a thing by name.
const ASKS_FOR: [&str; 2] = ["what", "which"];

/// The words of a text that matter, each once, by their stems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Keywords(BTreeSet<String>);

/// A question as it is compared.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub words: Keywords,
    /// The thing it asks for by name (`which Redis version` asks for a version), if that says something.
    head: Option<String>,
    /// Pairs of alternatives: the words on both sides of an `or`.
    alternatives: Vec<(String, String)>,
    pub kind: Kind,
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
}

impl Keywords {
    /// Punctuation parts words: `real-time` is two, and so is a short name like `notification_channels` (errata C20).
    pub fn of(text: &str) -> Self {
        Self(split(text).iter().filter(|word| matters(word)).map(|word| stem(word)).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// How many words both have.
    pub fn common(&self, other: &Self) -> usize {
        self.0.intersection(&other.0).count()
    }

    pub fn without(&self, other: &Self) -> Self {
        Self(self.0.difference(&other.0).cloned().collect())
    }
}

impl Question {
    pub fn read(text: &str) -> Self {
        let words = split(text);
        Self {
            words: Keywords::of(text),
            head: head(&words),
            alternatives: alternatives(&words),
            kind: Kind::of(&words),
        }
    }

    /// Whether it asks by name for one of these words.
    pub fn asks_for_known(&self, known: &Keywords) -> bool {
        self.head.as_ref().is_some_and(|head| known.contains(head))
    }

    /// How many of its words are none of these. The alternative to a word that is known is not new: `Redis or Memcached`.
    pub fn new_words(&self, known: &Keywords) -> usize {
        let is_alternative = |word: &str| {
            let other =
                |(a, b): &(String, String)| (a == word && known.contains(b)) || (b == word && known.contains(a));
            self.alternatives.iter().any(other)
        };
        self.words.iter().filter(|word| !known.contains(word) && !is_alternative(word)).count()
    }

    /// The words that stand beside an `or`: what can be chosen, as opposed to what it is chosen for.
    pub fn choices(&self) -> Keywords {
        Keywords(self.alternatives.iter().flat_map(|(a, b)| [a.clone(), b.clone()]).collect())
    }
}

impl Kind {
    fn of(words: &[String]) -> Self {
        for (at, word) in words.iter().enumerate() {
            match word.as_str() {
                "why" => return Self::Reason,
                "when" if at == 0 => return Self::Time,
                "how"
                    if matches!(
                        words.get(at + 1).map(String::as_str),
                        Some("many" | "much" | "long" | "often" | "large" | "big" | "small" | "fast" | "old" | "deep")
                    ) =>
                {
                    return Self::Amount;
                }
                _ => {}
            }
        }
        Self::Choice
    }
}

fn split(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1 || word.parse::<u8>().is_ok())
        .map(str::to_owned)
        .collect()
}

fn matters(word: &str) -> bool {
    !STOP_WORDS.contains(&word)
}

/// The last word that matters of the words between `which` or `what` and the next word that does not.
fn head(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| ASKS_FOR.contains(&word.as_str()))?;
    let phrase = words.iter().skip(at + 1).take_while(|word| matters(word));
    phrase.last().map(|word| stem(word))
}

fn alternatives(words: &[String]) -> Vec<(String, String)> {
    let near =
        |words: &mut dyn Iterator<Item = &String>| words.take(3).find(|word| matters(word)).map(|word| stem(word));
    let pair = |at: usize| {
        let (before, after) = words.split_at(at);
        Some((near(&mut before.iter().rev())?, near(&mut after.iter().skip(1))?))
    };
    words.iter().enumerate().filter(|(_, word)| *word == "or").filter_map(|(at, _)| pair(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_the_set_of_its_words_that_matter() {
        for (text, expected) in [
            ("Should we use Redis for session caching?", "cach redis session"),
            ("What caching strategy for sessions?", "cach session"),
            ("notification_channels", "channel notif"),
            ("real-time (REAL TIME) real.time", "real tim"),
            ("What is it?", ""),
            ("Which option do you prefer?", ""),
            ("", ""),
        ] {
            assert_eq!(Keywords::of(text).iter().collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_question_knows_what_it_asks_for() {
        for (text, head, kind) in [
            ("Which Redis version do we run?", Some("version"), Kind::Choice),
            ("What caching strategy for sessions?", Some("cach"), Kind::Choice),
            ("What should we use for caching?", None, Kind::Choice),
            ("How long do sessions live?", None, Kind::Amount),
            ("For how many days?", None, Kind::Amount),
            ("When do we release?", None, Kind::Time),
            ("Why Redis?", None, Kind::Reason),
        ] {
            let question = Question::read(text);
            assert_eq!((question.head.as_deref(), question.kind), (head, kind), "{text}");
        }
    }

    #[test]
    fn the_alternative_to_something_known_is_not_new() {
        let known = Keywords::of("Redis for session caching");
        for (text, expected) in [
            ("Redis or Memcached for session caching?", 0),
            ("Memcached for session caching?", 1),
            ("Cookies or tokens for sessions?", 2),
        ] {
            assert_eq!(Question::read(text).new_words(&known), expected, "{text}");
        }
    }
}
