//! `hookrail ui`: the journal as a web page on loopback.

mod browser;
mod fleet;
mod machine;
mod other_levels;
mod own_command;

use super::fleet::FleetScope;
use super::{journal, person};
use crate::current_project::{CurrentProject, now_millis};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::interrupt::Interrupt;
use crate::screen;
use fleet::{FleetCommands, FleetSource};
use hookrail_core::World;
use hookrail_ui::{CommandBackend, EventSource, JournalSource, Server};
use machine::Commands;
use owo_colors::OwoColorize;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// How often it is looked whether the person wants the server to end.
const PULSE: Duration = Duration::from_millis(50);

/// Show in a browser what your agents do, as it happens, and why
///
/// Serves a page on loopback: sessions live, every decision with its reason, an overview, rules and backtests. The printed
/// address holds a token that opens the page once; from then on only that browser is answered. Ends on Ctrl-C. Only reads,
/// unless you confirm an exception on the page, which writes what `hookrail allow` would. With `--fleet` it shows the events of
/// all machines, as they arrive in the database, and changes nothing.
#[derive(clap::Args)]
pub struct Ui {
    /// The port on loopback; a free one if not given
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address and open no browser
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    scope: FleetScope,
    /// Print the address as JSON
    #[arg(long)]
    json: bool,
}

/// Where the page's events come from, and who is asked about the rest.
type PageSources = (Arc<dyn EventSource>, Arc<dyn CommandBackend>);

impl Ui {
    pub fn run(&self) -> ExitCode {
        self.serve().unwrap_or_else(screen::fail)
    }

    fn serve(&self) -> Result<ExitCode, CliError> {
        let place = CurrentProject::here()?;
        let is_person = person::require("hookrail ui", &place.world);
        let commands = Commands::new(place.folder.clone(), is_person.clone())?;
        let (source, machine) = self.shown(commands)?;
        let is_read_only = machine.may_write().is_err();
        let interrupt = Interrupt::listen();
        let server = Server::bind(self.port, source, machine, now_millis).map_err(CliError::machine)?;
        let (address, port) = (server.entrance(), server.port());
        server.start();
        if self.json {
            let told = json!({ "address": address, "port": port, "read_only": is_read_only });
            anstream::println!("{}", screen::versioned(told));
        } else {
            self.tell(&address, port, &place.world, is_person.is_err());
        }
        if !self.no_open && !self.json {
            browser::open(&address, &place.world).unwrap_or_else(screen::note);
        }
        while !interrupt.came() {
            std::thread::sleep(PULSE);
        }
        Ok(ExitCode::Success)
    }

    /// What is shown, and who is asked about it: this machine, or all.
    fn shown(&self, commands: Commands) -> Result<PageSources, CliError> {
        if self.scope.fleet {
            let source = FleetSource::follow(&self.scope)?;
            return Ok((source, Arc::new(FleetCommands::new(commands, &self.scope))));
        }
        let source = JournalSource::follow(Arc::new(journal::open()?));
        Ok((Arc::new(source), Arc::new(commands)))
    }

    fn tell(&self, address: &str, port: u16, world: &dyn World, is_read_only: bool) {
        anstream::println!("{}", address.bold());
        anstream::println!(
            "{}",
            "The token in it opens the page once, in one browser. Ctrl-C ends the server.".dimmed()
        );
        let tunnel = format!(
            "From another machine: `ssh -L {port}:127.0.0.1:{port} {}`, then open the same address there.",
            browser::this_machine(world)
        );
        anstream::println!("{}", tunnel.dimmed());
        if is_read_only {
            screen::note("this was not started by a person at a terminal, so the page changes nothing");
        }
    }
}
