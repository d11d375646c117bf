use crate::chat::chat_fixture::{ChatFixture, ChatReply, stopped, texts};
use crate::scheduler::fixture::{FakeTool, HookedProject};
use hookrail_host::{ToolResult, TurnEnd};
use serde_json::{Value, json};

fn selecting(tool_config: &Value) -> HookedProject {
    let output = json!({"hookSpecificOutput": {"toolConfig": tool_config}});
    HookedProject::new().answer("BeforeToolSelection", &output).record("BeforeTool")
}

fn two_tools() -> [FakeTool; 2] {
    [FakeTool::echo(), FakeTool::new("shout", |text| ToolResult::text(&text.to_uppercase()))]
}

#[test]
fn a_restriction_is_on_the_wire_and_holds_for_calls_the_model_makes_nevertheless() {
    // covers: HOOK-055 HOOK-056 HOOK-140 HOOK-168 HOOK-181
    let unavailable = "the tool `shout` is not available: only `echo` may be called in this turn";
    // Gemini takes no names beside `AUTO`; a free choice among some tools is `VALIDATED`.
    for (mode, sent) in [("AUTO", "VALIDATED"), ("ANY", "ANY")] {
        let hooked = selecting(&json!({"mode": mode, "allowedFunctionNames": ["echo"]}));
        let replies = [ChatReply::calls(&[("shout", "a"), ("echo", "b")]), ChatReply::text(&["ok"])];
        let played = ChatFixture::new(hooked, replies).tools(two_tools()).play("go");
        let calling = json!({"functionCallingConfig": {"mode": sent, "allowedFunctionNames": ["echo"]}});
        assert_eq!(played.requests[0]["config"]["toolConfig"], calling);
        let declared = played.requests[0]["config"]["tools"][0]["functionDeclarations"].as_array().unwrap();
        assert_eq!(declared.len(), 2, "definitions are not touched");
        assert_eq!(played.responses(1), [json!({"error": unavailable}), json!({"output": "echo: b"})]);
        assert_eq!(played.tools[1].runs(), [] as [&str; 0]);
        assert_eq!(played.hooked.asked("BeforeTool").len(), 1, "only the call that is made is asked about");
    }
}

#[test]
fn none_means_none() {
    // covers: HOOK-056 HOOK-057 HOOK-181
    let hooked = selecting(&json!({"mode": "NONE", "allowedFunctionNames": ["echo"]}));
    let played = ChatFixture::new(hooked, [ChatReply::calls(&[("echo", "a")]), ChatReply::text(&["ok"])]).play("go");
    let calling = &played.requests[0]["config"]["toolConfig"]["functionCallingConfig"];
    assert_eq!(calling["mode"], "NONE");
    let error = "the tool `echo` is not available: no tool may be called in this turn";
    assert_eq!(played.responses(1), [json!({ "error": error })]);
    assert_eq!(played.echoed(), [] as [&str; 0]);
    assert_eq!(played.hooked.asked("BeforeTool"), [] as [Value; 0]);
}

#[test]
fn a_restriction_of_a_before_model_hook_holds_too() {
    let change = json!({"hookSpecificOutput": {"llm_request": {"toolConfig": {"mode": "NONE"}}}});
    let hooked = HookedProject::new().answer("BeforeModel", &change);
    let played = ChatFixture::new(hooked, [ChatReply::calls(&[("echo", "a")]), ChatReply::text(&["ok"])]).play("go");
    assert_eq!(played.requests[0]["config"]["toolConfig"]["functionCallingConfig"]["mode"], "NONE");
    assert_eq!(played.echoed(), [] as [&str; 0]);
}

#[test]
fn what_the_agent_itself_puts_into_its_requests_holds_and_stays() {
    let own = json!({"tools": [{"googleSearch": {}}], "toolConfig": {"functionCallingConfig": {"mode": "NONE"}}});
    let replies = [ChatReply::calls(&[("echo", "a")]), ChatReply::text(&["ok"])];
    let chat_fixture = ChatFixture::new(HookedProject::new().record("BeforeToolSelection"), replies);
    let played = chat_fixture.options(|options| options.config = own.as_object().unwrap().clone()).play("go");
    assert_eq!(played.requests[0]["config"]["toolConfig"], own["toolConfig"]);
    assert_eq!(played.requests[0]["config"]["tools"][0], json!({"googleSearch": {}}));
    assert_eq!(played.requests[0]["config"]["tools"][1]["functionDeclarations"][0]["name"], "echo");
    assert_eq!(played.hooked.asked("BeforeToolSelection")[0]["llm_request"]["toolConfig"], json!({"mode": "NONE"}));
    assert_eq!(played.echoed(), [] as [&str; 0]);
}

#[test]
fn a_restriction_is_for_one_request() {
    let first_time = "echo x >> n; [ $(wc -l < n) -gt 1 ] || echo '{\"hookSpecificOutput\": {\"toolConfig\": {\"mode\": \"NONE\"}}}'";
    let hooked = HookedProject::new().hook("BeforeToolSelection", first_time);
    let calling = || ChatReply::calls(&[("echo", "a")]);
    let played = ChatFixture::new(hooked, [calling(), calling(), ChatReply::text(&["ok"])]).play("go");
    assert_eq!(played.echoed(), ["a"]);
    assert_eq!(played.requests[1]["config"].get("toolConfig"), None);
}

#[test]
fn hooks_are_asked_about_requests_with_tools_as_before_model_hooks_left_them() {
    // covers: HOOK-053 HOOK-205
    let change = json!({"hookSpecificOutput": {"llm_request": {"model": "other-model"}}});
    let hooked = HookedProject::new().answer("BeforeModel", &change).record("BeforeToolSelection");
    let played = ChatFixture::new(hooked, [ChatReply::text(&["ok"])]).play("go");
    let asked = played.hooked.asked("BeforeToolSelection");
    let expected = json!({"model": "other-model", "messages": [{"role": "user", "content": "go"}]});
    assert_eq!(asked.iter().map(|input| &input["llm_request"]).collect::<Vec<_>>(), [&expected]);

    let hooked = HookedProject::new().record("BeforeToolSelection");
    let played = ChatFixture::new(hooked, [ChatReply::text(&["ok"])]).tools([]).play("go");
    assert_eq!(played.hooked.asked("BeforeToolSelection"), [] as [Value; 0], "there is nothing to select");
    assert_eq!(played.requests[0]["config"].get("tools"), None);
}

#[test]
fn a_stop_ends_the_loop_before_the_model_is_asked() {
    // covers: HOOK-058 HOOK-181
    let hooked = HookedProject::new()
        .answer("BeforeToolSelection", &json!({"continue": false, "stopReason": "no tools today"}))
        .record("AfterModel");
    let played = ChatFixture::new(hooked, []).play("go");
    assert_eq!(played.end(), &stopped("no tools today"));
    assert_eq!(played.requests, [] as [Value; 0]);
    assert_eq!(played.screen, ["notice a hook stopped the agent: no tools today"]);
    assert_eq!(played.history, [] as [Value; 0]);
    assert_eq!(played.hooked.asked("AfterModel"), [] as [Value; 0]);
}

#[test]
fn hooks_can_hide_the_answer_in_advance() {
    let hooked = HookedProject::new().answer("BeforeToolSelection", &json!({"suppressOutput": true}));
    let played = ChatFixture::new(hooked, [ChatReply::text(&["psst"])]).play("go");
    assert_eq!(played.screen, ["hidden"]);
    assert_eq!(texts(&json!(played.history)), ["go", "psst"]);
}

#[test]
fn a_block_blocks_nothing_and_its_reason_is_told() {
    // covers: HOOK-159 HOOK-181
    let output = json!({"decision": "block", "reason": "prefer reading", "systemMessage": "and be quick"});
    let hooked = HookedProject::new().answer("BeforeToolSelection", &output);
    let played = ChatFixture::new(hooked, [ChatReply::calls(&[("echo", "a")]), ChatReply::text(&["ok"])]).play("go");
    assert_eq!(played.end(), &TurnEnd::Completed);
    assert_eq!(played.echoed(), ["a"]);
    let told = ["go", "\n\n[System] and be quick", "\n\n[System] prefer reading"];
    assert_eq!(texts(&played.requests[0]["contents"]), told);
}

#[test]
fn a_hook_that_fails_restricts_nothing_and_is_logged() {
    // covers: HOOK-060
    let none = "echo '{\"hookSpecificOutput\": {\"toolConfig\": {\"mode\": \"NONE\"}}}'; exit 1";
    for command in [none, "kill -9 $$"] {
        let hooked = HookedProject::new().hook("BeforeToolSelection", command);
        let played =
            ChatFixture::new(hooked, [ChatReply::calls(&[("echo", "a")]), ChatReply::text(&["ok"])]).play("go");
        assert_eq!(played.requests[0]["config"].get("toolConfig"), None, "{command}");
        assert_eq!(played.echoed(), ["a"], "{command}");
        let lines = played.hooked.log.lines();
        assert!(lines.iter().any(|line| line.starts_with("Warn:") && line.contains("failed")), "{command}: {lines:?}");
    }
}
