//! What a program reads of a replay: every change, and the report that `hookrail backtest` makes too.

use super::rerun::{Gap, ReplayTally};
use crate::screen::versioned;
use serde_json::json;
use std::io::{self, Write};

pub fn write_json(tally: &ReplayTally, out: &mut dyn Write) -> io::Result<()> {
    let gaps = |gap: Gap| tally.gaps.get(&gap).copied().unwrap_or_default();
    let report = json!({
        "events": tally.events,
        "replayed": tally.replayed(),
        "changes": tally.changes,
        "not_replayed": {
            "not_kept": gaps(Gap::NotKept), "too_large": gaps(Gap::TooLarge), "unknown": gaps(Gap::Unknown),
        },
        "uncertain": tally.uncertain,
        "unknown_commands": tally.unknown_commands,
        "untrusted_commands": tally.untrusted_commands,
        "every_event_known": tally.events == tally.logged,
        "projects": tally.projects,
        "report": tally.report,
    });
    writeln!(out, "{}", versioned(report))
}
