//! Calls of past sessions, by the name that a report has for them.

use hookrail_backtest::transcripts::Homes;
use hookrail_backtest::{FoundCall, find_call};
use hookrail_core::World;
use hookrail_engine::RealWorld;

/// Where this machine's agents keep their transcripts.
pub fn homes() -> Homes {
    let world = RealWorld::default();
    Homes::of(&|name| world.env(name))
}

pub fn find(call: &str) -> Result<FoundCall, String> {
    find_call(&homes(), call)
}
