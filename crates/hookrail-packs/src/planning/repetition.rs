//! Whether a question asks again for what is decided.
//!
//! Words alone do not tell `Which cache for sessions?` (decided) from `Which Redis version for the cache?` (new): both are about
//! the cache. So two shares are measured. How much of the question is about the decision (a question that brings words of its own
//! asks for something else), and how much of the decision's topic the question names.
//!
//! ```text
//! known  = words of the question that the decision has, its answer included / words of the question
//! named  = words of the decision that the question has / words of the decision, or of its topic
//! score  = known^p × √named
//! ```
//!
//! The exponent `p` says how much a new word weighs: least if the thing that is asked for by name is the decision's, most if both
//! ask for different things by name.
//!
//! A score of `keyword_overlap_threshold` (0.6) or more is a repetition. Whoever lowers the threshold wants more to be refused:
//! below 0.6 the plain share of common words, counted against the shorter side, is enough as well.

use super::keywords::Keywords;
use super::question::{Kind, Question, has_number, has_time};
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

/// How a question of one kind compares with a decision of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// The words decide.
    Usual,
    /// Only a question that names the whole topic, and nothing else, asks for the same.
    Exact,
    /// It asks for something else.
    Never,
}

impl Repetition {
    /// `None` if they have nothing in common.
    pub fn of(question: &Question, decision: &Decision) -> Option<Self> {
        let decided = Question::read(&decision.question);
        let known = Keywords::of(&format!("{} {} {}", decision.question, decision.answer, decision.topic));
        let common = question.words.common(&known);
        if common == 0 {
            return None;
        }
        let shorter = question.words.len().min(decided.words.len()).max(1);
        let overlap = question.words.common(&decided.words) as f64 / shorter as f64;
        let score = score(question, &decided, decision, &known);
        Some(Self { score, common, of: decided.words.len().max(common), overlap })
    }

    pub fn reaches(&self, threshold: f64) -> bool {
        let reached = |share: f64| share >= threshold - 1e-9;
        reached(self.score) || threshold < CALIBRATED && reached(self.overlap)
    }
}

fn score(question: &Question, decided: &Question, decision: &Decision, known: &Keywords) -> f64 {
    let (asked, new) = question.new_words(known);
    let topic = topic_share(question, decided, decision);
    let is_exact = new == 0 && topic >= 1.0 && question.words.common(known) > 1;
    let is_another = match fit(question.kind, decided.kind, decision) {
        Fit::Usual => false,
        Fit::Exact => !is_exact,
        Fit::Never => true,
    };
    if is_another || question.asks_for_mention(decided) {
        return 0.0;
    }
    let answer = Keywords::of(&decision.answer).without(&decided.words);
    let answered = !answer.is_empty() && answer.len() <= SHORT_ANSWER && answer.common(&question.words) == answer.len();
    let named = if answered { topic.max(ANSWER_NAMED) } else { topic };
    let known_share = (asked - new) as f64 / asked.max(1) as f64;
    let exponent = match (question.asks_for_known(known), question.asks_for_other_head(decided)) {
        (true, _) => 1.0,
        (false, false) => 1.75,
        (false, true) => 2.0,
    };
    known_share.powf(exponent) * named.sqrt()
}

/// How much of the decision the question names: of all its words, of those that are not to choose from or part of the answer, or
/// of the short name it is filed under, whichever is most.
fn topic_share(question: &Question, decided: &Question, decision: &Decision) -> f64 {
    let answer = Keywords::of(&decision.answer);
    let topics = [
        decided.words.clone(),
        decided.words.without_all(&decided.choices()),
        decided.words.without(&answer),
        Keywords::of(&decision.topic),
    ];
    topics.iter().map(|words| share(question, words)).fold(0.0, f64::max)
}

/// How many of these words the question has.
fn share(question: &Question, words: &Keywords) -> f64 {
    let counted = words.counted(&question.words).count();
    let common = words.counted(&question.words).filter(|word| question.words.contains(word)).count();
    if counted == 0 { 0.0 } else { common as f64 / counted as f64 }
}

/// `How long` after `Which cache` is new, unless the answer was a number; `where` after `which` may be the same.
fn fit(asked: Kind, decided: Kind, decision: &Decision) -> Fit {
    let exact_if = |same: bool| if same { Fit::Exact } else { Fit::Never };
    match asked {
        _ if asked == decided => Fit::Usual,
        Kind::Choice if matches!(decided, Kind::Amount | Kind::Time) => Fit::Exact,
        Kind::Choice => Fit::Usual,
        Kind::Amount if has_number(&decision.answer) || has_number(&decision.question) => Fit::Usual,
        Kind::Amount | Kind::Place | Kind::Person => Fit::Exact,
        Kind::Time => exact_if(has_time(&decision.answer)),
        Kind::Manner => exact_if(decided == Kind::Choice),
        Kind::Reason => Fit::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: [(&str, &str, usize); 2] = [
        ("the first table", include_str!("questions.tsv"), 60),
        ("other fields", include_str!("questions-other-fields.tsv"), 200),
    ];

    /// A question of a table, after the decision above it.
    struct Row<'a> {
        repeated: bool,
        question: &'a str,
        decision: Decision,
    }

    impl Row<'_> {
        fn score(&self) -> f64 {
            Repetition::of(&Question::read(self.question), &self.decision).map_or(0.0, |found| found.score)
        }

        fn shown(&self) -> String {
            format!("{:.2} {} ({})", self.score(), self.question, self.decision.question)
        }
    }

    fn rows(table: &str) -> Vec<Row<'_>> {
        let mut decision = Decision::default();
        let mut rows = Vec::new();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let (first, second) = line.split_once('\t').unwrap();
            match first.strip_prefix("= ") {
                Some(question) => {
                    decision =
                        Decision { question: question.to_owned(), answer: second.to_owned(), ..Decision::default() };
                }
                None => rows.push(Row { repeated: first == "r", question: second, decision: decision.clone() }),
            }
        }
        rows
    }

    #[test]
    fn repeated_questions_are_found_and_new_ones_are_not() {
        // covers: H01
        for (name, table, size) in TABLES {
            let (repeated, new): (Vec<_>, Vec<_>) = rows(table).into_iter().partition(|row| row.repeated);
            assert_eq!((repeated.len(), new.len()), (size, size), "{name}");
            let missed: Vec<String> = repeated.iter().filter(|row| row.score() < CALIBRATED).map(Row::shown).collect();
            let wrong: Vec<String> = new.iter().filter(|row| row.score() >= CALIBRATED).map(Row::shown).collect();
            println!("{name}: missed {} of {size}: {missed:#?}", missed.len());
            println!("{name}: refused {} of {size} new ones: {wrong:#?}", wrong.len());
            assert!(missed.len() * 10 <= size, "{name}: {missed:#?}");
            assert!(wrong.len() * 100 <= 3 * size, "{name}: {wrong:#?}");
        }
    }

    #[test]
    fn decisions_about_something_else_hardly_ever_refuse_a_question() {
        // covers: H01
        let rows: Vec<Row<'_>> = TABLES.iter().flat_map(|(_, table, _)| rows(table)).collect();
        let mut decisions: Vec<&Decision> = rows.iter().map(|row| &row.decision).collect();
        decisions.dedup();
        let mut wrong = Vec::new();
        for row in rows.iter().take(120).filter(|row| !row.repeated) {
            let question = Question::read(row.question);
            let others = decisions.iter().filter(|decision| **decision != &row.decision);
            let refuses = |decision: &&&Decision| {
                Repetition::of(&question, decision).is_some_and(|found| found.reaches(CALIBRATED))
            };
            wrong.extend(others.filter(refuses).map(|decision| (row.question, decision.question.as_str())));
        }
        // A few of the questions that are new after one decision repeat another one of the tables.
        assert!(wrong.len() < 10, "{wrong:#?}");
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
