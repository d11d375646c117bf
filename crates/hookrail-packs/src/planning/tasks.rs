//! What stands in a `tasks.md`.

use super::markdown;
use super::test_id;

/// What a list of tasks is measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tasks {
    pub total: usize,
    /// Those that name a test, in their own line or in the lines that belong to them.
    pub tested: usize,
    pub phases: usize,
    pub self_critique: bool,
}

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TaskSection {
    Outside,
    Task,
    /// In the definition of done of a task, which need not be indented.
    Criteria,
}

impl Tasks {
    pub fn read(text: &str) -> Self {
        let mut tasks = Self::default();
        let (mut place, mut tested) = (TaskSection::Outside, false);
        for line in markdown::lines(text) {
            tasks.self_critique |= is_self_critique(line.text);
            if !line.fenced {
                if is_task(line.text) {
                    tasks.total += 1;
                    (place, tested) = (TaskSection::Task, false);
                } else {
                    tasks.phases += usize::from(is_phase(line.text));
                    place = place.after(line.text);
                }
            }
            if place != TaskSection::Outside && !tested && test_id::find(line.text).next().is_some() {
                tasks.tested += 1;
                tested = true;
            }
        }
        tasks
    }

    /// How many tasks of a hundred name a test.
    pub fn percent(&self) -> usize {
        (self.tested * 100).checked_div(self.total).unwrap_or(0)
    }
}

impl TaskSection {
    /// Where this line stands, which begins no task. What belongs to a task is indented or its definition of done
    /// (errata C46).
    fn after(self, line: &str) -> Self {
        let indented = line.trim().is_empty() || line.starts_with([' ', '\t']);
        let ends_section = markdown::heading(line).is_some_and(|heading| heading.level < 3);
        match self {
            Self::Outside => Self::Outside,
            Self::Task | Self::Criteria if ends_section => Self::Outside,
            Self::Task | Self::Criteria if is_definition_of_done(line) => Self::Criteria,
            Self::Task | Self::Criteria if indented => self,
            Self::Criteria if markdown::list_item(line).is_some() => Self::Criteria,
            Self::Task | Self::Criteria => Self::Outside,
        }
    }
}

/// `- [ ] [T001] …` as the document has it, `- [ ] T001 [P] …` as the workflow writes it, done or not (errata C45).
fn is_task(line: &str) -> bool {
    let task = || {
        let checkbox = line.strip_prefix(['-', '*'])?.trim_start().strip_prefix('[')?;
        let task = checkbox.strip_prefix([' ', 'x', 'X'])?.strip_prefix(']')?.trim_start();
        let name = task.trim_start_matches(['[', '*', '`']).strip_prefix('T')?;
        let after = name.trim_start_matches(|c: char| c.is_ascii_digit());
        Some(name.len() - after.len() >= 3 && !after.starts_with(char::is_alphanumeric))
    };
    task().unwrap_or(false)
}

fn is_phase(line: &str) -> bool {
    markdown::heading(line).is_some_and(|heading| {
        let word = heading.text.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
        heading.level >= 2 && word.is_some_and(|word| word.eq_ignore_ascii_case("phase"))
    })
}

fn is_definition_of_done(line: &str) -> bool {
    let words = words(line);
    words.contains("definition of done") || words.split(' ').any(|word| word == "dod")
}

fn is_self_critique(line: &str) -> bool {
    words(line).contains("self critique")
}

/// A line in small letters, with one space for whatever stands between its words.
fn words(line: &str) -> String {
    let words: Vec<String> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, total: usize, tested: usize) {
        let tasks = Tasks::read(text);
        assert_eq!((tasks.total, tasks.tested), (total, tested), "{text}");
    }

    #[test]
    fn tasks_are_counted_in_both_formats() {
        for line in [
            "- [ ] [T001] Model (UT-001)",
            "- [ ] T001 [P] [US1] Model (UT-001)",
            "- [x] [T001] Model UT-001",
            "- [X] T0001 Model UT-001",
            "* [ ] **T001** Model UT-001",
        ] {
            check(line, 1, 1);
        }
        for line in [
            "- [ ] T01 UT-001",
            "- [ ] T001a UT-001",
            "- T001 UT-001",
            "[ ] T001 UT-001",
            "- [-] T001 UT-001",
            "  - [ ] T001 UT-001",
            "- [ ] Task T001 UT-001",
            "```\n- [ ] T001 UT-001\n```",
        ] {
            check(line, 0, 0);
        }
    }

    #[test]
    fn a_test_counts_for_the_task_it_stands_with() {
        check("- [ ] T001 a\n  - DoD: UT-001, UT-002\n- [ ] T002 b\n", 2, 1);
        check("- [ ] T001 a\n\n    ```\n    UT-001\n    ```\n", 1, 1);
        check("- [ ] T001 a\n**Definition of Done:**\n- UT-001..003 pass\n- [ ] T002 b", 2, 1);
        check("- [ ] T001 a\n#### Definition of Done\n- UT-001 passes", 1, 1);
        check("- [ ] T001 a UT-001 UT-002\n  UT-003", 1, 1);
    }

    #[test]
    fn tests_named_elsewhere_count_for_no_task() {
        let tasks: String = (1..=10).map(|n| format!("- [ ] T{n:03} a\n")).collect();
        let done: String = (1..=10).map(|n| format!("- UT-{n:03} passes\n")).collect();
        check(&format!("{tasks}## Definition of Done\n{done}"), 10, 0);
        check(&format!("{tasks}{done}"), 10, 0);
        check(&format!("{tasks}Checkpoint: UAT-001\n{done}"), 10, 0);
        check(&format!("## Phase 1: UT-001\n{tasks}"), 10, 0);
        let marked: String = (1..=10).map(|n| format!("DoD: UT-{n:03}\n")).collect();
        check(&format!("{tasks}{marked}"), 10, 1);
        assert_eq!(Tasks::read(&format!("{tasks}{marked}")).percent(), 10);
    }

    #[test]
    fn phases_and_self_critique_are_found() {
        for (text, phases, critique) in [
            ("## Phase 1\n### Phase 2: x\n##\tphase three\n", 3, false),
            ("# Phase 1\n## Phases\n##Phase\nPhase 2\n```\n## Phase 3\n```", 0, false),
            ("## Self-Critique\n", 0, true),
            ("```yaml\nself_critique:\n  score: 4\n```", 0, true),
            ("A critique of oneself", 0, false),
        ] {
            let tasks = Tasks::read(text);
            assert_eq!((tasks.phases, tasks.self_critique), (phases, critique), "{text}");
        }
        assert_eq!(Tasks::read("").percent(), 0);
    }
}
