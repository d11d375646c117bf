use crate::chat::chat_fixture::{ChatFixture, ChatReply, stopped, texts};
use crate::scheduler::fixture::{FakeTool, HookedProject};
use hookrail_host::{ToolResult, TurnEnd};
use serde_json::{Value, json};

fn echo_then_ok(hooked: HookedProject) -> ChatFixture {
    ChatFixture::new(hooked, [ChatReply::calls(&[("echo", "a")]), ChatReply::text(&["ok"])])
}

#[test]
fn the_model_reads_why_its_call_was_blocked_and_decides_itself_what_comes_next() {
    // covers: HOOK-017 HOOK-130 HOOK-177
    let hooked = HookedProject::new().answer("BeforeTool", &json!({"decision": "block", "reason": "not here"}));
    let played = echo_then_ok(hooked).play("go");
    assert_eq!(played.end(), &TurnEnd::Completed);
    assert_eq!(played.responses(1), [json!({"error": "not here"})]);
    assert_eq!(played.echoed(), [] as [&str; 0]);
    assert_eq!(played.hooked.asked("BeforeTool").len(), 1);
    assert_eq!(played.screen, ["done", "call echo", "result not here", "text ok", "done"]);
}

#[test]
fn what_after_tool_hooks_add_is_in_the_next_request() {
    // covers: HOOK-027 HOOK-030 HOOK-159 HOOK-178
    let output = json!({"systemMessage": "note", "hookSpecificOutput": {"additionalContext": "more"}});
    let played = echo_then_ok(HookedProject::new().answer("AfterTool", &output)).play("go");
    assert_eq!(played.responses(1), [json!({"output": "echo: a\n\nmore\n\n[System] note"})]);
    assert_eq!(played.screen, ["done", "call echo", "result echo: a", "text ok", "done"]);
}

#[test]
fn a_suppressed_result_is_for_the_model_only() {
    // covers: HOOK-029 HOOK-132 HOOK-178
    let played = echo_then_ok(HookedProject::new().answer("AfterTool", &json!({"suppressOutput": true}))).play("go");
    assert_eq!(played.screen, ["done", "call echo", "text ok", "done"]);
    assert_eq!(played.responses(1), [json!({"output": "echo: a"})]);
}

#[test]
fn a_stop_around_a_tool_ends_the_loop_with_every_call_answered() {
    // covers: HOOK-020 HOOK-028 HOOK-177 HOOK-178
    let only_a = "grep -q '\"text\":\"a\"' && echo '{\"continue\": false, \"stopReason\": \"enough\"}'; true";
    for (event, answered) in [("BeforeTool", json!({"error": "enough"})), ("AfterTool", json!({"output": "echo: a"}))] {
        let hooked = HookedProject::new().hook(event, only_a);
        let calls = ChatReply::calls(&[("echo", "a"), ("echo", "b")]);
        let played = ChatFixture::new(hooked, [calls]).play("go");
        assert_eq!(played.end(), &stopped("enough"), "{event}");
        assert_eq!(played.requests.len(), 1, "{event}: the model is not asked again");
        assert_eq!(
            played.screen.last().map(String::as_str),
            Some("notice a hook stopped the agent: enough"),
            "{event}"
        );
        let parts = played.history[2]["parts"].as_array().unwrap();
        assert_eq!(parts.len(), 2, "{event}: {parts:?}");
        assert_eq!(parts[0]["functionResponse"]["response"], answered, "{event}");
        assert_eq!(parts[1]["functionResponse"]["name"], "echo", "{event}");
    }
}

#[test]
fn every_reason_to_stop_is_told() {
    let stop = r#"sed 's/.*"text":"\([ab]\)".*/{"continue": false, "stopReason": "because of \1"}/'"#;
    let hooked = HookedProject::new().hook("AfterTool", stop);
    let played =
        ChatFixture::new(hooked, [ChatReply::calls(&[("echo", "a"), ("echo", "b")])]).tools([slow_echo()]).play("go");
    assert_eq!(played.end(), &stopped("because of a\nbecause of b"));
}

/// Echoes when all calls of a pair are there, so that neither misses its turn because of the other.
fn slow_echo() -> FakeTool {
    let together = std::sync::Barrier::new(2);
    FakeTool::new("echo", move |text| {
        together.wait();
        ToolResult::text(text)
    })
}

#[test]
fn several_calls_are_answered_in_their_order_with_their_ids() {
    let call = |id: &str, text: &str| json!({"functionCall": {"id": id, "name": "echo", "args": {"text": text}}});
    let signed = json!({
        "functionCall": {"id": "c3", "name": "nothing", "args": {}}, "thoughtSignature": "c2lnbmVk",
    });
    let reply = ChatReply::complete(&[call("c1", "a"), call("c2", "b"), signed.clone()]);
    let played = ChatFixture::new(HookedProject::new(), [reply, ChatReply::text(&["ok"])]).play("go");
    let contents = played.requests[1]["contents"].as_array().unwrap();
    assert_eq!(contents[1]["parts"], json!([call("c1", "a"), call("c2", "b"), signed]), "sent back as they came");
    let answers: Vec<(&Value, &Value)> = contents[2]["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| (&part["functionResponse"]["id"], &part["functionResponse"]["response"]))
        .collect();
    let unknown = json!({"error": "there is no tool `nothing`; the tools are `echo`"});
    let (a, b) = (json!({"output": "echo: a"}), json!({"output": "echo: b"}));
    assert_eq!(answers, [(&json!("c1"), &a), (&json!("c2"), &b), (&json!("c3"), &unknown)]);
}

#[test]
fn what_a_failed_hook_printed_is_told_beside_the_result() {
    // covers: HOOK-031 HOOK-159
    let hooked = HookedProject::new().hook("AfterTool", "echo 'lint crashed' >&2; exit 1");
    let played = echo_then_ok(hooked).play("go");
    assert_eq!(played.responses(1), [json!({"output": "echo: a"})]);
    assert_eq!(texts(&played.requests[1]["contents"]), ["go", "\n\n[System] Warning: lint crashed"]);
    assert_eq!(played.screen, ["done", "call echo", "result echo: a", "text ok", "done"]);
}

#[test]
fn images_of_a_tool_stand_beside_its_response() {
    let image = json!({"inlineData": {"mimeType": "image/png", "data": "aGk="}});
    let content = json!([{"text": "a picture"}, image]);
    let camera =
        FakeTool::new("echo", move |_| ToolResult { llm_content: content.clone(), ..ToolResult::text("click") });
    let played = echo_then_ok(HookedProject::new()).tools([camera]).play("go");
    assert_eq!(played.responses(1), [json!({"output": "a picture"})]);
    assert_eq!(played.requests[1]["contents"][2]["parts"][1], image);
}

#[test]
fn everything_old_scripts_asked_for_in_vain_now_happens_in_one_turn() {
    // covers: HOOK-063 HOOK-134 HOOK-156
    let hooked = HookedProject::new()
        .answer("BeforeModel", &json!({"systemMessage": "from BeforeModel"}))
        .answer("BeforeToolSelection", &json!({"hookSpecificOutput": {"toolConfig": {"mode": "ANY"}}}))
        .answer("AfterModel", &json!({"systemMessage": "from AfterModel", "suppressOutput": true}))
        .answer("BeforeTool", &json!({"hookSpecificOutput": {"tool_input": {"text": "rewritten"}}}))
        .answer("AfterTool", &json!({"hookSpecificOutput": {"additionalContext": "from AfterTool"}}));
    let played = echo_then_ok(hooked).play("go");
    assert_eq!(texts(&played.requests[0]["contents"]), ["go", "\n\n[System] from BeforeModel"]);
    assert_eq!(played.requests[0]["config"]["toolConfig"]["functionCallingConfig"]["mode"], "ANY");
    assert_eq!(played.echoed(), ["rewritten"]);
    assert_eq!(played.responses(1), [json!({"output": "echo: rewritten\n\nfrom AfterTool"})]);
    let told = ["go", "\n\n[System] from AfterModel", "\n\n[System] from BeforeModel"];
    assert_eq!(texts(&played.requests[1]["contents"]), told);
    assert_eq!(played.screen, ["hidden", "call echo", "result echo: rewritten", "hidden"]);
}
