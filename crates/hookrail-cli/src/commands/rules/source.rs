//! The text of a rule, as its file has it.

use crate::current_project::CurrentProject;
use hookrail_core::{Origin, World};
use hookrail_rules::safety;
use std::path::Path;

/// The table that begins at or above this place; `None` if its file is gone.
pub fn text_of(origin: &Origin, place: &CurrentProject) -> Option<String> {
    let (line, _) = origin.position?;
    let of_pack = safety::FILES.iter().find(|(name, _)| *name == &*origin.place);
    let text = match of_pack {
        Some((_, text)) => (*text).to_owned(),
        None => String::from_utf8(place.world.read(Path::new(&*origin.place)).ok()??).ok()?,
    };
    table_at(&text, line as usize)
}

fn table_at(text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let is_head = |line: &&str| line.trim_start().starts_with('[');
    let begin = lines.get(..line)?.iter().rposition(is_head)?;
    let after = lines.get(begin + 1..)?;
    let length = after.iter().position(is_head).unwrap_or(after.len());
    let mut table = lines.get(begin..=begin + length)?.to_vec();
    // Comments below it belong to what follows.
    while table.last().is_some_and(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        table.pop();
    }
    Some(table.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::table_at;

    #[test]
    fn a_rule_is_the_table_around_its_line_without_what_belongs_to_the_next() {
        let text = "# of a\n[[rule]]\nid = \"a\"\nsay = \"x\"\n\n# of b\n[[rule]]\nid = \"b\"\n";
        let a = "[[rule]]\nid = \"a\"\nsay = \"x\"";
        for (line, expected) in [(2, Some(a)), (3, Some(a)), (8, Some("[[rule]]\nid = \"b\"")), (1, None), (99, None)] {
            assert_eq!(table_at(text, line).as_deref(), expected, "line {line}");
        }
    }
}
