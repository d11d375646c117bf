//! `--fail-on`: a number of the report, and what it must not exceed.

use crate::error::CliError;
use hookrail_backtest::{BacktestReport, ProblemKind};
use std::str::FromStr;

/// A number that can be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    FalseDeny,
    Deny,
    Ask,
    Missed,
    Broken,
}

/// Each by its name, with what it counts.
const MEASURES: [(&str, Measure, &str); 5] = [
    ("false-deny", Measure::FalseDeny, "calls that you approved then and that would be refused"),
    ("deny", Measure::Deny, "calls that would be refused"),
    ("ask", Measure::Ask, "calls that you would be asked about"),
    ("missed", Measure::Missed, "calls that you refused then and that would neither be refused nor asked about"),
    ("broken", Measure::Broken, "lines that cannot be read"),
];

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    measure: Measure,
    most: f64,
    percent: bool,
}

impl FromStr for Limit {
    type Err = CliError;

    fn from_str(text: &str) -> Result<Self, CliError> {
        let (name, limit) = text
            .split_once('>')
            .ok_or(CliError::usage("a limit is a name, `>` and a number, such as `false-deny>1%`"))?;
        let names = || MEASURES.iter().map(|(name, ..)| *name);
        let found = MEASURES.iter().find(|(known, ..)| *known == name.trim());
        let (_, measure, _) = found.ok_or_else(|| CliError::unknown("limit", name.trim(), names()))?;
        let (number, percent) = match limit.trim().strip_suffix('%') {
            Some(number) => (number, true),
            None => (limit.trim(), false),
        };
        let most = number.trim().parse::<f64>().ok().filter(|most| most.is_finite() && *most >= 0.0);
        let most = most.ok_or_else(|| CliError::usage(format!("`{}` is not a number", limit.trim())))?;
        Ok(Self { measure: *measure, most, percent })
    }
}

impl Limit {
    /// What exceeds it, in a sentence; `None` if nothing does.
    pub fn excess(&self, report: &BacktestReport) -> Option<String> {
        let (count, of) = self.count(report);
        let share = if of == 0 { 0.0 } else { count as f64 * 100.0 / of as f64 };
        let exceeded = if self.percent { share > self.most } else { count as f64 > self.most };
        let (name, _, about) = MEASURES.iter().find(|(_, measure, _)| *measure == self.measure)?;
        let unit = if self.percent { "%" } else { "" };
        exceeded.then(|| format!("{name} is over {}{unit}: {count} of {of} ({share:.1} %) are {about}", self.most))
    }

    /// How many, of how many.
    fn count(&self, report: &BacktestReport) -> (u64, u64) {
        let (score, decisions) = (&report.score, &report.decisions);
        match self.measure {
            Measure::FalseDeny => (score.approved_denied, score.approved),
            Measure::Deny => (decisions.deny, decisions.total()),
            Measure::Ask => (decisions.ask, decisions.total()),
            Measure::Missed => (score.refused - score.refused_stopped, score.refused),
            Measure::Broken => {
                let broken = report.problems.iter().filter(|problem| problem.kind == ProblemKind::BrokenLine);
                let broken: u64 = broken.map(|problem| problem.count).sum();
                (broken, broken + report.history.calls)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_backtest::{Decisions, Score};

    #[test]
    fn a_limit_is_exceeded_by_more_than_its_number() {
        let report = BacktestReport {
            score: Score { approved: 200, approved_denied: 2, refused: 4, refused_stopped: 1, ..Score::default() },
            decisions: Decisions { deny: 5, ask: 0, allow: 10, none: 85 },
            ..BacktestReport::default()
        };
        for (limit, exceeded) in [
            ("false-deny>1%", false),
            ("false-deny>0.9%", true),
            ("false-deny > 2", false),
            ("false-deny>1", true),
            ("deny>5%", false),
            ("deny>4", true),
            ("ask>0", false),
            ("missed>70%", true),
            ("broken>0", false),
        ] {
            let found = limit.parse::<Limit>().unwrap().excess(&report);
            assert_eq!(found.is_some(), exceeded, "{limit}: {found:?}");
        }
        let told = "false-deny>0%".parse::<Limit>().unwrap().excess(&report).unwrap();
        assert_eq!(
            told,
            "false-deny is over 0%: 2 of 200 (1.0 %) are calls that you approved then and that would be refused"
        );
    }

    #[test]
    fn what_is_no_limit_is_refused_with_a_hint() {
        for (text, hint) in [
            ("false-deny", "such as `false-deny>1%`"),
            ("false-denny>1", "did you mean `false-deny`?"),
            ("xyzzy>1", "expected one of false-deny, deny"),
            ("deny>many", "`many` is not a number"),
            ("deny>-1", "`-1` is not a number"),
        ] {
            let error = text.parse::<Limit>().unwrap_err();
            assert!(error.to_string().contains(hint), "{text}: {error}");
        }
    }
}
