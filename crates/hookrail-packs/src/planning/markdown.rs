//! As much of Markdown as the checks of this pack look at.

/// A line, and whether it stands in a fenced block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub text: &'a str,
    pub fenced: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Heading<'a> {
    pub level: usize,
    pub text: &'a str,
}

/// The lines of a text. A fence that is never closed hides nothing.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = text.lines().map(|text| Line { text, fenced: false }).collect();
    let mut rest = lines.as_mut_slice();
    while let Some(open) = rest.iter().position(|line| fence(line.text).is_some()) {
        let (_, block) = rest.split_at_mut(open);
        let mark = block.first().and_then(|line| fence(line.text)).unwrap_or_default();
        let close = block.iter().skip(1).position(|line| is_close(line.text, mark));
        let Some(close) = close else { break };
        let (fenced, after) = block.split_at_mut(close + 2);
        fenced.iter_mut().for_each(|line| line.fenced = true);
        rest = after;
    }
    lines
}

/// The characters that open a fenced block.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    line.get(..length).filter(|_| length >= 3)
}

fn is_close(line: &str, mark: &str) -> bool {
    line.trim_start().starts_with(mark) && fence(line) == Some(line.trim())
}

pub(super) fn heading(line: &str) -> Option<Heading<'_>> {
    let line = line.trim_start();
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t']));
    is_heading.then(|| Heading { level, text: text.trim() })
}

/// The cells of a row of a table.
pub(super) fn cells(line: &str) -> Option<impl Iterator<Item = &str>> {
    let inner = line.trim().strip_prefix('|')?;
    inner.contains('|').then(|| inner.trim_end_matches('|').split('|').map(str::trim))
}

/// What stands behind the bullet or number of a list item.
pub(super) fn list_item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = if after_number.len() < line.len() {
        after_number.strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '+'])?
    };
    item.starts_with([' ', '\t']).then(|| item.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fenced_blocks_are_known_and_an_open_one_hides_nothing() {
        for (text, fenced) in [
            ("a\n```\nb\n```\nc", "-###-"),
            ("```md\n~~~\n```\nc", "###-"),
            ("````\n```\n````\nc", "###-"),
            ("~~~\na\n```\nb", "----"),
            ("```\na", "--"),
            ("  ```\na\n  ```  \nb", "###-"),
        ] {
            let found: String = lines(text).iter().map(|line| if line.fenced { '#' } else { '-' }).collect();
            assert_eq!(found, fenced, "{text}");
        }
    }

    #[test]
    fn headings_rows_and_items_are_told_apart() {
        for (line, level) in [("## A", Some(2)), ("#A", None), ("####### A", None), ("  ### A", Some(3)), ("A", None)] {
            assert_eq!(heading(line).map(|heading| heading.level), level, "{line}");
        }
        for (line, expected) in
            [("| a | b |", Some(vec!["a", "b"])), ("a | b", None), ("| a", None), ("|a|", Some(vec!["a"]))]
        {
            assert_eq!(cells(line).map(Iterator::collect::<Vec<_>>), expected, "{line}");
        }
        for (line, expected) in [
            ("- a", Some("a")),
            ("  12. a b", Some("a b")),
            ("2) x", Some("x")),
            ("-a", None),
            ("12", None),
            ("**a**", None),
        ] {
            assert_eq!(list_item(line), expected, "{line}");
        }
    }
}
