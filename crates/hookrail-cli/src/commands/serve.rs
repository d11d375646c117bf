use crate::exit_code::ExitCode;
use crate::screen;
use hookrail_core::World;
use hookrail_engine::{DebugLogger, Level, Overflow, RealWorld};
use hookrail_host::rpc::{Server, Service};
use hookrail_store::{FileStore, SessionId, StateRoot, Store};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Ask hooks for an agent in any language, as JSON-RPC 2.0 lines
///
/// An agent starts this as its child process and is answered what hooks decide about its tools and model calls. The
/// server reads the settings files that the agent names and writes nothing, except texts of hooks that are too long for a
/// model, to the state directory; the hooks it runs may.
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
            Err(error) => screen::fail(format!("cannot serve: {error}")),
        }
    }
}

fn start() -> io::Result<Service> {
    let mut server = Server::new().logger(Arc::new(StderrLogger));
    if let Some(overflow) = StateOverflow::open() {
        server = server.overflow(Arc::new(overflow));
    }
    let service = server.start(io::stdin(), io::stdout())?;
    stop_on_signals(&service)?;
    Ok(service)
}

/// Somebody who ends the server does not mean to leave its hooks running.
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

/// Puts texts that are too long for a model where `hookrail hook` puts them.
#[derive(Debug)]
struct StateOverflow {
    store: FileStore,
    session: SessionId,
}

impl StateOverflow {
    /// `None` on a machine without a place for state; texts are only cut then.
    fn open() -> Option<Self> {
        let world = RealWorld::default();
        let folder = StateRoot::resolve(&|name| world.env(name).map(OsString::from)).ok()?;
        let store = FileStore::new(StateRoot::at(folder), || RealWorld::default().now_millis());
        Some(Self { store, session: SessionId::new("serve", Path::new("/")) })
    }
}

impl Overflow for StateOverflow {
    fn keep(&self, text: &str) -> Option<String> {
        let path = self.store.spill(&self.session, "hook", text).ok()?;
        Some(path.display().to_string())
    }
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

/// If nobody listens there is nobody to tell.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
