//! `cargo xtask generate`: files that are made from the code and committed for their readers.

mod agents;
mod commands;
mod compatibility;
mod hook_input;
mod hooks;
mod plugins;
mod safety;
mod settings;
mod surfaces;

use crate::agents::Results;
use crate::{Outcome, TaskError};
use std::io::Write;
use std::path::Path;

const HELP: &str = "usage: cargo xtask generate [--check]

Writes the generated files of the repository: the JSON Schemas of hookrail.toml and of what hooks read, the plugins for Claude
Code and extensions for Gemini CLI of every pack, the pages of the book that are made from the code, and the table of agents
in the README. With `--check` nothing is written; it
fails if a file is not what it would be.";

/// The first line of every generated page; readers do not see it.
const WRITTEN_BY_GENERATE: &str = "<!-- Written by `cargo xtask generate` from the code. Change that instead. -->";

/// A file and what it must hold.
struct Generated {
    path: String,
    content: String,
}

/// Every generated file. A new one is an entry here.
fn files() -> Result<Vec<Generated>, TaskError> {
    let file = |path: &str, content: String| Generated { path: path.to_owned(), content };
    let results = Results::read()?;
    let mut files = vec![
        file("docs/schema/hookrail.schema.json", hookrail_schema()),
        file("docs/schema/backtest.schema.json", format!("{:#}\n", hookrail_backtest::schema())),
        file("docs/schema/hook-input.schema.json", format!("{:#}\n", hookrail_effects::json::schema())),
        hook_input::page(),
        agents::page(),
        settings::page(),
        compatibility::page(&results)?,
        surfaces::readme(&results)?,
        commands::page()?,
    ];
    files.extend(hooks::pages()?);
    files.extend(safety::pages());
    files.extend(plugins::files()?);
    Ok(files)
}

fn hookrail_schema() -> String {
    format!("{:#}\n", hookrail_engine::layers::json_schema())
}

pub(crate) fn run(args: &[String], out: &mut dyn Write) -> Result<Outcome, TaskError> {
    let check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        [flag] if flag == "--help" || flag == "-h" => {
            writeln!(out, "{HELP}")?;
            return Ok(Outcome::Passed);
        }
        [other, ..] => {
            let message = format!("unexpected `{other}`\nhint: see `cargo xtask generate --help`");
            return Err(TaskError::Usage(message));
        }
    };
    let mut stale = 0;
    let files = files()?;
    for file in &files {
        let path = Path::new(crate::ROOT).join(&file.path);
        if std::fs::read_to_string(&path).is_ok_and(|present| present == file.content) {
            continue;
        }
        stale += 1;
        if check {
            writeln!(out, "{} is out of date\nhint: run `cargo xtask generate`", file.path)?;
        } else {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&path, &file.content)?;
            writeln!(out, "wrote {}", file.path)?;
        }
    }
    writeln!(out, "generate: {} files, {stale} {}", files.len(), if check { "out of date" } else { "written" })?;
    Ok(if check && stale > 0 { Outcome::Failed } else { Outcome::Passed })
}
