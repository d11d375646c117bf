use super::text::{columns, visible_width, wrap};
use owo_colors::OwoColorize;
use std::io::{self, Write};

/// Between columns.
const GAP: usize = 2;
/// The last column is not squeezed below this.
const LEAST_LAST: usize = 16;

/// To which side a column's cells are pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Rows whose columns are as wide as their widest cell; the last column is wrapped at the width of the screen.
/// Cells may be coloured.
#[derive(Debug)]
pub struct Table {
    head: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<'a>(head: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        Self { head: head.into_iter().map(|(name, align)| (name.to_owned(), align)).collect(), rows: Vec::new() }
    }

    /// A row shorter than the head is filled up; a longer one is cut.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) -> &mut Self {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.head.len(), String::new());
        self.rows.push(cells);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_within(columns(), out)
    }

    fn write_within(&self, screen: usize, out: &mut dyn Write) -> io::Result<()> {
        let widths = self.widths(screen);
        if self.head.iter().any(|(name, _)| !name.is_empty()) {
            let dim = |name: &str| if name.is_empty() { String::new() } else { name.dimmed().to_string() };
            let names: Vec<String> = self.head.iter().map(|(name, _)| dim(name)).collect();
            self.write_row(&names, &widths, out)?;
        }
        self.rows.iter().try_for_each(|row| self.write_row(row, &widths, out))
    }

    fn widths(&self, screen: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = self.head.iter().map(|(name, _)| visible_width(name)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(visible_width(cell));
            }
        }
        if let Some((last, others)) = widths.split_last_mut() {
            let taken: usize = others.iter().map(|width| width + GAP).sum();
            *last = (*last).min(screen.saturating_sub(taken).max(LEAST_LAST));
        }
        widths
    }

    fn write_row(&self, cells: &[String], widths: &[usize], out: &mut dyn Write) -> io::Result<()> {
        let Some((last, others)) = cells.split_last() else { return Ok(()) };
        let mut line = String::new();
        for ((cell, width), (_, align)) in others.iter().zip(widths).zip(&self.head) {
            let padding = " ".repeat(width.saturating_sub(visible_width(cell)));
            match align {
                Align::Left => line.extend([cell.as_str(), &padding]),
                Align::Right => line.extend([padding.as_str(), cell]),
            }
            line.push_str(&" ".repeat(GAP));
        }
        let margin = visible_width(&line);
        let width = widths.last().copied().unwrap_or_default();
        let fits = visible_width(last) <= width;
        let lines = if fits { vec![last.clone()] } else { wrap(last, width) };
        for (number, text) in lines.iter().enumerate() {
            let right = self.head.last().is_some_and(|(_, align)| *align == Align::Right);
            let padding = if right { width.saturating_sub(visible_width(text)) } else { 0 };
            let start = if number == 0 { line.clone() } else { " ".repeat(margin) };
            writeln!(out, "{}", format!("{start}{}{text}", " ".repeat(padding)).trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_the_last_is_wrapped() {
        let mut table = Table::new([("hook", Align::Left), ("runs", Align::Right), ("about", Align::Left)]);
        table.row(["a".into(), "1".into(), "short".into()]);
        table.row(["long/name".red().to_string(), "1000".into(), "words that do not fit into it".into()]);
        let mut out = Vec::new();
        table.write_within(36, &mut out).unwrap();
        let text = anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
        let expected = "hook       runs  about\n\
                        a             1  short\n\
                        long/name  1000  words that do not\n\
                        \u{20}                fit into it\n";
        assert_eq!(text, expected);
    }
}
