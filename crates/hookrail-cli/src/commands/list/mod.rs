//! `hookrail list`: every hook that could run here, and who says whether it does.

mod inventory;
mod page;
mod shadow;

use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::hook::args;
use crate::screen;
use inventory::Inventory;
use std::io::Write;

/// Show packs and hooks: mode, events, where they are configured, what shadows what.
///
/// A pack that is off is shown in one line; name it, or say `--all`, to see its hooks. Only reads.
#[derive(clap::Args)]
pub struct List {
    /// Only these packs
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
    /// Show the events in this agent's words, and which of them it does not have
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Show the hooks of packs that are off, too
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl List {
    pub fn run(&self) -> ExitCode {
        match self.list() {
            Ok(()) => ExitCode::Success,
            Err(message) => screen::fail(message),
        }
    }

    fn list(&self) -> Result<(), CliError> {
        let agent = self.agent.as_deref().map(args::find_agent).transpose()?;
        let packs: Vec<&str> = self.packs.iter().map(|pack| args::find_pack(pack)).collect::<Result<_, _>>()?;
        let place = CurrentProject::here()?;
        for diagnostic in place.settings.diagnostics() {
            let text = diagnostic.to_string();
            screen::warn(text.lines().map(screen::one_line).collect::<Vec<_>>().join("\n"));
        }
        let inventory = Inventory::take(&place, agent, &packs);
        let mut out = anstream::stdout();
        // A closed stdout is not an error.
        let _ = if self.json {
            serde_json::to_writer(&mut out, &screen::versioned(&inventory))
                .map_err(Into::into)
                .and_then(|()| writeln!(out))
        } else {
            page::write(&inventory, self.all || !packs.is_empty(), &mut out)
        };
        Ok(())
    }
}
