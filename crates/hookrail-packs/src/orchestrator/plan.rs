//! The plan document: its title and how far its tasks are.

use std::path::Path;

/// The section that holds the tasks.
const TASKS: &str = "implementation tasks";

/// What the hooks want to know of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The first heading of the first level.
    pub title: Option<String>,
    pub tasks: Tasks,
    /// Whether it has a section about worktrees.
    pub describes_worktrees: bool,
}

/// The rows of the task table by their status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    pub complete: usize,
    pub in_progress: usize,
    pub pending: usize,
    pub blocked: usize,
    pub escalated: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Complete,
    InProgress,
    Pending,
    Blocked,
    Escalated,
}

impl Tasks {
    #[must_use]
    pub fn total(&self) -> usize {
        self.complete + self.in_progress + self.pending + self.blocked + self.escalated
    }

    /// Those that somebody of the team still has to do. Blocked and escalated ones wait for a person.
    #[must_use]
    pub fn unfinished(&self) -> usize {
        self.in_progress + self.pending
    }

    fn add(&mut self, status: Status) {
        let count = match status {
            Status::Complete => &mut self.complete,
            Status::InProgress => &mut self.in_progress,
            Status::Pending => &mut self.pending,
            Status::Blocked => &mut self.blocked,
            Status::Escalated => &mut self.escalated,
        };
        *count += 1;
    }
}

impl Plan {
    /// Total: a document without the expected parts is a plan without them.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let lines = prose(text);
        let mut plan = Self::default();
        // The level of the heading that opened the section of the tasks.
        let mut section: Option<usize> = None;
        let mut column: Option<usize> = None;
        for (index, line) in lines.iter().enumerate() {
            if let Some((level, heading)) = heading(line) {
                plan.note_heading(level, heading);
                column = None;
                if plain(heading) == TASKS {
                    section = Some(level);
                } else if section.is_some_and(|opened| level <= opened) {
                    section = None;
                }
            } else if section.is_some() {
                let row = cells(line);
                if row.is_empty() {
                    column = None;
                } else if lines.get(index + 1).is_some_and(|next| is_ruler(next)) {
                    column = row.iter().position(|cell| plain(cell) == "status");
                } else if let Some(status) = column.and_then(|column| status_of(&row, column)) {
                    plan.tasks.add(status);
                }
            }
        }
        plan
    }

    /// What to call the plan: its title, or its file's name.
    #[must_use]
    pub fn name(&self, path: &Path) -> String {
        let stem = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        self.title.clone().unwrap_or_else(stem)
    }

    fn note_heading(&mut self, level: usize, heading: &str) {
        if level == 1 && self.title.is_none() && !heading.is_empty() {
            self.title = Some(heading.to_owned());
        }
        self.describes_worktrees |= level == 2 && matches!(plain(heading).as_str(), "worktree" | "worktrees");
    }
}

/// The lines outside of code fences and front matter; a blank line stands for what is left out.
fn prose(text: &str) -> Vec<&str> {
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

fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let is_heading = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// The cells of a table's row; none if the line is not one.
fn cells(line: &str) -> Vec<String> {
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
fn is_ruler(line: &str) -> bool {
    let cells = cells(line);
    let is_rule = |cell: &String| {
        let cell = cell.trim();
        cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':'))
    };
    !cells.is_empty() && cells.iter().all(is_rule)
}

/// The status in its column, or behind it: a bar in the task's text moves the rest of a row to the right.
fn status_of(row: &[String], column: usize) -> Option<Status> {
    row.iter().skip(column).find_map(|cell| status(cell))
}

fn status(cell: &str) -> Option<Status> {
    let text = plain(cell);
    if text.is_empty() {
        return cell.contains(['✅', '✔', '☑']).then_some(Status::Complete);
    }
    // A remark may follow: `complete (abc1234)`.
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))).next().unwrap_or_default();
    match words.replace(['_', '-', ' '], "").as_str() {
        "complete" | "completed" | "done" => Some(Status::Complete),
        "inprogress" => Some(Status::InProgress),
        "pending" => Some(Status::Pending),
        "blocked" => Some(Status::Blocked),
        "escalated" => Some(Status::Escalated),
        _ => None,
    }
}

/// Text without emphasis, emoji and case.
fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| !matches!(c, '*' | '`' | '~')).collect();
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(rows: &str) -> Tasks {
        Plan::read(&format!("# T\n\n## Implementation Tasks\n\n| # | Task | Status |\n|---|---|---|\n{rows}\n")).tasks
    }

    #[test]
    fn a_status_is_known_however_it_is_dressed() {
        // covers: ORCH-2.6
        for (cell, expected) in [
            ("complete", Some(Status::Complete)),
            ("**Completed**", Some(Status::Complete)),
            ("✅ complete", Some(Status::Complete)),
            ("✅", Some(Status::Complete)),
            ("`done`", Some(Status::Complete)),
            ("complete (abc1234)", Some(Status::Complete)),
            ("in-progress", Some(Status::InProgress)),
            ("In_Progress", Some(Status::InProgress)),
            ("🔄 *in progress*", Some(Status::InProgress)),
            ("_PENDING_", Some(Status::Pending)),
            ("⏳ pending", Some(Status::Pending)),
            ("Blocked", Some(Status::Blocked)),
            ("🚨 escalated", Some(Status::Escalated)),
            ("incomplete", None),
            ("pending-ish", None),
            ("", None),
        ] {
            assert_eq!(status(cell), expected, "{cell}");
        }
    }

    #[test]
    fn the_status_stands_in_its_column_or_behind_it() {
        for (row, unfinished) in [
            ("| 1 | a | pending |", 1),
            ("| 1 | a | pending | impl-1 |", 1),
            ("| 1 | pending | complete |", 0),
            (r"| 1 | a \| b | pending |", 1),
            ("| 1 | a | b | pending |", 1),
            ("1 | a | pending", 1),
            ("| 1 | pending |", 0),
        ] {
            assert_eq!(tasks(row).unfinished(), unfinished, "{row}");
        }
    }

    #[test]
    fn only_the_tables_of_the_section_count() {
        let text = "# Plan\n\n| a | Status |\n|---|---|\n| x | pending |\n\n## Implementation Tasks\n\n\
                    | Key | Value |\n|--|--|\n| x | pending |\n\n### Wave 1\n\n| Task | Status |\n|:--|--:|\n| a | pending |\n\n\
                    ```\n| Task | Status |\n|--|--|\n| b | pending |\n```\n\n## Later\n\n| Task | Status |\n|--|--|\n| c | pending |\n";
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            assert_eq!(Plan::read(&text).tasks, Tasks { pending: 1, ..Tasks::default() }, "{text}");
        }
    }

    #[test]
    fn the_title_is_the_first_heading_outside_of_code() {
        // covers: ORCH-2.7
        for (text, expected) in [
            ("# Plan", "Plan"),
            ("**Status:** x\n\n# Plan #\n# Other", "Plan"),
            ("~~~~sh\n# comment\n~~~\n# still code\n~~~~\n# Plan", "Plan"),
            ("---\n# front matter\n---\n# Plan\r\n", "Plan"),
            ("\u{feff}# \"Quotes\" & co", "\"Quotes\" & co"),
            ("## Only a second level", "2026-plan"),
            ("#hashtag", "2026-plan"),
            ("", "2026-plan"),
        ] {
            assert_eq!(Plan::read(text).name(Path::new("/p/2026-plan.md")), expected, "{text}");
        }
    }

    #[test]
    fn a_section_about_worktrees_is_noticed_in_both_spellings() {
        for (text, expected) in
            [("## Worktree", true), ("## Worktrees\n", true), ("```\n## Worktrees\n```", false), ("## Work", false)]
        {
            assert_eq!(Plan::read(text).describes_worktrees, expected, "{text}");
        }
    }
}
