//! `cargo xtask trace`: which test covers which requirement.

mod catalogue;
mod evidence;
mod files;
mod options;
mod policy;
mod problem;
mod report;
mod source;
mod survey;

#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::Path;

use catalogue::Catalogue;
use evidence::Findings;
use options::Options;
use policy::Policy;

use crate::{Outcome, ROOT, TaskError};

pub fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    run_in(Path::new(ROOT), args, out)
}

fn run_in(root: &Path, args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let options = Options::parse(args)?;
    if options.help {
        writeln!(out, "{}", options::HELP)?;
        return Ok(Outcome::Passed);
    }
    let catalogue = Catalogue::load(root)?;
    options.check(&catalogue)?;
    let findings = Findings::gather(root, &catalogue)?;
    let survey = survey::survey(&catalogue, &Policy::load(root)?, findings, &options);
    if options.json {
        serde_json::to_writer_pretty(&mut *out, &survey).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        report::write(&survey, out)?;
    }
    Ok(if survey.problems.is_empty() { Outcome::Passed } else { Outcome::Failed })
}
