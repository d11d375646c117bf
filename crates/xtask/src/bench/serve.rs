//! `hookrail serve` with one native hook: events per second on one core.

use super::engine::OneFieldHook;
use super::table::{Limit, Row};
use super::{Options, row};
use hookrail_core::NativeHook;
use hookrail_host::rpc::Server;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

/// Set on the process that serves.
pub(super) const CHILD: &str = "--serve";

/// Serves on this process's stdin and stdout until they end.
pub(super) fn serve() -> io::Result<()> {
    let hook: Arc<dyn NativeHook> = Arc::new(OneFieldHook("bench/serve".to_owned()));
    // The lock on stdout is held by whoever dispatched this task; the server needs the file behind it.
    let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    Server::new().native_hooks([hook]).start(io::stdin(), stdout)?.wait();
    Ok(())
}

pub(super) fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let events = options.rounds * 2000;
    let mut server = start()?;
    let (Some(stdin), Some(stdout)) = (server.stdin.take(), server.stdout.take()) else {
        return Err(io::Error::other("the server has no pipes"));
    };
    let (mut to, mut from) = (BufWriter::new(stdin), BufReader::new(stdout));
    let settings = json!({ "sessionId": "bench", "cwd": "/", "enableHooks": true });
    writeln!(to, "{}", json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": settings }))?;
    to.flush()?;
    let mut line = String::new();
    from.read_line(&mut line)?;
    let started = Instant::now();
    let writer = std::thread::spawn(move || -> io::Result<()> {
        for id in 1..=events {
            let params = json!({ "toolName": "Write", "toolInput": { "file_path": "src/main.rs", "content": "x" } });
            writeln!(to, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": "beforeTool", "params": params }))?;
        }
        to.flush()
    });
    let mut answered = 0;
    while answered < events {
        line.clear();
        if from.read_line(&mut line)? == 0 {
            return Err(io::Error::other("the server ended early"));
        }
        answered += 1;
    }
    let seconds = started.elapsed().as_secs_f64();
    writer.join().map_err(|_| io::Error::other("the writer failed"))??;
    server.wait()?;
    let rate = events as f64 / seconds / 1000.0;
    Ok(vec![row("hookrail serve, native hooks, one core", rate, "k/s", Some(Limit::AtLeast(100.0)))])
}

/// On one core where the machine lets us choose.
fn start() -> io::Result<Child> {
    let program = std::env::current_exe()?;
    let pinned = Command::new("taskset").args(["-c", "0", "true"]).status().is_ok_and(|status| status.success());
    let mut command = if pinned {
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.args(["bench", CHILD]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}
