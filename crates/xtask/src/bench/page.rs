//! The table of the book's page on performance, written from a measurement.

use super::table::Row;
use std::io;
use std::path::Path;

const PAGE: &str = "docs/src/performance.md";
/// Shows some of the rows, too.
const README: &str = "README.md";
const BEGIN: &str = "<!-- measured: `cargo xtask bench --write` writes this table -->\n";
const END: &str = "<!-- end of measured -->\n";

/// Puts the rows into the page, in place of all older ones or, if only a part was measured, of those with the same names.
pub(super) fn write(root: &Path, rows: &[Row], all: bool) -> io::Result<()> {
    let path = root.join(PAGE);
    let page = std::fs::read_to_string(&path)?;
    let changed =
        with_table(&page, rows, all).ok_or_else(|| io::Error::other(format!("`{PAGE}` has no place for the table")))?;
    std::fs::write(path, changed)?;
    let readme = root.join(README);
    let text = std::fs::read_to_string(&readme)?;
    std::fs::write(readme, with_rows(&text, rows))
}

/// The text with the rows that it shows as they are now.
fn with_rows(text: &str, rows: &[Row]) -> String {
    let renewed = |older: &str| rows.iter().find(|row| name_of(older) == Some(&row.name)).map(line);
    text.split_inclusive('\n').map(|older| renewed(older).unwrap_or_else(|| older.to_owned())).collect()
}

fn with_table(page: &str, rows: &[Row], all: bool) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (older, after) = rest.split_once(END)?;
    let older: Vec<(&str, &str)> = older.lines().skip(3).filter_map(|line| Some((name_of(line)?, line))).collect();
    let measured = |name: &str| rows.iter().find(|row| row.name == name).map(line);
    let kept = older.iter().filter(|_| !all);
    let kept: String = kept.map(|(name, older)| measured(name).unwrap_or_else(|| format!("{older}\n"))).collect();
    let is_new = |row: &&Row| all || older.iter().all(|(name, _)| *name != row.name);
    let lines: String = [kept].into_iter().chain(rows.iter().filter(is_new).map(line)).collect();
    Some(format!("{before}{BEGIN}\n| what | measured | budget |\n|---|---|---|\n{lines}\n{END}{after}"))
}

/// What a line of the table is about.
fn name_of(line: &str) -> Option<&str> {
    line.strip_prefix("| ")?.split_once(" | ").map(|(name, _)| name)
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
    fn rows_of_another_page_are_renewed_where_they_stand() {
        let rows = [Row { name: "a size".to_owned(), figure: 3.2149, unit: "MiB", limit: None }];
        let text = "# Title\n\n| what | measured | budget |\n|---|---|---|\n| a size | 2.00 MiB |  |\n| a hook | 1 µs |  |\nend";
        assert_eq!(with_rows(text, &rows), text.replace("2.00", "3.21"));
    }

    #[test]
    fn rows_replace_the_older_table_and_nothing_else() {
        let row = |name: &str, figure, unit, limit| Row { name: name.to_owned(), figure, unit, limit };
        let rows = [
            row("a hook", 550.0, "µs", Some(Limit::Ratio { baseline: 500.0, times: 1.2 })),
            row("a size", 3.2149, "MiB", None),
        ];
        let old = "\n| what | measured | budget |\n|---|---|---|\n| a size | 4.00 MiB |  |\n| other | 1.00 µs |  |\n\n";
        let page = format!("# Page\n\n{BEGIN}{old}{END}\nmore\n");
        let expected = format!(
            "# Page\n\n{BEGIN}\n| what | measured | budget |\n|---|---|---|\n| a hook | 1.10 ×, 550 µs | ≤ 1.20 × |\n| a size | 3.21 MiB |  |\n\n{END}\nmore\n"
        );
        assert_eq!(with_table(&page, &rows, true).as_ref(), Some(&expected));
        let part = "| a size | 3.21 MiB |  |\n| other | 1.00 µs |  |\n| a hook | 1.10 ×, 550 µs | ≤ 1.20 × |\n";
        let expected = format!("# Page\n\n{BEGIN}\n| what | measured | budget |\n|---|---|---|\n{part}\n{END}\nmore\n");
        assert_eq!(with_table(&page, &rows, false), Some(expected));
        assert_eq!(with_table("# Page\n", &rows, true), None);
    }
}
