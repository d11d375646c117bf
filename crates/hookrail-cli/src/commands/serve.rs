use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::hook::state_folder;
use crate::screen;
use hookrail_core::World;
use hookrail_engine::{DebugLogger, Level, RealWorld};
use hookrail_host::rpc::{Server, Service};
use hookrail_store::{FileStore, StateRoot};
use std::io::{self, Write};
use std::sync::Arc;

/// Ask hooks for an agent in any language, as JSON-RPC 2.0 lines
///
/// An agent starts this as its child process and is answered what hooks decide about its tools and model calls. The
/// server reads the settings files that the agent names. It keeps texts of hooks that are too long for a model, and the
/// journal of sessions that ask for packs or hookrail.toml, in the state directory; the hooks it runs may change more.
#[derive(clap::Args)]
pub struct Serve {
    /// Take requests on stdin and answer on stdout; the end of stdin is the end of the server
    #[arg(long, required = true)]
    stdio: bool,
    /// Answers are JSON with or without it
    #[arg(long)]
    json: bool,
}

impl Serve {
    pub fn run(self) -> ExitCode {
        match start() {
            Ok(service) => {
                service.wait();
                ExitCode::Success
            }
            Err(error) => screen::fail(CliError::machine(format!("cannot serve: {error}"))),
        }
    }
}

fn start() -> io::Result<Service> {
    let mut server =
        Server::new().logger(Arc::new(StderrLogger)).packs(hookrail_packs::packs()).network(crate::internet());
    // Without a place for state nothing is recorded, and long texts are only cut.
    if let Ok(folder) = state_folder(&RealWorld::default()) {
        let store = FileStore::new(StateRoot::at(&folder), || RealWorld::default().now_millis());
        server = server.store(Arc::new(store), folder);
    }
    let service = server.start(io::stdin(), io::stdout())?;
    stop_on_signals(&service)?;
    Ok(service)
}

/// A server that is ended ends its hooks.
#[cfg(unix)]
fn stop_on_signals(service: &Service) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let service = service.clone();
    std::thread::Builder::new().name("hookrail-signals".to_owned()).spawn(move || {
        signals.forever().for_each(|_| service.stop());
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn stop_on_signals(_: &Service) -> io::Result<()> {
    Ok(())
}

/// Stdout belongs to the answers; what goes wrong beside them is said here.
#[derive(Debug)]
struct StderrLogger;

impl DebugLogger for StderrLogger {
    fn enabled(&self, level: Level) -> bool {
        level >= Level::Warn
    }

    fn log(&self, _: Level, line: &str) {
        say(&format!("hookrail: {line}"));
    }
}

/// A closed stream is not an error.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", hookrail_core::display::block(line));
}
