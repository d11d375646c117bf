//! The means by which a pattern is decided.

use super::emit::{self, Dialect};
use super::literal::{self, Word};
use super::tree::Node;
use super::{Matched, Obstacle};

/// Patterns that compile to more than this many bytes are refused; a matcher for tool names needs a few hundred.
const MAX_PROGRAM_BYTES: usize = 1 << 20;

/// As many instructions of the backtracking engine's own, which each may carry a small program.
const MAX_INSTRUCTIONS: usize = 10_000;

/// A search that goes back more often than this is given up, after some hundredths of a second.
const MAX_BACKTRACKS: usize = 200_000;

/// Both engines walk nested groups by recursion, over less than this many levels.
const MAX_NESTING: u32 = 1_000;

#[derive(Debug)]
pub(super) enum Engine {
    Words(Vec<Word>),
    Linear(regex_lite::Regex),
    Backtracking(fancy_regex::Regex),
}

impl Engine {
    pub(super) fn build(tree: &Node) -> Result<Engine, Obstacle> {
        if let Some(words) = literal::words(tree) {
            return Ok(Engine::Words(words));
        }
        let dialect = emit::dialect_for(tree);
        let pattern = emit::emit(tree, dialect);
        if pattern.len() > MAX_PROGRAM_BYTES {
            return Err(Obstacle::Size);
        }
        match dialect {
            Dialect::Linear => regex_lite::RegexBuilder::new(&pattern)
                .size_limit(MAX_PROGRAM_BYTES)
                .nest_limit(MAX_NESTING)
                .build()
                .map(Engine::Linear)
                .map_err(|_| Obstacle::Size),
            Dialect::Backtracking => fancy_regex::RegexBuilder::new(&pattern)
                .delegate_size_limit(MAX_PROGRAM_BYTES)
                .delegate_dfa_size_limit(MAX_PROGRAM_BYTES)
                .max_prog_size(MAX_INSTRUCTIONS)
                .backtrack_limit(MAX_BACKTRACKS)
                .build()
                .map(Engine::Backtracking)
                .map_err(|error| obstacle_of(&error)),
        }
    }

    pub(super) fn search(&self, text: &str) -> Matched {
        let found = match self {
            Engine::Words(words) => words.iter().any(|word| word.occurs_in(text)),
            Engine::Linear(regex) => regex.is_match(&emit::by_units(text)),
            Engine::Backtracking(regex) => match regex.is_match(emit::by_units(text).as_ref()) {
                Ok(found) => found,
                Err(_) => return Matched::Undecided,
            },
        };
        if found { Matched::Yes } else { Matched::No }
    }
}

fn obstacle_of(error: &fancy_regex::Error) -> Obstacle {
    match error {
        fancy_regex::Error::ParseError(_, fancy_regex::ParseError::RecursionExceeded) => Obstacle::Nesting,
        _ => Obstacle::Size,
    }
}
