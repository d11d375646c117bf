use crate::finding::Severity;
use crate::hooks::{EventSection, HookFile};
use crate::lint::{Check, Lint, Report};
use crate::tree::{Node, Shape};

pub(crate) static LINT: Lint = Lint {
    code: "wrong-shape",
    severity: Severity::Error,
    what: "Something is a list, an object or a text where the agent expects another.",
    why: "The agent drops the entry, or the whole event.",
    fix: "An event has a list of groups, a group has `hooks`, and that is a list of objects with a `type`.",
    check: Check::File(check),
};

const GROUP: &str = "write [{\"matcher\": \"…\", \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}]";

fn check(file: &HookFile<'_>, report: &mut Report<'_>) {
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
