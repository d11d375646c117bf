//! Plays scenarios, several at a time.

use super::event;
use super::expectation::Failure;
use super::played::PlayedStep;
use super::sandbox::{Means, SESSION, Sandbox};
use super::scenario::Scenario;
use super::source::Mistake;
use crate::error::CliError;
use crate::hook::args::find_agent;
use crate::screen::Progress;
use hookrail_dialects::Dialect;
use serde_json::Value;
use std::fmt;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What came of one scenario with one agent.
#[derive(Debug)]
pub struct ScenarioOutcome {
    /// Which of the scenarios.
    pub scenario: usize,
    pub agent: String,
    /// By step.
    pub failures: Vec<(usize, Failure)>,
    /// Why it could not be played to its end.
    pub broken: Option<Broken>,
    pub time: Duration,
}

/// What keeps a scenario from being played.
#[derive(Debug)]
pub enum Broken {
    /// A mistake in the file.
    Mistake(Mistake),
    /// Anything else.
    Plain(CliError),
}

impl From<CliError> for Broken {
    fn from(why: CliError) -> Self {
        Self::Plain(why)
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistake(mistake) => f.write_str(&mistake.message),
            Self::Plain(why) => why.fmt(f),
        }
    }
}

impl ScenarioOutcome {
    pub fn passed(&self) -> bool {
        self.broken.is_none() && self.failures.is_empty()
    }
}

/// Plays all of them; the outcomes are in the order of the scenarios.
pub fn play_all(scenarios: &[Scenario], means: &Means) -> Vec<ScenarioOutcome> {
    let jobs: Vec<(usize, &Scenario, &str)> = scenarios
        .iter()
        .enumerate()
        .flat_map(|(index, scenario)| agents(scenario).into_iter().map(move |agent| (index, scenario, agent)))
        .collect();
    let progress = Progress::new("playing scenarios", jobs.len() as u64);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((number, (index, scenario, agent))) = take(&jobs, &next) {
            let outcome = play(*index, scenario, agent, means);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, outcome));
            progress.advance(1);
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    let mut outcomes = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by_key(|(number, _)| *number);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

fn take<'a, T>(jobs: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(number).map(|job| (number, job))
}

fn agents(scenario: &Scenario) -> Vec<&str> {
    let named: Vec<&str> = scenario.given.agents.iter().map(String::as_str).collect();
    if named.is_empty() { vec!["claude"] } else { named }
}

fn play(index: usize, scenario: &Scenario, agent: &str, means: &Means) -> ScenarioOutcome {
    let begun = Instant::now();
    let mut failures = Vec::new();
    let broken = act(scenario, agent, means, &mut failures).err();
    ScenarioOutcome { scenario: index, agent: agent.to_owned(), failures, broken, time: begun.elapsed() }
}

fn act(scenario: &Scenario, agent: &str, means: &Means, failures: &mut Vec<(usize, Failure)>) -> Result<(), Broken> {
    let dialect = find_agent(agent)?;
    let sandbox = Sandbox::build(scenario, means)?;
    let args = arguments(scenario, dialect);
    for (number, step) in (1..).zip(&scenario.steps) {
        let payload = event::payload(&step.event, &scenario.given, dialect, &sandbox).map_err(Broken::Mistake)?;
        let session = payload.get("session_id").and_then(Value::as_str).unwrap_or(SESSION).to_owned();
        let explanation = sandbox.answer(&args, &payload)?;
        let played = PlayedStep::new(explanation, &sandbox, session);
        failures.extend(step.expect.check(&played).into_iter().map(|failure| (number, failure)));
    }
    Ok(())
}

fn arguments(scenario: &Scenario, dialect: &dyn Dialect) -> Vec<String> {
    let given = &scenario.given;
    let mut args = vec!["--agent".to_owned(), dialect.name().to_owned()];
    for pack in &given.packs {
        args.extend(["--pack".to_owned(), pack.clone()]);
    }
    if let Some(contract) = &given.contract {
        args.extend(["--contract".to_owned(), contract.clone()]);
    }
    args.extend(given.hook.clone());
    args
}
