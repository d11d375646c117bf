//! Planning, where configurations of Claude Code differ from the protocol's.

use hookrail_core::planner::create_execution_plan;
use hookrail_core::{
    ConfigSource, EventName, HookAction, HookEntry, HookError, Matcher, MatcherProblem, MatcherStyle, NativeHook,
    Outcome, World,
};
use std::sync::Arc;

#[test]
fn claude_matchers_of_names_are_exact_and_patterns_are_not_anchored() {
    // errata X6, X8
    let cases: &[(&str, MatcherStyle, &[&str], &[&str])] = &[
        ("Write|Edit", MatcherStyle::Names, &["Write", "Edit"], &["MultiEdit", "TodoWrite", "NotebookEdit"]),
        ("Write|Edit", MatcherStyle::Pattern, &["Write", "MultiEdit", "TodoWrite"], &["Read"]),
        ("Write, Edit", MatcherStyle::Names, &["Write", "Edit"], &["Read"]),
        ("Task", MatcherStyle::Names, &["Task", "Agent"], &["TaskStop"]),
        ("Agent", MatcherStyle::Names, &["Task", "Agent"], &["Agents"]),
        ("mcp__.*", MatcherStyle::Names, &["mcp__fs__read"], &["Read"]),
        ("^Bash$", MatcherStyle::Names, &["Bash"], &["BashOutput"]),
        ("*", MatcherStyle::Names, &["anything"], &[]),
        ("", MatcherStyle::Names, &["anything"], &[]),
    ];
    for (text, style, matching, others) in cases {
        let (matcher, problem) = Matcher::compile(Some(text), *style);
        assert_eq!(problem, None, "{text}");
        for name in *matching {
            assert!(matcher.matches_name(name), "{text} must match {name}");
        }
        for name in *others {
            assert!(!matcher.matches_name(name), "{text} must not match {name}");
        }
    }
}

#[test]
fn a_matcher_that_is_no_regular_expression_is_accepted_with_a_remark() {
    // covers: HOOK-088
    let (matcher, problem) = Matcher::compile(Some("[bad"), MatcherStyle::Pattern);
    assert!(matches!(problem, Some(MatcherProblem::NotARegex(_))));
    assert!(matcher.matches_name("[bad") && !matcher.matches_name("xx[bad"));
}

#[test]
fn a_matcher_too_hard_to_decide_lets_the_hook_run() {
    let (matcher, _) = Matcher::compile(Some(r"^(a|aa)+(?!a)c$"), MatcherStyle::Pattern);
    assert!(matcher.matches_name(&"a".repeat(40)), "a guard that cannot tell must run");
}

#[derive(Debug)]
struct Native(&'static str);

impl NativeHook for Native {
    fn id(&self) -> &'static str {
        self.0
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn check(&self, _: &hookrail_core::Event, _: &dyn World) -> Result<Outcome, HookError> {
        Ok(Outcome::silent())
    }
}

#[test]
fn hooks_are_the_same_only_if_they_run_the_same_thing_in_the_same_way() {
    // covers: HOOK-090 HOOK-091
    let entry = |action| Arc::new(HookEntry::new(EventName::BeforeTool, action, ConfigSource::Project));
    let entries = [
        entry(HookAction::Native(Arc::new(Native("lint")))),
        entry(HookAction::Command { command: "lint".to_owned() }),
        entry(HookAction::Native(Arc::new(Native("lint")))),
        entry(HookAction::Command { command: "lint".to_owned() }),
        entry(HookAction::Command { command: "lint ".to_owned() }),
    ];
    let plan = create_execution_plan(&entries, &EventName::BeforeTool, Some("Write")).unwrap();
    let kept: Vec<_> = plan.hooks.iter().map(|hook| (hook.action.kind(), hook.action.subject())).collect();
    assert_eq!(kept, [("native", "lint"), ("command", "lint"), ("command", "lint ")]);
}
