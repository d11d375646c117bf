//! The last days as a drawing: a bar for each day, and what each hook did. Needs nothing from elsewhere, and follows the
//! reader's choice of light or dark.

use super::tally::{Count, Day, Shares, Tally};
use crate::screen::{duration, one_line, plural, shorten};
use std::fmt::Write;
use std::time::Duration;

const WIDTH: f64 = 860.0;
/// Left and right of everything.
const MARGIN: f64 = 40.0;
/// Where bars begin, right of their scale.
const AXIS: f64 = MARGIN + 44.0;
const CHART_TOP: f64 = 118.0;
const CHART_HEIGHT: f64 = 220.0;
const ROW: f64 = 26.0;
/// Rows of the table; those of the hooks that ran most.
const MOST_ROWS: usize = 30;

/// Light first; dark where the reader wants it so.
const STYLE: &str = "
text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; fill: #1f2933 }
.page { fill: #ffffff } .title { font-size: 21px; font-weight: 600 } .soft { fill: #5f6c7b } .small { font-size: 11px }
.right { text-anchor: end } .middle { text-anchor: middle } .line { stroke: #e3e8ee; stroke-width: 1 } .base { stroke: #9aa5b1 }
.code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12px }
.quiet { fill: #9db7d5 } .warned { fill: #e8b339 } .blocked { fill: #d64545 } .failed { fill: #8d6cc4 }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e7eb } .page { fill: #12161c } .soft { fill: #9aa5b1 } .line { stroke: #2a323c } .base { stroke: #5f6c7b }
  .quiet { fill: #4a6a8f } .warned { fill: #d9a22b } .blocked { fill: #e2595b } .failed { fill: #a285d6 }
}
";

/// The columns of the table: name, right edge, and what stands in it.
type Cell = (&'static str, f64, fn(&Tally) -> String);
const CELLS: &[Cell] = &[
    ("runs", 456.0, |tally| tally.runs.to_string()),
    ("blocked", 530.0, |tally| number(Shares::from(tally).blocked)),
    ("warned", 598.0, |tally| number(Shares::from(tally).warned)),
    ("failed", 660.0, |tally| number(Shares::from(tally).failed)),
    ("p50", 740.0, |tally| duration(Duration::from_micros(tally.p50_us))),
    ("p95", WIDTH - MARGIN, |tally| duration(Duration::from_micros(tally.p95_us))),
];

pub fn draw(count: &Count, days: &[Day]) -> String {
    let mut hooks: Vec<(&String, &Tally)> = count.hooks.iter().collect();
    hooks.sort_by(|(a, one), (b, other)| other.runs.cmp(&one.runs).then(a.cmp(b)));
    let table_top = CHART_TOP + CHART_HEIGHT + 76.0;
    let rows = hooks.len().min(MOST_ROWS);
    let height = table_top + ROW * (rows as f64 + f64::from(u8::from(hooks.len() > rows))) + 30.0;
    let mut svg = Drawing::default();
    svg.line(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-labelledby=\"t\">"
    ));
    svg.line("<title id=\"t\">What hooks did</title>");
    svg.line(&format!("<style>{STYLE}</style>"));
    svg.line(&format!("<rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\"/>"));
    draw_head(&mut svg, days);
    draw_chart(&mut svg, days);
    draw_table(&mut svg, hooks.get(..rows).unwrap_or_default(), hooks.len(), table_top);
    svg.line("</svg>");
    svg.0
}

fn draw_head(svg: &mut Drawing, days: &[Day]) {
    let total = days.iter().fold(Shares::default(), |sum, day| Shares {
        quiet: sum.quiet + day.shares.quiet,
        warned: sum.warned + day.shares.warned,
        blocked: sum.blocked + day.shares.blocked,
        failed: sum.failed + day.shares.failed,
    });
    let name = |day: Option<&Day>| day.map(|day| day.day.clone()).unwrap_or_default();
    svg.text(MARGIN, 50.0, "title", "What hooks did");
    let runs = format!(
        "{} run{} from {} to {} (UTC)",
        total.total(),
        plural(usize::try_from(total.total()).unwrap_or_default()),
        name(days.first()),
        name(days.last())
    );
    svg.text(MARGIN, 74.0, "soft", &runs);
    let mut right = WIDTH - MARGIN;
    for (class, count) in
        [("failed", total.failed), ("blocked", total.blocked), ("warned", total.warned), ("quiet", total.quiet)]
    {
        let label = format!("{count} {class}");
        // A letter takes about so much; the square stands right before its label.
        right -= label.len() as f64 * 7.4;
        svg.text(right, 74.0, "", &label);
        svg.rect(class, right - 19.0, 63.0, 13.0, 13.0);
        right -= 42.0;
    }
}

fn draw_chart(svg: &mut Drawing, days: &[Day]) {
    let most = days.iter().map(|day| day.shares.total()).max().unwrap_or_default();
    let (step, steps) = scale(most);
    let top = step * steps;
    let bottom = CHART_TOP + CHART_HEIGHT;
    for mark in 0..=steps {
        let y = bottom - CHART_HEIGHT * mark as f64 / steps as f64;
        let class = if mark == 0 { "line base" } else { "line" };
        svg.line(&format!(
            "<line class=\"{class}\" x1=\"{AXIS}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
            WIDTH - MARGIN
        ));
        svg.text(AXIS - 10.0, y + 4.0, "right soft small", &(mark * step).to_string());
    }
    let slot = (WIDTH - MARGIN - AXIS) / days.len().max(1) as f64;
    let width = (slot * 0.62).clamp(1.0, 56.0);
    // Every so many days gets a name, so that names do not touch.
    let every = (46.0 / slot).ceil().max(1.0) as usize;
    for (index, day) in days.iter().enumerate() {
        let centre = AXIS + slot * (index as f64 + 0.5);
        let shares = day.shares;
        svg.line("<g>");
        svg.line(&format!(
            "<title>{}: {} quiet, {} warned, {} blocked, {} failed</title>",
            day.day, shares.quiet, shares.warned, shares.blocked, shares.failed
        ));
        let mut y = bottom;
        for (class, count) in
            [("quiet", shares.quiet), ("warned", shares.warned), ("blocked", shares.blocked), ("failed", shares.failed)]
        {
            // The rare is what one looks for: it is never invisible.
            let height = if count == 0 { 0.0 } else { (CHART_HEIGHT * count as f64 / top as f64).max(2.0) };
            y -= height;
            svg.rect(class, centre - width / 2.0, y, width, height);
        }
        svg.line("</g>");
        if (days.len() - 1 - index).is_multiple_of(every) {
            svg.text(centre, bottom + 20.0, "middle soft small", day.day.get(5..).unwrap_or_default());
        }
    }
}

fn draw_table(svg: &mut Drawing, hooks: &[(&String, &Tally)], known: usize, top: f64) {
    svg.text(MARGIN, top - 12.0, "soft small", "hook");
    for (name, right, _) in CELLS {
        svg.text(*right, top - 12.0, "right soft small", name);
    }
    let mut y = top;
    let rule = |svg: &mut Drawing, y: f64| {
        svg.line(&format!(
            "<line class=\"line\" x1=\"{MARGIN}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
            WIDTH - MARGIN
        ));
    };
    for (hook, tally) in hooks {
        rule(svg, y);
        svg.text(MARGIN, y + 18.0, "code", &shorten(&one_line(hook), 46));
        for (_, right, cell) in CELLS {
            svg.text(*right, y + 18.0, "right", &cell(tally));
        }
        y += ROW;
    }
    rule(svg, y);
    if known > hooks.len() {
        svg.text(MARGIN, y + 18.0, "soft small", &format!("and {} more", known - hooks.len()));
    }
}

/// A step of 1, 2 or 5 times a power of ten, and how many of them reach the highest bar.
fn scale(most: u64) -> (u64, u64) {
    let mut step = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            let step = step.saturating_mul(factor);
            if most <= step.saturating_mul(5) {
                return (step, most.div_ceil(step).max(1));
            }
        }
        step = step.saturating_mul(10);
    }
}

fn number(count: u64) -> String {
    if count == 0 { "·".to_owned() } else { count.to_string() }
}

/// Lines of SVG.
#[derive(Default)]
struct Drawing(String);

impl Drawing {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        if height > 0.0 {
            // Writing to a text cannot fail.
            let _ = writeln!(
                self.0,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
            );
        }
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(self.0, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_has_round_steps_and_reaches_the_highest_bar() {
        for (most, expected) in [
            (0, (1, 1)),
            (1, (1, 1)),
            (5, (1, 5)),
            (6, (2, 3)),
            (17, (5, 4)),
            (99, (20, 5)),
            (1000, (200, 5)),
            (12_345, (5000, 3)),
        ] {
            assert_eq!(scale(most), expected, "{most}");
        }
        assert_eq!(scale(u64::MAX).1, 4);
    }

    #[test]
    fn names_cannot_break_out_of_the_drawing() {
        let mut count = Count::default();
        count.hooks.insert("<script>&\u{1b}".to_owned(), Tally::default());
        let svg = draw(&count, &count.days(3, 0));
        assert!(svg.contains("&lt;script&gt;&amp;\\u{1b}</text>") && !svg.contains("<script"), "{svg}");
    }
}
