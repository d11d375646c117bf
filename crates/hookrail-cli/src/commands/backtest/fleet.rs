//! `hookrail backtest --fleet`: the calls that all machines shipped. They are read from a cursor and none is kept.

use crate::commands::fleet::FleetScope;
use crate::commands::replay::history::{self, PastEvent, Wanted};
use crate::commands::replay::opinion::Opinion;
use crate::commands::replay::rerun::past_call;
use crate::current_project::now_millis;
use crate::error::CliError;
use hookrail_backtest::transcripts::{CallEnd, Outcome};
use hookrail_backtest::{BacktestReport, RecordedCall, RecordedStep, Request, Watcher, run_recorded};
use hookrail_core::EventName;
use hookrail_fleet::database::Database;
use hookrail_fleet::database::queries::RecordFilter;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Records on their way from the database.
const QUEUE: usize = 4096;
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

pub fn run(request: &Request, scope: &FleetScope, watcher: &mut dyn Watcher) -> Result<BacktestReport, CliError> {
    let filter = RecordFilter { agents: request.agents.clone(), since: request.since, ..RecordFilter::default() };
    let filter = scope.narrow(filter);
    let mut database = scope.connect()?;
    watcher.total(count(&mut database, &filter)?, 1);
    // Only the first record of an event names its project, so that others cannot be left out by the database.
    let project = request.project.as_ref().map(|project| project.display().to_string());
    let wanted = Wanted { project: project.as_deref(), ..Wanted::default() };
    let (send, receive) = sync_channel(QUEUE);
    thread::scope(|threads| {
        let reading = threads.spawn(move || {
            let each = database.each(&filter, |it| send.send((it.seq, it.record)).is_ok());
            each.map_err(CliError::machine)
        });
        let report = {
            let steps =
                history::events_of(receive.into_iter(), &wanted).map(|past| step(past).unwrap_or(RecordedStep::Other));
            run_recorded(&Request { project: None, ..request.clone() }, steps, watcher, now_millis())
        };
        reading.join().map_err(|_| CliError::internal("the thread that reads the database panicked"))??;
        Ok(report)
    })
}

/// About how many records there are, from the counts by day.
fn count(database: &mut Database, filter: &RecordFilter) -> Result<u64, CliError> {
    let since = filter.since.map(|since| since.div_euclid(DAY_MILLIS) * DAY_MILLIS);
    let days = database.runs_by_day(&RecordFilter { since, ..filter.clone() });
    Ok(days.map_err(CliError::machine)?.iter().map(|runs| runs.runs).sum())
}

/// What of a recorded event a backtest looks at.
fn step(mut past: PastEvent) -> Option<RecordedStep> {
    let dialect = hookrail_dialects::dialect(&past.head.agent)?;
    let event = hookrail_dialects::restore(past.take_input()?, dialect);
    match event.name {
        EventName::BeforeAgent => Some(RecordedStep::Prompt { session: past.head.session }),
        EventName::BeforeTool if event.tool.is_some() => {
            let decision = Opinion::live(&past.runs).answer.past_decision();
            let project = past.head.project.as_ref().map_or_else(|| event.cwd.to_path_buf(), PathBuf::from);
            let end = CallEnd { outcome: Outcome::Unknown, decision };
            let call = past_call(&past, &event);
            Some(RecordedStep::Call(Box::new(RecordedCall { agent: dialect.name(), call, project, end })))
        }
        _ => None,
    }
}
