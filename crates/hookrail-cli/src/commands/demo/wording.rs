//! How things are called on the screen.

use super::step::{DemoEvent, DemoOutcome, HookResult};
use super::summary::PackCount;
use crate::screen::{one_line, plural, visible_width};
use hookrail_store::Outcome;
use owo_colors::OwoColorize;

/// The hook that only writes down.
const RECORDER: &str = "core/event-log";

pub fn describe_pack(count: &PackCount) -> String {
    let objections = match count.objections {
        0 => String::new(),
        some => format!(", {some} objection{}", plural(some)),
    };
    format!("{} {} look{}{objections}", count.pack.cyan(), count.looks, plural(count.looks))
}

/// What an event is about.
pub fn about(demo_event: &DemoEvent) -> String {
    let subject = one_line(&demo_event.subject);
    match (demo_event.event.as_str(), &demo_event.tool) {
        (_, Some(tool)) => format!("{} {subject}", one_line(tool)),
        ("SessionStart", None) => "a session starts".to_owned(),
        ("PromptExpand", None) => "a skill is asked for".to_owned(),
        ("BeforeAgent", None) => "the prompt goes to the model".to_owned(),
        ("PreCompress", None) => "the conversation is going to be summed up".to_owned(),
        ("AfterAgent", None) => "the model thinks it is done".to_owned(),
        ("SessionEnd", None) => "the session ends".to_owned(),
        (_, None) => subject,
    }
}

/// The hooks that looked: those that objected stand out. The one that only writes down is named where it is alone.
pub fn names(looks: &[HookResult]) -> Vec<String> {
    let alone = looks.iter().all(|look| look.hook == RECORDER);
    let shown = looks.iter().filter(|look| alone || look.hook != RECORDER);
    let name = |look: &HookResult| match (look.refuses(), look.outcome) {
        (true, _) => look.hook.red().to_string(),
        (false, Outcome::Failed) => look.hook.yellow().to_string(),
        (false, _) => look.hook.dimmed().to_string(),
    };
    shown.map(name).collect()
}

pub fn mark(outcome: DemoOutcome) -> &'static str {
    match outcome {
        DemoOutcome::Passed => "✓",
        DemoOutcome::Refused => "✗",
        DemoOutcome::SentOn => "↻",
        DemoOutcome::Failed => "!",
    }
}

pub fn word(outcome: DemoOutcome) -> &'static str {
    match outcome {
        DemoOutcome::Passed => "passed",
        DemoOutcome::Refused => "refused",
        DemoOutcome::SentOn => "sent on",
        DemoOutcome::Failed => "failed",
    }
}

pub fn dress(outcome: DemoOutcome, text: &str) -> String {
    match outcome {
        DemoOutcome::Passed => text.green().to_string(),
        DemoOutcome::Refused => text.red().bold().to_string(),
        DemoOutcome::SentOn | DemoOutcome::Failed => text.yellow().bold().to_string(),
    }
}

pub fn plain(line: &str) -> String {
    line.to_owned()
}

/// Lines of a text, each harmless.
pub fn sanitised(text: &str) -> String {
    text.lines().map(one_line).collect::<Vec<_>>().join("\n")
}

/// A text that is not wider than this.
pub fn cut(text: &str, room: usize) -> String {
    if visible_width(text) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if visible_width(&short) + 2 > room {
            break;
        }
        short.push(c);
    }
    format!("{}…", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_does_not_fit_is_cut_and_says_so() {
        for (text, room, expected) in
            [("short", 5, "short"), ("longer", 5, "long…"), ("two words", 5, "two…"), ("日本語です", 5, "日本…")]
        {
            assert_eq!(cut(text, room), expected);
            assert!(visible_width(expected) <= room);
        }
    }
}
