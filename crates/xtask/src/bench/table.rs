//! What a person sees of a measurement.

use serde_json::json;
use std::io::{self, Write};

/// What a figure must not exceed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// So much, in the figure's own unit.
    Absolute(f64),
    /// Not an upper but a lower limit.
    AtLeast(f64),
    /// So many times the baseline.
    Ratio { baseline: f64, times: f64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok,
    Over,
    /// Measured for information.
    Free,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Over => "over",
            Self::Free => "",
        }
    }
}

pub(super) struct Row {
    pub name: String,
    pub figure: f64,
    pub unit: &'static str,
    pub limit: Option<Limit>,
}

impl Row {
    pub fn verdict(&self) -> Verdict {
        match self.limit {
            None => Verdict::Free,
            Some(Limit::Absolute(limit)) if self.figure <= limit => Verdict::Ok,
            Some(Limit::AtLeast(limit)) if self.figure >= limit => Verdict::Ok,
            Some(Limit::Ratio { baseline, times }) if self.figure <= baseline * times => Verdict::Ok,
            Some(_) => Verdict::Over,
        }
    }

    pub fn ratio(&self) -> Option<f64> {
        match self.limit {
            Some(Limit::Ratio { baseline, .. }) => Some(self.figure / baseline),
            Some(Limit::Absolute(_) | Limit::AtLeast(_)) | None => None,
        }
    }

    pub fn budget(&self) -> String {
        match self.limit {
            Some(Limit::Ratio { times, .. }) if times.is_infinite() => String::new(),
            Some(Limit::Ratio { times, .. }) => format!("≤ {times:.2} ×"),
            Some(Limit::Absolute(limit)) => format!("≤ {limit} {}", self.unit),
            Some(Limit::AtLeast(limit)) => format!("≥ {limit} {}", self.unit),
            None => String::new(),
        }
    }
}

pub(super) fn write(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    writeln!(out, "{:width$}  {:>14}  {:>8}  {:>12}", "what", "measured", "ratio", "budget")?;
    for row in rows {
        let figure = format!("{:.2} {}", row.figure, row.unit);
        let ratio = row.ratio().map(|ratio| format!("{ratio:.2} ×")).unwrap_or_default();
        let line =
            format!("{:width$}  {figure:>14}  {ratio:>8}  {:>12}  {}", row.name, row.budget(), row.verdict().as_str());
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

pub(super) fn write_json(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "name": row.name,
                "figure": row.figure,
                "unit": row.unit,
                "ratio": row.ratio(),
                "budget": row.budget(),
                "verdict": row.verdict().as_str(),
            })
        })
        .collect();
    writeln!(out, "{}", json!(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_kept_up_to_and_including_its_limit() {
        let row = |figure, limit| Row { name: "x".to_owned(), figure, unit: "µs", limit };
        let cases = [
            (1.0, Some(Limit::Absolute(1.0)), Verdict::Ok),
            (1.1, Some(Limit::Absolute(1.0)), Verdict::Over),
            (1.15, Some(Limit::Ratio { baseline: 1.0, times: 1.15 }), Verdict::Ok),
            (2.4, Some(Limit::Ratio { baseline: 2.0, times: 1.15 }), Verdict::Over),
            (20.0, Some(Limit::AtLeast(20.0)), Verdict::Ok),
            (19.9, Some(Limit::AtLeast(20.0)), Verdict::Over),
            (9.0, None, Verdict::Free),
        ];
        for (figure, limit, expected) in cases {
            assert_eq!(row(figure, limit).verdict(), expected, "{figure} {limit:?}");
        }
    }
}
