use super::journal::{self, Filter, now_millis, outcome_word};
use crate::exit_code::ExitCode;
use anstream::eprintln;
use hookrail_engine::timestamp_of;
use hookrail_store::{Cursor, JournalRecord, ReadError, Store};
use owo_colors::OwoColorize;
use std::io::{self, Write};
use std::time::Duration;

/// How often a followed journal is looked at.
const PULSE: Duration = Duration::from_millis(200);

/// Show what hooks did, from the journal.
///
/// Only reads. Ends with 0; with 3 if `--verify` found that the journal was changed.
#[derive(clap::Args)]
pub struct Log {
    #[command(flatten)]
    filter: Filter,
    /// Show at most so many records, the newest
    #[arg(long, default_value_t = 50, value_name = "COUNT")]
    limit: usize,
    /// Go on showing records as they are written
    #[arg(long)]
    follow: bool,
    /// Check that nobody changed the journal, and show nothing else
    #[arg(long, conflicts_with = "follow")]
    verify: bool,
    /// Print one JSON object per record
    #[arg(long)]
    json: bool,
}

impl Log {
    pub fn run(&self) -> ExitCode {
        let work = || -> Result<ExitCode, String> {
            let store = journal::open()?;
            if self.verify { verify(&store, self.json) } else { self.show(&store) }
        };
        work().unwrap_or_else(|message| {
            eprintln!("{} {message}", "error:".red().bold());
            ExitCode::Usage
        })
    }

    fn show(&self, store: &dyn Store) -> Result<ExitCode, String> {
        let mut out = anstream::stdout();
        let mut cursor = Cursor::default();
        let found = self.read_on(store, &mut cursor)?;
        let newest = found.len().saturating_sub(self.limit);
        let mut written = found.iter().skip(newest).try_for_each(|record| self.write(record, &mut out));
        if self.follow {
            // Ends when nobody reads any more.
            while written.is_ok() {
                std::thread::sleep(PULSE);
                let found = self.read_on(store, &mut cursor)?;
                written = found.iter().try_for_each(|record| self.write(record, &mut out));
            }
        }
        Ok(ExitCode::Success)
    }

    /// The wanted records from a position on, which moves behind them.
    fn read_on(&self, store: &dyn Store, cursor: &mut Cursor) -> Result<Vec<JournalRecord>, String> {
        let mut found = Vec::new();
        for item in store.records(*cursor).map_err(|error| error.to_string())? {
            match item {
                Ok(entry) => {
                    *cursor = entry.next;
                    found.extend(Some(entry.record).filter(|record| self.filter.admits(record, now_millis())));
                }
                Err(error) => *cursor = complain(&error).unwrap_or(*cursor),
            }
        }
        Ok(found)
    }

    /// An error means that nobody reads any more.
    fn write(&self, record: &JournalRecord, out: &mut dyn Write) -> io::Result<()> {
        if self.json {
            let line = serde_json::to_string(record).map_err(io::Error::other)?;
            writeln!(out, "{line}")?;
        } else {
            let outcome = outcome_word(record);
            let outcome = match outcome.as_str() {
                "blocked" => format!("{}", format!("{outcome:9}").red()),
                "failed" | "warned" => format!("{}", format!("{outcome:9}").yellow()),
                _ => format!("{outcome:9}"),
            };
            let what = [record.tool.as_deref(), record.subject.as_deref()];
            let what = what.into_iter().flatten().collect::<Vec<_>>().join(" ");
            let time = timestamp_of(record.ts);
            writeln!(
                out,
                "{}  {outcome}  {:28}  {:14}  {}",
                time.dimmed(),
                record.hook,
                record.event,
                one_line(&what)
            )?;
            for why in [&record.reason, &record.error].into_iter().flatten() {
                writeln!(out, "    {}", one_line(why).dimmed())?;
            }
        }
        out.flush()
    }
}

fn complain(error: &ReadError) -> Option<Cursor> {
    eprintln!("{} {error}", "warning:".yellow().bold());
    match error {
        ReadError::Broken { next, .. } => Some(*next),
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn verify(store: &dyn Store, json: bool) -> Result<ExitCode, String> {
    let report = store.verify().map_err(|error| error.to_string())?;
    let mut out = anstream::stdout();
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    let written = if json {
        let line = serde_json::json!({ "files": report.files, "lines": report.lines, "sound": report.sound, "problems": problems });
        writeln!(out, "{line}")
    } else {
        problems.iter().try_for_each(|problem| writeln!(out, "{} {problem}", "changed:".red().bold())).and_then(|()| {
            let verdict =
                if report.is_intact() { "the journal is as it was written" } else { "the journal was changed" };
            writeln!(out, "{verdict}: {} of {} records in {} files are sound", report.sound, report.lines, report.files)
        })
    };
    // If nobody reads the report its exit code still tells.
    let _ = written;
    Ok(if report.is_intact() { ExitCode::Success } else { ExitCode::Failed })
}
