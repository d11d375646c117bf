//! The known name that is meant by an unknown one.

use std::cmp::Reverse;

/// Up to this many known names are listed in a hint; more of them would hide the error.
const LISTED_NAMES: usize = 20;

/// Longer names, in bytes, are not typing mistakes, and comparing two of them takes long.
const LONGEST_NAME: usize = 256;

/// What to say about an unknown name: the known one that was probably meant, or all of them if there are few.
#[must_use]
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    match closest(word, known.iter().copied()) {
        Some(guess) => Some(format!("did you mean `{guess}`?")),
        None if known.is_empty() || known.len() > LISTED_NAMES => None,
        None => Some(format!("expected one of {}", known.join(", "))),
    }
}

/// The known name that differs from a word by so few letters that it is a typing mistake. Of a name in parts, such as
/// `safety/force-push` or `fs.delete`, the last part alone is enough; so is the beginning of a name.
#[must_use]
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST_NAME {
        return None;
    }
    let candidates: Vec<&str> = candidates.into_iter().filter(|candidate| candidate.len() <= LONGEST_NAME).collect();
    let word = normal(word);
    let rated = candidates.iter().filter_map(|candidate| {
        let normal = normal(candidate);
        Some((mistakes(&word, &normal)?, Reverse(common_prefix(&word, &normal)), *candidate))
    });
    let best = rated.min_by_key(|(mistakes, prefix, _)| (*mistakes, *prefix)).map(|(.., candidate)| candidate);
    best.or_else(|| only(&candidates, |candidate| in_parts(candidate) && same_last_part(&word, &normal(candidate))))
        .or_else(|| only(&candidates, |candidate| word.len() > 2 && normal(candidate).starts_with(&word)))
}

/// Letters count, not their case, and not which character joins words.
fn normal(name: &str) -> String {
    name.to_lowercase().replace(['_', ' '], "-")
}

const SEPARATORS: [char; 2] = ['/', '.'];

fn in_parts(name: &str) -> bool {
    name.contains(SEPARATORS)
}

/// How many letters differ; `None` if there are too many in any part of the name. A third of a name may be wrong.
fn mistakes(word: &str, candidate: &str) -> Option<usize> {
    let few = |a: &str, b: &str| {
        let (shortest, longest) = ordered(a.chars().count(), b.chars().count());
        let most = (longest / 3).max(1);
        // As many letters differ at least as one name is longer than the other.
        (longest - shortest <= most).then(|| distance(a, b)).filter(|distance| *distance <= most && *distance < longest)
    };
    let (parts, others) = (word.split(SEPARATORS), candidate.split(SEPARATORS));
    if parts.clone().count() != others.clone().count() {
        return few(word, candidate);
    }
    parts.zip(others).map(|(a, b)| if a == b { Some(0) } else { few(a, b) }).sum()
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

fn same_last_part(word: &str, candidate: &str) -> bool {
    let last = |name: &str| name.rsplit(SEPARATORS).next().unwrap_or_default().to_owned();
    mistakes(&last(word), &last(candidate)).is_some()
}

/// The one candidate of this kind; none if there are several, because a guess among them would mislead.
fn only<'a>(candidates: &[&'a str], is_meant: impl Fn(&str) -> bool) -> Option<&'a str> {
    let mut meant = candidates.iter().copied().filter(|candidate| is_meant(candidate));
    let first = meant.next()?;
    meant.next().is_none().then_some(first)
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// How many characters to insert, remove, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, right) in b.iter().enumerate() {
            let cost = |row: &[usize], column: usize, more: usize| row.get(column).map_or(usize::MAX, |it| it + more);
            let substituted = cost(&last, j, usize::from(left != right));
            let swaps = i > 0 && j > 0 && a.get(i - 1) == Some(right) && b.get(j - 1) == Some(left);
            let swapped = if swaps { cost(&before_last, j - 1, 1) } else { usize::MAX };
            row.push(substituted.min(swapped).min(cost(&last, j + 1, 1)).min(cost(&row, j, 1)));
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENTS: &[&str] = &["claude", "gemini", "llxprt", "codex", "qwen", "copilot", "vscode", "cursor", "droid"];
    const EVENTS: &[&str] = &["BeforeTool", "AfterTool", "BeforeAgent", "SessionStart", "PreToolUse", "PreCompact"];
    const HOOKS: &[&str] = &["core/protected-paths", "core/event-log", "isdlc/branch-guard", "safety/force-push"];
    const EFFECTS: &[&str] = &["fs.read", "fs.write", "fs.delete", "fs.move", "git.read", "git.push", "secret.read"];
    const COMMANDS: &[&str] =
        &["hook", "install", "init", "validate", "verify", "doctor", "list", "log", "ui", "watch"];
    const KEYS: &[&str] = &["mode", "on_error", "timeout", "overridable", "enabled"];
    const IDS: &[&str] = &["HOOK-010", "HOOK-016a", "HOOK-016b", "HOOK-107", "SCN-THS-1.1", "SCN-THS-1.2", "H01"];

    #[test]
    fn a_typing_mistake_is_recognised_and_another_word_is_not() {
        let should: &[(&str, &[&str], &str)] = &[
            ("cluade", AGENTS, "claude"),
            ("claud", AGENTS, "claude"),
            ("Codex", AGENTS, "codex"),
            ("vs-code", AGENTS, "vscode"),
            ("cop", AGENTS, "copilot"),
            ("PreToolUsed", EVENTS, "PreToolUse"),
            ("pre_tool_use", EVENTS, "PreToolUse"),
            ("beforetool", EVENTS, "BeforeTool"),
            ("BeforeTools", EVENTS, "BeforeTool"),
            ("core/protected-path", HOOKS, "core/protected-paths"),
            ("core/protectedpaths", HOOKS, "core/protected-paths"),
            ("branch-guard", HOOKS, "isdlc/branch-guard"),
            ("force-psuh", HOOKS, "safety/force-push"),
            ("core/force-push", HOOKS, "safety/force-push"),
            ("fs.delte", EFFECTS, "fs.delete"),
            ("delete", EFFECTS, "fs.delete"),
            ("push", EFFECTS, "git.push"),
            ("isntall", COMMANDS, "install"),
            ("lgo", COMMANDS, "log"),
            ("val", COMMANDS, "validate"),
            ("u", COMMANDS, "ui"),
            ("on-error", KEYS, "on_error"),
            ("enabeld", KEYS, "enabled"),
            ("HOOK-016c", IDS, "HOOK-016a"),
            ("HOOK107", IDS, "HOOK-107"),
            ("HOOK-1007", IDS, "HOOK-107"),
            ("SCN-THS-1", IDS, "SCN-THS-1.1"),
            ("H1", IDS, "H01"),
        ];
        for (word, known, expected) in should {
            assert_eq!(closest(word, known.iter().copied()), Some(*expected), "{word}");
        }
        let should_not: &[(&str, &[&str])] = &[
            ("core/nothing", HOOKS),
            ("nothing", HOOKS),
            ("isdlc/event", HOOKS),
            ("emacs", AGENTS),
            ("aider", AGENTS),
            ("vim", AGENTS),
            ("OnSave", EVENTS),
            ("Tool", EVENTS),
            ("read", EFFECTS),
            ("fs.copy", EFFECTS),
            ("net.fetch", EFFECTS),
            ("frobnicate", COMMANDS),
            ("run", COMMANDS),
            ("x", COMMANDS),
            ("in", COMMANDS),
            ("", COMMANDS),
            ("colour", KEYS),
            ("something", IDS),
            ("—", IDS),
        ];
        for (word, known) in should_not {
            assert_eq!(closest(word, known.iter().copied()), None, "{word}");
        }
    }

    #[test]
    fn long_names_are_not_compared() {
        let [longest, other, longer] = [("", "a"), ("", "b"), ("x", "a")]
            .map(|(before, after)| format!("{before}{}{after}", "x".repeat(LONGEST_NAME - 1)));
        for (word, known, expected) in [
            (&longest, &other, Some(other.as_str())),
            (&longest, &longer, None),
            (&longer, &longest, None),
            (&longer, &longer, None),
        ] {
            assert_eq!(closest(word, [known.as_str()]), expected, "{} {}", word.len(), known.len());
        }
    }

    #[test]
    fn a_hint_is_a_guess_or_the_list_of_names() {
        let many: Vec<String> = (0..30).map(|number| format!("a-long-name-{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (word, known, expected) in [
            ("cluade", AGENTS, Some("did you mean `claude`?")),
            ("emacs", &AGENTS[..2], Some("expected one of claude, gemini")),
            ("emacs", &many, None),
            ("emacs", &[], None),
        ] {
            assert_eq!(hint(word, known.iter().copied()).as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn the_edit_distance_counts_changes() {
        for (a, b, expected) in [
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abc", 0),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            ("lgo", "log", 1),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
