use super::journal;
use crate::current_project::now_millis;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::interrupt::Interrupt;
use crate::screen;
use hookrail_ui::{Tail, watch};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

/// Watch in the terminal what your agents do, as it happens
///
/// Sessions with their sub-agents are lanes, events are listed below them; `/` filters, Enter opens an event, `?` shows every
/// key, `q` ends. Needs 80 columns and 24 lines. Only reads.
#[derive(clap::Args)]
pub struct Watch {
    /// Only these decisions: none, failed, warned, allow, ask, deny, stop
    #[arg(long, value_name = "WORDS")]
    decision: Option<String>,
    /// Only events with this text
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Print each new event as a line of JSON instead
    #[arg(long)]
    json: bool,
}

impl Watch {
    pub fn run(&self) -> ExitCode {
        self.watch().unwrap_or_else(screen::fail)
    }

    fn watch(&self) -> Result<ExitCode, CliError> {
        let store = Arc::new(journal::open()?);
        let start = watch::Start::new(self.decision.as_deref(), self.text.as_deref()).map_err(CliError::machine)?;
        let interrupt = Interrupt::listen();
        if self.json {
            let tail = Tail::follow(store);
            // Ends when stdout is closed.
            let _ = watch::print_lines(&tail, &start, &mut io::stdout().lock(), &|| interrupt.came());
            let _ = io::stdout().flush();
            return Ok(ExitCode::Success);
        }
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return Err(CliError::usage("stdout is not a terminal").hint("`hookrail watch --json` prints lines"));
        }
        watch::run(Tail::follow(Arc::clone(&store) as _), store, start, now_millis, &|| interrupt.came())
            .map_err(|error| CliError::machine(format!("the terminal cannot be used: {error}")))?;
        Ok(ExitCode::Success)
    }
}
