//! JavaScript regular expressions, as `new RegExp(pattern)` without flags reads them.
//!
//! Hook configurations are written for agents that run on Node, so a matcher must mean here what it means there. A
//! pattern is parsed by the rules of ECMAScript with the leniencies of its Annex B, every difference between JavaScript
//! and the engine at hand is resolved on the tree, and what is left is given to the cheapest means that can decide it:
//!
//! 1. **plain search**, when the pattern is a list of words such as `Edit|Write` or `^mcp__fs__(read|write)$`;
//! 2. **`regex-lite`**, in linear time, when there is neither look-around nor back-reference;
//! 3. **`fancy-regex`** for the rest, with a bound on backtracking.
//!
//! Text is matched by UTF-16 code units, as in JavaScript: a character beyond U+FFFF counts as two (`^..$` matches `😀`).
//!
//! What is known to differ:
//!
//! - A few valid patterns are [`JsRegexError::Unsupported`] rather than decided wrongly. They are huge, or refer back to a
//!   capture that depends on how JavaScript walks a loop or a look-behind (`(?:(a)|b)*\1`), or have a look-behind of varying
//!   length that is itself not plain (`(?<=\ba+)b`).
//! - `(?i:…)`, `(?m:…)` and `(?s:…)` of ECMAScript 2025 are accepted, though Node accepts them from version 23 on only.
//!   A back-reference within `(?i:…)` treats a few letters beyond ASCII otherwise (`Ⱥ` and `ⱥ` differ in length here).
//! - Two groups of the same name are refused even in different alternatives, as Node 20 does and Node 23 does not.
//! - The name of a group may have any letter or number beyond ASCII, where JavaScript has a list of its own.

mod class;
mod cursor;
mod emit;
mod engine;
mod escape;
mod fold;
mod group;
mod literal;
mod look_behind;
mod parse;
mod reference;
mod tree;
mod trim;
mod unit_set;

use engine::Engine;
use std::sync::Arc;
use tree::Node;

/// A compiled pattern. Cloning shares the compiled form.
#[derive(Debug, Clone)]
pub struct JsRegex {
    engine: Arc<Engine>,
}

/// Whether a pattern occurs in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matched {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The search was given up because it backtracked too much. A guard that may be meant must run.
    Undecided,
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsRegexError {
    /// JavaScript throws a `SyntaxError` for it.
    #[error("{fault} at character {}", .position + 1)]
    Invalid {
        /// How many characters of the pattern precede the fault.
        position: usize,
        /// What is wrong there.
        fault: Fault,
    },
    /// JavaScript accepts it, but nothing here can decide it as JavaScript would. A guard that may be meant must run.
    #[error("{obstacle}")]
    Unsupported {
        /// What stands in the way.
        obstacle: Obstacle,
    },
}

/// A violation of the pattern syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// `*a`, `a**`
    #[error("a quantifier with nothing to repeat")]
    NothingToRepeat,
    /// `a{2,1}`
    #[error("a quantifier `{{n,m}}` whose n is greater than its m")]
    QuantifierOutOfOrder,
    /// `[b-a]`
    #[error("a range in `[…]` whose start is greater than its end")]
    RangeOutOfOrder,
    /// `[a`
    #[error("`[` without its `]`")]
    UnclosedClass,
    /// `(a`
    #[error("`(` without its `)`")]
    UnclosedGroup,
    /// `a)`
    #[error("`)` without its `(`")]
    UnopenedGroup,
    /// `(?#a)`
    #[error("`(?` of an unknown kind")]
    UnknownGroupKind,
    /// `(?ii:a)`
    #[error("a flag given twice in `(?…:`")]
    RepeatedFlag,
    /// `(?<1>a)`
    #[error("a group name that is not an identifier")]
    BadGroupName,
    /// `(?<a>b)(?<a>c)`
    #[error("a group name used before")]
    DuplicateGroupName,
    /// `(?<a>b)\k`
    #[error("`\\k` without the name of a group")]
    BadNamedReference,
    /// `(?<a>b)\k<c>`
    #[error("`\\k<…>` with a name that no group has")]
    UnknownGroupName,
    /// `(?<a>b)[\k]`
    #[error("`\\k` in `[…]`, while groups have names")]
    NamedReferenceInClass,
    /// `a\`
    #[error("`\\` with nothing behind it")]
    TrailingBackslash,
    /// More than JavaScript can number.
    #[error("more capturing groups than JavaScript allows")]
    TooManyGroups,
}

/// A reason not to decide a valid pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// A tree so deep that walking it could exhaust the stack.
    #[error("groups nested too deeply")]
    Nesting,
    /// Compiling it would take more memory than a matcher is worth.
    #[error("too large or too intricate to compile")]
    Size,
    /// `(?:(a)|b)*\1`
    #[error("a back-reference to a group that a loop may leave behind from an earlier round")]
    CaptureInLoop,
    /// `(?<=(a))\1`
    #[error("a back-reference to a group of a look-behind")]
    CaptureInLookBehind,
    /// `(?<=\ba+)b`
    #[error("a look-behind of varying length with another look-around, a back-reference or a word boundary in it")]
    LookBehind,
}

impl JsRegex {
    /// Compiles `pattern`, which is what JavaScript's `new RegExp(pattern)` would be given.
    pub fn new(pattern: &str) -> Result<JsRegex, JsRegexError> {
        let mut tree = parse::parse(pattern)?;
        let engine = decide(&mut tree).map_err(|obstacle| JsRegexError::Unsupported { obstacle })?;
        Ok(JsRegex { engine: Arc::new(engine) })
    }

    /// Whether the pattern occurs anywhere in `text`, upper and lower case being different.
    #[must_use]
    pub fn is_match(&self, text: &str) -> Matched {
        self.engine.search(text)
    }
}

/// Finds the means for `tree`, which is a valid pattern.
fn decide(tree: &mut Node) -> Result<Engine, Obstacle> {
    reference::resolve(tree)?;
    trim::optional_ends(tree);
    look_behind::split(tree)?;
    Engine::build(tree)
}
