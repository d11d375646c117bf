//! `hookrail allow`: a person lets through what a rule refused.

mod exception;
mod once;
mod refused;
mod scenario;

use super::person;
use super::rules::inventory::{Inventory, read_text};
use super::rules::toml_text::appended;
use crate::current_project::{CurrentProject, spelled, write_file};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, columns, one_line, wrap};
use exception::Narrow;
use hookrail_core::World;
use hookrail_engine::layers::{LayerFiles, LayerKind};
use hookrail_rules::{Layer, RuleDecision};
use owo_colors::OwoColorize;
use refused::Refused;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Let through what a rule refused, by a narrow exception
///
/// Takes a record of the journal, by its number in `hookrail log` or as `last`, and writes an `[[exception]]` for what the
/// rule named there: the effect and the path, host, branch or target, never the text of the command. A scenario that is
/// written with it keeps it tested. Everything is shown before it is written. A person's terminal only: an agent cannot
/// run this. Changes your `hookrail.toml`, or for a rule of `local.toml` that file, and writes a file beside it in `tests/`.
#[derive(clap::Args)]
pub struct Allow {
    /// The number of a record, or `last` for the newest refusal by a rule
    #[arg(value_name = "RECORD")]
    record: String,
    /// For one call only, today or tomorrow; nothing is written to a hookrail.toml
    #[arg(long, conflicts_with = "until")]
    once: bool,
    /// The last day on which it holds, such as 2026-12-31
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Why, for whoever reads the file later
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a person asks for.
#[derive(Clone, Debug)]
pub struct AllowTarget {
    /// The number of a record, or `last`.
    pub record: String,
    pub once: bool,
    pub until: Option<String>,
    pub reason: Option<String>,
}

/// An exception that is ready to be written, with the refusal it is about.
pub struct Prepared {
    pub refused: Refused,
    pub narrow: Narrow,
    pub proposal: Proposal,
    place: CurrentProject,
}

/// What is going to be written.
#[derive(Debug)]
pub struct Proposal {
    pub file: PathBuf,
    pub before: String,
    added: String,
    pub scenario: Option<(PathBuf, String)>,
}

impl Allow {
    pub fn run(&self) -> ExitCode {
        self.allow().unwrap_or_else(screen::fail)
    }

    fn allow(&self) -> Result<ExitCode, CliError> {
        let place = CurrentProject::here()?;
        person::require(&format!("hookrail allow {}", one_line(&self.record)), &place.world)?;
        let wish = AllowTarget {
            record: self.record.clone(),
            once: self.once,
            until: self.until.clone(),
            reason: self.reason.clone(),
        };
        let prepared = Prepared::of(&wish, &place)?;
        self.show(&prepared);
        if !person::confirm("Write this?")? {
            anstream::println!("nothing changed");
            return Ok(ExitCode::Success);
        }
        prepared.proposal.write()?;
        self.tell(&prepared);
        Ok(ExitCode::Success)
    }

    /// What was refused, and what would be written.
    fn show(&self, prepared: &Prepared) {
        let Prepared { refused, narrow, proposal, place } = prepared;
        if self.json {
            return;
        }
        let about = format!(
            "record {}: rule `{}` decided {} about {} {}",
            refused.seq,
            one_line(&refused.rule),
            refused.decision,
            one_line(&refused.tool),
            one_line(&refused.subject)
        );
        wrap(&about, columns()).iter().for_each(|line| anstream::println!("{line}"));
        print_added(&proposal.file, &proposal.added, place);
        if let Some((path, text)) = &proposal.scenario {
            print_added(path, text, place);
        }
        for still in &narrow.still {
            let does = if still.1 == RuleDecision::Ask { "ask about" } else { still.1.name() };
            let text = format!("rule `{}` will still {does} this call", still.0);
            screen::note(wrap(&text, columns()).join("\n"));
        }
    }

    fn tell(&self, prepared: &Prepared) {
        let Prepared { refused, narrow, proposal, place } = prepared;
        let scenario = proposal.scenario.as_ref().map(|(path, _)| path);
        if self.json {
            let conditions: Vec<String> = narrow.conditions.iter().map(super::rules::toml_text::condition).collect();
            anstream::println!(
                "{:#}",
                screen::versioned(json!({
                    "record": refused.seq, "rule": refused.rule, "when": conditions, "once": self.once,
                    "file": proposal.file, "scenario": scenario,
                }))
            );
            return;
        }
        if self.once {
            anstream::println!("allowed for one call, until the end of tomorrow");
            return;
        }
        anstream::println!("{} {}", "wrote".green(), shown(&proposal.file, place));
        if let Some(path) = scenario {
            anstream::println!("{} {}; `hookrail test` plays it", "wrote".green(), shown(path, place));
        }
    }
}

impl Prepared {
    /// Finds the refusal and the narrowest exception for it. Nothing is written.
    pub fn of(wish: &AllowTarget, place: &CurrentProject) -> Result<Self, CliError> {
        let until = wish.until.as_deref().map(|date| last_day(date, &place.world.today())).transpose()?;
        let refused = Refused::find(&wish.record, place)?;
        // The call happened in its own project, whose rules count.
        let place = CurrentProject::at(&refused.project);
        let inventory = Inventory::of(&place);
        let rule = refused.rule(&inventory)?;
        let narrow = Narrow::of(&refused, rule, &place)?;
        let proposal = if wish.once {
            once::proposal(&narrow, &refused, &place)?
        } else {
            Proposal::of(&narrow, &refused, wish.reason.as_deref(), until.as_deref(), &place)?
        };
        Ok(Self { refused, narrow, proposal, place })
    }

    /// A path as a person in the project writes it.
    #[cfg(feature = "ui")]
    pub fn shown(&self, path: &Path) -> String {
        shown(path, &self.place)
    }
}

impl Proposal {
    fn of(
        narrow: &Narrow,
        refused: &Refused,
        reason: Option<&str>,
        until: Option<&str>,
        place: &CurrentProject,
    ) -> Result<Self, CliError> {
        let kind = if narrow.layer == Layer::Local { LayerKind::Local } else { LayerKind::User };
        let file = layer_file(kind, place)?;
        let before = place.world.read(&file).map_err(CliError::machine)?.unwrap_or_default();
        let before = String::from_utf8(before)
            .map_err(|_| CliError::input(format!("`{}` is not UTF-8 text", file.display())))?;
        let shown = shown(&file, place);
        let broken = |why: String| {
            CliError::input(format!("cannot add to `{shown}`: {why}"))
                .hint(format!("`hookrail rules check {shown}` shows where"))
        };
        read_text(kind.of_rules(), &shown, &before).map_err(|(_, why)| broken(why))?;
        let usual = format!("allowed after record {}", refused.seq);
        let added = narrow.text(reason.unwrap_or(&usual), until);
        let after = appended(&before, &added);
        let exceptions = |text: &str| {
            let file = read_text(kind.of_rules(), &shown, text).map_err(|(_, why)| broken(why))?;
            Ok::<usize, CliError>(file.exceptions.len())
        };
        if exceptions(&after)? != exceptions(&before)? + narrow.conditions.len() {
            return Err(broken("the end of the file does not allow another table".to_owned()));
        }
        let scenario = scenario::of(narrow, refused, &file, kind, place);
        Ok(Proposal { file, before, added, scenario })
    }

    /// The file as it will be.
    pub fn after(&self) -> String {
        appended(&self.before, &self.added)
    }

    pub fn write(&self) -> Result<(), CliError> {
        // A person's own file may well be a link into a repository of such files.
        let real = std::fs::canonicalize(&self.file).unwrap_or_else(|_| self.file.clone());
        let now = match std::fs::read_to_string(&real) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(CliError::unreadable(&real, error)),
        };
        if now != self.before {
            return Err(CliError::machine(format!(
                "`{}` was changed by another program, nothing was written",
                real.display()
            ))
            .hint("run the command again"));
        }
        write_file(&real, &self.after())?;
        match &self.scenario {
            Some((path, text)) => write_file(path, text),
            None => Ok(()),
        }
    }
}

fn print_added(path: &Path, text: &str, place: &CurrentProject) {
    anstream::println!("\n{}", shown(path, place).bold());
    for line in text.lines() {
        anstream::println!("{}", format!("+ {}", one_line(line)).green());
    }
}

fn shown(path: &Path, place: &CurrentProject) -> String {
    one_line(&spelled(&path.display().to_string(), &place.project, &place.world))
}

fn layer_file(wanted: LayerKind, place: &CurrentProject) -> Result<PathBuf, CliError> {
    let files = LayerFiles::usual(&place.world, &place.project);
    let found = files.iter().find(|(kind, _)| *kind == wanted).map(|(_, path)| path.to_owned());
    found.ok_or_else(|| CliError::machine("cannot determine your configuration folder: `HOME` is not set"))
}

/// A day that is not over.
fn last_day(text: &str, today: &str) -> Result<String, CliError> {
    let date: jiff::civil::Date = text
        .parse()
        .ok()
        .filter(|_| text.len() == 10)
        .ok_or_else(|| CliError::usage(format!("`{}` is not a date such as 2026-12-31", one_line(text))))?;
    let date = date.to_string();
    if date.as_str() < today {
        return Err(CliError::usage(format!("`{date}` is in the past; today is {today}")));
    }
    Ok(date)
}

#[cfg(test)]
mod tests {
    use super::last_day;

    #[test]
    fn the_last_day_is_a_day_that_is_not_over() {
        for (text, expected) in [
            ("2026-12-31", Some("2026-12-31")),
            ("2026-11-16", Some("2026-11-16")),
            ("2026-11-15", None),
            ("2026-02-30", None),
            ("tomorrow", None),
            ("20261231", None),
        ] {
            assert_eq!(last_day(text, "2026-11-16").ok().as_deref(), expected, "{text}");
        }
    }
}
