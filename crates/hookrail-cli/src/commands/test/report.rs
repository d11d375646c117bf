//! What came of all scenarios, for people and for programs.

use super::expectation::Failure;
use super::play::{Broken, ScenarioOutcome};
use super::scenario::Scenario;
use crate::screen::{duration, one_line, plural};
use diffy::{DiffOptions, Line};
use owo_colors::OwoColorize;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::time::Duration;

pub fn to_json(scenarios: &[Scenario], outcomes: &[ScenarioOutcome], updated: usize) -> Value {
    let list: Vec<Value> = pairs(scenarios, outcomes).map(|(scenario, outcome)| one(scenario, outcome)).collect();
    let passed = outcomes.iter().filter(|outcome| outcome.passed()).count();
    json!({"passed": passed, "failed": outcomes.len() - passed, "updated": updated, "scenarios": list})
}

fn one(scenario: &Scenario, outcome: &ScenarioOutcome) -> Value {
    let failure = |(step, failure): &(usize, Failure)| {
        json!({
            "step": step,
            "line": scenario.source.line(failure.at),
            "key": failure.path.join("."),
            "expected": failure.expected,
            "actual": failure.actual,
        })
    };
    json!({
        "file": scenario.source.path,
        "line": scenario.line(),
        "name": scenario.name,
        "agent": outcome.agent,
        "hook": scenario.given.hook,
        "passed": outcome.passed(),
        "failures": outcome.failures.iter().map(failure).collect::<Vec<_>>(),
        "error": outcome.broken.as_ref().map(ToString::to_string),
        "micros": u64::try_from(outcome.time.as_micros()).unwrap_or(u64::MAX),
    })
}

fn pairs<'a>(
    scenarios: &'a [Scenario],
    outcomes: &'a [ScenarioOutcome],
) -> impl Iterator<Item = (&'a Scenario, &'a ScenarioOutcome)> {
    outcomes.iter().filter_map(|outcome| Some((scenarios.get(outcome.scenario)?, outcome)))
}

/// A line for each scenario, by file, and what went wrong below it.
pub fn write(
    scenarios: &[Scenario],
    outcomes: &[ScenarioOutcome],
    time: Duration,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut file = None;
    for (scenario, outcome) in pairs(scenarios, outcomes) {
        if file != Some(&scenario.source.path) {
            writeln!(out, "{}", one_line(&scenario.source.path.display().to_string()).bold())?;
            file = Some(&scenario.source.path);
        }
        let mark = if outcome.passed() { "✓".green().to_string() } else { "✗".red().to_string() };
        let agent = if scenario.given.agents.len() > 1 { format!(" ({})", outcome.agent) } else { String::new() };
        writeln!(out, "  {mark} {}{}", one_line(&scenario.name), agent.dimmed())?;
        match &outcome.broken {
            Some(Broken::Mistake(mistake)) => writeln!(out, "{}", mistake.show(&scenario.source.path))?,
            Some(Broken::Plain(why)) => {
                why.to_string().lines().try_for_each(|line| writeln!(out, "    {}", one_line(line)))?;
            }
            None => {}
        }
        outcome.failures.iter().try_for_each(|(_, failure)| write_failure(scenario, failure, out))?;
    }
    let (passed, all) = (outcomes.iter().filter(|outcome| outcome.passed()).count(), outcomes.len());
    let verdict = match all - passed {
        0 => format!("{passed} scenario{} passed", plural(passed)).green().to_string(),
        failed => format!("{failed} of {all} failed").red().to_string(),
    };
    writeln!(out, "\n{verdict} {}", format!("in {}", duration(time)).dimmed())
}

fn write_failure(scenario: &Scenario, failure: &Failure, out: &mut dyn Write) -> io::Result<()> {
    let place = format!("{}:{}", scenario.source.path.display(), scenario.source.line(failure.at));
    let key = if failure.path.is_empty() { String::new() } else { format!(" {}", failure.path.join(".").bold()) };
    writeln!(out, "    {}{key}", one_line(&place).cyan())?;
    // A fragment that was not found says little beside a long text; a diff of its lines does.
    let (expected, actual) = (lined(&failure.expected), lined(&failure.actual));
    if expected == actual {
        // They differ at their very end.
        writeln!(out, "      {}", format!("- {:?}", failure.expected).red())?;
        return writeln!(out, "      {}", format!("+ {:?}", failure.actual).green());
    }
    let patch = DiffOptions::new().set_context_len(usize::MAX).create_patch(&expected, &actual);
    let text = |line: &str| one_line(line.trim_end_matches('\n'));
    for line in patch.hunks().iter().flat_map(diffy::Hunk::lines) {
        match line {
            Line::Delete(line) => writeln!(out, "      {}", format!("- {}", text(line)).red())?,
            Line::Insert(line) => writeln!(out, "      {}", format!("+ {}", text(line)).green())?,
            Line::Context(line) => writeln!(out, "        {}", text(line))?,
        }
    }
    Ok(())
}

fn lined(text: &str) -> String {
    if text.is_empty() { "(nothing)\n".to_owned() } else { format!("{}\n", text.trim_end_matches('\n')) }
}
