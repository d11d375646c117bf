//! As much of Markdown as a plan needs.

/// The lines outside of code fences and front matter; a blank line stands for what is left out.
pub(super) fn prose(text: &str) -> Vec<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut fence: Option<(char, usize)> = None;
    let mut front_matter = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line == "---" && (index == 0 || front_matter) {
            front_matter = index == 0;
            lines.push("");
            continue;
        }
        let mark = fence_mark(line);
        let hidden = match (fence, mark) {
            (None, Some((mark, length, _))) => {
                fence = Some((mark, length));
                true
            }
            (Some((open, least)), Some((mark, length, bare))) => {
                if mark == open && length >= least && bare {
                    fence = None;
                }
                true
            }
            (open, None) => open.is_some(),
        };
        lines.push(if hidden || front_matter { "" } else { line });
    }
    lines
}

/// The character and length of a code fence, and whether nothing follows it.
fn fence_mark(line: &str) -> Option<(char, usize, bool)> {
    let inner = line.trim_start_matches(' ');
    let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = inner.trim_start_matches(mark);
    let length = inner.len() - rest.len();
    let opens = length >= 3 && line.len() - inner.len() <= 3 && !(mark == '`' && rest.contains('`'));
    opens.then(|| (mark, length, rest.trim().is_empty()))
}

pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let is_heading = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// The cells of a table's row; none if the line is not one.
pub(super) fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    if !line.contains('|') {
        return Vec::new();
    }
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inner.chars() {
        if c == '|' && !escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    if inner.ends_with('|') && cells.last().is_some_and(String::is_empty) {
        cells.pop();
    }
    cells
}

/// The line between a table's header and its rows.
pub(super) fn is_ruler(line: &str) -> bool {
    let cells = cells(line);
    let is_rule = |cell: &String| {
        let cell = cell.trim();
        cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':'))
    };
    !cells.is_empty() && cells.iter().all(is_rule)
}

/// The box and the text of `- [x] Write it`, `* [ ] …`, `1. [~] …`.
pub(super) fn checkbox(line: &str) -> Option<(char, &str)> {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None if digits.len() < line.len() => digits.strip_prefix(['.', ')'])?,
        None => return None,
    };
    let inner = item.trim_start().strip_prefix('[').filter(|_| item.starts_with([' ', '\t']))?;
    let mark = inner.chars().next()?;
    let (mark, rest) = if mark == ']' { (' ', inner) } else { (mark, inner.get(mark.len_utf8()..)?) };
    Some((mark, rest.strip_prefix(']')?.trim()))
}

/// Text without emphasis, emoji and case.
pub(super) fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| !matches!(c, '*' | '`' | '~')).collect();
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}
