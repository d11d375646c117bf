//! Lints of one hook: its type, its time, its command.

use crate::command::{Invocation, variable};
use crate::finding::Severity;
use crate::hooks::{Hook, Role, StartedCommand};
use crate::lint::{Check, Lint, Report};
use crate::surroundings::FoundFile;
use crate::tree::{Node, Shape};
use hookrail_core::spelling;
use hookrail_dialects::{Target, TimeoutUnit};

pub(crate) static HOOK_TYPE: Lint = Lint {
    code: "hook-type",
    severity: Severity::Error,
    what: "A hook without `type`, or with one the agent does not know.",
    why: "The agent drops the hook.",
    fix: "Write `\"type\": \"command\"`.",
    check: Check::Hook(hook_type),
};

fn hook_type(hook: &Hook<'_>, report: &mut Report<'_>) {
    let types = || hook.agent().types.iter().map(|kind| kind.name);
    let Some(member) = hook.node.member("type") else {
        if hook.agent().type_optional {
            return;
        }
        return report.say_with_hint(&hook.node.span, "this hook has no `type`", "add \"type\": \"command\"");
    };
    let Some(text) = member.value.text() else {
        return report.say(&member.value.span, format!("`type` is {}, not text", member.value.kind()));
    };
    if hook.kind().is_none() {
        let message = format!("{} has no hooks of type `{text}`", hook.agent().title);
        report.add(&member.value.span, message, spelling::hint(text, types()));
    }
}

pub(crate) static MISSING_FIELD: Lint = Lint {
    code: "missing-field",
    severity: Severity::Error,
    what: "A hook lacks what its type needs: a `command`, a `url`, a `prompt`.",
    why: "The agent drops the hook.",
    fix: "Add the field, as text that is not empty.",
    check: Check::Hook(missing_field),
};

fn missing_field(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(kind) = hook.kind() else { return };
    for field in kind.needs {
        match hook.node.member(field) {
            None => report.say(&hook.node.span, format!("a `{}` hook needs `{field}`", kind.name)),
            Some(member) if member.value.text().is_none() => {
                report.say(&member.value.span, format!("`{field}` is {}, not text", Node::kind(&member.value)));
            }
            Some(member) if member.value.text().is_some_and(|text| text.trim().is_empty()) => {
                report.say(&member.value.span, format!("`{field}` is empty"));
            }
            Some(_) => {}
        }
    }
}

pub(crate) static HOOK_NOT_RUN: Lint = Lint {
    code: "hook-not-run",
    severity: Severity::Error,
    what: "A prompt or agent hook where the agent does not run such hooks.",
    why: "Codex skips them; Claude Code has no conversation to ask about when a session or a subagent starts.",
    fix: "Use a `command` hook.",
    check: Check::Hook(hook_not_run),
};

fn hook_not_run(hook: &Hook<'_>, report: &mut Report<'_>) {
    let (Some(kind), Some(member)) = (hook.kind(), hook.node.member("type")) else { return };
    let title = hook.agent().title;
    let message = match kind.not_on {
        None => format!("{title} does not run `{}` hooks", kind.name),
        Some(events) if events.contains(&hook.event_name()) => {
            format!("{title} does not run `{}` hooks on `{}`", kind.name, hook.event_name())
        }
        Some(_) => return,
    };
    report.say_with_hint(&member.value.span, message, "use a `command` hook");
}

pub(crate) static IF_NEVER_RUNS: Lint = Lint {
    code: "if-never-runs",
    severity: Severity::Error,
    what: "`if` on an event that is not about a tool.",
    why: "Claude Code evaluates `if` on tool events only; elsewhere a hook with one never runs.",
    fix: "Remove `if` and decide in the hook.",
    check: Check::Hook(if_never_runs),
};

fn if_never_runs(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(member) = hook.node.member("if").filter(|_| hook.agent().hook_keys.contains(&"if")) else { return };
    if hook.group.event.target() != Target::Tool {
        let message = format!("a hook with `if` never runs on `{}`", hook.event_name());
        report.say_with_hint(&member.key_span, message, "remove `if` and decide in the hook");
    }
}

pub(crate) static TIMEOUT_VALUE: Lint = Lint {
    code: "timeout-value",
    severity: Severity::Error,
    what: "A timeout that is not a number above zero.",
    why: "Depending on the agent the hook is dropped, or ends at once.",
    fix: "Write a bare number, in the agent's unit.",
    check: Check::Hook(timeout_value),
};

fn timeout_value(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(member) = hook.node.member("timeout") else { return };
    let unit = match hook.agent().format.timeout_unit {
        TimeoutUnit::Milliseconds => "milliseconds",
        TimeoutUnit::Seconds | TimeoutUnit::SecondsOrMillis => "seconds",
    };
    let message = match &member.value.value {
        Shape::Number(number) if *number > 0.0 => return,
        Shape::Number(number) => format!("a timeout of {number} is no time"),
        _ => format!("`timeout` is {}, not a number", member.value.kind()),
    };
    report.say_with_hint(&member.value.span, message, format!("write a number of {unit}"));
}

pub(crate) static TIMEOUT_UNIT: Lint = Lint {
    code: "timeout-unit",
    severity: Severity::Error,
    what: "A timeout in the wrong unit: Claude Code and Codex count seconds, Gemini CLI and LLxprt Code milliseconds.",
    why: "5 for Gemini CLI is 5 ms: the hook is always cut off and the action goes on. 30000 for Claude Code is more than 8 hours of waiting.",
    fix: "Write the number in the agent's unit.",
    check: Check::Hook(timeout_unit),
};

/// No hook can be started, asked and answered in less.
const LEAST_MILLISECONDS: f64 = 100.0;
/// No hook is meant to take a quarter of an hour.
const MOST_SECONDS: f64 = 1000.0;

fn timeout_unit(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(member) = hook.node.member("timeout") else { return };
    let format = &hook.agent().format;
    let Shape::Number(number) = member.value.value else { return };
    let title = hook.agent().title;
    match format.timeout_unit {
        TimeoutUnit::Milliseconds if number > 0.0 && number < LEAST_MILLISECONDS => {
            let message = format!("a timeout of {number} is {number} ms for {title}: the hook never finishes");
            report.say_with_hint(
                &member.value.span,
                message,
                format!("for {number} seconds write {}", number * 1000.0),
            );
        }
        TimeoutUnit::Seconds if number >= MOST_SECONDS => {
            let message = format!("a timeout of {number} is {} for {title}", spelled(number));
            let hint = format!("for {number} milliseconds write {}", (number / 1000.0).max(1.0).ceil());
            report.say_with_hint(&member.value.span, message, hint);
        }
        TimeoutUnit::Milliseconds | TimeoutUnit::Seconds | TimeoutUnit::SecondsOrMillis => {}
    }
}

fn spelled(seconds: f64) -> String {
    if seconds >= 7200.0 { format!("{:.1} hours", seconds / 3600.0) } else { format!("{:.0} minutes", seconds / 60.0) }
}

pub(crate) static TIMEOUT_LONG: Lint = Lint {
    code: "timeout-long",
    severity: Severity::Warning,
    what: "A timeout of more than ten minutes, or more than the agent grants on this event.",
    why: "A hook that hangs holds the agent up that long; beyond what is granted the number has no effect.",
    fix: "Write what the hook really needs.",
    check: Check::Hook(timeout_long),
};

const LONG_SECONDS: f64 = 600.0;

fn timeout_long(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(member) = hook.node.member("timeout") else { return };
    let format = &hook.agent().format;
    let Shape::Number(number) = member.value.value else { return };
    let seconds = match format.timeout_unit {
        TimeoutUnit::Milliseconds => number / 1000.0,
        TimeoutUnit::SecondsOrMillis if number >= 1000.0 => number / 1000.0,
        TimeoutUnit::SecondsOrMillis => number,
        // More than that is `timeout-unit`.
        TimeoutUnit::Seconds if number < 1000.0 => number,
        TimeoutUnit::Seconds => return,
    };
    let event = hook.group.event.event();
    let granted = format.event_timeouts.iter().find(|special| Some(&special.event) == event.as_ref());
    let granted = granted.and_then(|special| special.at_most).map(|most| most.as_secs_f64());
    if let Some(most) = granted.filter(|most| seconds > *most) {
        let message = format!("{} grants at most {most} s on `{}`", hook.agent().title, hook.event_name());
        report.say(&member.value.span, message);
    } else if seconds > LONG_SECONDS {
        let message = format!("a hook that hangs holds the agent up for {:.0} minutes", seconds / 60.0);
        report.say(&member.value.span, message);
    }
}

pub(crate) static SCRIPT_MISSING: Lint = Lint {
    code: "script-missing",
    severity: Severity::Error,
    what: "The command names a script that is not there.",
    why: "The hook cannot start. Claude Code and Codex go on without it; Gemini CLI refuses everything it guards.",
    fix: "Correct the path, or add the script.",
    check: Check::Hook(script_missing),
};

fn script_missing(hook: &Hook<'_>, report: &mut Report<'_>) {
    hook.commands().for_each(|command| report_script_missing(&command, report));
}

pub(crate) fn report_script_missing(command: &StartedCommand<'_>, report: &mut Report<'_>) {
    if let Invocation::Script { path, .. } = &command.invocation
        && command.around.look(path) == FoundFile::Nothing
    {
        let project = command.around.project();
        let message = format!("there is no `{}`", path.strip_prefix(&project).unwrap_or(path).display());
        report.say_with_hint(&command.span, message, "correct the path, or add the script");
    }
}

pub(crate) static SCRIPT_NOT_EXECUTABLE: Lint = Lint {
    code: "script-not-executable",
    severity: Severity::Error,
    what: "The command runs a file that may not be executed.",
    why: "The shell refuses with exit code 126, which no agent takes for a refusal of the action.",
    fix: "`chmod +x` the file, or name its interpreter.",
    check: Check::Hook(script_not_executable),
};

fn script_not_executable(hook: &Hook<'_>, report: &mut Report<'_>) {
    hook.commands().for_each(|command| report_script_not_executable(&command, report));
}

pub(crate) fn report_script_not_executable(command: &StartedCommand<'_>, report: &mut Report<'_>) {
    if let Invocation::Script { path, interpreter: None, .. } = &command.invocation
        && command.around.look(path) == (FoundFile::File { executable: false })
    {
        let message = format!("`{}` is not executable", path.display());
        report.say_with_hint(&command.span, message, format!("chmod +x '{}'", path.display()));
    }
}

pub(crate) static COMMAND_NOT_FOUND: Lint = Lint {
    code: "command-not-found",
    severity: Severity::Warning,
    what: "The command starts a program that is not in `PATH`.",
    why: "The hook fails with exit code 127 and the agent goes on, unless its own `PATH` is another one than here.",
    fix: "Install the program, or write its whole path.",
    check: Check::Hook(command_not_found),
};

fn command_not_found(hook: &Hook<'_>, report: &mut Report<'_>) {
    hook.commands().for_each(|command| report_command_not_found(&command, report));
}

pub(crate) fn report_command_not_found(command: &StartedCommand<'_>, report: &mut Report<'_>) {
    if let Invocation::Program { name, .. } = &command.invocation
        && !command.around.has_program(name)
    {
        let message = format!("no program `{name}` in PATH");
        report.say_with_hint(&command.span, message, "install it, or write its whole path");
    }
}

pub(crate) static UNQUOTED_VARIABLE: Lint = Lint {
    code: "unquoted-variable",
    severity: Severity::Warning,
    what: "`$CLAUDE_PROJECT_DIR` or a variable like it outside of double quotes.",
    why: "In a folder whose name has a space the command falls apart, and the hook does not run.",
    fix: "Put it in double quotes: `\"$CLAUDE_PROJECT_DIR\"/hook.sh`, with `\\\"` in JSON.",
    check: Check::Hook(unquoted_variable),
};

const FOLDERS: [&str; 5] =
    ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT"];

fn unquoted_variable(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = hook.command().filter(|_| hook.node.member("args").is_none()) else { return };
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '$') => {
                let Some((name, length)) = text.get(at..).and_then(variable) else { continue };
                if FOLDERS.contains(&name) {
                    let message = format!("`${name}` is not quoted; a folder with a space breaks the command");
                    let hint = format!("write \\\"${name}\\\" in JSON");
                    report.say_with_hint(&hook.file().part(node, &(at..at + length)), message, hint);
                }
            }
            _ => {}
        }
    }
}

pub(crate) static UNSET_VARIABLE: Lint = Lint {
    code: "unset-variable",
    severity: Severity::Error,
    what: "A command uses a variable that its agent does not set.",
    why: "It is empty. Agents hand the event over on stdin; only the project's folder comes as a variable, under each agent's own name.",
    fix: "Read stdin (`jq -r .tool_input.command`), and use the agent's own variable.",
    check: Check::Hook(unset_variable),
};

/// Variables that are passed around in examples, but that no agent sets.
pub(crate) const NEVER_SET: [&str; 14] = [
    "TOOL_INPUT",
    "TOOL_NAME",
    "TOOL_OUTPUT",
    "TOOL_RESULT",
    "CLAUDE_TOOL_INPUT",
    "CLAUDE_TOOL_NAME",
    "CLAUDE_TOOL_OUTPUT",
    "CLAUDE_FILE_PATH",
    "CLAUDE_FILE_PATHS",
    "CLAUDE_HOOK_EVENT",
    "CLAUDE_NOTIFICATION",
    "HOOK_INPUT",
    "HOOK_EVENT",
    "PROMPT_TEXT",
];
const PROJECT: [&str; 3] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR"];

fn unset_variable(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = hook.command() else { return };
    let agent = hook.agent();
    for (at, _) in text.match_indices('$') {
        let Some((name, length)) = text.get(at..).and_then(variable) else { continue };
        let span = hook.file().part(node, &(at..at + length));
        if NEVER_SET.contains(&name) && !text.contains(&format!("{name}=")) {
            let hint = "the event comes as JSON on stdin; take it apart with `jq`";
            report.say_with_hint(&span, format!("no agent sets `${name}`"), hint);
        } else if PROJECT.contains(&name) && !agent.project_variables.contains(&name) {
            let hint = match agent.project_variables.first() {
                Some(own) => format!("write `${own}`"),
                None => format!("{} has no such variable; commands run in the project's folder", agent.title),
            };
            report.say_with_hint(&span, format!("{} does not set `${name}`", agent.title), hint);
        } else if name == "CLAUDE_PLUGIN_ROOT" && hook.file().role == Role::Settings {
            let hint = "it holds in a plugin's hooks.json only; use `$CLAUDE_PROJECT_DIR`";
            report.say_with_hint(&span, format!("`${name}` is an error in settings"), hint);
        }
    }
}
