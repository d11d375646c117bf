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
        } else if before.ends_with('>') && before.contains("print") {
            reading.touch(Act::FsWrite, &text, Extent::Single);
        }
    }
    let computed = program.text.contains("system(") && !program.text.contains("system(\"");
    if computed {
        reading.act(Act::ExecDynamic, Some("awk system"));
    }
}
