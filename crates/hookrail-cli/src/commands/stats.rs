use super::journal::{self, Filter, now_millis, outcome_word};
use crate::exit_code::ExitCode;
use anstream::eprintln;
use hookrail_store::{Cursor, JournalRecord, Store};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// How wide the longest bar is.
const BAR: u64 = 24;

/// Count what hooks did, from the journal: runs, blocks, warnings, fail-opens, times.
///
/// Only reads.
#[derive(clap::Args)]
pub struct Stats {
    #[command(flatten)]
    filter: Filter,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is known of one hook.
#[derive(Default, Serialize)]
struct Tally {
    runs: u64,
    blocks: u64,
    warnings: u64,
    /// Failed, and so had no say unless its `on_error` gave it one.
    fail_opens: u64,
    fail_closed: u64,
    skipped: u64,
    p50_us: u64,
    p95_us: u64,
    #[serde(skip)]
    times: Vec<u64>,
}

impl Tally {
    fn add(&mut self, record: &JournalRecord) {
        let objects = matches!(record.decision.as_deref(), Some("block" | "stop" | "ask"));
        match outcome_word(record).as_str() {
            "skipped" => {
                self.skipped += 1;
                return;
            }
            "blocked" => self.blocks += 1,
            "warned" => self.warnings += 1,
            "failed" if objects => self.fail_closed += 1,
            "failed" => self.fail_opens += 1,
            _ => {}
        }
        self.runs += 1;
        self.times.push(record.duration_us);
    }

    fn finish(&mut self) {
        self.times.sort_unstable();
        let at = |percent: usize| self.times.get(self.times.len().saturating_sub(1) * percent / 100).copied();
        (self.p50_us, self.p95_us) = (at(50).unwrap_or_default(), at(95).unwrap_or_default());
    }
}

impl Stats {
    pub fn run(&self) -> ExitCode {
        match self.count().map(|tallies| self.show(&tallies)) {
            Ok(()) => ExitCode::Success,
            Err(message) => {
                eprintln!("{} {message}", "error:".red().bold());
                ExitCode::Usage
            }
        }
    }

    fn count(&self) -> Result<BTreeMap<String, Tally>, String> {
        let store = journal::open()?;
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        for item in store.records(Cursor::default()).map_err(|error| error.to_string())? {
            match item {
                // What the journal notes about itself is no hook's doing.
                Ok(entry) if entry.record.kind == "journal" => {}
                Ok(entry) if self.filter.admits(&entry.record, now_millis()) => {
                    tallies.entry(entry.record.hook.clone()).or_default().add(&entry.record);
                }
                Ok(_) => {}
                Err(error) => eprintln!("{} {error}", "warning:".yellow().bold()),
            }
        }
        tallies.values_mut().for_each(Tally::finish);
        Ok(tallies)
    }

    fn show(&self, tallies: &BTreeMap<String, Tally>) {
        let mut out = anstream::stdout();
        // If nobody reads it there is nobody to tell.
        let _ =
            if self.json { writeln!(out, "{}", serde_json::json!(tallies)) } else { write_table(tallies, &mut out) };
    }
}

fn write_table(tallies: &BTreeMap<String, Tally>, out: &mut dyn Write) -> std::io::Result<()> {
    if tallies.is_empty() {
        return writeln!(out, "the journal has no such records");
    }
    let width = tallies.keys().map(|hook| hook.chars().count()).max().unwrap_or_default().max(4);
    let most = tallies.values().map(|tally| tally.runs).max().unwrap_or_default().max(1);
    let head = format!(
        "{:width$}  {:>6} {:>6} {:>6} {:>9} {:>11} {:>7}  {:>9} {:>9}",
        "hook", "runs", "blocks", "warned", "fail-open", "fail-closed", "skipped", "p50", "p95"
    );
    writeln!(out, "{}", head.dimmed())?;
    for (hook, tally) in tallies {
        let bar = "▆".repeat(usize::try_from((tally.runs * BAR).div_ceil(most)).unwrap_or_default());
        let (p50, p95) = (millis(tally.p50_us), millis(tally.p95_us));
        writeln!(
            out,
            "{hook:width$}  {:>6} {:>6} {:>6} {:>9} {:>11} {:>7}  {p50:>9} {p95:>9}  {}",
            tally.runs,
            tally.blocks,
            tally.warnings,
            tally.fail_opens,
            tally.fail_closed,
            tally.skipped,
            bar.cyan()
        )?;
    }
    Ok(())
}

fn millis(micros: u64) -> String {
    if micros < 1000 { format!("{micros} µs") } else { format!("{:.1} ms", micros as f64 / 1000.0) }
}
