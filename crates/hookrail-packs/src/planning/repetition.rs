//! Whether a question asks again for what is decided.
//!
//! Words alone do not tell `Which cache for sessions?` (decided) from `Which Redis version for the cache?` (new): both are about
//! the cache. So two shares are measured. How much of the question is about the decision (a question that brings words of its own
//! asks for something else), and how much of the decision's topic the question names.
//!
//! ```text
//! known  = words of the question that the decision has, its answer included / words of the question
//! named  = words of the decision that the question has / words of the decision, or of its topic
//! score  = known² × √named        known × √named if the thing that is asked for by name is the decision's
//! ```
//!
//! A score of `keyword_overlap_threshold` (0.6) or more is a repetition. Whoever lowers the threshold wants more to be refused:
//! below 0.6 the plain share of common words, counted against the shorter side, is enough as well.

use super::keywords::{Keywords, Kind, Question};
use super::state::Decision;

/// The point at which the score was measured.
pub(super) const CALIBRATED: f64 = 0.6;

/// What naming the answer, and nothing of the question, counts as.
const ANSWER_NAMED: f64 = 0.4;
/// An answer of more words is an explanation.
const SHORT_ANSWER: usize = 3;

/// How much a question has in common with a decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Repetition {
    /// From 0 to 1.
    pub score: f64,
    /// Words both have, and words of the decision.
    pub common: usize,
    pub of: usize,
    /// The plain share of common words, counted against the shorter side.
    overlap: f64,
}

impl Repetition {
    /// `None` if they have nothing in common, or do not want the same kind of answer.
    pub fn of(question: &Question, decision: &Decision) -> Option<Self> {
        let decided = Question::read(&decision.question);
        if question.kind != decided.kind && question.kind != Kind::Choice {
            return None;
        }
        let answer = Keywords::of(&decision.answer).without(&decided.words);
        let slug = Keywords::of(&decision.topic);
        let known = Keywords::of(&format!("{} {} {}", decision.question, decision.answer, decision.topic));
        let common = question.words.common(&known);
        if common == 0 {
            return None;
        }
        let asked = question.words.len() as f64;
        let known_share = (asked - question.new_words(&known) as f64) / asked;
        let shorter = question.words.len().min(decided.words.len()).max(1);
        let overlap = question.words.common(&decided.words) as f64 / shorter as f64;
        let topic = decided.words.without(&decided.choices());
        let shares = [&decided.words, &topic, &slug].map(|words| share(question, words));
        let answered =
            !answer.is_empty() && answer.len() <= SHORT_ANSWER && answer.common(&question.words) == answer.len();
        let named = shares.into_iter().fold(if answered { ANSWER_NAMED } else { 0.0 }, f64::max);
        let power = if question.asks_for_known(&known) { 1 } else { 2 };
        Some(Self {
            score: known_share.powi(power) * named.sqrt(),
            common,
            of: decided.words.len().max(common),
            overlap,
        })
    }

    pub fn reaches(&self, threshold: f64) -> bool {
        let reached = |share: f64| share >= threshold - 1e-9;
        reached(self.score) || threshold < CALIBRATED && reached(self.overlap)
    }
}

/// How many of these words the question has.
fn share(question: &Question, words: &Keywords) -> f64 {
    if words.is_empty() { 0.0 } else { question.words.common(words) as f64 / words.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The score of each question of the table, with the line of the decision it was asked after.
    fn scores() -> Vec<(bool, f64, String)> {
        let mut decision = Decision::default();
        let mut scores = Vec::new();
        for line in include_str!("questions.tsv").lines().filter(|line| !line.starts_with('#')) {
            let (first, second) = line.split_once('\t').unwrap();
            match first.strip_prefix("= ") {
                Some(question) => {
                    decision =
                        Decision { question: question.to_owned(), answer: second.to_owned(), ..Decision::default() };
                }
                None => {
                    let score = Repetition::of(&Question::read(second), &decision).map_or(0.0, |found| found.score);
                    scores.push((first == "r", score, format!("{score:.2} {second} ({})", decision.question)));
                }
            }
        }
        scores
    }

    #[test]
    fn repeated_questions_are_found_and_new_ones_are_not() {
        // covers: H01
        let scores = scores();
        let missed: Vec<&str> = scores
            .iter()
            .filter(|(repeated, score, _)| *repeated && *score < CALIBRATED)
            .map(|it| it.2.as_str())
            .collect();
        let wrong: Vec<&str> = scores
            .iter()
            .filter(|(repeated, score, _)| !*repeated && *score >= CALIBRATED)
            .map(|it| it.2.as_str())
            .collect();
        let count = |wanted: bool| scores.iter().filter(|(repeated, ..)| *repeated == wanted).count();
        println!("missed {} of {}:\n{}", missed.len(), count(true), missed.join("\n"));
        println!("refused {} of {} new ones:\n{}", wrong.len(), count(false), wrong.join("\n"));
        assert_eq!((count(true), count(false)), (60, 60));
        assert!(missed.len() * 10 <= 60, "{missed:#?}");
        assert!(wrong.len() * 100 <= 3 * 60, "{wrong:#?}");
    }

    #[test]
    fn the_documents_examples_come_out_as_it_says() {
        // covers: H01
        for (question, decided, expected) in [
            ("What caching to use?", "Use Redis for caching", true),
            ("What color for the button?", "Use Redis for caching", false),
            ("Should we use Redis for caching?", "Should we use Redis for caching?", true),
            ("Is Redis good?", "Use Redis for session caching in production", false),
            ("What caching strategy for sessions?", "Should we use Redis for session caching?", true),
        ] {
            for answer in ["Yes", "Yes, use Redis", "Redis"] {
                let decision =
                    Decision { question: decided.to_owned(), answer: answer.to_owned(), ..Decision::default() };
                let found = Repetition::of(&Question::read(question), &decision);
                assert_eq!(
                    found.is_some_and(|found| found.reaches(CALIBRATED)),
                    expected,
                    "{question} {answer}: {found:?}"
                );
            }
        }
    }
}
