//! Lints of the scripts that hooks run, as far as reading can tell.

use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::lints::hook::NEVER_SET;
use crate::script::{Language, Script, Stream};
use hookrail_core::EventName;
use regex_lite::Regex;
use std::ops::Range;

pub(crate) static ANSWER_WITHOUT_EVENT: Lint = Lint {
    code: "answer-without-event",
    severity: Severity::Error,
    what: "A script answers with `hookSpecificOutput` but without `hookEventName` in it.",
    why: "Claude Code, Codex and Gemini CLI drop such an answer: the tool runs although it was denied, and context is lost.",
    fix: "Add `\"hookEventName\": \"PreToolUse\"`, with the name of the event that runs the script.",
    check: Check::Script(answer_without_event),
};

fn answer_without_event(script: &Script, report: &mut Report<'_>) {
    if !script.mentions("hookSpecificOutput") || script.mentions("hookEventName") {
        return;
    }
    let span = script.find("permissionDecision").or_else(|| script.find("hookSpecificOutput")).unwrap_or_default();
    let message = format!("this answer has no `hookEventName`, so {} drops it", script.agent.title);
    report.say_with_hint(
        &span,
        message,
        format!("add \"hookEventName\": \"{}\" to `hookSpecificOutput`", script.event_name),
    );
}

pub(crate) static DECISION_NOT_HEARD: Lint = Lint {
    code: "decision-not-heard",
    severity: Severity::Error,
    what: "A script refuses in another agent's words: `decision: deny` for Claude Code or Codex, `permissionDecision` for Gemini CLI or outside of `hookSpecificOutput`.",
    why: "The agent does not read it, and the tool runs.",
    fix: "Claude Code and Codex: `hookSpecificOutput.permissionDecision`. Gemini CLI and LLxprt Code: `decision` and `reason` at the top.",
    check: Check::Script(decision_not_heard),
};

fn decision_not_heard(script: &Script, report: &mut Report<'_>) {
    let (hearing, title) = (script.agent.hearing, script.agent.title);
    if let Some((span, _)) = script.assigns("permissionDecision", &["deny", "ask"]) {
        if !hearing.permission_decision {
            let hint = "answer {\"decision\": \"deny\", \"reason\": \"…\"}";
            report.say_with_hint(&span, format!("{title} does not read `permissionDecision`"), hint);
        } else if !script.mentions("hookSpecificOutput") && script.agent.name != "llxprt" {
            let hint = "put it into \"hookSpecificOutput\": {\"hookEventName\": …}";
            report.say_with_hint(&span, "`permissionDecision` is only read inside of `hookSpecificOutput`", hint);
        }
    }
    let asked = script.event == EventName::PermissionRequest;
    if let Some((span, word)) = script.assigns("decision", &["deny", "allow", "ask", "block", "approve"])
        && !hearing.decisions.contains(&word.as_str())
        && !asked
    {
        report.say_with_hint(&span, format!("{title} does not know `decision: {word}`"), own_form(script));
    }
}

fn own_form(script: &Script) -> &'static str {
    match script.event {
        EventName::BeforeTool => {
            "answer {\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\", …}}"
        }
        _ => "answer {\"decision\": \"block\", \"reason\": \"…\"}",
    }
}

pub(crate) static REASON_MISSING: Lint = Lint {
    code: "reason-missing",
    severity: Severity::Error,
    what: "A script refuses without a reason where the agent asks for one.",
    why: "Codex drops a refusal without a reason that is not empty, and the tool runs.",
    fix: "Add `permissionDecisionReason`, or `reason` beside `decision`.",
    check: Check::Script(reason_missing),
};

fn reason_missing(script: &Script, report: &mut Report<'_>) {
    if !script.agent.hearing.strict {
        return;
    }
    let forms = [
        ("permissionDecision", ["deny", "deny"], "permissionDecisionReason"),
        ("decision", ["block", "deny"], "reason"),
    ];
    for (field, words, reason) in forms {
        if let Some((span, _)) = script.assigns(field, &words).filter(|_| !script.mentions(reason)) {
            let message = format!("{} drops a refusal without `{reason}`", script.agent.title);
            report.say_with_hint(&span, message, format!("add `{reason}`, and do not leave it empty"));
        }
    }
}

pub(crate) static REJECTED_ANSWER: Lint = Lint {
    code: "rejected-answer",
    severity: Severity::Error,
    what: "A script for Codex answers with a key or word Codex does not take at that event.",
    why: "Codex drops the whole answer, the refusal in it included, and goes on.",
    fix: "Answer with what Codex knows: deny with a reason, context, or nothing.",
    check: Check::Script(rejected_answer),
};

fn rejected_answer(script: &Script, report: &mut Report<'_>) {
    if !script.agent.hearing.strict || script.event != EventName::BeforeTool {
        return;
    }
    let keys =
        ["suppressOutput", "stopReason"].into_iter().filter_map(|key| Some((script.find(key)?, format!("`{key}`"))));
    let ask = script.assigns("permissionDecision", &["ask"]).map(|(span, _)| (span, "`ask`".to_owned()));
    for (span, what) in keys.chain(ask) {
        let message = format!("{} drops an answer with {what} at `{}`", script.agent.title, script.event_name);
        report.say_with_hint(&span, message, "deny with a reason, or answer nothing");
    }
}

pub(crate) static EXPLICIT_ALLOW: Lint = Lint {
    code: "explicit-allow",
    severity: Severity::Warning,
    what: "A script answers with an explicit allow.",
    why: "In Claude Code that skips the question the user would have been asked; Codex drops an allow without `updatedInput`.",
    fix: "Answer nothing if there is nothing to object to.",
    check: Check::Script(explicit_allow),
};

fn explicit_allow(script: &Script, report: &mut Report<'_>) {
    if script.event != EventName::BeforeTool || script.mentions("updatedInput") {
        return;
    }
    let Some((span, _)) = script.assigns("permissionDecision", &["allow"]) else { return };
    let message = match (script.agent.hearing.strict, script.agent.hearing.permission_decision) {
        (true, _) => format!("{} drops an allow without `updatedInput`", script.agent.title),
        (false, true) => "an explicit allow skips the question the user would be asked".to_owned(),
        (false, false) => return,
    };
    report.say_with_hint(&span, message, "print nothing if there is nothing to object to");
}

pub(crate) static EXIT_ONE: Lint = Lint {
    code: "exit-one",
    severity: Severity::Error,
    what: "A script that means to refuse ends with exit code 1.",
    why: "Exit code 1 is a failed hook to every agent: it is noted, and the action goes on. Only 2 refuses.",
    fix: "Exit with 2 and write the reason to stderr.",
    check: Check::Script(exit_one),
};

const REFUSING: [&str; 14] = [
    "block",
    "deny",
    "denied",
    "forbid",
    "refus",
    "not allowed",
    "prohibit",
    "reject",
    "dangerous",
    "protected",
    "must not",
    "violat",
    "disallow",
    "abort",
];
/// How far above an exit the words or the reason for it stand.
const REACH: usize = 3;

fn exit_one(script: &Script, report: &mut Report<'_>) {
    if !script.may_refuse() && !script.may_keep_going() {
        return;
    }
    let lines = script.lines();
    for exit in script.exits().into_iter().filter(|exit| exit.code == 1) {
        let near = lines.iter().take(exit.line + 1).skip((exit.line + 1).saturating_sub(REACH + 1));
        let words: String = near.map(|line| line.code.to_lowercase()).collect::<Vec<_>>().join("\n");
        if REFUSING.iter().any(|word| words.contains(word)) {
            let message = format!("exit code 1 does not stop {}; the action goes on", script.agent.title);
            report.say_with_hint(&exit.span, message, "exit with 2 and write the reason to stderr");
        }
    }
}

pub(crate) static REASON_ON_STDOUT: Lint = Lint {
    code: "reason-on-stdout",
    severity: Severity::Error,
    what: "A script ends with exit code 2 and writes the reason to stdout.",
    why: "The reason is read from stderr. The model is told nothing, and Codex does not even refuse.",
    fix: "Write the reason to stderr: `>&2`, `file=sys.stderr`, `console.error`.",
    check: Check::Script(reason_on_stdout),
};

fn reason_on_stdout(script: &Script, report: &mut Report<'_>) {
    if script.agent.hearing.reason_on_stdout {
        return;
    }
    let prints = script.prints();
    for exit in script.exits().into_iter().filter(|exit| exit.code == 2) {
        let near = |stream: Stream| {
            prints
                .iter()
                .find(|print| print.stream == stream && print.line <= exit.line && print.end + REACH >= exit.line)
        };
        if let (Some(print), None) = (near(Stream::Stdout), near(Stream::Stderr)) {
            let effect = if script.agent.hearing.silent_exit_two { "the reason is lost" } else { "nothing is refused" };
            let message = format!("{} reads the reason of exit code 2 from stderr: {effect}", script.agent.title);
            report.say_with_hint(&print.span, message, "write it to stderr");
        }
    }
}

pub(crate) static SILENT_EXIT_TWO: Lint = Lint {
    code: "silent-exit-two",
    severity: Severity::Error,
    what: "A script ends with exit code 2 and writes nothing to stderr.",
    why: "Codex and Gemini CLI refuse only with a reason; without one the action goes on.",
    fix: "Write the reason to stderr before the exit.",
    check: Check::Script(silent_exit_two),
};

fn silent_exit_two(script: &Script, report: &mut Report<'_>) {
    let exit = script.exits().into_iter().find(|exit| exit.code == 2);
    let Some(exit) = exit.filter(|_| !script.agent.hearing.silent_exit_two) else { return };
    let prints = script.prints();
    let speaks = |stream: Stream| prints.iter().any(|print| print.stream == stream);
    // Text on stdout is another mistake, or for some agents none; words such as `>&2` may stand behind a function.
    let somehow =
        speaks(Stream::Stdout) || speaks(Stream::Stderr) || script.mentions("stderr") || script.mentions(">&2");
    if !somehow {
        let message = format!("{} ignores exit code 2 without a reason", script.agent.title);
        report.say_with_hint(&exit.span, message, "write the reason to stderr before the exit");
    }
}

pub(crate) static TEXT_BESIDE_JSON: Lint = Lint {
    code: "text-beside-json",
    severity: Severity::Error,
    what: "A script writes other text to stdout beside its JSON answer.",
    why: "The agents take stdout for JSON only if nothing else is on it; a log line before a deny lets the tool run.",
    fix: "Write everything but the answer to stderr.",
    check: Check::Script(text_beside_json),
};

fn text_beside_json(script: &Script, report: &mut Report<'_>) {
    let prints = script.prints();
    let stdout = || prints.iter().filter(|print| print.stream == Stream::Stdout);
    let answers = script.answers_with_refusal() || script.mentions("hookSpecificOutput");
    let Some(last_answer) = stdout().filter(|print| print.json).map(|print| print.line).max().filter(|_| answers)
    else {
        return;
    };
    let exits = script.exits();
    // Text right before an exit is the other way to answer, not something beside this one.
    let leaves = |line: usize| exits.iter().any(|exit| exit.line >= line && exit.line <= line + 2);
    for print in stdout().filter(|print| !print.json && print.literal && !print.caught && print.line < last_answer) {
        if !leaves(print.line) {
            let message = "this goes to stdout beside the JSON answer, which is then not read";
            report.say_with_hint(&print.span, message, "write it to stderr");
        }
    }
}

pub(crate) static CONTEXT_OUTSIDE: Lint = Lint {
    code: "context-outside",
    severity: Severity::Error,
    what: "A script answers with `additionalContext` outside of `hookSpecificOutput`.",
    why: "Claude Code and Gemini CLI do not look there, and Codex drops the whole answer; the model never sees the context.",
    fix: "Put it into `hookSpecificOutput`, with `hookEventName`.",
    check: Check::Script(context_outside),
};

fn context_outside(script: &Script, report: &mut Report<'_>) {
    if let Some(span) = script.find("additionalContext").filter(|_| !script.mentions("hookSpecificOutput")) {
        let message = format!("{} reads `additionalContext` only inside of `hookSpecificOutput`", script.agent.title);
        let hint = format!("write {{\"hookSpecificOutput\": {{\"hookEventName\": \"{}\", …}}}}", script.event_name);
        report.say_with_hint(&span, message, hint);
    }
}

pub(crate) static CONTEXT_ON_COMPACTION: Lint = Lint {
    code: "context-on-compaction",
    severity: Severity::Error,
    what: "A hook before compaction answers with context for the model.",
    why: "There is no reader: the event has no `hookSpecificOutput`, and the answer is dropped as invalid.",
    fix: "Give the context at `SessionStart` with source `compact`; before compaction only save what is needed.",
    check: Check::Script(context_on_compaction),
};

fn context_on_compaction(script: &Script, report: &mut Report<'_>) {
    if script.event != EventName::PreCompress {
        return;
    }
    let found = ["additionalContext", "hookSpecificOutput"].into_iter().find_map(|word| script.find(word));
    if let Some(span) = found {
        let message = format!("`{}` takes no context; {} drops this answer", script.event_name, script.agent.title);
        report.say_with_hint(&span, message, "answer at `SessionStart` instead, which also comes after a compaction");
    }
}

pub(crate) static ENDLESS_STOP: Lint = Lint {
    code: "endless-stop",
    severity: Severity::Warning,
    what: "A hook that refuses to stop does not look at `stop_hook_active`.",
    why: "It refuses again each time: Claude Code gives up after eight rounds, Codex and Gemini CLI never do.",
    fix: "Let the agent stop if `stop_hook_active` is true.",
    check: Check::Script(endless_stop),
};

fn endless_stop(script: &Script, report: &mut Report<'_>) {
    if !script.may_keep_going() || script.mentions("stop_hook_active") || script.mentions("stopHookActive") {
        return;
    }
    let by_exit = || script.exits().into_iter().find(|exit| exit.code == 2).map(|exit| exit.span);
    let by_answer = || script.assigns("decision", &["block", "deny"]).map(|(span, _)| span);
    if let Some(span) = by_answer().or_else(by_exit) {
        let end = if script.agent.hearing.cuts_endless_stop { "until it is cut off" } else { "for ever" };
        let message = format!("this can keep {} going {end}", script.agent.title);
        report.say_with_hint(&span, message, "do not refuse while `stop_hook_active` is true");
    }
}

pub(crate) static VARIABLE_NEVER_SET: Lint = Lint {
    code: "event-variable",
    severity: Severity::Error,
    what: "A script reads the event from a variable such as `$TOOL_INPUT`.",
    why: "No agent sets it; the script sees an empty text and lets everything pass.",
    fix: "Read JSON from stdin.",
    check: Check::Script(variable_never_set),
};

fn variable_never_set(script: &Script, report: &mut Report<'_>) {
    for name in NEVER_SET {
        if let Some(span) = reading(script, name) {
            let hint = match script.language {
                Language::Shell => "read stdin: input=$(cat); jq -r '.tool_input' <<<\"$input\"",
                Language::Python => "read stdin: json.load(sys.stdin)",
                Language::Node => "read stdin: JSON.parse(fs.readFileSync(0, 'utf8'))",
            };
            report.say_with_hint(&span, format!("no agent sets `{name}`; the event comes on stdin"), hint);
        }
    }
}

/// Where the variable is read, unless the script itself gives it a value.
fn reading(script: &Script, name: &str) -> Option<Range<usize>> {
    let pattern = match script.language {
        Language::Shell => format!(r"\$\{{?{name}\b"),
        Language::Python => format!(r#"(?:environ(?:\.get)?|getenv)\s*[\[(]\s*["']{name}["']"#),
        Language::Node => format!(r#"process\.env(?:\.{name}\b|\[["']{name}["']\])"#),
    };
    let given = format!(r"(?m)(?:^|[\s;(]){name}=|\bread\b[^\n]*\b{name}\b");
    if script.language == Language::Shell && Regex::new(&given).is_ok_and(|given| given.is_match(&script.code)) {
        return None;
    }
    Regex::new(&pattern).ok()?.find(&script.code).map(|found| found.range())
}

pub(crate) static RENAMED_FIELD: Lint = Lint {
    code: "renamed-field",
    severity: Severity::Warning,
    what: "A script after a tool reads `tool_result`.",
    why: "Claude Code and Codex send `tool_response`; the script never sees a result.",
    fix: "Read `tool_response`.",
    check: Check::Script(renamed_field),
};

fn renamed_field(script: &Script, report: &mut Report<'_>) {
    let wanted = matches!(script.event, EventName::AfterTool) && !script.mentions("tool_response");
    if let Some(span) = script.find("tool_result").filter(|_| wanted) {
        report.say_with_hint(&span, format!("{} sends no `tool_result`", script.agent.title), "read `tool_response`");
    }
}

pub(crate) static RENAMED_TOOL: Lint = Lint {
    code: "renamed-tool",
    severity: Severity::Warning,
    what: "A script compares the tool's name with `Task` alone.",
    why: "Claude Code calls its delegation tool `Agent` now. A matcher still takes `Task`, but the event says `Agent`, so the script does nothing.",
    fix: "Compare with both names.",
    check: Check::Script(renamed_tool),
};

fn renamed_tool(script: &Script, report: &mut Report<'_>) {
    let about_tools = matches!(script.event, EventName::BeforeTool | EventName::AfterTool);
    if script.agent.name != "claude"
        || !about_tools
        || Regex::new(r"\bAgent\b").is_ok_and(|it| it.is_match(&script.code))
    {
        return;
    }
    let comparison = Regex::new(r#"(?:==?=?|!==?|-eq|-ne)\s*["']Task["']"#).ok();
    if let Some(found) = comparison.and_then(|pattern| pattern.find(&script.code).map(|found| found.range())) {
        report.say_with_hint(&found, "Claude Code calls this tool `Agent` now", "compare with `Task` and `Agent`");
    }
}
