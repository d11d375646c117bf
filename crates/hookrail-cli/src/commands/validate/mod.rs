//! Checking hook configurations: hookrail's own and those of agents.

mod disk;
mod files;
mod plugins;
mod report;
mod sarif;
mod survey;

pub use disk::is_program;
pub use files::usual_files;
pub use survey::Survey;

pub use report::counted;

use crate::commands::doctor::misplaced_file;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen;
use hookrail_lint::{Agent, LINTS, Lint, Severity};
use std::path::PathBuf;

/// Check hook configurations: hookrail's own, and those of every agent that `install` knows.
///
/// Finds what agents pass over in silence: unknown events, matchers that never match, timeouts in the wrong unit, scripts
/// that are missing or whose answer is not heard. Scripts are read, never run. Without FILE everything is checked that
/// holds for you in this project; a folder stands for the files of the project in it.
///
/// Exits with 3 if there are errors, with 1 if something could not be read; warnings alone exit with 0. Only reads.
#[derive(clap::Args)]
pub struct Validate {
    /// hookrail.toml, settings.json, hooks.json or Codex's config.toml
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Whose configuration FILE is, such as claude or codex; recognised by its path and content if not given
    #[arg(long, value_name = "AGENT", requires = "files")]
    agent: Option<String>,
    /// Leave out findings of this code (repeats)
    #[arg(long, value_name = "CODE")]
    ignore: Vec<String>,
    /// Exit with 3 for warnings as well
    #[arg(long)]
    strict: bool,
    /// Say what a code means, why it matters and what to do
    #[arg(long, value_name = "CODE", conflicts_with_all = ["files", "agent", "ignore", "strict"])]
    explain: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The form of the report; `sarif` is SARIF 2.1.0, which code hosts show beside the lines
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text, conflicts_with_all = ["json", "explain"])]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

impl Validate {
    pub fn run(&self) -> ExitCode {
        self.check().unwrap_or_else(screen::fail)
    }

    fn check(&self) -> Result<ExitCode, CliError> {
        if let Some(code) = &self.explain {
            return explain(code, self.json);
        }
        let agent = self.agent.as_deref().map(find_agent).transpose()?;
        let place = CurrentProject::here()?;
        let files = if self.files.is_empty() { usual_files(&place) } else { files::named(&self.files, agent, &place) };
        let ignored =
            self.ignore.iter().map(|code| find_lint(code).map(|lint| lint.code)).collect::<Result<Vec<_>, _>>()?;
        let survey = Survey::of(&files, &place).without(&ignored);
        match if self.json { Format::Json } else { self.format } {
            Format::Text => report::print(&survey, &place),
            Format::Json => anstream::println!("{:#}", screen::versioned(report::json(&survey))),
            Format::Sarif => anstream::println!("{:#}", sarif::log(&survey, &place.folder)),
        }
        if self.files.is_empty()
            && let Some(what) = misplaced_file(&place)
        {
            screen::warn(what);
        }
        Ok(self.exit_code(&survey))
    }

    fn exit_code(&self, survey: &Survey) -> ExitCode {
        if survey.unreadable().next().is_some() {
            return ExitCode::Usage;
        }
        let wrong = survey.count(Severity::Error) > 0 || (self.strict && survey.count(Severity::Warning) > 0);
        if wrong { ExitCode::Failed } else { ExitCode::Success }
    }
}

fn find_agent(name: &str) -> Result<&'static Agent, CliError> {
    hookrail_lint::agent(name)
        .ok_or_else(|| CliError::unknown("agent", name, hookrail_lint::agents().map(|agent| agent.name)))
}

fn find_lint(code: &str) -> Result<&'static Lint, CliError> {
    LINTS
        .iter()
        .copied()
        .find(|lint| lint.code == code)
        .ok_or_else(|| CliError::unknown("code", code, LINTS.iter().map(|lint| lint.code)))
}

fn explain(code: &str, json: bool) -> Result<ExitCode, CliError> {
    let lint = find_lint(code)?;
    if json {
        anstream::println!("{:#}", screen::versioned(report::lint_json(lint)));
    } else {
        report::print_lint(lint);
    }
    Ok(ExitCode::Success)
}
