//! The database of a fleet: how fast records arrive, and how fast questions are answered. On request only: it takes minutes and disk.

use super::Options;
use super::table::{Limit, Row};
use hookrail_testkit::postgres::Cluster;
use std::io;
use std::process::{Command, Stdio};

/// What 1,000 machines with 20,000 events a day of two records each send on average, in records a second.
const NEEDED: f64 = 463.0;
/// A person waits for an answer, in milliseconds.
const PATIENCE: f64 = 2000.0;
const RECORDS_OF_MACHINE: u64 = 20_000;

pub(super) fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let missing = || io::Error::other("there is no PostgreSQL on this machine: apt-get install -y postgresql");
    let cluster = Cluster::start_own().ok_or_else(missing)?;
    cluster.resume_as_in_production();
    let machines = (options.records / RECORDS_OF_MACHINE).max(1);
    let output = Command::new("cargo")
        .args(["run", "--quiet", "--profile", "quick", "--package", "hookrail-fleet", "--example", "fleet_load", "--"])
        .args([cluster.address("postgres"), options.records.to_string(), machines.to_string(), "2".to_owned()])
        .current_dir(crate::ROOT)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other("the load could not be made"));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(row).collect())
}

/// `5000 records of 1 machines in 0.2 s: 25000 records a second`, or `log --fleet: 36 ms (50 rows)`
fn row(line: &str) -> Option<Row> {
    let (name, rest) = line.rsplit_once(": ")?;
    let figure = rest.split(' ').next()?.parse().ok()?;
    if rest.ends_with(" records a second") {
        let name = "records that arrive in the database".to_owned();
        return Some(Row { name, figure, unit: "/s", limit: Some(Limit::AtLeast(NEEDED)) });
    }
    rest.contains(" ms (").then(|| Row {
        name: name.to_owned(),
        figure,
        unit: "ms",
        limit: Some(Limit::Absolute(PATIENCE)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_what_the_load_prints() {
        let cases = [
            ("5000 records of 1 machines in 0.2 s: 25000 records a second", Some(("/s", 25_000.0))),
            ("ui --fleet: newest events, denied: 729 ms (2000 rows)", Some(("ms", 729.0))),
            ("1005000 records after 41 s", None),
            ("daily: 1045 MB in 4280796 rows", None),
        ];
        for (line, expected) in cases {
            assert_eq!(row(line).map(|row| (row.unit, row.figure)), expected, "{line}");
        }
    }
}
