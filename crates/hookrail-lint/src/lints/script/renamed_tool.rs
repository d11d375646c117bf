use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;
use hookrail_core::EventName;
use regex_lite::Regex;

pub(crate) static LINT: Lint = Lint {
    code: "renamed-tool",
    severity: Severity::Warning,
    what: "A script compares the tool's name with `Task` alone.",
    why: "Claude Code calls its delegation tool `Agent` now. A matcher still takes `Task`, but the event says `Agent`, so the script does nothing.",
    fix: "Compare with both names.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
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
