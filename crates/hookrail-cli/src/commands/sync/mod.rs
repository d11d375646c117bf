//! `hookrail sync`: ships the journal of this machine to where `[fleet]` says.

mod last;
mod machine;
mod start;

pub use last::LastSync;
pub use start::start_detached;

use crate::commands::fleet;
use crate::commands::install::settings_for;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen;
use hookrail_core::World;
use hookrail_dialects::Scope;
use hookrail_engine::layers::{FleetSettings, Privacy};
use hookrail_fleet::database::Shipped;
use hookrail_fleet::otlp::Sender;
use hookrail_fleet::{Departure, Detail};
use serde_json::json;
use std::fs::{File, TryLockError};
use std::path::Path;

/// Ship new records of the journal to the fleet's database and collector
///
/// What arrived is never sent again, and what did not is sent the next time. It is started by itself when a session ends;
/// of several at once one works. What leaves follows `privacy`, and secrets are looked for again before it does. Changes the
/// database and the collector that `[fleet]` names, and keeps what it did in the state directory.
#[derive(clap::Args)]
pub struct Sync {
    /// Started by a hook: say nothing, and be no part of its session
    #[arg(long, hide = true)]
    detached: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What one run did.
#[derive(Clone, Debug, Default)]
struct Done {
    database: Option<Shipped>,
    collector: Option<u64>,
}

impl Sync {
    pub fn run(&self) -> ExitCode {
        if self.detached {
            leave_session();
        }
        match self.sync() {
            Ok(Some(done)) => {
                self.tell(&done);
                ExitCode::Success
            }
            Ok(None) => {
                self.note("another `hookrail sync` of this user is at work");
                ExitCode::Success
            }
            Err(_) if self.detached => ExitCode::Usage,
            Err(message) => screen::fail(message),
        }
    }

    /// `None` if another process does it already.
    fn sync(&self) -> Result<Option<Done>, CliError> {
        let place = CurrentProject::here()?;
        let settings = fleet::required(&place)?;
        place.state_root()?.check().map_err(CliError::machine)?;
        let folder = place.state.clone()?.join("fleet");
        place.world.make_folder(&folder).map_err(CliError::machine)?;
        let Some(_lock) = lock(&folder.join("lock"))? else { return Ok(None) };
        let result = ship(&place, &settings, &folder);
        LastSync::of(&result).save(&folder);
        result.map(Some)
    }

    fn tell(&self, done: &Done) {
        if self.detached {
            return;
        }
        if self.json {
            let database = done.database.map(|shipped| {
                json!({ "records": shipped.records, "batches": shipped.batches, "started_over": shipped.started_over, "unreadable": shipped.unreadable })
            });
            let sent = json!({ "database": database, "collector": done.collector });
            anstream::println!("{:#}", screen::versioned(sent));
            return;
        }
        if let Some(shipped) = done.database {
            anstream::println!("{} records shipped to the database", shipped.records);
            if shipped.started_over > 0 {
                screen::warn("the journal is not the one that was shipped before; that is recorded in the database");
            }
            if shipped.unreadable > 0 {
                screen::warn(format!(
                    "{} lines of the journal could not be shipped; `hookrail log --verify` names them",
                    shipped.unreadable
                ));
            }
        }
        if let Some(records) = done.collector {
            anstream::println!("{records} records sent to the collector");
        }
    }

    fn note(&self, text: &str) {
        if !self.detached && !self.json {
            screen::note(text);
        }
    }
}

/// Brings records to both places. One that fails does not keep the other from its records.
fn ship(place: &CurrentProject, settings: &FleetSettings, folder: &Path) -> Result<Done, CliError> {
    let departure = Departure {
        detail: match settings_for(Scope::User, place).privacy() {
            Privacy::Full => Detail::Full,
            Privacy::Minimal => Detail::Minimal,
        },
    };
    let store = place.store()?;
    let report = machine::report(place)?;
    let database = settings.database.as_deref().map(|url| {
        let mut database = fleet::open(url, settings.password_file.as_deref(), place)?;
        database.ship(&report, &store, departure).map_err(CliError::machine)
    });
    let collector = settings.otlp.as_deref().map(|endpoint| {
        let sender = Sender {
            endpoint: endpoint.to_owned(),
            headers: place.world.env("OTEL_EXPORTER_OTLP_HEADERS").unwrap_or_default(),
            host: report.name.clone(),
            host_id: report.key.clone(),
            person: report.person.clone(),
            os: report.os.clone(),
            version: report.version.clone(),
        };
        sender.send(&store, departure, folder).map_err(CliError::machine)
    });
    Ok(Done { database: database.transpose()?, collector: collector.transpose()? })
}

/// At most one sync of a user at a time; a lock ends with its process.
fn lock(path: &Path) -> Result<Option<File>, CliError> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|error| CliError::machine(format!("cannot open `{}`: {error}", path.display())))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(CliError::usage(format!("cannot lock `{}`: {error}", path.display()))),
    }
}

/// A terminal that closes, or an agent that ends everything it started, must not end a batch.
fn leave_session() {
    #[cfg(unix)]
    {
        // It fails only for a leader, which is its own session already.
        let _ = rustix::process::setsid();
    }
}
