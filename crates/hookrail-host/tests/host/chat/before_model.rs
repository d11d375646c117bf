use crate::chat::chat_fixture::{ChatFixture, ChatReply, blocked, stopped, texts};
use crate::scheduler::fixture::HookedProject;
use hookrail_host::TurnEnd;
use serde_json::{Value, json};

fn before_model(output: &Value) -> HookedProject {
    HookedProject::new().answer("BeforeModel", output)
}

fn synthetic(text: &str) -> Value {
    json!({"llm_response": {"candidates": [{"content": {"role": "model", "parts": [text]}}]}})
}

#[test]
fn hooks_see_the_whole_request_each_time_before_it_is_sent() {
    // covers: HOOK-033 HOOK-141
    let replies = [ChatReply::calls(&[("echo", "a")]), ChatReply::text(&["fine"])];
    let played = ChatFixture::new(HookedProject::new().record("BeforeModel"), replies).play("go");
    let asked = played.hooked.asked("BeforeModel");
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0]["llm_request"]["model"], "test-model");
    assert_eq!(asked[0]["llm_request"]["messages"], json!([{"role": "user", "content": "go"}]));
    for request in &played.requests {
        assert_eq!(request["config"]["systemInstruction"], json!({"parts": [{"text": "Be brief."}]}));
        assert_eq!(request["config"]["tools"][0]["functionDeclarations"][0]["name"], "echo");
    }
    assert_eq!(played.responses(1), [json!({"output": "echo: a"})]);
    assert_eq!(played.end(), &TurnEnd::Completed);
}

#[test]
fn an_answer_in_the_models_place_is_shown_and_kept_as_if_the_model_had_given_it() {
    // covers: HOOK-036 HOOK-138 HOOK-174 HOOK-179
    let output = json!({"decision": "block", "reason": "cached", "hookSpecificOutput": synthetic("from the cache")});
    let hooked = before_model(&output).record("AfterModel").record("BeforeToolSelection");
    let played = ChatFixture::new(hooked, []).play("go");
    assert_eq!(played.end(), &TurnEnd::Completed);
    assert_eq!(played.requests, [] as [Value; 0], "no stream is opened");
    assert_eq!(played.screen, ["text from the cache", "done"]);
    assert_eq!(texts(&json!(played.history)), ["go", "from the cache"]);
    assert_eq!(played.history[1]["role"], "model");
    for event in ["AfterModel", "BeforeToolSelection"] {
        assert_eq!(played.hooked.asked(event), [] as [Value; 0], "no model was asked: {event}");
    }
}

#[test]
fn a_block_without_an_answer_ends_the_turn_without_output() {
    // covers: HOOK-037 HOOK-174 HOOK-179 HOOK-202
    let commands = [
        "echo '{\"decision\": \"deny\", \"reason\": \"secret in prompt\"}'",
        "echo 'secret in prompt' >&2; exit 2",
        "echo '{\"decision\": \"block\", \"reason\": \"secret in prompt\", \"hookSpecificOutput\": {\"llm_response\": {\"candidates\": []}}}'",
    ];
    for command in commands {
        let hooked = HookedProject::new().hook("BeforeModel", command).record("AfterModel");
        let played = ChatFixture::new(hooked, []).play("go");
        assert_eq!(played.end(), &blocked("secret in prompt"), "{command}");
        assert_eq!(played.requests, [] as [Value; 0], "{command}");
        let notice = "notice a hook blocked the request to the model: secret in prompt";
        assert_eq!(played.screen.last().map(String::as_str), Some(notice), "{command}");
        assert!(!played.screen.iter().any(|line| line.starts_with("text")), "{command}");
        assert_eq!(played.history, [] as [Value; 0], "the prompt is taken back: {command}");
        assert_eq!(played.hooked.asked("AfterModel"), [] as [Value; 0], "{command}");
    }
}

#[test]
fn the_model_is_sent_the_request_that_hooks_made_of_it() {
    // covers: HOOK-038 HOOK-139 HOOK-179
    let change = json!({"llm_request": {
        "model": "other-model",
        "messages": [{"role": "user", "content": "stay"}],
        "config": {"temperature": 0.5},
    }});
    let hooked = before_model(&json!({ "hookSpecificOutput": change })).record("AfterModel");
    let played = ChatFixture::new(hooked, [ChatReply::text(&["ok"])]).play("go");
    let request = &played.requests[0];
    assert_eq!(request["model"], "other-model");
    assert_eq!(texts(&request["contents"]), ["stay"]);
    assert_eq!(request["config"]["temperature"], 0.5);
    assert_eq!(request["config"]["tools"][0]["functionDeclarations"][0]["name"], "echo", "what hooks do not see stays");
    assert_eq!(request["config"]["systemInstruction"], json!({"parts": [{"text": "Be brief."}]}));
    assert_eq!(texts(&json!(played.history)), ["go", "ok"], "the conversation is not changed");
    let after = &played.hooked.asked("AfterModel")[0];
    assert_eq!(after["llm_request"]["model"], "test-model", "the original");
    assert_eq!(after["llm_request_sent"]["model"], "other-model");
}

#[test]
fn messages_that_hooks_add_come_after_those_there_are() {
    // covers: HOOK-039 HOOK-179
    let append = json!({"hookSpecificOutput": {"llm_request": {"messages": [
        {"role": "user", "content": "go"}, {"role": "user", "content": "by the way"},
    ]}}});
    let played = ChatFixture::new(before_model(&append), [ChatReply::text(&["ok"])]).play("go");
    assert_eq!(texts(&played.requests[0]["contents"]), ["go", "by the way"]);
    assert_eq!(texts(&json!(played.history)), ["go", "ok"]);
}

#[test]
fn a_stop_ends_the_loop_before_the_model_is_asked() {
    // covers: HOOK-040 HOOK-179 HOOK-184
    let stop = json!({"continue": false, "stopReason": "budget is spent"});
    let played = ChatFixture::new(before_model(&stop), []).play("go");
    assert_eq!(played.end(), &stopped("budget is spent"));
    assert_eq!(played.requests, [] as [Value; 0]);
    assert_eq!(played.screen, ["notice a hook stopped the agent: budget is spent"]);
    assert_eq!(played.history, [] as [Value; 0]);

    let stop = json!({"continue": false, "stopReason": "bye", "hookSpecificOutput": synthetic("so long")});
    let played = ChatFixture::new(before_model(&stop), []).play("go");
    assert_eq!(played.end(), &stopped("bye"));
    assert_eq!(played.screen, ["text so long", "done", "notice a hook stopped the agent: bye"]);
    assert_eq!(texts(&json!(played.history)), ["go", "so long"]);
}

#[test]
fn a_stop_in_the_middle_leaves_a_conversation_in_which_every_call_is_answered() {
    let second_time = "echo x >> n; [ $(wc -l < n) -lt 2 ] || echo '{\"continue\": false, \"stopReason\": \"twice\"}'";
    let hooked = HookedProject::new().hook("BeforeModel", second_time);
    let played = ChatFixture::new(hooked, [ChatReply::calls(&[("echo", "a")])]).play("go");
    assert_eq!(played.end(), &stopped("twice"));
    let roles: Vec<&Value> = played.history.iter().map(|content| &content["role"]).collect();
    assert_eq!(roles, ["user", "model", "user"]);
    assert_eq!(played.history[2]["parts"][0]["functionResponse"]["response"], json!({"output": "echo: a"}));
}

#[test]
fn a_system_message_rides_on_the_request_and_is_not_shown() {
    // covers: HOOK-159
    let played =
        ChatFixture::new(before_model(&json!({"systemMessage": "be careful"})), [ChatReply::text(&["ok"])]).play("go");
    assert_eq!(texts(&played.requests[0]["contents"]), ["go", "\n\n[System] be careful"]);
    assert_eq!(played.screen, ["text ok", "done"]);
    assert_eq!(texts(&json!(played.history)), ["go", "ok"], "the next request gets its own");
}

#[test]
fn a_system_message_that_finds_no_request_waits_for_the_next() {
    // covers: HOOK-159
    let first_time = "echo x >> n; [ $(wc -l < n) -gt 1 ] || echo '{\"decision\": \"block\", \"reason\": \"no\", \"systemMessage\": \"tone it down\"}'";
    let hooked = HookedProject::new().hook("BeforeModel", first_time);
    let played = ChatFixture::new(hooked, [ChatReply::text(&["ok"])]).play_all(&["one", "two"]);
    assert_eq!(played.ends, [Ok(blocked("no")), Ok(TurnEnd::Completed)]);
    assert_eq!(texts(&played.requests[0]["contents"]), ["two", "\n\n[System] tone it down"]);
}

#[test]
fn hooks_can_hide_the_answer_in_advance() {
    let suppress = json!({"suppressOutput": true});
    let played = ChatFixture::new(before_model(&suppress), [ChatReply::text(&["psst"])]).play("go");
    assert_eq!(played.screen, ["hidden"]);
    assert_eq!(texts(&json!(played.history)), ["go", "psst"]);

    let output = json!({"decision": "block", "suppressOutput": true, "hookSpecificOutput": synthetic("psst")});
    let played = ChatFixture::new(before_model(&output), []).play("go");
    assert_eq!(played.screen, ["hidden"]);
    assert_eq!(texts(&json!(played.history)), ["go", "psst"]);
}

#[test]
fn a_hook_that_fails_does_not_keep_the_model_from_being_asked() {
    // covers: HOOK-042
    for command in ["exit 1", "echo '{\"decision\": \"block\"}'; exit 7", "kill -9 $$"] {
        let hooked = HookedProject::new().hook("BeforeModel", command);
        let played = ChatFixture::new(hooked, [ChatReply::text(&["ok"])]).play("go");
        assert_eq!(played.end(), &TurnEnd::Completed, "{command}");
        assert_eq!(texts(&played.requests[0]["contents"]), ["go"], "{command}");
        let lines = played.hooked.log.lines();
        assert!(lines.iter().any(|line| line.starts_with("Warn:") && line.contains("failed")), "{command}: {lines:?}");
    }
}
