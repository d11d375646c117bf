//! Charts, drawn as SVG into the page. Each has a title for those who do not see it, and its numbers as text.

use super::escape::Escaped;
use crate::report::{DayRow, Decisions, number, share as percent};
use std::fmt::Write;

const WIDTH: usize = 720;
const HEIGHT: usize = 160;
/// Room for the days below.
const FOOT: usize = 18;
/// So many days are drawn; what is older is in the numbers.
const DAYS: usize = 90;

/// All decisions in one bar.
pub(super) fn share(out: &mut String, decisions: &Decisions) -> std::fmt::Result {
    let total = decisions.total().max(1);
    writeln!(out, "<svg class=\"share\" viewBox=\"0 0 {WIDTH} 24\" role=\"img\" aria-label=\"Shares of decisions\">")?;
    let mut at = 0.0;
    for (class, name, count) in [
        ("deny", "refused", decisions.deny),
        ("ask", "asked", decisions.ask),
        ("allow", "approved", decisions.allow),
        ("none", "no opinion", decisions.none),
    ] {
        let width = count as f64 * WIDTH as f64 / total as f64;
        // What happened at all is visible.
        let width = if count > 0 { width.max(2.0) } else { 0.0 };
        writeln!(
            out,
            "<rect class=\"{class}\" x=\"{at:.1}\" y=\"0\" width=\"{width:.1}\" height=\"24\"><title>{name}: {} ({})</title></rect>",
            number(count),
            percent(count, decisions.total())
        )?;
        at += width;
    }
    out.push_str("</svg>\n");
    Ok(())
}

/// One series of a chart: its class, its name, its number of a day.
type Series = (&'static str, &'static str, fn(&DayRow) -> u64);

/// Questions to a person, then and now, side by side.
pub(super) fn questions(out: &mut String, days: &[DayRow]) -> std::fmt::Result {
    let series: [Series; 2] =
        [("then", "you were asked", |day| day.asked_then), ("ask", "with this configuration", |day| day.asked_now)];
    bars(out, "Questions to you", days, &series, Form::Beside)
}

/// What would have been refused and asked about.
pub(super) fn stops(out: &mut String, days: &[DayRow]) -> std::fmt::Result {
    let series: [Series; 2] =
        [("deny", "refused", |day| day.decisions.deny), ("ask", "asked", |day| day.decisions.ask)];
    bars(out, "Refused and asked", days, &series, Form::Stacked)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Beside,
    Stacked,
}

fn bars(out: &mut String, title: &str, days: &[DayRow], series: &[Series; 2], form: Form) -> std::fmt::Result {
    let days = days.get(days.len().saturating_sub(DAYS)..).unwrap_or_default();
    let tallest = |day: &DayRow| {
        let counts = series.map(|(_, _, count)| count(day));
        if form == Form::Stacked { counts.iter().sum() } else { counts.into_iter().max().unwrap_or_default() }
    };
    let most = days.iter().map(tallest).max().unwrap_or_default().max(1);
    let legend = series.map(|(class, name, _)| format!("<span class=\"key {class}\"></span>{name}")).join(" ");
    let all = HEIGHT + FOOT;
    writeln!(
        out,
        "<figure>\n<figcaption>{title} <span class=\"legend\">{legend}</span></figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {all}\" role=\"img\" aria-label=\"{title} by day\">\n\
         <line class=\"axis\" x1=\"0\" y1=\"{HEIGHT}\" x2=\"{WIDTH}\" y2=\"{HEIGHT}\"/>\n\
         <text x=\"0\" y=\"12\">{}</text>",
        number(most)
    )?;
    let step = WIDTH as f64 / days.len().max(1) as f64;
    for (index, day) in days.iter().enumerate() {
        draw_day(out, day, index as f64 * step, step, most, series, form)?;
    }
    for (index, anchor) in [(0, "start"), (days.len().saturating_sub(1), "end")] {
        if let Some(day) = days.get(index).filter(|_| index == 0 || days.len() > 1) {
            let x = if anchor == "start" { 0 } else { WIDTH };
            writeln!(out, "<text x=\"{x}\" y=\"{all}\" text-anchor=\"{anchor}\">{}</text>", Escaped(&day.day))?;
        }
    }
    out.push_str("</svg>\n</figure>\n");
    Ok(())
}

fn draw_day(
    out: &mut String,
    day: &DayRow,
    x: f64,
    step: f64,
    most: u64,
    series: &[Series; 2],
    form: Form,
) -> std::fmt::Result {
    let room = (step * 0.8).min(48.0);
    let width = if form == Form::Beside { room / 2.0 } else { room };
    let (mut left, mut base) = (x + (step - room) / 2.0, HEIGHT as f64);
    for (class, name, count) in series {
        let count = count(day);
        let height = count as f64 * (HEIGHT as f64 - 16.0) / most as f64;
        writeln!(
            out,
            "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{} {name}: {}</title></rect>",
            base - height,
            Escaped(&day.day),
            number(count)
        )?;
        match form {
            Form::Beside => left += width,
            Form::Stacked => base -= height,
        }
    }
    Ok(())
}
