//! A task graph for people's eyes and tools.

use super::graph::Graph;
use std::fmt::Write;

/// One line a task, in an order in which they can be done.
#[must_use]
pub fn draw_text(graph: &Graph<'_>) -> String {
    let (order, stuck) = graph.order();
    let subject = |id: u64| graph.task(id).map_or("", |task| task.subject.as_str());
    let width = order.iter().chain(&stuck).map(|id| id.to_string().len()).max().unwrap_or(0);
    let mut text = String::new();
    for (id, note) in order.iter().map(|id| (id, "")).chain(stuck.iter().map(|id| (id, " [can never start]"))) {
        let before: Vec<String> = graph.before(*id).map(|id| id.to_string()).collect();
        let after = if before.is_empty() { String::new() } else { format!(" (after {})", before.join(", ")) };
        line(&mut text, format_args!("{id:>width$}  {}{after}{note}", plain(subject(*id))));
    }
    text
}

#[must_use]
pub fn draw_mermaid(graph: &Graph<'_>) -> String {
    let mut text = "flowchart TD\n".to_owned();
    for task in graph.tasks() {
        let label = escape(&plain(&task.subject), |c| match c {
            '"' => Some("#quot;"),
            '#' => Some("#35;"),
            '<' => Some("#lt;"),
            '>' => Some("#gt;"),
            '&' => Some("#amp;"),
            '`' => Some("#96;"),
            _ => None,
        });
        line(&mut text, format_args!("  t{}[\"{}: {label}\"]", task.id, task.id));
    }
    for (first, then) in graph.edges() {
        line(&mut text, format_args!("  t{first} --> t{then}"));
    }
    text
}

#[must_use]
pub fn draw_dot(graph: &Graph<'_>) -> String {
    let mut text = "digraph tasks {\n".to_owned();
    for task in graph.tasks() {
        let label = escape(&plain(&task.subject), |c| match c {
            '"' => Some("\\\""),
            '\\' => Some("\\\\"),
            _ => None,
        });
        line(&mut text, format_args!("  {} [label=\"{}: {label}\"];", task.id, task.id));
    }
    for (first, then) in graph.edges() {
        line(&mut text, format_args!("  {first} -> {then};"));
    }
    text.push_str("}\n");
    text
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a text does not fail.
    let _ = writeln!(text, "{line}");
}

/// One line, with nothing in it that a terminal obeys.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn escape(text: &str, replacement: impl Fn(char) -> Option<&'static str>) -> String {
    text.chars().map(|c| replacement(c).map_or_else(|| c.to_string(), str::to_owned)).collect()
}
