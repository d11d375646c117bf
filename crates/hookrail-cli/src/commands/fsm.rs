//! `hookrail fsm`: task lists of skills, outside any agent.

use crate::current_project::files_below;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, harmless, one_line};
use anstream::{print, println};
use clap::ValueEnum;
use hookrail_packs::fsm::{FsmFile, Graph, draw_dot, draw_mermaid, draw_text};
use hookrail_store::{Links, careful_read};
use owo_colors::OwoColorize;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The name of a skill's task list.
const FILE_NAME: &str = "fsm.json";
/// More than any task list has.
const MAX_BYTES: u64 = 16 << 20;
/// Folders that hold no skills and may be huge.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// Look at the task lists (`fsm.json`) that skills bring
///
/// Only reads.
#[derive(clap::Args)]
pub struct Fsm {
    #[command(subcommand)]
    command: FsmCommand,
}

#[derive(clap::Subcommand)]
enum FsmCommand {
    Check(Check),
    Graph(Draw),
}

/// Find the mistakes in `fsm.json` files
///
/// Ends with 3 if a file has errors. Warnings, such as tasks that wait for each other in a circle, do not count. Only
/// reads.
#[derive(clap::Args)]
struct Check {
    /// A file, or a folder in which to look for every `fsm.json`
    #[arg(default_value = ".", value_name = "FILE|DIR")]
    path: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Print which task waits for which
///
/// Only reads.
#[derive(clap::Args)]
struct Draw {
    /// An `fsm.json`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Mermaid,
    Dot,
}

impl Fsm {
    pub fn run(&self) -> ExitCode {
        let done = match &self.command {
            FsmCommand::Check(check) => check.run(),
            FsmCommand::Graph(draw) => draw.run(),
        };
        done.unwrap_or_else(screen::fail)
    }
}

/// What was found in one file.
struct Findings {
    path: PathBuf,
    tasks: usize,
    error: Option<String>,
    warnings: Vec<String>,
}

impl Check {
    fn run(&self) -> Result<ExitCode, CliError> {
        let all: Vec<Findings> = files(&self.path)?.into_iter().map(examine).collect();
        if self.json {
            println!(
                "{}",
                screen::versioned(json!({ "files": all.iter().map(Findings::to_json).collect::<Vec<_>>() }))
            );
        } else if all.is_empty() {
            println!("there is no `{FILE_NAME}` in `{}`", self.path.display());
        } else {
            all.iter().for_each(Findings::print);
        }
        let sound = all.iter().all(|findings| findings.error.is_none());
        Ok(if sound { ExitCode::Success } else { ExitCode::Failed })
    }
}

impl Draw {
    fn run(&self) -> Result<ExitCode, CliError> {
        let path = self.file.display();
        let content = fs::read(&self.file).map_err(|error| CliError::unreadable(&self.file, error))?;
        let machine = FsmFile::read(&content).map_err(|error| CliError::input(format!("`{path}` {error}")))?;
        let graph = Graph::new(&machine);
        match self.format {
            _ if self.json => println!("{}", screen::versioned(graph_as_json(&graph))),
            Format::Text => draw_text(&graph).lines().for_each(|line| println!("{}", one_line(line))),
            Format::Mermaid => print!("{}", draw_mermaid(&graph)),
            Format::Dot => print!("{}", draw_dot(&graph)),
        }
        for warning in graph.warnings() {
            screen::warn(warning);
        }
        Ok(ExitCode::Success)
    }
}

fn graph_as_json(graph: &Graph<'_>) -> Value {
    let tasks: Vec<Value> = graph.tasks().map(|task| json!({ "id": task.id, "subject": task.subject })).collect();
    json!({ "tasks": tasks, "edges": graph.edges(), "warnings": graph.warnings() })
}

fn examine(path: PathBuf) -> Findings {
    let read = careful_read(&path, Links::Follow, MAX_BYTES).map_err(|error| format!("cannot be read: {error}"));
    match read.and_then(|content| FsmFile::read(&content).map_err(|error| error.to_string())) {
        Ok(machine) => {
            let warnings = machine.warnings.iter().cloned().chain(Graph::new(&machine).warnings()).collect();
            Findings { path, tasks: machine.tasks.len(), error: None, warnings }
        }
        Err(error) => Findings { path, tasks: 0, error: Some(error), warnings: Vec::new() },
    }
}

impl Findings {
    fn to_json(&self) -> Value {
        json!({ "path": self.path, "tasks": self.tasks, "error": self.error, "warnings": self.warnings })
    }

    fn print(&self) {
        let path = one_line(&self.path.to_string_lossy());
        match (&self.error, self.tasks) {
            (Some(error), _) => println!("{} `{path}` {}", "error:".red().bold(), harmless(error)),
            (None, 1) => println!("{} `{path}`: 1 task", "ok:".green().bold()),
            (None, tasks) => println!("{} `{path}`: {tasks} tasks", "ok:".green().bold()),
        }
        for warning in &self.warnings {
            println!("  {} {}", "warning:".yellow().bold(), one_line(warning));
        }
    }
}

/// The file itself, or every `fsm.json` below the folder, sorted.
fn files(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    let wanted = |path: &Path| path.file_name().is_some_and(|name| name == FILE_NAME);
    files_below(path, &SKIPPED, &wanted)
}
