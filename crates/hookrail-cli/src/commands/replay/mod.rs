//! `hookrail replay`: what another configuration would have decided.

pub mod history;
pub mod opinion;
mod recorded;
mod report;
pub mod rerun;

use super::backtest::text;
use super::fleet::FleetScope;
use super::journal::{self, Period, ReadProgress};
use crate::current_project::{now_millis, working_folder, write_file};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::hook::args::find_agent;
use crate::hook::rehearsal::Commands;
use crate::screen;
use history::{PastEvent, Wanted};
use hookrail_backtest::{Collector, counted};
use hookrail_engine::RealWorld;
use hookrail_engine::layers::{LayerKind, project_root};
use hookrail_fleet::database::queries::RecordFilter;
use rerun::{ReplayConditions, ReplayTally, Worker};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What a replay compares with.
const THEN: &str = "what was decided then";
/// Events on their way to a worker.
const QUEUE: usize = 256;

/// Decide recorded events again under another configuration, and show what would change
///
/// The report is that of `hookrail backtest`, compared with what was decided then.
///
/// Without --config the configuration as it is now counts, in each project its own. With --config it is that of one project, the
/// one of this folder unless --project names another, or with `--layer user` that of all. Native hooks run on the files of today, command hooks answer as
/// they did then, and only events that the journal kept can be decided again. Only reads, unless --run-commands lets
/// command hooks do what they do.
#[derive(clap::Args)]
pub struct Replay {
    #[command(flatten)]
    period: Period,
    /// Only this session (repeats)
    #[arg(long, value_name = "ID")]
    session: Vec<String>,
    /// Only events of the project in this folder
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Only events of this agent (repeats)
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// Decide as if this were the project's hookrail.toml; the other layers stay
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The layer whose file FILE takes the place of
    #[arg(long, value_name = "NAME", requires = "config", default_value = "project", value_parser = ["user", "project", "local"])]
    layer: String,
    /// Run command hooks again, for real; those of a project only if they are trusted
    #[arg(long)]
    run_commands: bool,
    /// Show at most COUNT changes, the most important first; 0 shows all
    #[arg(long, default_value_t = 50, value_name = "COUNT")]
    limit: usize,
    /// Write the report of `hookrail backtest` about these events as one page that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    scope: FleetScope,
    /// Print JSON, with every change and the report of `hookrail backtest`
    #[arg(long)]
    json: bool,
}

impl Replay {
    pub fn run(&self) -> ExitCode {
        match self.replay() {
            Ok(code) => code,
            Err(message) => screen::fail(message),
        }
    }

    fn replay(&self) -> Result<ExitCode, CliError> {
        let store = journal::open()?;
        let trial = ReplayConditions {
            file: self.config.as_deref().map(|file| self.read_config(file)).transpose()?,
            commands: if self.run_commands { Commands::Run } else { Commands::Leave },
            state_folder: Some(store.root().path().to_owned()),
            collector: Mutex::new(Collector::new(&self.configuration(), None, Some(THEN)).of_journal()),
        };
        let project = self.wanted_project()?;
        let agents = self.agents.iter().map(|name| Ok(find_agent(name)?.name().to_owned()));
        let agents = agents.collect::<Result<Vec<_>, CliError>>()?;
        let wanted = Wanted {
            period: Some(&self.period),
            sessions: &self.session,
            project: project.as_deref(),
            agents: &agents,
        };
        let mut tally = if self.scope.fleet {
            self.decide_fleet(&wanted, &trial)?
        } else {
            let mut progress = ReadProgress::new("deciding", &store);
            decide_all(history::events(&store, &wanted, |seq| progress.reached(seq))?, &trial)?
        };
        let mut collector = std::mem::take(&mut *trial.collector.lock().unwrap_or_else(PoisonError::into_inner));
        tally.tell(&mut collector);
        tally.report = collector.finish(now_millis(), true, &|name| (title(name), false));
        if let Some(file) = &self.html {
            write_file(&working_folder()?.join(file), &hookrail_backtest::page::render(&tally.report))?;
        }
        // A closed stdout is not an error.
        let _ = self.print(&tally, &mut anstream::stdout());
        Ok(ExitCode::Success)
    }

    /// The report of `hookrail backtest`, and what only a journal has.
    fn print(&self, tally: &ReplayTally, out: &mut dyn Write) -> io::Result<()> {
        if self.json {
            return report::write_json(tally, out);
        }
        let most = if self.limit == 0 { usize::MAX } else { self.limit };
        text::write(&tally.report, most, out)?;
        let reported = tally.report.diff.as_ref().map_or(0, |diff| diff.changed);
        let smaller = (tally.changes.len() as u64).saturating_sub(reported);
        if smaller > 0 {
            let events = counted(smaller, "more event");
            writeln!(out, "- {events} in which hooks would warn or fail otherwise; `--json` has them")?;
        }
        if !tally.unknown_commands.is_empty() && !self.run_commands {
            writeln!(out, "- command hooks are not run again; `--run-commands` does it")?;
        }
        Ok(())
    }

    /// A project's file is about its own events: without another word, those of the project that the person is in.
    fn wanted_project(&self) -> Result<Option<String>, CliError> {
        if let Some(folder) = &self.project {
            return resolve(folder).map(Some);
        }
        if self.config.is_none() || self.layer == "user" {
            return Ok(None);
        }
        let here = project_root(&RealWorld::default(), &working_folder()?);
        resolve(&here).map(Some)
    }

    /// What people call the configuration that is tried.
    fn configuration(&self) -> String {
        match &self.config {
            Some(file) => format!("{} in place of the {} layer", file.display(), self.layer),
            None => "the configuration as it is now".to_owned(),
        }
    }

    /// The events of all machines, as they come out of the database. Folders of other machines are not here, so what depends on
    /// files is decided as if there were none.
    fn decide_fleet(&self, wanted: &Wanted<'_>, trial: &ReplayConditions) -> Result<ReplayTally, CliError> {
        let (since, until) = self.period.bounds();
        // A project stands in the first record of an event only, so all of a session is read.
        let agents = wanted.agents.to_vec();
        let filter = RecordFilter { sessions: self.session.clone(), agents, since, until, ..RecordFilter::default() };
        let filter = self.scope.narrow(filter);
        let mut database = self.scope.connect()?;
        let (send, receive) = sync_channel(QUEUE);
        thread::scope(|scope| {
            let reading = scope.spawn(move || {
                database.each(&filter, |it| send.send((it.seq, it.record)).is_ok()).map_err(CliError::machine)
            });
            let tally = decide_all(history::events_of(receive.into_iter(), wanted), trial);
            reading.join().map_err(|_| CliError::internal("a replay worker panicked"))??;
            tally
        })
    }

    /// A file that cannot be read would be tried in vain; what is only wrong in it is told.
    fn read_config(&self, file: &Path) -> Result<(LayerKind, PathBuf), CliError> {
        let file = working_folder()?.join(file);
        std::fs::read(&file).map_err(|error| CliError::unreadable(&file, error))?;
        let layer = match self.layer.as_str() {
            "user" => LayerKind::User,
            "local" => LayerKind::Local,
            _ => LayerKind::Project,
        };
        let file_of_trial = Some((layer, file.clone()));
        let trial = ReplayConditions { file: file_of_trial, ..ReplayConditions::default() };
        let settings = trial.settings(Path::new("/nowhere"));
        let place = file.display().to_string();
        let own: Vec<String> = settings
            .diagnostics()
            .iter()
            .filter(|diagnostic| *diagnostic.origin.place == *place)
            .map(ToString::to_string)
            .collect();
        if settings.unreadable().any(|unreadable| unreadable == place) {
            return Err(CliError::input(own.join("\n")));
        }
        own.iter().for_each(screen::warn);
        Ok((layer, file))
    }
}

fn title(agent: &str) -> String {
    hookrail_dialects::agent(agent).map_or_else(|| agent.to_owned(), |agent| agent.title.to_owned())
}

fn resolve(folder: &Path) -> Result<String, CliError> {
    let resolved = folder.canonicalize().map_err(|error| CliError::unreadable(folder, error))?;
    Ok(resolved.display().to_string())
}

/// Reads on this thread and decides on as many as there are cores. A session stays on one thread, so that what its hooks
/// remember is in order.
fn decide_all(events: impl Iterator<Item = PastEvent>, trial: &ReplayConditions) -> Result<ReplayTally, CliError> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut tally = thread::scope(|scope| {
        let (queues, running): (Vec<SyncSender<PastEvent>>, Vec<_>) = (0..workers)
            .map(|_| {
                let (queue, events) = sync_channel(QUEUE);
                let work = move || {
                    let mut worker = Worker::new(trial);
                    events.into_iter().for_each(|event| worker.take(event));
                    worker.finish()
                };
                (queue, scope.spawn(work))
            })
            .unzip();
        for event in events {
            let place = worker_of(&event.head.session, workers);
            if queues.get(place).is_none_or(|queue| queue.send(event).is_err()) {
                break;
            }
        }
        drop(queues);
        let tallies =
            running.into_iter().map(|worker| worker.join().map_err(|_| CliError::internal("a replay worker panicked")));
        tallies.collect::<Result<Vec<ReplayTally>, CliError>>()
    })?
    .into_iter()
    .fold(ReplayTally::default(), ReplayTally::add);
    tally.changes.sort_by_key(|change| change.seq);
    Ok(tally)
}

fn worker_of(session: &str, workers: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    session.hash(&mut hasher);
    usize::try_from(hasher.finish() % workers as u64).unwrap_or_default()
}
