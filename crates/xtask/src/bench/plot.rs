//! A curve as SVG, readable on light and dark pages.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;

pub(super) struct Curve<'a> {
    pub title: &'a str,
    /// What grows.
    pub unit: &'a str,
    /// How much of it there is, and milliseconds.
    pub points: &'a [(f64, f64)],
}

/// Draws a curve, its values written beside its points. Steps have the same distance, because they grow by factors.
pub(super) fn draw(curve: &Curve<'_>) -> String {
    let most = curve.points.iter().map(|(_, millis)| *millis).fold(0.1, f64::max);
    let top = nice(most);
    let step = (WIDTH - LEFT - RIGHT) / (curve.points.len().max(2) - 1) as f64;
    let x = |index: usize| LEFT + index as f64 * step;
    let y = |millis: f64| HEIGHT - BOTTOM - millis / top * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n\
         <style>text {{ font: 12px system-ui, sans-serif; fill: #777 }} .title {{ font-size: 14px; font-weight: 600 }}\
         .axis {{ stroke: #8886; fill: none }} .curve {{ stroke: #2f7de1; stroke-width: 2.5; fill: none }}\
         circle {{ fill: #2f7de1 }}</style>\n<text class=\"title\" x=\"{LEFT}\" y=\"22\">{}</text>\n",
        curve.title, curve.title
    );
    for part in 0..=4 {
        let millis = top * f64::from(part) / 4.0;
        let at = y(millis);
        // Writing to a text does not fail.
        let _ = writeln!(svg, "<path class=\"axis\" d=\"M{LEFT} {at:.1}H{}\"/>", WIDTH - RIGHT);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{} ms</text>",
            LEFT - 8.0,
            at + 4.0,
            short(millis)
        );
    }
    let path: Vec<String> = curve
        .points
        .iter()
        .enumerate()
        .map(|(index, (_, millis))| format!("{:.1} {:.1}", x(index), y(*millis)))
        .collect();
    let _ = writeln!(svg, "<path class=\"curve\" d=\"M{}\"/>", path.join("L"));
    for (index, (amount, millis)) in curve.points.iter().enumerate() {
        let (at, height) = (x(index), y(*millis));
        let anchor = if index == 0 {
            "start"
        } else if index + 1 == curve.points.len() {
            "end"
        } else {
            "middle"
        };
        let _ = writeln!(svg, "<circle cx=\"{at:.1}\" cy=\"{height:.1}\" r=\"3.5\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            height - 9.0,
            short(*millis)
        );
        let base = HEIGHT - BOTTOM + 18.0;
        let _ = writeln!(svg, "<text x=\"{at:.1}\" y=\"{base}\" text-anchor=\"{anchor}\">{}</text>", short(*amount));
    }
    let _ =
        writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", WIDTH - RIGHT, HEIGHT - 8.0, curve.unit);
    svg.push_str("</svg>\n");
    svg
}

/// The next round number.
fn nice(most: f64) -> f64 {
    let power = 10f64.powf(most.log10().floor());
    [1.0, 2.0, 4.0, 5.0, 8.0, 10.0].iter().map(|factor| factor * power).find(|round| *round >= most).unwrap_or(most)
}

fn short(number: f64) -> String {
    match number {
        number if number >= 1000.0 && number % 1000.0 == 0.0 => format!("{}k", number / 1000.0),
        number if number.fract() == 0.0 || number >= 100.0 => format!("{number:.0}"),
        number => format!("{number:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_with_its_amount_and_its_time() {
        let svg = draw(&Curve { title: "t", unit: "hooks", points: &[(0.0, 0.5), (2000.0, 0.75)] });
        for part in [">0</text>", ">2k</text>", ">0.50</text>", ">0.75</text>", "hooks</text>"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert_eq!(svg.matches("<circle").count(), 2);
    }

    #[test]
    fn an_axis_ends_at_the_next_round_number() {
        for (most, expected) in [(0.7, 0.8), (1.2, 2.0), (37.0, 40.0), (100.0, 100.0)] {
            assert!((nice(most) - expected).abs() < 1e-9, "{most}");
        }
    }
}
