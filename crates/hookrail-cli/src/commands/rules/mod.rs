//! `hookrail rules`: which rules are in force, what they did, whether they say what their authors meant.

mod check;
mod history;
mod import;
pub mod inventory;
mod list;
mod show;
#[cfg(feature = "ui")]
mod source;
pub mod toml_text;

use crate::current_project::CurrentProject;
use crate::exit_code::ExitCode;
use crate::screen;
use std::path::PathBuf;

/// Show every rule in force, with what it decided so far
///
/// Rules stand in `hookrail.toml` and in pack `safety`. Each is listed with its layer, its file and line, what it decides,
/// how often it matched and when last, and warnings about it: that it never matched, that another one always decides
/// first, that two contradict each other. Questions that you answered with yes three times are listed at the end. Only reads.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Rules {
    #[command(subcommand)]
    command: Option<RulesCommand>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum RulesCommand {
    Show(Show),
    Check(Check),
    Import(import::Import),
}

/// Show all about one rule: its condition, its reason, its examples, the calls it decided
///
/// Only reads.
#[derive(clap::Args)]
struct Show {
    /// The rule's id, such as `safety/delete-outside`
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Judge every example of every rule, and report what is wrong with rules
///
/// Examples are judged by their own rule and suggestions by all rules, on a machine that is the same everywhere. Ends with
/// 3 if there is a mistake. Only reads.
#[derive(clap::Args)]
struct Check {
    /// Files with rules; those of all layers here if none is named
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Every rule with its condition, examples, exceptions and the text of its file, without what it did so far.
#[cfg(feature = "ui")]
pub fn full_listing(place: &CurrentProject) -> serde_json::Value {
    let (inventory, nothing) = (inventory::Inventory::of(place), history::History::default());
    let rule = |listed: &inventory::ListedRule| {
        let mut value = show::full_json(listed, &inventory, &nothing, place);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("text".to_owned(), source::text_of(&listed.rule.origin, place).into());
        }
        value
    };
    serde_json::json!({
        "level": inventory.level.name(),
        "project": place.project,
        "rules": inventory.rules.iter().map(rule).collect::<Vec<_>>(),
    })
}

impl Rules {
    pub fn run(&self) -> ExitCode {
        let result = match &self.command {
            None => CurrentProject::here().and_then(|place| list::run(&place, self.json)),
            Some(RulesCommand::Show(show)) => {
                CurrentProject::here().and_then(|place| show::run(&show.id, &place, show.json))
            }
            Some(RulesCommand::Check(check)) => {
                CurrentProject::here().and_then(|place| check::run(&check.files, &place, check.json))
            }
            Some(RulesCommand::Import(import)) => CurrentProject::here().and_then(|place| import.run(&place)),
        };
        result.unwrap_or_else(screen::fail)
    }
}
