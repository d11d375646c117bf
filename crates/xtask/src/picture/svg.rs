//! A terminal window as SVG.

use super::ansi::{Colour, Span, TextStyle, spans};
use std::fmt::Write;

/// A character's size. The width is enforced, so that columns stay in line in every font.
const CHARACTER: f64 = 8.4;
const LINE: f64 = 20.0;
const PADDING: f64 = 20.0;
const TITLE_BAR: f64 = 36.0;

const FONT: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace";

/// Draws lines as a window of so many columns. It brings its own background, so it looks the same on light and dark pages.
pub(super) fn draw(title: &str, lines: &[String], columns: usize) -> String {
    let width = columns as f64 * CHARACTER + 2.0 * PADDING;
    let height = TITLE_BAR + lines.len() as f64 * LINE + 1.5 * PADDING;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\n<style>{}</style>\n",
        escaped(title),
        style()
    );
    svg.push_str("<rect class=\"window\" x=\"0.5\" y=\"0.5\" width=\"99.9%\" height=\"99.9%\" rx=\"10\"/>\n");
    for (number, dot) in ["#ff5f57", "#febc2e", "#28c840"].iter().enumerate() {
        let x = PADDING + number as f64 * 20.0;
        svg.push_str(&format!("<circle cx=\"{x:.1}\" cy=\"18\" r=\"6\" fill=\"{dot}\"/>\n"));
    }
    svg.push_str(&format!("<text class=\"title\" x=\"50%\" y=\"23\">{}</text>\n", escaped(title)));
    for (number, line) in lines.iter().enumerate() {
        let y = TITLE_BAR + PADDING * 0.5 + (number as f64 + 0.75) * LINE;
        for span in spans(line).iter().filter(|span| !span.text.trim().is_empty()) {
            draw_span(span, y, &mut svg);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_span(span: &Span, y: f64, svg: &mut String) {
    let text = span.text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let text = text.trim_start();
    let x = PADDING + (span.column + blank) as f64 * CHARACTER;
    let length = text.chars().count() as f64 * CHARACTER;
    let class = class(span.look);
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    // Writing to a string does not fail.
    let _ = writeln!(svg, "<text{class} x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\">{}</text>", escaped(text));
}

fn class(look: TextStyle) -> String {
    let colour = match look.colour {
        Colour::Usual => None,
        Colour::Red => Some("red"),
        Colour::Green => Some("green"),
        Colour::Yellow => Some("yellow"),
        Colour::Blue => Some("blue"),
        Colour::Magenta => Some("magenta"),
        Colour::Cyan => Some("cyan"),
    };
    let marks = [colour, look.bold.then_some("bold"), look.dim.then_some("dim")];
    marks.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn style() -> String {
    format!(
        ".window{{fill:#0f141b;stroke:#2c3440}}\
         text{{font-family:{FONT};font-size:14px;fill:#d5dbe3;white-space:pre}}\
         .title{{fill:#8b949e;font-size:13px;text-anchor:middle}}\
         .red{{fill:#ff7b72}}.green{{fill:#56d364}}.yellow{{fill:#e3b341}}.blue{{fill:#79c0ff}}\
         .magenta{{fill:#d2a8ff}}.cyan{{fill:#76e3ea}}.bold{{font-weight:700}}.dim{{fill:#8b949e}}"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_stands_in_its_column() {
        let svg = draw("a <title>", &["x  \u{1b}[31m& y\u{1b}[0m".to_owned()], 10);
        assert!(svg.contains("<text x=\"20.0\" y=\"61.0\" textLength=\"8.4\">x</text>"), "{svg}");
        assert!(svg.contains("<text class=\"red\" x=\"45.2\" y=\"61.0\" textLength=\"25.2\">&amp; y</text>"), "{svg}");
        assert!(svg.contains("a &lt;title&gt;"), "{svg}");
        assert!(svg.contains("width=\"124\" height=\"86\""), "{svg}");
    }
}
