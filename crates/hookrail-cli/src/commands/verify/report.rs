//! What a person reads.

use super::outcome::{Finding, SurfaceOutcome, Verified};
use crate::screen::{Align, Table, duration, one_line};
use owo_colors::OwoColorize;
use std::io::{self, Write};
use std::time::Duration;

/// The table of one agent.
pub fn write(verified: &Verified, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", headline(verified).bold())?;
    let mut table =
        Table::new([("surface", Align::Left), ("", Align::Left), ("time", Align::Right), ("", Align::Left)]);
    for outcome in &verified.surfaces {
        table.row([
            format!("  {}", outcome.surface),
            painted(outcome.result),
            time(outcome),
            outcome.note.as_deref().map(one_line).unwrap_or_default(),
        ]);
    }
    table.write(out)
}

/// The version and what it honours, in one sentence.
fn headline(verified: &Verified) -> String {
    let version = verified.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let honoured = verified.with(Finding::Honoured);
    let list = if honoured.is_empty() { "nothing".to_owned() } else { honoured.join(", ") };
    one_line(&format!("{}{version} honours {list}", verified.title))
}

/// A surface that is finished, for those who wait.
pub fn progress(title: &str, outcome: &SurfaceOutcome) -> String {
    let note = outcome.note.as_deref().map(|note| format!(": {}", one_line(note))).unwrap_or_default();
    format!("{title}: {} {}{note}", outcome.surface, outcome.result.as_str())
}

fn painted(finding: Finding) -> String {
    let word = finding.as_str();
    match finding {
        Finding::Honoured => word.green().to_string(),
        Finding::Ignored => word.red().bold().to_string(),
        Finding::Absent => word.dimmed().to_string(),
        Finding::Untested => word.yellow().to_string(),
    }
}

fn time(outcome: &SurfaceOutcome) -> String {
    match outcome.result {
        Finding::Absent if outcome.milliseconds == 0 => String::new(),
        _ => duration(Duration::from_millis(outcome.milliseconds)),
    }
}
