//! `hookrail fleet`: the database of many machines, and what it knows of them.

mod connection;
mod report;
mod scope;

pub use connection::{connect, open, required, settings};
#[cfg(feature = "ui")]
pub use report::concerns;
pub use scope::{FleetAgents, FleetScope};

use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen;
use hookrail_fleet::database::{Database, SCHEMA_VERSION};

/// Look at many machines: who runs which policy, whose hook entries are altered, whose journal has breaks
///
/// The database is that of `[fleet]` in the managed or the user's configuration, or of `--database`. `migrate` and `retain`
/// change the database and need its owner's login; `status` only reads.
#[derive(clap::Args)]
pub struct Fleet {
    #[command(subcommand)]
    command: FleetCommand,
}

#[derive(clap::Subcommand)]
enum FleetCommand {
    Migrate(Migrate),
    Retain(Retain),
    Status(Status),
}

/// Make the schema of the database, or bring it up to date
///
/// Makes the roles `hookrail_writer` and `hookrail_reader` as well; grant them to the logins of machines and of people who
/// look. Changes the database.
#[derive(clap::Args)]
struct Migrate {
    #[command(flatten)]
    target: Target,
}

/// Set how long records are kept
///
/// Changes the database: days that are older are dropped, now and from now on by whoever ships first on a day.
#[derive(clap::Args)]
struct Retain {
    #[arg(value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: u32,
    #[command(flatten)]
    target: Target,
}

/// Show every machine: its policy, its hook entries, its journal
///
/// Exits with 3 if a machine needs a look. Only reads.
#[derive(clap::Args)]
struct Status {
    #[command(flatten)]
    target: Target,
}

#[derive(clap::Args)]
struct Target {
    /// The database, such as postgres://owner@db.example.com/fleet
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Target {
    fn connect(&self) -> Result<Database, CliError> {
        connect(&CurrentProject::here()?, self.database.as_deref())
    }
}

impl Fleet {
    pub fn run(&self) -> ExitCode {
        let result = match &self.command {
            FleetCommand::Migrate(migrate) => migrate.run(),
            FleetCommand::Retain(retain) => retain.run(),
            FleetCommand::Status(status) => status.run(),
        };
        result.unwrap_or_else(screen::fail)
    }
}

impl Migrate {
    fn run(&self) -> Result<ExitCode, CliError> {
        let before = self.target.connect()?.migrate().map_err(CliError::machine)?;
        report::migrated(before, SCHEMA_VERSION, self.target.json);
        Ok(ExitCode::Success)
    }
}

impl Retain {
    fn run(&self) -> Result<ExitCode, CliError> {
        let dropped = self.target.connect()?.retain(self.days).map_err(CliError::machine)?;
        report::retained(self.days, dropped, self.target.json);
        Ok(ExitCode::Success)
    }
}

impl Status {
    fn run(&self) -> Result<ExitCode, CliError> {
        let machines = self.target.connect()?.machines().map_err(CliError::machine)?;
        Ok(report::machines(&machines, self.target.json))
    }
}
