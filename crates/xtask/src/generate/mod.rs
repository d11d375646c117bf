//! `cargo xtask generate`: files that are made from the code and committed for their readers.

use crate::{Outcome, TaskError};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;

const HELP: &str = "usage: cargo xtask generate [--check]

Writes the generated files of the repository: docs/schema/hookrail.schema.json and the plugins'
hooks.json. With `--check` nothing is written; it fails if a file is not what it would be.";

/// A file and what it must hold.
struct Generated {
    path: &'static str,
    content: fn() -> String,
}

/// Every generated file. A new one is an entry here.
const FILES: &[Generated] = &[
    Generated { path: "docs/schema/hookrail.schema.json", content: hookrail_schema },
    Generated { path: "plugins/isdlc/hooks/hooks.json", content: || plugin_hooks("isdlc") },
    Generated { path: "plugins/orchestrator/hooks/hooks.json", content: || plugin_hooks("orchestrator") },
];

fn hookrail_schema() -> String {
    format!("{:#}\n", hookrail_engine::layers::json_schema())
}

/// What a pack's plugin for Claude Code registers.
fn plugin_hooks(pack: &str) -> String {
    let mut events = Map::new();
    for hook in hookrail_packs::find(pack).map(|pack| pack.plugin).unwrap_or_default() {
        let command = format!("hookrail hook --pack {pack}");
        let mut group = Map::new();
        if let Some(matcher) = hook.matcher {
            group.insert("matcher".to_owned(), json!(matcher));
        }
        let entry = json!({ "type": "command", "command": command, "timeout": hook.timeout_seconds });
        group.insert("hooks".to_owned(), json!([entry]));
        let groups = events.entry(hook.event).or_insert_with(|| json!([]));
        if let Some(groups) = groups.as_array_mut() {
            groups.push(Value::Object(group));
        }
    }
    format!("{:#}\n", json!({ "hooks": events }))
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
