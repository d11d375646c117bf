//! The merge as a picture: a column for each decision, a line for each hook.

use super::merging::MergeStep;
use crate::screen::one_line;
use hookrail_core::Decision;
use owo_colors::OwoColorize;
use std::io::{self, Write};

const RUNGS: [Decision; 5] = [Decision::None, Decision::Allow, Decision::Ask, Decision::Block, Decision::Stop];
/// How wide a column is.
const STEP: usize = 7;

pub fn write(steps: &[MergeStep], out: &mut dyn Write) -> io::Result<()> {
    let head: String = RUNGS.iter().map(|rung| format!("{:STEP$}", rung.as_str())).collect();
    writeln!(out, "  {}", head.trim_end().dimmed())?;
    writeln!(out, "  {}", line(Decision::None, Decision::None, Decision::None).trim_end())?;
    let mut before = Decision::None;
    for step in steps {
        let line = line(before, step.said, step.decision);
        writeln!(out, "  {}  {}", paint(step.decision, &line), told(step))?;
        before = step.decision;
    }
    Ok(())
}

/// What holds is a full dot, and a rise is drawn as the way to it. What a hook said in vain is an empty one.
fn line(before: Decision, said: Decision, now: Decision) -> String {
    let at = |decision: Decision| decision as usize * STEP;
    let mut cells = vec![' '; STEP * (RUNGS.len() - 1) + 1];
    let mut set = |index: usize, mark: char| {
        if let Some(cell) = cells.get_mut(index) {
            *cell = mark;
        }
    };
    (at(before)..at(now)).for_each(|index| set(index, '━'));
    if said != Decision::None {
        set(at(said), '○');
    }
    set(at(now), '●');
    cells.into_iter().collect()
}

fn told(step: &MergeStep) -> String {
    let hook = one_line(&step.hook);
    let adds = step.adds.iter().filter(|part| **part != "reason").copied().collect::<Vec<_>>().join(", ");
    let adds = if adds.is_empty() { String::new() } else { format!(" + {adds}") };
    let conflicts = if step.conflicts.is_empty() { String::new() } else { " (conflict)".yellow().to_string() };
    match step.said {
        Decision::None if step.skipped => format!("{} {}{adds}", hook, "was not run".dimmed()),
        Decision::None if adds.is_empty() => format!("{} {}", hook, "has no opinion".dimmed()),
        Decision::None => format!("{hook}{adds}{conflicts}"),
        said => format!("{hook} says {}{adds}{conflicts}", paint(said, said.as_str())),
    }
}

/// A decision in its colour.
pub fn paint(decision: Decision, text: &str) -> String {
    match decision {
        Decision::None => text.dimmed().to_string(),
        Decision::Allow => text.green().to_string(),
        Decision::Ask => text.yellow().to_string(),
        Decision::Block => text.red().to_string(),
        Decision::Stop => text.magenta().bold().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_is_a_way_and_a_weaker_word_an_empty_dot() {
        use Decision::{Allow, Block, None};
        for (before, said, now, expected) in [
            (None, None, None, "●"),
            (None, Block, Block, "━━━━━━━━━━━━━━━━━━━━━●"),
            (Block, Allow, Block, "       ○             ●"),
        ] {
            assert_eq!(line(before, said, now).trim_end(), expected);
        }
    }
}
