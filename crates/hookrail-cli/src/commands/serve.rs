use crate::exit_code::ExitCode;
use hookrail_engine::{DebugLogger, Level};
use hookrail_host::rpc::{Server, Service};
use std::io::{self, Write};
use std::sync::Arc;

/// Ask hooks for an agent in any language, as JSON-RPC 2.0 lines.
///
/// An agent starts this as its child process and is answered what hooks decide about its tools and model calls. The
/// server reads the settings files that the agent names and writes nothing; the hooks it runs may.
#[derive(clap::Args)]
pub struct Serve {
    /// Take requests on stdin and answer on stdout; the end of stdin is the end of the server
    #[arg(long, required = true)]
    stdio: bool,
}

impl Serve {
    pub fn run(self) -> ExitCode {
        match start() {
            Ok(service) => {
                service.wait();
                ExitCode::Success
            }
            Err(error) => {
                say(&format!("error: cannot serve: {error}"));
                ExitCode::Usage
            }
        }
    }
}

fn start() -> io::Result<Service> {
    let service = Server::new().logger(Arc::new(StderrLogger)).start(io::stdin(), io::stdout())?;
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
