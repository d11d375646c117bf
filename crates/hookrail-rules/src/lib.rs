//! Rules about what tool calls do.
//!
//! A rule is data: `when` says which effects of a call it is about, `decide` what follows. Rules stand in `hookrail.toml`
//! and in packs; this crate reads them ([`read()`]), compiles them into a form that costs nothing for calls they are not
//! about ([`RuleSet`]), judges calls by them ([`judge()`]) and says why ([`Refusal`]).
//!
//! Deny, ask and warn hold if *any* effect of a call matches; allow holds only if *every* effect is covered by rules that
//! allow, and nothing of the call is unclear. A rule never weakens another one: only an [`Exception`] of the same or a
//! higher layer does.
//!
//! The machine is seen only through [`World`](hookrail_core::World).
#![forbid(unsafe_code)]

mod call;
mod check;
mod codec;
mod commands;
mod condition;
mod example;
mod fault;
mod judge;
mod memory;
mod own_hosts;
mod pattern;
mod read;
mod refusal;
mod rule;
pub mod safety;
mod schema;
mod set;
mod shown;
mod wire;

pub use call::{Call, Hit};
pub use check::{Book, compile, effects_of_example, example_files, judge_example};
pub use condition::{ActSet, Condition, Entry, Key, Selector, Sense};
pub use example::{Example, ExampleCall, Examples};
pub use fault::{Fault, Severity};
pub use judge::{Judgement, Match, Terms, judge};
pub use memory::{DayFile, Ended, Exceeded, MEMORY_KEY, Memory, Reservation, call_id};
pub use read::{RuleFile, Source, read};
pub use refusal::{PLACEHOLDERS, Refusal, span_of};
pub use rule::{
    CallOutcome, Exception, Layer, Level, Levels, Limit, PastCondition, Period, Rule, RuleDecision, Unless, holds_on,
};
pub use schema::{exception_schema, rule_schema, schema_definitions};
pub use set::{Contents, RuleSet};
