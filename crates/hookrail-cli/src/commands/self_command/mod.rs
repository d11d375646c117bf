//! `hookrail self`: about this program.

mod installation;
mod release;

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen;
use hookrail_engine::RealWorld;
pub use installation::Installation;
use release::Release;
use std::io::Write;
use std::path::PathBuf;

/// Show what this program is, where it lies and how it was installed
///
/// Only reads.
#[derive(clap::Args)]
pub struct SelfCommand {
    #[command(subcommand)]
    command: SelfSubcommand,
}

#[derive(clap::Subcommand)]
enum SelfSubcommand {
    Version(Version),
}

/// Show the version, what it was built for, where it lies and how it was installed
///
/// With `--check` it asks the project's releases, or another address, for the latest version, and exits with 3 if that is newer.
/// Without `--check` it needs no network. Only reads.
#[derive(clap::Args)]
struct Version {
    /// Ask for the latest version
    #[arg(long)]
    check: bool,
    /// What is asked: a file with the key `version`, as releases have it
    #[arg(long, value_name = "URL", requires = "check", default_value = release::LATEST)]
    url: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a build knows of itself.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const TARGET: &str = env!("HOOKRAIL_TARGET");
const COMMIT: Option<&str> = option_env!("HOOKRAIL_COMMIT");

impl SelfCommand {
    pub fn run(&self) -> ExitCode {
        let SelfSubcommand::Version(version) = &self.command;
        version.run()
    }
}

impl Version {
    fn run(&self) -> ExitCode {
        // The answer about this program does not depend on the network.
        let program = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
        let installation = program.as_deref().map(|path| Installation::of(path, &RealWorld::default()));
        let latest = self.check.then(|| Release::fetch(&self.url));
        let newer =
            latest.as_ref().and_then(|latest| latest.as_ref().ok()).is_some_and(|latest| latest.is_newer_than(VERSION));
        if self.json {
            print_json(program.as_ref(), installation, latest.as_ref(), newer);
        } else {
            print(program.as_ref(), installation, latest.as_ref(), newer);
        }
        match latest {
            Some(Err(error)) => screen::fail(CliError::machine(error)),
            _ if newer => ExitCode::Failed,
            _ => ExitCode::Success,
        }
    }
}

type Checked = Result<Release, release::ReleaseError>;

fn print(program: Option<&PathBuf>, installation: Option<Installation>, latest: Option<&Checked>, newer: bool) {
    let mut lines = vec![format!("hookrail {VERSION}"), format!("target        {TARGET}")];
    lines.extend(COMMIT.map(|commit| format!("commit        {commit}")));
    lines.extend(program.map(|path| format!("program       {}", path.display())));
    let installation = installation.unwrap_or(Installation::Unknown);
    lines.push(format!("installed by  {}", installation.name()));
    if let Some(Ok(latest)) = latest {
        let verdict = if newer { format!("newer; {}", installation.update()) } else { "up to date".to_owned() };
        lines.push(format!("latest        {} ({verdict})", latest.version));
    }
    // If the terminal is gone there is nothing left to do.
    let _ = writeln!(anstream::stdout(), "{}", lines.join("\n"));
}

fn print_json(program: Option<&PathBuf>, installation: Option<Installation>, latest: Option<&Checked>, newer: bool) {
    let installation = installation.unwrap_or(Installation::Unknown);
    let mut told = serde_json::json!({
        "version": VERSION,
        "target": TARGET,
        "commit": COMMIT,
        "program": program,
        "installed_by": installation.name(),
    });
    if let (Some(Ok(latest)), Some(fields)) = (latest, told.as_object_mut()) {
        fields.insert("latest".to_owned(), latest.version.clone().into());
        fields.insert("newer".to_owned(), newer.into());
        fields.insert("update".to_owned(), installation.update().into());
    }
    let _ = writeln!(anstream::stdout(), "{}", screen::versioned(told));
}
