//! Reads tables of an SQLite database, row by row, and nothing else: no library of another language for one `SELECT`.
//!
//! The format is <https://www.sqlite.org/fileformat2.html>. The file is never written and never locked: pages that were changed and
//! not yet moved into it are taken from the write-ahead log as of its last commit. A database that another process writes at the
//! same time may change between two pages; what does not fit together is an error, not a wrong row.

mod pages;
mod record;
mod wal;

use pages::{Page, Pages};
pub(super) use record::Field;
use record::Fields;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

/// A tree is not deeper: that is what fits into the largest file.
const DEEPEST: usize = 20;
/// A row is not larger: what is, is a dump, and is skipped.
const LARGEST_ROW: u64 = 16 * 1024 * 1024;

/// A database that is only read.
pub(super) struct Database {
    pages: Pages,
}

/// A table: where it is, and which column is where.
pub(super) struct Table {
    root: u32,
    columns: Vec<String>,
}

impl Table {
    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    }
}

impl Database {
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { pages: Pages::open(path)? })
    }

    /// The table of this name, if there is one.
    pub fn table(&mut self, name: &str) -> io::Result<Option<Table>> {
        let mut found = None;
        self.rows_of(1, &mut |fields| {
            let text = |index: usize| fields.get(index).and_then(Field::text);
            if text(0) == Some("table") && text(1) == Some(name) {
                let root = fields.get(3).and_then(Field::integer).and_then(|root| u32::try_from(root).ok());
                let columns = columns_of(text(4).unwrap_or_default());
                found = root.map(|root| Table { root, columns });
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// Gives every row of a table in the order of its row ids, which is that of insertion.
    pub fn rows(&mut self, table: &Table, row: &mut dyn FnMut(&[Field<'_>]) -> ControlFlow<()>) -> io::Result<()> {
        self.rows_of(table.root, row)
    }

    fn rows_of(&mut self, root: u32, row: &mut dyn FnMut(&[Field<'_>]) -> ControlFlow<()>) -> io::Result<()> {
        // Where the walk is: a page and the next of its cells.
        let mut path: Vec<(Page, usize)> = vec![(self.pages.read(root)?, 0)];
        while let Some((page, next)) = path.last_mut() {
            let cell = *next;
            *next += 1;
            if page.is_leaf() {
                let Some(cell) = page.cell(cell)? else {
                    path.pop();
                    continue;
                };
                if let Some(content) = self.content(&cell)?
                    && row(&Fields::read(&content)?).is_break()
                {
                    return Ok(());
                }
            } else {
                let Some(child) = page.child(cell)? else {
                    path.pop();
                    continue;
                };
                if path.len() >= DEEPEST {
                    return Err(broken("a tree is too deep"));
                }
                path.push((self.pages.read(child)?, 0));
            }
        }
        Ok(())
    }

    /// The whole of a row, which may go on in other pages; `None` if it is too large.
    fn content(&mut self, cell: &pages::Cell) -> io::Result<Option<Vec<u8>>> {
        if cell.length > LARGEST_ROW {
            return Ok(None);
        }
        let wanted = usize::try_from(cell.length).unwrap_or_default();
        let mut content = cell.here.clone();
        let mut next = cell.overflow;
        while content.len() < wanted {
            if next == 0 {
                return Err(broken("a row ends too early"));
            }
            let page = self.pages.read(next)?;
            let (following, bytes) = page.overflow()?;
            content.extend_from_slice(bytes.get(..bytes.len().min(wanted - content.len())).unwrap_or_default());
            next = following;
        }
        Ok(Some(content))
    }
}

/// The names of the columns, from the statement that made the table.
fn columns_of(statement: &str) -> Vec<String> {
    let Some(start) = statement.find('(') else { return Vec::new() };
    let (mut columns, mut depth, mut part) = (Vec::new(), 0_u32, String::new());
    let mut quote: Option<char> = None;
    let mut end_part = |part: &mut String| {
        let name = column_name(part.trim());
        columns.extend(name);
        part.clear();
    };
    for c in statement.get(start..).unwrap_or_default().chars() {
        if let Some(end) = quote {
            quote = (c != end).then_some(end);
            part.push(c);
            continue;
        }
        match c {
            '\'' | '"' | '`' => quote = Some(c),
            '[' => quote = Some(']'),
            '(' => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            ',' if depth == 1 => {
                end_part(&mut part);
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    end_part(&mut part);
    columns
}

/// The name at the beginning of a column; `None` for what constrains the whole table.
fn column_name(part: &str) -> Option<String> {
    let first = part.chars().next()?;
    let quoted = match first {
        '"' | '`' | '\'' => Some(first),
        '[' => Some(']'),
        _ => None,
    };
    if let Some(end) = quoted {
        return Some(part.chars().skip(1).take_while(|c| *c != end).collect());
    }
    let name: String = part.chars().take_while(|c| !c.is_whitespace()).collect();
    let constraint = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];
    (!constraint.iter().any(|word| name.eq_ignore_ascii_case(word))).then_some(name)
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests;
