//! Counts in a terminal.

use super::tally::{Count, Shares, Tally};
use crate::screen::{Align, Table, columns, duration, one_line, visible_width};
use owo_colors::OwoColorize;
use std::io::{self, Write};
use std::time::Duration;

/// How wide the longest bar is at most, and what is too short to be one.
const WIDEST: usize = 40;
const NARROWEST: usize = 8;

/// A column: its name, what stands in it, and whether it is there if it is empty.
struct Column {
    name: &'static str,
    cell: fn(&Tally) -> String,
    needed: bool,
}

const COLUMNS: &[Column] = &[
    Column { name: "runs", cell: |tally| tally.runs.to_string(), needed: true },
    Column { name: "blocked", cell: |tally| count(tally.blocks), needed: true },
    Column { name: "asked", cell: |tally| count(tally.asks), needed: false },
    Column { name: "warned", cell: |tally| count(tally.warnings), needed: true },
    Column { name: "fail-open", cell: |tally| count(tally.fail_opens), needed: true },
    Column { name: "fail-closed", cell: |tally| count(tally.fail_closed), needed: false },
    Column { name: "skipped", cell: |tally| count(tally.skipped), needed: false },
    Column { name: "p50", cell: |tally| duration(Duration::from_micros(tally.p50_us)), needed: true },
    Column { name: "p95", cell: |tally| duration(Duration::from_micros(tally.p95_us)), needed: true },
];

pub fn write(counted: &Count, out: &mut dyn Write) -> io::Result<()> {
    if counted.hooks.is_empty() {
        return writeln!(out, "the journal has no such records");
    }
    let shown: Vec<&Column> = COLUMNS
        .iter()
        .filter(|column| column.needed || counted.hooks.values().any(|tally| !(column.cell)(tally).is_empty()))
        .collect();
    let room = columns().saturating_sub(width(counted, &shown));
    let mut head = vec![("hook", Align::Left)];
    head.extend(shown.iter().map(|column| (column.name, Align::Right)));
    head.push(("", Align::Left));
    let mut table = Table::new(head);
    let most = counted.hooks.values().map(|tally| tally.runs).max().unwrap_or_default();
    for (hook, tally) in &counted.hooks {
        let mut cells = vec![one_line(hook)];
        cells.extend(shown.iter().map(|column| (column.cell)(tally)));
        cells.push(if room < NARROWEST { String::new() } else { bar(Shares::from(tally), most, room.min(WIDEST)) });
        table.row(cells);
    }
    table.write(out)?;
    if room >= NARROWEST {
        let legend = [
            "█ quiet".cyan().to_string(),
            "█ warned".yellow().to_string(),
            "█ blocked".red().to_string(),
            "█ failed".magenta().to_string(),
        ];
        writeln!(out, "{}", legend.join("  "))?;
    }
    Ok(())
}

/// How many columns everything but the bars takes.
fn width(counted: &Count, shown: &[&Column]) -> usize {
    let widest =
        |name: &str, cells: &mut dyn Iterator<Item = usize>| cells.max().unwrap_or_default().max(name.len()) + 2;
    let hooks = widest("hook", &mut counted.hooks.keys().map(|hook| visible_width(hook)));
    let cells = |column: &&Column| {
        widest(column.name, &mut counted.hooks.values().map(|tally| visible_width(&(column.cell)(tally))))
    };
    hooks + shown.iter().map(cells).sum::<usize>()
}

/// One bar of several colours; whatever happened is visible.
fn bar(shares: Shares, most: u64, columns: usize) -> String {
    let length = |count: u64| {
        let columns = (count.saturating_mul(columns as u64)).div_ceil(most.max(1));
        "█".repeat(usize::try_from(columns).unwrap_or_default())
    };
    // The rare parts are rounded up; the quiet one makes up for it.
    let parts = [length(shares.warned), length(shares.blocked), length(shares.failed)];
    let taken: usize = parts.iter().map(|part| part.chars().count()).sum();
    let whole = length(shares.total()).chars().count();
    let quiet = "█".repeat(whole.saturating_sub(taken).max(usize::from(shares.quiet > 0)));
    let [warned, blocked, failed] = parts;
    format!("{}{}{}{}", quiet.cyan(), warned.yellow(), blocked.red(), failed.magenta())
}

/// Nothing is not worth a number.
fn count(number: u64) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}
