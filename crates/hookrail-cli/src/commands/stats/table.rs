//! Counts in a terminal.

use super::tally::{Count, Shares, Tally};
use crate::screen::{Align, Table, columns, duration, one_line, shorten, visible_width};
use owo_colors::OwoColorize;
use std::io::{self, Write};
use std::time::Duration;

/// How wide the longest bar is at most, and what is too short to be one.
const WIDEST: usize = 40;
const NARROWEST: usize = 8;
/// A hook's name is not cut below this.
const LEAST_NAME: usize = 16;

/// A column: its name, what stands in it, and when it is there.
#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    cell: fn(&Tally) -> String,
    need: Need,
}

/// The order is that in which columns give way on a narrow screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// If something stands in it.
    IfFilled,
    IfRoom,
    Always,
}

const COLUMNS: &[Column] = &[
    Column { name: "runs", cell: |tally| tally.runs.to_string(), need: Need::Always },
    Column { name: "blocked", cell: |tally| count(tally.blocks), need: Need::Always },
    Column { name: "asked", cell: |tally| count(tally.asks), need: Need::IfFilled },
    Column { name: "warned", cell: |tally| count(tally.warnings), need: Need::Always },
    Column { name: "fail-open", cell: |tally| count(tally.fail_opens), need: Need::Always },
    Column { name: "fail-closed", cell: |tally| count(tally.fail_closed), need: Need::IfFilled },
    Column { name: "skipped", cell: |tally| count(tally.skipped), need: Need::IfFilled },
    Column { name: "p50", cell: |tally| duration(Duration::from_micros(tally.p50_us)), need: Need::IfRoom },
    Column { name: "p95", cell: |tally| duration(Duration::from_micros(tally.p95_us)), need: Need::Always },
];

/// The table, whose rows are what `label` names.
pub fn write(counted: &Count, label: &'static str, out: &mut dyn Write) -> io::Result<()> {
    if counted.hooks.is_empty() {
        return writeln!(out, "the journal has no such records");
    }
    let screen = columns();
    let shown = choose(counted, screen);
    let numbers: usize = shown.iter().map(|column| width(counted, column)).sum();
    let names =
        counted.hooks.keys().map(|hook| visible_width(&one_line(hook))).max().unwrap_or_default().max(label.len());
    let names = names.min(screen.saturating_sub(numbers).max(LEAST_NAME));
    let room = screen.saturating_sub(names + numbers + 2);
    let mut head = vec![(label, Align::Left)];
    head.extend(shown.iter().map(|column| (column.name, Align::Right)));
    head.push(("", Align::Left));
    let mut table = Table::new(head);
    let most = counted.hooks.values().map(|tally| tally.runs).max().unwrap_or_default();
    for (hook, tally) in &counted.hooks {
        let mut cells = vec![shorten(&one_line(hook), names)];
        cells.extend(shown.iter().map(|column| (column.cell)(tally)));
        cells.push(if room < NARROWEST { String::new() } else { bar(Shares::from(tally), most, room.min(WIDEST)) });
        table.row(cells);
    }
    table.write(out)?;
    if room >= NARROWEST {
        let legend = PARTS.map(|(glyph, name, paint)| paint(&format!("{glyph} {name}")));
        writeln!(out, "{}", legend.join("  "))?;
    }
    Ok(())
}

/// The columns that are worth their place.
fn choose(counted: &Count, screen: usize) -> Vec<&'static Column> {
    let filled = |column: &Column| counted.hooks.values().any(|tally| !(column.cell)(tally).is_empty());
    let mut shown: Vec<&Column> =
        COLUMNS.iter().filter(|column| column.need != Need::IfFilled || filled(column)).collect();
    let names = counted.hooks.keys().map(|hook| visible_width(hook)).max().unwrap_or_default();
    for need in [Need::IfRoom, Need::IfFilled] {
        if names + shown.iter().map(|column| width(counted, column)).sum::<usize>() > screen {
            shown.retain(|column| column.need != need);
        }
    }
    shown
}

/// How wide a column is, with the gap before it.
fn width(counted: &Count, column: &Column) -> usize {
    let cells = counted.hooks.values().map(|tally| visible_width(&(column.cell)(tally)));
    cells.max().unwrap_or_default().max(column.name.len()) + 2
}

/// The parts of a bar differ in colour and, where there are no colours, in density.
type BarSegment = (char, &'static str, fn(&str) -> String);
const PARTS: [BarSegment; 4] = [
    ('░', "quiet", |text| text.cyan().to_string()),
    ('▒', "warned", |text| text.yellow().to_string()),
    ('█', "blocked", |text| text.red().to_string()),
    ('▓', "failed", |text| text.magenta().to_string()),
];

/// One bar of several parts; whatever happened is visible.
fn bar(shares: Shares, most: u64, columns: usize) -> String {
    let length = |count: u64| {
        let length = count.saturating_mul(columns as u64).div_ceil(most.max(1));
        usize::try_from(length).unwrap_or_default()
    };
    // The rare parts are rounded up; the quiet one makes up for it.
    let (warned, blocked, failed) = (length(shares.warned), length(shares.blocked), length(shares.failed));
    let quiet = length(shares.total()).saturating_sub(warned + blocked + failed).max(usize::from(shares.quiet > 0));
    let lengths = [quiet, warned, blocked, failed];
    let part = |((glyph, _, paint), length): (BarSegment, usize)| match length {
        0 => String::new(),
        length => paint(&glyph.to_string().repeat(length)),
    };
    PARTS.into_iter().zip(lengths).map(part).collect()
}

/// Nothing is not worth a number.
fn count(number: u64) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}
