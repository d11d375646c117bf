mod shadow;
mod svg;
mod table;
mod tally;

use super::fleet::{FleetAgents, FleetScope};
use super::journal::{self, Filter, ReadProgress};
use crate::current_project::{now_millis, working_folder, write_file};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen;
use hookrail_fleet::database::queries::Grouping;
use hookrail_store::RecordSummary;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tally::Count;

/// How many records are counted between two looks at the progress.
const PROGRESS_STEP: u64 = 4096;

/// Count what hooks did, from the journal: runs, blocks, warnings, fail-opens, times
///
/// Only reads; `--svg` writes the file it names.
#[derive(clap::Args)]
pub struct Stats {
    #[command(flatten)]
    filter: Filter,
    /// Draw the last days into this file instead; `-` prints the drawing
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    svg: Option<PathBuf>,
    /// How many days to draw, and to count in JSON
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
    /// Compare what is in mode shadow with what happened: how often it would have refused or asked
    #[arg(long, conflicts_with_all = ["svg", "hook", "decision", "outcome"])]
    shadow: bool,
    #[command(flatten)]
    scope: FleetScope,
    #[command(flatten)]
    only: FleetAgents,
    /// What is counted by, in a fleet
    #[arg(long, value_enum, default_value_t = By::Hook, requires = "fleet", value_name = "WHAT")]
    by: By,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum By {
    Hook,
    Machine,
    Person,
    Agent,
    Project,
}

impl From<By> for Grouping {
    fn from(by: By) -> Self {
        match by {
            By::Hook => Self::Hook,
            By::Machine => Self::Machine,
            By::Person => Self::Person,
            By::Agent => Self::Agent,
            By::Project => Self::Project,
        }
    }
}

impl By {
    fn word(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Machine => "machine",
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Project => "project",
        }
    }
}

impl Stats {
    pub fn run(&self) -> ExitCode {
        if self.shadow {
            return self.compare().map_or_else(screen::fail, |()| ExitCode::Success);
        }
        match self.count().and_then(|count| self.show(&count)) {
            Ok(()) => ExitCode::Success,
            Err(message) => screen::fail(message),
        }
    }

    fn compare(&self) -> Result<(), CliError> {
        let store = journal::open()?;
        let count = shadow::count(&store, &self.filter.events())?;
        let mut out = anstream::stdout();
        // A closed stdout is not an error.
        let _ = if self.json {
            serde_json::to_writer(&mut out, &screen::versioned(&count))
                .map_err(io::Error::from)
                .and_then(|()| writeln!(out))
        } else {
            shadow::write(&count, &mut out)
        };
        Ok(())
    }

    /// Counted by the database.
    fn count_fleet(&self) -> Result<Count, CliError> {
        let mut filter = self.scope.narrow(self.filter.for_fleet(&self.only.agents));
        if self.svg.is_some() {
            let first_drawn = tally::first_millis(self.days, now_millis());
            filter.since = Some(filter.since.map_or(first_drawn, |since| since.max(first_drawn)));
        }
        let mut database = self.scope.connect()?;
        let mut count = Count::default();
        for runs in database.runs(&filter, self.by.into()).map_err(CliError::machine)? {
            count.add_runs(&runs);
        }
        for runs in database.runs_by_day(&filter).map_err(CliError::machine)? {
            count.add_day(&runs);
        }
        count.finish();
        Ok(count)
    }

    fn count(&self) -> Result<Count, CliError> {
        if self.scope.fleet {
            return self.count_fleet();
        }
        let store = journal::open()?;
        let mut count = Count::default();
        let mut progress = ReadProgress::new("counting", &store);
        let now = now_millis();
        let counted = store.glance(self.filter.period().begin(&store)?, &mut |item| match item {
            Ok((seq, record)) => {
                if seq.is_multiple_of(PROGRESS_STEP) {
                    progress.reached(seq);
                }
                // What the journal notes about itself is no hook's doing.
                if record.kind != "journal" && self.wants(&record, now) {
                    count.add(&record);
                }
            }
            Err(error) => journal::complain(&error),
        });
        counted.map_err(CliError::machine)?;
        if count.hooks.is_empty() {
            self.filter.check_names(&store)?;
        }
        count.finish();
        Ok(count)
    }

    /// A drawing shows its days and nothing else.
    fn wants(&self, record: &RecordSummary<'_>, now: i64) -> bool {
        let drawn = self.svg.is_none() || tally::is_within(record.ts, self.days, now);
        drawn && self.filter.admits(record)
    }

    fn show(&self, count: &Count) -> Result<(), CliError> {
        let mut out = anstream::stdout();
        let days = count.days(self.days, now_millis());
        let written = match &self.svg {
            Some(file) if file.as_os_str() == "-" => write!(out, "{}", svg::draw(count, &days)),
            Some(file) => return save(file, &svg::draw(count, &days)),
            None if self.json => {
                writeln!(out, "{}", screen::versioned(serde_json::json!({ "hooks": count.hooks, "days": days })))
            }
            None => table::write(count, self.by.word(), &mut out),
        };
        // A closed stdout is not an error.
        drop::<io::Result<()>>(written);
        Ok(())
    }
}

fn save(file: &Path, drawing: &str) -> Result<(), CliError> {
    write_file(&working_folder()?.join(file), drawing)?;
    screen::note(format!("wrote `{}`", file.display()));
    Ok(())
}
