//! The table of the book's page on performance, written from a measurement.

use super::table::Row;
use std::io;
use std::path::Path;

const PAGE: &str = "docs/src/performance.md";
const BEGIN: &str = "<!-- measured: `cargo xtask bench --write` writes this table -->\n";
const END: &str = "<!-- end of measured -->\n";

/// Puts the rows into the page in place of the older ones.
pub(super) fn write(root: &Path, rows: &[Row]) -> io::Result<()> {
    let path = root.join(PAGE);
    let page = std::fs::read_to_string(&path)?;
    let changed =
        with_table(&page, rows).ok_or_else(|| io::Error::other(format!("`{PAGE}` has no place for the table")))?;
    std::fs::write(path, changed)
}

fn with_table(page: &str, rows: &[Row]) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    let lines: String = rows.iter().map(line).collect();
    Some(format!("{before}{BEGIN}\n| what | measured | budget |\n|---|---|---|\n{lines}\n{END}{after}"))
}

fn line(row: &Row) -> String {
    let figure = match row.ratio() {
        Some(ratio) if ratio.is_finite() => format!("{ratio:.2} ×, {} {}", rounded(row.figure), row.unit),
        Some(_) | None => format!("{} {}", rounded(row.figure), row.unit),
    };
    format!("| {} | {} | {} |\n", row.name, figure.trim_end(), row.budget())
}

/// As many digits as mean something.
fn rounded(figure: f64) -> String {
    if figure >= 100.0 { format!("{figure:.0}") } else { format!("{figure:.2}") }
}

#[cfg(test)]
mod tests {
    use super::super::table::Limit;
    use super::*;

    #[test]
    fn rows_replace_the_older_table_and_nothing_else() {
        let row = |name: &str, figure, unit, limit| Row { name: name.to_owned(), figure, unit, limit };
        let rows = [
            row("a hook", 550.0, "µs", Some(Limit::Ratio { baseline: 500.0, times: 1.2 })),
            row("a size", 3.2149, "MiB", None),
        ];
        let page = format!("# Page\n\n{BEGIN}old\n{END}\nmore\n");
        let expected = format!(
            "# Page\n\n{BEGIN}\n| what | measured | budget |\n|---|---|---|\n| a hook | 1.10 ×, 550 µs | ≤ 1.20 × |\n| a size | 3.21 MiB |  |\n\n{END}\nmore\n"
        );
        assert_eq!(with_table(&page, &rows), Some(expected));
        assert_eq!(with_table("# Page\n", &rows), None);
    }
}
