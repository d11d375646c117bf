//! Lints of a file as a whole.

use crate::agents::OtherWords;
use crate::finding::Severity;
use crate::hooks::{EventSection, HookFile, Role};
use crate::lint::{Check, Lint, Report, did_you_mean, quoted};
use crate::tree::{Node, Shape};
use std::collections::HashSet;

pub(crate) static SYNTAX: Lint = Lint {
    code: "syntax",
    severity: Severity::Error,
    what: "The file is not JSON, or not TOML.",
    why: "The agent cannot read it, so none of its hooks run; Gemini CLI does not even start.",
    fix: "Mend the place that is marked; what comes after it may have mistakes as well.",
    check: Check::Reading,
};

pub(crate) static JSONC: Lint = Lint {
    code: "jsonc",
    severity: Severity::Error,
    what: "A comment, a trailing comma or a byte order mark in a file whose agent reads plain JSON.",
    why: "Claude Code drops the whole settings file, Codex the whole hooks file, and Gemini CLI, which takes comments, does not start with a trailing comma.",
    fix: "Remove it. A `description` can say what a comment said.",
    check: Check::File(jsonc),
};

fn jsonc(file: &HookFile<'_>, report: &mut Report<'_>) {
    let style = file.agent.json;
    let found = [
        ("comments", &file.looseness.comment, style.comments),
        ("trailing commas", &file.looseness.trailing_comma, style.trailing_commas),
        ("a byte order mark", &file.looseness.byte_order_mark, style.byte_order_mark),
    ];
    for (what, span, accepted) in found {
        if let (Some(span), false) = (span, accepted) {
            let message = format!("{} does not read a file with {what}", file.agent.title);
            report.say_with_hint(span, message, "remove it; until then no hook of this file runs");
        }
    }
}

pub(crate) static DUPLICATE_KEY: Lint = Lint {
    code: "duplicate-key",
    severity: Severity::Error,
    what: "The same key twice in one object, such as two `PreToolUse`.",
    why: "Only the last one counts; the hooks of the others never run.",
    fix: "Put both lists into one.",
    check: Check::File(duplicate_key),
};

fn duplicate_key(file: &HookFile<'_>, report: &mut Report<'_>) {
    if let Some(hooks) = file.hooks_member() {
        walk(file.root, report, false);
        walk(&hooks.value, report, true);
    }
}

/// Only what is about hooks is looked into; the rest of the settings is none of our business.
fn walk(node: &Node, report: &mut Report<'_>, deep: bool) {
    let members = node.members();
    let mut later = HashSet::new();
    for member in members.iter().rev().filter(|member| !later.insert(&member.key)).collect::<Vec<_>>() {
        let message = format!("`{}` comes again later in this object, and only the last one counts", member.key);
        report.say_with_hint(&member.key_span, message, "put both into one");
    }
    if deep {
        members.iter().map(|member| &member.value).chain(node.items()).for_each(|inner| walk(inner, report, true));
    }
}

pub(crate) static ROOT_KEY: Lint = Lint {
    code: "root-key",
    severity: Severity::Error,
    what: "A key beside `hooks` in a file that may have none.",
    why: "Codex rejects a hooks.json with any other key than `description` and `hooks`, a `$schema` included.",
    fix: "Remove the key.",
    check: Check::File(root_key),
};

fn root_key(file: &HookFile<'_>, report: &mut Report<'_>) {
    let Some(allowed) = file.agent.format.root_allows else { return };
    if file.role != Role::HooksOnly {
        return;
    }
    for member in file.root.members().iter().filter(|member| !allowed.contains(&member.key.as_str())) {
        if file.agent.event(&member.key).is_some() {
            continue;
        }
        let message = format!("{} rejects the whole file because of `{}`", file.agent.title, member.key);
        report.say_with_hint(
            &member.key_span,
            message,
            format!("only {} may stand here", quoted(allowed.iter().copied())),
        );
    }
}

pub(crate) static HOOKS_OUTSIDE: Lint = Lint {
    code: "hooks-outside",
    severity: Severity::Error,
    what: "An event stands beside `hooks`, not in it.",
    why: "The agent looks for events in `hooks` only, so these hooks never run.",
    fix: "Move it into `\"hooks\": { … }`.",
    check: Check::File(hooks_outside),
};

fn hooks_outside(file: &HookFile<'_>, report: &mut Report<'_>) {
    for member in file.root.members() {
        let is_event = hookrail_dialects::all().iter().any(|dialect| dialect.event(&member.key).is_some());
        if is_event && matches!(member.value.value, Shape::List(_)) {
            let message =
                format!("`{}` stands outside of `hooks`, where {} does not look", member.key, file.agent.title);
            let hint = format!("write {{\"hooks\": {{\"{}\": […]}}}}", member.key);
            report.say_with_hint(&member.key_span, message, hint);
        }
    }
}

pub(crate) static UNKNOWN_EVENT: Lint = Lint {
    code: "unknown-event",
    severity: Severity::Error,
    what: "An event this agent does not have: misspelt, in the wrong case, or another agent's word.",
    why: "The agent passes over it in silence, so its hooks never run.",
    fix: "Write the name as suggested; case counts.",
    check: Check::File(unknown_event),
};

fn unknown_event(file: &HookFile<'_>, report: &mut Report<'_>) {
    for section in file.sections().filter(|section| section.event().is_none()) {
        let message = format!("{} has no event `{}`", file.agent.title, section.name());
        report.add(&section.member.key_span, message, did_you_mean(file.agent.suggest_event(section.name())));
    }
}

pub(crate) static WRONG_SHAPE: Lint = Lint {
    code: "wrong-shape",
    severity: Severity::Error,
    what: "Something is a list, an object or a text where the agent expects another.",
    why: "The agent drops the entry, or the whole event.",
    fix: "An event has a list of groups, a group has `hooks`, and that is a list of objects with a `type`.",
    check: Check::File(wrong_shape),
};

const GROUP: &str = "write [{\"matcher\": \"…\", \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}]";

fn wrong_shape(file: &HookFile<'_>, report: &mut Report<'_>) {
    match file.hooks_member() {
        Some(hooks) if !matches!(hooks.value.value, Shape::Table(_) | Shape::Null) => {
            let message = format!("`hooks` is {}, not an object of events", hooks.value.kind());
            report.say(&hooks.value.span, message);
        }
        _ => {
            file.sections()
                .filter(|section| section.event().is_some())
                .for_each(|section| check_event(section, report));
        }
    }
}

fn check_event(section: EventSection<'_>, report: &mut Report<'_>) {
    let Shape::List(groups) = &section.member.value.value else {
        let message = format!("`{}` is {}, not a list of groups", section.name(), section.member.value.kind());
        return report.say_with_hint(&section.member.value.span, message, GROUP);
    };
    for group in groups {
        check_group(group, report);
    }
}

fn check_group(group: &Node, report: &mut Report<'_>) {
    if !matches!(group.value, Shape::Table(_)) {
        return report.say_with_hint(&group.span, format!("a group is an object, not {}", group.kind()), GROUP);
    }
    if let Some(matcher) = group.member("matcher").filter(|matcher| !matches!(matcher.value.value, Shape::Text(_))) {
        let message = format!("`matcher` is {}, not text", matcher.value.kind());
        report.say_with_hint(&matcher.value.span, message, "write names between quotes, such as \"Write|Edit\"");
    }
    match group.member("hooks").map(|hooks| &hooks.value) {
        Some(hooks @ Node { value: Shape::List(items), .. }) => {
            if items.is_empty() {
                report.say(&hooks.span, "this group has no hooks");
            }
            for item in items.iter().filter(|item| !matches!(item.value, Shape::Table(_))) {
                report.say(&item.span, format!("a hook is an object with a `type`, not {}", item.kind()));
            }
        }
        Some(hooks) => report.say_with_hint(&hooks.span, format!("`hooks` is {}, not a list", hooks.kind()), GROUP),
        None if group.member("command").is_some() => {
            report.say_with_hint(&group.span, "a hook stands where a group of hooks is expected", GROUP);
        }
        None => report.say_with_hint(&group.span, "this group has no `hooks`", GROUP),
    }
}

pub(crate) static HOOKS_OFF: Lint = Lint {
    code: "hooks-off",
    severity: Severity::Warning,
    what: "The file has hooks and a setting that switches them off, or lacks the one that switches them on.",
    why: "No hook of the file runs. LLxprt Code runs none until `hooksConfig.enabled` is true.",
    fix: "Change the setting, in this file or in the user's.",
    check: Check::File(hooks_off),
};

const NEW_SWITCH: &[&str] = &["hooksConfig", "enabled"];
const OLD_SWITCH: &[&str] = &["hooks", "enabled"];

const SWITCHES: [(&[&str], bool); 7] = [
    (&["disableAllHooks"], true),
    (NEW_SWITCH, false),
    (OLD_SWITCH, false),
    (&["tools", "enableHooks"], false),
    (&["enableHooks"], false),
    (&["features", "hooks"], false),
    (&["features", "codex_hooks"], false),
];

fn hooks_off(file: &HookFile<'_>, report: &mut Report<'_>) {
    if file.hooks().next().is_none() || file.role != Role::Settings {
        return;
    }
    let missing = |path: &[&str]| file.root.get(path).is_none();
    for (path, off) in SWITCHES {
        // The key of old files counts where the new one is missing, as in `hookrail_dialects::Switches`.
        if path == OLD_SWITCH && !missing(NEW_SWITCH) {
            continue;
        }
        if let Some(node) = file.root.get(path).filter(|node| node.value == Shape::Flag(off)) {
            let setting = path.join(".");
            report.say_with_hint(
                &node.span,
                format!("`{setting}` switches the hooks of this file off"),
                opposite(&setting, off),
            );
        }
    }
    if let Some(hookrail_dialects::Gate::Setting(path)) = Some(file.agent.format.gate)
        && missing(path)
        && missing(OLD_SWITCH)
        && let Some(hooks) = file.hooks_member()
    {
        let message = format!("{} runs no hooks until `{}` is true", file.agent.title, path.join("."));
        let specified = file.root.get(&["enableHooks"]).is_some_and(|node| node.value == Shape::Flag(true));
        let hint = if specified {
            "set it here or in the user's settings; `enableHooks` counts where `hookrail serve` runs the hooks"
        } else {
            "set it here or in the user's settings"
        };
        report.say_with_hint(&hooks.key_span, message, hint);
    }
}

fn opposite(setting: &str, off: bool) -> String {
    format!("set `{setting}` to {}", !off)
}

pub(crate) static HOOKRAIL_TOML: Lint = Lint {
    code: "hookrail-toml",
    severity: Severity::Error,
    what: "A mistake in hookrail's own configuration: an unknown key, event, pack or hook, a wrong word, a time without its unit.",
    why: "What is wrong is left out, the rest is in force; of a file that is not TOML the last version that was, and without one no tool may be used.",
    fix: "As the message says; `hookrail schema` helps an editor to check it.",
    check: Check::Reading,
};
