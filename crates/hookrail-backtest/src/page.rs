//! A report as one page.
use crate::BacktestReport;
/// The page.
#[must_use]
pub fn render(report: &BacktestReport) -> String {
    format!("{}", report.version)
}
