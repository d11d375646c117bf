mod check;

use super::fleet::{FleetAgents, FleetScope};
use super::journal::{self, Filter, ReadProgress, outcome_word};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, columns, one_line, visible_width};
use hookrail_engine::timestamp_of;
use hookrail_store::{Cursor, JournalRecord, Outcome, ReadError, RecordSummary, Store};
use owo_colors::OwoColorize;
use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::time::Duration;

/// How often a followed journal is looked at.
const PULSE: Duration = Duration::from_millis(200);
/// Room for a hook's name; longer ones push the rest aside.
const HOOK_ROOM: usize = 24;

/// Show what hooks did, from the journal
///
/// The newest records come last. Ends with 3 if `--verify` or `--anchor` found that the journal was changed. Only reads.
#[derive(clap::Args)]
pub struct Log {
    #[command(flatten)]
    filter: Filter,
    /// Show at most COUNT records, the newest; 0 shows all
    #[arg(long, default_value_t = 50, value_name = "COUNT")]
    limit: usize,
    /// Go on showing records as they are written
    #[arg(long)]
    follow: bool,
    /// Check that the journal is as it was written, and show nothing else
    #[arg(long, conflicts_with = "follow")]
    verify: bool,
    /// Print the newest record's number and hash, to be kept elsewhere; with values or a file of them, check that the journal
    /// still has these records
    #[arg(long, value_name = "VALUE|FILE", num_args = 0.., conflicts_with = "follow")]
    anchor: Option<Vec<String>>,
    #[command(flatten)]
    scope: FleetScope,
    #[command(flatten)]
    only: FleetAgents,
    /// Print one JSON object per record, as the journal has it
    #[arg(long)]
    json: bool,
}

impl Log {
    pub fn run(&self) -> ExitCode {
        let work = || -> Result<ExitCode, CliError> {
            if self.scope.fleet {
                return self.show_fleet();
            }
            let store = journal::open()?;
            match &self.anchor {
                None if !self.verify => self.show(&store),
                None => check::verify(&store, &[], self.json),
                Some(given) if given.is_empty() && !self.verify => check::print_anchor(&store, self.json),
                Some(given) if given.is_empty() => {
                    Err(CliError::usage("`--verify --anchor` needs the anchor to compare with")
                        .hint("`hookrail log --anchor` prints the newest one"))
                }
                Some(given) => check::verify(&store, &check::read_anchors(given)?, self.json),
            }
        };
        work().unwrap_or_else(screen::fail)
    }

    fn show_fleet(&self) -> Result<ExitCode, CliError> {
        if self.follow || self.verify || self.anchor.is_some() {
            return Err(CliError::usage("`--follow`, `--verify` and `--anchor` are about the journal of this machine")
                .hint("`hookrail fleet status` shows which machines have gaps in their journal"));
        }
        let filter = self.scope.narrow(self.filter.for_fleet(&self.only.agents));
        let records = self.scope.connect()?.newest(&filter, self.limit).map_err(CliError::machine)?;
        if records.is_empty() && !self.json {
            screen::note("the fleet has no such records");
        }
        let mut printer =
            Printer { json: self.json, session: None, machine: None, written: 0, out: anstream::stdout() };
        // A closed stdout does not want the rest.
        let _ = records.iter().try_for_each(|it| {
            printer.machine = Some((it.machine.clone(), it.person.clone()));
            printer.write(it.seq, &it.record)
        });
        Ok(ExitCode::Success)
    }

    fn show(&self, store: &dyn Store) -> Result<ExitCode, CliError> {
        let mut printer = Printer {
            json: self.json,
            session: None,
            machine: None,
            written: 0,
            out: BufWriter::new(anstream::stdout()),
        };
        let mut cursor = self.begin(store)?;
        // An error means that stdout was closed.
        let mut written = if self.limit == 0 {
            self.show_all(store, &mut cursor, &mut printer)?
        } else {
            self.show_newest(store, &mut cursor, &mut printer)?
        };
        if printer.written == 0 && !self.follow {
            self.filter.check_names(store)?;
            if !self.json {
                screen::note("the journal has no such records");
            }
        }
        written = written.and_then(|()| printer.out.flush());
        while self.follow && written.is_ok() {
            std::thread::sleep(PULSE);
            written = self.show_all(store, &mut cursor, &mut printer)?.and_then(|()| printer.out.flush());
        }
        Ok(ExitCode::Success)
    }

    /// Writes the wanted records while they are read: there may be more of them than fit into memory.
    fn show_all(
        &self,
        store: &dyn Store,
        cursor: &mut Cursor,
        printer: &mut Printer<impl Write>,
    ) -> Result<io::Result<()>, CliError> {
        let mut written = Ok(());
        self.read_on(store, cursor, None, |seq, record| {
            written = printer.write(seq, &record);
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(written)
    }

    fn show_newest(
        &self,
        store: &dyn Store,
        cursor: &mut Cursor,
        printer: &mut Printer<impl Write>,
    ) -> Result<io::Result<()>, CliError> {
        let mut newest = VecDeque::new();
        self.read_on(store, cursor, Some("reading"), |seq, record| {
            if newest.len() == self.limit {
                newest.pop_front();
            }
            newest.push_back((seq, record));
            ControlFlow::Continue(())
        })?;
        Ok(newest.iter().try_for_each(|(seq, record)| printer.write(*seq, record)))
    }

    /// Where to begin: if every record is wanted, the newest are at the end.
    fn begin(&self, store: &dyn Store) -> Result<Cursor, CliError> {
        if self.limit == 0 || !self.filter.is_open() {
            return self.filter.period().begin(store);
        }
        store.tail(self.limit as u64).map_err(CliError::machine)
    }

    /// The wanted records from a position on, which moves behind them. A person who waits sees `what` takes so long.
    fn read_on(
        &self,
        store: &dyn Store,
        cursor: &mut Cursor,
        what: Option<&str>,
        mut take: impl FnMut(u64, JournalRecord) -> ControlFlow<()>,
    ) -> Result<(), CliError> {
        let mut progress = what.map(|what| ReadProgress::new(what, store));
        for item in store.records(*cursor).map_err(CliError::machine)? {
            match item {
                Ok(entry) => {
                    *cursor = entry.next;
                    progress.iter_mut().for_each(|progress| progress.reached(entry.seq));
                    if self.filter.period().is_over(entry.record.ts) {
                        break;
                    }
                    if self.filter.admits(&RecordSummary::of(&entry.record)) && take(entry.seq, entry.record).is_break()
                    {
                        break;
                    }
                }
                Err(error) => {
                    journal::complain(&error);
                    if let ReadError::Broken { next, .. } = error {
                        *cursor = next;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Writes records one after the other.
struct Printer<W> {
    json: bool,
    /// Whose records were written last.
    session: Option<String>,
    /// Whose record is written, machine and person, if it is not this machine's.
    machine: Option<(String, String)>,
    /// How many records were.
    written: u64,
    out: W,
}

impl<W: Write> Printer<W> {
    fn write(&mut self, seq: u64, record: &JournalRecord) -> io::Result<()> {
        if self.json {
            let mut value = serde_json::to_value(record).map_err(io::Error::other)?;
            if let Some(fields) = value.as_object_mut() {
                fields.insert("seq".to_owned(), seq.into());
                if let Some((machine, person)) = &self.machine {
                    fields.insert("machine".to_owned(), machine.as_str().into());
                    fields.insert("person".to_owned(), person.as_str().into());
                }
            }
            writeln!(self.out, "{}", screen::versioned(value))?;
        } else {
            self.write_session(record)?;
            self.write_record(seq, record)?;
        }
        self.written += 1;
        Ok(())
    }

    /// Records of one session stand together under its name.
    fn write_session(&mut self, record: &JournalRecord) -> io::Result<()> {
        if self.session.as_ref() == Some(&record.session) {
            return Ok(());
        }
        self.session = Some(record.session.clone());
        if record.session.is_empty() {
            return Ok(());
        }
        let agent = if record.agent.is_empty() { String::new() } else { format!(" ({})", record.agent) };
        let whose = self.machine.as_ref().map(|(machine, person)| format!(" on {machine}, {person}"));
        let whose = whose.unwrap_or_default();
        writeln!(self.out, "{}", one_line(&format!("session {}{agent}{whose}", record.session)).bold())
    }

    fn write_record(&mut self, seq: u64, record: &JournalRecord) -> io::Result<()> {
        let time = timestamp_of(record.ts);
        let time = time.get(5..19).unwrap_or(&time).replace('T', " ");
        let head = format!(
            "{}  {}  {}  {:HOOK_ROOM$}  {}",
            format!("{seq:>4}").dimmed(),
            time.dimmed(),
            outcome(record),
            one_line(&record.hook),
            one_line(&record.event)
        );
        let what = [record.tool.as_deref(), record.subject.as_deref()];
        let what = one_line(&what.into_iter().flatten().collect::<Vec<_>>().join(" "));
        let line = format!("{head}  {what}");
        if visible_width(&line) <= columns() {
            writeln!(self.out, "{}", line.trim_end())?;
        } else {
            writeln!(self.out, "{}", head.trim_end())?;
            self.write_below(&what)?;
        }
        for why in [&record.reason, &record.error].into_iter().flatten() {
            const MARGIN: usize = 4;
            let lines = screen::wrap_around_layout(&screen::harmless(why), columns().saturating_sub(MARGIN));
            lines.iter().try_for_each(|line| writeln!(self.out, "{:MARGIN$}{}", "", line.dimmed()))?;
        }
        Ok(())
    }

    fn write_below(&mut self, text: &str) -> io::Result<()> {
        const MARGIN: usize = 4;
        let lines = screen::wrap(text, columns().saturating_sub(MARGIN));
        lines.iter().try_for_each(|line| writeln!(self.out, "{:MARGIN$}{line}", ""))
    }
}

/// What the hook did, in a word of nine letters: its decision if it had one, else how its run ended.
fn outcome(record: &JournalRecord) -> String {
    let decided = matches!(record.outcome, Outcome::Succeeded).then_some(record.decision.as_deref()).flatten();
    let word = format!("{:9}", one_line(decided.unwrap_or(outcome_word(record.outcome))));
    match record.outcome {
        Outcome::Blocked => word.red().to_string(),
        Outcome::Failed => word.magenta().to_string(),
        Outcome::Warned => word.yellow().to_string(),
        Outcome::Succeeded if decided.is_some() => word.yellow().to_string(),
        Outcome::Skipped => word.dimmed().to_string(),
        Outcome::Succeeded | Outcome::Unknown => word,
    }
}
