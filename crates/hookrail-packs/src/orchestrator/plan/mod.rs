//! The plan document: its title, its tasks and how far they are.

mod markdown;
mod status;

pub use status::Status;

use markdown::{cells, checkbox, heading, is_ruler, plain, prose};
use std::path::Path;

/// The section that holds the tasks, as the pack's document calls it.
const DOCUMENTED: &str = "implementation tasks";
/// What people call it as well.
const OTHER_NAMES: [&str; 6] = ["tasks", "task list", "implementation plan", "todo", "to do", "work items"];
/// Names of the column that describes a task.
const TEXT_COLUMNS: [&str; 6] = ["task", "description", "title", "name", "item", "what"];

/// What the hooks want to know of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The first heading of the first level.
    pub title: Option<String>,
    /// The tasks that could be read.
    pub items: Vec<PlanTask>,
    /// How many of them have which status.
    pub tasks: Tasks,
    /// Rows of a task table whose status is none that is known.
    pub unread: usize,
    /// Whether it has a section about worktrees.
    pub describes_worktrees: bool,
}

/// One task of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanTask {
    /// What the plan calls it: the first cell, if that is a number.
    pub number: Option<String>,
    pub text: String,
    pub status: Status,
}

/// The tasks by their status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    pub complete: usize,
    pub in_progress: usize,
    pub pending: usize,
    pub blocked: usize,
    pub escalated: usize,
}

impl Tasks {
    #[must_use]
    pub fn total(&self) -> usize {
        self.complete + self.in_progress + self.pending + self.blocked + self.escalated
    }

    /// Those that the team still has to do. Blocked and escalated ones wait for a person.
    #[must_use]
    pub fn unfinished(&self) -> usize {
        self.in_progress + self.pending
    }

    fn of(items: &[PlanTask]) -> Self {
        let mut tasks = Self::default();
        for item in items {
            *match item.status {
                Status::Complete => &mut tasks.complete,
                Status::InProgress => &mut tasks.in_progress,
                Status::Pending => &mut tasks.pending,
                Status::Blocked => &mut tasks.blocked,
                Status::Escalated => &mut tasks.escalated,
            } += 1;
        }
        tasks
    }
}

/// The section a line is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Documented,
    OtherName,
    Elsewhere,
}

/// What a document offers as tasks; the best of it counts.
#[derive(Debug, Default)]
struct TaskCandidates {
    documented_rows: Vec<PlanTask>,
    other_rows: Vec<PlanTask>,
    boxes: Vec<PlanTask>,
    boxes_elsewhere: Vec<PlanTask>,
    unread: usize,
}

impl Plan {
    /// Total: a document without the expected parts is a plan without them.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let lines = prose(text);
        let mut plan = Self::default();
        let mut found = TaskCandidates::default();
        // The heading that opened the section of the tasks.
        let mut opened: Option<(usize, Section)> = None;
        let mut table: Option<Table> = None;
        for (index, line) in lines.iter().enumerate() {
            if let Some((level, heading)) = heading(line) {
                plan.note_heading(level, heading);
                table = None;
                opened = section_after(opened, level, heading);
                continue;
            }
            let section = opened.map_or(Section::Elsewhere, |(_, section)| section);
            if let Some((mark, text)) = checkbox(line) {
                found.add_box(section, mark, text);
            }
            let row = cells(line);
            if row.is_empty() || section == Section::Elsewhere {
                table = None;
            } else if lines.get(index + 1).is_some_and(|next| is_ruler(next)) {
                table = Table::with_header(&row);
            } else if let Some(table) = table.as_ref().filter(|_| !is_ruler(line)) {
                found.add_row(section, table, &row);
            }
        }
        plan.unread = found.unread;
        plan.items = found.best();
        plan.tasks = Tasks::of(&plan.items);
        plan
    }

    /// What to call the plan: its title, or its file's name.
    #[must_use]
    pub fn name(&self, path: &Path) -> String {
        let stem = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        self.title.clone().unwrap_or_else(stem)
    }

    /// Why no task could be read, or only some; `None` if all is well.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        const FORMS: &str = "write a table with a column `Status` (pending, in-progress, complete, blocked, escalated) or \
                             checkboxes under `## Implementation Tasks` or `## Tasks`";
        match (self.items.len(), self.unread) {
            (0, 0) => Some(format!("no task can be read in the plan: {FORMS}")),
            (0, unread) => {
                Some(format!("no task can be read in the plan, {unread} rows have no status that is known: {FORMS}"))
            }
            (_, 0) => None,
            (_, 1) => Some("1 row of the task table has no status that is known and does not count".to_owned()),
            (_, unread) => {
                Some(format!("{unread} rows of the task table have no status that is known and do not count"))
            }
        }
    }

    /// The task that is meant by a text or a number; `None` if that is not one of them alone.
    #[must_use]
    pub fn task_called(&self, subject: &str) -> Option<&PlanTask> {
        let subject = plain(subject);
        let exact = self.only(|item| !subject.is_empty() && plain(&item.text) == subject);
        let numbered = || self.only(|item| item.number.as_deref().is_some_and(|number| names_number(&subject, number)));
        let similar = || {
            self.only(|item| {
                let text = plain(&item.text);
                text.len().min(subject.len()) >= 4 && (text.contains(&subject) || subject.contains(&text))
            })
        };
        exact.or_else(numbered).or_else(similar)
    }

    fn only(&self, test: impl Fn(&PlanTask) -> bool) -> Option<&PlanTask> {
        let mut found = self.items.iter().filter(|item| test(item));
        found.next().filter(|_| found.next().is_none())
    }

    fn note_heading(&mut self, level: usize, heading: &str) {
        if level == 1 && self.title.is_none() && !heading.is_empty() {
            self.title = Some(heading.to_owned());
        }
        self.describes_worktrees |= level == 2 && matches!(plain(heading).as_str(), "worktree" | "worktrees");
    }
}

/// The section that a heading leaves open: the one it opens, or the one around it.
fn section_after(opened: Option<(usize, Section)>, level: usize, heading: &str) -> Option<(usize, Section)> {
    let around = opened.filter(|(outer, _)| level > *outer);
    let name = plain(heading);
    match name.as_str() {
        DOCUMENTED => Some((level, Section::Documented)),
        // A section within the documented one is a part of it, whatever it is called.
        other if around.is_none() && OTHER_NAMES.contains(&other) => Some((level, Section::OtherName)),
        _ => around,
    }
}

/// `task 3`, `#3`, `3. Write it`, `impl-task-3`
fn names_number(subject: &str, number: &str) -> bool {
    let words = || subject.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let behind_task = words().zip(words().skip(1)).any(|(word, next)| word == "task" && next == number);
    behind_task || words().next() == Some(number)
}

/// The columns of a table that has a status.
#[derive(Debug)]
struct Table {
    status: usize,
    text: Option<usize>,
}

impl Table {
    fn with_header(header: &[String]) -> Option<Self> {
        let names: Vec<String> = header.iter().map(|cell| plain(cell)).collect();
        let status = names.iter().position(|name| name == "status" || name == "state")?;
        let text = names.iter().position(|name| TEXT_COLUMNS.contains(&name.as_str()));
        Some(Self { status, text })
    }

    /// The status in its column, or behind it: a bar in the task's text moves the rest of a row to the right.
    fn task(&self, row: &[String]) -> Option<PlanTask> {
        let status = row.iter().skip(self.status).find_map(|cell| Status::of_cell(cell))?;
        let number = row.first().map(|cell| plain(cell)).filter(|cell| is_number(cell));
        let longest = || row.iter().take(self.status).max_by_key(|cell| cell.len());
        let text = self.text.and_then(|column| row.get(column)).or_else(longest);
        Some(PlanTask { number, text: text.map(|text| text.trim().to_owned()).unwrap_or_default(), status })
    }
}

/// `3`, `2.1`, `t004`
fn is_number(cell: &str) -> bool {
    cell.len() <= 6 && cell.ends_with(|c: char| c.is_ascii_digit()) && !cell.contains(' ')
}

impl TaskCandidates {
    fn add_row(&mut self, section: Section, table: &Table, row: &[String]) {
        match (table.task(row), section) {
            (Some(task), Section::Documented) => self.documented_rows.push(task),
            (Some(task), Section::OtherName | Section::Elsewhere) => self.other_rows.push(task),
            (None, _) => self.unread += usize::from(row.iter().any(|cell| !cell.trim().is_empty())),
        }
    }

    fn add_box(&mut self, section: Section, mark: char, text: &str) {
        let Some(status) = Status::of_box(mark) else { return };
        let number = text.split_whitespace().next().map(plain).filter(|word| is_number(word));
        let task = PlanTask { number, text: text.to_owned(), status };
        match section {
            Section::Documented | Section::OtherName => self.boxes.push(task),
            Section::Elsewhere => self.boxes_elsewhere.push(task),
        }
    }

    /// Checkboxes under a table of tasks are acceptance criteria, so a table counts first.
    fn best(self) -> Vec<PlanTask> {
        let candidates = [self.documented_rows, self.other_rows, self.boxes, self.boxes_elsewhere];
        candidates.into_iter().find(|tasks| !tasks.is_empty()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(rows: &str) -> Tasks {
        Plan::read(&format!("# T\n\n## Implementation Tasks\n\n| # | Task | Status |\n|---|---|---|\n{rows}\n")).tasks
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

    #[test]
    fn tasks_are_read_in_every_form_that_people_write() {
        let two = |complete, in_progress, pending| Tasks { complete, in_progress, pending, ..Tasks::default() };
        for (text, expected) in [
            ("## Tasks\n\n| Task | State |\n|--|--|\n| a | todo |\n| b | wip |\n| c | done |", two(1, 1, 1)),
            ("## Tasks\n- [x] a\n- [ ] b\n- [~] c", two(1, 1, 1)),
            ("## Implementation Tasks\n1. [x] a\n2. [ ] b", two(1, 0, 1)),
            ("# P\n\n* [x] a\n+ [ ] b", two(1, 0, 1)),
            ("## Steps\n- [ ] a", two(0, 0, 1)),
            ("## Task List\n| x | Status |\n|--|--|\n| a | [x] |\n| b | [ ] |", two(1, 0, 1)),
            // A table is more than the checkboxes beside it, the documented section more than another.
            ("## Tasks\n| Task | Status |\n|--|--|\n| a | done |\n\n- [ ] criterion", two(1, 0, 0)),
            ("## Tasks\n- [ ] x\n## Implementation Tasks\n| Task | Status |\n|--|--|\n| a | done |", two(1, 0, 0)),
            ("## Goals\n- [ ] x\n## Tasks\n- [x] a", two(1, 0, 0)),
            ("```\n- [ ] code\n```\n- [link](x)\n-[ ] no item", two(0, 0, 0)),
        ] {
            assert_eq!(Plan::read(text).tasks, expected, "{text}");
        }
    }

    #[test]
    fn a_plan_without_readable_tasks_says_why() {
        for (text, expected) in [
            ("# P\n\nWrite it.", Some("no task can be read in the plan: write a table")),
            ("## Tasks\n| a | Status |\n|--|--|\n| x | maybe |", Some("1 rows have no status that is known")),
            ("## Tasks\n| a | Status |\n|--|--|\n| x | maybe |\n| y | done |", Some("1 row of the task table")),
            ("## Tasks\n- [ ] a", None),
        ] {
            let problem = Plan::read(text).problem();
            assert_eq!(problem.is_some(), expected.is_some(), "{text}: {problem:?}");
            assert!(expected.is_none_or(|part| problem.unwrap().contains(part)), "{text}");
        }
    }

    #[test]
    fn a_task_is_found_by_its_text_or_its_number() {
        let plan = Plan::read(
            "## Tasks\n| # | Task | Status |\n|--|--|--|\n| 1 | Write the lexer in `src/lexer.rs` | done |\n\
             | 2 | Write the parser | wip |\n| 12 | Write the printer | todo |\n",
        );
        for (subject, expected) in [
            ("Write the parser", Some("2")),
            ("**Write the parser**", Some("2")),
            ("Task 12: something", Some("12")),
            ("#1 whatever", Some("1")),
            ("impl-task-2", Some("2")),
            ("Write the lexer", Some("1")),
            ("Implement: write the printer and ship it", Some("12")),
            ("Write", None),
            ("Task 3", None),
            ("", None),
        ] {
            let found = plan.task_called(subject).and_then(|task| task.number.as_deref());
            assert_eq!(found, expected, "{subject}");
        }
    }
}
