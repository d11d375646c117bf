use super::markdown::plain;

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Complete,
    InProgress,
    Pending,
    Blocked,
    Escalated,
}

impl Status {
    /// A cell of a table, however it is dressed; `None` if it says nothing that is known.
    pub(super) fn of_cell(cell: &str) -> Option<Self> {
        let boxed = cell.trim().strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        if let Some(mark) = boxed.filter(|mark| mark.chars().count() <= 1) {
            return Self::of_box(mark.chars().next().unwrap_or(' '));
        }
        let text = plain(cell);
        if text.is_empty() {
            return cell.contains(['✅', '✔', '☑', '✓']).then_some(Self::Complete);
        }
        // A remark may follow: `complete (abc1234)`.
        let ends = |c: char| !(c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let words = text.split(ends).next().unwrap_or_default();
        match words.replace(['_', '-', ' '], "").as_str() {
            "complete" | "completed" | "done" | "finished" | "closed" | "merged" => Some(Self::Complete),
            "inprogress" | "wip" | "workinprogress" | "doing" | "started" | "active" | "ongoing" => {
                Some(Self::InProgress)
            }
            "pending" | "todo" | "open" | "notstarted" | "planned" | "queued" | "ready" => Some(Self::Pending),
            "blocked" | "waiting" | "onhold" => Some(Self::Blocked),
            "escalated" => Some(Self::Escalated),
            _ => None,
        }
    }

    /// What stands between the brackets of a checkbox.
    pub(super) fn of_box(mark: char) -> Option<Self> {
        match mark {
            'x' | 'X' | '✓' | '✔' => Some(Self::Complete),
            '~' | '/' => Some(Self::InProgress),
            ' ' => Some(Self::Pending),
            '!' => Some(Self::Blocked),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_known_however_it_is_dressed() {
        // covers: ORCH-2.6
        for (cell, expected) in [
            ("complete", Some(Status::Complete)),
            ("**Completed**", Some(Status::Complete)),
            ("✅ complete", Some(Status::Complete)),
            ("✅", Some(Status::Complete)),
            ("`done`", Some(Status::Complete)),
            ("[x]", Some(Status::Complete)),
            ("complete (abc1234)", Some(Status::Complete)),
            ("in-progress", Some(Status::InProgress)),
            ("In_Progress", Some(Status::InProgress)),
            ("🔄 *in progress*", Some(Status::InProgress)),
            ("WIP", Some(Status::InProgress)),
            ("[~]", Some(Status::InProgress)),
            ("_PENDING_", Some(Status::Pending)),
            ("⏳ pending", Some(Status::Pending)),
            ("todo", Some(Status::Pending)),
            ("TO DO", Some(Status::Pending)),
            ("not started", Some(Status::Pending)),
            ("[ ]", Some(Status::Pending)),
            ("[]", Some(Status::Pending)),
            ("Blocked", Some(Status::Blocked)),
            ("🚨 escalated", Some(Status::Escalated)),
            ("incomplete", None),
            ("pending-ish", None),
            ("[link]", None),
            ("", None),
        ] {
            assert_eq!(Status::of_cell(cell), expected, "{cell}");
        }
    }
}
