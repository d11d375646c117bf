//! The live view in a terminal: sessions as lanes, events below them, one event in detail.

mod app;
mod detail;
mod draw;
mod query;

use crate::journal::{Filter, FilterError, Searches, Tail};
use app::{App, Next};
use hookrail_store::Store;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// How long a key is waited for before the journal is looked at again.
const PULSE: Duration = Duration::from_millis(100);
const SECOND: Duration = Duration::from_secs(1);

/// What is shown at first.
#[derive(Clone, Debug, Default)]
pub struct Start {
    filter: Filter,
}

impl Start {
    /// `decision` is a list of decisions separated by commas.
    pub fn new(decision: Option<&str>, text: Option<&str>) -> Result<Self, FilterError> {
        let pair = |key: &str, value: Option<&str>| (key.to_owned(), value.unwrap_or_default().to_owned());
        Ok(Self { filter: Filter::parse(&[pair("decision", decision), pair("q", text)])? })
    }
}

/// Shows the view until the person ends it or `stop` says so.
pub fn run(
    tail: Tail,
    store: Arc<dyn Store>,
    start: Start,
    clock: fn() -> i64,
    stop: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let shown = show(&mut terminal, App::new(tail, store, start.filter, clock), stop);
    // The person's terminal is as it was, whatever happened.
    ratatui::try_restore()?;
    shown
}

fn show(terminal: &mut DefaultTerminal, mut app: App, stop: &dyn Fn() -> bool) -> io::Result<()> {
    while !stop() {
        app.refresh();
        terminal.draw(|frame| draw::draw(&mut app, frame))?;
        if !event::poll(PULSE)? {
            continue;
        }
        // What was typed ahead is done before anything is drawn again.
        while event::poll(Duration::ZERO)? {
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && app.press(key) == Next::End
            {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Prints every event that happens from now on as a line of JSON, until `stop` is true or the output is closed.
pub fn print_lines(tail: &Tail, start: &Start, out: &mut dyn Write, stop: &dyn Fn() -> bool) -> io::Result<()> {
    let mut reading = tail.reading();
    while !reading.is_caught_up && !stop() {
        reading = tail.wait(reading.version, SECOND);
    }
    let mut searches = Searches::default();
    let mut printed = searches.find(&start.filter, &tail.index()).len();
    while !stop() {
        let next = tail.wait(reading.version, PULSE);
        if next.version == reading.version {
            continue;
        }
        reading = next;
        let index = tail.index();
        let found = searches.find(&start.filter, &index);
        for row in found.iter().skip(printed).filter_map(|place| index.rows().get(*place as usize)) {
            serde_json::to_writer(&mut *out, &row.shown(index.names())).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        out.flush()?;
        printed = found.len();
    }
    Ok(())
}
