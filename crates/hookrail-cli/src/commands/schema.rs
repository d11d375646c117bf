use crate::exit_code::ExitCode;
use clap::ValueEnum;
use std::io::Write;

/// Print the JSON Schema of a file that people write, of what hooks read, or of a report
///
/// Only reads.
#[derive(clap::Args)]
pub struct Schema {
    /// hookrail: `hookrail.toml`; fsm: a skill's `fsm.json`; input: what command and HTTP hooks read;
    /// backtest: what `hookrail backtest --json` prints
    #[arg(value_enum, default_value_t = Kind::Hookrail, value_name = "FILE")]
    file: Kind,
    /// Print JSON; a schema always is
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Hookrail,
    Fsm,
    Input,
    Backtest,
}

impl Schema {
    pub fn run(&self) -> ExitCode {
        let schema = match self.file {
            Kind::Hookrail => include_str!("../../../../docs/schema/hookrail.schema.json"),
            Kind::Fsm => include_str!("../../../../docs/schema/fsm.schema.json"),
            Kind::Input => include_str!("../../../../docs/schema/hook-input.schema.json"),
            Kind::Backtest => include_str!("../../../../docs/schema/backtest.schema.json"),
        };
        // A closed stdout is not an error.
        let _ = std::io::stdout().write_all(schema.as_bytes());
        ExitCode::Success
    }
}
