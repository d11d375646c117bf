//! How a call ended, from what an agent wrote about it.

use super::Outcome;

/// What a status means.
pub(super) fn of_status(status: i64) -> Outcome {
    if status == 0 { Outcome::Ok } else { Outcome::Failed }
}

/// The number behind the last of these words in a text: what a command printed comes before what the agent adds.
pub(super) fn status_behind(text: &str, words: &[&str]) -> Option<i64> {
    let behind = words.iter().filter_map(|words| text.rfind(words).map(|at| at + words.len())).max()?;
    let rest = text.get(behind..)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}
