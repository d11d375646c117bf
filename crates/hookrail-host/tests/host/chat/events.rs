use crate::chat::chat_fixture::{ChatFixture, ChatReply, texts};
use crate::scheduler::fixture::HookedProject;
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};
use hookrail_engine::Config;
use hookrail_host::{ChatOptions, ChatSession, Display, ModelClient, ModelError, ToolScheduler, TurnEnd};
use hookrail_testkit::process::within;
use serde_json::{Map, Value, json};
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[test]
fn what_hooks_of_the_other_events_say_is_not_applied() {
    // covers: HOOK-203
    let refusal = json!({"decision": "block", "continue": false, "stopReason": "no", "systemMessage": "no",
        "hookSpecificOutput": {"additionalContext": "no"}});
    let hooked = HookedProject::new().answer("BeforeAgent", &refusal).answer("AfterAgent", &refusal);
    let played = ChatFixture::new(hooked, [ChatReply::text(&["fine"])]).play("go");
    assert_eq!(played.end(), &TurnEnd::Completed);
    assert_eq!(texts(&played.requests[0]["contents"]), ["go"]);
    assert_eq!(played.screen, ["text fine", "done"]);
    assert_eq!(played.hooked.asked("BeforeAgent")[0]["prompt"], "go");
    let after = &played.hooked.asked("AfterAgent")[0];
    assert_eq!((&after["prompt"], &after["prompt_response"]), (&json!("go"), &json!("fine")));
    assert_eq!(after["stop_hook_active"], false);
}

#[test]
fn a_prompt_that_ends_in_an_error_has_no_after_agent_event() {
    let hooked = HookedProject::new().record("BeforeAgent").record("AfterAgent");
    let played = ChatFixture::new(hooked, [ChatReply::broken(&["half"])]).play("go");
    assert!(played.ends[0].is_err());
    assert_eq!((played.hooked.asked("BeforeAgent").len(), played.hooked.asked("AfterAgent").len()), (1, 0));
}

/// Answers every prompt with one word, and says on a channel that it was asked.
struct Asked(Sender<()>);

impl ModelClient for Asked {
    fn stream(&self, _: &Value, on_chunk: &mut dyn FnMut(Value) -> ControlFlow<()>) -> Result<(), ModelError> {
        self.0.send(()).unwrap();
        let content = json!({"role": "model", "parts": [{"text": "ok"}]});
        let _ = on_chunk(json!({"candidates": [{"content": content, "finishReason": "STOP"}]}));
        Ok(())
    }
}

struct NoDisplay;

impl Display for NoDisplay {
    fn text_chunk(&mut self, _: &str) {}
}

/// A BeforeAgent hook that is not done before the model has been asked.
#[derive(Debug)]
struct Patient {
    asked: Mutex<Receiver<()>>,
    seen: Mutex<Sender<String>>,
}

impl NativeHook for Patient {
    fn id(&self) -> &str {
        "test/patient"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::SessionStart, EventName::BeforeAgent, EventName::AfterAgent, EventName::SessionEnd]
    }

    fn check(&self, event: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        if event.name == EventName::BeforeAgent {
            self.asked.lock().unwrap().recv().unwrap();
        }
        self.seen.lock().unwrap().send(event.name.to_string()).unwrap();
        Ok(Outcome::silent())
    }
}

#[test]
fn nobody_waits_for_their_hooks_but_the_end_of_the_session_and_none_is_lost() {
    // covers: HOOK-203
    let order = within(Duration::from_secs(60), || {
        let (tell_asked, asked) = channel();
        let (tell_seen, seen) = channel();
        let hook: Arc<dyn NativeHook> = Arc::new(Patient { asked: Mutex::new(asked), seen: Mutex::new(tell_seen) });
        let config = Arc::new(Config::new("s", "/").enable_hooks(true).native_hook(&hook));
        let scheduler = ToolScheduler::new(config, Vec::new());
        let mut session = ChatSession::new(Box::new(Asked(tell_asked)), scheduler, ChatOptions::new("m"));
        session.start("startup");
        assert_eq!(session.send("go", &mut NoDisplay), Ok(TurnEnd::Completed));
        session.end("exit");
        drop(hook);
        seen.try_iter().collect::<Vec<_>>()
    });
    assert_eq!(order, ["SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"]);
}

#[test]
fn session_events_carry_why_they_happened_and_hosts_can_fire_others() {
    // covers: HOOK-203
    let names = ["SessionStart", "SessionEnd", "PreCompress", "Notification"];
    let hooked = names.iter().fold(HookedProject::new(), |hooked, name| hooked.record(name));
    let scheduler = ToolScheduler::new(Arc::new(hooked.config()), Vec::new());
    let (tell_asked, _asked) = channel();
    let mut session = ChatSession::new(Box::new(Asked(tell_asked)), scheduler, ChatOptions::new("m"));
    session.start("resume");
    session.fire_event(EventName::PreCompress, Map::from_iter([("trigger".to_owned(), json!("manual"))]));
    session.fire_event(EventName::Notification, Map::from_iter([("message".to_owned(), json!("look"))]));
    session.end("logout");
    for (name, field, value) in [
        ("SessionStart", "source", "resume"),
        ("PreCompress", "trigger", "manual"),
        ("Notification", "message", "look"),
        ("SessionEnd", "reason", "logout"),
    ] {
        let asked = hooked.asked(name);
        assert_eq!(asked.len(), 1, "{name}");
        assert_eq!(asked[0][field], value, "{name}");
    }
}

#[test]
fn a_session_without_hooks_is_a_plain_conversation() {
    let config = Arc::new(Config::new("s", "/"));
    let scheduler = ToolScheduler::new(Arc::clone(&config), Vec::new());
    let (tell_asked, asked) = channel();
    let mut session = ChatSession::new(Box::new(Asked(tell_asked)), scheduler, ChatOptions::new("m"));
    session.start("startup");
    assert_eq!(session.send("go", &mut NoDisplay), Ok(TurnEnd::Completed));
    assert_eq!(texts(&json!(session.history())), ["go", "ok"]);
    session.end("exit");
    assert_eq!(asked.try_iter().count(), 1);
    assert!(config.get_hook_system().is_none());
}
