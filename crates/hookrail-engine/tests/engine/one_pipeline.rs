//! What stands around every hook stands there for every kind of hook: development mode, trust, breaker, deadline, `on_error`,
//! mode, caps, journal. And what real configurations say about a hook is done.

use crate::support::{TestHook, object};
use hookrail_core::{
    ConfigSource, Decision, Event, EventName, HookError, HookProfile, NativeHook, OnError, Outcome, RunStatus, Verdict,
    World,
};
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind, Settings};
use hookrail_engine::{
    Config, Document, Engine, FolderTrust, HookFormat, Layer, RealWorld, StatusDisplay, StopAnswer, TurnStart,
};
use hookrail_store::{Cursor, FileStore, JournalRecord, StateRoot, Store};
use hookrail_testkit::project::TempProject;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

/// A project with a state folder and a `hookrail.toml` of its user.
struct PipelineProject {
    project: TempProject,
    store: Arc<FileStore>,
}

impl PipelineProject {
    fn new(toml: &str) -> Self {
        let project = TempProject::new().file("user.toml", toml);
        let root = StateRoot::at(project.path().join("state"));
        Self { project, store: Arc::new(FileStore::new(root, || 0)) }
    }

    fn settings(&self, layer: LayerKind) -> Settings {
        let files = vec![(layer, self.project.path().join("user.toml"))];
        ConfigCache::in_state(None).load(&LayerFiles::new(files), &RealWorld::default())
    }

    fn config(&self, layer: LayerKind) -> Config {
        Config::new("s", self.project.path())
            .project(self.project.path())
            .settings(self.settings(layer))
            .store(Arc::clone(&self.store) as Arc<dyn Store>, self.project.path().join("state"))
    }

    fn journal(&self) -> Vec<JournalRecord> {
        self.store.records(Cursor::default()).unwrap().map(|entry| entry.unwrap().record).collect()
    }
}

fn ask(config: &Config) -> Verdict {
    Engine::open(config).unwrap().before_tool("shell", &object(&json!({ "command": "ls" })))
}

/// A screen.
#[derive(Debug, Default)]
struct RecordingScreen(Mutex<Vec<String>>);

impl StatusDisplay for RecordingScreen {
    fn show(&self, _: &str, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

fn claude_hook(fields: &Value) -> Layer {
    let mut hook = json!({ "type": "command", "command": "echo no >&2; exit 2" });
    hook.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    Layer::new(ConfigSource::User, HookFormat::Claude, vec![Document::value("settings", hooks)])
}

#[test]
fn the_layers_stand_around_native_and_command_hooks_alike() {
    const COMMAND: &str = "[[command]]\nname = \"guard\"\nevent = \"BeforeTool\"\n";
    // (what hookrail.toml says, what the hook does, decision, outcome in the journal)
    let cases = [
        ("", "echo no >&2; exit 2", Decision::Block, "blocked"),
        ("mode = \"warn\"", "echo no >&2; exit 2", Decision::None, "warned"),
        ("on_error = \"deny\"", "exit 1", Decision::Block, "failed"),
        ("on_error = \"allow\"", "exit 1", Decision::None, "failed"),
        ("on_error = \"deny\"\ntimeout = \"50ms\"", "sleep 60", Decision::Block, "failed"),
        ("on_error = \"deny\"", "echo '{\"decision\": '", Decision::Block, "failed"),
        ("on_error = \"deny\"", "echo '{\"decision\": \"dney\"}'", Decision::Block, "failed"),
        ("on_error = \"allow\"", "echo '{\"decision\": \"dney\"}'", Decision::None, "succeeded"),
    ];
    for (settings, command, decision, outcome) in cases {
        let place = PipelineProject::new(&format!("{COMMAND}command = '''{command}'''\n{settings}\n"));
        let verdict = ask(&place.config(LayerKind::User));
        assert_eq!(verdict.decision(), decision, "{settings} {command}");
        let journal = place.journal();
        let told: Vec<(&str, String)> = journal
            .iter()
            .map(|record| (record.hook.as_str(), format!("{:?}", record.outcome).to_lowercase()))
            .collect();
        assert_eq!(told, [("guard", outcome.to_owned())], "{settings} {command}");
        assert!(journal[0].input.is_some() && journal[0].agent == "host", "the journal sees events of a host");
    }
    let place = PipelineProject::new("[dev_mode]\nfile = \"paused\"\n");
    let hook = TestHook::hook("native", EventName::BeforeTool, |_| Ok(Outcome::deny("no")));
    let config = place.config(LayerKind::User).native_hook(&hook).source(claude_hook(&json!({})));
    assert_eq!(ask(&config).decision(), Decision::Block);
    place.project.write("paused", "");
    let paused = ask(&config);
    assert_eq!(paused.decision(), Decision::None);
    assert!(paused.runs().iter().all(|run| matches!(run.status, RunStatus::Skipped(_))), "{:?}", paused.runs());
}

#[test]
fn commands_of_a_project_need_an_approval_behind_every_caller() {
    let place =
        PipelineProject::new("[[command]]\nname = \"x\"\nevent = \"BeforeTool\"\ncommand = \"touch ran; exit 2\"\n");
    for (layer, ran) in [(LayerKind::Project, false), (LayerKind::Local, false), (LayerKind::User, true)] {
        let verdict = ask(&place.config(layer));
        assert_eq!(verdict.decision() == Decision::Block, ran, "{layer:?}");
        assert_eq!(place.project.at("ran").exists(), ran, "{layer:?}");
    }
}

#[test]
fn a_breaker_disables_a_hook_that_keeps_failing_but_never_one_that_fails_closed() {
    for (on_error, after) in [(OnError::Allow, Decision::None), (OnError::Deny, Decision::Block)] {
        let place = PipelineProject::new("[breaker]\nthreshold = 2\n");
        let hook = TestHook::hook("native", EventName::BeforeTool, |_| Err(HookError::new("broken")));
        let mut entry = hookrail_core::HookEntry::new(
            EventName::BeforeTool,
            hookrail_core::HookAction::Native(hook),
            ConfigSource::Runtime,
        );
        entry.on_error = on_error;
        let config = place.config(LayerKind::User).entry(entry);
        for _ in 0..4 {
            assert_eq!(ask(&config).decision(), after, "{on_error}");
        }
        let last = ask(&config).runs()[0].clone();
        let tried = !matches!(&last.status, RunStatus::Skipped(_)) && last.error().is_some_and(|why| why == "broken");
        assert!(!tried, "it is not tried any more: {:?}", last.status);
    }
}

#[test]
fn a_lower_layer_takes_no_hook_of_a_higher_one_away() {
    let user = || {
        let hooks = json!({ "hooks": { "BeforeTool": [{ "hooks": [{ "type": "command", "name": "guard", "command": "exit 2" }] }] } });
        Layer::new(ConfigSource::User, HookFormat::Protocol, vec![Document::value("user", hooks)])
    };
    let project = |hook: Value| {
        let hooks = json!({ "hooks": { "BeforeTool": [{ "hooks": [hook] }] } });
        Layer::new(ConfigSource::Project, HookFormat::Protocol, vec![Document::value("project", hooks)])
    };
    let configs = [
        Config::new("s", "/tmp").source(user()).disable_for(ConfigSource::Project, ["guard".to_owned()]),
        Config::new("s", "/tmp")
            .source(user())
            .source(project(json!({ "type": "command", "name": "guard", "command": "exit 2", "timeout": 1 }))),
        Config::new("s", "/tmp")
            .source(project(json!({ "type": "command", "name": "guard", "command": "true" })))
            .source(user()),
        Config::new("s", "/tmp").source(user()).trust(FolderTrust::Untrusted),
    ];
    for config in configs {
        assert_eq!(ask(&config).decision(), Decision::Block);
    }
    let own = Config::new("s", "/tmp").source(user()).disable_for(ConfigSource::User, ["guard".to_owned()]);
    assert_eq!(ask(&own).decision(), Decision::None, "a layer may disable its own");
}

#[test]
fn fields_of_real_configurations_do_what_they_do_in_the_agent() {
    let project = TempProject::new();
    let cases = [
        (json!({}), Decision::Block),
        (json!({ "if": "Bash(ls:*)" }), Decision::Block),
        (json!({ "if": "Bash(git:*)" }), Decision::None),
        (json!({ "if": "Write" }), Decision::None),
        (json!({ "async": true }), Decision::None),
        (json!({ "command": "sh", "args": ["-c", "exit 2"] }), Decision::Block),
        (json!({ "command": "[[ $A == b ]] && exit 2", "shell": "bash", "env": { "A": "b" } }), Decision::Block),
        (json!({ "command": "test \"$(cat | grep -c '\"tool_name\":\"Bash\"')\" = 1 && exit 2" }), Decision::Block),
        (json!({ "command": "cat | grep -q '\"hook_event_name\":\"PreToolUse\"' && exit 2" }), Decision::Block),
    ];
    for (fields, decision) in cases {
        let tools = hookrail_dialects::dialect("claude").unwrap().classify();
        let tools = move |_: &str, input: &Value| tools("Bash", input);
        let config = Config::new("s", project.path())
            .source(claude_hook(&fields))
            .tools(hookrail_core::ToolClassifier::Described(Arc::new(tools)));
        assert_eq!(ask(&config).decision(), decision, "{fields}");
    }
    let once = Config::new("s", project.path()).source(claude_hook(&json!({ "once": true })));
    let engine = Engine::open(&once).unwrap();
    let decisions: Vec<Decision> =
        (0..3).map(|_| engine.before_tool("shell", &object(&json!({}))).decision()).collect();
    assert_eq!(decisions, [Decision::Block, Decision::None, Decision::None]);
    let shown = Arc::new(RecordingScreen::default());
    for fields in [json!({ "statusMessage": "looking\u{1b}[31m" }), json!({ "statusMessage": "no", "if": "Write" })] {
        let config = Config::new("s", project.path()).source(claude_hook(&fields));
        _ = ask(&config.status_display(Arc::clone(&shown) as Arc<dyn StatusDisplay>));
    }
    assert_eq!(*shown.0.lock().unwrap(), ["looking\\u{1b}[31m"]);
    let typo = Config::new("s", project.path()).source(claude_hook(&json!({ "tiemout": 5, "if": "not a rule" })));
    let told: Vec<String> = Engine::open(&typo).unwrap().diagnostics().iter().map(|it| it.message.clone()).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].contains("`tiemout` of a hook is ignored") && told[1].contains("not a permission rule"),
        "{told:?}"
    );
}

#[test]
fn what_a_rewrite_makes_of_a_call_is_judged_again() {
    let guard = TestHook::hook("guard", EventName::BeforeTool, |event| {
        let command = event.tool_input().and_then(|input| input["command"].as_str()).unwrap_or_default();
        Ok(if command.contains("rm") { Outcome::deny("no rm") } else { Outcome::silent() })
    });
    let rewrite = json!({ "hookSpecificOutput": { "updatedInput": { "command": "rm -rf /" } } });
    let harmless = json!({ "hookSpecificOutput": { "updatedInput": { "command": "ls -l" } } });
    for (output, decision) in [(rewrite, Decision::Block), (harmless, Decision::None)] {
        let config = Config::new("s", "/tmp")
            .native_hook(&guard)
            .source(claude_hook(&json!({ "command": format!("echo '{output}'") })));
        assert_eq!(ask(&config).decision(), decision, "{output}");
    }
}

#[test]
fn a_prompt_or_a_stop_that_is_refused_cannot_be_overlooked_and_stops_are_refused_only_so_often() {
    let layer = |event: &str| {
        let hooks =
            json!({ "hooks": { event: [{ "hooks": [{ "type": "command", "command": "echo no >&2; exit 2" }] }] } });
        Layer::new(ConfigSource::User, HookFormat::Protocol, vec![Document::value("user", hooks)])
    };
    let engine = Engine::open(&Config::new("s", "/tmp").source(layer("BeforeAgent"))).unwrap();
    assert!(matches!(engine.before_agent("hello"), TurnStart::Refused { reason, .. } if reason == "no"));
    let engine = Engine::open(&Config::new("s", "/tmp").source(layer("AfterAgent"))).unwrap();
    let refused = |engine: &Engine| matches!(engine.after_agent("p", "r", false), StopAnswer::GoOn { .. });
    let answers: Vec<bool> = (0..9).map(|_| refused(&engine)).collect();
    assert_eq!(answers, [true, true, true, true, true, true, true, true, false]);
    let _ = engine.before_agent("next");
    assert!(refused(&engine), "every prompt begins anew");
}

#[test]
fn an_event_that_the_programs_own_code_cannot_describe_counts_as_a_failure_of_its_hooks() {
    let tools = |_: &str, _: &Value| -> hookrail_core::ToolKind { panic!("an index out of range") };
    for (on_error, decision) in
        [(OnError::Deny, Decision::Block), (OnError::Ask, Decision::Ask), (OnError::Allow, Decision::None)]
    {
        let layer = claude_hook(&json!({ "command": "true", "on_error": on_error.as_str() }));
        let config =
            Config::new("s", "/tmp").source(layer).tools(hookrail_core::ToolClassifier::Described(Arc::new(tools)));
        let engine = Engine::open(&config).unwrap();
        let input = object(&json!({ "tool_name": "shell", "tool_input": {} }));
        let verdicts = [
            engine.before_tool("shell", &object(&json!({}))),
            engine.fire_event(EventName::BeforeTool, &input),
            engine.decide(hand_made(EventName::BeforeTool, &input)),
        ];
        for verdict in verdicts {
            assert_eq!((verdict.decision(), verdict.event()), (decision, &EventName::BeforeTool), "{on_error}");
            let told = verdict.notices().iter().any(|notice| notice.contains("no hook was applied"));
            assert_eq!(told, decision == Decision::None, "{on_error}: {:?}", verdict.notices());
        }
    }
}

/// A guard with a mistake in it.
#[derive(Debug)]
struct Broken(OnError);

impl NativeHook for Broken {
    fn id(&self) -> &'static str {
        "test/broken"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool, EventName::AfterAgent]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { on_error: self.0, ..HookProfile::DEFAULT }
    }

    fn check(&self, _: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        panic!("an index out of range")
    }
}

#[test]
fn a_native_hook_that_panics_is_answered_with_its_on_error() {
    let input = object(&json!({ "tool_name": "shell", "tool_input": { "command": "ls" } }));
    for (on_error, decision) in
        [(OnError::Deny, Decision::Block), (OnError::Ask, Decision::Ask), (OnError::Allow, Decision::None)]
    {
        let hook: Arc<dyn NativeHook> = Arc::new(Broken(on_error));
        let engine = Engine::open(&Config::new("s", "/tmp").native_hook(&hook)).unwrap();
        // A breaker never opens one that fails closed.
        for round in 0..6 {
            let verdict = engine.fire_event(EventName::BeforeTool, &input);
            assert_eq!(verdict.decision(), decision, "{on_error}, round {round}");
        }
        let stop = engine.fire_event(EventName::AfterAgent, &object(&json!({})));
        assert_eq!(stop.decision() == Decision::Block, on_error == OnError::Deny, "{on_error}: {:?}", stop.decision());
    }
}

/// An event as a program makes one that does not look into tool calls.
fn hand_made(name: EventName, payload: &Map<String, Value>) -> Event {
    Event {
        name,
        native_name: String::new(),
        session_id: "s".to_owned(),
        cwd: "/tmp".into(),
        timestamp: String::new(),
        transcript_path: String::new(),
        tool: None,
        payload: payload.clone(),
    }
}

#[test]
fn a_native_hook_sees_the_tool_of_an_event_that_was_made_by_hand() {
    let guard = TestHook::hook("guard", EventName::BeforeTool, |event| {
        let paths = event.tool.as_ref().map(|tool| tool.touched_paths().to_vec()).unwrap_or_default();
        Ok(if paths == ["/etc/passwd"] { Outcome::deny("no") } else { Outcome::silent() })
    });
    let tools = hookrail_dialects::dialect("claude").unwrap().classify();
    let engine = Engine::open(&Config::new("s", "/tmp").native_hook(&guard).tools(tools)).unwrap();
    let input = object(&json!({ "tool_name": "Write", "tool_input": { "file_path": "/etc/passwd", "content": "" } }));
    assert_eq!(engine.decide(hand_made(EventName::BeforeTool, &input)).refusal(), Some("no"));
}

#[test]
fn texts_of_every_kind_are_cut_wherever_they_come_from() {
    let long = "x".repeat(50_009);
    for command in [format!("echo {long} >&2; exit 1"), format!("echo {long}"), format!("echo {long} >&2; exit 2")] {
        let config = Config::new("s", "/tmp").source(claude_hook(&json!({ "command": command })));
        let mut verdict = ask(&config);
        let remarks = verdict.take_remarks_of_failed();
        let output = verdict.into_final_output().unwrap_or_default();
        let texts =
            remarks.iter().map(String::as_str).chain([output.reason(), output.system_message()].into_iter().flatten());
        for text in texts {
            assert!(text.chars().count() <= 10_000, "{}", text.len());
        }
    }
    let short = Config::new("s", "/tmp").source(claude_hook(&json!({
        "command": "echo '{\"hookSpecificOutput\": {\"additionalContext\": \"0123456789012345678901234567890123456789012345678901234567890123456789\"}}'",
        "contextLimit": 60,
    })));
    let context = ask(&short).into_final_output().unwrap().context.unwrap();
    assert_eq!(context.chars().count(), 60, "{context}");
}
