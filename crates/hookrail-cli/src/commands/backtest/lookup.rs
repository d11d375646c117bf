//! Calls of past sessions, by the name that a report has for them.

use crate::commands::journal;
use crate::commands::replay::history::{self, Wanted};
use crate::commands::replay::rerun;
use crate::error::CliError;
use hookrail_backtest::transcripts::Homes;
use hookrail_backtest::{FoundCall, find_call};
use hookrail_core::World;
use hookrail_engine::RealWorld;

/// Where this machine's agents keep their transcripts.
pub fn homes() -> Homes {
    let world = RealWorld::default();
    Homes::of(&|name| world.env(name))
}

/// A call by the name that a report has for it; a number is a record of the journal, as `hookrail replay` names its calls.
pub fn find(call: &str) -> Result<FoundCall, CliError> {
    match call.parse::<u64>() {
        Ok(seq) => recorded(seq),
        Err(_) => find_call(&homes(), call).map_err(CliError::usage),
    }
}

fn recorded(seq: u64) -> Result<FoundCall, CliError> {
    let store = journal::open()?;
    let wanted = Wanted::default();
    let found = history::events(&store, &wanted, |_| {})?.find(|event| event.seq == seq);
    let mut past = found.ok_or_else(|| {
        CliError::usage(format!("the journal has no event with record {seq}"))
            .hint("`hookrail log` shows the numbers of records")
    })?;
    let not_kept = || CliError::input(format!("the journal did not keep the call of record {seq}"));
    let dialect = hookrail_dialects::dialect(&past.head.agent).ok_or_else(not_kept)?;
    let event = hookrail_dialects::restore(past.take_input().ok_or_else(not_kept)?, dialect);
    if event.tool.is_none() {
        return Err(not_kept());
    }
    Ok(FoundCall { agent: dialect.name(), call: rerun::past_call(&past, &event), end: None })
}
