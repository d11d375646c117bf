//! The trigger functions: what they take, what they give back, and what they do when everything breaks.

use hookrail_core::{DefaultHookOutput, EventName, Translator, Verdict};
use hookrail_engine::registry::HookSourceError;
use hookrail_engine::{Config, DebugLogger, HookSource, Layer, Level, StopAnswer, TurnStart};
use hookrail_host::translate::GenAiV1;
use hookrail_host::triggers::{self, after_agent, after_model, before_agent, before_model, before_tool_selection};
use hookrail_host::{
    AfterModelHookResult, BeforeModelHookResult, BeforeToolSelectionHookResult, ToolResult, execute_tool_with_hooks,
    fire_after_model_hook, fire_after_tool_hook, fire_before_model_hook, fire_before_tool_hook,
    fire_before_tool_selection_hook, fire_event_hook,
};
use hookrail_testkit::log::CapturedLog;
use hookrail_testkit::translator::TestTranslator;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type Args = Map<String, Value>;

/// Hooks that each answer with a JSON object, by event.
fn answering(answers: &[(&str, Value)]) -> Config {
    let group =
        |answer: &Value| json!([{"hooks": [{"type": "command", "command": format!("cat <<'END'\n{answer}\nEND\n")}]}]);
    let hooks: Args = answers.iter().map(|(event, answer)| ((*event).to_owned(), group(answer))).collect();
    Config::new("s", std::env::temp_dir()).enable_hooks(true).hooks(&Value::Object(hooks))
}

fn request() -> Value {
    json!({
        "model": "m",
        "contents": [{"role": "user", "parts": [{"text": "hi"}, {"inlineData": {"data": "aGk="}}]}],
        "config": {"systemInstruction": "be kind", "tools": [{"functionDeclarations": [{"name": "ls"}]}]},
    })
}

fn response(text: &str) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}]})
}

#[test]
fn each_trigger_takes_and_returns_what_its_callers_deal_in() {
    // covers: HOOK-127 HOOK-128 HOOK-135 HOOK-136 HOOK-137 HOOK-150 HOOK-151 HOOK-152 HOOK-153 HOOK-154 HOOK-176
    let _: fn(&Config, &str, &Args) -> Option<DefaultHookOutput> = fire_before_tool_hook;
    let _: fn(&Config, &str, &Args, &Value) -> Option<DefaultHookOutput> = fire_after_tool_hook;
    let _: fn(&Config, &Value) -> BeforeModelHookResult = fire_before_model_hook;
    let _: for<'a> fn(&Config, &Value, &'a Value) -> AfterModelHookResult<'a> = fire_after_model_hook;
    let _: fn(&Config, &Value) -> BeforeToolSelectionHookResult = fire_before_tool_selection_hook;

    let answer = json!({"decision": "block", "reason": "no"});
    let config = answering(&[("BeforeTool", answer.clone()), ("AfterTool", answer.clone()), ("BeforeModel", answer)]);
    let before = fire_before_tool_hook(&config, "ls", &Args::new()).unwrap();
    assert_eq!((before.is_blocking_decision(), before.get_effective_reason()), (true, "no"));
    let after = fire_after_tool_hook(&config, "ls", &Args::new(), &json!({"llmContent": "out"})).unwrap();
    assert_eq!(after.blocking_error(), Some("no"));
    let BeforeModelHookResult { blocked, reason, synthetic_response, modified_request, .. } =
        fire_before_model_hook(&config, &request());
    assert_eq!((blocked, reason.as_deref(), synthetic_response, modified_request), (true, Some("no"), None, None));
    let original = response("as it was");
    let AfterModelHookResult { response: answered, .. } = fire_after_model_hook(&config, &request(), &original);
    assert_eq!(*answered, original);
    let BeforeToolSelectionHookResult { tool_config, tools, .. } = fire_before_tool_selection_hook(&config, &request());
    assert_eq!((tool_config, tools), (None, None));
}

#[test]
fn callers_get_back_the_types_of_their_provider() {
    // covers: HOOK-141
    let rewrite = json!({"hookSpecificOutput": {"llm_request": {"messages": [{"role": "user", "content": "ho"}]}}});
    let replace = json!({"hookSpecificOutput": {"llm_response": {"text": "ho"}}});
    let restrict = json!({"hookSpecificOutput": {"toolConfig": {"mode": "ANY", "allowedFunctionNames": ["ls"]}}});
    let config = answering(&[("BeforeModel", rewrite), ("AfterModel", replace), ("BeforeToolSelection", restrict)]);

    let mut expected = request();
    expected["contents"] = json!([{"role": "user", "parts": [{"text": "ho"}, {"inlineData": {"data": "aGk="}}]}]);
    assert_eq!(fire_before_model_hook(&config, &request()).modified_request, Some(expected));

    let original = response("hi");
    let after = fire_after_model_hook(&config, &request(), &original).response;
    assert_eq!(after.pointer("/candidates/0/content"), Some(&json!({"role": "model", "parts": [{"text": "ho"}]})));

    let selection = fire_before_tool_selection_hook(&config, &request());
    let in_their_words = json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["ls"]}});
    assert_eq!(selection.tool_config, Some(in_their_words));
    assert_eq!(selection.tools, None, "definitions are not shown to hooks");
}

#[test]
fn a_stop_is_a_block_that_says_it_is_more() {
    // covers: HOOK-184
    let stop = json!({"continue": false, "stopReason": "enough"});
    let block = json!({"decision": "block", "reason": "not this"});
    for (answer, reason, stops) in [(stop, "enough", true), (block, "not this", false)] {
        let result = fire_before_model_hook(&answering(&[("BeforeModel", answer)]), &request());
        assert!(result.blocked);
        assert_eq!(result.reason.as_deref(), Some(reason));
        assert_eq!(result.stop.as_deref(), stops.then_some(reason));
        assert_eq!(result.synthetic_response, None);
    }
}

#[test]
fn what_hooks_say_beside_their_answer_reaches_the_caller() {
    // What a hook answers; the reason of a stop, the message, whether the output is suppressed, and the objection.
    let cases = [
        (json!({}), None, None, false, None),
        (json!({"decision": "block", "reason": "no"}), None, None, false, Some("no")),
        (json!({"decision": "allow", "reason": "fine"}), None, None, false, None),
        (json!({"continue": false, "stopReason": "enough"}), Some("enough"), None, false, None),
        (json!({"systemMessage": "note", "suppressOutput": true}), None, Some("note"), true, None),
        (json!({"systemMessage": "", "suppressOutput": false}), None, None, false, None),
    ];
    for (answer, stop, message, suppress, objection) in cases {
        let events = ["BeforeModel", "AfterModel", "BeforeToolSelection"];
        let config = answering(&events.map(|event| (event, answer.clone())));
        let before = fire_before_model_hook(&config, &request());
        let got = (before.stop.as_deref(), before.system_message.as_deref(), before.suppress_output);
        assert_eq!(got, (stop, message, suppress), "{answer}");
        let original = response("hi");
        let after = fire_after_model_hook(&config, &request(), &original);
        let got = (after.stop.as_deref(), after.system_message.as_deref(), after.suppress_output);
        assert_eq!((got, after.objection.as_deref()), ((stop, message, suppress), objection), "{answer}");
        let choice = fire_before_tool_selection_hook(&config, &request());
        let got = (choice.stop.as_deref(), choice.system_message.as_deref(), choice.suppress_output);
        assert_eq!((got, choice.objection.as_deref()), ((stop, message, suppress), objection), "{answer}");
    }
}

/// Counts how often hook configuration was read, and how that goes.
#[derive(Debug)]
struct CountedSource {
    loads: Arc<AtomicUsize>,
    outcome: fn(usize) -> Result<(), HookSourceError>,
}

impl HookSource for CountedSource {
    fn load(&self) -> Result<Layer, HookSourceError> {
        let load = self.loads.fetch_add(1, Ordering::SeqCst);
        (self.outcome)(load)?;
        let hook = json!({"type": "command", "command": "echo '{\"systemMessage\": \"here\"}'"});
        let document = hookrail_engine::Document::value("test", json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}}));
        Ok(Layer::new(hookrail_core::ConfigSource::Project, hookrail_engine::HookFormat::Protocol, vec![document]))
    }
}

fn counted(outcome: fn(usize) -> Result<(), HookSourceError>) -> (Config, Arc<AtomicUsize>) {
    let loads = Arc::new(AtomicUsize::new(0));
    let source = CountedSource { loads: Arc::clone(&loads), outcome };
    (Config::new("s", std::env::temp_dir()).enable_hooks(true).source(source), loads)
}

#[test]
fn the_first_event_reads_the_configuration_and_nothing_before_or_after_it_does() {
    // covers: HOOK-003 HOOK-008 HOOK-206
    let (config, loads) = counted(|_| Ok(()));
    let system = config.get_hook_system().unwrap();
    assert!(!system.get_status().initialized);
    assert_eq!(loads.load(Ordering::SeqCst), 0, "constructing reads nothing");
    for _ in 0..3 {
        let output = fire_before_tool_hook(&config, "ls", &Args::new()).unwrap();
        assert_eq!(output.system_message(), Some("here"));
        assert_eq!(fire_before_model_hook(&config, &request()), BeforeModelHookResult::default());
    }
    assert_eq!(loads.load(Ordering::SeqCst), 1);
    assert!(system.get_status().initialized);
}

#[test]
fn triggers_share_the_parts_of_the_one_hook_system() {
    // covers: HOOK-007
    let (config, loads) = counted(|_| Ok(()));
    let first: *const _ = config.get_hook_system().unwrap();
    let _ = fire_before_tool_hook(&config, "ls", &Args::new());
    let registry: *const _ = config.get_hook_system().unwrap().get_registry().unwrap();
    let hooks: *const _ = config.get_hook_system().unwrap().get_event_handler().unwrap().engine().hooks();
    let _ = fire_after_tool_hook(&config, "ls", &Args::new(), &json!({}));
    let _ = fire_before_model_hook(&config, &request());
    let _ = fire_after_model_hook(&config, &request(), &response("a"));
    let _ = fire_before_tool_selection_hook(&config, &request());
    let _ = execute_tool_with_hooks(&config, "ls", &Args::new(), |_| ToolResult::text("ran"));
    let _ = fire_event_hook(&config, EventName::SessionStart, &Args::new());
    assert!(std::ptr::eq(first, config.get_hook_system().unwrap()));
    assert!(std::ptr::eq(registry, config.get_hook_system().unwrap().get_registry().unwrap()));
    // What triggers ask while hooks run is the very same engine, not one like it.
    let asked = triggers::ask(&config, |handler| {
        assert!(std::ptr::eq(hooks, handler.engine().hooks()));
        Verdict::empty(EventName::SessionEnd)
    });
    assert!(asked.is_some());
    assert_eq!(loads.load(Ordering::SeqCst), 1);
}

/// What every trigger answers when it has nothing to say.
fn assert_no_opinion(config: &Config, translator: &dyn Translator) {
    assert_eq!(fire_before_tool_hook(config, "ls", &Args::new()), None);
    assert_eq!(fire_after_tool_hook(config, "ls", &Args::new(), &json!({})), None);
    let before = before_model(config, &request(), translator);
    assert_eq!(before, BeforeModelHookResult::default());
    assert!(!before.blocked);
    assert_eq!(*after_model(config, &request(), &response("a"), translator).response, response("a"));
    assert_eq!(before_tool_selection(config, &request(), translator), BeforeToolSelectionHookResult::default());
}

#[test]
fn an_agent_does_not_break_because_its_hooks_do() {
    // covers: HOOK-111 HOOK-115 HOOK-116
    let (panicking, _) = counted(|_| panic!("the source is broken"));
    assert_no_opinion(&panicking, &GenAiV1);
    assert!(fire_event_hook(&panicking, EventName::SessionEnd, &Args::new()).is_none());
    let (failing, loads) = counted(|_| Err(HookSourceError("the disk is on fire".to_owned())));
    assert_no_opinion(&failing, &GenAiV1);
    assert_eq!(loads.load(Ordering::SeqCst), 5, "each event tries again");
}

#[test]
fn configuration_that_can_be_read_again_counts_again() {
    let (config, _) = counted(|load| if load == 0 { panic!("not yet") } else { Ok(()) });
    assert_eq!(fire_before_tool_hook(&config, "ls", &Args::new()), None);
    assert!(fire_before_tool_hook(&config, "ls", &Args::new()).is_some());
}

/// A translator that cannot translate.
const FAILING: TestTranslator = TestTranslator::all(|_| panic!("confusion of tongues"));

/// Shows hooks everything, and understands nothing of what they answer.
const ONE_WAY: TestTranslator = TestTranslator {
    request: |request| GenAiV1.to_hook_request(request),
    response: |response| GenAiV1.to_hook_response(response),
    tool_config: |tool_config| GenAiV1.to_hook_tool_config(tool_config),
    ..FAILING
};

#[test]
fn a_translator_that_panics_is_as_good_as_no_hooks() {
    // covers: HOOK-111 HOOK-116
    let config = answering(&[
        ("BeforeModel", json!({"hookSpecificOutput": {"llm_request": {"model": "n"}}})),
        ("AfterModel", json!({"hookSpecificOutput": {"llm_response": {"text": "b"}}})),
        ("BeforeToolSelection", json!({"hookSpecificOutput": {"toolConfig": {"mode": "NONE"}}})),
    ]);
    assert_no_opinion(&config, &FAILING);
    assert_no_opinion(&config, &ONE_WAY);
    assert_eq!(before_tool_selection(&config, &request(), &GenAiV1).tools, None);
    assert!(before_model(&config, &request(), &GenAiV1).modified_request.is_some(), "the hooks do answer");
}

#[test]
fn a_refused_prompt_and_a_refused_stop_are_answers_of_their_own() {
    let block = json!({"decision": "block", "reason": "not like this"});
    let config = answering(&[("BeforeAgent", block.clone()), ("AfterAgent", block)]);
    assert!(matches!(before_agent(&config, "p"), TurnStart::Refused { reason, .. } if reason == "not like this"));
    let again = after_agent(&config, "p", "r", false);
    assert!(matches!(again, StopAnswer::GoOn { reason, .. } if reason == "not like this"));
    let context = json!({"hookSpecificOutput": {"additionalContext": "be brief"}});
    let config = answering(&[("BeforeAgent", context)]);
    let begun = before_agent(&config, "p");
    assert!(matches!(begun, TurnStart::Go { context: Some(context), .. } if context == "be brief"));
    let off = config.enable_hooks(false);
    assert!(matches!(before_agent(&off, "p"), TurnStart::Go { context: None, .. }));
    assert!(matches!(after_agent(&off, "p", "r", false), StopAnswer::Stop { clear_context: false, .. }));
}

#[test]
fn without_hooks_every_trigger_has_nothing_to_say() {
    // covers: HOOK-013
    let (config, loads) = counted(|_| Ok(()));
    let config = config.enable_hooks(false);
    assert_no_opinion(&config, &FAILING);
    assert_eq!(loads.load(Ordering::SeqCst), 0);
    let verdict: Option<Verdict> = fire_event_hook(&config, EventName::BeforeAgent, &Args::new());
    assert!(verdict.is_none());
}

/// Translates nothing, and fails the test if it is asked to.
const UNUSED: TestTranslator = TestTranslator::all(|_| panic!("something was translated without a hook"));

#[test]
fn nothing_is_built_for_an_event_without_hooks() {
    // covers: HOOK-011
    let log = CapturedLog::default();
    let config = answering(&[("SessionStart", json!({}))]).logger(Arc::new(Log(log.clone())));
    assert_no_opinion(&config, &UNUSED);
    // A translator that fails is caught, but not without a word.
    assert_eq!(log.lines(), [] as [String; 0]);
    let concerned = answering(&[("BeforeModel", json!({}))]).logger(Arc::new(Log(log.clone())));
    assert!(!before_model(&concerned, &request(), &UNUSED).blocked);
    assert!(log.lines().iter().any(|line| line.contains("failed inside the hook engine")), "{:?}", log.lines());
}

/// Takes warnings.
#[derive(Debug)]
struct Log(CapturedLog);

impl DebugLogger for Log {
    fn enabled(&self, level: Level) -> bool {
        level == Level::Warn
    }

    fn log(&self, _: Level, line: &str) {
        self.0.push("warn", line);
    }
}
