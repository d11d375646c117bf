//! Allowing one call: kept in the state directory, and used up by the engine.

use super::Proposal;
use super::exception::Narrow;
use super::refused::Refused;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::World;
use hookrail_engine::ALLOWED_ONCE;

pub fn proposal(narrow: &Narrow, refused: &Refused, place: &CurrentProject) -> Result<Proposal, CliError> {
    let root = place.state_root()?;
    root.check().map_err(CliError::machine)?;
    let file = root.path().join(ALLOWED_ONCE);
    let before = place.world.read(&file).map_err(CliError::machine)?.unwrap_or_default();
    let before =
        String::from_utf8(before).map_err(|_| CliError::input(format!("`{}` is not UTF-8 text", file.display())))?;
    // What was not used by then was not needed.
    let tomorrow = tomorrow(&place.world.today());
    let added = narrow.text(&format!("allowed once after record {}", refused.seq), Some(&tomorrow));
    Ok(Proposal { file, before, added, scenario: None })
}

fn tomorrow(today: &str) -> String {
    let next = today.parse::<jiff::civil::Date>().ok().and_then(|today| today.tomorrow().ok());
    next.map_or_else(|| today.to_owned(), |next| next.to_string())
}
