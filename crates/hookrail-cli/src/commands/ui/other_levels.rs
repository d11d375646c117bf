//! What other configurations decide: the user's own with each level of pack `safety`.

use super::own_command::OwnCommand;
use crate::error::CliError;
use hookrail_core::World;
use hookrail_engine::layers::{LayerFiles, LayerKind};
use hookrail_rules::Level;
use serde_json::{Value, json};
use std::path::Path;
use toml_edit::{DocumentMut, Item, Table, value};

pub const LEVELS: [Level; 3] = [Level::Relaxed, Level::Balanced, Level::Strict];

/// What each level decides about an event, as `explain` says.
pub fn compare(command: &OwnCommand, event: &[u8], project: &Path, world: &dyn World) -> Result<Value, CliError> {
    let files = LayerFiles::usual(world, project);
    let own = files.iter().find(|(kind, _)| *kind == LayerKind::User).map(|(_, path)| path.to_owned());
    let own = own.and_then(|path| world.read(&path).ok().flatten()).unwrap_or_default();
    let own = String::from_utf8_lossy(&own);
    let folder = tempfile::tempdir()
        .map_err(|error| CliError::machine(format!("there is no place for temporary files: {error}")))?;
    let mut compared = Vec::new();
    for level in LEVELS {
        let file = folder.path().join(format!("{}.toml", level.name()));
        std::fs::write(&file, with_level(&own, level)?)
            .map_err(|error| CliError::machine(format!("cannot write a file to try: {error}")))?;
        let file = file.display().to_string();
        let told = command.json(&["explain", "--json", "--config", &file, "--layer", "user"], project, event)?;
        compared.push(json!({
            "level": level.name(),
            "decision": told.pointer("/verdict/decision"),
            "reason": told.pointer("/verdict/reason"),
            "rules": told.get("rules"),
        }));
    }
    Ok(Value::Array(compared))
}

/// The text of a configuration, with this level.
fn with_level(text: &str, level: Level) -> Result<String, CliError> {
    let mut document: DocumentMut =
        text.parse().map_err(|error| CliError::machine(format!("your hookrail.toml cannot be read: {error}")))?;
    let safety = document.entry("safety").or_insert_with(|| Item::Table(Table::new()));
    let table = safety.as_table_like_mut().ok_or(CliError::usage("`safety` in your hookrail.toml is not a table"))?;
    table.insert("level", value(level.name()));
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_set_and_the_rest_of_the_file_stays() {
        for (text, expected) in [
            ("", "[safety]\nlevel = \"strict\"\n"),
            ("# mine\n[safety]\nlevel = \"relaxed\" # for now\n", "# mine\n[safety]\nlevel = \"strict\"\n"),
            ("safety = { level = \"relaxed\" }\n", "safety = { level = \"strict\" }\n"),
            ("[core]\nmode = \"warn\"\n", "[core]\nmode = \"warn\"\n\n[safety]\nlevel = \"strict\"\n"),
        ] {
            assert_eq!(with_level(text, Level::Strict).unwrap(), expected, "{text}");
        }
        assert!(with_level("safety = 3", Level::Strict).is_err());
    }
}
