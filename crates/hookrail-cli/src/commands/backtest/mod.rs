//! `hookrail backtest`: what a configuration would have done to the sessions that are on the disk.

mod bar;
mod fleet;
mod limit;
pub mod lookup;
mod scenario;
pub mod text;

use super::fleet::FleetScope;
use super::init::default_configuration;
use super::journal::Moment;
use crate::current_project::{now_millis, working_folder, write_file};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::hook::args::find_agent;
use crate::hook::end;
use crate::interrupt::Interrupt;
use crate::screen;
use bar::Bar;
use hookrail_backtest::transcripts::READERS;
use hookrail_backtest::{BacktestReport, Candidate, Request, Unreadable};
use hookrail_core::spelling::closest;
use limit::Limit;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Show what a configuration would have done to your past sessions, before anything is installed.
///
/// Reads the transcripts that Claude Code, Codex, Gemini CLI and opencode left on the disk, decides every tool call in them again
/// under a configuration, and compares that with what you decided then. Without --config it is the configuration that
/// `hookrail init --yes` writes. Rules see the files of today, at the time and on the branch of then; command hooks are not
/// started. Ctrl-C ends it with what was found so far. With --fleet it is the calls that all machines shipped, read one after the
/// other from the database; rules that look at files of a project see none then.
///
/// Ends with 3 if a limit of --fail-on is exceeded. Only reads; `--html` writes the file it names.
#[derive(clap::Args)]
pub struct Backtest {
    /// Only calls since then: an age such as 30d, or a day
    #[arg(long, value_name = "TIME", value_parser = parse_moment)]
    since: Option<Moment>,
    /// Only sessions of this agent (repeats): claude, codex, gemini or opencode; any with --fleet
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// Only calls made in this folder
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// The configuration to try, in place of what `hookrail init --yes` writes
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Another configuration; shows the calls about which the two differ
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
    /// List the calls of this rule or hook
    #[arg(long, value_name = "ID")]
    rule: Option<String>,
    /// Write the report as one page that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Fail if a number exceeds a limit (repeats): false-deny, deny, ask, missed or broken, as `false-deny>1%`
    #[arg(long, value_name = "LIMIT")]
    fail_on: Vec<Limit>,
    /// Print the call of this name as a scenario for `hookrail test`, and nothing else
    #[arg(long, value_name = "CALL", conflicts_with_all = ["html", "fail_on", "diff", "rule", "fleet"])]
    scenario: Option<String>,
    #[command(flatten)]
    scope: FleetScope,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Backtest {
    pub fn run(&self) -> ExitCode {
        let done = match &self.scenario {
            Some(call) => self.show_scenario(call).map(|()| ExitCode::Success),
            None => self.backtest(),
        };
        done.unwrap_or_else(screen::fail)
    }

    fn backtest(&self) -> Result<ExitCode, CliError> {
        // Before anything that takes time: without a handler an interrupt ends the program without a report.
        let interrupt = Interrupt::listen();
        let request = self.request()?;
        let mut bar = Bar::new(interrupt);
        let report = if self.scope.fleet {
            fleet::run(&request, &self.scope, &mut bar)?
        } else {
            hookrail_backtest::run(&request, &mut bar, now_millis())
        };
        drop(bar);
        // A page that cannot be written does not cost the report.
        self.print(&report);
        if let Some(file) = &self.html {
            write_file(&working_folder()?.join(file), &hookrail_backtest::page::render(&report))?;
            screen::note(format!("wrote `{}`", file.display()));
        }
        Ok(self.judge(&report))
    }

    /// A closed stdout is not an error.
    fn print(&self, report: &BacktestReport) {
        let mut out = anstream::stdout();
        let written = if self.scope.fleet && report.history.calls == 0 && !self.json {
            writeln!(
                out,
                "no call of the database can be decided again: none matches, or machines ship with `privacy = \"minimal\"`"
            )
        } else if self.json {
            serde_json::to_writer(&mut out, &screen::versioned(report))
                .map_err(io::Error::from)
                .and_then(|()| writeln!(out))
        } else {
            text::write(report, text::CALLS, &mut out)
        };
        drop(written);
    }

    /// Says which limits are exceeded.
    fn judge(&self, report: &BacktestReport) -> ExitCode {
        let mut code = ExitCode::Success;
        for limit in &self.fail_on {
            if let Some(excess) = limit.excess(report) {
                screen::warn(excess);
                code = ExitCode::Failed;
            }
        }
        code
    }

    fn request(&self) -> Result<Request, CliError> {
        let candidate = candidate(self.config.as_deref())?;
        candidate.warnings().for_each(screen::warn);
        let other = self.diff.as_deref().map(candidate_of).transpose()?;
        let rule = self.rule.as_deref().map(|rule| find_rule(rule, &candidate, other.as_ref())).transpose()?;
        let project =
            self.project.as_deref().map(|folder| working_folder().map(|here| here.join(folder))).transpose()?;
        let agent = |name: &String| if self.scope.fleet { known_agent(name) } else { readable_agent(name) };
        Ok(Request {
            homes: lookup::homes(),
            agents: self.agents.iter().map(agent).collect::<Result<_, _>>()?,
            since: self.since.map(|moment| moment.first),
            // A project may be gone; what was done in it is still there.
            project: project.map(|folder| folder.canonicalize().unwrap_or(folder)),
            candidate,
            other,
            rule,
            stuck: || {
                end(screen::fail(CliError::machine("a hook does not return, so the backtest cannot continue")) as u8);
            },
        })
    }

    fn show_scenario(&self, call: &str) -> Result<(), CliError> {
        let found = lookup::find(call)?;
        let candidate = candidate(self.config.as_deref())?;
        let text = scenario::of(&found, candidate)?;
        if self.json {
            let scenario = serde_json::json!({ "call": found.call.id, "scenario": text });
            anstream::println!("{}", screen::versioned(scenario));
        } else {
            anstream::print!("{text}");
        }
        Ok(())
    }
}

fn parse_moment(text: &str) -> Result<Moment, CliError> {
    Moment::parse(text, now_millis())
}

/// The configuration in a file, or what `hookrail init --yes` writes.
fn candidate(file: Option<&Path>) -> Result<Candidate, CliError> {
    let Some(file) = file else {
        let place = Path::new("/nonexistent/hookrail-init/hookrail.toml");
        return Candidate::read("what `hookrail init --yes` writes", place, &default_configuration())
            .map_err(|Unreadable(why)| CliError::input(why));
    };
    candidate_of(file)
}

fn candidate_of(file: &Path) -> Result<Candidate, CliError> {
    let place = working_folder()?.join(file);
    let text = std::fs::read_to_string(&place).map_err(|error| CliError::unreadable(file, error))?;
    Candidate::read(&file.display().to_string(), &place, &text).map_err(|Unreadable(why)| CliError::input(why))
}

fn known_agent(name: &str) -> Result<String, CliError> {
    Ok(find_agent(name)?.name().to_owned())
}

/// An agent whose transcripts can be read.
fn readable_agent(name: &str) -> Result<String, CliError> {
    let known = find_agent(name).map(hookrail_dialects::Dialect::name);
    let names: Vec<&str> = READERS.iter().map(|reader| reader.agent).collect();
    if let Some(agent) = names.iter().find(|agent| known.as_ref().is_ok_and(|known| known == *agent)) {
        return Ok((*agent).to_owned());
    }
    let hint = match closest(name, names.iter().copied()) {
        Some(guess) if known.is_err() => format!("did you mean `{guess}`?"),
        _ => format!("those of {} can", names.join(", ")),
    };
    Err(CliError::usage(format!("transcripts of `{name}` cannot be read")).hint(hint))
}

/// A rule or hook by the name that reports have for it, or by the id in its file.
fn find_rule(name: &str, candidate: &Candidate, other: Option<&Candidate>) -> Result<String, CliError> {
    let mut known = candidate.rule_names();
    known.extend(other.into_iter().flat_map(Candidate::rule_names));
    known.extend(hookrail_packs::packs().flat_map(|pack| pack.hooks().iter().map(|hook| hook.id().to_owned())));
    let own = format!("rule/{name}");
    if let Some(found) = known.iter().find(|known| *known == name || **known == own) {
        return Ok(found.clone());
    }
    let names = known.iter().map(|name| name.strip_prefix("rule/").unwrap_or(name));
    Err(CliError::unknown("rule or hook", name, names).hint("`hookrail rules` and `hookrail list` list them"))
}
