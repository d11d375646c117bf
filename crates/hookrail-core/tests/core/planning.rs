//! Planning, where configurations of Claude Code differ from the protocol's.

use hookrail_core::planner::create_execution_plan;
use hookrail_core::{
    Condition, ConfigSource, EventName, HookAction, HookEntry, HookError, Matcher, MatcherProblem, MatcherStyle, Mode,
    NativeHook, Occasion, OnError, Order, Outcome, ToolCall, ToolKind, Wording, World,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

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
    let plan = create_execution_plan(&entries, &Occasion::new(&EventName::BeforeTool, Some("Write"))).unwrap();
    let kept: Vec<_> = plan.hooks().iter().map(|hook| (hook.action.kind(), hook.action.subject())).collect();
    assert_eq!(kept, [("native", "lint"), ("command", "lint"), ("command", "lint ")]);
}

#[test]
fn matchers_of_triggers_mean_what_they_mean_in_the_agent_whose_format_they_have() {
    let cases: &[(&str, MatcherStyle, &[&str], &[&str])] = &[
        ("startup", MatcherStyle::Pattern, &["startup"], &["startup2", "resume"]),
        ("startup|resume", MatcherStyle::Pattern, &[], &["startup", "resume"]),
        ("startup|resume", MatcherStyle::Names, &["startup", "resume"], &["clear"]),
        ("start.*", MatcherStyle::Names, &["startup"], &["resume"]),
        ("startup, resume", MatcherStyle::Own, &["startup", "resume"], &["clear", "start"]),
        ("^(startup|clear)$", MatcherStyle::Own, &["startup", "clear"], &["resume"]),
        ("", MatcherStyle::Own, &["anything"], &[]),
    ];
    for (text, style, matching, others) in cases {
        let (matcher, problem) = Matcher::compile(Some(text), *style);
        assert_eq!(problem, None, "{text}");
        for trigger in *matching {
            assert!(matcher.matches_trigger(trigger), "{text} {style:?} must match {trigger}");
        }
        for trigger in *others {
            assert!(!matcher.matches_trigger(trigger), "{text} {style:?} must not match {trigger}");
        }
    }
}

#[test]
fn every_event_with_a_subject_is_matched_by_it_outside_of_the_protocol() {
    let cases = [
        ("Notification", json!({"notification_type": "idle_prompt"}), "idle_prompt"),
        ("PromptExpand", json!({"command_name": "deploy"}), "deploy"),
        ("PermissionDenied", json!({"tool_name": "Bash"}), "Bash"),
        ("StopFailure", json!({"error": "rate_limit"}), "rate_limit"),
        ("ConfigChange", json!({"source": "user_settings"}), "user_settings"),
        ("FileChanged", json!({"file_path": "/p/src/.env"}), ".env"),
        ("Elicitation", json!({"mcp_server_name": "github"}), "github"),
        ("InstructionsLoaded", json!({"load_reason": "startup"}), "startup"),
        ("PostCompress", json!({"trigger": "auto"}), "auto"),
    ];
    for (name, payload, subject) in cases {
        let event = EventName::parse(name);
        let payload = payload.as_object().cloned().unwrap_or_default();
        assert_eq!(event.subject_in(&payload), Some(subject), "{name}");
        let entry = |matcher: &str| {
            let action = HookAction::Command { command: matcher.to_owned() };
            let mut entry = HookEntry::new(event.clone(), action, ConfigSource::User);
            entry.matcher = Matcher::compile(Some(matcher), MatcherStyle::Own).0;
            Arc::new(entry)
        };
        let entries = [entry(&subject.replace('.', "\\.")), entry("something-else")];
        let plan = create_execution_plan(&entries, &Occasion::new(&event, event.subject_in(&payload))).unwrap();
        assert_eq!(plan.hooks().len(), 1, "{name}");
    }
}

#[test]
fn a_repeated_hook_is_the_one_of_the_highest_authority_and_at_least_as_strict() {
    let entry = |source, timeout, on_error| {
        let mut entry = HookEntry::new(EventName::BeforeTool, HookAction::Command { command: "x".to_owned() }, source);
        (entry.timeout, entry.on_error) = (Duration::from_secs(timeout), on_error);
        Arc::new(entry)
    };
    let sources = [ConfigSource::Project, ConfigSource::Extensions, ConfigSource::User, ConfigSource::System];
    for (low, weak) in sources.into_iter().enumerate() {
        for strong in sources.into_iter().skip(low + 1) {
            for (weak_error, strong_error) in [(OnError::Allow, OnError::Deny), (OnError::Deny, OnError::Allow)] {
                let entries = [entry(weak, 1, weak_error), entry(strong, 60, strong_error)];
                let plan = create_execution_plan(&entries, &Occasion::new(&EventName::BeforeTool, None)).unwrap();
                let [kept] = plan.hooks() else { panic!("they are one hook") };
                let got = (kept.source, kept.timeout.as_secs(), kept.on_error);
                assert_eq!(got, (strong, 60, OnError::Deny), "{weak:?} repeats {strong:?}");
            }
        }
    }
    let named = |name: &str| {
        let mut hook = command("x");
        hook.name = Some(name.to_owned());
        Arc::new(hook)
    };
    let plan = create_execution_plan(&[named("first"), named("second")], &Occasion::new(&EventName::BeforeTool, None));
    assert_eq!(plan.unwrap().hooks()[0].id(), "first", "of equals the first stays");
}

fn command(text: &str) -> HookEntry {
    HookEntry::new(EventName::BeforeTool, HookAction::Command { command: text.to_owned() }, ConfigSource::Project)
}

#[test]
fn a_hook_applies_unless_something_about_it_says_otherwise() {
    // The change to a hook, whether it applies, and whether it may apply as far as that is known without the call.
    type Change = fn(&mut HookEntry);
    let matcher = |text: &str| Matcher::compile(Some(text), MatcherStyle::Pattern).0;
    let cases: [(&str, Change, bool, bool); 8] = [
        ("nothing", |_| (), true, true),
        ("disabled", |hook| hook.enabled = false, false, false),
        ("mode off", |hook| hook.mode = Mode::Off, false, false),
        ("mode warn", |hook| hook.mode = Mode::Warn, true, true),
        ("another event", |hook| hook.event = EventName::AfterTool, false, false),
        ("a condition that holds", |hook| hook.condition = Condition::parse("Bash(git push:*)"), true, true),
        ("a condition that does not", |hook| hook.condition = Condition::parse("Bash(rm:*)"), false, true),
        ("Claude Code's words", |hook| hook.wording = Wording::Claude, true, true),
    ];
    let shell = |_: &str, input: &Value| ToolKind::Shell {
        command: input["command"].as_str().unwrap_or_default().to_owned(),
        cwd: None,
    };
    let call = ToolCall::new("run_shell_command", &json!({"command": "git push origin"}), shell);
    let occasion = Occasion { event: &EventName::BeforeTool, subject: Some("run_shell_command"), tool: Some(&call) };
    for (name, change, applies, may_apply) in cases {
        let mut hook = command("x");
        change(&mut hook);
        assert_eq!((occasion.concerns(&hook), occasion.may_concern(&hook)), (applies, may_apply), "{name}");
    }
    // Claude Code's hooks know tools by other names, which only the call itself tells.
    for (text, wording, applies, may_apply) in [
        ("^run_shell", Wording::Protocol, true, true),
        ("^Bash$", Wording::Protocol, false, false),
        ("^Bash$", Wording::Claude, true, true),
        ("^Write$", Wording::Claude, false, true),
    ] {
        let mut hook = command("x");
        (hook.matcher, hook.wording) = (matcher(text), wording);
        let got = (occasion.concerns(&hook), occasion.may_concern(&hook));
        assert_eq!(got, (applies, may_apply), "{text} {wording:?}");
    }
}

#[test]
fn a_plan_is_ordered_by_source_and_sequential_if_a_hook_in_it_is() {
    // covers: HOOK-103 HOOK-109 HOOK-164
    let entry = |text: &str, source, sequential| {
        let mut hook = command(text);
        (hook.source, hook.sequential) = (source, sequential);
        Arc::new(hook)
    };
    let occasion = Occasion::new(&EventName::BeforeTool, Some("Write"));
    let (user, project) = (ConfigSource::User, ConfigSource::Project);
    for (name, entries, order, commands) in [
        (
            "one after the other",
            vec![entry("a", user, true), entry("b", project, false)],
            Order::Sequential,
            vec!["b", "a"],
        ),
        ("all at once", vec![entry("a", project, false), entry("b", project, false)], Order::Parallel, vec!["a", "b"]),
        (
            "the first of two repeats says how",
            vec![entry("a", project, false), entry("a", user, true)],
            Order::Parallel,
            vec!["a"],
        ),
    ] {
        let plan = create_execution_plan(&entries, &occasion).unwrap();
        let got: Vec<_> = plan.hooks().iter().map(|hook| hook.action.subject()).collect();
        assert_eq!((plan.order(), got, plan.event()), (order, commands, &EventName::BeforeTool), "{name}");
    }
    let mut disabled = command("a");
    disabled.enabled = false;
    assert!(create_execution_plan(&[Arc::new(disabled)], &occasion).is_none(), "a plan is never empty");
}
