//! `cargo xtask generate`: files that are made from the code and committed for their readers.

use crate::{Outcome, TaskError};
use std::io::Write;
use std::path::Path;

const HELP: &str = "usage: cargo xtask generate [--check]

Writes the generated files of the repository: docs/schema/hookrail.schema.json. With `--check` nothing is written; it fails
if a file is not what it would be.";

/// A file and what it must hold.
struct Generated {
    path: &'static str,
    content: fn() -> String,
}

/// Every generated file. A new one is an entry here.
const FILES: &[Generated] = &[Generated { path: "docs/schema/hookrail.schema.json", content: hookrail_schema }];

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
    for file in FILES {
        let path = Path::new(crate::ROOT).join(file.path);
        let content = (file.content)();
        if std::fs::read_to_string(&path).is_ok_and(|present| present == content) {
            continue;
        }
        stale += 1;
        if check {
            writeln!(out, "{} is out of date\nhint: run `cargo xtask generate`", file.path)?;
        } else {
            std::fs::write(&path, content)?;
            writeln!(out, "wrote {}", file.path)?;
        }
    }
    writeln!(out, "generate: {} files, {stale} {}", FILES.len(), if check { "out of date" } else { "written" })?;
    Ok(if check && stale > 0 { Outcome::Failed } else { Outcome::Passed })
}
