//! Lints of a group: its matcher and its keys.

use crate::agents::OtherWords;
use crate::finding::Severity;
use crate::hooks::{Group, Hook, HookFile};
use crate::lint::{Check, Lint, Report, quoted};
use crate::matcher::{Alternative, MatcherView, words};
use crate::tree::Node;
use hookrail_core::spelling::{self, closest};
use hookrail_dialects::{McpNames, Target};
use std::collections::HashSet;

pub(crate) static UNKNOWN_KEY: Lint = Lint {
    code: "unknown-key",
    severity: Severity::Warning,
    what: "A key the agent does not know, in a group or a hook.",
    why: "It is ignored, so what it was to do does not happen; misspelt `timeout` means the default.",
    fix: "Check the spelling, and whether the key belongs to the group or to the hook.",
    check: Check::Group(unknown_key),
};

fn unknown_key(group: &Group<'_>, report: &mut Report<'_>) {
    let agent = group.agent();
    if group.node.member("hooks").is_some() {
        let known = agent.group_keys;
        let of_hook =
            |key: &str| agent.hook_keys.contains(&key).then(|| format!("`{key}` belongs to each hook, inside `hooks`"));
        complain("group", group.node, known, &of_hook, report);
    }
    for hook in group.hooks() {
        let Some(kind) = hook.kind() else { continue };
        let known: Vec<&str> = [agent.hook_keys, kind.needs, kind.takes].concat();
        let of_group = |key: &str| {
            agent.group_keys.contains(&key).then(|| format!("`{key}` belongs to the group, beside `hooks`"))
        };
        complain(&format!("`{}` hook", kind.name), hook.node, &known, &of_group, report);
    }
}

fn complain(
    what: &str,
    node: &Node,
    known: &[&str],
    elsewhere: &dyn Fn(&str) -> Option<String>,
    report: &mut Report<'_>,
) {
    for member in node.members().iter().filter(|member| !known.contains(&member.key.as_str())) {
        let hint = elsewhere(&member.key).or_else(|| spelling::hint(&member.key, known.iter().copied()));
        report.add(&member.key_span, format!("unknown key `{}` in a {what}", member.key), hint);
    }
}

pub(crate) static DUPLICATE_HOOK: Lint = Lint {
    code: "duplicate-hook",
    severity: Severity::Warning,
    what: "The same hook twice for one event and matcher.",
    why: "Some agents run it twice; its second answer can only repeat or contradict the first.",
    fix: "Remove one.",
    check: Check::File(duplicate_hook),
};

fn duplicate_hook(file: &HookFile<'_>, report: &mut Report<'_>) {
    let key = |hook: &Hook<'_>| {
        let matcher = hook.group.matcher().map_or("", |(_, text)| text).trim_matches('*').to_owned();
        let condition = hook.node.get(&["if"]).and_then(|node| node.text()).unwrap_or_default().to_owned();
        hook.command().map(|(_, command)| (hook.event_name().to_owned(), matcher, condition, command.to_owned()))
    };
    let mut seen = HashSet::new();
    for hook in file.hooks().filter(|hook| hook.node.member("args").is_none()) {
        if let (Some(this), Some((node, _))) = (key(&hook), hook.command())
            && !seen.insert(this)
        {
            let message = format!("`{}` already has this hook", hook.event_name());
            report.say_with_hint(&node.span, message, "remove one of the two");
        }
    }
}

pub(crate) static MATCHER_REGEX: Lint = Lint {
    code: "matcher-regex",
    severity: Severity::Error,
    what: "A matcher that is neither names nor a regular expression.",
    why: "It only matches a tool of exactly that name, which there is none of; the hook never runs.",
    fix: "Escape what is special, or write names with `|` between them.",
    check: Check::Group(matcher_regex),
};

fn matcher_regex(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher() else { return };
    if let Some(problem) = MatcherView::new(group.agent(), text).problem {
        let hint =
            if text.starts_with('*') { "write `.*` for anything" } else { "a list of names is written `Write|Edit`" };
        report.say_with_hint(&node.span, format!("matcher `{text}` {problem}"), hint);
    }
}

pub(crate) static MATCHER_NEVER_MATCHES: Lint = Lint {
    code: "matcher-never-matches",
    severity: Severity::Error,
    what: "A matcher that no tool or word of this agent can match, such as `Write` for Gemini CLI or `bash` for Claude Code.",
    why: "The hook never runs, and nothing says so.",
    fix: "Use this agent's names.",
    check: Check::Group(matcher_never_matches),
};

fn matcher_never_matches(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher() else { return };
    let view = MatcherView::new(group.agent(), text);
    if view.matches_everything() || view.problem.is_some() {
        return;
    }
    let title = group.agent().title;
    match group.event.target() {
        Target::Tool => {
            let alternatives = view.alternatives();
            let hints: Vec<String> = alternatives.iter().filter_map(|it| tool_hint(&view, it)).collect();
            if alternatives.iter().all(|it| is_hopeless(&view, it)) {
                let hint = match hints.as_slice() {
                    [] => format!("its tools are {}", quoted(group.agent().tool_names())),
                    hints => format!("did you mean `{}`?", hints.join("|")),
                };
                report.say_with_hint(&node.span, format!("`{text}` never matches a tool of {title}"), hint);
            }
        }
        target @ (Target::Words(_) | Target::ExactWords(_)) => {
            let known = words(target).unwrap_or_default();
            let exact = matches!(target, Target::ExactWords(_));
            let alternatives = view.alternatives();
            if exact && alternatives.len() > 1 {
                let message = format!("{title} compares this matcher letter by letter, so `{text}` never matches");
                return report.say_with_hint(&node.span, message, "write one group for each word");
            }
            for alternative in alternatives.iter().filter(|it| !it.text.is_empty() && !view.may_be_word(it, known)) {
                let span = group.file().part(node, &alternative.range);
                let message = format!("`{}` never comes with `{}`", alternative.text, group.event.name());
                report.add(&span, message, spelling::hint(alternative.text, known.iter().copied()));
            }
        }
        Target::Name | Target::Nothing => {}
    }
}

pub(crate) static MATCHER_UNKNOWN_TOOL: Lint = Lint {
    code: "matcher-unknown-tool",
    severity: Severity::Warning,
    what: "A part of a matcher names a tool this agent is not known to have.",
    why: "That part never matches, unless the tool is new or comes from an extension.",
    fix: "Check the spelling; for a tool of an MCP server write its whole name.",
    check: Check::Group(matcher_unknown_tool),
};

fn matcher_unknown_tool(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher().filter(|_| group.event.target() == Target::Tool) else { return };
    let view = MatcherView::new(group.agent(), text);
    if view.matches_everything() || view.problem.is_some() {
        return;
    }
    let alternatives = view.alternatives();
    let dead: Vec<_> = alternatives.iter().filter(|it| !it.text.is_empty() && !view.may_be_tool(it)).collect();
    if alternatives.iter().all(|it| is_hopeless(&view, it)) {
        return; // `matcher-never-matches` says so.
    }
    for alternative in dead {
        let message = format!("{} has no tool `{}`", group.agent().title, alternative.text);
        let hint = tool_hint(&view, alternative).map(|hint| format!("did you mean `{hint}`?"));
        report.add(&group.file().part(node, &alternative.range), message, hint);
    }
}

pub(crate) static MATCHER_UNANCHORED: Lint = Lint {
    code: "matcher-unanchored",
    severity: Severity::Warning,
    what: "A pattern that also matches names which merely contain it.",
    why: "The hook runs for tools or subagents it was not written for: `Write.*` also means `TodoWrite`.",
    fix: "Anchor it: `^(?:…)$`.",
    check: Check::Group(matcher_unanchored),
};

fn matcher_unanchored(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher() else { return };
    let view = MatcherView::new(group.agent(), text);
    match group.event.target() {
        Target::Tool => {
            let caught = view.caught_unanchored();
            if !caught.is_empty() {
                let message = format!("`{text}` is not anchored, so it also matches {}", quoted(caught));
                report.say_with_hint(&node.span, message, format!("if that is not meant, write `{}`", anchored(text)));
            }
        }
        // A colon, as in `plugin:agent`, turns a name into a pattern.
        Target::Name
            if view.is_loose()
                && text.contains(':')
                && !text.starts_with('^')
                && view.alternatives().iter().all(Alternative::is_plain) =>
        {
            let message = format!("`{text}` is read as a pattern and matches every name that contains it");
            report.say_with_hint(&node.span, message, format!("write `{}`", anchored(text)));
        }
        Target::Name | Target::Words(_) | Target::ExactWords(_) | Target::Nothing => {}
    }
}

fn anchored(text: &str) -> String {
    if text.contains('|') { format!("^(?:{text})$") } else { format!("^{text}$") }
}

pub(crate) static MATCHER_EMPTY: Lint = Lint {
    code: "matcher-empty",
    severity: Severity::Warning,
    what: "An empty matcher, or an empty part as in `Write|`.",
    why: "An empty pattern matches every tool. In a list of names an empty name matches none.",
    fix: "Leave the matcher out or write `*` if everything is meant; else remove the `|`.",
    check: Check::Group(matcher_empty),
};

fn matcher_empty(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher().filter(|_| group.event.target() == Target::Tool) else { return };
    let view = MatcherView::new(group.agent(), text);
    if text.trim().is_empty() {
        return report.say_with_hint(&node.span, "an empty matcher matches every tool", "write \"*\" if that is meant");
    }
    if !view.matches_everything() && view.alternatives().iter().any(|it| it.text.is_empty()) {
        let effect = if view.is_pattern() { "matches every tool" } else { "names nothing" };
        report.say_with_hint(
            &node.span,
            format!("an empty part of `{text}` {effect}"),
            "remove the `|` that is too many",
        );
    }
}

pub(crate) static MATCHER_IGNORED: Lint = Lint {
    code: "matcher-ignored",
    severity: Severity::Warning,
    what: "A matcher on an event that has nothing to match.",
    why: "The agent ignores it: the hook always runs.",
    fix: "Remove the matcher and decide in the hook.",
    check: Check::Group(matcher_ignored),
};

fn matcher_ignored(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher().filter(|_| group.event.target() == Target::Nothing) else { return };
    if !MatcherView::new(group.agent(), text).matches_everything() {
        let message = format!("{} ignores the matcher of `{}`", group.agent().title, group.event.name());
        report.say_with_hint(&node.span, message, "remove it; the hook runs every time");
    }
}

/// What was probably meant by a name that no tool of this agent has.
fn tool_hint(view: &MatcherView<'_>, alternative: &Alternative<'_>) -> Option<String> {
    let (agent, name) = (view.agent, alternative.text);
    if !alternative.is_plain() {
        return None;
    }
    if let Some(rest) = name.strip_prefix("mcp_") {
        let rest = rest.trim_start_matches('_');
        return Some(match agent.mcp() {
            McpNames::Single => format!("mcp_{}", rest.replace("__", "_")),
            _ => format!("mcp__{}__.*", rest.trim_end_matches('_')),
        });
    }
    let names = || agent.tool_names().chain(agent.tool_aliases.iter().map(|(alias, _)| *alias));
    // `bash` for `Bash`, `WriteFile` for `write_file`.
    let bare = |name: &str| name.to_lowercase().replace('_', "");
    if let Some(same) = names().find(|tool| bare(tool) == bare(name)) {
        return Some(same.to_owned());
    }
    let translated = agent.translate_tool(name);
    if !translated.is_empty() {
        return Some(translated.join("|"));
    }
    closest(name, names()).filter(|guess| is_slip(name, guess)).map(str::to_owned)
}

/// Whether a name certainly is no tool of this agent: it is a slip, or another agent's tool.
fn is_hopeless(view: &MatcherView<'_>, alternative: &Alternative<'_>) -> bool {
    let explained = || tool_hint(view, alternative).is_some() || view.agent.is_foreign_tool(alternative.text);
    !view.may_be_tool(alternative) && explained()
}

/// Whether two words differ in one place only, by at most two letters. Agents get new tools whose names resemble old ones.
fn is_slip(word: &str, guess: &str) -> bool {
    let same = |(a, b): &(char, char)| a == b;
    let head = word.chars().zip(guess.chars()).take_while(same).count();
    let (short, long) = (word.len().min(guess.len()), word.len().max(guess.len()));
    let tail = word.chars().rev().zip(guess.chars().rev()).take_while(same).count().min(short - head);
    long > 3 && long - head - tail <= 2
}
