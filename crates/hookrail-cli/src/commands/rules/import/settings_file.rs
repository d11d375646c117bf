//! A settings file of an agent.

use crate::current_project::CurrentProject;
use crate::error::CliError;
use hookrail_core::World;
use serde_json::Value;
use std::path::Path;

/// The settings in a file, comments and all; nothing if there is no file.
pub fn settings(file: &Path, place: &CurrentProject) -> Result<Value, CliError> {
    let Some(text) = text(file, place)? else { return Ok(Value::Null) };
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    jsonc_parser::parse_to_serde_value::<Value>(&text, &jsonc_parser::ParseOptions::default())
        .map_err(|error| CliError::input(format!("`{}` is not JSON: {error}", file.display())))
}

/// The text of a file; `None` if there is none.
pub fn text(file: &Path, place: &CurrentProject) -> Result<Option<String>, CliError> {
    let bytes = place.world.read(file).map_err(|error| CliError::unreadable(file, error))?;
    bytes
        .map(|bytes| {
            String::from_utf8(bytes).map_err(|_| CliError::input(format!("`{}` is not UTF-8 text", file.display())))
        })
        .transpose()
}
