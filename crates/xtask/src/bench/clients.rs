//! The Node client of `hookrail serve`, at an event without hooks: it is answered without asking the server.

use super::table::{Limit, Row};
use super::{Options, row};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

/// Where the client is, below the repository.
const FOLDER: &str = "clients/node";

/// Without Node, or if the client is not built, there is nothing to measure.
pub(super) fn measure(_: &Options) -> io::Result<Vec<Row>> {
    let folder = Path::new(crate::ROOT).join(FOLDER);
    if !folder.join("dist/index.js").exists() {
        writeln!(io::stderr(), "the Node client is not measured: it is not built\nhint: npm ci in {FOLDER}")?;
        return Ok(Vec::new());
    }
    let binary = super::hook_command::released()?;
    let output = Command::new("node").arg("scripts/bench.mjs").arg(binary).current_dir(folder).output()?;
    let nanoseconds: Option<f64> = String::from_utf8_lossy(&output.stdout).trim().parse().ok();
    let nanoseconds = nanoseconds.ok_or_else(|| {
        io::Error::other(format!("the Node client cannot be measured: {}", String::from_utf8_lossy(&output.stderr)))
    })?;
    Ok(vec![row("Node client, an event without hooks", nanoseconds / 1000.0, "µs", Some(Limit::Absolute(1.0)))])
}
