//! awk programs: commands and files in them.

use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::Arg;
use crate::models::Reading;

/// Looks for `system("…")`, `"…" | getline`, `print | "…"` and `print > "file"`.
pub(crate) fn inspect(reading: &mut Reading<'_, '_, '_>, program: &Arg) {
    let pieces: Vec<&str> = program.text.split('"').collect();
    for (index, piece) in pieces.iter().enumerate().skip(1).step_by(2) {
        let before = pieces.get(index - 1).map_or("", |text| text.trim_end());
        let after = pieces.get(index + 1).map_or("", |text| text.trim_start());
        let text = program.with_text((*piece).to_owned());
        if before.ends_with("system(")
            || before.ends_with('|') && !before.ends_with("||")
            || after.starts_with("| getline")
            || after.starts_with("|getline")
        {
            reading.run_text(&text);
        } else if before.ends_with('>') && prints(pieces.get(..index).unwrap_or_default()) {
            reading.touch(Act::FsWrite, &text, Extent::Single);
        }
    }
    let computed = program.text.contains("system(") && !program.text.contains("system(\"");
    if computed {
        reading.act(Act::ExecDynamic, Some("awk system"));
    }
}

/// Whether the statement that the pieces end with prints something: elsewhere `>` compares.
fn prints(pieces: &[&str]) -> bool {
    for (index, piece) in pieces.iter().enumerate().rev() {
        // Every other piece is a text.
        if index % 2 == 1 {
            continue;
        }
        let statement = piece.rsplit([';', '{', '}', '\n']).next().unwrap_or(piece);
        if statement.contains("print") {
            return true;
        }
        if statement.len() < piece.len() {
            return false;
        }
    }
    false
}
