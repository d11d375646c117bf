//! Which database, and as whom.

use crate::commands::install::settings_for;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::screen;
use hookrail_core::World;
use hookrail_dialects::Scope;
use hookrail_engine::layers::{FleetSettings, Settings};
use hookrail_fleet::database::Database;
use hookrail_fleet::postgres::{Address, Credentials};
use std::path::Path;

/// What `[fleet]` says on this machine. What comes with a project has no say, so it is not read.
pub fn settings(place: &CurrentProject) -> Option<FleetSettings> {
    settings_for(Scope::User, place).fleet()
}

/// The same where there must be a fleet. Mistakes in the configuration are told: one may be why it names none.
pub fn required(place: &CurrentProject) -> Result<FleetSettings, CliError> {
    let settings = settings_for(Scope::User, place);
    settings.fleet().ok_or_else(|| {
        warn_of_mistakes(&settings);
        CliError::usage("this machine belongs to no fleet")
            .hint("write `[fleet]` with `database` or `otlp` into your hookrail.toml")
    })
}

fn warn_of_mistakes(settings: &Settings) {
    settings.diagnostics().iter().map(ToString::to_string).for_each(screen::warn);
}

/// Connects to the named database, or to that of the configuration.
pub fn connect(place: &CurrentProject, named: Option<&str>) -> Result<Database, CliError> {
    let all = settings_for(Scope::User, place);
    let settings = all.fleet();
    let configured = settings.as_ref().and_then(|settings| settings.database.clone());
    let url = named.map(str::to_owned).or(configured).ok_or_else(|| {
        warn_of_mistakes(&all);
        CliError::usage("no database is configured")
            .hint("write `[fleet]` with `database = \"postgres://…\"` into your hookrail.toml, or add `--database`")
            .to_owned()
    })?;
    // A password of the configuration belongs to the configuration's database.
    let file = settings.and_then(|settings| settings.password_file).filter(|_| named.is_none());
    open(&url, file.as_deref(), place)
}

pub fn open(url: &str, password_file: Option<&Path>, place: &CurrentProject) -> Result<Database, CliError> {
    let address = Address::parse(url).map_err(CliError::machine)?;
    let credentials = Credentials::find(&address, password_file, &|name| place.world.env(name));
    let credentials = credentials.map_err(CliError::machine)?;
    Database::connect(&address, &credentials).map_err(CliError::machine)
}
